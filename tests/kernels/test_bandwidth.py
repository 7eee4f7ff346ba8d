"""Bandwidth rules against the plain median of all distances, in every unit and with every kind of tie."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist

import twosample as ts
from twosample.kernels.bandwidth import _quantiles, pair_distances
from twosample.kernels.radial import quick_distances


def rng():
    return np.random.default_rng(0)


def median(z, metric="euclidean"):
    return float(ts.Median().bandwidths(np.asarray(z, float), metric, rng())[0])


def plain(z, metric="euclidean"):
    """The definition: the median distance, or that of the nonzero distances if it is 0."""
    distances = pdist(z, metric)
    return np.median(distances) or np.median(distances[distances > 0])


# --- The median ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [*range(2, 41)])
def test_on_a_line_every_size(size):
    """Odd and even numbers of pairs."""
    z = np.random.default_rng(size).normal(size=(size, 1))
    assert median(z) == pytest.approx(plain(z), rel=1e-13)


@pytest.mark.parametrize("levels", [2, 3, 5, 20])
@pytest.mark.parametrize("size", [2, 3, 5, 8, 17, 40, 300])
def test_on_a_line_with_many_ties(size, levels):
    z = np.random.default_rng(size + levels).integers(0, levels, size=(size, 1)).astype(float)
    if (z == z[0]).all():
        z[0] += 1
    assert median(z) == pytest.approx(plain(z), rel=1e-13)


@pytest.mark.parametrize(
    "draw",
    [
        lambda r: r.normal(size=(3000, 1)),
        lambda r: r.standard_cauchy(size=(3000, 1)),
        lambda r: np.exp(6 * r.normal(size=(3000, 1))),
        lambda r: r.integers(0, 50, size=(3000, 1)).astype(float),
        lambda r: np.round(r.normal(size=(3000, 1)), 1),
        lambda r: np.repeat(r.normal(size=(30, 1)), 100, axis=0),
        lambda r: np.concatenate([r.normal(size=(1500, 1)), 1e9 + r.normal(size=(1500, 1))]),
        lambda r: np.arange(3000.0)[:, None],
    ],
    ids=["normal", "cauchy", "lognormal", "integers", "rounded", "repeated", "two far groups", "lattice"],
)
def test_on_a_line_of_three_thousand_points(draw):
    z = draw(np.random.default_rng(1))
    assert median(z) == pytest.approx(plain(z), rel=1e-12)


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=60))
def test_on_a_line_of_integers(values):
    z = np.array(values, float)[:, None]
    assert median(z) == pytest.approx(1.0 if np.ptp(z) == 0 else plain(z), rel=1e-13)


@given(st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=2, max_size=40))
def test_on_a_line_of_any_numbers(values):
    z = np.array(values)[:, None]
    unit = float(np.ptp(z)) or 1.0  # the oracle squares: keep it from underflow
    assert median(z) == pytest.approx(1.0 if np.ptp(z) == 0 else unit * plain(z / unit), rel=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("columns", [2, 3, 10])
@pytest.mark.parametrize("size", [2, 3, 7, 20, 101])
def test_in_more_dimensions(size, columns, metric):
    z = np.random.default_rng(size).normal(size=(size, columns))
    assert median(z, metric) == pytest.approx(plain(z, metric), rel=1e-12)


@pytest.mark.parametrize("columns", [1, 2])
def test_a_zero_median_falls_back_to_the_nonzero_distances(columns):
    z = np.zeros((20, columns))
    z[0], z[1], z[2] = 3.0, 7.0, 7.0
    assert np.median(pdist(z)) == 0
    distances = pdist(z)
    assert median(z) == pytest.approx(np.median(distances[distances > 0]), rel=1e-13)
    assert median(z) > 0


@pytest.mark.parametrize("columns", [1, 3])
def test_one_point_that_differs_among_thousands(columns):
    """Beyond the exact size in several dimensions a random part may miss it: the bandwidth is positive even then."""
    z = np.zeros((5000, columns))
    z[4321] = 2.0
    found = median(z)
    assert found > 0
    if columns == 1:
        assert found == 2.0


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("value", [0.0, 5.0, -1e300, 1e-300])
def test_a_constant_pool_gets_some_bandwidth(columns, value):
    assert median(np.full((9, columns), value)) == 1.0


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e-200, 1e200])
@pytest.mark.parametrize("rule", [ts.Median(), ts.QuantileGrid()])
def test_scale_equivariant(rule, unit, columns):
    z = np.random.default_rng(2).normal(size=(50, columns))
    np.testing.assert_allclose(
        rule.bandwidths(unit * z, "euclidean", rng()) / unit, rule.bandwidths(z, "euclidean", rng()), rtol=1e-12
    )


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("unit", [2.0**-600, 2.0**-20, 2.0**20, 2.0**600])
def test_powers_of_two_change_no_digit(unit, columns):
    z = np.random.default_rng(3).normal(size=(40, columns))
    assert median(unit * z) == unit * median(z)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(("shift", "tolerance"), [(10.0, 1e-12), (-1e4, 1e-10), (1e9, 1e-5)])
def test_shift_invariant(shift, tolerance, columns):
    z = np.random.default_rng(4).normal(size=(60, columns))
    assert median(z + shift) == pytest.approx(median(z), rel=tolerance)


def test_small_differences_on_a_huge_offset_are_exact():
    """The points 1e9 + j/1024 are exact doubles, so nothing may be lost."""
    z = np.random.default_rng(5).integers(0, 1000, size=(200, 1)) / 1024
    assert median(1e9 + z) == pytest.approx(median(z), rel=1e-12)


def test_the_order_of_rows_does_not_matter():
    z = np.random.default_rng(6).normal(size=(100, 1))
    assert median(z) == pytest.approx(median(z[::-1]), rel=1e-13)


@pytest.mark.parametrize("columns", [1, 2])
def test_the_pool_is_not_modified(columns):
    z = np.random.default_rng(7).normal(size=(30, columns))
    expected = median(z.copy())
    z.flags.writeable = False
    assert median(z) == expected


def test_beyond_the_exact_size_a_seeded_part_of_the_pool():
    z = np.random.default_rng(8).normal(size=(4000, 2))
    first = ts.Median().bandwidths(z, "euclidean", np.random.default_rng(1))
    again = ts.Median().bandwidths(z, "euclidean", np.random.default_rng(1))
    other = ts.Median().bandwidths(z, "euclidean", np.random.default_rng(2))
    assert first == again
    assert first != other
    exact = np.sqrt(2 * 2 * np.log(2))  # |z - z'| is Rayleigh with scale sqrt(2)
    assert first[0] == pytest.approx(exact, rel=0.03)


def counted_median(values):
    """The median distance of whole numbers, by counting how many pairs lie how far apart."""
    counts = np.bincount(values)
    pairs = [sum(int(c) * (int(c) - 1) // 2 for c in counts)]
    pairs += [sum(int(a) * int(b) for a, b in zip(counts, counts[gap:], strict=False)) for gap in range(1, len(counts))]

    def at(rank, first):
        return first + int(np.searchsorted(np.cumsum(pairs[first:]), rank, side="right"))

    for first in (0, 1):
        total = sum(pairs[first:])
        found = (at((total - 1) // 2, first) + at(total // 2, first)) / 2
        if found > 0:
            return found
    raise AssertionError("constant")


def measured_median(values):
    """The median distance as the library finds it, and the peak of memory in bytes."""
    tracemalloc.start()
    try:
        return median(values.astype(float)[:, None]), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("levels", [2, 3, 10])
def test_ties_on_a_long_line_need_no_memory_for_pairs(levels):
    """Millions of pairs share one distance; they must be counted, not listed."""
    values = np.random.default_rng(9).integers(0, levels, size=4000)
    found, peak = measured_median(values)
    assert found == pytest.approx(counted_median(values), rel=1e-12)
    assert peak < 5e6


# --- Quantile grids and fixed values ------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [1, 3])
def test_a_grid_is_the_quantiles_of_the_distances(columns):
    z = np.random.default_rng(10).normal(size=(45, columns))
    expected = np.quantile(pdist(z), np.linspace(0.1, 0.9, 7))
    np.testing.assert_allclose(ts.QuantileGrid(0.1, 0.9, 7).bandwidths(z, "euclidean", rng()), expected, rtol=1e-11)


@pytest.mark.parametrize("columns", [1, 2])
def test_a_grid_on_ties_is_positive_and_increasing(columns):
    z = np.random.default_rng(11).integers(0, 2, size=(60, columns)).astype(float)
    grid = ts.QuantileGrid(0.05, 0.95, 9).bandwidths(z, "euclidean", rng())
    assert (grid > 0).all()
    z[:50] = 0
    grid = ts.QuantileGrid(0.05, 0.95, 9).bandwidths(z, "euclidean", rng())
    assert (grid > 0).all()


def test_a_grid_makes_the_mean_of_its_kernels():
    generator = np.random.default_rng(12)
    x, y = generator.normal(size=(20, 2)), generator.normal(size=(25, 2)) + 0.5
    rule = ts.QuantileGrid(0.2, 0.8, 3)
    grid = rule.bandwidths(np.concatenate([x, y]), "euclidean", rng())
    expected = np.mean([ts.mmd(x, y, kernel=ts.Gaussian(width)) for width in grid])
    assert ts.mmd(x, y, bandwidth=rule) == pytest.approx(expected, rel=1e-10)
    assert ts.mmd_test(x, y, bandwidth="quantiles", rng=0).kernel.bounds == pytest.approx((0, 1))


def test_mixed_norms_get_their_own_medians():
    generator = np.random.default_rng(13)
    x, y = generator.normal(size=(20, 3)), generator.normal(size=(20, 3))
    z = np.concatenate([x, y])
    kernel = ts.mmd_test(x, y, kernel=ts.Gaussian() + ts.Laplace(), rng=0).kernel
    assert kernel.parts[0].bandwidth == pytest.approx(np.median(pdist(z)), rel=1e-12)
    assert kernel.parts[1].bandwidth == pytest.approx(np.median(pdist(z, "cityblock")), rel=1e-12)


@pytest.mark.parametrize("value", [0.5, 2, np.float32(0.25), np.int64(3)])
def test_a_number_is_a_fixed_bandwidth(value):
    kernel = ts.mmd_test([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.0], bandwidth=value, rng=0).kernel
    assert kernel == ts.Gaussian(float(value))


@pytest.mark.parametrize(
    "make",
    [
        lambda: ts.Fixed(0.0), lambda: ts.Fixed(-1.0), lambda: ts.Fixed(np.nan), lambda: ts.Fixed(np.inf),
        lambda: ts.Fixed("wide"), lambda: ts.QuantileGrid(0.0, 0.5, 3), lambda: ts.QuantileGrid(0.5, 1.0, 3),
        lambda: ts.QuantileGrid(0.6, 0.5, 3), lambda: ts.QuantileGrid(0.1, 0.5, 0),
        lambda: ts.QuantileGrid(0.1, 0.5, 2.5), lambda: ts.QuantileGrid("low"),
    ],
)  # fmt: skip
def test_bad_rules(make):
    with pytest.raises(ts.OptionError):
        make()


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Linear(), ts.Energy()])
def test_a_bandwidth_that_nobody_would_use_is_refused(kernel):
    with pytest.raises(ts.OptionError, match="no use"):
        ts.mmd_test([1.0, 2.0], [3.0, 4.0], kernel=kernel, bandwidth=2.0)


def test_rules_compare_by_value():
    assert ts.Median() == ts.Median()
    assert hash(ts.QuantileGrid(0.1, 0.9, 3)) == hash(ts.QuantileGrid(0.1, 0.9, 3))
    assert repr(ts.Fixed(0.5)) == "Fixed(value=0.5)"


# --- The census data of the paper ---------------------------------------------------------------------------

NUMERIC = [
    "age", "detailed_industry_recode", "detailed_occupation_recode", "wage_per_hour", "capital_gains", "capital_losses",
    "dividends_from_stocks", "instance_weight", "num_persons_worked_for_employer", "own_business_or_self_employed",
    "veterans_benefits", "weeks_worked_in_year", "year",
]  # fmt: skip


@pytest.fixture(scope="module")
def census(data_directory):
    polars = pytest.importorskip("polars")
    path = data_directory / "cnum_census_income" / "census_income_full.parquet"
    if not path.exists():
        pytest.skip(f"no census data at {path}")
    return polars.read_parquet(path, columns=NUMERIC)


def test_census_columns_all_get_a_positive_bandwidth(census):
    """Six of the 13 have a median distance of 0: ties, not units."""
    zero = set()
    for name in NUMERIC:
        z = census[name].to_numpy()[::300].astype(float)[:, None]
        distances = pdist(z)
        if np.median(distances) == 0:
            zero.add(name)
        assert median(z) == pytest.approx(plain(z), rel=1e-12)
        assert median(z) > 0
    assert len(zero) == 6


def test_a_long_census_column(census):
    """60,000 ages: 1.8e9 pairs, of which tens of millions share one distance."""
    ages = census["age"].to_numpy()[:60_000]
    found, peak = measured_median(ages)
    assert found == pytest.approx(counted_median(ages), rel=1e-12)
    assert peak < 50e6


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1001, 20_000])
@pytest.mark.parametrize("levels", [[0.5], [0.05, 0.275, 0.5, 0.725, 0.95], [1e-9, 1 - 1e-9]])
def test_quantiles_are_those_of_numpy_to_the_last_bit(size, levels):
    rng = np.random.default_rng(size)
    for values in (rng.exponential(size=size), rng.integers(0, 4, size).astype(float)):
        before = values.copy()
        assert np.array_equal(_quantiles(values, np.array(levels)), np.quantile(values, levels))
        assert np.array_equal(values, before)


# --- Long rows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["apart", "twice", "nearly twice", "clusters", "far away", "one outlier"])
def test_distances_of_long_rows_are_those_of_differences(kind):
    """By one matrix product; equal rows are at distance 0, and near ones lose no digits."""
    z = rng().normal(size=(150, 200))
    if kind == "twice":
        z[50:60] = z[:10]
    if kind == "nearly twice":
        z[50:60] = z[:10] * (1 + 1e-9)
    if kind == "clusters":  # most pairs are near: by differences then
        z = np.repeat(z[:3], 50, axis=0) + 1e-6 * z
    if kind == "far away":
        z += 1e5
    if kind == "one outlier":
        z[7] *= 1e4
    close = 1e-9 if kind == "one outlier" else 1e-12
    np.testing.assert_allclose(pair_distances(z, "euclidean"), pdist(z), rtol=close)
    np.testing.assert_allclose(
        quick_distances(z[:40], z, "sqeuclidean"), cdist(z[:40], z, "sqeuclidean"), rtol=2 * close
    )
    np.testing.assert_allclose(quick_distances(z[:40], z, "cityblock"), cdist(z[:40], z, "cityblock"), rtol=1e-14)
    assert ((pair_distances(z, "euclidean") == 0) == (pdist(z) == 0)).all()
    assert median(z) == pytest.approx(plain(z), rel=1e-12)
