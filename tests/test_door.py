"""Whatever holds numbers is a sample, and no sample is ever written to."""

from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import twosample as ts

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 3)), RNG.normal(size=(25, 3)) + 0.5
REFERENCE = ts.mmd_test(X, Y, rng=1)


def same(x, y, reference=REFERENCE, rel=1e-12):
    r = ts.mmd_test(x, y, rng=1)
    assert r.statistic == pytest.approx(reference.statistic, rel=rel)
    assert r.pvalue == reference.pvalue
    assert (r.m, r.n, r.columns) == (reference.m, reference.n, reference.columns)
    return r


class OnlyDLPack:
    """An array library that speaks the DLPack protocol and nothing else."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyArray:
    """An object that offers __array__ and nothing else."""

    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return np.array(self._array, dtype=dtype)


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        lambda a: a.tolist(),
        lambda a: tuple(map(tuple, a)),
        lambda a: a[::-1][::-1],
        lambda a: np.repeat(a, 2, axis=0)[::2],
        np.ma.masked_array,
        lambda a: a.astype(object),
        lambda a: a.astype(np.longdouble),
        lambda a: a.astype(">f8"),
        OnlyDLPack,
        OnlyArray,
        memoryview,
        list,
    ],
    ids=["fortran", "lists", "tuples", "reversed view", "strided", "unmasked", "objects", "long double", "big endian",
         "dlpack", "__array__", "memoryview", "list of rows"],
)  # fmt: skip
def test_containers(convert):
    same(convert(X), convert(Y))


def test_single_precision():
    r = same(X.astype(np.float32), Y.astype(np.float32), rel=1e-5)
    assert r.kernel.bandwidth == pytest.approx(REFERENCE.kernel.bandwidth, rel=1e-6)


def test_half_precision():
    assert ts.mmd_test(X.astype(np.float16), Y.astype(np.float16), rng=1).statistic == pytest.approx(
        REFERENCE.statistic, rel=0.05
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float16, float])
def test_whole_numbers(dtype):
    x, y = RNG.integers(0, 5, size=(15, 2)), RNG.integers(0, 5, size=(12, 2))
    a, b = ts.mmd_test(x, y, rng=1), ts.mmd_test(x.astype(dtype), y.astype(dtype), rng=1)
    assert (a.statistic, a.pvalue) == (b.statistic, b.pvalue)


def test_unsigned_differences_do_not_wrap_around():
    x, y = np.array([0, 1, 2, 3], dtype=np.uint8), np.array([250, 251, 252, 253], dtype=np.uint8)
    assert ts.mmd(x, y, kernel="linear", statistic="biased") == pytest.approx(250)


def test_truth_values_are_zeros_and_ones():
    x, y = RNG.random(20) < 0.3, RNG.random(25) < 0.6
    a = ts.mmd_test(x, y, rng=1)
    b = ts.mmd_test(x.astype(float), y.astype(float), rng=1)
    assert (a.statistic, a.pvalue) == (b.statistic, b.pvalue)


def test_one_dimension_is_one_column():
    a = ts.mmd_test(X[:, 0], Y[:, 0], rng=1)
    b = ts.mmd_test(X[:, [0]], Y[:, [0]], rng=1)
    assert (a.statistic, a.pvalue, a.columns) == (b.statistic, b.pvalue, 1)
    mixed = ts.mmd_test(X[:, 0], Y[:, [0]], rng=1)
    assert mixed.pvalue == a.pvalue


def test_ranges_and_generators_of_numbers():
    assert (
        ts.mmd_test(range(10), range(5, 15), rng=0).pvalue == ts.mmd_test(np.arange(10), np.arange(5, 15), rng=0).pvalue
    )
    with pytest.raises(ts.InputError, match="x"):
        ts.mmd_test((i for i in range(10)), range(10))


def test_mixed_python_numbers():
    assert ts.mmd([1, 2.5, True, np.float32(3)], [0, 1, 2, 3], kernel=ts.Gaussian(1.0)) == pytest.approx(
        ts.mmd([1, 2.5, 1, 3], [0, 1, 2, 3], kernel=ts.Gaussian(1.0))
    )
    with pytest.raises(ts.InputError, match="not numbers"):
        ts.mmd([0.5, "0.3"], [1, 2])


# --- Never modified -----------------------------------------------------------------------------------------


def test_numbers_of_the_standard_library():
    """Decimals and fractions are numbers; NaN among them is found."""
    numbers = [[Decimal("0.5"), 1], [Fraction(1, 3), 2.0], [True, np.float32(3)]]
    expected = [[0.5, 1.0], [1 / 3, 2.0], [1.0, 3.0]]
    assert ts.mmd(numbers, X[:, :2], kernel=ts.Gaussian(1.0)) == ts.mmd(expected, X[:, :2], kernel=ts.Gaussian(1.0))
    with pytest.raises(ts.InputError, match=r"x has 1 value\(s\) that are NaN"):
        ts.mmd_test([Decimal("nan"), Decimal(1)], [1.0, 2.0])


@pytest.mark.parametrize(
    ("value", "way"),
    [
        ({"a": [1.0, 2.0]}, r"ts\.two_sample_test and ts\.compare take columns by name.*np\.column_stack"),
        ({1.0, 2.0, 3.0}, r"Give list\(x\)"),
        (pl.DataFrame({"a": [1.0, 2.0]}).to_arrow().to_reader(), r"Give x.read_all\(\)"),
        ((v for v in (1.0, 2.0)), r"Give list\(x\)"),
        (pl.LazyFrame({"a": [1.0, 2.0]}), r"Give x\.collect\(\)"),
        (nx.path_graph(5), "x holds graphs; give a list of them"),  # NumPy reads its nodes as numbers
    ],
)
def test_what_is_no_array_may_become_one(value, way):
    with pytest.raises(ts.InputError, match=way):
        ts.rivals.energy_test(value, [[1.0], [2.0]])


class Rude:
    def __array__(self, *arguments, **options):
        raise RuntimeError("rude")


@pytest.mark.parametrize(
    "odd",
    [Rude(), [10**400] * 20, pa.array([None] * 20), np.zeros((20, 2, 2))],
    ids=["rude", "large", "nulls", "stack"],
)
def test_odd_weights_labels_and_kernel_values_are_refused_by_name(odd):
    with pytest.raises(ts.InputError, match="weights_x"):
        ts.mmd_test(X, Y, weights_x=odd)
    if not isinstance(odd, list):
        with pytest.raises(ts.InputError, match="StratifiedPermutation: by_x must"):
            ts.StratifiedPermutation(odd, [0] * 25)
        with pytest.raises(ts.TwosampleError, match="kernel: "):
            ts.mmd_test(X, Y, kernel=lambda a, b: odd)


def test_masked_weights_are_missing():
    """Below the mask are any numbers."""
    weights = np.ma.masked_array(np.ones(20), np.arange(20) == 3)
    with pytest.raises(ts.InputError, match=r"weights_x has 1 missing weight\(s\), the first in row 3"):
        ts.mmd_test(X, Y, weights_x=weights)


@pytest.mark.parametrize("kernel", ["gaussian", "energy", "linear", "polynomial", "laplace"])
@pytest.mark.parametrize("engine", ["dense", "tiled"])
@pytest.mark.parametrize("columns", [1, 3])
def test_inputs_are_never_modified(kernel, engine, columns):
    x, y = np.ascontiguousarray(X[:, :columns]), np.ascontiguousarray(Y[:, :columns])
    before = x.copy(), y.copy()
    for statistic in ("biased", "unbiased", "linear", "block"):
        ts.mmd_test(x, y, kernel=kernel, engine=engine, statistic=statistic, null=ts.Permutation(19), rng=0)
    ts.mmd(x, y, kernel=kernel)
    ts.witness(x, y, kernel=kernel, normalised=True)(x)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_read_only_arrays():
    x, y = X.copy(), Y.copy()
    x.flags.writeable = y.flags.writeable = False
    same(x, y)
    ts.witness(x, y)(x)
    ts.mmd_test(x, y, statistic="block", rng=0)


def test_the_same_array_twice():
    r = ts.mmd_test(X, X, rng=0)
    assert r.pvalue > 0.9


def test_a_list_is_not_modified():
    x = [3.0, 1.0, 2.0]
    ts.mmd_test(x, [1.0, 5.0, 2.0, 4.0], level=0.2)
    assert x == [3.0, 1.0, 2.0]


# --- Frames -------------------------------------------------------------------------------------------------


def test_pandas():
    pandas = pytest.importorskip("pandas")
    x, y = pandas.DataFrame(X, columns=list("abc")), pandas.DataFrame(Y, columns=list("abc"))
    same(x, y)
    same(x, Y)
    same(x.set_index(pandas.RangeIndex(100, 120)), y)
    one = ts.mmd_test(X[:, 0], Y[:, 0], rng=1)
    assert ts.mmd_test(x["a"], y["a"], rng=1).pvalue == one.pvalue
    mixed = pandas.DataFrame({"i": np.arange(20), "f": X[:, 0], "b": X[:, 1] > 0})
    assert ts.mmd_test(mixed, mixed[::-1], rng=1).pvalue > 0.9
    nullable = pandas.DataFrame(X).astype("Float64")
    same(nullable, Y)


def test_pandas_missing_values_and_text_are_errors():
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame(X, columns=list("abc"))
    missing = x.copy()
    missing.iloc[4, 1] = None
    with pytest.raises(ts.InputError, match=r"x has 1 value.*row 4, column 1"):
        ts.mmd_test(missing, Y)
    with pytest.raises(ts.InputError, match="x"):
        ts.mmd_test(missing.astype("Float64"), Y)
    for column in (["u"] * 20, pandas.Categorical(["u"] * 20), pandas.date_range("2020", periods=20)):
        with pytest.raises(ts.InputError, match=r"x .*not numbers"):
            ts.mmd_test(x.assign(c=column), Y)


def test_polars():
    polars = pytest.importorskip("polars")
    x, y = polars.DataFrame(X, schema=list("abc")), polars.DataFrame(Y, schema=list("abc"))
    same(x, y)
    same(x, Y)
    one = ts.mmd_test(X[:, 0], Y[:, 0], rng=1)
    assert ts.mmd_test(x["a"], y["a"], rng=1).pvalue == one.pvalue
    missing = x.with_columns(b=polars.when(polars.col("b") > 0).then(polars.col("b")))
    with pytest.raises(ts.InputError, match="x"):
        ts.mmd_test(missing, y)
    with pytest.raises(ts.InputError, match=r"x .*not numbers"):
        ts.mmd_test(x.with_columns(c=polars.lit("u")), y)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_in_another_order_are_an_error(library):
    frames = pytest.importorskip(library)
    x = frames.DataFrame(dict(zip("abc", X.T, strict=True)))
    y = frames.DataFrame(dict(zip("abc", Y.T, strict=True)))
    with pytest.raises(ts.InputError, match="same columns in a different order"):
        ts.mmd_test(x, y[["c", "a", "b"]])
    with pytest.raises(ts.InputError, match="same columns in a different order"):
        ts.witness(x, y[["c", "a", "b"]])
    same(x[["a", "b", "c"]], y)


def named(names, values=X):
    return pytest.importorskip("pandas").DataFrame(values, columns=list(names))


WITH_TWO_SAMPLES = [
    ts.mmd_test, ts.mmd, ts.witness, ts.effect_size, ts.interval, ts.rivals.energy_test, ts.rivals.cascade_test,
    ts.metrics.wasserstein, lambda x, y: ts.power(x, y, 50), lambda x, y: ts.match_tables([x], [y]),
    lambda x, y: ts.LinearTimeMMD(ts.Gaussian(1.0)).update(x, y),
    lambda x, y: ts.Sketch(ts.GroupedFeatures()).update(y).update(x),
]  # fmt: skip


@pytest.mark.parametrize("function", WITH_TWO_SAMPLES)
def test_columns_of_other_names_are_an_error(function):
    with pytest.raises(ts.InputError, match=r"different columns: 'a', 'b', 'c' in the first, 'A', 'B', 'C' in the sec"):
        function(named("abc"), named("ABC", Y))
    with pytest.raises(ts.InputError, match=r"different columns: 'a' in the first, 'd' in the second"):
        function(named("abc"), named("bcd", Y))


def test_names_that_do_no_harm():
    same(named("abc"), Y)
    same(named("abc"), named(range(3), Y))  # pandas numbers columns without names
    same(named(["column_0", "column_1", "column_2"]), named("abc", Y))  # so does polars
    ts.mmd_test(named("a", X[:, :1]), named("b", Y[:, :1]))  # one column can be taken for no other
    ts.hsic_test(named("abc"), named("def"))  # other variables
    with pytest.raises(ts.InputError, match=r"'d', 'e', 'f' and 17 more"):
        ts.mmd(named("abc"), named("defghijklmnopqrstuvw", np.ones((5, 20))))
    with pytest.raises(ts.InputError, match=r"'c' in the first, no other in the second"):
        ts.mmd(named("abc"), named("ab", Y[:, :2]))


def test_whatever_a_foreign_object_raises_is_an_input_error():
    class Rude:
        shape = (5, 1)

        def __array__(self, *arguments, **options):
            raise RuntimeError("no\x1b[31m")

    with pytest.raises(ts.InputError, match="y cannot be read as an array of numbers: no␛"):
        ts.mmd_test(X, Rude())
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    wide = polars.Series([1, 2, 3], dtype=polars.Int128)
    with pytest.raises(ts.InputError, match="x cannot be read"):
        ts.mmd_test(wide, X)
    union = arrow.UnionArray.from_sparse(arrow.array([0, 1], arrow.int8()), [arrow.array([1.0, 2]), arrow.array("xy")])
    with pytest.raises(ts.InputError, match="x cannot be read"):
        ts.mmd_test(union, X)


def test_mixed_libraries_with_the_same_columns():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    same(pandas.DataFrame(X, columns=list("abc")), polars.DataFrame(Y, schema=list("abc")))


# --- Tensors ------------------------------------------------------------------------------------------------


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    same(x, torch.tensor(Y))
    assert x.grad is None


def test_jax():
    jax = pytest.importorskip("jax")
    same(jax.numpy.asarray(X), jax.numpy.asarray(Y), rel=1e-4)


class FakeTensor:
    """What torch tensors are to us: detach and cpu first, then __array__."""

    def __init__(self, array, ready=False):
        self._array, self._ready = array, ready

    def detach(self):
        return FakeTensor(self._array, ready=True)

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        if not self._ready:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return np.array(self._array, dtype=dtype)


def test_tensors_with_gradients():
    same(FakeTensor(X), FakeTensor(Y))
