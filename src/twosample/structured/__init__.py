"""Kernels on things that are not rows of numbers."""

from . import series, strings
from .bhattacharyya import Bhattacharyya
from .columns import Categories, Number, Ordinal, Text
from .records import Record
from .sets import SetKernel

__all__ = ["Bhattacharyya", "Categories", "Number", "Ordinal", "Record", "SetKernel", "Text", "series", "strings"]
