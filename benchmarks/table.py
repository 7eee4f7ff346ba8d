"""One line of the table that the benchmarks print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

WIDTH = 66


@dataclass(frozen=True)
class Row:
    """A measured number, and the number that it must not exceed (None: for information only)."""

    compared: str
    measured: float | None
    target: float | None = None
    unit: str = "x"
    detail: str = ""

    @property
    def verdict(self) -> str:
        if self.measured is None:
            return "skipped"
        if self.target is None:
            return ""
        return "ok" if self.measured <= self.target else "MISSED"

    def line(self, name: str, others: float | None) -> str:
        measured = "-" if self.measured is None else f"{self.measured:.3g} {self.unit}".rstrip()
        target = "-" if self.target is None else f"<= {self.target:g} {self.unit}".rstrip()
        busy = "-" if others is None else f"{others:.0%}"
        return (
            f"{name:<8} {self.compared:<{WIDTH}} {measured:>9} {target:>10}  {self.verdict:<7} {busy:>6}  {self.detail}"
        ).rstrip()

    def to_dict(self, name: str, others: float | None) -> dict[str, Any]:
        return {
            "name": name,
            "compared": self.compared,
            "measured": self.measured,
            "unit": self.unit,
            "target": self.target,
            "verdict": self.verdict,
            "others": others,
            "detail": self.detail,
        }


HEAD = f"{'name':<8} {'what is compared':<{WIDTH}} {'measured':>9} {'target':>10}  {'':7} others  detail"
"""`others`: how much of the machine other processes used meanwhile."""
