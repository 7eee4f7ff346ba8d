"""The moments of the appendix against exhaustive expectation over small discrete distributions."""

from math import exp

import numpy as np
import pytest

from tests import naive
from twosample.core.centred import CentredGram, pooled_square, u_centred
from twosample.core.sums import QuadraticForm
from twosample.statistics import Biased, Paired, Unbiased


def gaussian(a, b):
    return exp(-0.5 * (a[0] - b[0]) ** 2)


def product(a, b):
    return a[0] * b[0]


def skewed(a, b):
    """A kernel whose diagonal is not constant."""
    return (1 + a[0] * b[0]) ** 2


POPULATIONS = {
    "uniform": ([0.0, 1.0, 3.0], [1 / 3] * 3),
    "unequal": ([0.0, 1.0, 2.5], [0.6, 0.3, 0.1]),
    "coin": ([0.0, 1.0], [0.9, 0.1]),
}


@pytest.fixture(params=POPULATIONS, scope="module")
def population(request):
    return naive.Population(*POPULATIONS[request.param], gaussian)


@pytest.mark.parametrize(("m", "n"), [(2, 2), (2, 3), (3, 3), (4, 2)])
def test_moments_of_the_unbiased_form_are_exact(population, m, n):
    first, second, third = population.moments_under_h0(naive.mmd2_unbiased, m, n)
    centred, form = naive.CentredStub(population), Unbiased().form(m, n)
    assert first == pytest.approx(0, abs=1e-14)
    assert form.mean(centred) == 0
    assert form.variance(centred) == pytest.approx(second, rel=1e-10)
    assert form.third_moment(centred) == pytest.approx(third, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("m", [2, 3])
def test_moments_of_the_paired_form_are_exact(population, m):
    first, second, third = population.moments_under_h0(naive.mmd2_paired, m, m)
    centred, form = naive.CentredStub(population), Paired().form(m, m)
    assert first == pytest.approx(0, abs=1e-14)
    assert form.variance(centred) == pytest.approx(second, rel=1e-10)
    assert form.third_moment(centred) == pytest.approx(third, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("kernel", [product, skewed])
@pytest.mark.parametrize("statistic", [Unbiased(), Paired()])
def test_moments_hold_for_kernels_with_any_diagonal(kernel, statistic):
    population = naive.Population([-1.0, 0.0, 2.0], [0.5, 0.3, 0.2], kernel)
    loop = naive.mmd2_paired if isinstance(statistic, Paired) else naive.mmd2_unbiased
    _, second, third = population.moments_under_h0(loop, 3, 3)
    centred, form = naive.CentredStub(population), statistic.form(3, 3)
    assert form.variance(centred) == pytest.approx(second, rel=1e-10)
    assert form.third_moment(centred) == pytest.approx(third, rel=1e-9)


@pytest.mark.parametrize("m", [3, 5, 9])
def test_paired_moments_are_the_equations_of_the_paper(population, m):
    """2/(m(m-1)) E h^2; 8(m-2)/(m^2(m-1)^2) E h12 h23 h31 + (2/(m(m-1)))^2 E h^3."""
    pairs = [(a, b) for a in range(population.size) for b in range(population.size)]
    weight = np.array([population.p[a] * population.p[b] for a, b in pairs])
    H = np.array([[naive.h(z1, z2, population.k) for z2 in pairs] for z1 in pairs])
    square = weight @ H**2 @ weight
    cube = weight @ H**3 @ weight
    triangle = np.einsum("a,b,c,ab,bc,ca->", weight, weight, weight, H, H, H)
    centred, form = naive.CentredStub(population), Paired().form(m, m)
    assert form.variance(centred) == pytest.approx(2 / (m * (m - 1)) * square, rel=1e-10)
    third = 8 * (m - 2) / (m * (m - 1)) ** 2 * triangle + (2 / (m * (m - 1))) ** 2 * cube
    assert form.third_moment(centred) == pytest.approx(third, rel=1e-9)


@pytest.mark.parametrize(("m", "n"), [(2, 2), (2, 3), (3, 3)])
def test_moments_of_the_biased_form(population, m, n):
    """The mean is exact. The variance leaves out what the diagonal adds: at most 4 Var(E k(z,.)) (1/m^3 + 1/n^3)."""
    first, second, _ = population.moments_under_h0(lambda x, y, k: naive.mmd_biased(x, y, k) ** 2, m, n)
    centred, form = naive.CentredStub(population), Biased().form(m, n)
    assert form.mean(centred) == pytest.approx(first, rel=1e-10)
    means = [population.mean(lambda a, i=i: population.k(i, a), 1) for i in range(population.size)]
    spare = 4 * float(np.average(np.square(means), weights=population.p) - np.average(means, weights=population.p) ** 2)
    assert abs(second - first**2 - form.variance(centred)) <= spare * (1 / m**3 + 1 / n**3) * (1 + 1e-9) + 1e-14


def test_value_and_tolerance_of_a_form():
    from twosample.core.sums import BlockSums

    sums = BlockSums(*(np.array([value]) for value in (10.0, 7.0, 12.0, 2.0, 3.0)), 2, 3, 1e-12)
    form = QuadraticForm(2, 3, 0.5, 0.25, 0.125, 0.01, 0.02)
    assert form.value(sums) == pytest.approx([0.5 * 8 - 2 * 0.25 * 7 + 0.125 * 9 + 0.01 * 2 + 0.02 * 3])
    assert form.value(sums, paired=1.0) == pytest.approx(form.value(sums) + 2 * 0.25)
    assert 0 < form.tolerance(sums) < 1e-10


def test_u_centring_leaves_no_row_sums_and_no_diagonal():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(9, 2))
    A = u_centred(z @ z.T + 5)
    np.testing.assert_allclose(A.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(np.diagonal(A), 0)
    np.testing.assert_allclose(A, A.T)


def test_u_centring_does_not_modify_the_matrix():
    K = np.eye(5)
    u_centred(K)
    np.testing.assert_array_equal(K, np.eye(5))


@pytest.mark.parametrize("size", [4, 5, 6])
def test_square_is_unbiased_over_all_samples(size):
    """E of the U-centred sum of squares is exactly E k~^2, by exhaustive expectation."""
    population = naive.Population([0.0, 1.0, 3.0], [0.5, 0.3, 0.2], gaussian)
    K = np.array(population.K)
    expectation = population.mean(lambda *draw: CentredGram.of(K[np.ix_(draw, draw)]).square, size)
    assert expectation == pytest.approx(population.square(), rel=1e-9)


@pytest.mark.parametrize("size", [4, 5])
def test_spread_is_unbiased_over_all_samples(size):
    population = naive.Population([-1.0, 0.5, 3.0], [0.5, 0.3, 0.2], skewed)
    K = np.array(population.K)
    expectation = population.mean(lambda *draw: CentredGram.of(K[np.ix_(draw, draw)]).spread, size)
    assert expectation == pytest.approx(population.spread(), rel=1e-9)


def test_pooled_square_is_the_same_without_the_matrix():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(30, 2))
    K = np.exp(-0.5 * ((z[:, None] - z[None]) ** 2).sum(-1))
    off = K - np.diag(np.diagonal(K))
    assert pooled_square((off**2).sum(), off.sum(axis=1)) == pytest.approx(CentredGram.of(K).square, rel=1e-10)


def test_sample_moments_converge_to_the_population():
    """A sample in the exact proportions of a three-point law differs from it by O(1/N) only."""
    population = naive.Population([0.0, 1.0, 3.0], [0.5, 0.3, 0.2], gaussian)
    draw = np.repeat([0, 1, 2], [500, 300, 200])
    centred = CentredGram.of(np.array(population.K)[np.ix_(draw, draw)])
    assert centred.square == pytest.approx(population.square(), rel=0.01)
    assert centred.spread == pytest.approx(population.spread(), rel=0.01)
    assert centred.triangle() == pytest.approx(population.triangle(), rel=0.02)
    assert centred.cube() == pytest.approx(population.cube(), rel=0.02)


def test_eigenvalues_carry_the_square_and_the_triangle():
    rng = np.random.default_rng(3)
    z = rng.normal(size=(60, 1))
    centred = CentredGram.of(np.exp(-0.5 * (z - z.T) ** 2))
    values = centred.eigenvalues()
    assert np.square(values).sum() == pytest.approx(centred.square, rel=1e-9)
    assert values.sum() == pytest.approx(0, abs=1e-12)


def test_eigenvalues_of_the_population():
    """For a three-point law the operator has two nonzero eigenvalues; the estimates approach them."""
    population = naive.Population([0.0, 1.0, 3.0], [0.5, 0.3, 0.2], gaussian)
    table = np.array([[population.centred(a, b) for b in range(3)] for a in range(3)])
    root = np.sqrt(population.p)
    exact = np.sort(np.linalg.eigvalsh(root[:, None] * table * root[None, :]))[::-1][:2]
    draw = np.repeat([0, 1, 2], [150, 90, 60])
    found = np.sort(CentredGram.of(np.array(population.K)[np.ix_(draw, draw)]).eigenvalues())[::-1][:2]
    np.testing.assert_allclose(found, exact, rtol=0.02)


def test_a_part_of_the_pool_is_rescaled_to_the_whole():
    rng = np.random.default_rng(5)
    z = rng.normal(size=(40, 1))
    K = np.exp(-0.5 * (z - z.T) ** 2)
    own = CentredGram.of(K)
    doubled = CentredGram.of(K, square=4 * own.square, spread=own.spread)
    np.testing.assert_allclose(doubled.eigenvalues(), 2 * own.eigenvalues(), rtol=1e-10, atol=1e-15)
    assert doubled.triangle() == pytest.approx(8 * own.triangle(), rel=1e-10)
    assert doubled.cube() == pytest.approx(8 * own.cube(), rel=1e-10)


@pytest.mark.parametrize("value", [1.0, 0.3, 1e-8, 1e8])
@pytest.mark.parametrize("size", [4, 7, 14, 60, 98])
def test_a_constant_matrix_is_degenerate(value, size):
    assert CentredGram.of(np.full((size, size), value)).degenerate


@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1.0, 1e6, 1e150])
def test_points_that_differ_are_not_degenerate(scale):
    z = np.array([0.0, 1.0, 2.0, 4.0, 7.0])[:, None]
    assert not CentredGram.of(scale * np.exp(-0.5 * (z - z.T) ** 2)).degenerate
