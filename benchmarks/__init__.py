"""Ratios against peers and limits, each measured in one run: ``python -m benchmarks [NAME ...]``.

Times on a shared machine mean little; the ratio of two of them, taken in turns, means something. A benchmark is a
module with a ``rows()`` that yields :class:`~benchmarks.table.Row`, listed in ``__main__``.
"""
