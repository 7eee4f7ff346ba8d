"""What a fresh pair of eyes found: large whole numbers, kinds that do not fit, options that leave nothing."""

import numpy as np
import pytest

import twosample as ts


def rows(low, seed=0, count=300):
    rng = np.random.default_rng(seed)
    return {"a": low + rng.integers(0, 9, count), "b": rng.normal(size=count)}


@pytest.mark.parametrize("form", [lambda v: v, lambda v: v.astype(str)], ids=["integers", "text"])
def test_whole_numbers_that_doubles_cannot_hold_are_left_out(form):
    x, y = ({**part, "a": form(part["a"])} for part in (rows(2**60), rows(2**60 + 20, 1)))
    c = ts.compare(x, y)
    assert [column.name for column in c.columns] == ["b"]
    assert any(finding.column == "a" and "2^53" in finding.detail for finding in c.findings)
    assert ts.compare(x, y, kinds={"a": "categorical"})["a"].verdict == "different"


def test_match_leaves_them_out_too():
    m = ts.match(rows(2**60), rows(2**60 + 20, 1))
    assert [pair.source for pair in m.pairs] == ["b"]
    assert "2^53" in m.unmatched_source[0].reason


def test_huge_doubles_are_numbers():
    rng = np.random.default_rng(0)
    c = ts.compare({"a": rng.normal(size=200) * 1e150}, {"a": (3 + rng.normal(size=200)) * 1e150})
    assert c["a"].kind == "numeric"
    assert c["a"].verdict == "different"


def test_a_kind_that_no_value_fits_is_an_error():
    rng = np.random.default_rng(0)
    x, y = ({"a": rng.choice(["u", "v"], 50), "b": rng.normal(size=50)} for _ in range(2))
    with pytest.raises(ts.InputError, match="no value of column 'a' can be read as numeric"):
        ts.compare(x, y, kinds={"a": "numeric"})


def test_leaving_out_everything_says_so():
    with pytest.raises(ts.InputError, match="select and exclude leave none"):
        ts.compare({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]}, exclude=["a"])
