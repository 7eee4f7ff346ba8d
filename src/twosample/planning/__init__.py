"""What a careful user asks next: how large is the difference, is it small enough, how many rows would I need."""

from __future__ import annotations

from .effects import EffectSize, effect_size
from .equivalence import EffectMargin, equivalence_test
from .intervals import Interval, interval
from .power import power, sample_size

__all__ = [
    "EffectMargin", "EffectSize", "Interval", "effect_size", "equivalence_test", "interval", "power", "sample_size",
]  # fmt: skip
