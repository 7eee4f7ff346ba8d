"""How alike names of columns are."""

import numpy as np
import pytest

from twosample.matching.names import name_similarity


def alike(one, two):
    return float(name_similarity([one], [two])[0, 0])


@pytest.mark.parametrize(
    ("one", "two"),
    [("ZipCode", "zip_code"), ("cust_id", "Customer ID"), ("qty", "quantity"), ("dob", "date_of_birth"),
     ("addr", "address"), ("birth_year", "YearOfBirth"), ("amount", "AMT"), ("genre", "genreLabel")],
)  # fmt: skip
def test_alike(one, two):
    assert alike(one, two) > 0.6
    assert alike(one, two) == pytest.approx(alike(two, one))


@pytest.mark.parametrize(("one", "two"), [("p1", "p2"), ("id", "width"), ("no", "note"), ("x", "xy"), ("", "a")])
def test_not_alike(one, two):
    assert alike(one, two) < 0.6


def test_all_at_once_and_one_by_one():
    a = ["ZipCode", "", "price (€)", "\ud800", "first name", "dob", "a" * 5000, "名前"]
    b = ["zip", "first_nm", "date of birth", "名前", "%s{0}", "price"]
    found = name_similarity(a, b)
    assert found.shape == (8, 6)
    for i, j in np.ndindex(found.shape):
        assert found[i, j] == pytest.approx(alike(a[i], b[j]))
        assert 0 <= found[i, j] <= 1 + 1e-12
    assert found[7, 3] == pytest.approx(1.0)
    assert name_similarity([], b).shape == (0, 6)
