"""One line of the table that the benchmarks print."""

from __future__ import annotations

from dataclasses import dataclass


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

    def line(self, name: str) -> str:
        measured = "-" if self.measured is None else f"{self.measured:.3g} {self.unit}".rstrip()
        target = "-" if self.target is None else f"<= {self.target:g} {self.unit}".rstrip()
        return f"{name:<8} {self.compared:<66} {measured:>9} {target:>10}  {self.verdict:<7} {self.detail}".rstrip()

    def to_dict(self, name: str) -> dict[str, object]:
        return {
            "name": name,
            "compared": self.compared,
            "measured": self.measured,
            "unit": self.unit,
            "target": self.target,
            "verdict": self.verdict,
            "detail": self.detail,
        }


HEAD = f"{'name':<8} {'what is compared':<66} {'measured':>9} {'target':>10}  verdict detail"
