"""Every result that a public name gives looks like something in a notebook: none is missing, all are escaped."""

import inspect
import typing

import numpy as np
import pytest

import twosample as ts
from tests.report import browser
from tests.report.test_browser import CONTRAST
from tools import showcase
from twosample.nulls import Null

GIVEN = {
    "Sketch", "LinearTimeMMD", "BinnedMoments", "GroupedFeatures", "Graph", "GraphDataset", "ProgressBar", "Auto",
    "Dense", "Features", "Fourier", "LowRank", "Tiled", "CrossMedian", "Fixed", "Median", "QuantileGrid",
    "Biased", "BlockAverage", "LinearTime", "Paired", "Unbiased", "Categories", "Number", "Ordinal", "Text",
    "Bhattacharyya", "Record", "SetKernel", "BrownianBridge", "Graphlet", "EdgeHistogram", "VertexHistogram",
    "ShortestPath", "WeisfeilerLehman", "RandomWalk", "GlobalAlignment", "Gappy", "Subsequence",
}  # fmt: skip
"""Public classes given to tests, not got from them: their ``repr`` says it in a line. So do kernels and nulls."""


def _classes(annotation):
    """Classes of the package that an annotation speaks of."""
    if inspect.isclass(annotation) and annotation.__module__.startswith("twosample"):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _classes(part)


def _returned(function):
    module = inspect.getmodule(inspect.unwrap(function))
    try:
        return set(_classes(typing.get_type_hints(inspect.unwrap(function), vars(module)).get("return")))
    except NameError:  # a type that is imported for checking only
        return set()


def _public(module):
    """Public functions and classes, those of public modules included."""
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.ismodule(value):
            yield from _public(value)
        elif inspect.isroutine(value) or inspect.isclass(value):
            yield value


def _of_class(kind):
    """What the public methods, properties and fields of a result give."""
    for name, value in inspect.getmembers(kind):
        if not name.startswith("_") and name not in ("kernel", "null", "engine", "law", "statistic"):
            if inspect.isfunction(value):
                yield from _returned(value)
            elif isinstance(value, property):
                yield from _returned(value.fget)


def _got(kinds):
    """Those that are got from tests."""
    return {kind for kind in kinds if not issubclass(kind, ts.Kernel | Null | Exception) and kind.__name__ not in GIVEN}


def results():
    """Public classes that are got from tests, what public functions return, and what all these give in turn."""
    public = set(_public(ts))
    classes = {kind for kind in public if inspect.isclass(kind)}
    found = _got(classes.union(*map(_returned, public - classes)))
    while True:
        more = _got(found.union(*map(_of_class, found)))
        if more == found:
            return found
        found = more


@pytest.fixture(scope="module")
def examples():
    found = showcase.results()
    return found | showcase.parts(found)


def test_every_result_is_in_the_showcase_and_has_a_form_for_notebooks(examples):
    shown = {type(one).__name__ for one in examples.values()}
    assert {kind.__name__ for kind in results()} - {"MeanEmbeddingOutlierDetector"} == shown
    for name, one in examples.items():
        text = one._repr_html_()
        assert text.startswith("<div"), name
        assert "object at 0x" not in text, name


def test_parts_are_escaped_and_short():
    hostile = ts.outliers({"<script>": np.arange(300.0) % 7}, {"<script>": [99.0]}, level=0.05).rows[0]
    text = hostile._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    long = ts.summarize({"<b>" + "n" * 500: [1, 2]})._repr_html_()
    assert "<b>n" not in long
    assert "(503 characters)" in long


def test_all_can_be_read_in_light_and_in_dark(examples, tmp_path):
    command = browser.find()
    if command is None:
        pytest.skip("no Chromium: install it, or set TWOSAMPLE_BROWSER")
    opened = browser.Browser(command)
    try:
        for style, *schemes in showcase.NOTEBOOKS.values():
            for dark, colours in enumerate(schemes):
                (tmp_path / "cells.html").write_text(showcase.cells(examples, style, colours), "utf-8")
                opened.open(tmp_path / "cells.html", dark=bool(dark))
                assert opened.ask(CONTRAST) == []
                assert opened.ask("document.documentElement.scrollWidth <= innerWidth")
    finally:
        opened.close()
