"""The page of an experiment: our numbers beside the paper's, the picture, the settings, the cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import twosample as ts

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def binomial_interval(percent: float, trials: int) -> tuple[float, float]:
    """The 95 % interval (Wilson) of a rate in percent from so many trials, in percent."""
    p, z = percent / 100, 1.959964
    middle = (p + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)


def differs(ours: float, paper: float, trials: int, paper_trials: int) -> bool:
    """Whether the binomial 95 % intervals of the two rates do not even touch."""
    a, b = binomial_interval(ours, trials), binomial_interval(paper, paper_trials)
    return a[0] > b[1] or b[0] > a[1]


@dataclass(frozen=True)
class Difference:
    """A rate of ours that is not the paper's, beyond chance."""

    data: str
    kind: str
    test: str
    ours: float
    paper: float


def differences(
    data: str, kind: str, ours: dict[str, float], paper: Sequence[float | None], trials: int, paper_trials: int
) -> list[Difference]:
    """The tests whose rate in percent and the paper's differ by more than their binomial 95 % intervals."""
    return [
        Difference(data, kind, test, rate, there)
        for (test, rate), there in zip(ours.items(), paper, strict=True)
        if there is not None and differs(rate, there, trials, paper_trials)
    ]


def explained(found: Sequence[Difference], reasons: dict[tuple[str, str], str]) -> str:
    """A table of differences with the reason of each: of this test on these data, or of all tests on these data."""
    if not found:
        return "Nowhere."
    rows = [
        [d.data, d.kind, d.test, f"{d.ours:.1f}", f"{d.paper:.1f}",
         reasons.get((d.data, d.test)) or reasons.get((d.data, "")) or "not known"]
        for d in found
    ]  # fmt: skip
    return table(["data", "attributes", "test", "ours", "paper", "why"], rows)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def write(folder: Path, name: str, title: str, parts: Sequence[str]) -> None:
    """The page, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n\n".join([f"# {title}", *(part.strip() for part in parts), f"twosample {ts.__version__}."]) + "\n"
    part = folder / f"{name}.md.part"
    part.write_text(text)
    part.replace(folder / f"{name}.md")


def save(figure: Figure, folder: Path, name: str) -> str:
    """The picture as a file beside the page, and the line that shows it."""
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{name}.part"
    figure.savefig(part, format="png", dpi=110, bbox_inches="tight", metadata={"Software": None})
    part.replace(folder / f"{name}.png")
    plt.close(figure)
    return f"![{name}]({name}.png)"
