"""JUnit XML for continuous integration: a case for each column, for all together, and for what else is broken."""

from __future__ import annotations

from dataclasses import dataclass
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
    seen: dict[str, int] = {}
    for column in result.columns:
        name = shown(column.name, 200) or "(no name)"
        seen[name] = seen.get(name, 0) + 1
        name = name if seen[name] == 1 else f"{name} ({seen[name]})"
        words = _words(column) + (f"; missing values: {_words(column.missing)}" if column.missing else "")
        suite.add(name, "twosample.compare.column", column.verdict, words)
    if result.schema.different:
        for broken in result.schema.broken:
            words = shown(result.schema.describe(broken), 300)
            suite.add(shown(broken, 200) or "(no name)", "twosample.compare.schema", "different", words)
    for violation in result.violations:
        name = f"{shown(violation.column, 200) or '(no name)'}: {violation.rule}"
        suite.add(name, "twosample.compare.contract", "different", shown(violation.detail, 300))
    return suite.document(_log(result))


@dataclass(frozen=True)
class Cases:
    """A suite of cases with their verdicts."""

    suite: ET.Element

    @classmethod
    def of(cls, name: str) -> Cases:
        """Without any case yet."""
        return cls(ET.Element("testsuite", name=name))

    def add(self, name: str, group: str, verdict: Verdict, words: str) -> None:
        """One more: a failure if it is different."""
        case = ET.SubElement(self.suite, "testcase", classname=group, name=name)
        if verdict == "different":
            ET.SubElement(case, "failure", type="different", message=f"different: {words}").text = words
        elif verdict != "same":
            ET.SubElement(case, "system-out").text = f"{verdict}: {words}"

    def document(self, log: str) -> str:
        """All of it as XML, with what is to be said of the whole."""
        suite = self.suite
        counts = {"tests": len(suite), "failures": len(suite.findall(".//failure")), "errors": 0, "skipped": 0}
        ET.SubElement(suite, "system-out").text = log
        suites = ET.Element("testsuites", name="twosample compare")
        suites.append(suite)
        for name, number in counts.items():
            suite.set(name, str(number))
            suites.set(name, str(number))
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
