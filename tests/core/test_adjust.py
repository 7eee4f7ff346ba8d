"""Holm and Benjamini-Hochberg against their definitions, by rejecting step by step."""

import numpy as np
import pytest

import twosample as ts
from twosample.core.adjust import benjamini_hochberg, holm


def holm_rejects(p, level):
    """The step-down procedure as Holm states it."""
    order = np.argsort(p)
    rejected = np.zeros(len(p), bool)
    for step, i in enumerate(order):
        if p[i] > level / (len(p) - step):
            break
        rejected[i] = True
    return rejected


def hochberg_rejects(p, level):
    """The step-up procedure as Benjamini and Hochberg state it."""
    order = np.argsort(p)
    passed = [k for k in range(len(p)) if p[order[k]] <= (k + 1) / len(p) * level]
    rejected = np.zeros(len(p), bool)
    if passed:
        rejected[order[: max(passed) + 1]] = True
    return rejected


@pytest.mark.parametrize(("adjust", "procedure"), [(holm, holm_rejects), (benjamini_hochberg, hochberg_rejects)])
def test_adjusted_values_reject_what_the_procedure_rejects(adjust, procedure):
    rng = np.random.default_rng(0)
    for size in (1, 2, 5, 40):
        p = rng.uniform(size=size) ** 3
        for level in (0.001, 0.01, 0.05, 0.2, 0.5):
            np.testing.assert_array_equal(adjust(p) <= level, procedure(p, level))


def test_published_values_and_ties():
    p = [0.01, 0.02, 0.03, 0.04, 0.05]
    np.testing.assert_allclose(holm(p), [0.05, 0.08, 0.09, 0.09, 0.09])
    np.testing.assert_allclose(benjamini_hochberg(p), [0.05] * 5)  # R: p.adjust(p, "BH")
    np.testing.assert_allclose(holm([0.2, 0.2, 1.0]), [0.6, 0.6, 1.0])
    np.testing.assert_allclose(benjamini_hochberg([0.2, 0.2, 1.0]), [0.3, 0.3, 1.0])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_order_ends_and_refusals(adjust):
    p = np.random.default_rng(1).uniform(size=12)
    shuffle = np.random.default_rng(2).permutation(12)
    np.testing.assert_array_equal(adjust(p[shuffle]), adjust(p)[shuffle])
    assert adjust([]).shape == (0,)
    assert adjust([0.3]) == [0.3]
    assert adjust([1.0, 1.0]).max() == 1.0
    for wrong in ([0.5, np.nan], [1.2], [-0.1], [[0.5]]):
        with pytest.raises(ts.InputError, match="pvalues"):
            adjust(wrong)
