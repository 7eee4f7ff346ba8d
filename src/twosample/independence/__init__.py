"""Tests of independence between two variables."""

from .hsic import hsic_test
from .nulls import CircularShift
from .results import IndependenceResult

__all__ = ["CircularShift", "IndependenceResult", "hsic_test"]
