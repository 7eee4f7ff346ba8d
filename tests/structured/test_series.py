"""Windows of one series, and the global alignment kernel against the sum over all alignments."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

import twosample as ts
from twosample.structured.series import GlobalAlignment


def alignments(n, m):
    """All paths from (0, 0) to (n-1, m-1) by the steps (1, 0), (0, 1), (1, 1)."""
    if n == 0 or m == 0:
        return
    if (n, m) == (1, 1):
        yield [(0, 0)]
        return
    for back in ((1, 0), (0, 1), (1, 1)):
        for path in alignments(n - back[0], m - back[1]):
            yield [*path, (n - 1, m - 1)]


def naive(x, y, bandwidth, triangle):
    def local(i, j):
        w = max(0.0, 1 - abs(i - j) / triangle) if triangle else 1.0
        g = w * np.exp(-np.sum((x[i] - y[j]) ** 2) / (2 * bandwidth**2))
        return g / (2 - g)

    return sum(np.prod([local(i, j) for i, j in path]) for path in alignments(len(x), len(y)))


def delannoy(n, m):
    """How many alignments two series of n and m times have."""
    return sum(comb(n - 1, k) * comb(m - 1, k) * 2**k for k in range(min(n, m)))


def walks(count, seed, low=1, high=7, columns=1):
    rng = np.random.default_rng(seed)
    return [np.cumsum(rng.normal(size=(rng.integers(low, high), columns)), axis=0) for _ in range(count)]


@pytest.mark.parametrize("triangle", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("columns", [1, 3])
def test_all_alignments(triangle, columns):
    series = walks(6, 0, high=6, columns=columns)
    K = np.array([[naive(x, y, 1.3, triangle) for y in series] for x in series])
    norms = np.sqrt(np.diagonal(K))
    mine = GlobalAlignment(1.3, triangle).block(series, series)
    np.testing.assert_allclose(mine, K / norms / norms[:, None], rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("name", ["_CELLS", "_DIAGONAL"])
def test_the_size_of_batches_changes_nothing(monkeypatch, name):
    from twosample.structured import series as module

    series = walks(9, 1)
    whole = GlobalAlignment(1.0).block(series, series)
    monkeypatch.setattr(module, name, 10)
    np.testing.assert_allclose(GlobalAlignment(1.0).block(series, series), whole, rtol=1e-12)


def test_long_series_neither_overflow_nor_vanish():
    """Of constant series the kernel counts the alignments, which are Delannoy numbers."""
    series = [np.zeros(600), np.zeros(500), np.full(600, 30.0)]
    K = GlobalAlignment(1.0).block(series, series)
    np.testing.assert_allclose(np.diagonal(K), 1, rtol=1e-12)
    square = Fraction(delannoy(600, 500) ** 2, delannoy(600, 600) * delannoy(500, 500))
    assert K[0, 1] == pytest.approx(float(square) ** 0.5, rel=1e-9)
    assert K[0, 2] == 0  # below the smallest double


@pytest.mark.parametrize("triangle", [0, 2, 4])
@pytest.mark.parametrize("bandwidth", [0.5, 3.0, None])
def test_positive_semidefinite(triangle, bandwidth):
    series = [*walks(25, 0), *walks(5, 0)]
    K = GlobalAlignment(bandwidth, triangle).on(series).matrix
    assert np.linalg.eigvalsh(K)[0] > -1e-9
    assert 0 <= K.min() <= K.max() <= 1 + 1e-12


def test_the_default_bandwidth():
    series = walks(12, 0, 4, 9)
    points = np.concatenate(series)
    middle = ts.Median().bandwidths(points, "euclidean", np.random.default_rng(0))[0]
    expected = middle * np.sqrt(np.median([len(one) for one in series]))
    assert GlobalAlignment().on(series).source == GlobalAlignment(float(expected))


def test_the_whole_path():
    rng = np.random.default_rng(0)
    x = walks(20, 0, 8, 14)
    y = [rng.normal(size=rng.integers(8, 14)) for _ in range(20)]
    result = ts.mmd_test(x, y, kernel=ts.series.GlobalAlignment(), rng=0)
    assert result.rejected
    assert result.kernel.bandwidth > 0
    assert ts.mmd_test(x, walks(20, 5, 8, 14), kernel=ts.series.GlobalAlignment(), rng=0).pvalue > 0.01
    w = ts.witness(x, y, kernel=ts.series.GlobalAlignment())
    rows = w.rows(2)
    np.testing.assert_allclose(w([np.full(9, 50.0), *(x[i] for i in rows.x)])[1:], rows.x_values, rtol=1e-9)


@pytest.mark.parametrize(
    ("bad", "word"),
    [([], "shape"), (np.zeros((2, 2)), "2 number"), ("text", "str"), ([1.0, np.nan], "NaN"), (np.zeros((1, 1, 1)), "")],
)
def test_bad_series_are_named_by_their_position(bad, word):
    with pytest.raises(ts.InputError, match=f"Series 3 .*{word}"):
        ts.mmd_test([[1.0, 2.0]] * 2, [[1.0], bad], kernel=ts.series.GlobalAlignment())


def test_bad_options():
    for options in ({"bandwidth": 0.0}, {"bandwidth": "wide"}, {"triangle": -1}, {"triangle": 1.5}):
        with pytest.raises(ts.OptionError, match=next(iter(options))):
            GlobalAlignment(**options)


@pytest.mark.parametrize(("length", "step"), [(1, None), (3, None), (3, 1), (3, 5), (10, 2)])
@pytest.mark.parametrize("columns", [1, 2])
def test_windows(length, step, columns):
    series = np.arange(10.0 * columns).reshape(10, columns)
    expected = [series[s : s + length].ravel() for s in range(0, 10 - length + 1, step or length)]
    np.testing.assert_array_equal(ts.series.windows(series, length, step), expected)
    if columns == 1:
        np.testing.assert_array_equal(ts.series.windows(series[:, 0], length, step), expected)


def test_windows_are_a_copy():
    series = np.arange(6.0)
    ts.series.windows(series, 3)[:] = -1
    np.testing.assert_array_equal(series, np.arange(6.0))


def test_bad_windows():
    with pytest.raises(ts.InputError, match="fewer than one window"):
        ts.series.windows(np.arange(3), 4)
    with pytest.raises(ts.InputError, match="NaN"):
        ts.series.windows([1.0, np.nan], 1)
    with pytest.raises(ts.OptionError, match="step"):
        ts.series.windows(np.arange(3), 1, 0)
