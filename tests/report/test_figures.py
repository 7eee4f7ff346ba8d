"""Geometry of the pictures, against what it should be by hand; axes; numbers as text."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.synthetic import numbers, shares
from twosample import _numbers as text
from twosample._shown import shown
from twosample.report.figures import NumberFigure, ShareFigure, draw, effect_bar, effect_scale
from twosample.report.ticks import ticks
from twosample.tables.parts import NumberPicture, SharePicture


def corners(path):
    """The points of a path made of M, L, H, V and Z."""
    at, points = (0.0, 0.0), []
    for letter, rest in re.findall(r"([MLHVZ])([^MLHVZ]*)", path):
        values = [float(v) for v in rest.split()]
        if letter == "Z":
            continue
        at = (values[0], at[1]) if letter == "H" else (at[0], values[0]) if letter == "V" else tuple(values)
        points.append(at)
    return points


def test_steps_follow_the_densities():
    picture = NumberPicture((0.0, 1.0, 2.0, 4.0), (0.5, 0.25, 0.0), (0.1, 0.1, 0.4), (), ())
    figure = draw("x", picture)
    assert corners(figure.density_a) == [
        (0, 100), (0, 4), (250, 4), (250, 52), (500, 52), (500, 100), (1000, 100), (1000, 100)
    ]  # fmt: skip
    assert corners(figure.density_b)[1] == (0, pytest.approx(100 - 96 * 0.2, abs=0.06))
    assert figure.curve is None


def test_areas_of_steps_are_shares():
    picture = numbers()
    figure = draw("x", picture)
    points = np.array(corners(figure.density_a))
    area = np.sum((100 - points[1:, 1]) * np.diff(points[:, 0]))
    heights = np.array(picture.density_a) / max(*picture.density_a, *picture.density_b)
    assert area == pytest.approx(96 * heights.mean() * 1000, rel=0.01)


def test_the_witness_crosses_zero_where_it_should():
    picture = NumberPicture((0.0, 10.0), (0.1,), (0.1,), (0.0, 5.0, 10.0), (1.0, -1.0, 3.0))
    figure = draw("x", picture)
    assert corners(figure.curve) == [(0, 34.7), (500, 65.3), (1000, 4)]
    assert figure.zero == 50.0
    assert all(y <= 50 for _, y in corners(figure.above))
    assert all(y >= 50 for _, y in corners(figure.below))
    assert "A has most more than B around 10." in figure.words
    assert "B has most more than A around 5." in figure.words


@pytest.mark.parametrize(
    ("highest", "chance", "scale"), [(0.004, 0.01, 0.1), (0.04, 0.15, 0.2), (0.3, 0.0, 0.5), (0.9, 0.1, 1.0)]
)
def test_the_witness_has_one_of_four_scales(highest, chance, scale):
    picture = NumberPicture((0.0, 10.0), (0.1,), (0.1,), (0.0, 10.0), (highest, 0.0), band=(chance, chance))
    figure = draw("x", picture)
    assert figure.scale == f"{scale:g}"
    assert corners(figure.curve)[0][1] == pytest.approx(50 - 46 * highest / scale, abs=0.06)
    if chance:
        assert corners(figure.band)[0][1] == pytest.approx(50 - 46 * chance / scale, abs=0.06)
    assert ("within what chance" in figure.words) == (highest <= chance)


def test_what_lies_beyond_is_a_bar_with_its_share():
    edges = (-0.5, 0.5, 1.5, 2.5)
    picture = NumberPicture(edges, (0.2, 0.5, 0.2), (0.3, 0.3, 0.3), (), (), False, (0.0, 0.1), (0.0, 0.1), (), 1.0)
    figure = draw("x", replace(picture, beyond_b=(0.0, 0.05), density_b=(0.3, 0.3, 0.35)))
    [tail] = figure.tails
    assert tail.label == "> 2"
    assert tail.words == "above 2: 10 % of A, 5.0 % of B"
    far = draw("x", replace(picture, ends=(0.0, 99.0)))
    assert far.tails[0].words == "above 2, as far as 99: 10 % of A, 10 % of B"
    assert corners(tail.bar_a)[1][1] == pytest.approx(100 - 96 * 0.2, abs=0.06)  # a fifth of the highest bar
    assert max(x for x, _ in corners(figure.density_a)) < min(x for x, _ in corners(tail.bar_a))
    assert [tick.label for tick in figure.ticks] == ["0", "1", "2"]
    assert figure.ticks[-1].at < tail.at


def test_quartiles_in_words():
    picture = NumberPicture((0.0, 1.0, 2.0, 3.0, 4.0), (0.25,) * 4, (0.0, 0.0, 0.0, 1.0), (), ())
    words = draw("x", picture).words
    assert "Half of A lies between about 1 and 3, with 2 in the middle." in words
    assert "Half of B lies between about 3.25 and 3.75, with 3.5 in the middle." in words


@pytest.mark.parametrize(
    "picture",
    [
        None,
        NumberPicture((), (), (), (), ()),
        NumberPicture((1.0, 1.0), (1.0,), (1.0,), (), ()),
        NumberPicture((0.0, float("inf")), (1.0,), (1.0,), (), ()),
        NumberPicture((0.0, 1.0), (0.0,), (0.0,), (), ()),
        NumberPicture((0.0, 1.0), (float("nan"),), (0.0,), (), ()),
        SharePicture((), (), (), None, None, 0.0, 0.0),
    ],
)
def test_nothing_to_draw(picture):
    assert draw("x", picture) is None


def test_long_witnesses_and_odd_values_are_tamed():
    grid = tuple(np.linspace(-5, 15, 5000))
    wild = tuple(float("nan") if index % 7 == 0 else np.sin(index / 50) for index in range(5000))
    figure = draw("x", NumberPicture((0.0, 10.0), (0.1,), (0.1,), grid, wild))
    assert isinstance(figure, NumberFigure)
    assert len(figure.curve) < 5000
    assert "nan" not in figure.curve
    assert all(0 <= x <= 1000 and 0 <= y <= 100 for x, y in corners(figure.curve))


def test_bars():
    figure = draw("city", shares(tuple(f"c{index}" for index in range(20))))
    assert isinstance(figure, ShareFigure)
    assert [bar.label for bar in figure.bars][-2:] == ["all others", "missing"]
    assert len(figure.bars) == 14
    assert figure.left_out == 8
    assert sum(bar.share_a for bar in figure.bars) == pytest.approx(1.0)
    assert max(max(bar.width_a, bar.width_b) for bar in figure.bars) == 100.0
    words = draw("note", shares(("late", "good"), words=True))
    assert [bar.label for bar in words.bars] == ["late", "good", "missing"]
    assert draw("x", replace(shares(("",)), missing_a=0.0, missing_b=0.0)).bars[0].special


def test_effects_share_a_scale():
    assert effect_scale(0.03, 0.1) == 0.2
    assert effect_scale(0.33, 0.1) == 0.4
    assert effect_scale(5.0, 0.1) == 1.0
    assert effect_scale(float("nan"), 0.01) == 0.02
    bar = effect_bar(0.1, 0.3, 0.2, 0.4)
    assert (bar.low, bar.high, bar.at) == (25.0, 75.0, 50.0)
    assert effect_bar(-1, float("inf"), 2, 1.0).at == 100.0


@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e12), st.integers(2, 7))
def test_ticks_are_few_in_order_and_inside(low, span, most):
    found = ticks(low, low + span, most)
    places = [tick.at for tick in found]
    assert len(found) <= most + 1
    assert places == sorted(places)
    assert all(-0.01 <= at <= 100.01 for at in places)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0, 10, ["0", "2", "4", "6", "8", "10"]),
        (-1.2, 1.2, ["−1.0", "−0.5", "0", "0.5", "1.0"]),
        (0, 1.1, ["0", "0.25", "0.50", "0.75", "1.00"]),
        (0, 150_000, ["0", "50k", "100k", "150k"]),
        (1e6, 6e6, ["1M", "2M", "3M", "4M", "5M", "6M"]),
        (0, 4e-5, ["0", "1×10⁻⁵", "2×10⁻⁵", "3×10⁻⁵", "4×10⁻⁵"]),
        (0, 2.3e12, ["0", "5×10¹¹", "1×10¹²", "1.5×10¹²", "2×10¹²"]),
        (3.0, 3.0, []),
        (0, float("inf"), []),
    ],
)
def test_labels(low, high, labels):
    assert [tick.label for tick in ticks(low, high)] == labels


def seconds(*date):
    return datetime(*date, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (seconds(2024, 1, 1), seconds(2024, 7, 20), ["2024-01", "2024-03", "2024-05", "2024-07"]),
        (seconds(1995, 3, 1), seconds(2024, 7, 20), ["2000", "2010", "2020"]),
        (seconds(2024, 2, 28), seconds(2024, 3, 2), ["02-28 00:00", "02-29 00:00", "03-01 00:00", "03-02 00:00"]),
        (seconds(2024, 2, 28, 10), seconds(2024, 2, 28, 10, 40), ["02-28 10:00", "02-28 10:15", "02-28 10:30"]),
        (seconds(2024, 2, 28), seconds(2024, 3, 20), ["2024-02-29", "2024-03-07", "2024-03-14"]),
    ],
)  # fmt: skip
def test_dates(low, high, labels):
    assert [tick.label for tick in ticks(low, high, dates=True)] == labels


@given(st.floats(-1e14, 1e14), st.floats(1e-3, 1e14))
def test_dates_of_any_time_do_not_fail(low, span):
    assert len(ticks(low, low + span, dates=True)) <= 8
    picture = replace(numbers(), edges=(low, low + span), density_a=(1.0,), density_b=(1.0,), dates=True)
    draw("x", picture)


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (text.count(1234567), "1,234,567"),
        (text.counted(1, "column"), "1 column"),
        (text.counted(2000, "column"), "2,000 columns"),
        (text.percent(0.0), "0\u202f%"),
        (text.percent(1.0), "100\u202f%"),
        (text.percent(0.1234), "12.3\u202f%"),
        (text.percent(0.0001), "<\u202f0.1\u202f%"),
        (text.percent(0.99999), ">\u202f99.9\u202f%"),
        (text.percent(0.1), "10.0\u202f%"),
        (text.points(0.031), "+3.1"),
        (text.points(-0.2), "−20.0"),
        (text.points(0.0), "±0.0"),
        (text.page_pvalue(0.0321), "0.032"),
        (text.page_pvalue(0.001), "0.001"),
        (text.page_pvalue(3.24e-7), "3.2×10⁻⁷"),
        (text.page_pvalue(1e-300), "<\u202f10⁻⁹⁹"),
        (text.page_pvalue(1.0), "1"),
        (text.page_pvalue(0.0009), "9×10⁻⁴"),
        (text.effect(0.1234), "0.123"),
        (text.value(1234.5678), "1,235"),
        (text.value(-0.00012345), "−0.0001234"),
        (text.value(123456789.0), "1.235×10⁸"),
        (text.value(0.0), "0"),
        (text.value(42.0), "42"),
    ],
)
def test_numbers_as_text(made, wanted):
    assert made == wanted


@given(st.text())
def test_shown_is_one_visible_line_that_every_file_can_hold(raw):
    once = shown(raw)
    assert shown(once) == once
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]", once)
    assert len(once.splitlines()) <= 1
    once.encode("utf-8")
    assert len(shown(raw * 50, 30)) <= 30 * 10 + 40
