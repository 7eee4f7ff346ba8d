"""``mmd_test(kernel="adaptive")``."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import twosample as ts


def test_it_finds_what_the_median_misses():
    rng = np.random.default_rng(0)
    centre = 20.0 * rng.choice([-1, 1], size=(2, 250, 2))
    noise = rng.normal(size=(2, 250, 2))
    noise[1][(centre[1] > 0).all(axis=1)] *= 0.3
    x, y = centre + noise
    assert ts.mmd_test(x, y, rng=0).pvalue > 0.05
    r = ts.mmd_test(x, y, kernel="adaptive", rng=0)
    assert r.pvalue <= 0.01
    assert r.kernel.bandwidth < 3
    assert "20" in r.notes[0]


def test_all_labellings_are_exact():
    z = np.random.default_rng(1).integers(4, size=(9, 1)).astype(float)
    p = []
    for chosen in combinations(range(9), 4):
        others = [i for i in range(9) if i not in chosen]
        p.append(ts.mmd_test(z[list(chosen)], z[others], kernel="adaptive", null=ts.Permutation(200)).pvalue)
    for level in (0.02, 0.05, 0.1, 0.25, 0.5):
        assert np.mean(np.array(p) <= level + 1e-12) <= level + 1e-12


@pytest.mark.parametrize("rows", [40, 900])  # double and single precision
def test_any_unit(rows):
    x, y = np.random.default_rng(2).normal(size=(2, rows, 2))
    null = ts.Permutation(99)
    expected = ts.mmd_test(x, y + 0.1, kernel="adaptive", null=null, rng=0)
    for exponent in (-1000, 1000):
        unit = 2.0**exponent
        r = ts.mmd_test(x * unit, (y + 0.1) * unit, kernel="adaptive", null=null, rng=0)
        assert (r.pvalue, r.statistic) == (expected.pvalue, expected.statistic)
        assert r.kernel.bandwidth == expected.kernel.bandwidth * unit


def test_constant_samples_are_the_same():
    assert ts.mmd_test(np.ones((9, 2)), np.ones((8, 2)), kernel="adaptive", rng=0).pvalue == 1


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"bandwidth": 1.0}, "bandwidth"),
        ({"statistic": "biased"}, "statistic"),
        ({"null": "spectrum"}, "null"),
        ({"engine": "dense"}, "engine"),
    ],
)
def test_what_it_decides_itself(options, match):
    x = np.random.default_rng(2).normal(size=(30, 2))
    with pytest.raises(ts.OptionError, match=match):
        ts.mmd_test(x, x, kernel="adaptive", **options)


def test_blocks_of_many_rows(monkeypatch):
    """One block of all rows says the same as all pairs; several are exact and see a difference, too."""
    from twosample.core.labellings import relabellings
    from twosample.engines.family import KernelFamily, blocked_family, family_statistics
    from twosample.homogeneity import family

    z = np.random.default_rng(5).normal(size=(90, 2))
    rng = np.random.default_rng(6)
    families = [
        KernelFamily.of(family.bandwidth_grid(kernel, 0.3, 4.0), z, rng) for kernel in (ts.Gaussian(), ts.Laplace())
    ]
    labels = relabellings(40, 50, 60, rng)
    whole, _ = family_statistics(families, z, labels, 40, 50)
    found, error = blocked_family(families, z, labels, [np.arange(90)])
    for one, other in zip(whole, found, strict=True):
        assert other / other.std() == pytest.approx(one / one.std(), abs=1e-3)
    assert 0 < error < 1e-3 * found.std()
    monkeypatch.setattr(family, "PAIRS", 3 * 10**5)
    x, y = np.random.default_rng(8).normal(size=(2, 600, 2))
    assert ts.mmd_test(x, y, kernel="adaptive", null=ts.Permutation(99), rng=0).pvalue > 0.02
    assert ts.mmd_test(x, y * 1.5, kernel="adaptive", null=ts.Permutation(99), rng=0).pvalue == 0.01


def test_one_column_in_any_unit():
    x, y = np.random.default_rng(2).standard_t(3, size=(2, 300))
    expected = ts.mmd_test(x, y + 0.2, kernel="adaptive", rng=0)
    for unit in (2.0**-1000, 2.0**1000):
        r = ts.mmd_test(x * unit, (y + 0.2) * unit, kernel="adaptive", rng=0)
        assert (r.pvalue, r.kernel.bandwidth) == (expected.pvalue, expected.kernel.bandwidth * unit)


def test_nothing_to_see_takes_few_relabellings():
    for columns in (1, 2):
        x = np.random.default_rng(4).normal(size=(60, columns))
        y = x[::-1]
        r = ts.mmd_test(x, y, kernel="adaptive", rng=0)
        assert r.pvalue > 0.2
        assert r.null == ts.Permutation(99)
        assert "ts.Permutation(999)" in r.notes[1]
        assert ts.mmd_test(x, y, kernel="adaptive", null=ts.Permutation(199), rng=0).null == ts.Permutation(199)
        assert ts.mmd_test(x, y + 2, kernel="adaptive", rng=0).pvalue == 0.001


@pytest.mark.parametrize("made", [lambda z: z, lambda z: np.column_stack([z, z]), ts.Sketch.fit])
def test_constants_have_nothing_to_compare(made):
    r = ts.mmd_test(made(np.ones(20)), made(np.ones(30)), kernel="adaptive", rng=0)
    assert r.pvalue == 1
    assert any("nothing to compare" in note for note in r.notes)
    assert not any("saw most" in note for note in r.notes)


@pytest.mark.parametrize("test", [ts.mmd_test, ts.hsic_test])
def test_a_misspelt_family(test):
    x = np.arange(20.0)
    with pytest.raises(ts.OptionError, match=r"'adaptive'.*'energy'.*Did you mean 'adaptive'"):
        test(x, x, kernel="adaptve")


def test_summaries_are_sent_to_the_tests_that_take_them():
    summary = ts.summarize({"v": np.arange(20.0)})
    with pytest.raises(ts.InputError, match="x is a summary of a table"):
        ts.mmd_test(summary, summary)
