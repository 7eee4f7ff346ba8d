"""The result: frozen, complete, not iterable, readable by people and machines."""

import json
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import twosample as ts
from tests.nulls.made import made
from twosample.nulls import NULLS
from twosample.statistics import STATISTICS

X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.random.default_rng(1).normal(size=(35, 2)) + 0.7
PAIRS = [(statistic, null) for statistic in STATISTICS for null in NULLS if statistic in NULLS[null].statistics]


@pytest.fixture(scope="module")
def result():
    return ts.mmd_test(X, Y, rng=0)


def test_it_has_the_fields_of_the_design(result):
    for name in (
        "statistic",
        "pvalue",
        "threshold",
        "rejected",
        "level",
        "kernel",
        "engine",
        "null",
        "m",
        "n",
        "notes",
    ):
        assert hasattr(result, name)
    assert (result.m, result.n, result.columns) == (30, 35, 2)
    for name in ("statistic", "pvalue", "threshold", "level"):
        assert type(getattr(result, name)) is float
    assert result.rejected is True
    assert isinstance(result.notes, tuple)


def test_frozen(result):
    for field in fields(result):
        with pytest.raises(FrozenInstanceError):
            setattr(result, field.name, 0)
    with pytest.raises(FrozenInstanceError):
        result.extra = 1
    with pytest.raises(AttributeError):
        result.rejected = False


def test_not_iterable_and_not_a_truth_value_by_length(result):
    with pytest.raises(TypeError):
        iter(result)
    with pytest.raises(TypeError):
        len(result)
    with pytest.raises(TypeError):
        _, _ = result
    with pytest.raises(TypeError):
        result[0]


@pytest.mark.parametrize(("statistic", "null"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
def test_to_dict_is_json(statistic, null):
    r = ts.mmd_test(X, Y[:30], statistic=statistic, null=made(null, 30, 30), rng=0)
    data = json.loads(r.to_json())
    assert data == json.loads(json.dumps(r.to_dict(), allow_nan=False))
    assert data["statistic"] == r.statistic
    assert data["pvalue"] == r.pvalue
    assert data["threshold"] == r.threshold
    assert data["rejected"] == r.rejected
    assert data["notes"] == list(r.notes)
    assert data["null"] == repr(r.null)
    assert data["kernel"] == repr(r.kernel)
    assert data["version"] == ts.__version__
    assert "Gretton" in data["citation"]


def test_an_infinite_threshold_is_null_in_json():
    with pytest.warns(ts.SmallSampleWarning):
        r = ts.mmd_test([1.0, 2.0], [3.0, 4.0])
    assert r.threshold == float("inf")
    assert r.to_dict()["threshold"] is None
    assert json.loads(r.to_json())["threshold"] is None
    assert "inf" in r.summary()


def test_json_layout(result):
    assert "\n" in result.to_json()
    assert "\n" not in result.to_json(indent=None)
    assert "MMD²_u" in result.to_json()  # not escaped


def test_summary(result):
    text = result.summary()
    assert str(result) == text
    first, *rest = text.splitlines()
    assert first.startswith("MMD two-sample test: the samples differ")
    assert f"p = {result.pvalue:.4g}" in first
    assert "level 0.05" in first
    assert any(f"{result.statistic:.6g}" in line for line in rest)
    assert any(f"{result.threshold:.6g}" in line for line in rest)
    assert any("m = 30, n = 35, 2 columns" in line for line in rest)
    assert any(repr(result.kernel) in line for line in rest)
    assert any(repr(result.null) in line for line in rest)
    assert any("pooled points" in line for line in rest)


def test_a_tiny_pvalue_is_a_bound_in_words():
    rng = np.random.default_rng(0)
    x, y, reference = rng.normal(size=400), rng.normal(9, size=400), rng.normal(size=400)
    text = ts.relative_test(x, y, reference, rng=0).summary()
    assert "(p < 1e-99, " in text
    assert "= <" not in text


def test_the_other_verdict():
    r = ts.mmd_test(X, X[::-1], rng=0)
    assert "no difference found" in r.summary()
    assert "no difference found" in r._repr_html_()


def test_one_column_is_singular():
    assert "1 column\n" in ts.mmd_test(X[:, 0], Y[:, 0], rng=0).summary()


def test_notes_are_shown_everywhere():
    r = ts.mmd_test(np.ones(5), np.ones(6))
    (note,) = r.notes
    assert note in r.summary()
    assert note in r.to_dict()["notes"]
    assert note in r._repr_html_()


def test_html_is_escaped():
    def kernel(a, b):
        return a @ b.T

    kernel.__name__ = "<script>alert('x')</script>&"
    r = ts.mmd_test(X, Y, kernel=kernel, rng=0)
    html = r._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "&amp;" in html
    assert html.count("<table") == html.count("</table>") == 1


def test_repr_is_short(result):
    text = repr(result)
    assert text.startswith("TestResult(")
    assert len(text) < 1000


def test_not_collected_by_pytest():
    assert ts.TestResult.__test__ is False


def test_citation(result):
    assert "A Kernel Method for the Two-Sample Problem" in result.citation


def test_results_of_the_linear_statistic_have_no_engine():
    r = ts.mmd_test(X, Y, statistic="linear", rng=0)
    assert r.engine is None
    assert r.to_dict()["engine"] is None
    assert "engine" not in r.summary()


def test_precomputed_results_have_no_columns():
    r = ts.mmd_test(None, None, kernel=ts.Precomputed(np.eye(12) + 1, m=6), rng=0)
    assert r.columns == 0
    assert "column" not in r.summary()
