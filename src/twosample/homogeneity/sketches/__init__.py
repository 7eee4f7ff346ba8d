"""Summaries of fixed size of one sample: kept, merged, and tested against each other."""

from .bins import BinnedMoments
from .compare import compare_sketches
from .groups import GroupedFeatures
from .sketch import Sketch

__all__ = ["BinnedMoments", "GroupedFeatures", "Sketch", "compare_sketches"]
