"""Batches over time: an exact test after each whether the last ones differ from those before."""
