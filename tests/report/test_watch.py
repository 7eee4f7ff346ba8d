"""The page of a watch: what it says, that it asks for nothing, and that it fits."""

import numpy as np
import pytest

import twosample as ts
from tests.report.browser import Browser, find
from twosample.report import html
from twosample.report.watching import prometheus, watch_junit

EVIL = '<script>alert(1)</script> "&\n\\'


@pytest.fixture(scope="module")
def monitor():
    rng = np.random.default_rng(0)

    def batch(shift):
        return {EVIL: rng.normal(shift, 1, 120), "city": rng.choice(["Oslo", "<b>Rome</b>"], 120)}

    m = ts.Monitor([batch(0) for _ in range(40)])
    for t in range(14):
        m.update(batch(1.0 * (t >= 8)))
    assert m.alarm
    return m


def test_the_page_says_what_is(monitor):
    page = html(monitor)
    assert "<script>" not in page
    assert "<b>Rome" not in page
    assert "The upright line is where the change began: batch 49" in page
    assert "All shares: A before, B since the change" in page
    assert page.count('class="band"') == 2  # numbers and categories; there is no pair of columns of numbers
    assert "at most one false alarm in 1,000 batches" in page
    assert html(monitor) == page


def test_a_watch_without_looks_and_one_that_was_accepted(monitor):
    rng = np.random.default_rng(1)
    assert "Still learning" in html(ts.Monitor([{"x": rng.normal(size=50)} for _ in range(3)]))
    copy = ts.Monitor.from_bytes(monitor.to_bytes())
    copy.accept()
    assert "Dotted: a change was accepted" in html(copy)


def test_other_programs_read_hostile_names(monitor):
    assert 'column="<script>alert(1)</script> \\"&␊\\\\"' in prometheus(monitor, "w")
    assert "&lt;script&gt;" in watch_junit(monitor, "w")


def test_report_writes_it(monitor, tmp_path):
    monitor.report(tmp_path / "w.html")
    assert (tmp_path / "w.html").read_text(encoding="utf-8") == html(monitor)
    with pytest.raises(ts.OptionError, match="HTML page"):
        monitor.report(tmp_path / "w.pdf")


@pytest.mark.skipif(find() is None, reason="needs Chromium")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_and_asks_for_nothing(monitor, tmp_path, width, dark):
    path = tmp_path / "w.html"
    monitor.report(path)
    browser = Browser(find())
    try:
        browser.open(path, width=width, dark=dark)
        assert browser.ask("document.documentElement.scrollWidth") == width
        assert browser.complaints() == []
        assert browser.requests() == [path.resolve().as_uri()]
        inside = "[...document.querySelectorAll('svg.plot')].every(s => s.getBoundingClientRect().width > 250)"
        assert browser.ask(inside)
    finally:
        browser.close()
