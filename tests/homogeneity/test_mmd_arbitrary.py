"""Whatever comes in, what goes out is an answer or an error of this package: no warning, no NaN, no other exception."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import sparse

import twosample as ts

RNG = np.random.default_rng(0)
GOOD, LINE = RNG.normal(size=(12, 2)), RNG.normal(size=12)
HOLES = np.where(np.eye(12, 2) > 0, np.nan, GOOD)

DATA = {
    "none": None,
    "number": 3,
    "text": "abc",
    "empty": [],
    "no rows": np.empty((0, 2)),
    "no columns": np.empty((5, 0)),
    "one row": GOOD[:1],
    "scalar": np.array(1.0),
    "nan": HOLES,
    "infinite": np.where(np.isnan(HOLES), -np.inf, GOOD),
    "strings": np.array([["a", "b"]] * 12),
    "objects": np.array([[object(), 1]] * 12, dtype=object),
    "three dimensions": RNG.normal(size=(4, 3, 2)),
    "complex": GOOD + 1j * GOOD,
    "sparse": sparse.csr_array(GOOD),
    "masked": np.ma.masked_array(GOOD, mask=GOOD > 0),
    "whole numbers": RNG.integers(0, 5, size=(12, 2)),
    "booleans": GOOD > 0,
    "1e150": 1e150 * GOOD,
    "1e300": 1e300 * GOOD,
    "1e-150": 1e-150 * GOOD,
    "1e-300": 1e-300 * GOOD,
    "denormal": 1e-310 * GOOD,
    "largest": 1.7e308 * np.sign(GOOD),
    "mixed units": np.column_stack([1e200 * LINE, 1e-200 * LINE]),
    "ragged": [[1, 2], [3]],
    "dictionary": {"a": [1, 2, 3]},
    "dates": np.array(["2020-01-01"] * 12, dtype="M8[D]"),
    "too long for a double": [10**400] * 3,
    "frame": pl.DataFrame(GOOD),
    "frame with nulls": pl.DataFrame({"a": [None, *GOOD[1:, 0]], "b": GOOD[:, 1]}),
    "lazy frame": pl.LazyFrame({"a": LINE, "b": LINE}),
    "one column": LINE,
}

JUNK = [None, "rubbish", "", -1, 0, 2.5, np.nan, np.inf, [1, 2], np.array([1.0, 2.0]), {}, object(), int, 1j, 10**400]

WORK = {
    **{
        f"mmd_test {name}": lambda x, y, name=name: ts.mmd_test(
            x, y, kernel=name, null=ts.Permutation(19), level=0.1, rng=0
        )
        for name in ("gaussian", "matern-3/2", "rational-quadratic", "energy", "polynomial")
    },
    **{
        f"mmd_test {null}": lambda x, y, null=null: ts.mmd_test(x, y, null=null, rng=0)
        for null in ("spectrum", "pearson")
    },
    **{
        f"engine {name}": lambda x, y, name=name: ts.mmd_test(
            x, y, engine=name, null=ts.Permutation(19), level=0.1, rng=0
        )
        for name in ("tiled", "fourier", "lowrank", "features")
    },
    **{
        f"mmd {name}": lambda x, y, name=name: ts.mmd(x, y, statistic=name)
        for name in ("biased", "linear", "block", "paired")
    },
    "plan": ts.plan,
    "witness": lambda x, y: ts.witness(x, y)(GOOD),
    "witness at": lambda x, y: ts.witness(GOOD, GOOD + 1)(x),
    "stream": lambda x, y: ts.LinearTimeMMD(ts.Gaussian(1.0)).update(x, y).result(),
    "stream of distances": lambda x, y: ts.LinearTimeMMD(ts.Energy()).update(x, y).result(),
    "stream of products": lambda x, y: ts.LinearTimeMMD(ts.Linear()).update(x, y).result(),
    "pilot": ts.LinearTimeMMD.from_pilot,
    "sketch": lambda x, y: ts.mmd_test(ts.Sketch.fit(x), ts.Sketch.fit(y)),
}


def quietly(work):
    """The result, or None where the package refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ts.SmallSampleWarning)
        try:
            return work()
        except ts.TwosampleError:
            return None


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_data(data, work):
    for y in (GOOD, data):
        found = quietly(lambda y=y: work(data, y))
        numbers = [found] if isinstance(found, float) else [getattr(found, "pvalue", 1.0)]
        assert np.isfinite(numbers).all()


SKETCH, STREAM = ts.Sketch.fit(LINE), ts.LinearTimeMMD(ts.Gaussian(1.0)).update(GOOD, GOOD)

OPTIONS = {
    **{f"mmd_test {name}": lambda v, name=name: ts.mmd_test(GOOD, GOOD + 1, **{name: v})
       for name in ("kernel", "bandwidth", "statistic", "null", "level", "engine")},
    **{f"mmd_test of sketches {name}": lambda v, name=name: ts.mmd_test(SKETCH, SKETCH, **{name: v})
       for name in ("kernel", "bandwidth", "statistic", "null", "level")},
    **{f"{kind.__name__} {name}": lambda v, kind=kind, name=name: kind(**{name: v})
       for kind, names in (
           (ts.Gaussian, ("bandwidth",)), (ts.Laplace, ("bandwidth", "norm")), (ts.Matern, ("smoothness",)),
           (ts.RationalQuadratic, ("alpha",)), (ts.Energy, ("exponent",)), (ts.Polynomial, ("degree",)),
           (ts.Fourier, ("tolerance", "threads")), (ts.LowRank, ("tolerance", "max_rank", "threads", "seed")),
           (ts.Features, ("count", "orthogonal", "seed", "threads")), (ts.Tiled, ("tile", "threads")),
           (ts.Sum, ("parts",)), (ts.Product, ("parts",)), (ts.FunctionKernel, ("function",)),
           (ts.LinearTimeMMD, ("kernel",)), (ts.Sketch, ("layout", "like")),
       ) for name in names},
    "Scaled kernel": lambda v: ts.Scaled(v, 2.0),
    "factor": lambda v: ts.Gaussian(1.0) * v,
    "stream level": lambda v: STREAM.result(level=v),
    "stream null": STREAM.result,
    "stream merge": STREAM.merge,
    "sketch merge": SKETCH.merge,
    "sketch load": ts.Sketch.load,
}  # fmt: skip


@pytest.mark.parametrize("work", OPTIONS.values(), ids=OPTIONS)
def test_options(work):
    for value in JUNK:
        quietly(lambda value=value: work(value))


@pytest.mark.parametrize("value", [3, "abc", None, 2.5])
def test_messages_name_the_argument(value):
    with pytest.raises(ts.OptionError, match="function="):
        ts.FunctionKernel(value)
    with pytest.raises(ts.OptionError, match="parts="):
        ts.Sum((ts.Gaussian(1.0), value))
    with pytest.raises(ts.InputError, match="stream"):
        STREAM.merge(value)
    if value is not None:
        with pytest.raises(ts.OptionError, match="like="):
            ts.Sketch.fit(LINE, like=value)


@pytest.mark.parametrize("unit", [2.0**-330, 2.0**-200, 2.0**-100, 2.0**100, 2.0**200, 2.0**330])
@pytest.mark.parametrize("kernel", ["linear", "energy"])
@pytest.mark.parametrize("null", ["permutation", "spectrum", "gamma", "pearson", "normal"])
def test_units_do_not_matter_or_are_refused(unit, kernel, null):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=60), rng.normal(0.5, size=60)
    options = {"kernel": kernel, "null": null, "statistic": "linear" if null == "normal" else "unbiased"}
    expected = ts.mmd_test(x, y, rng=0, **options).pvalue
    try:
        found = ts.mmd_test(unit * x, unit * y, rng=0, **options).pvalue
    except ts.InputError:
        assert null != "permutation" or unit > 1
        found = expected
    assert found == pytest.approx(expected, rel=1e-6)
