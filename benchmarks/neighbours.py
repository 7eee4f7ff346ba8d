"""How much of the machine other processes used while something was measured."""

from __future__ import annotations

import os
from pathlib import Path

CALM = 0.1
"""Up to this share of the cores in other hands a time is worth something."""


class Neighbours:
    """Counts from its creation, or from the last time it was asked."""

    def __init__(self) -> None:
        self._counters = _counters()
        self._last: float | None = None

    def share(self) -> float | None:
        """Share of all cores that others used since; None where the system does not tell (/proc/stat)."""
        before, now = self._counters, _counters()
        whole, busy, own = (new - old for new, old in zip(now, before, strict=True))
        if whole > 0.05:  # less is not resolved: the last answer stands
            self._counters = now
            self._last = max(0.0, busy - own) / whole
        return self._last


def _counters() -> tuple[float, float, float]:
    """Core seconds since the start: all, busy, and used by this process with those of its children that have ended."""
    own = sum(os.times()[:4])
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    except OSError:
        return 0.0, 0.0, own
    # user nice system idle iowait irq softirq steal
    ticks = [int(field) / os.sysconf("SC_CLK_TCK") for field in fields]
    return sum(ticks), sum(ticks) - ticks[3] - ticks[4], own
