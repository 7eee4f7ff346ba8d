"""What is measured of two samples, against the definitions and against populations."""

import numpy as np
import pytest
from scipy.stats import nct

import twosample as ts
from tests import naive
from tests.planning.gaussians import Problem
from twosample.embedding.alternative import cumulants, linear_variance, three_moments, witness_variances
from twosample.planning.pilots import studentised_tail
from twosample.planning.profile import estimate, profile


def seen(x, y, kernel, engine="dense"):
    rng = np.random.default_rng(0)
    return profile(estimate(x, y, kernel, "median", engine, rng), rng)


def test_estimates_are_those_of_the_definitions():
    x, y = Problem(7, 9, 0.5, columns=2).draw(np.random.default_rng(0))
    kernel = ts.Gaussian(1.3)
    k, found = naive.of(kernel), seen(x, y, kernel)
    assert found.squared == pytest.approx(naive.mmd2_unbiased(x, y, k), rel=1e-10)
    assert found.biased == pytest.approx(naive.mmd_biased(x, y, k) ** 2, rel=1e-10)
    for sample, spread in zip((x, y), found.spreads, strict=True):
        off = [k(a, b) for i, a in enumerate(sample) for j, b in enumerate(sample) if i != j]
        assert spread == pytest.approx(1 - np.mean(off), rel=1e-10)


def test_the_plug_in_variance_is_that_of_the_theorem():
    x, y = Problem(30, 40, 0.5).draw(np.random.default_rng(1))
    kernel = ts.Gaussian(1.0)
    found = seen(x, y, kernel)
    z = np.concatenate([x, y])
    K = kernel.block(z, z)
    sums = np.stack([K[:, :30].sum(axis=1), K[:, 30:].sum(axis=1)], axis=1)
    from_x = (sums[:30, 0] - 1) / 29 - sums[:30, 1] / 40
    from_y = (sums[30:, 1] - 1) / 39 - sums[30:, 0] / 30
    assert found.covariances[0, 0, 0] == pytest.approx(np.var(from_x, ddof=1), rel=1e-10)
    assert found.covariances[1, 0, 0] == pytest.approx(np.var(from_y, ddof=1), rel=1e-10)


@pytest.mark.parametrize(
    "problem", [Problem(60, 60), Problem(60, 30, 0.5), Problem(40, 40, 1.0, columns=5, bandwidth=2.0)]
)
def test_moments_are_those_of_the_statistic(problem):
    """Variance and third moment over 1500 draws, from one large pilot."""
    rng = np.random.default_rng(3)
    pilot = seen(*problem.draw(rng, 5000, 5000), problem.kernel, "auto")
    quadratic, cubic = cumulants(pilot, problem.m, problem.n)
    own = witness_variances(pilot)
    linear = 4 * (own[0] / problem.m + own[1] / problem.n)
    values = np.array([ts.mmd(*problem.draw(rng), kernel=problem.kernel) for _ in range(1500)])
    assert quadratic + linear == pytest.approx(values.var(), rel=0.2)
    if problem.shift:
        cubic += 1.5 * linear**2 / problem.mmd2
    assert cubic == pytest.approx(((values - values.mean()) ** 3).mean(), rel=0.6)


def test_engines_agree():
    x, y = Problem(300, 200, 0.3).draw(np.random.default_rng(4))
    first = seen(x, y, ts.Gaussian(1.0))
    for engine in ("tiled", "fourier"):
        other = seen(x, y, ts.Gaussian(1.0), engine)
        assert other.squared == pytest.approx(first.squared, rel=1e-5)
        assert linear_variance(other, 0.1) == pytest.approx(linear_variance(first, 0.1), rel=1e-3)


def test_the_studentised_tail():
    """Normal terms: the noncentral t law. Skewed ones: drawn in another way, as sums of two exponentials."""
    found = studentised_tail(0.5, 4.0, 0.0, 12, 1.645)
    assert found == pytest.approx(nct.sf(1.645, 11, 0.5 * np.sqrt(12) / 2), abs=0.006)
    terms = np.random.default_rng(5).exponential(size=(60_000, 10, 2)).sum(axis=2) - 2 + 0.7
    truth = np.mean(terms.mean(axis=1) > 1.645 * terms.std(axis=1, ddof=1) / np.sqrt(10))
    assert studentised_tail(0.7, 2.0, 4.0, 10, 1.645) == pytest.approx(truth, abs=0.01)


def test_the_gamma_curve_has_the_moments_asked_for():
    law = three_moments(1.0, 4.0, 6.0)
    t = np.linspace(law.shift, 60, 400_001)
    weight = law.pdf(t) * (t[1] - t[0])
    assert weight.sum() == pytest.approx(1, abs=1e-3)
    assert (weight * t).sum() == pytest.approx(1.0, abs=1e-3)
    assert (weight * (t - 1) ** 2).sum() == pytest.approx(4.0, abs=1e-2)
    assert (weight * (t - 1) ** 3).sum() == pytest.approx(6.0, abs=2e-2)
    assert three_moments(1.0, 4.0, 0.0).isf(0.5) == 1.0
