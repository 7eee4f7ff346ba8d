"""Power of two-sample tests on public problems: ``python -m benchmarks power``."""

from benchmarks.power.command import main

__all__ = ["main"]
