"""Junk: samples, option values and words that no function expects, and how a call with them may end."""

import datetime
import decimal
import fractions
import signal
import warnings
from contextlib import contextmanager

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

import twosample as ts

RNG = np.random.default_rng(20)
X, Y = RNG.normal(size=(24, 2)), RNG.normal(size=(26, 2))
FRAME = pl.DataFrame({"u": X[:, 0], "v": X[:, 1], "s": ["a", "b"] * 12})
_SECONDS = 60


class Rude:
    """An array that is none."""

    shape, ndim, dtype = (3, 1), 2, np.dtype(float)

    def __array__(self, *arguments, **options):
        raise RuntimeError("rude")

    def __len__(self):
        raise RuntimeError("rude")


def _matrix():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(X)


def _ragged():
    array = np.empty(3, dtype=object)
    array[:] = [[1], [1, 2], "x"]
    return array


def _union():
    places = pa.array([0, 1] * 12, pa.int8())
    return pa.UnionArray.from_sparse(places, [pa.array(X[:, 0]), pa.array(["x"] * 24)])


NOTHING = [
    lambda: None, lambda: 3, lambda: 0.5, lambda: True, lambda: "", lambda: "no.csv", lambda: b"bytes", object, Rude,
    lambda: int, lambda: 1j, lambda: ..., dict, list, tuple, set, lambda: {1.0, 2.0, 3.0},
    lambda: (v for v in (1.0, 2.0, 3.0)), lambda: iter([]), lambda: range(9), lambda: {"a": 1}, lambda: {"a": []},
    lambda: {1: [1, 2, 3], "b": [4, 5]}, lambda: [None] * 5, lambda: [[], []], lambda: [[1, 2], [3]],
    lambda: [1, "a", None], lambda: ["a", "b", "c"], lambda: [b"a", b"b"], lambda: [{}, {}], lambda: [{"a": 1}] * 3,
    lambda: [[[1]], [[2]]], lambda: [10**400, 1, 2], lambda: [1 + 2j] * 3, lambda: [X, X], lambda: [object()] * 3,
    lambda: datetime.date(2020, 1, 1), lambda: [datetime.date(2020, 1, 1)] * 4, lambda: [decimal.Decimal("1.5")] * 4,
    lambda: [fractions.Fraction(1, 3)] * 4, lambda: memoryview(b"abcd"), lambda: nx.path_graph(4),
    lambda: [nx.path_graph(4), nx.star_graph(3)], lambda: ts.Gaussian(1.0), ts.Sketch,
]  # fmt: skip
ARRAYS = [
    lambda: np.array(3.0), lambda: np.empty(0), lambda: np.empty((0, 2)), lambda: np.empty((5, 0)),
    lambda: np.ones(1),
    lambda: np.ones((3, 2)), lambda: np.zeros((2, 2, 2)), lambda: np.full((5, 2), np.nan), lambda: np.full(5, np.inf),
    lambda: X * 1e307, lambda: X * 1e-308, lambda: X + 1e300, lambda: np.array([np.finfo(float).max, -1e308, 0.0]),
    lambda: X[:, 0], lambda: X[:, :1], lambda: np.asfortranarray(X), lambda: X[::-1], lambda: X.astype(">f8"),
    lambda: X.astype(np.float16), lambda: X.astype(np.longdouble), lambda: X.astype(complex), lambda: X > 0,
    lambda: (100 * X).astype(np.int8), lambda: X.astype(object), lambda: X.astype(str), lambda: X.astype("S5"),
    lambda: np.array(["a", "b"]), _ragged, lambda: np.zeros(4, "V3"), _matrix, lambda: np.ma.masked_array(X, X > 0),
    lambda: np.ma.masked_array(X, np.ones_like(X, bool)), lambda: np.zeros(5, [("a", float), ("b", "U2")]),
    lambda: np.zeros(5, "M8[s]"), lambda: np.arange(5).astype("m8[D]"), lambda: np.array(["NaT"] * 4, "M8[ns]"),
    lambda: np.array([2**62, 1], "M8[s]"), lambda: np.arange(4).astype("m8"),
    lambda: np.rec.array(np.zeros(3, "f8,i4")),
    lambda: sparse.csr_matrix(X), lambda: sparse.coo_array(np.ones(3)), lambda: sparse.eye_array(4),
    lambda: np.float64(2),
    lambda: np.repeat(X[:1], 9, axis=0), lambda: np.array([2**63], np.uint64), lambda: np.ones((4, 60)),
]  # fmt: skip
FRAMES = [  # made anew for each call, as generators can be read once
    lambda: FRAME, FRAME.lazy, lambda: FRAME["u"], FRAME.clear, pl.DataFrame, pl.LazyFrame,
    lambda: FRAME.select("u", "v"),
    lambda: pl.Series([1, 2, 3], dtype=pl.Int128),
    lambda: pl.DataFrame({"o": pl.Series([object()] * 3, dtype=pl.Object)}),
    lambda: pl.DataFrame({"l": [[1], [2, 3]]}), lambda: pl.DataFrame({"n": [None] * 9}),
    lambda: pl.Series(["a", None]),
    lambda: pl.DataFrame({"c": pl.Series(["a", "b"] * 5, dtype=pl.Categorical)}),
    lambda: pl.DataFrame({"": [1.0, 2.0]}),
    lambda: pl.DataFrame({"*": [1.0, 2.0], "^a$": [1.0, 2.0]}), lambda: pl.DataFrame({"b": [b"\xff", b""]}),
    lambda: pl.DataFrame({"d": [decimal.Decimal("1.10"), None]}), lambda: pl.DataFrame({"t": [datetime.time(1)] * 3}),
    lambda: pl.LazyFrame({"a": [1]}).select("b"), FRAME.to_pandas, pd.DataFrame,
    lambda: pd.Series([1, "a"]),
    lambda: pd.DataFrame(X, columns=["a", "a"]), lambda: pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0])}),
    lambda: pd.DataFrame({("a", 1): [1.0, 2.0]}), lambda: pd.DataFrame({"p": pd.period_range("2020", periods=3)}),
    lambda: pd.DataFrame({"i": pd.interval_range(0, 3)}), lambda: pd.Series([1, None], dtype="Int64"),
    lambda: pd.Index([1, 2]),
    lambda: pd.DataFrame({"a": [1j, 2j]}), lambda: pd.DataFrame({"a": [{}, []]}),
    lambda: pd.Timestamp("2020"), FRAME.to_arrow,
    lambda: pa.array(X[:, 0]), _union, lambda: pa.table({"u": _union()}), lambda: pa.table({}),
    lambda: pa.array([None] * 3),
    lambda: pa.Table.from_arrays([pa.array([1.0, 2.0])] * 2, names=["a", "a"]),
    lambda: FRAME.to_arrow().to_batches()[0],
    lambda: pa.table({"m": pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int64()))}),
    lambda: pa.chunked_array([[1], [2]]),
]  # fmt: skip
SAMPLES = [*NOTHING, *ARRAYS, *FRAMES]
VALUES = [
    *NOTHING[:21], lambda: -1, lambda: 0, lambda: 1, lambda: 2, lambda: 0.05, lambda: float("nan"),
    lambda: float("inf"),
    lambda: -0.5, lambda: 10**400, lambda: "nonsense", lambda: "gaussian", lambda: "permutation", lambda: "u",
    lambda: "\x1b[31m\n", lambda: "x" * 5000, lambda: ["u"], lambda: ["nope"], lambda: [1, 2],
    lambda: np.array([1, 2]),
    lambda: np.float32(0.5), lambda: np.int64(2), lambda: (0.1, 0.2), lambda: (2, 1), lambda: {"u": "number"},
    lambda: {"u": 3}, lambda: ts.Permutation(19), lambda: ts.Gaussian, ts.Gaussian, lambda: ts.Permutation,
    ts.strings.Spectrum, lambda: pd.NA, lambda: pd.NaT, lambda: np.datetime64("NaT"), lambda: FRAME,
    lambda: decimal.Decimal("0.05"), lambda: fractions.Fraction(1, 20), lambda: slice(3),
]  # fmt: skip


def trouble(call):
    """How a call went wrong: nothing if it answers, or ends with an error of ours; a user's warning is no trouble."""
    with warnings.catch_warnings(), _at_most(_SECONDS):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            call()
        except ts.TwosampleError as error:
            return "" if str(error).strip() else "an error without a message"
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            place = error.__traceback__
            while place.tb_next is not None and "site-packages" not in place.tb_next.tb_frame.f_code.co_filename:
                place = place.tb_next
            where = f"{place.tb_frame.f_code.co_filename.rpartition('/')[2]}:{place.tb_lineno}"
            return f"{type(error).__name__}: {str(error)[:100]} ({where})"
    return ""


@contextmanager
def _at_most(seconds):
    def late(number, frame):
        raise TimeoutError(f"no answer in {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
