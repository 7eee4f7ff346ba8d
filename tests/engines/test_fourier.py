"""The engine of linear cost: exact over all ranges, units and offsets; bits and transforms against plain sums."""

import subprocess
import sys

import numpy as np
import pytest

import twosample as ts
from twosample.core.labellings import Labellings, random_relabellings
from twosample.engines.frequencies import frequency_grid
from twosample.engines.grid import fast_sums

SIZE, CUT = 160, 70


def spread(ratio, columns, seed=0):
    """Points over `ratio` bandwidths, in clumps so that they still see each other."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(0, ratio, size=(12, columns))
    return places[rng.integers(12, size=SIZE)] + rng.normal(size=(SIZE, columns))


def agree(x, y, kernel, absolute=1e-11):
    for statistic in ("biased", "unbiased"):
        exact = ts.mmd(x, y, kernel=kernel, statistic=statistic, engine="dense")
        found = ts.mmd(x, y, kernel=kernel, statistic=statistic, engine="fourier")
        root = np.sqrt(absolute) if statistic == "biased" and exact < 1e-5 else absolute / max(exact, 1e-5)
        assert found == pytest.approx(exact, abs=max(absolute, root if statistic == "biased" else 0))


@pytest.mark.parametrize("ratio", [1, 10, 1e2, 1e3, 1e4, 1e5, 1e6])
@pytest.mark.parametrize(
    "kernel",
    [ts.Gaussian(1.0), ts.Gaussian(1.0) + ts.Gaussian(4.0), ts.Laplace(1.0), ts.Matern(1.0), ts.Matern(1.0, 2.5)],
    ids=["gaussian", "two widths", "laplace", "matern-3/2", "matern-5/2"],
)
def test_exact_on_the_line_over_six_decades_of_range(kernel, ratio):
    if ratio > 1e2 and isinstance(kernel, ts.Gaussian | ts.Sum):
        pytest.importorskip("finufft")
    z = spread(ratio, 1)
    agree(z[:CUT], z[CUT:], kernel)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("ratio", [1, 10, 100])
def test_rational_quadratic_is_a_sum_of_gaussians(alpha, ratio):
    z = spread(ratio, 1)
    agree(z[:CUT], z[CUT:], ts.RationalQuadratic(1.0, alpha))
    agree(z[:CUT], z[CUT:], ts.RationalQuadratic(1.0, alpha) * ts.Gaussian(3.0))


@pytest.mark.parametrize("null", ["permutation", "bootstrap", "spectrum", "gamma", "pearson"])
def test_rational_quadratic_with_every_null(null):
    z = spread(3, 1)
    kernel = ts.RationalQuadratic(1.0, 2.0)
    exact = ts.mmd_test(z[:CUT], z[CUT:], kernel=kernel, null=null, engine="dense", rng=5)
    found = ts.mmd_test(z[:CUT], z[CUT:], kernel=kernel, null=null, engine="fourier", rng=5)
    assert found.pvalue == pytest.approx(exact.pvalue, rel=0.02)


def test_rational_quadratic_over_too_many_bandwidths_is_refused():
    z = spread(1e6, 1)
    with pytest.raises(ts.OptionError, match="frequencies"):
        ts.mmd(z[:CUT], z[CUT:], kernel=ts.RationalQuadratic(1.0), engine="fourier")


def test_auto_takes_the_mixture_for_a_long_line():
    rng = np.random.default_rng(0)
    plan = ts.plan(rng.normal(size=60_000), rng.normal(size=60_000), kernel="rational-quadratic")
    assert plan.engine.name == "fourier"
    assert plan.exact


@pytest.mark.parametrize(("columns", "ratio"), [(2, 1), (2, 10), (2, 100), (2, 1000), (3, 1), (3, 10), (3, 40)])
def test_exact_in_the_plane_and_in_space(columns, ratio):
    pytest.importorskip("finufft")
    z = spread(ratio, columns)
    agree(z[:CUT], z[CUT:], ts.Gaussian(1.0))


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(
    "change",
    {
        "offset": lambda z: 1e9 + np.round(z * 1024) / 1024,
        "tiny": lambda z: 1e-9 * z,
        "huge": lambda z: 1e9 * z,
        "ties": np.round,
        "one far point": lambda z: np.concatenate([z[:-1], z[-1:] + 1e8]),
    }.items(),
    ids=lambda item: item[0],
)
def test_units_offsets_and_ties(change, columns):
    pytest.importorskip("finufft")
    z = change[1](np.random.default_rng(4).normal(size=(SIZE, columns)))
    x, y = z[:CUT], z[CUT:]
    exact = ts.mmd_test(x, y, engine="dense", rng=1)
    found = ts.mmd_test(x, y, engine="fourier", rng=1)
    assert found.statistic == pytest.approx(exact.statistic, abs=1e-7)  # 999 labellings: in single precision
    assert found.pvalue == pytest.approx(exact.pvalue, abs=0.003)
    assert ts.mmd(x, y, engine="fourier") == pytest.approx(exact.statistic, abs=1e-10)


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_two_columns_in_one_transform(columns):
    pytest.importorskip("finufft")
    rng = np.random.default_rng(2)
    z, grid = frequency_grid(ts.Gaussian(0.3), rng.normal(size=(50, 2)), 1e-12)
    counts = rng.integers(0, 3, size=(50, columns)).astype(np.uint8)
    plain = np.stack([counts.T @ wave for wave in grid.waves(z)], axis=1)
    np.testing.assert_allclose(fast_sums(z, counts, grid), plain, atol=1e-8)


@pytest.mark.parametrize(("m", "n"), [(40, 40), (33, 100), (100, 33), (64, 64), (1, 7)])
def test_bits_and_counts_give_the_same_sums(m, n):
    packed = random_relabellings(m, n, 50, np.random.default_rng(0))
    plain = Labellings(packed.x)
    assert packed.x.shape == (m + n, 51)
    assert (packed.x.sum(axis=0) == m).all()
    features = np.random.default_rng(1).normal(size=(m + n, 3))
    for rows in (slice(0, m + n), slice(1, m + n), slice(3, m + n - 2)):
        expected = packed.x[rows].T @ features[rows]
        np.testing.assert_allclose(packed.sums(rows, features[rows]), expected, atol=1e-12)
        np.testing.assert_allclose(plain.sums(rows, features[rows]), expected, atol=1e-12)
    np.testing.assert_array_equal(packed.without_truth().x, packed.x[:, 1:])


MEMORY = """
import resource
import numpy as np
import twosample as ts

peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
rng = np.random.default_rng(0)
small = rng.normal(size=(2, 200_000))
ts.mmd_test(*small, null="spectrum", bandwidth=1.0)  # everything imported and warmed up
x, y = rng.normal(size=(2, 3_000_000))
before = peak()
result = ts.mmd_test(x, y, null="spectrum", bandwidth=1.0)
assert result.engine.name == "fourier"
print((peak() - before) / (x.nbytes + y.nbytes))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
def test_memory_is_under_three_copies_of_the_input():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 3
