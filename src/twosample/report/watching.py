"""A watch for other programs: metrics for Prometheus' textfile collector, and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from .._shown import shown
from ._junit import Cases

if TYPE_CHECKING:
    from ..monitor import Monitor

_METRICS = {
    "alarm": "Whether the last look is an alarm that was not accepted.",
    "learning": "Whether there are still too few batches.",
    "pvalue": "The p-value of the last look.",
    "batches": "Batches so far.",
    "alarms": "Looks so far that were alarms.",
    "rows": "Rows of the last batch.",
    "column_effect": "Effect size of the last batches against those before.",
    "column_effect_low": "The lower end of its 90 % interval.",
    "column_adjusted_pvalue": "The p-value of the column, adjusted for all columns.",
}


def prometheus(monitor: Monitor, name: str) -> str:
    """The state as metrics, one gauge for each; `name` is their label ``watch``."""
    lines: list[str] = []
    values = dict(_values(monitor))
    for metric, help_text in _METRICS.items():
        found = values.get(metric, [])
        if found:
            full = f"twosample_watch_{metric}"
            lines += [f"# HELP {full} {help_text}", f"# TYPE {full} gauge"]
            for column, value in found:
                label = "" if column is None else f',column="{_label(column)}"'
                lines.append(f'{full}{{watch="{_label(name)}"{label}}} {value!r}')
    return "\n".join(lines) + "\n"


def _values(monitor: Monitor) -> Iterator[tuple[str, list[tuple[str | None, float]]]]:
    looks, columns = monitor.looks, monitor.columns
    batches = monitor.batches
    yield "alarm", [(None, float(monitor.alarm))]
    yield "learning", [(None, float(monitor.learning))]
    if monitor.pvalue is not None:
        yield "pvalue", [(None, monitor.pvalue)]
    yield "batches", [(None, float(len(batches)))]
    yield "alarms", [(None, float(sum(look.alarm for look in looks)))]
    yield "rows", [(None, float(batches[-1].rows))]
    yield "column_effect", [(c.name, c.effect) for c in columns if c.effect is not None]
    yield "column_effect_low", [(c.name, c.effect_low) for c in columns if c.effect_low is not None]
    yield "column_adjusted_pvalue", [(c.name, c.adjusted_pvalue) for c in columns]


def _label(text: str) -> str:
    return shown(text, 200).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def watch_junit(monitor: Monitor, name: str) -> str:
    """The state as JUnit XML: a case for the watch and one for each column; skipped while it is learning."""
    from ..monitor.words import column_text, headline

    suite = Cases.of(f"twosample watch {shown(name, 200)}")
    case = suite.case("watch", "twosample.watch")
    if monitor.alarm:
        ET.SubElement(case, "failure", type="alarm", message=headline(monitor)).text = monitor.summary()
    elif monitor.learning:
        ET.SubElement(case, "skipped", message=headline(monitor))
    for column in monitor.columns:
        part = suite.case(suite.new_name(column.name), "twosample.watch.column")
        if monitor.alarm and column.adjusted_pvalue <= monitor.false_alarms:
            ET.SubElement(part, "failure", type="alarm", message=column_text(column))
        elif monitor.learning:
            ET.SubElement(part, "skipped", message="still learning")
    return suite.document("twosample watch", monitor.guarantee)
