"""Pearson curves against their moments, their differential equation, and the named laws among them."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import __version__ as scipy_version
from scipy import stats

from twosample.core.pearson import PearsonCurve, fit_pearson

ROUNDING = 2e-9 if int(scipy_version.split(".")[1]) >= 17 else 1e-6
"""Of `scipy.special.betainc` with parameters near 1e9, the curve a billionth from the normal one: 5e-7 before 1.17."""


def moments_of(r: float, kappa: float) -> tuple[float, float]:
    """Skewness and kurtosis of the curve with these parameters (types IV, V, VI, VII; I and II for r < 0)."""
    b1 = 16 * (r - 1) * kappa / (r - 2) ** 2
    return math.sqrt(b1), (r * (3 * b1 + 6) - 6 * (b1 + 1)) / (2 * r - 6)


# (skewness, kurtosis): the two lines that the nulls use, and points of every type
PAPER = [(g, g**2 + 4) for g in (0.01, 0.3, 0.8, 1.2, 1.3, 1.4, math.sqrt(2), 1.43, 1.6, 2.0, 2.4, 2.83)]
CHI_SQUARES = [
    (math.sqrt(8) * (w**3).sum() / (w**2).sum() ** 1.5, 3 + 12 * (w**4).sum() / (w**2).sum() ** 2)
    for w in (1 / np.arange(1, 200) ** 2, np.exp(-np.arange(60) / 9), np.ones(40), 1 / np.arange(1.0, 500))
]
POINTS = [
    *PAPER,
    *CHI_SQUARES,
    (0.0, 3.0), (0.0, 1.4), (0.0, 1.8), (0.0, 2.5), (0.0, 3.01), (0.0, 4.0), (0.0, 12.0),
    (0.5, 1.9), (0.5, 2.5), (1.0, 3.2), (1.0, 4.5), (0.1, 3.015), (2.0, 9.0), (0.1, 6.0), (0.5, 3.6),
    *(moments_of(r, kappa) for r in (3.5, 5, 9, 40, 1000) for kappa in (0.1, 0.9, 0.999, 1, 1.001, 1.1, 3)),
    (-0.5, 4.25), (-1.35, 5.8), (-2.0, 8.0), (-1.0, 4.5), (-0.5, 2.5),
]  # fmt: skip
# Densities without a pole at an end of the support, whose mass the nodes would not see
# (the exponent at the lower end is the smaller one)
SMOOTH = [(g, k) for g, k in POINTS if getattr(fit_pearson(0, 1, g, k).shape, "alpha", 1.0) > 0.9]


def nodes(low: float, high: float, count: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of the double exponential rule on an interval, finite or not."""
    s, h = np.linspace(-5.9, 5.9, count, retstep=True)
    a, slope = np.pi / 2 * np.sinh(s), np.pi / 2 * np.cosh(s)
    if math.isinf(low) and math.isinf(high):
        return np.sinh(a), np.cosh(a) * slope * h
    if math.isinf(high):
        return low + np.exp(a), np.exp(a) * slope * h
    if math.isinf(low):
        return high - np.exp(a), np.exp(a) * slope * h
    up, down = 1 / (1 + np.exp(-2 * a)), 1 / (1 + np.exp(2 * a))
    x = np.where(a < 0, low + (high - low) * up, high - (high - low) * down)
    return x, 2 * (high - low) * up * down * slope * h


def integral(curve: PearsonCurve, low: float, high: float, power: int = 0) -> float:
    x, weights = nodes(low, high)
    density = curve.pdf(x)
    inside = density > 0
    return float((x[inside] ** power * density[inside]) @ weights[inside])


def near_support(curve: PearsonCurve) -> tuple[float, float]:
    """The support, with an end that is many deviations away taken as infinite."""
    low, high = curve.isf(1.0), curve.isf(0.0)
    reach = 20 * math.sqrt(curve.variance)
    return (low if curve.mean - low < reach else -math.inf), (high if high - curve.mean < reach else math.inf)


def test_every_type_occurs():
    types = {"0", "I", "II", "III", "IV", "V", "VI", "VII"}
    assert {fit_pearson(0, 1, g, k).kind for g, k in POINTS} == types
    assert {fit_pearson(0, 1, g, k).kind for g, k in SMOOTH} == types
    assert [fit_pearson(0, 1, g, k).kind for g, k in PAPER] == ["IV"] * 3 + ["VI"] * 3 + ["III"] + ["I"] * 5


@pytest.mark.parametrize(("skewness", "kurtosis"), SMOOTH)
def test_density_has_the_moments(skewness, kurtosis):
    curve = fit_pearson(0.0, 1.0, skewness, kurtosis)
    found = [integral(curve, *near_support(curve), power) for power in range(5)]
    assert found == pytest.approx([1, 0, 1, skewness, kurtosis], rel=2e-7, abs=1e-9)


@pytest.mark.parametrize(("skewness", "kurtosis"), [*(p for p in POINTS if p not in SMOOTH), *SMOOTH[::5]])
def test_tail_has_the_moments(skewness, kurtosis):
    """By parts, E max(T, 0)^2 = 2 int x P(T >= x) dx and so on: this also sees infinite densities."""
    curve = fit_pearson(0.0, 1.0, skewness, kurtosis)
    x, weights = nodes(0.0, near_support(curve)[1], 250)
    y, others = nodes(0.0, -near_support(curve)[0], 250)
    upper = np.array([curve.sf(t) for t in x]) * weights
    mirror = fit_pearson(0.0, 1.0, -skewness, kurtosis)
    lower = np.array([mirror.sf(t) for t in y]) * others
    assert mirror.kind == curve.kind
    for power in range(1, 5):
        seen, unseen = (upper > 0), (lower > 0)
        moment = power * (x[seen] ** (power - 1) @ upper[seen])
        moment += (-1) ** power * power * (y[unseen] ** (power - 1) @ lower[unseen])
        assert moment == pytest.approx([0, 0, 1, skewness, kurtosis][power], rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(("skewness", "kurtosis"), POINTS)
def test_tail_is_the_integral_of_the_density(skewness, kurtosis):
    curve = fit_pearson(2.0, 9.0, skewness, kurtosis)
    end = curve.isf(0.0)
    for z in (-1.0, 0.0, 0.7, 2.0, 6.0):
        t = 2.0 + 3.0 * z
        p = curve.sf(t)
        if p == 0.0 or (math.isfinite(end) and curve.pdf(np.array([end - 1e-9 * (end - t)]))[0] > 1):
            continue
        if p < 1.0:
            assert integral(curve, t, end if end < 60 else math.inf) == pytest.approx(p, rel=1e-8)


@pytest.mark.parametrize(("skewness", "kurtosis"), POINTS)
def test_quantiles(skewness, kurtosis):
    curve = fit_pearson(-1.0, 4.0, skewness, kurtosis)
    levels = np.array([1 - 1e-6, 0.99, 0.5, 0.05, 1e-3, 1e-9, 1e-30])
    points = np.array([curve.isf(level) for level in levels])
    assert (np.diff(points) >= 0).all()
    for level, t in zip(levels, points, strict=True):
        if min(t - curve.isf(1.0), curve.isf(0.0) - t) > 1e-6:  # closer to the ends, t itself is rounded
            assert curve.sf(t) == pytest.approx(level, rel=1e-9)
    for z in (-0.8, 0.0, 0.4, 1.5):
        p = curve.sf(-1.0 + 2.0 * z)
        if 0 < p < 1:
            assert curve.isf(p) == pytest.approx(-1.0 + 2.0 * z, abs=1e-9)


@pytest.mark.parametrize(("skewness", "kurtosis"), POINTS)
def test_differential_equation(skewness, kurtosis):
    curve = fit_pearson(0.0, 1.0, skewness, kurtosis)
    b1, h = skewness**2, 1e-5
    c0, c2 = 4 * kurtosis - 3 * b1, 2 * kurtosis - 3 * b1 - 6
    c1, d = skewness * (kurtosis + 3), 10 * kurtosis - 12 * b1 - 18
    for level in (0.97, 0.8, 0.5, 0.2, 0.03, 1e-4):
        z = curve.isf(level)
        if min(z - curve.isf(1.0), curve.isf(0.0) - z) < 0.01:
            continue
        before, after = np.log(curve.pdf(np.array([z - h, z + h])))
        slope = -(d * z + c1) / (c0 + c1 * z + c2 * z**2)
        assert (after - before) / (2 * h) == pytest.approx(slope, rel=1e-5, abs=1e-5)


MEMBERS = [
    (stats.norm(3, 2), "0"),
    (stats.uniform(-1, 5), "II"),
    (stats.beta(3, 3), "II"),
    (stats.beta(0.5, 0.5, loc=1), "II"),
    (stats.beta(2, 5), "I"),
    (stats.beta(5, 2, scale=7), "I"),
    (stats.beta(0.7, 3), "I"),
    (stats.beta(0.3, 0.4), "I"),
    (stats.beta(4, 1e6), "I"),
    (stats.expon(), "III"),
    (stats.gamma(0.4, scale=3), "III"),
    (stats.gamma(2.5, scale=3), "III"),
    (stats.chi2(2000), "III"),
    (stats.pearson3(0.8), "III"),
    (stats.pearson3(-1.7, loc=4, scale=2), "III"),
    (stats.invgamma(4.5), "V"),
    (stats.invgamma(11, scale=2), "V"),
    (stats.invgamma(100), "V"),
    (stats.betaprime(3, 5), "VI"),
    (stats.betaprime(0.5, 30), "VI"),
    (stats.f(6, 20), "VI"),
    (stats.lomax(6), "VI"),
    (stats.t(5), "VII"),
    (stats.t(12, loc=1, scale=0.1), "VII"),
    (stats.t(1e5), "VII"),
]


@pytest.mark.parametrize(("law", "kind"), MEMBERS, ids=lambda v: v if isinstance(v, str) else v.dist.name)
def test_named_laws_are_recovered(law, kind):
    mean, variance, skewness, excess = map(float, law.stats("mvsk"))
    curve = fit_pearson(mean, variance, skewness, excess + 3)
    assert curve.kind == kind or (kind == "V" and curve.kind in ("IV", "VI"))  # kappa is 1 up to rounding
    for p in (0.999, 0.8, 0.5, 0.05, 1e-4, 1e-10, 1e-30):
        t = curve.isf(p)
        if min(t - curve.isf(1.0), curve.isf(0.0) - t) > 1e-3:  # closer, the rounding of the moments matters
            assert curve.sf(t) == pytest.approx(law.sf(t), rel=2e-8)
            assert curve.pdf(np.array([t]))[0] == pytest.approx(law.pdf(t), rel=2e-8)
            assert p < 1e-9 or t == pytest.approx(law.isf(p), rel=2e-8)  # scipy's inverse may end there


@pytest.mark.parametrize(("g", "k"), [(0.5, 4.25), (1, 5), moments_of(4, 0.9), moments_of(1e4, 0.5)])
def test_type_four_by_its_other_formula(g, k):
    """Heinrich's form, (1 + y^2)^-m exp(-nu arctan y) with y = (x - lambda) / a, integrated in the angle."""
    r = 6 * (k - g**2 - 1) / (2 * k - 3 * g**2 - 6)
    root = math.sqrt(16 * (r - 1) - g**2 * (r - 2) ** 2)
    a, location, nu = root / 4, -(r - 2) * g / 4, -r * (r - 2) * g / root
    top = math.atan(-nu / r)

    def mass(low: float) -> float:
        angle, weights = nodes(low, math.pi / 2, 30000)
        height = r * np.log(np.maximum(np.cos(angle), 1e-300)) - nu * angle
        return float(np.exp(height - r * math.log(math.cos(top)) + nu * top) @ weights)

    curve = fit_pearson(0.0, 1.0, g, k)
    assert curve.kind == "IV"
    for z in (-1.5, 0.0, 1.0, 3.0, 6.0):
        expected = mass(math.atan((z - location) / a)) / mass(-math.pi / 2)
        assert curve.sf(z) == pytest.approx(expected, rel=1e-10)


def test_far_tail_of_type_four_is_a_power():
    """sf ~ z^-(r+1): positive, and with the right slope, as far as doubles reach."""
    r = 4.0
    curve = fit_pearson(0.0, 1.0, *moments_of(r, 0.4))
    for z in (1e10, 1e30, 1e60):
        assert curve.sf(z) / curve.sf(10 * z) == pytest.approx(10 ** (r + 1), rel=1e-6)
    assert curve.sf(1e300) == 0.0
    assert curve.isf(1e-300) == pytest.approx(1e50 * curve.isf(1e-50), rel=1e-6)


Z = np.array([-1.2, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0])


def jump(one: PearsonCurve, other: PearsonCurve) -> float:
    """Largest difference of two curves at the same points, relative to their tails and densities."""
    tails = [(a.sf(z), b.sf(z)) for z in Z.tolist() for a, b in ((one, other),)]
    pairs = [*tails, *zip(one.pdf(Z).tolist(), other.pdf(Z).tolist(), strict=True)]
    return max(abs(a - b) / max(a, b, 1e-9) for a, b in pairs if a + b > 0)


@pytest.mark.parametrize("g", [1e-3, 0.1, 0.5, 1.0, math.sqrt(2), 1.9])
@pytest.mark.parametrize("step", [1e-13, 3e-12, 1e-10, 1e-8, 1e-5])
def test_continuous_across_type_three(g, step):
    kurtosis = 3 + 1.5 * g**2
    below, on, above = (fit_pearson(0, 1, g, k) for k in (kurtosis - step, kurtosis, kurtosis + step))
    assert on.kind == "III"
    assert step < 1e-9 or (below.kind == "I" and above.kind in ("IV", "VI"))
    assert max(jump(below, on), jump(above, on)) < 50 * step + 1e-9


@pytest.mark.parametrize("r", [4.0, 9.0, 50.0, 1e4])
@pytest.mark.parametrize("step", [1e-14, 3e-12, 1e-10, 1e-8, 1e-5])
def test_continuous_across_type_five(r, step):
    below, on, above = (fit_pearson(0, 1, *moments_of(r, 1 + d)) for d in (-step, 0.0, step))
    assert step < 1e-9 or (below.kind, above.kind) == ("IV", "VI")
    assert max(jump(below, on), jump(above, on)) < 50 * step + 1e-9


@pytest.mark.parametrize("kurtosis", [1.3, 2.1, 2.9, 3 - 1e-9, 3.0, 3 + 1e-9, 3.1, 5.0])
@pytest.mark.parametrize("step", [1e-14, 3e-12, 1e-10, 2e-8, 1e-5])
def test_continuous_across_zero_skewness(kurtosis, step):
    left, on, right = (fit_pearson(0, 1, g, kurtosis) for g in (-step, 0.0, step))
    assert on.kind in ("0", "II", "VII")
    assert max(jump(left, on), jump(right, on)) < 100 * step + ROUNDING


@given(st.floats(-3, 3), st.floats(0.01, 30))
def test_any_possible_moments(skewness, surplus):
    curve = fit_pearson(1.0, 2.0, skewness, skewness**2 + 1 + surplus)
    tails = [curve.sf(t) for t in np.linspace(-6, 9, 31)]
    assert all(1.0 >= p >= q * (1 - 1e-13) >= 0.0 for p, q in pairwise(tails))
    assume(curve.kind not in ("I", "II"))
    assert tails[-1] > 0 or skewness < 0
    median = curve.isf(0.5)
    assert curve.sf(median) == pytest.approx(0.5, rel=1e-10)
    mirror = fit_pearson(-1.0, 2.0, -skewness, curve.kurtosis)
    assert mirror.sf(-median) == pytest.approx(0.5, rel=1e-10)


def test_location_and_scale():
    plain, moved = fit_pearson(0, 1, 1.1, 5.2), fit_pearson(-7.0, 1e-10, 1.1, 5.2)
    assert (moved.kind, moved.mean, moved.variance) == (plain.kind, -7.0, 1e-10)
    assert moved.isf(0.01) == pytest.approx(-7.0 + 1e-5 * plain.isf(0.01), rel=1e-14)
    assert moved.sf(-7.0 + 3e-5) == pytest.approx(plain.sf(3.0), rel=1e-9)
    assert moved.pdf(np.full((2, 3), -7.0)) == pytest.approx(np.full((2, 3), 1e5 * plain.pdf(np.zeros(1))[0]))
    assert pickle.loads(pickle.dumps(moved)) == moved


def test_outside_the_support():
    curve = fit_pearson(0.0, 1.0, 1.6, 1.6**2 + 4)
    low, high = curve.isf(1.0), curve.isf(0.0)
    assert [curve.sf(t) for t in (-math.inf, low - 1, high + 1, math.inf)] == [1, 1, 0, 0]
    assert curve.pdf(np.array([low - 1, high + 1, -math.inf, math.inf])).tolist() == [0, 0, 0, 0]
    for g, k in ((0.0, 3.0), (0.5, 4.25), (1.35, 5.8225), (2.0, 9.0), moments_of(9, 1.0), (0.0, 5.0)):
        curve = fit_pearson(0.0, 1.0, g, k)
        assert (curve.sf(-math.inf), curve.sf(math.inf)) == (1, 0)
        assert curve.pdf(np.array([-math.inf, math.inf])).tolist() == [0, 0]
        assert curve.isf(0.0) == math.inf


def test_impossible_moments():
    for skewness, kurtosis in ((0.0, 1.0), (0.0, 0.5), (2.0, 5.0), (-2.0, 4.9)):
        with pytest.raises(ValueError, match=r"kurtosis must exceed skewness\*\*2 \+ 1") as error:
            fit_pearson(0.0, 1.0, skewness, kurtosis)
        assert repr(kurtosis) in str(error.value)
        assert repr(skewness) in str(error.value)
    with pytest.raises(ValueError, match="variance"):
        fit_pearson(0.0, 0.0, 0.0, 3.0)
    with pytest.raises(ValueError, match="finite"):
        fit_pearson(0.0, 1.0, math.nan, 3.0)
    curve = fit_pearson(0.0, 1.0, 0.0, 3.0)
    with pytest.raises(ValueError, match="nan"):
        curve.sf(math.nan)
    for level in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="level"):
            curve.isf(level)
