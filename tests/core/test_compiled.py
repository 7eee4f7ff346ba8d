"""The compiled loops against NumPy, and what happens without them."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest

from twosample.core import compiled as module
from twosample.core.bins import add_to_bins
from twosample.core.compiled import compiled


@pytest.fixture
def loops():
    pytest.importorskip("llvmlite")
    found = compiled()
    assert found is not None
    return found


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("d", [1, 2, 7, 10, 33])
def test_four_sums(loops, absolute, d):
    x, y = np.random.default_rng(d).normal(size=(2, 40, d))
    x[4, 0], y[9, d // 2], x[14, -1] = np.nan, np.inf, 1e200
    found, plain = np.empty((2, 4, 20))
    loops.four_sums(x, y, 0.3, absolute, found)
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs if absolute else np.square
        pairs = (x[::2], x[1::2]), (y[::2], y[1::2]), (x[::2], y[1::2]), (x[1::2], y[::2])
        plain[:] = [0.3 * size(a - b).sum(axis=1) for a, b in pairs]
    np.testing.assert_allclose(found, plain, rtol=1e-14)
    assert np.isnan(found[0, 2])


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 31, 1000])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_summary(loops, count, shift):
    values = np.random.default_rng(count).normal(shift, 1, count)
    c = values - shift
    assert loops.summary(values, shift) == pytest.approx((values.min(), values.max(), c.sum(), c @ c), rel=1e-12)


def test_summary_of_infinite_numbers(loops):
    low, high, *_ = loops.summary(np.array([1.0, -np.inf, np.inf]), 0.0)
    assert (low, high) == (-np.inf, np.inf)


def by_the_definition(values, scale, offset, size, width):
    moments = np.zeros((size, width))
    for value in values:
        place = min(max(value * scale - offset, 0.5), size - 0.5)
        u = place - np.floor(place) - 0.5
        moments[int(place)] += [1, u, u * u][:width]
    return moments


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("count", [0, 1, 500])
@pytest.mark.parametrize("fast", [False, True])
def test_bins(loops, width, count, fast):
    values = np.random.default_rng(count).normal(size=count) * 3
    values[: count // 50] = np.inf
    values[count // 50 : count // 25] = -1e300
    values[count // 25 : count // 10] = 0.25  # on an edge
    moments = np.zeros((18, width))
    for part in (values[: count // 3], values[count // 3 :]):
        add_to_bins(part, 4.0, -9.0, moments, loops if fast else None)
    np.testing.assert_allclose(moments, by_the_definition(values, 4.0, -9.0, 18, width), atol=1e-12)


def test_bins_of_every_second_number(loops):
    values = np.random.default_rng(0).normal(size=100)
    plain, fast = np.zeros((2, 10, 2))
    add_to_bins(values[::2], 1.0, -5.0, plain)
    add_to_bins(values[::2], 1.0, -5.0, fast, loops)
    np.testing.assert_allclose(fast, plain, atol=1e-13)


@pytest.mark.parametrize("wrong", [np.zeros((6, 4))[:, ::2], np.zeros((6, 2), np.float32), np.zeros((2, 6)).T])
def test_wrong_memory_is_not_touched(loops, wrong):
    with pytest.raises(AssertionError):
        loops.four_sums(wrong, np.zeros((6, 2)), 1.0, False, np.zeros((4, 3)))


def test_wrong_sizes_are_not_touched(loops):
    with pytest.raises(AssertionError):
        loops.four_sums(np.zeros((6, 2)), np.zeros((6, 2)), 1.0, False, np.zeros((4, 4)))
    with pytest.raises(AssertionError):
        loops.bins(np.zeros(3), 1.0, 0.0, np.zeros((5, 4)))
    with pytest.raises(AssertionError):
        loops.summary(np.zeros(0), 0.0)


def test_other_threads_run_meanwhile(loops):
    """Times tell too little on a busy machine: this is how ctypes marks functions that keep Python's lock."""
    keeps_the_lock = ctypes.PYFUNCTYPE(None)._flags_ & ~ctypes.CFUNCTYPE(None)._flags_
    assert keeps_the_lock
    assert not any(loop._flags_ & keeps_the_lock for loop in loops._loops.values())


def test_without_llvmlite(monkeypatch):
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    assert compiled.__wrapped__() is None


def test_with_an_old_llvmlite(monkeypatch):
    binding = pytest.importorskip("llvmlite.binding")
    monkeypatch.setattr(binding, "llvm_version_info", (15, 0, 7))
    assert compiled.__wrapped__() is None


def test_where_nothing_can_be_compiled(monkeypatch):
    pytest.importorskip("llvmlite")

    def refused(llvm):
        raise RuntimeError("unable to allocate memory for code")

    monkeypatch.setattr(module, "_engine", refused)
    assert compiled.__wrapped__() is None


def test_the_text_is_part_of_the_package():
    assert module._TEXT.is_file()
