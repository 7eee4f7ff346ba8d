"""Random Fourier features: the kernel on average, the error that was promised, and the level always."""

import numpy as np
import pytest

import twosample as ts
from tests.level.measure import limits
from tests.level.problems import PROBLEMS
from twosample.core.labellings import observed, relabellings
from twosample.core.resamples import bootstraps
from twosample.core.sums import sums_of_matrix
from twosample.engines.features import Features, random_fourier
from twosample.kernels.spectra import apportion
from twosample.statistics import STATISTICS

KERNELS = {
    "gaussian": ts.Gaussian(2.0),
    "laplace": ts.Laplace(3.0),
    "laplace-l2": ts.Laplace(3.0, norm=2),
    "matern-1/2": ts.Matern(2.0, 0.5),
    "matern-3/2": ts.Matern(2.0, 1.5),
    "matern-5/2": ts.Matern(2.0, 2.5),
    "rational quadratic": ts.RationalQuadratic(2.0, 0.7),
    "scaled": 2.5 * ts.Gaussian(1.0),
    "sum": ts.Gaussian(1.0) + 3 * ts.Laplace(2.0),
    "many": sum((ts.Gaussian(h) for h in (0.5, 1.0, 2.0)), ts.Gaussian(4.0)) * 0.25,
    "product": ts.Gaussian(2.0) * ts.Laplace(3.0),
    "product of sums": (ts.Gaussian(1.0) + 2 * ts.Gaussian(3.0)) * ts.Matern(3.0),
}
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def points(columns=3, size=60, seed=0):
    return np.random.default_rng(seed).normal(size=(size, columns))


@kernels
@pytest.mark.parametrize("orthogonal", [True, False])
@pytest.mark.parametrize("columns", [1, 4, 70])
def test_kernel_values(kernel, orthogonal, columns):
    """Unbiased within five standard errors over 40 draws, each value off by about 1/sqrt(count), |phi|² = k(0)."""
    z = points(columns, 12) / np.sqrt(columns)
    K = kernel.block(z, z)
    count, errors = 100, []
    for seed in range(40):
        phi = Features(count, orthogonal, seed=seed).gram(kernel, z).features(z)
        assert phi.shape == (12, count)
        np.testing.assert_allclose(np.square(phi).sum(axis=1), K[0, 0], rtol=1e-12)
        errors.append((phi @ phi.T - K)[np.triu_indices(12, 1)] / K[0, 0])
    assert np.sqrt(np.mean(np.square(errors))) <= 1.1 / np.sqrt(count)
    means = np.mean(errors, axis=0)
    assert np.abs(means / (np.std(errors, axis=0, ddof=1) / np.sqrt(40) + 1e-12)).max() < 5.5


def test_orthogonal_directions_are_closer():
    z, kernel = points(8), ts.Gaussian(4.0)
    K = kernel.block(z, z)

    def error(orthogonal):
        maps = [Features(64, orthogonal, seed=seed).gram(kernel, z).features(z) for seed in range(30)]
        return np.mean([np.square(phi @ phi.T - K).mean() for phi in maps])

    assert error(True) < 0.7 * error(False)


def test_directions_are_orthogonal_in_groups():
    w, _ = ts.Gaussian(1.0).draw_frequencies(5, 13, np.random.default_rng(0))
    for start in (0, 5, 10):
        group = w[start : start + 5]
        group = group / np.linalg.norm(group, axis=1)[:, None]
        np.testing.assert_allclose(group @ group.T, np.eye(len(group)), atol=1e-12)


@pytest.mark.parametrize(("count", "shares"), [(10, [6, 3, 1]), (3, [1, 1, 1]), (1, [1, 1, 1]), (12, [8, 3, 1])])
def test_a_sum_shares_the_features_by_weight(count, shares):
    assert apportion(np.array([8.0, 3.0, 0.2]), count) == shares


def test_error_of_mmd_falls_with_the_number_of_features():
    """The root mean square error of MMD² over draws goes with 1/sqrt(count)."""
    z, kernel, labels = np.concatenate([points(), points(seed=1) + 0.8]), ts.Gaussian(2.0), observed(60, 60)
    form = STATISTICS["unbiased"]().form(60, 60)
    exact = form.value(ts.Dense().gram(kernel, z).block_sums(labels, 60, 60))[0]

    def errors(count):
        grams = [Features(count, seed=seed).gram(kernel, z) for seed in range(60)]
        return np.array([form.value(gram.block_sums(labels, 60, 60))[0] - exact for gram in grams])

    few, many = errors(50), errors(800)
    assert abs(few.mean()) < 5 * few.std() / np.sqrt(60)
    assert abs(many.mean()) < 5 * many.std() / np.sqrt(60)
    assert 2.5 < few.std() / many.std() < 6.5


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("worlds", [relabellings, bootstraps])
def test_block_sums_are_those_of_the_features(worlds, single, monkeypatch):
    if single:
        monkeypatch.setattr(random_fourier, "_SINGLE_POINTS", 10)
    z, labels = points(), worlds(35, 25, 20, np.random.default_rng(0))
    gram = Features(100).gram(ts.Gaussian(2.0), z)
    phi = gram.features(z)
    assert phi.dtype == (np.float32 if single else np.float64)
    K = phi.astype(float) @ phi.T.astype(float)
    ours, theirs = gram.block_sums(labels, 35, 25), sums_of_matrix(K, labels, 35, 25)
    for name in ("unbiased", "biased"):
        form = STATISTICS[name]().form(35, 25)
        np.testing.assert_allclose(form.value(ours), form.value(theirs), atol=1e-6)


@pytest.mark.filterwarnings("ignore::twosample.SmallSampleWarning")
@pytest.mark.parametrize("problem", PROBLEMS)
def test_level(problem):
    check_level(problem, 150, 0.9999)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::twosample.SmallSampleWarning")
@pytest.mark.parametrize("problem", PROBLEMS)
def test_level_of_many(problem):
    check_level(problem, 1000, 0.99)


def check_level(problem, repetitions, coverage, seed=2007):
    pvalues = []
    for i in range(repetitions):
        x, y = PROBLEMS[problem](np.random.default_rng([seed, i]))
        pvalues.append(ts.mmd_test(x, y, engine=Features(50), null=ts.Permutation(n=199), rng=[seed, i, 1]).pvalue)
    for level in (0.05, 0.2):
        rate, high = np.mean(np.array(pvalues) <= level), limits(level, repetitions, coverage)[1]
        assert rate <= high, f"rejects {rate:.4f} at level {level}, more than {high:.4f}"


@pytest.mark.parametrize("null", ["permutation", "bootstrap", "spectrum", "gamma", "pearson"])
@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
def test_every_null_agrees_with_dense(null, statistic):
    """Many features, so that the kernel is close."""
    x, y = points(3, 80), points(3, 70, seed=1) + 0.25
    ours, exact = (
        ts.mmd_test(x, y, null=null, statistic=statistic, engine=e, rng=1) for e in (Features(3000), ts.Dense())
    )
    assert abs(ours.pvalue - exact.pvalue) < 0.04
    assert np.isclose(ours.threshold, exact.threshold, rtol=0.1)
    assert "random Fourier features" in " ".join(ours.notes)


@pytest.mark.parametrize("kernel", [ts.Energy(), ts.Linear(), ts.Gaussian(1.0) + ts.Linear(),
                                    ts.Gaussian(1.0) * ts.Polynomial(2, 1.0, 1.0)], ids=repr)  # fmt: skip
def test_kernels_without_a_spectral_density(kernel):
    with pytest.raises(ts.OptionError, match="Gaussian, Laplace, Matern and RationalQuadratic"):
        Features().gram(kernel, points())


@pytest.mark.parametrize("options", [{"count": 0}, {"threads": 0}])
def test_options(options):
    with pytest.raises(ts.OptionError):
        Features(**options)


def test_seeds():
    z, k = points(), ts.Gaussian(1.0)

    def phi(engine, rng=None):
        return engine.gram(k, z, rng).features(z)

    assert np.array_equal(phi(Features()), phi(Features()))
    assert not np.array_equal(phi(Features()), phi(Features(seed=1)))
    one, two = np.random.default_rng(5), np.random.default_rng(5)
    assert np.array_equal(phi(Features(), one), phi(Features(seed=9), two))
    assert one.random() == np.random.default_rng(5).random()


def test_threads_do_not_matter():
    z, labels = points(3, 3000), relabellings(1500, 1500, 40, np.random.default_rng(0))
    results = []
    for threads in (1, 3):
        gram = Features(200, threads=threads).gram(ts.Gaussian(2.0), z)
        sums, moments = gram.block_sums(labels, 1500, 1500), gram.centred(np.random.default_rng(1))
        results.append((sums.xx, sums.dx, sums.dy, moments.eigenvalues(), moments.square))
    for one, other in zip(*results, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("null", ["permutation", "spectrum", "gamma", "pearson", "bootstrap"])
def test_constant_pool(null):
    r = ts.mmd_test(np.full((20, 2), 7.0), np.full((30, 2), 7.0), null=null, engine=Features(), rng=0)
    assert r.pvalue == 1
    assert abs(r.statistic) < 1e-12


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Laplace(1.0), ts.Matern(1.0)], ids=repr)
@pytest.mark.parametrize("reach", [1.0, 1e3, 1e6])
def test_single_precision_holds_far_out(kernel, reach, monkeypatch):
    """Phases of millions of radians are reduced before they are rounded."""
    z = reach * points()
    exact = Features().gram(kernel, z).features(z)
    monkeypatch.setattr(random_fourier, "_SINGLE_POINTS", 10)
    single = Features().gram(kernel, z).features(z)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, exact, atol=3e-6)


def test_equal_points_tie():
    """Relabellings that only exchange equal points give the same statistic: p-values of discrete data are exact."""
    x, y = np.repeat([[0.0, 1.0], [1.0, 0.0]], [3, 2], axis=0), np.repeat([[0.0, 1.0], [1.0, 0.0]], [2, 3], axis=0)
    ours, exact = (ts.mmd_test(x, y, kernel=ts.Gaussian(1.0), engine=e, rng=0).pvalue for e in (Features(), "dense"))
    assert ours == exact
