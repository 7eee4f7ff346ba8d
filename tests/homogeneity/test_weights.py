"""Weights of rows: by the definition, the same as repeated rows, in every engine; both nulls keep their level."""

import numpy as np
import pytest

import twosample as ts
from tests.level.measure import limits

KERNEL = ts.Gaussian(0.8)
ENGINES = [ts.Dense(), ts.Tiled(tile=16), ts.Fourier(), ts.LowRank(tolerance=1e-9)]


def samples(seed=0, m=30, n=24):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, 1)), rng.normal(size=(n, 1)) + 0.3, rng.uniform(0.2, 3, m), rng.uniform(0.2, 3, n)


def naive_weighted(x, y, a, b, biased):
    """The weighted estimate of MMD² from double sums, of the kernel seen from the weighted mean of the pool."""
    z, a, b = np.concatenate([x, y]), a / a.mean(), b / b.mean()
    w, m = np.concatenate([a, b]), len(a)
    K = KERNEL.block(z, z)
    means = K @ w / w.sum()
    K = K - means - means[:, None] + w @ means / w.sum()

    def own(K, w):
        K = K * np.outer(w, w)
        return K.sum() / w.sum() ** 2 if biased else (K.sum() - np.trace(K)) / (w.sum() ** 2 - w @ w)

    return own(K[:m, :m], a) + own(K[m:, m:], b) - 2 * a @ K[:m, m:] @ b / (a.sum() * b.sum())


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_the_estimate_is_that_of_the_definition(engine):
    x, y, a, b = samples()
    options = {"kernel": KERNEL, "engine": engine, "weights_x": a, "weights_y": b}
    unbiased, biased = (ts.mmd(x, y, statistic=s, **options) for s in ("unbiased", "biased"))
    assert unbiased == pytest.approx(naive_weighted(x, y, a, b, False), abs=1e-7)
    assert biased**2 == pytest.approx(naive_weighted(x, y, a, b, True), abs=1e-7)
    for statistic, value in (("unbiased", unbiased), ("biased", biased)):
        r = ts.mmd_test(x, y, statistic=statistic, null=ts.Permutation(99), rng=0, **options)
        assert r.statistic == pytest.approx(value, abs=1e-9)
        r = ts.mmd_test(x, y, statistic=statistic, null=ts.WildBootstrap(memory=0, n=99), rng=0, **options)
        assert r.statistic == pytest.approx(value, abs=1e-6)


def test_every_engine_gives_the_same_pvalue():
    x, y, a, b = samples(1)
    found = [
        ts.mmd_test(x, y, kernel=KERNEL, engine=engine, weights_x=a, weights_y=b, rng=0).pvalue for engine in ENGINES
    ]
    assert len(set(found)) == 1


@pytest.mark.parametrize("scale", [1, 2.5])
@pytest.mark.parametrize("null", ["permutation", "spectrum", "wild"])
def test_equal_weights_change_nothing(scale, null):
    x, y, *_ = samples()
    plain = ts.mmd_test(x, y, null=null, rng=0)
    same = ts.mmd_test(x, y, null=null, weights_x=np.full(30, scale), weights_y=np.ones(24), rng=0)
    assert (same.statistic, same.pvalue, same.threshold) == (plain.statistic, plain.pvalue, plain.threshold)


def test_a_weight_of_two_is_the_row_twice_in_the_biased_estimate():
    x, y, *_ = samples()
    a = np.where(np.arange(30) < 5, 2, 1)
    twice = ts.mmd(np.concatenate([x, x[:5]]), y, kernel=KERNEL, statistic="biased")
    assert ts.mmd(x, y, kernel=KERNEL, statistic="biased", weights_x=a) == pytest.approx(twice, rel=1e-12)


def test_a_weight_of_zero_leaves_the_row_out():
    x, y, a, b = samples()
    a[:3] = 0
    some = ts.mmd_test(x[3:], y, kernel=KERNEL, weights_x=a[3:], weights_y=b, rng=0)
    with_zeros = ts.mmd_test(x, y, kernel=KERNEL, weights_x=a, weights_y=b, rng=0)
    assert (with_zeros.statistic, with_zeros.pvalue, with_zeros.m) == (some.statistic, some.pvalue, 27)


def test_the_effective_sizes_are_shown():
    x, y, a, b = samples()
    r = ts.mmd_test(x, y, weights_x=a, weights_y=b, rng=0)
    assert f"{a.sum() ** 2 / (a**2).sum():.5g}" in r.notes[0]
    assert f"{b.sum() ** 2 / (b**2).sum():.5g}" in r.notes[1]


def test_weights_of_a_design_undo_a_selection():
    """Rows above 0 were taken twice as often in x: weights of 1/2 make the samples alike again."""
    rng = np.random.default_rng(3)
    z = rng.normal(size=3000)
    x = z[rng.random(3000) < np.where(z > 0, 0.5, 0.25)]
    y = rng.normal(size=800)
    a = np.where(x > 0, 1.0, 2.0)
    assert ts.mmd_test(x, y, rng=0).pvalue <= 0.01
    assert ts.mmd_test(x, y, weights_x=a, null=ts.WildBootstrap(memory=0), rng=0).pvalue > 0.05


def _pvalues(repetitions, null, design):
    p = np.empty(repetitions)
    for i in range(repetitions):
        rng = np.random.default_rng([7, i])
        if design:  # x was drawn by its value, and weights mend it; y was not
            z = rng.normal(size=400)
            x = z[rng.random(400) < np.where(z > 0, 0.4, 0.2)]
            y, a, b = rng.normal(size=100), np.where(x > 0, 1.0, 2.0), np.ones(100)
        else:
            x, y = rng.normal(size=60), rng.normal(size=60)
            a, b = np.exp(0.5 * x + rng.normal(size=60)), np.exp(0.5 * y + rng.normal(size=60))
        p[i] = ts.mmd_test(x, y, bandwidth=1.0, weights_x=a, weights_y=b, null=null, rng=[7, i, 1]).pvalue
    return p


@pytest.mark.parametrize("design", [False, True])
def test_level_small(design):
    null = ts.WildBootstrap(memory=0, n=99) if design else ts.Permutation(99)
    p = _pvalues(150, null, design)
    assert (p <= 0.05).mean() <= limits(0.05, len(p), 0.9999)[1]


@pytest.mark.slow
@pytest.mark.parametrize("design", [False, True])
def test_level(design):
    null = ts.WildBootstrap(memory=0, n=199) if design else ts.Permutation(199)
    p = _pvalues(1000, null, design)
    low, high = limits(0.05, len(p), 0.99)
    assert low <= (p <= 0.05).mean() <= high


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([-1.0] + [1.0] * 29, "weights_x has 1 negative"),
        ([np.nan] + [1.0] * 29, "weights_x has 1 missing"),
        ([np.inf] + [1.0] * 29, "weights_x has 1 infinite"),
        ([0.0] * 30, "weights_x is 0 for every row"),
        ([0.0] * 29 + [1.0], "weights_x is 0 for all rows but one"),
        ([1.0] * 29, r"weights_x has shape \(29,\)"),
        (["a"] * 30, "weights_x must hold one number"),
        ([None] + [1.0] * 29, "weights_x"),
    ],
)
def test_bad_weights_are_named(bad, message):
    x, y, *_ = samples()
    with pytest.raises(ts.InputError, match=message):
        ts.mmd_test(x, y, weights_x=bad)


@pytest.mark.parametrize(
    "options", [{"null": "spectrum"}, {"null": "bootstrap"}, {"statistic": "linear"}, {"kernel": "adaptive"}]
)
def test_what_takes_no_weights_says_so(options):
    x, y, a, b = samples()
    with pytest.raises(ts.OptionError, match="weights_x and weights_y"):
        ts.mmd_test(x, y, weights_x=a, weights_y=b, **options)
