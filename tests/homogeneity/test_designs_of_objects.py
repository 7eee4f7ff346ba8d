"""Strata, weights and groups are the same on rows, strings, graphs, sets and records, in every engine."""

import numpy as np
import pytest

import twosample as ts

M, N = 14, 12


def words(rng, count):
    return ["".join(rng.choice(list("abcd"), 8)) for _ in range(count)]


def graphs(rng, count):
    return [ts.graphs.Graph.from_adjacency((A := np.triu(rng.random((6, 6)) < 0.5, 1)) | A.T) for _ in range(count)]


def records(rng, count):
    return [{"v": float(v), "c": c} for v, c in zip(rng.normal(size=count), words(rng, count), strict=True)]


OBJECTS = {
    "rows": (lambda rng, count: list(rng.normal(size=(count, 1))), ts.Gaussian(0.8)),
    "strings": (words, ts.strings.Spectrum(2)),
    "graphs": (graphs, ts.graphs.ShortestPath()),
    "sets": (lambda rng, count: [rng.normal(size=(4, 2)) for _ in range(count)], ts.SetKernel(ts.Gaussian(1.0))),
    "records": (records, ts.Record({"v": ts.Number(1.0, 0.0), "c": ts.Text()}, ts.Gaussian(1.0))),
}
ENGINES = [ts.Dense(), ts.Tiled(tile=16), ts.Fourier(), ts.LowRank(tolerance=1e-10)]
CASES = [(kind, None) for kind in OBJECTS] + [("rows", engine) for engine in ENGINES]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{'auto' if case[1] is None else case[1].name}")
def problem(request):
    kind, engine = request.param
    draw, kernel = OBJECTS[kind]
    rng = np.random.default_rng(4)
    x, y, strata = draw(rng, M), draw(rng, N), (rng.integers(3, size=M), rng.integers(3, size=N))
    return x, y, strata, {"kernel": kernel, "engine": engine, "rng": 0}


def answers(result):
    return result.statistic, result.pvalue, result.threshold


def same(one, other):
    """Bit for bit."""
    assert answers(one) == answers(other)


@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
def test_one_stratum_and_weights_of_1_change_nothing(problem, statistic):
    x, y, (by_x, by_y), options = problem
    options["statistic"] = statistic
    ones = {"weights_x": np.ones(M), "weights_y": np.ones(N)}
    plain = ts.mmd_test(x, y, null=ts.Permutation(99), **options)
    same(ts.mmd_test(x, y, null=ts.StratifiedPermutation(["a"] * M, ["a"] * N, n=99), **options), plain)
    same(ts.mmd_test(x, y, null=ts.Permutation(99), **ones, **options), plain)
    for null in (
        ts.StratifiedPermutation(by_x, by_y, n=99),
        ts.GroupPermutation(np.arange(M) // 2, 100 + np.arange(N) // 2, n=99),
        ts.WildBootstrap(memory=0, n=99),
    ):
        same(ts.mmd_test(x, y, null=null, **ones, **options), ts.mmd_test(x, y, null=null, **options))


def test_a_weight_of_two_is_the_object_twice_in_the_biased_estimate(problem):
    x, y, (by_x, by_y), options = problem
    a = {"weights_x": np.where(np.arange(M) < 5, 2, 1)}
    twice, by_twice = [*x, *x[:5]], np.concatenate([by_x, by_x[:5]])
    for null, of_twice in (
        (ts.Permutation(19), ts.Permutation(19)),
        (ts.StratifiedPermutation(by_x, by_y, n=19), ts.StratifiedPermutation(by_twice, by_y, n=19)),
    ):
        one = ts.mmd_test(x, y, statistic="biased", null=null, **a, **options)
        two = ts.mmd_test(twice, y, statistic="biased", null=of_twice, **options)
        assert one.statistic == pytest.approx(two.statistic, rel=1e-6)


def test_strata_with_weights_and_weights_of_a_design(problem):
    x, y, (by_x, by_y), options = problem
    weights = {"weights_x": np.linspace(0.5, 2, M), "weights_y": np.linspace(2, 0.5, N)}
    for null in (ts.StratifiedPermutation(by_x, by_y, n=199), ts.Permutation(199), ts.WildBootstrap(memory=0, n=199)):
        assert ts.mmd_test(x, y, null=null, **weights, **options).pvalue > 0.02
        assert ts.mmd_test(x, [x[0]] * N, null=null, **weights, **options).pvalue <= 0.02


def test_several_samples_of_objects(problem):
    x, y, (by_x, by_y), options = problem
    by, weights = [by_x, by_y, by_x], [np.linspace(0.5, 2, M), np.linspace(2, 0.5, N), np.ones(M)]
    r = ts.ksample_test([x, y, x[::-1]], by=by, weights=weights, n=99, **options)
    assert r.pvalue > 0.02
    assert len(r.pairs) == 3
