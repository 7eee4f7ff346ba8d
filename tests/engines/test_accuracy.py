"""Data that break fast distance formulas: far away, huge, tiny, tied, constant."""

import numpy as np
import pytest

import twosample as ts
from twosample.core.labellings import relabellings
from twosample.engines.tiles import tile_function

KERNELS = {
    "gaussian": ts.Gaussian(),
    "laplace": ts.Laplace(),
    "laplace-l2": ts.Laplace(norm=2),
    "matern-3/2": ts.Matern(),
    "rational-quadratic": ts.RationalQuadratic(),
    "energy": ts.Energy(),
    "sum": ts.Gaussian() + ts.Matern(),
    "product": ts.Gaussian() * ts.Laplace(norm=2),
    "scaled": 0.3 * ts.Gaussian(),
}


def data(name, columns=3, size=120):
    rng = np.random.default_rng(11)
    z = rng.normal(size=(size, columns))
    return {
        "normal": z,
        "cauchy": rng.standard_cauchy(size=(size, columns)),
        "offset": 1e9 + np.round(z * 1024) / 1024,
        "offset of one column": z + np.array([1e9] + [0] * (columns - 1)),
        "tiny": 1e-9 * z,
        "huge": 1e9 * z,
        "one far point": np.concatenate([z[:-1], np.full((1, columns), 1e8)]),
        "two far groups": z + np.where(np.arange(size) % 2, 1e5, 0)[:, None],
        "near twins": np.repeat(z[: size // 2], 2, axis=0) + 1e-9 * rng.normal(size=(size, columns)),
        "columns of different units": z * 10.0 ** np.linspace(-6, 6, columns),
    }[name]


DATA = ["normal", "cauchy", "offset", "offset of one column", "tiny", "huge", "one far point", "two far groups",
        "near twins", "columns of different units"]  # fmt: skip


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_tiled_gives_what_dense_gives(kernel, name, columns):
    z = data(name, columns)
    x, y = z[:50], z[50:]
    reference = ts.mmd_test(x, y, kernel=kernel, engine="dense", null=ts.Permutation(99), rng=1)
    found = ts.mmd_test(x, y, kernel=kernel, engine=ts.Tiled(tile=33), null=ts.Permutation(99), rng=1)
    size = max(abs(reference.statistic), abs(reference.threshold))
    assert found.statistic == pytest.approx(reference.statistic, abs=2e-6 * size)
    assert found.pvalue >= reference.pvalue - 0.011
    if name != "two far groups":  # there worlds differ by 1e-10 of a kernel value; single precision may call that a tie
        assert found.pvalue <= reference.pvalue + 0.011


@pytest.mark.parametrize("columns", [2, 10, 50])
@pytest.mark.parametrize("size", [100, 700])
def test_single_precision_sums_of_the_gaussian_kernel(size, columns):
    """Relative to the mean kernel value the sums are right to 1e-7, though tiles are in single precision."""
    z = np.random.default_rng(12).normal(size=(size, columns))
    kernel = ts.Gaussian(ts.Median().bandwidths(z, "euclidean", np.random.default_rng(0))[0])
    labels = relabellings(size // 2, size - size // 2, 50, np.random.default_rng(1))
    reference = ts.Dense().gram(kernel, z).block_sums(labels, size // 2, size - size // 2)
    found = ts.Tiled().gram(kernel, z).block_sums(labels, size // 2, size - size // 2)
    mean = kernel.block(z, z).mean()
    for name in ("xx", "xy", "yy"):
        error = np.abs(getattr(found, name) - getattr(reference, name)) / (size**2 / 4)
        assert error.max() <= 1e-7 * mean
    assert np.abs(found.dx - reference.dx).max() <= 1e-12 * size


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("name", ["normal", "cauchy", "two far groups", "near twins"])
def test_tiles_are_blocks(kernel, name):
    z = data(name)
    filled = kernel.fill(lambda metric: 1.0)
    tile = tile_function(filled, z, z)(slice(3, 40), slice(10, 90))
    K = filled.block(z[3:40], z[10:90])
    np.testing.assert_allclose(tile, K, atol=2e-6 * np.abs(K).max())


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_between_different_sets_of_points(kernel):
    a, b = data("normal")[:30], data("normal")[50:] + 2
    filled = kernel.fill(lambda metric: 1.5)
    K = filled.block(a[5:25], b[:40])
    np.testing.assert_allclose(tile_function(filled, a, b)(slice(5, 25), slice(0, 40)), K, atol=2e-6 * np.abs(K).max())


# --- Ties: equal statistics must count as equal in every engine ---------------------------------------------


def tied(seed, columns):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(8, 60))
    z = rng.integers(0, 3, size=(2 * size, columns)) if seed % 3 else rng.random((2 * size, columns)) < 0.1
    z = z.astype(float)
    z[0, 0] += 1 - z[:, 0].max() + z[:, 0].min() if (z == z[0]).all() else 0
    return z[:size], z[size:]


@pytest.mark.parametrize("tile", [17, 1024])
@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("name", ["gaussian", "rational-quadratic", "scaled", "sum", "product", "energy", "laplace-l2"])
def test_tied_data_give_the_same_pvalue_in_every_engine(name, columns, tile):
    """Which relabellings tie with the truth is decided by the data, not by the rounding of an engine."""
    different = []
    for seed in (0, 12, 23, 30, 60, 69, 81, 105, 129):
        x, y = tied(seed, columns)
        options = {"kernel": KERNELS[name], "null": ts.Permutation(199), "rng": seed}
        reference = ts.mmd_test(x, y, engine="dense", **options).pvalue
        found = ts.mmd_test(x, y, engine=ts.Tiled(tile=tile), **options).pvalue
        if found != reference:
            different.append((seed, found, reference))
    assert not different


@pytest.mark.parametrize("tile", [1, 5, 16, 40])
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_equal_points_tie_exactly(columns, tile):
    """x = a, a, ..., y = b, b, ...: the exact p-value is 2 / C(2m, m) in every engine."""
    x, y = np.zeros((4, columns)), np.full((4, columns), 0.7)
    r = ts.mmd_test(x, y, engine=ts.Tiled(tile=tile), level=0.1)
    assert r.pvalue == pytest.approx(2 / 70, rel=1e-12)
    half = np.concatenate([x[:2], y[:2]])
    assert ts.mmd_test(half, half, engine=ts.Tiled(tile=tile), level=0.1).pvalue == 1


@pytest.mark.parametrize("engine", ["dense", "tiled"])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("value", [0.0, 3.3, 1e300, -1e-300])
def test_a_constant_pool(engine, columns, value):
    x = np.full((20, columns), value)
    for kernel in ("gaussian", "laplace", "matern-3/2", "rational-quadratic"):
        r = ts.mmd_test(x, x[:11], engine=engine, kernel=kernel, rng=0)
        assert r.pvalue == 1
        assert r.statistic == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("unit", [1e-200, 1e-30, 1e30, 1e200])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize(
    "kernel", ["gaussian", "laplace", "laplace-l2", "matern-3/2", "rational-quadratic", "polynomial"]
)
def test_extreme_units(kernel, columns, unit):
    z = data("normal", columns)
    reference = ts.mmd_test(z[:50], z[50:], kernel=kernel, engine="dense", rng=1, null=ts.Permutation(99))
    for engine in ("dense", "tiled"):
        found = ts.mmd_test(unit * z[:50], unit * z[50:], kernel=kernel, engine=engine, rng=1, null=ts.Permutation(99))
        assert found.statistic == pytest.approx(reference.statistic, rel=1e-5)
        assert found.pvalue == pytest.approx(reference.pvalue, abs=0.011)


@pytest.mark.parametrize("engine", ["dense", "tiled"])
@pytest.mark.parametrize("kernel", ["energy", "linear", "polynomial", "gaussian"])
@pytest.mark.parametrize("columns", [1, 2])
def test_numbers_too_large_for_the_kernel_never_become_nan(kernel, columns, engine):
    """Either the answer is right or there is an error: never NaN, never p = 0."""
    z = data("normal", columns)
    for unit in (1e100, 1e160, 1e200, 1e300):
        with np.errstate(all="ignore"):
            try:
                r = ts.mmd_test(
                    unit * z[:50], unit * z[50:], kernel=kernel, engine=engine, rng=1, null=ts.Permutation(99)
                )
            except (ts.InputError, ts.OptionError):
                continue
        assert np.isfinite(r.statistic)
        assert r.pvalue > 0.01


def test_the_largest_doubles():
    with np.errstate(all="ignore"), pytest.raises(ts.InputError, match="large"):
        ts.mmd_test([-1.5e308, 1.5e308, 1.0, 2.0], [-1.5e308, 1.5e308, 1.0, 3.0])
