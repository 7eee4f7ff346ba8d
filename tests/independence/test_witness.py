"""The witness of dependence against its definition, what it refuses, and its picture."""

import numpy as np
import pytest

import twosample as ts


def rotated(n=200, angle=np.pi / 4, seed=1):
    """The paper's figure: two independent uniform sources, rotated."""
    rng = np.random.default_rng(seed)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return turn @ rng.uniform(-1.4, 1.4, size=(2, n))


def test_values_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(12, 2)), rng.normal(5.0, size=12)
    w = ts.dependence_witness(x, y, kernel_y=ts.Laplace(0.7))
    s, t = rng.normal(size=(3, 2)), rng.normal(5.0, size=3)
    for value, a, b in zip(w(s, t), s, t, strict=True):
        k = [np.exp(-np.sum((p - a) ** 2) / (2 * w.kernel.bandwidth**2)) for p in x]
        m = [np.exp(-abs(p - b) / 0.7) for p in y]
        assert value == pytest.approx(np.mean(np.multiply(k, m)) - np.mean(k) * np.mean(m), abs=1e-14)
    np.testing.assert_allclose(np.diagonal(w.on_grid(s, t)), w(s, t), atol=1e-14)


def test_its_mean_over_pairs_less_that_over_all_combinations_is_hsic():
    x, y = rotated()
    k = ts.Gaussian(0.2)
    w = ts.dependence_witness(x, y, kernel=k)
    value = ts.hsic_test(x, y, kernel=k, statistic="biased", rng=0).statistic
    assert w(x, y).mean() - w.on_grid(x, y).mean() == pytest.approx(value, rel=1e-9)


def test_the_figure_of_the_paper():
    x, y = rotated(400)
    w = ts.dependence_witness(x, y, kernel=ts.Gaussian(0.2))
    corners = w([1.7, 0.0, -1.7, 0.0], [0.0, 1.7, 0.0, -1.7])  # of the square, where pairs are more frequent
    outside = w([1.5, -1.5, 1.5, -1.5], [1.5, 1.5, -1.5, -1.5])  # where both margins have mass and there are no pairs
    assert corners.mean() > 0.003
    assert outside.max() < 0


def test_rows_that_speak_most():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 100))
    x[40:52], y[40:52] = 4.0, 4.0
    rows = ts.dependence_witness(x, y, bandwidth=0.5).rows(12)
    assert set(rows.tolist()) == set(range(40, 52))


def test_what_is_refused():
    x, y = rotated(20)
    w = ts.dependence_witness(x, y)
    with pytest.raises(ts.InputError, match="x has 2 points and y has 1"):
        w([0.0, 1.0], [0.0])
    with pytest.raises(ts.InputError, match="points of x have 2"):
        w([[0.0, 1.0]], [0.0])
    with pytest.raises(ts.InputError, match="points of y have 2"):
        w.on_grid([0.0], [[0.0, 1.0]])
    with pytest.raises(ts.InputError, match="NaN"):
        w([np.nan], [0.0])
    for count in ("x", 0.5, 0):
        with pytest.raises(ts.OptionError, match="count="):
            w.rows(count)
    with pytest.raises(ts.InputError, match="20 rows and y has 19"):
        ts.dependence_witness(x, y[:19])


@pytest.mark.filterwarnings("error")
def test_points_out_of_all_reach():
    w = ts.dependence_witness(*rotated(20))
    assert w([1e300], [0.0]) == pytest.approx([0.0])
    assert w.on_grid([0.0, -1e300], [1e300]) == pytest.approx(np.zeros((2, 1)))


def test_picture():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    x, y = rotated(50)
    ax = ts.dependence_witness(x, y).plot()
    assert ax.get_title(loc="left") == "Witness of the dependence"
    with pytest.raises(ts.InputError, match="one column each"):
        ts.dependence_witness(np.column_stack([x, y]), y).plot()
    ts.dependence_witness(np.zeros(5), np.zeros(5)).plot()
    pyplot.close("all")
