"""Weights of rows: by the definition, the same as repeated rows, in every engine; both nulls keep their level."""

from itertools import combinations, product

import numpy as np
import pytest

import twosample as ts
from twosample.nulls.memory import Process, studentised

KERNEL = ts.Gaussian(0.8)
ENGINES = [ts.Dense(), ts.Tiled(tile=16), ts.Fourier(), ts.LowRank(tolerance=1e-9)]


def samples(seed=0, m=30, n=24):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, 1)), rng.normal(size=(n, 1)) + 0.3, rng.uniform(0.2, 3, m), rng.uniform(0.2, 3, n)


def naive_weighted(x, y, a, b, biased):
    """The weighted estimate of MMD² from double sums, of the kernel seen from the weighted mean of the pool."""
    z, w, m = np.concatenate([x, y]), np.concatenate([a, b]), len(a)
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
    null, a, b = ts.WildBootstrap(memory=0, n=99), a / a.mean(), b / b.mean()  # here each sample has its own scale
    r = ts.mmd_test(x, y, null=null, rng=0, **options)
    assert r.statistic == pytest.approx(naive_weighted(x, y, a, b, False), abs=1e-6)


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


def labelled(w, labels):
    """The weights of the rows of either sample, whose labels are 1 and 0."""
    return w[labels == 1], w[labels == 0]


def every_labelling(of_row, m):
    """Labels of all relabellings within strata, the truth first, one by one."""
    truth = (np.arange(len(of_row)) < m).astype(int)
    choices = []
    for s in np.unique(of_row):
        rows = np.flatnonzero(of_row == s)
        choices.append([rows[list(c)] for c in combinations(range(len(rows)), int(truth[rows].sum()))])
    found = []
    for chosen in product(*choices):
        labels = np.zeros(len(of_row), dtype=int)
        labels[np.concatenate(chosen)] = 1
        found.append(labels)
    return sorted(found, key=lambda labels: not (labels == truth).all())


@pytest.mark.parametrize("biased", [False, True])
def test_the_pvalue_is_that_of_all_labellings_with_weights_as_they_stand(biased):
    """Rows move with the weights that were given; nothing scales them by sample before."""
    rng = np.random.default_rng(5)
    x, y, w = rng.normal(size=(4, 1)), rng.normal(size=(3, 1)) + 1, rng.uniform(0.2, 3, 7)
    z = np.concatenate([x, y])
    values = [
        naive_weighted(z[v == 1], z[v == 0], *labelled(w, v), biased)
        for v in every_labelling(np.zeros(7, dtype=int), 4)
    ]
    r = ts.mmd_test(
        x,
        y,
        kernel=KERNEL,
        statistic="biased" if biased else "unbiased",
        weights_x=w[:4],
        weights_y=w[4:],
        level=0.2,
        rng=0,
    )
    assert r.law.exhaustive
    found = r.law.values**2 if biased else r.law.values
    assert sorted(found) == pytest.approx(sorted(values), abs=1e-12)
    assert r.pvalue == np.mean(np.array(values) >= values[0] - 1e-12)


def naive_stratified(K, w, of_row, v, biased):
    """The statistic of strata with weights, from double sums over the kernel seen from the weighted mean of each."""
    shared, each, total, count, parts = 0.0, 0.0, 0.0, 0, []
    for s in np.unique(of_row):
        i, j = np.flatnonzero((of_row == s) & (v == 1)), np.flatnonzero((of_row == s) & (v == 0))
        if not len(i) or not len(j):
            continue
        rows, X, Y = np.concatenate([i, j]), w[i].sum(), w[j].sum()
        means = K[:, rows] @ w[rows] / w[rows].sum()
        C = K - means - means[:, None] + w[rows] @ means[rows] / w[rows].sum()
        contrast = np.zeros(len(w))
        contrast[i], contrast[j] = w[i] / X, -w[j] / Y
        square, h = contrast @ K @ contrast, X * Y / (X + Y)
        own = square
        if not biased:

            def mean(p, C=C):
                weights = np.outer(w[p], w[p]) * (1 - np.eye(len(p)))
                return (C[np.ix_(p, p)] * weights).sum() / weights.sum() if len(p) > 1 else None

            both = mean(rows)
            own = sum(both if (part := mean(p)) is None else part for p in (i, j))
            own -= 2 * w[i] @ C[np.ix_(i, j)] @ w[j] / (X * Y)
        shared, each, total, count = shared + h**2 * (own - square), each + h * own, total + h, count + 1
        parts.append(h * contrast)
    together = sum(parts)
    return 0.5 * ((shared + together @ K @ together) / total**2 + each / (np.sqrt(count) * total))


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("engine", ["dense", "tiled"])
def test_strata_with_weights_are_those_of_all_labellings(biased, engine):
    rng = np.random.default_rng(6)
    of_row, m = np.array([0, 0, 1, 1, 0, 0, 1, 2]), 4
    z, w = rng.normal(size=(8, 1)), rng.uniform(0.2, 3, 8)
    K, statistic = KERNEL.block(z, z), "biased" if biased else "unbiased"
    values = [naive_stratified(K, w, of_row, v, biased) for v in every_labelling(of_row, m)]
    r = ts.mmd_test(
        z[:m], z[m:], kernel=KERNEL, statistic=statistic, weights_x=w[:m], weights_y=w[m:], level=0.2, engine=engine,
        null=ts.StratifiedPermutation(of_row[:m], of_row[m:]), rng=0,
    )  # fmt: skip
    assert r.law.exhaustive
    found = r.law.values**2 if biased else r.law.values
    assert sorted(found) == pytest.approx(sorted(values), abs=1e-12)
    assert r.pvalue == np.mean(np.array(values) >= values[0] - 1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("strata", [1, 2])
def test_groups_within_strata_are_points_with_the_mean_of_their_rows(weighted, strata):
    rng = np.random.default_rng(7)
    groups = np.array([0, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 6])
    of_group, m = np.arange(7) % strata, 6
    z, w = rng.normal(size=(12, 1)), rng.uniform(0.2, 3, 12) if weighted else np.ones(12)
    A = (groups[:, None] == np.arange(7)) * w[:, None]
    masses, K = A.sum(axis=0), KERNEL.block(z, z)
    units = A.T @ K @ A / np.outer(masses, masses)
    by = of_group[groups]
    options = {"weights_x": w[:m], "weights_y": w[m:]} if weighted else {}
    null = ts.GroupPermutation(groups[:m], groups[m:], by_x=by[:m], by_y=by[m:])
    r = ts.mmd_test(z[:m], z[m:], kernel=KERNEL, null=null, level=0.2, rng=0, **options)
    plain = ts.mmd_test(z[:m], z[m:], kernel=KERNEL, null=ts.GroupPermutation(groups[:m], groups[m:]), level=0.2, rng=0)
    if strata == 1 and not weighted:
        assert (r.statistic, r.pvalue) == (plain.statistic, plain.pvalue)
        return
    values = [naive_stratified(units, masses, of_group, v, False) for v in every_labelling(of_group, 3)]
    assert r.law.exhaustive
    assert sorted(r.law.values) == pytest.approx(sorted(values), abs=1e-12)
    assert r.pvalue == np.mean(np.array(values) >= values[0] - 1e-12)


def test_weights_of_zero_take_their_strata_and_groups_along():
    x, y, a, b = samples()
    by, groups = np.arange(30) % 3, np.arange(30) // 2
    a[[0, 7, 8]] = 0
    left = a > 0
    y_by, y_groups = by[:24], 100 + groups[:24]
    for null in (
        lambda some: ts.StratifiedPermutation(by[some], y_by),
        lambda some: ts.GroupPermutation(groups[some], y_groups),
        lambda some: ts.GroupPermutation(groups[some], y_groups, by_x=groups[some] % 2, by_y=y_groups % 2),
    ):
        whole = ts.mmd_test(x, y, kernel=KERNEL, weights_x=a, weights_y=b, null=null(slice(None)), rng=0)
        some = ts.mmd_test(x[left], y, kernel=KERNEL, weights_x=a[left], weights_y=b, null=null(left), rng=0)
        assert (whole.statistic, whole.pvalue) == (some.statistic, some.pvalue)
    with pytest.raises(ts.InputError, match=r"PairFlips.*weight of 0"):
        ts.mmd_test(x[:24], y, weights_x=a[:24], null=ts.PairFlips())


def test_weights_on_two_scales_are_told():
    x, y, a, b = samples()
    told = [
        any("one scale" in note for note in ts.mmd_test(x, y, weights_x=a * scale, weights_y=b, rng=0, null=null).notes)
        for scale, null in ((1, None), (50, None), (50, ts.WildBootstrap(memory=0)))
    ]
    assert told == [False, True, False]


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


def seen_from_means(z, w, m):
    """Kernel values of rows, each seen from the weighted mean of its own sample, from explicit differences."""
    N = len(z)
    P = np.zeros((N, N))  # row i: the shares of the sample of i
    P[:m, :m], P[m:, m:] = w[:m] / w[:m].sum(), w[m:] / w[m:].sum()
    D = np.eye(N) - P
    return D @ KERNEL.block(z, z) @ D.T


def two_laws(x, y, a, b, biased, count, rng):
    """Resamples by each sample's variance and by one for both, from sums over pairs of different rows."""
    m, z, w = len(x), np.concatenate([x, y]), np.concatenate([a / a.mean(), b / b.mean()])
    K, parts = seen_from_means(z, w, m), [slice(0, m), slice(m, len(z))]
    sums, sizes = [w[p].sum() for p in parts], np.array([w[p].sum() ** 2 / (w[p] @ w[p]) for p in parts])
    processes = [Process(len(w[p]), 1.0, 0.0) for p in parts]
    W, first, second = np.concatenate([process.draw(count, rng) for process in processes]), [], []
    factors = [1 / (S**2 if biased else S**2 - w[p] @ w[p]) for S, p in zip(sums, parts, strict=True)]
    coefficients = np.full((len(z), len(z)), -1 / (sums[0] * sums[1]))
    for p, factor in zip(parts, factors, strict=True):
        W[p] -= w[p] @ W[p] / w[p].sum()
        coefficients[p, p] = factor
    own = [f * (w[p] ** 2 * K.diagonal()[p]).sum() for p, f in zip(parts, factors, strict=True)]
    for world in W.T:
        c = w * world
        first.append((coefficients * np.outer(c, c) * K * (1 - np.eye(len(z)))).sum())
    degrees = (1 / sizes).sum() ** 2 / sum(1 / (n**2 * q.degrees) for n, q in zip(sizes, processes, strict=True))
    mean = sum(part * process.own for part, process in zip(own, processes, strict=True))
    first = studentised(np.array(first), mean, degrees, rng) - (0 if biased else sum(own))

    degrees = sizes.sum() - 2
    share = np.concatenate([w[p] / w[p].sum() * n for p, n in zip(parts, sizes, strict=True)])
    s = np.sqrt(share * (1 / sizes).sum() / degrees)
    for e in rng.normal(size=(len(z), count)).T:
        second.append((np.outer(s * e, s * e) * K * (1 - np.eye(len(z)))).sum())
    second = studentised(np.array(second), s**2 @ K.diagonal(), degrees, rng)
    d = np.concatenate([a / a.sum(), -b / b.sum()])
    return first, second, d @ KERNEL.block(z, z) @ d


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("spread", [0.1, 1.0])
def test_a_design_has_two_laws_and_the_larger_pvalue(biased, spread):
    """A small sample that hardly varies is judged by one covariance for both, another one by its own."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(25, 1)) * (1.1 - spread) + 0.3, rng.normal(size=(8, 1)) * spread
    a, b = rng.uniform(0.2, 3, 25), rng.uniform(0.2, 3, 8)
    r = ts.mmd_test(
        x, y, kernel=KERNEL, statistic="biased" if biased else "unbiased", weights_x=a, weights_y=b, rng=4,
        null=ts.WildBootstrap(memory=0, n=99),
    )  # fmt: skip
    first, second, square = two_laws(x, y, a, b, biased, 99, np.random.default_rng(4))
    T = naive_weighted(x, y, a / a.mean(), b / b.mean(), biased)
    pvalues = [(1 + np.sum(first >= T)) / 100, (1 + np.sum(second >= square)) / 100]
    assert (pvalues[1] > pvalues[0]) == (spread < 1)
    assert r.pvalue == pytest.approx(max(pvalues))
    expected = second - (square - T) if spread < 1 else first
    expected = np.sqrt(np.maximum(expected, 0)) if biased else expected
    assert r.law.values[1:] == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert r.rejected == (r.statistic > r.threshold)


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
