"""How well columns of drifted tables find their partners: ``python -m benchmarks matching_quality``."""

from benchmarks.matching_quality.command import main

__all__ = ["main"]
