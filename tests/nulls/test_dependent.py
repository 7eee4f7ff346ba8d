"""Nulls for dependent rows: the wild bootstrap, groups, pairs; against definitions, and their levels."""

from decimal import Decimal
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.signal import lfilter

import twosample as ts
from tests import naive
from twosample.embedding.rows import EmbeddedRows
from twosample.nulls.memory import Process, block_length, kernel_memory, studentised

KERNEL = ts.Gaussian(1.0)


def series(phi, size, rng):
    """An autoregression with unit variance."""
    return lfilter([1], [1, -phi], rng.normal(size=size + 100))[100:] * np.sqrt(1 - phi**2)


def rejections(draw, null, runs, **options):
    count = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        count += ts.mmd_test(*draw(rng), kernel=KERNEL, null=null, rng=rng, **options).rejected
    return count / runs


# --- time series ------------------------------------------------------------------------------------------------


def dense(size, block, correlation):
    """tr(PRPC), 1'C1 and tr((PRPC)²) of the weights and of an autoregression, with whole matrices."""
    lags = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    R, C, P = np.exp(-lags / block), np.power(float(correlation), lags), np.eye(size) - 1 / size
    A = P @ R @ P @ C
    return np.trace(A), C.sum(), np.trace(A @ A), np.trace(P @ R @ P) / size


@pytest.mark.parametrize(("size", "block", "correlation"), [(30, 1.0, 0.0), (50, 4.0, 0.5), (120, 15.0, 0.9)])
def test_the_weights_are_scaled_to_the_memory(size, block, correlation):
    """Their mean square, their correlations, and the mean of a quadratic form over series and worlds."""
    process = Process(size, block, correlation)
    mean, truth, square, own = dense(size, block, correlation)
    scale = truth / mean
    assert process.own == pytest.approx(scale * own)
    assert process.degrees == pytest.approx(mean**2 / square, rel=0.08)
    W = process.draw(20_000, np.random.default_rng(0))
    assert np.abs(W.sum(axis=0)).max() < 1e-9
    assert (W**2).mean() == pytest.approx(process.own, rel=0.03)
    C = np.power(correlation, np.abs(np.subtract.outer(np.arange(size), np.arange(size))))
    assert np.einsum("ir,ij,jr->r", W, C, W).mean() == pytest.approx(truth, rel=0.05)
    long = Process(2000, 5.0, 0.0).draw(200, np.random.default_rng(0))
    assert (long[1:] * long[:-1]).mean() == pytest.approx(np.exp(-1 / 5), abs=0.02)


def test_studentised_is_f():
    """In one direction, chi-square becomes F with (1, degrees) degrees of freedom; in very many nothing changes."""
    rng = np.random.default_rng(0)
    one = rng.chisquare(1, size=200_000)
    found = studentised(one - 1, 1.0, 8.0, rng)
    assert np.mean(found >= stats.f.isf(0.05, 1, 8)) == pytest.approx(0.05, abs=0.003)
    many = rng.chisquare(1000, size=2000) / 1000 - 1
    assert np.quantile(studentised(many, 1.0, 8.0, rng), 0.95) == pytest.approx(np.quantile(many, 0.95) + 1, abs=0.02)
    assert studentised(np.zeros(3), 0.5, 8.0, rng) == pytest.approx([0.5] * 3)


def loops_over_pairs(W, samples, k, world):
    """The sum without i = j, the same of the squared weights alone, with the kernel centred within each sample."""

    def centred(a, i, b, j):
        one, two = samples[a], samples[b]
        return (
            k(one[i], two[j])
            - np.mean([k(p, two[j]) for p in one])
            - np.mean([k(one[i], q) for q in two])
            + np.mean([k(p, q) for p in one for q in two])
        )

    within = []
    for a in (0, 1):
        rows = range(len(samples[a]))
        within.append(sum(W[a][i, world] * W[a][j, world] * centred(a, i, a, j) for i in rows for j in rows if i != j))
    rows = [range(len(sample)) for sample in samples]
    across = np.mean([[W[0][i, world] * W[1][j, world] * centred(0, i, 1, j) for j in rows[1]] for i in rows[0]])
    return within, across, [sum(centred(a, i, a, i) for i in range(len(samples[a]))) for a in (0, 1)]


def law_of_one_covariance(samples, k, memory, count, rng):
    """Squared distances of normal vectors with one covariance, from double loops over the kernel centred by sample."""
    rows = [(a, i) for a, sample in enumerate(samples) for i in range(len(sample))]
    means = [[np.mean([k(p, z) for p in sample]) for sample in samples] for z in np.concatenate(samples)]
    between = [[np.mean([k(p, q) for p in one for q in two]) for two in samples] for one in samples]
    K = np.array([
        [k(samples[a][i], samples[b][j]) - means[v][a] - means[u][b] + between[a][b] for v, (b, j) in enumerate(rows)]
        for u, (a, i) in enumerate(rows)
    ])  # fmt: skip
    degrees = len(rows) * (1 - memory) / (1 + memory) - 2
    K *= sum(1 / len(sample) for sample in samples) / degrees
    off = [e @ K @ e - K.diagonal() @ e**2 for e in rng.normal(size=(len(rows), count)).T]
    return studentised(np.array(off), K.trace(), degrees, rng)


@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
@pytest.mark.parametrize(("spreads", "shift", "larger"), [((2.0, 0.1), 0.5, 1), ((0.3, 1.0), 1.0, 0)])
def test_the_wild_bootstrap_is_its_definition(statistic, spreads, shift, larger):
    """The same weights, by double loops over the kernel; and the law of one covariance where its p-value is larger."""
    rng = np.random.default_rng(0)
    x, y = (scale * rng.normal(size=(rows, 1)) for scale, rows in zip(spreads, (9, 7), strict=True))
    y += shift
    null = ts.WildBootstrap(block=2.0, n=19, memory=0.3)
    r = ts.mmd_test(x, y, kernel=KERNEL, null=null, statistic=statistic, level=0.5, rng=4)
    random, k, biased = np.random.default_rng(4), naive.of(KERNEL), statistic == "biased"
    processes = [Process(size, 2.0, 0.3) for size in (9, 7)]
    W = [process.draw(19, random) for process in processes]
    off, own, less = [], 0.0, 0.0
    for world in range(19):
        within, across, selves = loops_over_pairs(W, (x, y), k, world)
        divisors = [size**2 if biased else size * (size - 1) for size in (9, 7)]
        off.append(within[0] / divisors[0] + within[1] / divisors[1] - 2 * across)
        own = sum(s * process.own / d for s, process, d in zip(selves, processes, divisors, strict=True))
        less = 0.0 if biased else sum(s / d for s, d in zip(selves, divisors, strict=True))
    degrees = (1 / 9 + 1 / 7) ** 2 / sum(1 / (p.size**2 * p.degrees) for p in processes)
    square = naive.mmd_biased(x, y, k) ** 2
    truth = square if biased else naive.mmd2_unbiased(x, y, k)
    first = studentised(np.array(off), own, degrees, random) - less
    second = law_of_one_covariance((x, y), k, 0.3, 19, random) - (square - truth)
    pvalues = [(1 + np.sum(law >= truth)) / 20 for law in (first, second)]
    assert (pvalues[1] > pvalues[0]) == (larger == 1)
    assert r.pvalue == pytest.approx(max(pvalues))
    expected = (first, second)[larger]
    expected = np.sqrt(np.maximum(expected, 0)) if biased else expected
    assert r.law.values[1:] == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert r.law.values[0] == pytest.approx(np.sqrt(truth) if biased else truth, rel=1e-10)


def test_rows_with_features_have_the_same_two_laws():
    """What `compare` asks of features is what `mmd_test` asks of a linear kernel."""
    rng = np.random.default_rng(1)
    for scales in ((2.0, 0.1), (1.0, 1.0)):
        x, y = (scale * rng.normal(size=(rows, 3)) for scale, rows in zip(scales, (30, 20), strict=True))
        null = ts.WildBootstrap(block=2.0, n=99, memory=0.3)
        r = ts.mmd_test(x, y, kernel="linear", null=null, rng=5)
        law = null.judged(EmbeddedRows(np.concatenate([x, y]), 30, np.random.default_rng(5))).law
        assert law.values == pytest.approx(r.law.values, rel=1e-8)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_the_memory_is_found(phi):
    """With a linear kernel the memory is that of the series itself; the block grows with it."""
    kernel = ts.Linear()
    found = [kernel_memory(series(phi, 1000, np.random.default_rng(s))[:, None], kernel) for s in range(20)]
    assert np.median(found) == pytest.approx(phi, abs=0.05)


def test_the_best_block():
    """(n (Σ|k|c_k / Σc_k)²)^(1/3), by sums, and its limits."""
    lags = np.arange(1, 200)
    ratio = 2 * (lags * 0.7**lags).sum() / (1 + 2 * (0.7**lags).sum())
    assert block_length(1000, 0.7) == pytest.approx((1000 * ratio**2) ** (1 / 3))
    assert block_length(1000, 0.0) == 1
    assert block_length(40, 0.98) == 10
    assert block_length(2, 0.9) == 1


def test_the_memory_of_tiny_constant_and_straight_series():
    assert kernel_memory(np.zeros((50, 1)), KERNEL) == 0
    assert kernel_memory(np.arange(4.0)[:, None], KERNEL) == 0
    assert 0.9 < kernel_memory(np.arange(100.0)[:, None], ts.Gaussian(20.0)) < 1


def test_the_level_on_series_in_small():
    """Memory 0.5: relabelling rows rejects far too often, the wild bootstrap about as often as it should."""

    def draw(rng):
        return series(0.5, 100, rng), series(0.5, 100, rng)

    assert rejections(draw, "gamma", 100) > 0.15
    assert rejections(draw, ts.WildBootstrap(n=99), 100) < 0.13


def test_the_wild_bootstrap_finds_a_difference():
    rng = np.random.default_rng(0)
    r = ts.mmd_test(series(0.5, 300, rng), series(0.5, 250, rng) + 1, null="wild", rng=0)
    assert r.rejected
    assert r.null.block > 2
    assert (r.null.n, len(r.law.values)) == (999, 1000)


def test_many_columns_cost_no_power():
    """The correction for an estimated variance counts directions: with very many of them it does nothing."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 300)), rng.normal(size=(60, 300)) + 0.25
    assert ts.mmd_test(x, y, null="wild", rng=0).rejected
    wild, exact = (ts.mmd_test(x, y, null=null, rng=0) for null in (ts.WildBootstrap(memory=0), "permutation"))
    assert wild.threshold == pytest.approx(exact.threshold, rel=0.25)


@pytest.mark.parametrize("phi", [0.5, 0.8])
def test_many_columns_do_not_stretch_the_memory(phi):
    """In 200 columns a row is nearer to its neighbours than to all others; that is no memory of its own."""
    x = lfilter([1], [1, -phi], np.random.default_rng(0).normal(size=(260, 200)), axis=0)[100:]
    assert kernel_memory(x, ts.Gaussian(20.0)) == pytest.approx(phi, abs=0.05)


def test_short_series_get_a_note():
    rng = np.random.default_rng(0)
    short = [series(0.9, 80, rng), series(0.9, 80, rng)]
    assert any("short for their memory: 80 rows" in note for note in ts.mmd_test(*short, null="wild", rng=0).notes)
    long = [series(0.9, 800, rng), series(0.9, 800, rng)]
    assert not ts.mmd_test(*long, null="wild", rng=0).notes
    assert ts.mmd_test(*long, null=ts.WildBootstrap(memory=0.98), rng=0).notes


@pytest.mark.parametrize("memory", [-0.1, 1.0, "x", np.nan])
def test_a_memory_that_is_none(memory):
    with pytest.raises(ts.OptionError, match="memory="):
        ts.WildBootstrap(memory=memory)


# --- groups -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
def test_group_labellings_by_enumeration(statistic):
    """Groups of unequal sizes: all labellings, each with its own m and n."""
    rng = np.random.default_rng(1)
    z, groups = rng.normal(size=(13, 2)), list("aaabbbbccddde")
    m = 7  # a and b are x
    names, k = ["a", "b", "c", "d", "e"], naive.of(KERNEL)
    estimate = naive.mmd2_unbiased if statistic == "unbiased" else naive.mmd_biased
    values = []
    for chosen in combinations(names, 2):
        inside = [g in chosen for g in groups]
        values.append(
            estimate(
                [p for p, i in zip(z, inside, strict=True) if i],
                [p for p, i in zip(z, inside, strict=True) if not i],
                k,
            )
        )
    null = ts.GroupPermutation(groups[:m], groups[m:])
    r = ts.mmd_test(z[:m], z[m:], kernel=KERNEL, null=null, statistic=statistic, level=0.2)
    assert r.law.exhaustive
    assert np.sort(r.law.values) == pytest.approx(np.sort(values), rel=1e-9)
    assert r.pvalue == np.mean(np.array(values) >= values[0] - 1e-12)


def test_engines_agree_on_groups():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(120, 1)), rng.normal(size=(90, 1)) + 0.3
    null = ts.GroupPermutation(np.arange(120) // 10, 100 + np.arange(90) // 7)
    values = [
        ts.mmd_test(x, y, kernel=KERNEL, null=null, engine=engine, rng=0).law.values for engine in ("dense", "fourier")
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_the_level_with_groups():
    """Rows of a group share most of their value: relabelling rows fails, relabelling groups does not."""
    groups = np.repeat(np.arange(24), 8)

    def draw(rng):
        z = rng.normal(size=24)[groups] + 0.3 * rng.normal(size=192)
        return z[:96], z[96:]

    assert rejections(draw, "gamma", 80) > 0.4
    assert rejections(draw, ts.GroupPermutation(groups[:96], groups[96:], n=99), 80) < 0.14


def test_groups_that_do_not_fit():
    x = np.arange(6.0)
    with pytest.raises(ts.InputError, match="belongs to one sample"):
        ts.GroupPermutation([1, 1, 2], [2, 3, 3])
    with pytest.raises(ts.InputError, match="groups for 3 and 3 rows"):
        ts.mmd_test(x, x, null=ts.GroupPermutation([1, 1, 2], [3, 3, 4]))
    with pytest.raises(ts.InputError, match="statistic='biased'"):
        ts.mmd_test(x[:3], x[:3], null=ts.GroupPermutation([1, 1, 1], [2, 3, 3], n=99), level=0.5)
    assert repr(ts.GroupPermutation(list("aab"), list("cdd"))) == "GroupPermutation(n=999)"


# --- pairs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
def test_pair_flips_by_enumeration(statistic):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(6, 1))
    y = x + 0.4 + 0.1 * rng.normal(size=(6, 1))
    k = naive.of(KERNEL)
    estimate = naive.mmd2_unbiased if statistic == "unbiased" else naive.mmd_biased
    expected = naive.swap_pvalue(list(x), list(y), lambda a, b: estimate(a, b, k))
    r = ts.mmd_test(x, y, kernel=KERNEL, null=ts.PairFlips(), statistic=statistic)
    assert r.law.exhaustive
    assert r.pvalue == pytest.approx(float(expected))


def test_pairs_need_equal_sizes():
    with pytest.raises(ts.InputError, match="needs pairs"):
        ts.mmd_test(np.arange(5.0), np.arange(6.0), null=ts.PairFlips())


def test_the_level_with_pairs():
    def fair(rng):
        common = rng.normal(size=60)
        return common + 0.3 * rng.normal(size=60), common + 0.3 * rng.normal(size=60)

    assert rejections(fair, ts.PairFlips(99), 80) < 0.14
    assert rejections(fair, "gamma", 80) < 0.02  # relabelling rows sees pairs as noise: no power at all


def test_a_block_as_long_as_the_series_is_refused():
    x = np.random.default_rng(0).normal(size=40)
    with pytest.raises(ts.OptionError, match="40 rows"):
        ts.mmd_test(x, x + 1, null=ts.WildBootstrap(block=40))


@pytest.mark.parametrize(
    "groups",
    [
        None,
        5,
        [None] * 3,
        [[1], [2]],
        [np.nan] * 3,
        [1.0, float("nan"), 2.0],
        np.array([1.0, np.nan, np.nan]),
        [np.float32("nan"), "a"],
        [("a", float("nan")), ("a", 1.0)],
        [Decimal("nan"), "a"],
        np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
        pl.Series([1.0, float("nan")]),
    ],
    ids=repr,
)
def test_groups_that_are_none(groups):
    with pytest.raises(ts.InputError, match="x_groups"):
        ts.GroupPermutation(groups, ["u", "v"])


def test_missing_groups_of_pandas():
    pd = pytest.importorskip("pandas")
    for missing in (pd.NA, pd.NaT, np.nan):
        with pytest.raises(ts.InputError, match="x_groups"):
            ts.GroupPermutation(["a", missing], ["u", "v"])
