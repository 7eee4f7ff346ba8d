"""Kernels on things that are not rows of numbers."""
