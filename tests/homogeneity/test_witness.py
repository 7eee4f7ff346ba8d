"""The witness function: its values, its norm, its rows."""

import numpy as np
import pytest

import twosample as ts
from tests import naive
from twosample.kernels import KERNELS

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(25, 2)), RNG.normal(size=(30, 2)) + np.array([1.0, 0.0])


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("kernel", KERNELS)
def test_values_are_the_definition(kernel, columns):
    rng = np.random.default_rng(1)
    x, y, at = (rng.normal(size=(size, columns)) for size in (9, 7, 11))
    w = ts.witness(x, y, kernel=kernel)
    expected = naive.witness(at, x, y, naive.of(w.kernel))
    size = np.abs(w.kernel.block(at, np.concatenate([x, y]))).max()
    np.testing.assert_allclose(w(at), expected, atol=1e-6 * size)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_mean_difference_is_the_squared_mmd(kernel):
    w = ts.witness(X, Y, kernel=kernel)
    expected = ts.mmd(X, Y, kernel=w.kernel, statistic="biased") ** 2
    assert w(X).mean() - w(Y).mean() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_normalised_to_unit_norm(kernel):
    """|f|^2 = a' K a with a = scale (1/m, ..., -1/n): exactly 1; the mean difference is then MMD_b."""
    w = ts.witness(X, Y, kernel=kernel, normalised=True)
    z = np.concatenate([X, Y])
    a = w.scale * np.concatenate([np.full(25, 1 / 25), np.full(30, -1 / 30)])
    assert a @ w.kernel.block(z, z) @ a == pytest.approx(1, rel=1e-5)
    assert w(X).mean() - w(Y).mean() == pytest.approx(ts.mmd(X, Y, kernel=w.kernel, statistic="biased"), rel=1e-5)


def test_a_small_difference_is_normalised_as_well():
    """The norm is a small difference of large numbers; it must not be lost in single precision."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(400, 3)), rng.normal(size=(400, 3))
    w = ts.witness(x, y, kernel=ts.Gaussian(5.0), normalised=True)
    assert 1 / w.scale == pytest.approx(ts.mmd(x, y, kernel=ts.Gaussian(5.0), statistic="biased"), rel=1e-4)


def test_identical_samples_have_no_witness():
    w = ts.witness(X, X[::-1], normalised=True)
    np.testing.assert_allclose(w(X), 0, atol=1e-6)
    constant = ts.witness(np.ones(5), np.ones(7), normalised=True)
    np.testing.assert_allclose(constant([1.0, 2.0]), 0, atol=1e-12)


def test_positive_where_x_is_denser():
    w = ts.witness(RNG.normal(size=400), RNG.normal(size=400) + 3)
    assert w([-1.0])[0] > 0 > w([4.0])[0]


def test_the_witness_of_figure_one():
    """Gauss against Laplace, equal mean and variance: the Laplace law wins at the centre and far out."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=6000), rng.laplace(scale=1 / np.sqrt(2), size=6000)
    w = ts.witness(x, y, kernel=ts.Gaussian(0.5))
    at = w([0.0, 1.2, -1.2, 3.5, -3.5])
    assert at[0] < 0 < min(at[1], at[2])
    assert max(at[3], at[4]) < 0


def test_rows_are_the_extremes_in_order():
    w = ts.witness(X, Y)
    rows = w.rows(5)
    at_x, at_y = w(X), w(Y)
    np.testing.assert_array_equal(rows.x, np.argsort(-at_x)[:5])
    np.testing.assert_array_equal(rows.y, np.argsort(at_y)[:5])
    np.testing.assert_allclose(rows.x_values, np.sort(at_x)[::-1][:5], rtol=1e-6)
    np.testing.assert_allclose(rows.y_values, np.sort(at_y)[:5], rtol=1e-6)
    assert len(w.rows().x) == 10
    assert len(w.rows(1000).x) == 25
    assert len(w.rows(1000).y) == 30


def test_rows_find_the_rows_that_were_planted():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(200, 2)), rng.normal(size=(200, 2))
    planted = np.arange(3, 200, 8)
    x[planted] = [6.0, 6.0]
    rows = ts.witness(x, y, kernel=ts.Gaussian(1.0)).rows(len(planted))
    assert set(rows.x) == set(planted)
    assert (rows.x_values > 0).all()


def test_one_row_number_at_a_time():
    assert len(ts.witness(X, Y).rows(1).x) == 1


@pytest.mark.parametrize("count", [0, -1, 1.5, "ten"])
def test_bad_numbers_of_rows(count):
    with pytest.raises(ts.OptionError, match="count"):
        ts.witness(X, Y).rows(count)


def test_points_in_every_shape():
    w = ts.witness(X, Y)
    assert w([[0.0, 0.0]]).shape == (1,)
    assert w([0.5, -0.5]).shape == (1,)  # one point as a plain list
    assert w([0.5, -0.5]) == pytest.approx(w([[0.5, -0.5]]))
    line = ts.witness(X[:, 0], Y[:, 0])
    assert line([0.0, 1.0, 2.0]).shape == (3,)
    assert line([[0.0], [1.0]]).shape == (2,)


def test_points_of_another_dimension():
    with pytest.raises(ts.InputError, match=r"points have 3 column.*samples have 2"):
        ts.witness(X, Y)([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("bad", [[[np.nan, 0.0]], [["a", "b"]], None, [[1j, 0]]])
def test_bad_points(bad):
    with pytest.raises(ts.InputError, match="points"):
        ts.witness(X, Y)(bad)


def test_more_points_than_a_tile():
    at = RNG.normal(size=(2500, 2))
    w = ts.witness(X, Y)
    np.testing.assert_allclose(w(at)[2100:2110], w(at[2100:2110]), atol=1e-7)


def test_a_common_offset_only_moves_the_witness():
    """Points 1e7 away from 0 lose nothing but the digits that they cannot hold."""
    w, far = ts.witness(X, Y, kernel=ts.Gaussian(1.0)), ts.witness(X + 1e7, Y + 1e7, kernel=ts.Gaussian(1.0))
    np.testing.assert_allclose(far(X + 1e7), w(X), atol=1e-6)


def test_the_samples_are_kept_in_the_units_of_the_user():
    w = ts.witness(X + 50, Y + 50)
    np.testing.assert_allclose(w.x, X + 50)
    np.testing.assert_allclose(w.y, Y + 50)


def test_later_changes_of_the_input_do_not_change_the_witness():
    x = X.copy()
    w = ts.witness(x, Y)
    before = w([[0.0, 0.0]])
    x[:] = 99
    np.testing.assert_array_equal(w([[0.0, 0.0]]), before)


def test_precomputed_kernels():
    z = np.concatenate([X, Y])
    kernel = ts.Gaussian(1.0)
    w = ts.witness(None, None, kernel=ts.Precomputed(kernel.block(z, z), m=25))
    plain = ts.witness(X, Y, kernel=kernel)
    np.testing.assert_allclose(w(range(55)), plain(z), atol=1e-6)
    np.testing.assert_array_equal(w.rows(3).x, plain.rows(3).x)
    np.testing.assert_array_equal(w.rows(3).y, plain.rows(3).y)


@pytest.mark.parametrize("at", [[55], [-1], [0.5]])
def test_precomputed_kernels_know_their_rows(at):
    z = np.concatenate([X, Y])
    w = ts.witness(None, None, kernel=ts.Precomputed(ts.Gaussian(1.0).block(z, z), m=25))
    with pytest.raises(ts.InputError, match="row numbers"):
        w(at)


def test_frozen():
    from dataclasses import FrozenInstanceError

    w = ts.witness(X, Y)
    with pytest.raises(FrozenInstanceError):
        w.scale = 2.0
    assert len(repr(w)) < 200


def test_same_errors_as_the_test():
    with pytest.raises(ts.InputError, match=r"2 column.*1"):
        ts.witness(X, Y[:, 0])
    with pytest.raises(ts.OptionError, match="kernel='gauss'"):
        ts.witness(X, Y, kernel="gauss")
