"""The default null: relabelling while that is cheap, the limit law where rows abound and it is as good."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts
from twosample.core.centred import Centred
from twosample.engines import Dense
from twosample.nulls import AutoNull, is_cheap
from twosample.nulls.asymptotic import rows_that_count
from twosample.nulls.permutation import ENOUGH

MOST = 10_010  # rows that 999 relabellings are cheap for


def _normal(m: int, n: int, seed: int = 0, columns: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = (columns,) if columns else ()
    return rng.normal(size=(m, *shape)), rng.normal(size=(n, *shape))


def test_the_last_size_that_is_relabelled_and_the_first_that_is_not():
    assert is_cheap(MOST, 999)
    assert not is_cheap(MOST + 1, 999)
    x, y = _normal(MOST // 2, MOST // 2 + 1)
    assert ts.mmd_test(x, y[:-1], rng=0).null == ts.Permutation()
    assert ts.mmd_test(x, y, rng=0).null == ts.Spectrum()


@pytest.mark.parametrize("statistic", ["unbiased", "biased", "paired", "linear", "block"])
def test_small_samples_are_relabelled_as_if_asked_for(statistic):
    x, y = _normal(60, 60)
    default, told = (ts.mmd_test(x, y, statistic=statistic, rng=3, **null) for null in ({}, {"null": "permutation"}))
    assert (default.pvalue, default.null, default.notes) == (told.pvalue, told.null, told.notes)


@pytest.mark.parametrize("statistic", ["unbiased", "biased", "paired"])
@pytest.mark.parametrize("kernel", ["gaussian", "laplace"])
def test_many_rows_of_one_column_have_the_limit_law(statistic, kernel):
    x, y = _normal(5006, 5006)
    default, told = (
        ts.mmd_test(x, y, statistic=statistic, kernel=kernel, rng=3, **null) for null in ({}, {"null": "spectrum"})
    )
    assert default.pvalue == told.pvalue
    assert default.null == ts.Spectrum()
    assert "null='auto'" in default.notes[-1]
    assert not any("auto" in note for note in told.notes)


@pytest.mark.parametrize(
    ("x", "y", "options"),
    [
        pytest.param(*_normal(6000, 6000), {"null": "permutation"}, id="told"),
        pytest.param(*_normal(6000, 6000), {"statistic": "linear"}, id="an average"),
        pytest.param(*_normal(6000, 6000), {"kernel": 1e200 * ts.Gaussian(1.0)}, id="powers overflow"),
        pytest.param(*_normal(2, 12_000), {}, id="two rows"),
        pytest.param(*_normal(100, 10_000), {}, id="1 to 100"),
        pytest.param(*((v > 3).astype(float) for v in _normal(6000, 6000)), {}, id="a rare value"),
        pytest.param(*(v**5 for v in _normal(5006, 5006)), {"kernel": "energy"}, id="heavy tails"),
        pytest.param(*_normal(5006, 5006, columns=2), {"bandwidth": 4.0}, id="two columns"),
    ],
)
def test_relabelled_whatever_the_size(x, y, options):
    r = ts.mmd_test(x, y, rng=3, **options)
    assert r.null == ts.Permutation()
    assert r.pvalue == ts.mmd_test(x, y, rng=3, **{**options, "null": "permutation"}).pvalue


def test_the_note_says_why_a_large_sample_was_relabelled():
    x, y = _normal(100, 10_000)
    assert "rest on about" in ts.mmd_test(x, y, rng=0).notes[-1]


def test_constant_samples_need_no_relabelling():
    r = ts.mmd_test(np.ones(6000), np.ones(6000), rng=0)
    assert (r.pvalue, r.null) == (1.0, ts.Spectrum())


@pytest.mark.parametrize(
    "kernel", [ts.Gaussian(1.0), ts.Gaussian(0.01), ts.Laplace(1.0), ts.Energy(), ts.Linear()], ids=repr
)
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_rows_that_count_against_the_definition(kernel, shift):
    z = np.random.default_rng(0).normal(size=(400, 1)) + shift
    K = kernel.block(z, z)
    H = np.eye(len(z)) - 1 / len(z)
    centred = H @ K @ H
    own = np.diagonal(centred).max()
    off = centred[~np.eye(len(z), dtype=bool)]
    exact = 100 * np.sqrt((off**2).mean()) / own
    found = rows_that_count(_centred(kernel, z), 100, kernel, z)
    assert found <= 1.01 * exact
    if not shift:  # the door takes offsets away
        assert found >= exact / 3


def test_a_rare_value_counts_its_rows():
    z = np.zeros((4000, 1))
    z[:40] = 1.0
    kernel = ts.Gaussian(0.1)  # 1 for equal values, 0 for others
    assert 10 <= rows_that_count(_centred(kernel, z), 2000, kernel, z) <= 20
    assert ENOUGH >= 100


def _centred(kernel: ts.Kernel, z: np.ndarray) -> Centred:
    return Dense().gram(kernel, z).centred(np.random.default_rng(0))


def test_the_alias():
    assert ts.mmd_test([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], null="auto", level=0.2).null == ts.Permutation()
    assert AutoNull().name == "auto"


def test_plans_are_for_the_null_that_would_be_taken():
    x, y = _normal(100_000, 100_000)
    default, spectrum, relabelling = (
        ts.plan(x, y, kernel=ts.Gaussian(1.0), **null) for null in ({}, {"null": "spectrum"}, {"null": "permutation"})
    )
    assert default.seconds == spectrum.seconds < relabelling.seconds
    few = ts.plan(x[:500], y[:500], kernel=ts.Gaussian(1.0))
    assert few.seconds == ts.plan(x[:500], y[:500], kernel=ts.Gaussian(1.0), null="permutation").seconds
