"""The engine of linear cost: exact over all ranges, units and offsets; bits and transforms against plain sums."""

import subprocess
import sys

import numpy as np
import pytest

import twosample as ts
from twosample.core.labellings import Labellings, random_relabellings
from twosample.engines.fourier import grids_for
from twosample.engines.fourier.nufft import fast_sums

SIZE, CUT = 160, 70


def spread(ratio, columns, seed=0):
    """Points over `ratio` bandwidths, in clumps so that they still see each other."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(0, ratio, size=(12, columns))
    return places[rng.integers(12, size=SIZE)] + rng.normal(size=(SIZE, columns))


def agree(x, y, kernel, absolute=1e-11, engine="fourier"):
    for statistic in ("biased", "unbiased"):
        exact = ts.mmd(x, y, kernel=kernel, statistic=statistic, engine="dense")
        found = ts.mmd(x, y, kernel=kernel, statistic=statistic, engine=engine)
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


@pytest.mark.parametrize("alpha", [0.5, 1.0, 4.0, 50.0, 1e4])
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


# --- Two and three columns, kernels of any roughness: what the tolerance promises -----------------------------

SMOOTH = {
    "rational quadratic": ts.RationalQuadratic(1.0, 1.0),
    "heavy tails": ts.RationalQuadratic(1.0, 0.3),
    "many scales": ts.RationalQuadratic(1.0) + 0.5 * ts.Gaussian(20.0),
    "product": ts.RationalQuadratic(2.0) * ts.Gaussian(1.5),
    "product of two": ts.RationalQuadratic(1.0, 2.0) * ts.RationalQuadratic(2.0, 1.0),
}
ROUGH = {
    "matern-5/2": (ts.Matern(1.0, 2.5), 1e-6),
    "matern-3/2": (ts.Matern(1.0, 1.5), 1e-4),
    "laplace-l2": (ts.Laplace(5.0, norm=2), 2e-2),
    "sum": (ts.Gaussian(1.0) + 2 * ts.Matern(1.0, 2.5), 1e-5),
    "product": (ts.Gaussian(1.0) * ts.Matern(2.0, 1.5), 1e-4),
}


@pytest.mark.parametrize("ratio", [1, 10, 100])
@pytest.mark.parametrize("kernel", SMOOTH.values(), ids=SMOOTH)
def test_smooth_kernels_are_exact_in_the_plane(kernel, ratio):
    pytest.importorskip("finufft")
    z = spread(ratio, 2)
    agree(z[:CUT], z[CUT:], kernel)


@pytest.mark.parametrize("kernel", list(SMOOTH.values())[:2], ids=list(SMOOTH)[:2])
def test_smooth_kernels_are_exact_in_space(kernel):
    pytest.importorskip("finufft")
    z = spread(2, 3)
    agree(z[:CUT], z[CUT:], kernel)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(("kernel", "tolerance"), ROUGH.values(), ids=ROUGH)
def test_no_kernel_value_is_off_by_more_than_the_tolerance(kernel, tolerance, columns):
    pytest.importorskip("finufft")
    z = spread(2, columns)
    K = kernel.block(z, z)
    for allowed in (tolerance, 10 * tolerance):
        found = ts.Fourier(tolerance=min(allowed, 0.05)).gram(kernel, z).multiply(np.eye(SIZE))
        assert np.abs(found - K).max() <= allowed * K[0, 0]
        assert np.linalg.eigvalsh(found + found.T).min() >= -1e-9 * SIZE  # still positive definite


def test_matern_in_the_plane_to_twelve_digits():
    pytest.importorskip("finufft")
    z = np.random.default_rng(0).normal(size=(SIZE, 2))
    agree(z[:CUT], z[CUT:], ts.Matern(2.0, 2.5))


NULLS = ["permutation", "bootstrap", "spectrum", "gamma", "pearson"]


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize(
    ("kernel", "tolerance", "columns"),
    [(ts.RationalQuadratic(1.0, 2.0), 1e-12, 2), (ts.Matern(1.0, 2.5), 1e-6, 2), (ts.RationalQuadratic(2.0), 1e-5, 3)],
    ids=["rational quadratic", "matern", "space"],
)
def test_every_null(kernel, tolerance, columns, null):
    pytest.importorskip("finufft")
    z = spread(3, columns)
    few = {"permutation": ts.Permutation(39), "bootstrap": ts.Bootstrap(39)}
    options = {"kernel": kernel, "null": few.get(null, null), "rng": 5, "level": 0.1}
    exact = ts.mmd_test(z[:CUT], z[CUT:], engine="dense", **options)
    found = ts.mmd_test(z[:CUT], z[CUT:], engine=ts.Fourier(tolerance=tolerance), **options)
    assert found.statistic == pytest.approx(exact.statistic, abs=4 * tolerance + 1e-11)
    assert found.pvalue == pytest.approx(exact.pvalue, rel=0.02, abs=1e-9)


@pytest.mark.parametrize("null", ["spectrum", "gamma", "pearson"])
@pytest.mark.parametrize("kernel", [ts.RationalQuadratic(1.0, 2.0), ts.Matern(1.0, 2.5)], ids=repr)
def test_nulls_of_more_points_than_fit_in_a_matrix(kernel, null, monkeypatch):
    """The second moment comes from transforms of the squared kernel, the shape of the spectrum from a part."""
    pytest.importorskip("finufft")
    from twosample.engines.fourier import grid_gram

    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(500, 2)), 1.1 * rng.normal(size=(600, 2))
    exact = ts.mmd_test(x, y, kernel=kernel, null=null, engine="dense", rng=5)
    monkeypatch.setattr(grid_gram, "CENTRED_POINTS", 600)
    monkeypatch.setattr(grid_gram, "DIRECT_FREQUENCIES", 100)
    gram = ts.Fourier(tolerance=1e-6).gram(kernel, np.concatenate([x, y]))
    dense = ts.Dense().gram(kernel, np.concatenate([x, y])).centred(np.random.default_rng(0))
    assert gram.centred(np.random.default_rng(0)).square == pytest.approx(dense.square, rel=1e-4)
    found = ts.mmd_test(x, y, kernel=kernel, null=null, engine=ts.Fourier(tolerance=1e-6), rng=5)
    assert found.pvalue == pytest.approx(exact.pvalue, rel=0.2)


def test_the_result_says_how_near_the_kernel_is():
    pytest.importorskip("finufft")
    z = spread(2, 2)
    loose = ts.mmd_test(
        z[:CUT], z[CUT:], kernel=ts.Matern(1.0, 2.5), engine=ts.Fourier(tolerance=1e-5), null="gamma", rng=0
    )
    assert any("at most 1e-05" in note and "valid" in note for note in loose.notes)
    exact = ts.mmd_test(z[:CUT], z[CUT:], kernel=ts.RationalQuadratic(1.0), engine="fourier", null="gamma", rng=0)
    assert not any("Fourier" in note for note in exact.notes)


@pytest.mark.parametrize("columns", [2, 3])
def test_a_rough_kernel_is_refused_with_the_tolerance_that_would_fit(columns):
    pytest.importorskip("finufft")
    z = spread(2, columns)
    with pytest.raises(ts.OptionError, match=r"tolerance=1e-\d+\) would fit") as refusal:
        ts.Fourier().gram(ts.Matern(1.0, 1.5), z)
    fits = float(str(refusal.value).split("tolerance=")[1].split(")")[0])
    ts.Fourier(tolerance=fits).gram(ts.Matern(1.0, 1.5), z)
    with pytest.raises(ts.OptionError, match="frequencies"):
        ts.Fourier(tolerance=fits / 10).gram(ts.Matern(1.0, 1.5), z)


@pytest.mark.parametrize(("columns", "ratio"), [(2, 10), (2, 1e3), (2, 1e6), (3, 5), (3, 1e6)])
@pytest.mark.parametrize("kernel", [ts.RationalQuadratic(1.0), ts.Matern(1.0, 2.5)], ids=repr)
def test_right_or_refused_over_six_decades(kernel, ratio, columns):
    pytest.importorskip("finufft")
    z = spread(ratio, columns)
    try:
        agree(z[:CUT], z[CUT:], kernel, absolute=1e-5, engine=ts.Fourier(tolerance=1e-6))
    except ts.OptionError as refusal:
        assert "frequencies" in str(refusal)  # noqa: PT017 - either is right
    assert ts.plan(z, z, kernel=kernel, null="spectrum").exact


@pytest.mark.parametrize("kernel", [ts.Matern(), ts.Matern(smoothness=0.5), ts.Laplace(norm=2)], ids=repr)
def test_auto_never_trades_accuracy_for_frequencies(kernel):
    rng = np.random.default_rng(0)
    plan = ts.plan(rng.normal(size=(20_000, 2)), rng.normal(size=(20_000, 2)), kernel=kernel, null="spectrum")
    assert plan.engine.name == "tiled" or plan.engine.tolerance <= 1e-12


@pytest.mark.parametrize("kernel", [ts.Gaussian(0.05), ts.RationalQuadratic(0.1), ts.Matern(0.5, 2.5)], ids=repr)
def test_without_transforms(kernel, monkeypatch):
    """A clear error from the engine itself, another exact engine from auto, and few frequencies need none."""
    monkeypatch.setitem(sys.modules, "finufft", None)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(900, 2)), rng.normal(size=(900, 2))
    with pytest.raises(ts.MissingExtraError, match=r"twosample\[fast\]"):
        ts.mmd(x, y, kernel=kernel, engine=ts.Fourier(tolerance=1e-6))
    plan = ts.plan(x, y, kernel=kernel, null="spectrum")
    assert plan.engine.name == "tiled"
    assert plan.exact
    agree(x, y, ts.Gaussian(1.0))
    agree(x, y, ts.RationalQuadratic(1.0, 4.0), 1e-7, ts.Fourier(tolerance=1e-8))


@pytest.mark.parametrize("worlds", ["relabellings", "bootstraps"])
def test_worlds_in_turns(worlds, monkeypatch):
    """However many worlds are summed at a time."""
    pytest.importorskip("finufft")
    from twosample.core.labellings import relabellings
    from twosample.core.resamples import bootstraps
    from twosample.engines.fourier import grid_gram

    z = spread(20, 2)
    make = {"relabellings": relabellings, "bootstraps": bootstraps}[worlds]
    labels = make(CUT, SIZE - CUT, 9, np.random.default_rng(0))
    gram = ts.Fourier(tolerance=1e-6).gram(ts.Matern(1.0, 2.5), z)
    whole = gram.block_sums(labels, CUT, SIZE - CUT)
    monkeypatch.setattr(grid_gram, "_SUM_BYTES", 1)
    turns = gram.block_sums(labels, CUT, SIZE - CUT)
    for name in ("xx", "xy", "yy", "dx", "dy"):
        np.testing.assert_allclose(getattr(turns, name), getattr(whole, name), atol=1e-8)


@pytest.mark.parametrize("unit", [1e-200, 1e-30, 1e30, 1e200])
@pytest.mark.parametrize("kernel", [ts.Gaussian(), ts.RationalQuadratic(), ts.Matern(smoothness=2.5)], ids=repr)
@pytest.mark.parametrize("columns", [1, 2])
def test_extreme_units(kernel, unit, columns):
    pytest.importorskip("finufft")
    z = spread(2, columns)
    engine = ts.Fourier(tolerance=1e-6)
    reference = ts.mmd(z[:CUT], z[CUT:], kernel=kernel, engine=engine)
    assert ts.mmd(unit * z[:CUT], unit * z[CUT:], kernel=kernel, engine=engine) == pytest.approx(reference, rel=1e-6)


@pytest.mark.parametrize("name", ["offset", "ties", "duplicates", "one constant column", "one far point"])
@pytest.mark.parametrize(
    ("kernel", "tolerance"), [(ts.RationalQuadratic(), 1e-12), (ts.Matern(smoothness=2.5), 1e-6)], ids=["rq", "matern"]
)
def test_offsets_and_ties_with_mixtures(kernel, tolerance, name):
    pytest.importorskip("finufft")
    z = np.random.default_rng(4).normal(size=(SIZE, 2))
    z = {
        "offset": 1e9 + np.round(z * 1024) / 1024,
        "ties": np.round(z),
        "duplicates": np.repeat(z[: SIZE // 2], 2, axis=0),
        "one constant column": z * [1.0, 0.0],
        "one far point": np.concatenate([z[:-1], z[-1:] + 50]),
    }[name]
    agree(z[:CUT], z[CUT:], kernel, 4 * tolerance + 1e-10, ts.Fourier(tolerance=tolerance))


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.RationalQuadratic(1.0), ts.Matern(1.0, 2.5)], ids=repr)
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_a_constant_pool(kernel, columns):
    x = np.full((20, columns), 3.3)
    r = ts.mmd_test(x, x[:11], kernel=kernel, engine=ts.Fourier(tolerance=1e-3), rng=0)
    assert r.pvalue == 1
    assert r.statistic == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_two_columns_in_one_transform(columns):
    pytest.importorskip("finufft")
    rng = np.random.default_rng(2)
    outline = grids_for(ts.Gaussian(0.3), rng.normal(size=(50, 2)), 1e-12)
    z, grid = outline.z, outline.shapes[0].grid(outline.z.mean(axis=0), 1e-12)
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


def test_plans_count_what_the_law_costs():
    """Eigenvalues of two thousand points, or products of many features; next to nothing for few waves on a line."""
    x = np.random.default_rng(0).normal(size=(4000, 10))
    spectrum, gamma = (ts.plan(x, x, kernel=ts.Gaussian(1.0), null=null).seconds for null in ("spectrum", "gamma"))
    assert spectrum > gamma + 0.5
    line = ts.plan(x[:, 0], x[:, 1], kernel=ts.Gaussian(1.0), null="spectrum").seconds
    plane = ts.plan(x.reshape(-1, 2), x.reshape(-1, 2), kernel=ts.Gaussian(1.0), null="spectrum").seconds
    assert line < 0.1 < plane
