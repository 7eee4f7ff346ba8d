"""The adaptive test: several views of the pooled rows, joined on one batch of relabellings."""

from .front import two_sample_test
from .results import AdaptiveResult, ViewResult

__all__ = ["AdaptiveResult", "ViewResult", "two_sample_test"]
