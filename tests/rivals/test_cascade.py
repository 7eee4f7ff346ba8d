"""The cascade: which stage speaks, one p-value, one level."""

from functools import partial

import numpy as np
import pytest

import twosample as ts
from twosample.rivals import hotelling_test
from twosample.rivals.cascade import cascade_test


def fixed(pvalue, name="stub", ran=None):
    """A test that always gives this p-value."""

    def test(x, y, *, level, rng):
        if ran is not None:
            ran.append((name, level))
        r = ts.mmd_test(x, y, null="gamma", level=level)
        return ts.TestResult(
            name, "t", 1.0, pvalue, 0.5, level, r.m, r.n, 1, r.null, law=_Constant(pvalue)
        )  # fmt: skip

    return test


class _Constant:
    least = 0.0

    def __init__(self, p):
        self.p = p

    def pvalue(self, t):
        return self.p

    def threshold(self, level):
        return 0.0 if self.p <= level else 2.0


X, Y = np.arange(10.0), np.arange(12.0)


@pytest.mark.parametrize(
    ("p1", "p2", "share", "stage", "expected"),
    [
        (0.01, 0.9, 0.5, 1, 0.02),
        (0.025, 0.9, 0.5, 1, 0.05),
        (0.03, 0.01, 0.5, 2, 0.02),
        (0.03, 0.9, 0.5, 1, 0.06),
        (0.9, 0.8, 0.5, 1, 1.0),
        (0.2, 0.03, 0.2, 2, 0.0375),
        (0.01, 0.9, 0.2, 1, 0.05),
    ],
)
def test_one_pvalue(p1, p2, share, stage, expected):
    ran = []
    r = cascade_test(X, Y, first=fixed(p1, "A", ran), second=fixed(p2, "B", ran), share=share)
    assert r.pvalue == pytest.approx(expected)
    assert r.rejected == (expected <= 0.05 + 1e-12)
    assert r.level == 0.05
    assert f"stage {stage} ({'AB'[stage - 1]})" in r.test
    assert ran[0] == ("A", pytest.approx(share * 0.05))
    assert len(ran) == (1 if p1 <= share * 0.05 else 2)
    if len(ran) == 2:
        assert ran[1] == ("B", pytest.approx((1 - share) * 0.05))
        assert "stage 2, B" in r.notes[0]
    else:
        assert "not needed" in r.notes[0]
    assert r.law.pvalue(r.statistic) == pytest.approx(r.pvalue)


def test_a_rejecting_stage_always_rejects():
    """p = share * level exactly, whatever the rounding."""
    for share in np.linspace(0.01, 0.99, 99):
        for level in (0.05, 0.01, 0.001, 0.1):
            r = cascade_test(X, Y, first=fixed(share * level), second=fixed(1.0), share=share, level=level)
            assert r.rejected
            assert "not needed" in r.notes[0]


def test_the_means_differ():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(100, 3)), rng.normal(1.0, size=(80, 3))
    r = cascade_test(x, y, rng=0)
    alone = hotelling_test(x, y, null="permutation")
    assert r.test == "Cascade, decided by stage 1 (Hotelling T² test)"
    assert r.statistic == alone.statistic
    assert r.pvalue == pytest.approx(2 * alone.pvalue) == pytest.approx(0.002)
    assert r.rejected
    assert r.kernel is None


def test_only_the_spread_differs():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 2))
    y = 2 * (x - x.mean(axis=0)) + x.mean(axis=0)  # the same mean exactly
    r = cascade_test(x, y, rng=0)
    assert r.test == "Cascade, decided by stage 2 (MMD two-sample test)"
    assert r.pvalue == pytest.approx(0.002)
    assert r.rejected == (r.statistic > r.threshold)
    assert isinstance(r.kernel, ts.Gaussian)
    assert "Hotelling" in r.notes[0]


def test_the_linear_statistic_looks_at_each_row_once():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(4000, 2)), 2 * rng.normal(size=(4000, 2))
    y -= y.mean(axis=0) - x.mean(axis=0)
    r = cascade_test(x, y, second="mmd-linear", rng=0)
    assert r.symbol == "MMD²_l"
    assert r.rejected


def test_tests_of_ones_own():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), rng.laplace(size=(60, 2)) * 2
    r = cascade_test(
        x, y, first=partial(hotelling_test, null=ts.Permutation(n=199)),
        second=partial(ts.mmd_test, kernel="laplace", null="spectrum"), rng=0,
    )  # fmt: skip
    assert isinstance(r.kernel, ts.Laplace) or r.kernel is None
    assert cascade_test(x, y, first=partial(ts.mmd_test, kernel="linear"), rng=0).pvalue > 0


def test_too_few_relabellings_for_a_share():
    """19 are enough for 0.05 and too few for its half."""
    second = partial(ts.mmd_test, null=ts.Permutation(n=19))
    x = np.random.default_rng(4).normal(size=(20, 2))
    with pytest.raises(ts.OptionError, match="n=39"):
        cascade_test(x, x[::-1], second=second)


@pytest.mark.parametrize("option", [{"first": "t"}, {"second": "ks"}, {"first": None}, {"second": 3}])
def test_unknown_stages(option):
    with pytest.raises(ts.OptionError, match=next(iter(option))):
        cascade_test(X, Y, **option)


@pytest.mark.parametrize("share", [0, 1, -0.5, "half", None, True, np.nan])
def test_bad_shares(share):
    with pytest.raises(ts.OptionError, match="share"):
        cascade_test(X, Y, share=share)


@pytest.mark.parametrize("value", [None, True, "a", np.complex128(0.5), 10**400, np.nan, np.inf, [0.5], 0, -1])
def test_shares_that_are_none(value):
    x = np.arange(12.0)
    with pytest.raises(ts.OptionError, match="share="):
        cascade_test(x, x, share=value)


def test_stages_that_are_no_tests():
    x = np.arange(12.0)
    with pytest.raises(ts.OptionError, match="first="):
        cascade_test(x, x, first=int)
    with pytest.raises(ts.OptionError, match="returned float"):
        cascade_test(x, x, first=lambda x, y, level, rng: 0.5)


def test_heavy_tails_of_unequal_samples_keep_the_level():
    """With the F law as its first stage the cascade rejected 13 % of these."""
    found = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x, y = rng.standard_cauchy((30, 2)), rng.standard_cauchy((300, 2))
        found.append(cascade_test(x, y, rng=seed).pvalue)
    assert np.mean(np.array(found) <= 0.05) <= 0.09  # 99.9 % of 300 tests at that level


def test_many_rows_take_the_f_law_and_low_levels_enough_relabellings():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(9000, 2)), rng.normal(1.0, size=(9000, 2))
    assert cascade_test(x, y).null.name == "f"
    assert cascade_test(x[:100], y[:100], level=0.001, rng=0).null.n == 20_000
