"""Whatever comes in: an error of ours, a ValueError that names the argument, or a finite answer; never a warning."""

import math
import re
import warnings

import numpy as np
import pytest

import twosample as ts

GOOD = np.random.default_rng(0).normal(size=30)
DATA = {
    "empty": [],
    "no columns": np.zeros((30, 0)),
    "one": [1.0],
    "three": [1.0, 2.0, 3.0],
    "NaN": np.append(GOOD[:-1], np.nan),
    "inf": np.append(GOOD[:-1], np.inf),
    "strings": ["a", "b"] * 15,
    "a string": "hello",
    "None": None,
    "a number": 5,
    "a cube": np.zeros((3, 3, 3)),
    "ragged": [[1, 2], [3]],
    "a set": {1.0, 2.0, 3.0, 4.0, 5.0},
    "complex": GOOD + 1j,
    "objects": [object()] * 30,
    "constant": np.ones(30),
    "huge": GOOD * 1e150,
    "tiny": GOOD * 1e-150,
    "overflowing": GOOD * 1e300,
    "vanishing": GOOD * 1e-300,
    "whole": np.arange(30),
    "booleans": np.arange(30) % 2 == 0,
    "list": GOOD.tolist(),
    "other rows": GOOD[:20],
}
TESTS = {
    "hsic_test": ts.hsic_test,
    "gamma": lambda x, y: ts.hsic_test(x, y, null="gamma"),
    "wild hsic": lambda x, y: ts.hsic_test(x, y, null="wild"),
    "shift": lambda x, y: ts.hsic_test(x, y, null="circular-shift"),
    "factors": lambda x, y: ts.hsic_test(x, y, engine="fourier"),
    "wild": lambda x, y: ts.mmd_test(x, y, null="wild"),
    "interval": ts.interval,
    "effect_size": ts.effect_size,
    "equivalence_test": ts.equivalence_test,
    "power": lambda x, y: ts.power(x, y, 20),
    "sample_size": ts.sample_size,
}


def finite(found):
    values = [
        getattr(found, name)
        for name in ("statistic", "pvalue", "estimate", "low", "high", "value")
        if hasattr(found, name)
    ]
    return all(math.isfinite(value) for value in values or [found])


def complaint(test, x, y):
    """The error, or None after a finite answer; anything else goes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ts.SmallSampleWarning)
        try:
            assert finite(test(x, y))
        except ts.TwosampleError as error:
            return error
    return None


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("name", TESTS)
def test_rubbish(name, kind):
    for x, y in ((DATA[kind], GOOD), (GOOD, DATA[kind]), (DATA[kind], DATA[kind])):
        error = complaint(TESTS[name], x, y)
        if error is not None:
            assert isinstance(error, ValueError)
            assert re.search(r"\b[xy]\b|pilot", str(error)), error


@pytest.mark.parametrize("kind", ["constant", "whole", "booleans", "list", "huge", "tiny"])
def test_what_is_no_rubbish_gets_an_answer(kind):
    assert all(
        complaint(TESTS[name], DATA[kind], GOOD) is None for name in ("hsic_test", "wild", "wild hsic", "interval")
    )


@pytest.mark.parametrize("unit", [1e160, 1e60, 1e-60])
@pytest.mark.parametrize("kernel", ["linear", "energy"])
def test_values_beyond_the_range_of_an_unbounded_kernel(unit, kernel):
    x = np.random.default_rng(0).normal(size=40)
    calls = (
        lambda x, y: ts.equivalence_test(x, y, margin=0.1, kernel=kernel),
        lambda x, y: ts.power(x, y, 30, kernel=kernel),
        lambda x, y: ts.interval(x, y, kernel=kernel),
        lambda x, y: ts.effect_size(x, y, kernel=kernel),
    )
    for call in calls:
        with pytest.raises(ts.InputError, match="Rescale both samples"):
            call(unit * x, unit * x**2)


@pytest.mark.parametrize("value", [np.complex128(0.5), 10**400, True, "a", None, np.nan], ids=lambda v: f"{v!r:.20}")
def test_probabilities_that_are_none(value):
    for call, name in (
        (lambda: ts.interval(GOOD, GOOD, value), "level="),
        (lambda: ts.effect_size(GOOD, GOOD, value), "level="),
        (lambda: ts.sample_size(GOOD, GOOD, value), "power="),
    ):
        with pytest.raises(ts.OptionError, match=name):
            call()


def test_other_options_that_are_none():
    with pytest.raises(ts.OptionError, match="method="):
        ts.interval(GOOD, GOOD, method=np.array([1.0, 2.0]))
    with pytest.raises(ts.OptionError, match="margin="):
        ts.equivalence_test(GOOD, GOOD, margin=1e308)


def test_bootstrap_of_one_value_but_for_one_row():
    """Resamples of y are all the same: what they do not tell, the moments of both samples do."""
    x = np.zeros(12)
    x[0] = 1.0
    i = ts.interval(x, np.zeros(12), method="bootstrap", rng=0)
    assert 0 == i.low < 0.1 < i.high < 1
