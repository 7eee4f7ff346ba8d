"""Pictures of a watch and of outliers: what is drawn is what the result says."""

from io import BytesIO

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


def _line(ax, name):
    """The points of the line with that name in the legend."""
    lines = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    return np.column_stack(lines[name].get_data())


def _day(rng, shift=0.0):
    return {"price": rng.normal(shift, 1, 60)}


@pytest.fixture(scope="module")
def watch():
    rng = np.random.default_rng(0)
    m = ts.Monitor([_day(rng) for _ in range(30)], false_alarms=0.01)
    for shift in (0, 0, 0, 3, 3, 3):
        m.update(_day(rng, shift))
    return m


def test_a_watch_shows_every_look_and_its_alarms(watch):
    ax = watch.plot()
    line, alarms = _line(ax, "p-value"), _line(ax, "alarm")
    np.testing.assert_array_equal(line[:, 1], [look.pvalue for look in watch.looks])
    assert [watch.looks[int(place)].alarm for place in alarms[:, 0]] == [True] * sum(x.alarm for x in watch.looks)
    np.testing.assert_allclose(_line(ax, "level, 1 in 100")[:, 1], 0.01)
    low, high = ax.get_ylim()
    assert low == 1 > high  # small p-values are above
    assert f"since {watch.since}" in ax.get_legend_handles_labels()[1]
    assert ax.get_title(loc="left") == f"Alarm at {watch.looks[-1].batch}"
    assert ax.get_xlabel() == "batch"


def test_a_watch_after_an_acceptance_and_with_a_column_gone():
    rng = np.random.default_rng(1)
    m = ts.Monitor([_day(rng) for _ in range(30)], false_alarms=0.01)
    while not m.alarm:
        m.update(_day(rng, 5))
    m.accept()
    before = len(m.looks)
    m.update({"weight": [1.0, 2.0]}, name="$ odd _{")
    ax = m.plot()
    names = ax.get_legend_handles_labels()[1]
    assert "accepted" in names
    np.testing.assert_array_equal(_line(ax, "accepted")[:, 0], [before - 0.5] * 2)
    assert m.looks[-1].alarm
    tested = m.looks[-1].pvalue is not None
    assert ("alarm without a test" in names) != tested
    ax.figure.savefig(BytesIO(), format="png")  # a name with $ is no formula


def test_a_watch_without_looks_has_no_picture():
    rng = np.random.default_rng(2)
    with pytest.raises(ts.InputError, match="no batch has come since the reference"):
        ts.Monitor([_day(rng) for _ in range(25)]).plot()


def test_outliers_show_every_row_and_the_threshold():
    rng = np.random.default_rng(0)
    new = np.concatenate([rng.normal(size=80), [9.0, -8.0]])
    found = ts.outliers(rng.normal(size=600), new)
    ax = found.plot()
    odd, fit = _line(ax, f"{len(found.rows)} outliers"), _line(ax, f"{82 - len(found.rows)} rows that fit")
    assert sorted(odd[:, 0].astype(int)) == sorted(one.row for one in found.rows)
    np.testing.assert_array_equal(np.sort([*odd[:, 1], *fit[:, 1]]), np.sort(found.scores))
    np.testing.assert_allclose(_line(ax, f"threshold {found.threshold:.3g}")[:, 1], found.threshold)
    assert odd[:, 1].max() < found.threshold <= fit[:, 1].min()
    assert ax.texts[0].get_text() == f"row {found.rows[0].row}: c0"
    assert ax.get_title(loc="left").startswith(f"{len(found.rows)} of 82 rows are outliers")


def test_many_rows_are_thinned_but_no_outlier_is():
    rng = np.random.default_rng(0)
    found = ts.outliers(rng.normal(size=400), rng.normal(size=12_000), level=0.02)
    names = found.plot().get_legend_handles_labels()[1]
    assert any(name.endswith(", one in 3 drawn") for name in names), names
    assert f"{len(found.rows)} outliers" in names


def test_too_few_reference_rows_have_no_threshold():
    rng = np.random.default_rng(0)
    ax = ts.outliers(rng.normal(size=20), rng.normal(size=5)).plot()
    assert not any("threshold" in name for name in ax.get_legend_handles_labels()[1])


def test_given_axes_are_used(watch):
    _, (left, right) = plt.subplots(1, 2)
    assert watch.plot(left) is left
    assert ts.outliers(np.arange(30.0) % 7, [1.0, 2.0]).plot(ax=right) is right
