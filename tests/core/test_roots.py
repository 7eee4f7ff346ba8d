"""Brent's method does what SciPy's does, step by step."""

from math import cos, exp

import numpy as np
import pytest
from scipy.optimize import brentq

from twosample.core.roots import brent

FUNCTIONS = [
    (lambda x: x**3 - 2, 0.0, 3.0),
    (lambda x: cos(x) - x, 0.0, 2.0),
    (lambda x: exp(-x) - 1e-9, 0.0, 100.0),
    (lambda x: -1.0 if x < 0.3 else 1.0, 0.0, 1.0),
    (lambda x: np.log(x + 1e-300), 0.0, 50.0),
    (lambda x: x, 0.0, 1.0),
    (lambda x: x - 1, 0.0, 1.0),
]


@pytest.mark.parametrize(("function", "low", "high"), FUNCTIONS)
@pytest.mark.parametrize("tolerances", [{}, {"xtol": 1e-13, "rtol": 1e-13}, {"xtol": 1e-3}])
def test_same_as_scipy(function, low, high, tolerances):
    seen, theirs = [], []
    found = brent(lambda x: seen.append(x) or function(x), low, high, **tolerances)
    assert found == pytest.approx(
        brentq(lambda x: theirs.append(x) or function(x), low, high, **tolerances), rel=1e-12, abs=1e-12
    )
    assert seen == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    assert type(found) is float


def test_no_change_of_sign():
    with pytest.raises(ValueError, match="same sign"):
        brent(lambda x: x * x + 1, -1.0, 1.0)


def test_a_root_of_high_order():
    assert brent(lambda x: (x - 1) ** 9, 0.0, 3.0, xtol=1e-3) == pytest.approx(1.0, abs=1e-3)
