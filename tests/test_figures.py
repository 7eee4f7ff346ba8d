"""Pictures can be drawn for every kind of result, and say what they show."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import twosample as ts


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def _samples(columns):
    rng = np.random.default_rng(0)
    shape = 60 if columns == 1 else (60, columns)
    return rng.normal(size=shape), rng.normal(size=shape) + 1


@pytest.mark.parametrize(
    ("statistic", "null"),
    [
        ("unbiased", "permutation"),
        ("biased", "bootstrap"),
        ("unbiased", "spectrum"),
        ("biased", "gamma"),
        ("paired", "pearson"),
        ("linear", "normal"),
        ("biased", "mcdiarmid"),
        ("unbiased", "hoeffding"),
    ],
)
def test_null_distribution_with_observed_value(statistic, null):
    r = ts.mmd_test(*_samples(2), statistic=statistic, null=null, rng=0)
    ax = r.plot()
    labels = ax.get_legend_handles_labels()[1]
    assert any(f"p = {r.pvalue:.3g}" in label for label in labels)
    assert any(np.isclose(line.get_xdata()[0], r.statistic) for line in ax.lines if len(line.get_xdata()) == 2)
    assert ax.get_xlabel() == r.symbol


def test_given_axes_are_used():
    _, ax = plt.subplots()
    assert ts.mmd_test(*_samples(1), rng=0).plot(ax) is ax
    assert ts.witness(*_samples(1)).plot(ax) is ax


def test_witness_on_a_line_shows_both_samples_and_the_function():
    x, y = _samples(1)
    ax = ts.witness(x, y).plot()
    labels = ax.get_legend_handles_labels()[1]
    assert labels[:3] == ["x (60 rows)", "y (60 rows)", "chance alone, 95 %"]
    assert labels[3].startswith("witness, times ")
    curve = ax.lines[0]
    assert curve.get_ydata()[0] > 0 > curve.get_ydata()[-1]


def test_witness_in_the_plane_has_contours():
    ax = ts.witness(*_samples(2)).plot()
    assert len(ax.collections) >= 3


def test_no_picture_beyond_two_columns():
    with pytest.raises(ts.InputError, match="one or two columns"):
        ts.witness(*_samples(3)).plot()


def test_a_constant_pool_can_be_drawn():
    r = ts.mmd_test(np.zeros(10), np.zeros(10), null="spectrum")
    assert r.plot().get_title(loc="left") == "No difference found"
    assert ts.witness(np.zeros(10), np.zeros(10)).plot().lines
