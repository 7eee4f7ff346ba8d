"""The low-rank engine on pools so large that it looks at some of their rows only."""

import numpy as np
import pytest

import twosample as ts
from tests.engines.pools import forms, points
from twosample.core.labellings import relabellings
from twosample.engines.lowrank import choose_landmarks, landmark_features, pivoted_cholesky
from twosample.engines.lowrank.landmarks import confidence_limit


@pytest.fixture
def small_samples(monkeypatch):
    """A pool of a few thousand rows is treated as a large one."""
    monkeypatch.setattr(pivoted_cholesky, "CANDIDATES", 1024)
    monkeypatch.setattr(pivoted_cholesky, "MEASURED", 512)


LARGE = {
    "normal": lambda rng: rng.normal(size=(4000, 3)),
    "heavy tails": lambda rng: rng.standard_t(2, size=(4000, 2)),
    "outliers": lambda rng: np.concatenate([rng.normal(size=(3900, 2)), 1e3 * rng.normal(size=(100, 2))]),
    "ties": lambda rng: rng.poisson(0.7, size=(4000, 2)).astype(float),
}


@pytest.mark.usefixtures("small_samples")
@pytest.mark.parametrize("work", [0, 1e12], ids=["sampled", "all rows"])
@pytest.mark.parametrize("kernel", [ts.Gaussian(2.0), ts.Gaussian(500.0), ts.Energy(), ts.Linear()], ids=repr)
@pytest.mark.parametrize("data", LARGE)
def test_large_pool(data, kernel, work, monkeypatch):
    monkeypatch.setattr(pivoted_cholesky, "EXACT_WORK", work)
    z = LARGE[data](np.random.default_rng(0))
    tolerance = 0.05 if isinstance(kernel, ts.Energy) else 1e-3
    gram = ts.LowRank(tolerance).gram(kernel, z)
    phi = gram.features(z).astype(float)
    left = 1 - float((phi * phi).sum() / kernel.diagonal(z).sum())
    assert gram.certificate.met
    if work:
        assert gram.certificate.measured == 0
        assert np.isclose(gram.certificate.share, max(left, 0.0), atol=1e-5)
    assert left <= gram.certificate.limit + 1e-5
    assert left <= 1.3 * tolerance
    labels = relabellings(2500, 1500, 40, np.random.default_rng(3))
    exact, ours = ts.Dense().gram(kernel, z).block_sums(labels, 2500, 1500), gram.block_sums(labels, 2500, 1500)
    for form in forms(2500, 1500):
        change = form.value(exact) - form.value(ours)
        assert np.abs(change).max() <= gram.bound(2500, 1500)
        assert change.std() < 0.03 * form.value(exact).std()


@pytest.mark.usefixtures("small_samples")
def test_rare_points_are_found_by_a_second_sample():
    z = LARGE["outliers"](np.random.default_rng(0))
    assert (np.abs(ts.LowRank().gram(ts.Gaussian(1.0), z).features.landmarks).max(axis=1) > 30).sum() > 80


@pytest.mark.usefixtures("small_samples")
@pytest.mark.parametrize("null", ["permutation", "spectrum", "gamma", "pearson"])
def test_pvalues_of_a_large_pool(null):
    x, y = points(4, 2000), points(4, 2000, seed=1) + 0.01
    ours, exact = (ts.mmd_test(x, y, null=null, engine=e, rng=0) for e in ("lowrank", "dense"))
    assert abs(ours.pvalue - exact.pvalue) < 0.01


def test_confidence_limit():
    """For zeros and ones the limit is at least that of Clopper and Pearson, and not much more."""
    from scipy.stats import beta

    for count, ones in ((4096, 0), (4096, 4), (500, 250), (100, 100)):
        exact = beta.ppf(1 - 5e-5, ones + 1, count - ones) if ones < count else 1.0
        assert exact * (1 - 1e-9) <= confidence_limit(ones / count, count) <= min(1.0, 1.7 * exact)


@pytest.mark.usefixtures("small_samples")
@pytest.mark.parametrize("seed", range(4))
def test_a_small_tolerance_is_reached_in_double_precision(seed):
    """In single precision the residuals of several hundred pivots fell below 0 and a Gaussian was called indefinite."""
    z = np.random.default_rng(seed).normal(size=(4000, 5))
    gram = ts.LowRank(tolerance=1e-4).gram(ts.Gaussian(3.0), z, np.random.default_rng(seed))
    assert gram.features.dtype is np.float64
    assert gram.certificate.met


@pytest.mark.usefixtures("small_samples")
@pytest.mark.parametrize("work", [0, 1e12], ids=["sampled", "all rows"])
@pytest.mark.parametrize("rows", [40, 1500, 4000])
def test_features_that_are_kept_are_those_of_the_landmarks(rows, work, monkeypatch):
    monkeypatch.setattr(pivoted_cholesky, "EXACT_WORK", work)
    z, kernel = LARGE["normal"](np.random.default_rng(0))[:rows], ts.Gaussian(2.0)
    landmarks, certificate = choose_landmarks(kernel, z, 1e-3, 200, np.random.default_rng(1), 2)
    kept, own = landmark_features(kernel, z, 1e-3, 200, np.random.default_rng(1), 2)
    assert kept.dtype == np.float64
    phi = landmarks(z).astype(float)  # in single precision for many rows: other blocks round otherwise
    assert kept[:300] @ kept.T == pytest.approx(phi[:300] @ phi.T, abs=1e-5)
    assert own.share == pytest.approx(certificate.share, abs=1e-6)
    assert own.measured == certificate.measured


def test_features_of_a_kernel_that_is_nothing_are_nothing():
    kept, certificate = landmark_features(ts.Linear(), np.zeros((7, 2)), 1e-3, 20, np.random.default_rng(1), 1)
    assert not kept.any()
    assert certificate.share == 0
