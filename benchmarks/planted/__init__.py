"""Planted bugs: how often `compare` and its peers see what went wrong with one of two halves of a real table."""

from benchmarks.planted.command import main

__all__ = ["main"]
