"""The low-rank engine: within its bound, at its level, and where it is hard."""

import numpy as np
import pytest

import twosample as ts
from tests.engines.pools import M, N, forms, points, width
from tests.level.measure import limits
from tests.level.problems import PROBLEMS
from twosample.core.labellings import observed, relabellings
from twosample.core.resamples import bootstraps, pair_swaps
from twosample.core.sums import sums_of_matrix
from twosample.engines.lowrank import pivoted_cholesky


def heavy(seed=0):
    return np.random.default_rng(seed).standard_t(1.2, size=(M + N, 2))


DATA = {
    "normal": points(),
    "one column": points(1),
    "high dimension": points(200),
    "heavy tails": heavy(),
    "ties": np.random.default_rng(1).poisson(0.8, size=(M + N, 2)).astype(float),
    "duplicates": np.repeat(points(3, (M + N) // 4), 4, axis=0),
    "clusters": 0.01 * points() + 5 * np.random.default_rng(2).integers(0, 4, size=(M + N, 1)),
    "huge": 1e9 * points(),
}

KERNELS = {
    "gaussian": ts.Gaussian,
    "wide": lambda h: ts.Gaussian(100 * h),
    "laplace": ts.Laplace,
    "matern": lambda h: ts.Matern(h, 2.5),
    "rational quadratic": ts.RationalQuadratic,
    "energy": lambda h: ts.Energy(),
    "linear": lambda h: ts.Linear(),
    "polynomial": lambda h: ts.Polynomial(3, 1.0, h),
    "sum": lambda h: ts.Gaussian(h) + 0.5 * ts.Laplace(h),
    "product": lambda h: ts.Gaussian(h) * ts.Matern(h),
    "function": lambda h: ts.FunctionKernel(lambda a, b: np.exp(-np.abs(a[:, None] - b[None]).sum(-1) / h)),
}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("kernel", KERNELS)
def test_mmd_stays_within_the_bound(data, kernel):
    z = DATA[data]
    k = KERNELS[kernel](width(z))
    labels = relabellings(M, N, 50, np.random.default_rng(3))
    exact = ts.Dense().gram(k, z).block_sums(labels, M, N)
    for tolerance in (0.3, 1e-2, 1e-3):
        gram = ts.LowRank(tolerance).gram(k, z)
        assert gram.certificate.met
        assert gram.certificate.share <= tolerance
        ours = gram.block_sums(labels, M, N)
        for form in forms():
            change = form.value(exact) - form.value(ours)
            assert np.abs(change).max() <= gram.bound(M, N), (tolerance, form)


@pytest.mark.parametrize("data", DATA)
def test_certificate_is_the_trace_of_the_residual(data):
    z = DATA[data]
    k = ts.Gaussian(width(z))
    gram = ts.LowRank(0.01).gram(k, z)
    K, phi = k.block(z, z), gram.features(z)
    E = K - phi @ phi.T
    H = np.eye(len(z)) - 1 / len(z)
    assert gram.certificate.measured == 0
    assert np.isclose(gram.certificate.share, np.trace(E) / np.trace(K), atol=1e-9)
    assert np.trace(H @ E @ H) / np.trace(H @ K @ H) <= gram.certificate.centred_share + 1e-9
    assert np.linalg.eigvalsh(E)[0] > -1e-8
    np.testing.assert_allclose(gram.certificate.lengths, np.diagonal(phi @ phi.T), atol=1e-8)
    # with the trace of E goes the bound, and with it the mean change over all relabellings
    labels = relabellings(M, N, 400, np.random.default_rng(4))
    change = forms()[1].value(sums_of_matrix(E, labels, M, N))
    assert change.min() >= -1e-9
    assert change.mean() <= np.trace(E) / (len(z) - 1) * (1 / M + 1 / N) * 1.1 + 1e-12


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(
    "labels",
    [
        observed(80, 80),
        relabellings(80, 80, 30, np.random.default_rng(0)),
        bootstraps(80, 80, 30, np.random.default_rng(0)),
        pair_swaps(80, 30, np.random.default_rng(0)),
    ],
    ids=["observed", "relabellings", "bootstraps", "swaps"],
)
def test_block_sums_are_those_of_the_features(labels, single, monkeypatch):
    if single:
        monkeypatch.setattr(pivoted_cholesky, "CANDIDATES", 80)
        monkeypatch.setattr(pivoted_cholesky, "MEASURED", 40)
    z = points()
    gram = ts.LowRank(0.01).gram(ts.Gaussian(2.0), z)
    assert (gram.features.dtype is np.float32) == single
    phi = gram.features(z).astype(float)
    ours, theirs = gram.block_sums(labels, 80, 80), sums_of_matrix(phi @ phi.T, labels, 80, 80)
    for form in forms(80, 80):
        np.testing.assert_allclose(form.value(ours), form.value(theirs), atol=1e-6 if single else 1e-12)
    np.testing.assert_allclose(ours.spread, theirs.spread, rtol=1e-5 if single else 1e-9)
    W = points(2, 160, seed=5)
    np.testing.assert_allclose(gram.multiply(W), phi @ (phi.T @ W), atol=1e-4 if single else 1e-10)


def test_statistic_converges_with_the_tolerance():
    z, k, labels = points(5, 600), ts.Gaussian(3.0), observed(300, 300)
    form = forms(300, 300)[0]
    exact = form.value(ts.Dense().gram(k, z).block_sums(labels, 300, 300))[0]
    grams = [ts.LowRank(tolerance).gram(k, z) for tolerance in (1e-1, 1e-2, 1e-3, 1e-5, 1e-8)]
    errors = [abs(form.value(gram.block_sums(labels, 300, 300))[0] - exact) for gram in grams]
    assert [gram.rank for gram in grams] == sorted(gram.rank for gram in grams)
    assert errors[1] < 1e-4
    assert errors[2] < 1e-5
    assert errors[4] < 1e-9


# --- p-values ------------------------------------------------------------------------------------------------------


def random_problem(seed):
    """Two samples of any kind, a kernel of any width from an eighth to 32 times the median, either statistic."""
    rng = np.random.default_rng([41, seed])
    d = int(rng.integers(1, 21))
    draw = [
        lambda k: rng.normal(size=(k, d)),
        lambda k: rng.standard_t(2, size=(k, d)),
        lambda k: rng.normal(size=(k, d)) + 4 * rng.integers(0, 3, size=(k, 1)),
        lambda k: rng.random((k, d)),
        lambda k: rng.poisson(1.0, size=(k, d)).astype(float),
    ][rng.integers(5)]
    m, n = (int(size) for size in rng.integers(20, 400, size=2))
    x, y = draw(m), draw(n)
    y = y + 1.5 * rng.random() * np.sqrt(1 / m + 1 / n) * x.std() / np.sqrt(d) * (x != np.floor(x)).any()
    h = width(np.concatenate([x, y])) * 2 ** rng.uniform(-3, 5)
    kernels = [ts.Gaussian(h), ts.Gaussian(h), ts.RationalQuadratic(h), ts.Matern(h, 2.5), ts.Laplace(h, 2)]
    statistic = ["unbiased", "biased"][rng.integers(2)]
    return {"x": x, "y": y, "kernel": kernels[rng.integers(5)], "statistic": statistic, "rng": seed}


def share_of_close_pvalues(count):
    def difference(seed):
        problem = random_problem(seed)
        return ts.mmd_test(**problem, engine="lowrank").pvalue - ts.mmd_test(**problem, engine="dense").pvalue

    return np.mean([abs(difference(seed)) <= 0.01 + 1e-12 for seed in range(count)])


def test_pvalues_are_those_of_the_full_kernel():
    assert share_of_close_pvalues(20) >= 0.95


@pytest.mark.slow
def test_pvalues_are_those_of_the_full_kernel_in_200_problems():
    assert share_of_close_pvalues(200) >= 0.95


def check_level(engine, problem, repetitions, coverage, seed=2013):
    pvalues = []
    for i in range(repetitions):
        x, y = PROBLEMS[problem](np.random.default_rng([seed, i]))
        pvalues.append(ts.mmd_test(x, y, engine=engine, null=ts.Permutation(n=199), rng=[seed, i, 1]).pvalue)
    for level in (0.05, 0.2):
        rate, high = np.mean(np.array(pvalues) <= level), limits(level, repetitions, coverage)[1]
        assert rate <= high, f"{engine!r} rejects {rate:.4f} at level {level}, more than {high:.4f}"


ROUGH = ts.LowRank(0.3)
"""Leaves much of the kernel out: the level must not depend on that."""


@pytest.mark.filterwarnings("ignore::twosample.SmallSampleWarning")
@pytest.mark.parametrize("problem", PROBLEMS)
def test_level(problem):
    check_level(ROUGH if problem in ("ties", "normal") else ts.LowRank(), problem, 150, 0.9999)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::twosample.SmallSampleWarning")
@pytest.mark.parametrize("engine", [ts.LowRank(), ROUGH], ids=["fine", "rough"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_level_of_many(engine, problem):
    check_level(engine, problem, 1000, 0.99)


@pytest.mark.parametrize("null", ["permutation", "bootstrap", "spectrum", "gamma", "pearson"])
@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
@pytest.mark.parametrize("data", ["normal", "one column", "heavy tails", "ties", "high dimension"])
def test_every_null_agrees_with_dense(null, statistic, data):
    z = DATA[data]
    x, y = z[:M], 1.2 * z[M:]
    ours, exact = (ts.mmd_test(x, y, null=null, statistic=statistic, engine=e, rng=1) for e in ("lowrank", "dense"))
    assert abs(ours.pvalue - exact.pvalue) < 0.01
    assert np.isclose(ours.threshold, exact.threshold, rtol=0.02)


def test_result_reports_rank_and_bound():
    x, y = points(), 1 + points(seed=1)
    r = ts.mmd_test(x, y, engine="lowrank", rng=0)
    z = np.concatenate([x, y])
    z -= z.mean(axis=0)
    gram = ts.LowRank(seed=3).gram(r.kernel, z, np.random.default_rng(0))
    assert all(note in r.notes for note in gram.notes(160, 160))
    text = " ".join(r.notes)
    assert "rank" in text
    assert "of the trace" in text
    assert "differs by at most" in text


# --- hard cases ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Energy(), ts.Laplace(1.0)], ids=repr)
def test_few_values_give_their_number_as_the_rank(kernel):
    z = np.random.default_rng(0).integers(1, 4, size=(300, 1)).astype(float)
    gram = ts.LowRank().gram(kernel, z)
    assert gram.rank == 3
    assert gram.certificate.share < 1e-14


def test_no_landmark_twice():
    z = np.repeat(points(2, 40), 10, axis=0)
    gram = ts.LowRank(1e-9).gram(ts.Gaussian(0.3), z)
    assert len(np.unique(gram.features.landmarks, axis=0)) == gram.rank <= 40


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Energy(), ts.Linear(), ts.Polynomial(2, 0.0, 1.0)], ids=repr)
@pytest.mark.parametrize("null", ["permutation", "spectrum", "gamma", "pearson", "bootstrap"])
def test_constant_pool(kernel, null):
    r = ts.mmd_test(np.zeros((20, 2)), np.zeros((30, 2)), kernel=kernel, null=null, engine="lowrank", rng=0)
    assert r.pvalue == 1
    assert abs(r.statistic) < 1e-12


def test_a_constant_in_the_kernel_does_not_count_as_accuracy():
    x, y = points(3, 200), points(3, 200, seed=1) + 0.15
    for engine in ("lowrank", ts.LowRank(0.1)):
        ours = ts.mmd_test(x, y, kernel=ts.Gaussian(1e4), engine=engine, rng=0)
        exact = ts.mmd_test(x, y, kernel=ts.Gaussian(1e4), engine="dense", rng=0)
        assert abs(ours.pvalue - exact.pvalue) < 0.01


def test_precomputed():
    z = points()
    kernel = ts.Gaussian(2.0)
    ours = ts.mmd_test(None, None, kernel=ts.Precomputed(kernel.block(z, z), m=M), engine="lowrank", rng=0)
    exact = ts.mmd_test(z[:M], z[M:], kernel=kernel, engine="dense", rng=0)
    assert abs(ours.pvalue - exact.pvalue) < 0.01


def test_kernel_that_is_not_one():
    with pytest.raises(ts.OptionError, match="positive definite"):
        ts.LowRank().gram(ts.FunctionKernel(lambda a, b: 1 + np.square(a[:, None] - b[None]).sum(-1)), points())


@pytest.mark.parametrize("options", [{"tolerance": 0}, {"tolerance": 1.0}, {"max_rank": 0}, {"threads": 0}])
def test_options(options):
    with pytest.raises(ts.OptionError):
        ts.LowRank(**options)


def test_largest_rank_is_kept_and_told():
    gram = ts.LowRank(max_rank=7).gram(ts.Gaussian(1.0), points())
    assert gram.rank == 7
    assert "did not reach" in " ".join(gram.notes(M, N))
    assert "did not reach" not in " ".join(ts.LowRank().gram(ts.Gaussian(1.0), points()).notes(M, N))


# --- randomness and threads ----------------------------------------------------------------------------------------


def test_pivots_are_drawn_as_if_one_by_one():
    """The law of the first two pivots against its definition: proportional to the diagonal of what is left."""
    A = np.random.default_rng(0).normal(size=(4, 3)) * [3, 1, 0.3]
    K = A @ A.T
    z, kernel = np.arange(4.0)[:, None], ts.Precomputed(K)
    counts = np.zeros((4, 4))
    for seed in range(1500):
        first, second = ts.LowRank(1e-12, max_rank=2, seed=seed).gram(kernel, z).features.landmarks[:, 0].astype(int)
        counts[first, second] += 1
    expected = np.zeros((4, 4))
    for i in range(4):
        left = np.clip(np.diagonal(K - np.outer(K[i], K[i]) / K[i, i]), 0, None)
        left[i] = 0
        expected[i] = K[i, i] / np.trace(K) * left / left.sum()
    seen = expected > 0
    assert counts[~seen].sum() == 0
    assert ((counts[seen] - 1500 * expected[seen]) ** 2 / (1500 * expected[seen])).sum() < 35  # chi-square, 11 degrees


def test_seeds():
    z, k = points(), ts.Gaussian(1.0)

    def landmarks(engine, rng=None):
        return engine.gram(k, z, rng).features.landmarks

    assert np.array_equal(landmarks(ts.LowRank()), landmarks(ts.LowRank()))
    assert not np.array_equal(landmarks(ts.LowRank())[:5], landmarks(ts.LowRank(seed=1))[:5])
    one, two = np.random.default_rng(5), np.random.default_rng(5)
    assert np.array_equal(landmarks(ts.LowRank(), one), landmarks(ts.LowRank(seed=9), two))
    assert one.random() == np.random.default_rng(5).random()  # the stream of the test goes on as if nothing was drawn
    assert len(landmarks(ts.LowRank(), np.random.Generator(np.random.PCG64(_Childless()))))


class _Childless(np.random.bit_generator.ISeedSequence):
    def generate_state(self, n_words, dtype=np.uint32):
        return np.arange(1, n_words + 1, dtype=dtype)


@pytest.mark.parametrize("size", [160, 3000])
def test_threads_do_not_matter(size, monkeypatch):
    monkeypatch.setattr(pivoted_cholesky, "CANDIDATES", 1500)
    monkeypatch.setattr(pivoted_cholesky, "MEASURED", 1000)
    z, k = points(3, size), ts.Gaussian(2.0)
    labels = relabellings(size // 2, size // 2, 20, np.random.default_rng(0))
    results = []
    for threads in (1, 3):
        gram = ts.LowRank(threads=threads).gram(k, z)
        sums = gram.block_sums(labels, size // 2, size // 2)
        moments = gram.centred(np.random.default_rng(1))
        results.append((gram.features.landmarks, sums.xx, sums.dx, sums.dy, moments.eigenvalues(), moments.square))
    for one, other in zip(*results, strict=True):
        assert np.array_equal(one, other)
