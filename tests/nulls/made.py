"""A null of every kind in the registry, for samples of m and n rows."""

from __future__ import annotations

from twosample.nulls import NULLS, GroupPermutation, Null, StratifiedPermutation


def made(name: str, m: int, n: int) -> Null:
    """By its alias; groups of two rows and two strata for the nulls that need to know them."""
    if name == "group":
        return GroupPermutation([i // 2 for i in range(m)], [-1 - i // 2 for i in range(n)])
    if name == "strata":
        return StratifiedPermutation([i % 2 for i in range(m)], [i % 2 for i in range(n)])
    return NULLS[name]()


TWO_SAMPLE = [name for name, null in NULLS.items() if null.statistics != {"hsic"}]
"""Aliases of the nulls of two-sample tests."""
