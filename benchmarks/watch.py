"""``python -m benchmarks.watch``: how often `ts.Monitor` cries wolf, and how soon it sees a change.

Writes docs/watch-measured.md. Beside it, on the same batches: a test of each new batch against the reference at 5 %, a
band of three deviations around the mean of each column, an e-detector on the conformal ranks of batches, and, where
TWOSAMPLE_RIVER and TWOSAMPLE_ALIBI_DETECT_PYTHON name interpreters that have them, ADWIN and KSWIN of river and the
online MMD of alibi-detect on every row.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import chi2, chi2_contingency

import twosample as ts
from benchmarks.watch_rivals import e_detector, row_alarms
from benchmarks.watch_streams import CHANGE, DRIFT, Stream, elec2, flights, looks, simulated, stream_of
from twosample.monitor.learning import counts_of
from twosample.monitor.scan import scan

PAGE = Path(__file__).resolve().parents[1] / "docs" / "watch-measured.md"
LEVEL = 1 / 1000
REFERENCE = 60
LONG = 120
"""Batches of reference before a planted shift."""
MOST = 60
SHIFTS = (0.3, 0.5, 1.0)
PARTS = ("real", "simulated", "single", "delays", "change", "season", "story")


@dataclass
class Tally:
    """Batches looked at, and alarms of each monitor."""

    batches: int = 0
    alarms: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, alarms: int) -> None:
        self.alarms[name] = self.alarms.get(name, 0) + alarms


def daily_pvalues(stream: Stream, reference: int = REFERENCE) -> np.ndarray:
    """For each batch after the reference: a chi-square test of each column against the reference's rows, Bonferroni."""
    found = []
    tables = [
        counts_of(column, stream.features[:, stream.plan.part(i)], stream.present[:, i])
        for i, column in enumerate(stream.plan.columns)
    ]
    for t in range(reference, len(stream.features)):
        smallest = min(_homogeneity(table[:reference].sum(axis=0), table[t]) for table in tables)
        found.append(min(1.0, smallest * len(tables)))
    return np.array(found)


def _homogeneity(before: np.ndarray, after: np.ndarray) -> float:
    """Pearson's chi-square test; cells are joined until each has at least five rows expected."""
    share = after.sum() / max(before.sum() + after.sum(), 1)
    joined, pending = [], np.zeros(2)
    for pair in np.column_stack([before, after]):
        pending = pending + pair
        if pending.sum() * share >= 5:
            joined.append(pending)
            pending = np.zeros(2)
    table = np.array(joined).T if joined else np.zeros((2, 0))
    if table.shape[1] < 2 or min(table.sum(axis=1)) == 0:
        return 1.0
    return float(chi2_contingency(table, correction=False).pvalue)


def band_scores(stream: Stream, reference: int = REFERENCE) -> np.ndarray:
    """For each batch after the reference: the largest number of deviations of any column's place or missing share."""
    used = sorted({i for number, view in stream.plan.views if number >= 0 and len(view) == 1 for i in view.tolist()})
    values = stream.features[:, used]
    mean, deviation = np.nanmean(values[:reference], axis=0), np.nanstd(values[:reference], axis=0, ddof=1)
    scores = np.abs(values[reference:] - mean) / np.where(deviation > 1e-12, deviation, np.inf)
    return np.asarray(np.nan_to_num(scores).max(axis=1))


def quiet(tally: dict[str, Tally], name: str, stream: Stream, seed: int, rows: bool) -> None:
    """Looks of all monitors at one stream in which nothing changes."""
    count = tally.setdefault(name, Tally())
    found = list(looks(stream, REFERENCE, level=LEVEL, seed=seed))
    count.batches += len(found)
    count.add("Monitor", sum(look.alarm for look in found))
    count.add("p ≤ 5 %", sum(look.pvalue is not None and look.pvalue <= 0.05 for look in found))
    count.add("daily 5 %", int((daily_pvalues(stream) <= 0.05).sum()))
    count.add("3 sd band", int((band_scores(stream) > 3).sum()))
    if rows:
        for rival, alarms in row_alarms(stream, REFERENCE).items():
            count.add(rival, int(alarms.sum()))
            count.add(f"{rival} batches", len(alarms))


def real_streams(scale: float, say: Callable[[str], None]) -> dict[str, Tally]:
    """Real days in random order, some 13,000 batches at scale 1."""
    tally: dict[str, Tally] = {}
    if not DRIFT.exists():
        return tally
    weekday, days, planes = np.arange(944) % 7, elec2(), flights("day")
    streams = {
        "electricity, days before the change": (stream_of("a", days[:CHANGE], strata=weekday[:CHANGE]), 12),
        "electricity, days after it": (stream_of("b", days[CHANGE:], strata=weekday[CHANGE:]), 7),
        "flights, days within weekdays": (stream_of("c", planes, strata=np.arange(len(planes)) % 7), 12),
        "flights, days": (stream_of("d", planes), 12),
    }
    for name, (stream, runs) in streams.items():
        for run in range(max(1, round(runs * scale))):
            order = stream.shuffled(np.random.default_rng([11, run]))
            quiet(tally, name, order, run, rows=run == 0 and "flights" not in name)
        say(f"{name}: {tally[name]}")
    return tally


def single_looks(orders: int = 1500) -> dict[str, float]:
    """One look at each of many orders of the same days, which are independent: the shares of small p-values."""
    days = elec2()
    stream = stream_of("single", days[:CHANGE], strata=np.arange(CHANGE) % 7)
    views, found = [view for _, view in stream.plan.views], []
    for number in range(orders):
        rng = np.random.default_rng([18, number])
        part = stream.shuffled(rng, int(rng.integers(80, 300)))
        found.append(scan(part.features, part.strata, views, level=0.01, seed=(number,)).pvalue)
    return {f"{level:.0%}": float(np.mean(np.array(found) <= level)) for level in (0.01, 0.05, 0.1)} | {"looks": orders}


def simulated_streams(scale: float, say: Callable[[str], None]) -> dict[str, Tally]:
    """Simulated days, some 8,000 batches at scale 1; every stream is looked at in four orders."""
    tally: dict[str, Tally] = {}
    kinds = {
        "simulated, independent rows": {"vary": 0.0},
        "simulated, days vary by 0.15 sd": {"vary": 0.15},
        "simulated, rows follow each other (AR 0.9)": {"vary": 0.15, "memory": 0.9},
        "simulated, weekdays differ by 1 sd": {"vary": 0.15, "weekdays": True},
    }
    for name, options in kinds.items():
        for run in range(max(1, round(2 * scale))):
            frames = simulated(np.random.default_rng([12, run]), 340, rows=100, columns=5, **options)
            strata = np.arange(340) % 7 if "weekdays" in options else None
            stream = stream_of(name, frames, strata=strata)
            for order in range(4):
                mixed = stream.shuffled(np.random.default_rng([17, run, order]))
                quiet(tally, name, mixed, 4 * run + order, rows=run == order == 0)
        say(f"{name}: {tally[name]}")
    return tally


def delays(runs: int, say: Callable[[str], None]) -> list[tuple[str, float, dict[str, list[int | None]]]]:
    """Batches from a shift in one of ten columns to the alarm; the rivals have thresholds of equal false alarms."""
    result = []
    for label, vary in (("hardly varies (0.02 sd)", 0.02), ("varies by 0.2 sd", 0.2), ("varies by 1 sd", 1.0)):
        spread = np.full(10, 0.2)
        spread[0] = vary
        base = [stream_of(label, simulated(np.random.default_rng([13, run]), 205, vary=spread)) for run in range(runs)]
        limits = _equal_false_alarms(spread)
        for shift in SHIFTS:
            found: dict[str, list[int | None]] = {"Monitor": [], "daily test": [], "band": [], "e-detector": []}
            for run, quiet_stream in enumerate(base):
                frames = quiet_stream.frames
                moved = [f.with_columns(x0=f["x0"] + shift) for f in frames[LONG : LONG + MOST]]
                stream = _with_new(quiet_stream, moved)
                seen = looks(stream, LONG, level=LEVEL, margin=0.05, seed=run)
                found["Monitor"].append(_first(look.alarm for look in seen))
                found["daily test"].append(_first(daily_pvalues(stream, LONG) <= limits[0]))
                found["band"].append(_first(band_scores(stream, LONG) > limits[1]))
                found["e-detector"].append(_first(e_detector(stream, LONG, LEVEL)))
            result.append((label, shift, found))
            say(f"{label}, {shift} sd: {found}")
    return result


def _with_new(stream: Stream, frames: list) -> Stream:
    summaries = [ts.summarize(frame, like=stream.like) for frame in frames]
    old = stream.take(np.arange(LONG))
    return Stream(
        stream.name,
        stream.plan,
        np.concatenate([old.features, [stream.plan.features(s) for s in summaries]]),
        np.concatenate([old.present, [stream.plan.present(s) for s in summaries]]),
        np.zeros(LONG + len(frames), dtype=np.intp),
        [*old.frames, *frames],
        stream.like,
    )


def _equal_false_alarms(spread: np.ndarray) -> tuple[float, float]:
    """Thresholds at which the rivals alarm in one of a thousand quiet batches, from 1,500 of them."""
    pvalues, scores = [], []
    for run in range(5):
        stream = stream_of("quiet", simulated(np.random.default_rng([14, run]), 470, vary=spread))
        pvalues.append(daily_pvalues(stream, LONG))
        scores.append(band_scores(stream, LONG))
    return float(np.quantile(np.concatenate(pvalues), LEVEL)), float(np.quantile(np.concatenate(scores), 1 - LEVEL))


def _first(alarms) -> int | None:
    return next((place for place, alarm in enumerate(alarms, 1) if alarm), None)


def electricity_change() -> dict[str, int | None]:
    """Days from the known change to the alarm, after the quiet days in random order within weekdays, five times."""
    days = elec2()
    stream = stream_of("change", days[: CHANGE + 30])
    kept = [i for i in range(len(days[: CHANGE + 30])) if i not in range(5, CHANGE + 30, 10)]
    before = np.flatnonzero(np.array(kept) < CHANGE - 7)
    after = np.flatnonzero(np.array(kept) >= CHANGE)
    found: dict[str, int | None] = {}
    for run in range(5):
        order = np.concatenate([np.random.default_rng([15, run]).permutation(before), after])
        alarms = (look.alarm for look in looks(stream.take(order), len(before), level=LEVEL, margin=0.05, seed=run))
        found[f"order {run + 1}"] = _first(alarms)
    return found


def electricity_story() -> str:
    """What the monitor says at the known change, after the quiet days in random order."""
    days = elec2()
    order = np.random.default_rng(16).permutation(CHANGE - 7)
    monitor = ts.Monitor([days[i] for i in order])
    for number in range(CHANGE, len(days)):
        monitor.update(days[number], name=f"day {number + 1}")
        if monitor.alarm:
            break
    return monitor.summary()


def season() -> tuple[int, int]:
    """Alarms and looks when the days of electricity come as they were, weekdays as strata: what a season does."""
    days = elec2()[:CHANGE]
    stream = stream_of("season", days, strata=np.arange(CHANGE) % 7)
    found = list(looks(stream, REFERENCE, level=LEVEL, margin=0.05))
    return sum(look.alarm for look in found), len(found)


def upper(alarms: int, batches: int) -> float:
    """The upper end of a one-sided 95 % interval of a rate, in alarms per 1,000 batches."""
    return 1000 * float(chi2.ppf(0.95, 2 * alarms + 2) / 2 / batches)


def page(
    tally: dict[str, Tally],
    single: dict | None,
    found: list,
    change: dict | None,
    seasons: tuple[int, int] | None,
    story: str | None,
) -> str:
    """The measurements as Markdown."""
    total = Tally()
    for part in tally.values():
        total.batches += part.batches
        for name, alarms in part.alarms.items():
            total.add(name, alarms)
    rivals = [name for name in ("ADWIN", "KSWIN", "online MMD") if name in total.alarms]
    lines = [
        "# What `ts.Monitor` does, measured",
        "",
        "For whoever wants to know how often a watch cries wolf, and how soon it sees a change. Made by "
        "`python -m benchmarks.watch`; what a watch is: [watch.md](watch.md).",
        "",
        "## Quiet streams: alarms in 1,000 batches",
        "",
        f"Promised: {1000 * LEVEL:g}. {REFERENCE} batches of reference, no margin. Real batches come in random order,",
        "so that nothing changes. ADWIN and KSWIN of river and the online MMD of alibi-detect (with an expected run",
        "time of 50 batches: that is 20 in 1,000) look at single rows of one order. The last column is the share of",
        "looks of `Monitor` with p ≤ 5 %.",
        "",
        "| stream | batches | `Monitor` | test at 5 % | band of 3 sd |"
        f"{''.join(f' {name} |' for name in rivals)} p ≤ 5 % |",
        f"|---|---|---|---|---|{'---|' * len(rivals)}---|",
    ]
    for name, part in [*tally.items(), ("**all**", total)]:
        rate = {key: 1000 * alarms / part.batches for key, alarms in part.alarms.items()}
        shares = [(part.alarms.get(rival), part.alarms.get(f"{rival} batches", 1)) for rival in rivals]
        others = "".join(" |" if alarms is None else f" {1000 * alarms / count:.0f} |" for alarms, count in shares)
        lines.append(
            f"| {name} | {part.batches:,} | {rate['Monitor']:.2f} | {rate['daily 5 %']:.0f} | {rate['3 sd band']:.0f} |"
            f"{others} {rate['p ≤ 5 %'] / 10:.1f} % |"
        )
    alarms = total.alarms["Monitor"]
    lines += [
        "",
        f"`Monitor`: {alarms} alarms in {total.batches:,} batches; the rate is below",
        f"{upper(alarms, total.batches):.2f} in 1,000 with 95 % confidence, were looks independent.",
        "They are not: looks at one stream share batches, and alarms come in clusters.",
    ]
    if single is not None:
        shares = ", ".join(f"{share:.1%} at {level}" for level, share in single.items() if level != "looks")
        lines += [
            f"One look at each of {single['looks']:,.0f} independent orders of the first stream rejects as it should:",
            f"{shares}.",
        ]
    lines += _delay_lines(found)
    if change is not None and seasons is not None:
        days = ", ".join(str(value) for value in change.values())
        lines += [
            "", "## A real change", "",
            f"Electricity, when the Victorian columns come to life: alarm at day {days} of the change, for",
            "five orders of the days before. What `print(m)` says then:", "", "```", story or "", "```",
            "", "## A season that nobody told", "",
            f"The days before that change in their real order, weekdays as strata: alarm at {seasons[0]} of",
            f"{seasons[1]} looks. Winter and summer are changes.",
        ]  # fmt: skip
    lines += ["", "Where next: [watch](watch.md), [monitoring](tutorials/monitoring.md)."]
    return "\n".join(lines) + "\n"


def _delay_lines(found: list) -> list[str]:
    lines = [
        "", "## Planted shifts: batches until the alarm", "",
        f"A shift in one of ten columns (200 rows a batch, {LONG} batches of reference, the other columns vary by",
        f"0.2 sd between batches): median of runs, in brackets the runs in which it was found within {MOST} batches.",
        "The test and the band have thresholds from 1,500 more quiet batches, at which they, too, alarm once in 1,000.",
        "The e-detector (Shiryaev and Roberts on conformal ranks of single batches) needs no threshold: it promises",
        "1,000 quiet batches or more until an alarm, on average. It is only measured here, not built in.",
        "", "| the column | shift | `Monitor` | test of each batch | band | e-detector |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for label, shift, runs in found:
        cells = []
        for values in runs.values():
            known = [MOST + 1 if value is None else value for value in values]
            middle = float(np.median(known))
            hits = sum(value is not None for value in values)
            cells.append(f"{f'> {MOST}' if middle > MOST else f'{middle:g}'} ({hits} of {len(values)})")
        lines.append(f"| {label} | {shift:g} sd | {' | '.join(cells)} |")
    return lines


def measured(part: str, options: argparse.Namespace) -> Any:
    """A part of the measurements, from the folder of those that are done, or made now and kept there."""

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    place = None if options.keep is None else options.keep / f"{part}.json"
    if place is not None and place.exists():
        return json.loads(place.read_text())
    made: dict[str, Callable[[], Any]] = {
        "delays": lambda: delays(options.runs, say),
        "real": lambda: {name: asdict(tally) for name, tally in real_streams(options.scale, say).items()},
        "simulated": lambda: {name: asdict(tally) for name, tally in simulated_streams(options.scale, say).items()},
        "single": lambda: single_looks() if DRIFT.exists() else None,
        "change": lambda: electricity_change() if DRIFT.exists() else None,
        "season": lambda: season() if DRIFT.exists() else None,
        "story": lambda: electricity_story() if DRIFT.exists() else None,
    }
    found = json.loads(json.dumps(made[part]()))
    if place is not None:
        place.write_text(json.dumps(found))
    return found


def main() -> None:
    """Measure, write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.watch", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the runs on quiet streams")
    parser.add_argument("--runs", type=int, default=6, help="runs of each planted shift")
    parser.add_argument("--keep", type=Path, help="a folder for parts that are done, which are not made again")
    parser.add_argument("--only", choices=PARTS, help="make this part, write no page")
    parser.add_argument("--output", type=Path, default=PAGE)
    options = parser.parse_args()
    if options.only:
        measured(options.only, options)
        return
    quiet = {**measured("real", options), **measured("simulated", options)}
    tally = {name: Tally(**part) for name, part in quiet.items()}
    parts = [measured(part, options) for part in PARTS[2:]]
    options.output.write_text(page(tally, *parts), encoding="utf-8")


if __name__ == "__main__":
    main()
