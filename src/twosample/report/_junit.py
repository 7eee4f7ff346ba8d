"""JUnit XML for continuous integration: a case for each column, for all together, and for what else is broken."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from .. import _numbers as numbers
from .._shown import shown
from ..tables.parts import ColumnComparison, MissingComparison, Verdict
from ..tables.results import Comparison

JOINT = "all columns together"


def comparison_junit(result: Comparison) -> str:
    """A failure for what is different; what could hide is said of the rest."""
    suite = Cases.of(f"{shown(result.a.name, 200)} against {shown(result.b.name, 200)}")
    if result.joint is not None:
        suite.add(JOINT, "twosample.compare", result.joint_verdict, _joint_words(result))
    for column in result.columns:
        words = _words(column) + (f"; missing values: {_words(column.missing)}" if column.missing else "")
        suite.add(suite.new_name(column.name), "twosample.compare.column", column.verdict, words)
    if result.schema.different:
        for broken in result.schema.broken:
            words = shown(result.schema.describe(broken), 300)
            suite.add(shown(broken, 200) or "(no name)", "twosample.compare.schema", "different", words)
    for violation in result.violations:
        name = f"{shown(violation.column, 200) or '(no name)'}: {violation.rule}"
        suite.add(name, "twosample.compare.contract", "different", shown(violation.detail, 300))
    return suite.document("twosample compare", _log(result))


@dataclass(frozen=True)
class Cases:
    """A suite of cases with their verdicts."""

    suite: ET.Element
    names: Counter[str] = field(default_factory=Counter)  # how many columns of each name there are so far

    @classmethod
    def of(cls, name: str) -> Cases:
        """Without any case yet."""
        return cls(ET.Element("testsuite", name=name))

    def new_name(self, column: str) -> str:
        """What to call the case of a column, unlike those before."""
        name = shown(column, 200) or "(no name)"
        self.names[name] += 1
        return name if self.names[name] == 1 else f"{name} ({self.names[name]})"

    def case(self, name: str, group: str) -> ET.Element:
        """One more, passed until something is put into it."""
        return ET.SubElement(self.suite, "testcase", classname=group, name=name)

    def add(self, name: str, group: str, verdict: Verdict, words: str) -> None:
        """One more: a failure if it is different."""
        case = self.case(name, group)
        if verdict == "different":
            ET.SubElement(case, "failure", type="different", message=f"different: {words}").text = words
        elif verdict != "same":
            ET.SubElement(case, "system-out").text = f"{verdict}: {words}"

    def document(self, name: str, log: str) -> str:
        """All of it as XML, with what is to be said of the whole."""
        suite = self.suite
        failures, skipped = (len(suite.findall(f".//{what}")) for what in ("failure", "skipped"))
        counts = {"tests": len(suite), "failures": failures, "errors": 0, "skipped": skipped}
        ET.SubElement(suite, "system-out").text = log
        suites = ET.Element("testsuites", name=name)
        suites.append(suite)
        for what, number in counts.items():
            suite.set(what, str(number))
            suites.set(what, str(number))
        ET.indent(suites)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _words(tested: ColumnComparison | MissingComparison) -> str:
    return (
        f"effect {numbers.effect(tested.effect)} ({numbers.interval(tested.effect_low, tested.effect_high)}), "
        f"p {numbers.page_pvalue(tested.pvalue)}, adjusted {numbers.page_pvalue(tested.adjusted_pvalue)}"
    )


def _joint_words(result: Comparison) -> str:
    effect, pvalue = result.joint_effect, numbers.page_pvalue(result.joint.pvalue) if result.joint else ""
    size = f"effect {numbers.effect(effect.value)} ({numbers.interval(effect.low, effect.high)}), " if effect else ""
    return f"{size}p {pvalue}"


def _log(result: Comparison) -> str:
    lines = [shown(result.headline), f"seed {result.seed}, level {result.level:g}, margin {result.margin:.3g}"]
    for found in result.findings[:200]:
        name = "" if found.column is None else f"{shown(found.column, 200)}: "
        lines.append(f"{found.what}: {name}{shown(found.detail, 300)}")
    return "\n".join(lines)
