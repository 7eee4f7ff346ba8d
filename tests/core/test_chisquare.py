"""Weighted chi-square tails against closed forms, a naive Imhof integral, published values and simulation."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from twosample.core.chisquare import WeightedChiSquare
from twosample.core.inversion import ChiSquareSum, log_inverse

K = np.arange(1.0, 2001.0)
RNG = np.random.default_rng(5)
SPECTRA = {
    "1/k^2": 1 / K**2,
    "1/k": 1 / K[:150],
    "exponential": np.exp(-K[:400] / 20),
    "2^-k": 2.0 ** -np.arange(60),
    "100^-k": 100.0 ** -np.arange(12),
    "one dominates": np.append(1e-3 * (1 + 0.1 * RNG.random(500)), 1.0),
    "nearly equal": 1 + 1e-3 * RNG.random(500),
    "zero sum": np.repeat([1.0, -1.0], 50),
    "signed": RNG.standard_normal(60),
    "mostly negative": np.append(-1 / K[:100], 1e-3),
    "rounding noise": np.append(1 / K[:100] ** 2, 1e-17 * RNG.standard_normal(100)),
    "two": np.array([1.0, 0.3]),
    "two opposite": np.array([1.0, -0.3]),
    "three": np.array([1.0, 1e-3, 1e-6]),
}


def two_weights(a: float, b: float, t: float) -> float:
    """P(a Z1^2 + b Z2^2 >= t) for t > 0, a > b: the radius integrated out in polar coordinates."""

    def integrand(angle: float) -> float:
        form = a * math.cos(angle) ** 2 + b * math.sin(angle) ** 2
        return math.exp(t / (2 * a) - t / (2 * form)) if form > 0 else 0.0

    end = math.atan(math.sqrt(-a / b)) if b < 0 else math.pi / 2
    value = integrate.quad(integrand, 0, end, epsabs=0, epsrel=1e-13, limit=200)[0]
    return math.exp(-t / (2 * a)) * value / (math.pi / 2)


def paired_weights(values: np.ndarray, t: float) -> float:
    """P(T >= t) for t > 0 with each weight twice: exponential variables, so partial fractions."""
    terms = [
        math.exp(-t / (2 * v)) / np.prod([1 - w / v for j, w in enumerate(values) if j != i])
        for i, v in enumerate(values)
        if v > 0
    ]
    return math.fsum(terms)


def imhof(weights: np.ndarray, t: float) -> float:
    """P(T >= t) by the integral of Imhof (1961), equation 3.2."""

    def integrand(u: float) -> float:
        phase = 0.5 * np.arctan(weights * u).sum() - 0.5 * t * u
        return float(np.sin(phase) * np.exp(-0.25 * np.log1p((weights * u) ** 2).sum()) / u)

    return 0.5 + integrate.quad(integrand, 0, np.inf, limit=2000, epsabs=1e-10)[0] / math.pi


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100, 2000])
def test_equal_weights_are_a_chi_square(count):
    law = WeightedChiSquare(np.full(count, 2.5), shift=1.0)
    exact = stats.gamma(count / 2, loc=1.0, scale=5.0)
    for p in (1 - 1e-9, 0.9, 0.5, 0.05, 1e-8, 1e-30):
        t = exact.isf(p)
        assert law.sf(t) == pytest.approx(exact.sf(t), rel=1e-12)
        assert law.isf(p) == pytest.approx(t, rel=1e-10)
        assert law.pdf(np.array([t]))[0] == pytest.approx(exact.pdf(t), rel=1e-9)
    mirrored = WeightedChiSquare(np.full(count, -2.5), shift=-1.0)
    assert mirrored.sf(-exact.isf(0.9)) == pytest.approx(0.1, rel=1e-10)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100, 2000])
def test_inversion_without_the_closed_form(count):
    """The contour integral on a law whose tails are known: relative errors down to 1e-290, on both sides."""
    value = 1 / math.sqrt(count)
    up = ChiSquareSum(np.array([value]), np.array([float(count)]))
    down = up.mirrored
    for p in (0.3, 1e-3, 1e-10, 1e-30, 1e-100, 1e-290):
        x = special.chdtri(count, p)
        expected = math.log(special.gammaincc(count / 2, x / 2))
        assert log_inverse(up, value * x, pole=True) == pytest.approx(expected, rel=2e-14, abs=1e-12)
        x = 2 * special.gammaincinv(count / 2, p)
        if x > 1e-115:
            expected = math.log(special.gammainc(count / 2, x / 2))
            assert log_inverse(down, -value * x, pole=True) == pytest.approx(expected, rel=2e-14, abs=1e-12)
    for x in (count * 1.01, count + 10 * math.sqrt(count)):
        density = stats.chi2(count).pdf(x) / value
        assert math.exp(log_inverse(up, value * x, pole=False)) == pytest.approx(density, rel=1e-11)


@pytest.mark.parametrize("b", [0.5, 1e-3, 1 - 1e-9, 1e-8, -1, -1e-3, -1e3])
def test_two_weights(b):
    law = WeightedChiSquare(np.array([1.0, b]))
    for t in (1e-2, 0.3, 1.0, 5.0, 50.0, 500.0):
        assert law.sf(t) == pytest.approx(two_weights(1.0, b, t), rel=1e-11)


@pytest.mark.parametrize(
    "values",
    [[1, 0.5], [3, 2, 1, 0.5, 0.1], [1, 1e-3, 1e-6, 1e-9], [2, 1, -1.5], [1, -9, 1e-2, -0.5], [-1, -3, 0.2]],
)
def test_paired_weights(values):
    values = np.array(values, dtype=float)
    law = WeightedChiSquare(np.repeat(values, 2), shift=-3.0)
    for t in np.array([1.5, 10.0, 100.0, 1200.0]) * values.max():
        assert law.sf(t - 3.0) == pytest.approx(paired_weights(values, t), rel=1e-11)


@pytest.mark.parametrize("name", ["1/k^2", "exponential", "zero sum", "one dominates", "mostly negative"])
def test_against_naive_imhof(name):
    weights = SPECTRA[name]
    law = WeightedChiSquare(weights)
    for z in (-0.5, 0.1, 2.0, 4.0):
        t = law.mean + z * math.sqrt(law.variance)
        assert law.sf(t) == pytest.approx(imhof(weights, t), abs=2e-8)


def test_published_values():
    """Imhof 1961, table 1: weights .6, .3, .1 with various degrees of freedom, four decimals."""
    table = [
        ((1, 1, 1), (0.1, 0.9458), (0.7, 0.5064), (2, 0.1240)),
        ((2, 2, 2), (2, 0.3998), (6, 0.0161)),
        ((6, 4, 2), (1, 0.9973), (5, 0.4353), (12, 0.0088)),
        ((2, 4, 6), (1, 0.9666), (3, 0.4196), (8, 0.0087)),
    ]
    for degrees, *points in table:
        law = WeightedChiSquare(np.repeat([0.6, 0.3, 0.1], degrees))
        for t, p in points:
            assert law.sf(t) == pytest.approx(p, abs=1e-4)


@pytest.mark.parametrize("weights", [1 / K[:8] ** 2, np.array([1.0, -0.8, 0.3, -0.3, 0.05, 0.01])])
def test_against_simulation(weights):
    rng, draws = np.random.default_rng(11), 2_000_000
    sample = np.zeros(draws)
    for w in weights:
        sample += w * rng.standard_normal(draws) ** 2
    law = WeightedChiSquare(weights)
    for z in (-1.0, -0.5, 0.0, 1.0, 3.0, 6.0):
        t = law.mean + z * math.sqrt(law.variance)
        p = law.sf(t)
        assert np.mean(sample >= t) == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / draws) + 1e-12)


@pytest.mark.parametrize("name", SPECTRA)
def test_tail_density_and_quantile_agree(name):
    law = WeightedChiSquare(SPECTRA[name], shift=0.25)
    deviation = math.sqrt(law.variance)
    points = law.mean + deviation * np.array([-8.0, -1.2, -0.7, -0.1, 0.0, 0.4, 2.0, 7.0, 40.0])
    tails = [law.sf(t) for t in points]
    assert all(0.0 <= q <= p <= 1.0 for p, q in pairwise(tails))
    for t, p in zip(points, tails, strict=True):
        h = 1e-5 * deviation
        if 1e-6 < p < 1 - 1e-6:
            density = (law.sf(t - h) - law.sf(t + h)) / (2 * h)
            assert law.pdf(np.array([t]))[0] == pytest.approx(density, rel=1e-5)
            assert law.isf(p) == pytest.approx(t, abs=1e-9 * deviation)
        elif 0 < p <= 1e-6:
            assert law.isf(p) == pytest.approx(t, rel=1e-11)
    for level in (1 - 1e-12, 0.05, 1e-300):
        assert law.sf(law.isf(level)) == pytest.approx(level, rel=1e-9)


@pytest.mark.parametrize("name", SPECTRA)
def test_mirror_image(name):
    weights = SPECTRA[name]
    law, mirrored = WeightedChiSquare(weights, shift=0.1), WeightedChiSquare(-weights, shift=-0.1)
    for z in (-2.0, -0.3, 0.0, 1.0, 5.0):
        t = law.mean + z * math.sqrt(law.variance)
        assert law.sf(t) == pytest.approx(1 - mirrored.sf(-t), abs=1e-13)
    for p in (0.9, 0.01):
        assert law.isf(p) == pytest.approx(-mirrored.isf(1 - p), rel=1e-9)


def test_symmetric_law_has_median_zero():
    assert WeightedChiSquare(SPECTRA["zero sum"]).sf(0.0) == pytest.approx(0.5, rel=1e-13)


@pytest.mark.parametrize("unit", [1e-300, 1e-12, 3.0, 1e12, 1e250])
def test_unit_does_not_matter(unit):
    for weights in (SPECTRA["1/k"], SPECTRA["signed"], np.ones(7)):
        law = WeightedChiSquare(weights, shift=0.5)
        scaled = WeightedChiSquare(unit * weights, shift=unit * 0.5)
        for z in (-0.5, 0.2, 3.0, 30.0):
            t = law.mean + z * math.sqrt(law.variance)
            assert scaled.sf(unit * t) == pytest.approx(law.sf(t), rel=1e-11)
        assert scaled.isf(1e-4) == pytest.approx(unit * law.isf(1e-4), rel=1e-12)


def test_rounding_noise_and_zeros_do_not_matter():
    clean = WeightedChiSquare(1 / K[:100] ** 2)
    noisy = WeightedChiSquare(np.concatenate([SPECTRA["rounding noise"], np.zeros(50)]))
    for t in (0.3, 1.0, 3.0, 30.0):
        assert noisy.sf(t) == pytest.approx(clean.sf(t), rel=1e-12)
    assert WeightedChiSquare(np.array([0.0, 2.0, 0.0])).sf(3.0) == WeightedChiSquare(np.array([2.0])).sf(3.0)


def test_moments():
    law = WeightedChiSquare(np.array([1.0, -2.0, 0.5, 1.0, -0.5, 0.7]), shift=3.0)
    assert (law.mean, law.variance) == pytest.approx((3.7, 13.98), rel=1e-15)
    t = np.linspace(-60, 40, 401)
    density = law.pdf(t)
    moments = [integrate.trapezoid(t**j * density, x=t) for j in range(3)]
    assert moments == pytest.approx([1, 3.7, 13.98 + 3.7**2], rel=1e-4)


@pytest.mark.parametrize("weights", [[], [0.0], [0.0, 0.0]])
def test_without_weights_the_law_is_a_point(weights):
    law = WeightedChiSquare(np.array(weights), shift=2.0)
    assert [law.sf(t) for t in (-math.inf, 1.9, 2.0, 2.1, math.inf)] == [1, 1, 1, 0, 0]
    assert [law.isf(p) for p in (0, 0.3, 1)] == [2, 2, 2]
    assert (law.mean, law.variance) == (2, 0)
    assert law.pdf(np.array([1.0, 2.0])).tolist() == [0, 0]


def test_ends_of_the_support():
    positive = WeightedChiSquare(SPECTRA["1/k"], shift=-1.0)
    assert [positive.sf(t) for t in (-math.inf, -50.0, -1.0)] == [1, 1, 1]
    assert positive.sf(math.inf) == 0
    assert (positive.isf(1), positive.isf(0)) == (-1, math.inf)
    assert positive.pdf(np.array([-2.0, -1.0, math.inf])).tolist() == [0, 0, 0]
    negative = WeightedChiSquare(-SPECTRA["1/k"], shift=1.0)
    assert [negative.sf(t) for t in (1.0, 2.0)] == [0, 0]
    assert (negative.isf(1), negative.isf(0)) == (-math.inf, 1)
    signed = WeightedChiSquare(SPECTRA["signed"])
    assert (signed.isf(1), signed.isf(0)) == (-math.inf, math.inf)
    assert signed.sf(-1e12) == 1
    assert signed.sf(1e12) == 0
    assert WeightedChiSquare(np.array([1.0, -1.0])).pdf(np.zeros(1))[0] == math.inf


def test_tiny_lower_tail():
    """P(T < t) ~ t / (2 sqrt(a b)) for two positive weights; its complement is what sf and isf see."""
    law = WeightedChiSquare(np.array([1.0, 0.25]))
    assert 1 - law.sf(1e-9) == pytest.approx(1e-9, rel=1e-6)
    assert law.isf(1 - 2**-40) == pytest.approx(2**-40, rel=1e-9)


@given(
    st.lists(st.floats(-1, 1).map(lambda v: v * 10 ** (-6 * abs(v))), min_size=1, max_size=30),
    st.floats(-3, 12),
    st.floats(0, 3),
)
def test_any_weights(weights, z, step):
    law = WeightedChiSquare(np.array(weights))
    t = law.mean + z * math.sqrt(law.variance)
    p, q = law.sf(t), law.sf(t + step * math.sqrt(law.variance))
    assert 0.0 <= q <= p * (1 + 1e-12) <= 1.0 + 1e-12
    below = WeightedChiSquare(-np.array(weights)).sf(-t)
    assert p + below == pytest.approx(1.0, abs=1e-12) or law.variance == 0.0


def test_weights_are_kept_and_checked():
    weights = np.array([1.0, 2.0])
    law = WeightedChiSquare(weights)
    weights[0] = 7.0
    assert law.weights.tolist() == [1, 2]
    assert not law.weights.flags.writeable
    assert pickle.loads(pickle.dumps(law)).sf(3.0) == law.sf(3.0)
    for bad in (np.ones((2, 2)), np.array([1.0, math.nan]), np.array([math.inf])):
        with pytest.raises(ValueError, match="weights"):
            WeightedChiSquare(bad)
    with pytest.raises(ValueError, match="shift"):
        WeightedChiSquare(weights, shift=math.nan)
    with pytest.raises(ValueError, match="nan"):
        law.sf(math.nan)
    for level in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="level"):
            law.isf(level)
