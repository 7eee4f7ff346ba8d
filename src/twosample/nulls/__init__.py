"""Null distributions: how a statistic becomes a p-value and a threshold."""

from __future__ import annotations

from .asymptotic import Gamma, Normal, Pearson, Spectrum
from .base import Null, Outcome, Stated
from .bootstrap import Bootstrap
from .bounds import Hoeffding, McDiarmid
from .dependent import CircularShift, GroupPermutation, PairFlips
from .permutation import AutoNull, Permutation, is_cheap
from .strata import StratifiedPermutation
from .wild import WildBootstrap

_KINDS: tuple[type[Null], ...] = (
    AutoNull, Permutation, Bootstrap, Pearson, Spectrum, Gamma, Normal, McDiarmid, Hoeffding, WildBootstrap, PairFlips,
    GroupPermutation, CircularShift, StratifiedPermutation,
)  # fmt: skip

NULLS: dict[str, type[Null]] = {null.name: null for null in _KINDS}  # the nulls by their aliases

__all__ = [
    "NULLS", "AutoNull", "Bootstrap", "CircularShift", "Gamma", "GroupPermutation", "Hoeffding", "McDiarmid", "Normal",
    "Null", "Outcome", "PairFlips", "Pearson", "Permutation", "Spectrum", "Stated",
    "StratifiedPermutation", "WildBootstrap", "is_cheap",
]  # fmt: skip
