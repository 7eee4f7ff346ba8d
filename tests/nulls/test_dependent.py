"""Nulls for dependent rows: the wild bootstrap, groups, pairs; against definitions, and their levels."""

from itertools import combinations

import naive
import numpy as np
import pytest
from scipy.signal import lfilter

import twosample as ts
from twosample.nulls.memory import block_length

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


@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
def test_the_wild_bootstrap_is_its_definition(statistic):
    """The same weights, by double loops over the kernel centred within each sample."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 1)), rng.normal(size=(9, 1)) + 0.5
    null = ts.WildBootstrap(block=2.0, n=3)
    found = ts.mmd_test(x, y, kernel=KERNEL, null=null, statistic=statistic, level=0.5, rng=4).law.values
    weights = np.random.default_rng(4)
    W = [null._weights(7, 3, weights), null._weights(9, 3, weights)]
    samples, k = (x, y), naive.of(KERNEL)

    def centred(a, i, b, j):
        one, two = samples[a], samples[b]
        return (
            k(one[i], two[j])
            - np.mean([k(p, two[j]) for p in one])
            - np.mean([k(one[i], q) for q in two])
            + np.mean([k(p, q) for p in one for q in two])
        )

    biased = statistic == "biased"
    for world in range(3):
        total = 0.0
        for a in (0, 1):
            size = len(samples[a])
            pairs = [(i, j) for i in range(size) for j in range(size) if biased or i != j]
            total += sum(W[a][i, world] * W[a][j, world] * centred(a, i, a, j) for i, j in pairs) / (
                size**2 if biased else size * (size - 1)
            )
        total -= 2 * np.mean(
            [[W[0][i, world] * W[1][j, world] * centred(0, i, 1, j) for j in range(9)] for i in range(7)]
        )
        expected = np.sqrt(max(total, 0)) if biased else total
        assert found[world + 1] == pytest.approx(expected, rel=1e-8, abs=1e-12)
    truth = naive.mmd_biased(x, y, k) if biased else naive.mmd2_unbiased(x, y, k)
    assert found[0] == pytest.approx(truth, rel=1e-10)


def test_weights_have_unit_variance_and_the_memory_asked_for():
    null = ts.WildBootstrap(block=5.0)
    W = null._weights(60, 20_000, np.random.default_rng(0))
    assert np.abs(W.sum(axis=0)).max() < 1e-10
    assert W.var() == pytest.approx(1, abs=0.02)
    long = null._weights(2000, 200, np.random.default_rng(0))
    assert (long[1:] * long[:-1]).mean() == pytest.approx(np.exp(-1 / 5), abs=0.02)


@pytest.mark.parametrize(("phi", "low", "high"), [(0.0, 1, 8), (0.5, 8, 30), (0.9, 35, 140)])
def test_the_block_follows_the_memory(phi, low, high):
    lengths = [block_length(series(phi, 1000, np.random.default_rng(s))[:, None], KERNEL) for s in range(10)]
    assert low <= np.median(lengths) <= high


def test_the_block_of_tiny_and_constant_series():
    assert block_length(np.zeros((50, 1)), KERNEL) == 1
    assert block_length(np.arange(4.0)[:, None], KERNEL) == 1
    assert block_length(np.arange(100.0)[:, None], KERNEL) <= 25


def test_the_level_on_series_in_small():
    """Memory 0.5: relabelling rows rejects far too often, the wild bootstrap about as often as it should."""

    def draw(rng):
        return series(0.5, 150, rng), series(0.5, 150, rng)

    assert rejections(draw, "gamma", 80) > 0.12
    assert rejections(draw, ts.WildBootstrap(n=99), 80) < 0.15


@pytest.mark.slow
@pytest.mark.parametrize(("phi", "most"), [(0.0, 0.08), (0.5, 0.10), (0.8, 0.13)])
def test_the_level_on_series(phi, most):
    def draw(rng):
        return series(phi, 400, rng), series(phi, 400, rng)

    assert rejections(draw, ts.WildBootstrap(n=199), 400) < most
    if phi:
        assert rejections(draw, "gamma", 400) > 2 * most


def test_the_wild_bootstrap_finds_a_difference():
    rng = np.random.default_rng(0)
    r = ts.mmd_test(series(0.5, 300, rng), series(0.5, 250, rng) + 1, null="wild", rng=0)
    assert r.rejected
    assert r.null.block > 2
    assert (r.null.n, len(r.law.values)) == (999, 1000)


def test_short_series_get_a_note():
    rng = np.random.default_rng(0)
    assert any(
        "short for their memory" in note
        for note in ts.mmd_test(*rng.normal(size=(2, 40)), null=ts.WildBootstrap(9)).notes
    )


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
    assert repr(ts.GroupPermutation("aab", "cdd")) == "GroupPermutation(n=999)"


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


@pytest.mark.parametrize("groups", [None, 5, [None] * 3, [[1], [2]], [float("nan")] * 3])
def test_groups_that_are_none(groups):
    if isinstance(groups, list) and groups[0] != groups[0]:
        groups = [np.nan] * 3
    with pytest.raises(ts.InputError, match="x_groups"):
        ts.GroupPermutation(groups, ["u", "v"])
