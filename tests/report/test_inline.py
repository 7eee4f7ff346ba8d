"""Comparisons in notebooks and in matplotlib: in light and in dark, whatever the names are."""

import html as entities

import matplotlib as mpl
import matplotlib.pyplot
import numpy as np
import pytest

import twosample as ts
from tests.report.synthetic import column, comparison, hostile, numbers, shares
from twosample.errors import InputError
from twosample.report import html

mpl.use("Agg")


def test_the_notebook_has_the_table_and_the_whole_page():
    text = comparison()._repr_html_()
    for words in ("Different", "3 of 5 columns; most: age.", "january.csv", "in 9.0 % of B", "The whole page"):
        assert words in text
    frame = text[text.index('srcdoc="') + 8 : text.index('"></iframe>')]
    assert entities.unescape(frame) == html(comparison())
    assert "<script>" not in text


def test_hostile_names_do_no_harm():
    text = hostile()._repr_html_()
    outside = text[: text.index("<iframe")]
    assert "<script" not in outside
    assert "<img" not in text
    assert "\x1b" not in text


def test_large_pages_stay_outside():
    many = comparison([column(f"x{index}", picture=numbers()) for index in range(100)])
    assert len(html(many).encode()) > 600_000
    assert "<iframe" not in many._repr_html_()
    assert "and 70 more lines" in many._repr_html_()


def test_a_result_without_a_table_shows_its_summary_as_it_is():
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    text = ts.independence_matrix({"<b>": x, "y": y})._repr_html_()
    assert "&lt;b&gt; ~ y" in text
    assert "<b>Independence of 2 columns" in text
    assert text.count("<b>") == 1


@pytest.mark.parametrize(
    ("picture", "panels"),
    [(numbers(), 2), (numbers(dates=True), 2), (shares(), 1), (shares(("late", "$x^2$"), words=True), 1)],
)
def test_a_column_is_drawn(tmp_path, picture, panels):
    ax = column("price $_2$", picture=picture).plot()
    assert len(ax.figure.axes) == panels
    assert ax.get_title(loc="left").startswith("price")
    for name in ("price.png", "price.svg"):
        ax.figure.savefig(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    mpl.pyplot.close(ax.figure)


def test_heights_are_shares_of_rows_and_tails_have_a_bar():
    from dataclasses import replace

    picture = replace(numbers(), beyond_a=(0.0, 0.0), beyond_b=(0.0, 0.1))
    figure, own = mpl.pyplot.subplots()
    ax = column(picture=picture).plot(own)
    assert ax is own
    stairs = [patch.get_data() for patch in ax.patches]
    wide = picture.edges[1] - picture.edges[0]
    assert stairs[0].values == pytest.approx([height * wide for height in picture.density_a])
    assert stairs[-1].values == pytest.approx([0.1])
    assert stairs[-1].edges[0] > picture.edges[-1]
    assert any("> 3" in text.get_text() for text in ax.texts)
    mpl.pyplot.close(figure)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")  # letters that the fonts of this machine lack
def test_all_columns_are_drawn_against_the_margin():
    ax = comparison().plot()
    assert [label.get_text() for label in ax.get_yticklabels()][:3] == ["all columns together", "age", "day"]
    assert any(line.get_xdata()[0] == 0.1 for line in ax.lines)
    mpl.pyplot.close(ax.figure)
    ax = hostile().plot()
    ax.figure.canvas.draw()
    mpl.pyplot.close(ax.figure)


def test_nothing_to_draw_is_said():
    with pytest.raises(InputError, match="Column 'rare' has no picture"):
        comparison()["rare"].plot()
