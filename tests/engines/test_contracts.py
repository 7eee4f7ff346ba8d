"""One suite for every registered engine: it gives what the Gram matrix in memory gives."""

import numpy as np
import pytest

import twosample as ts
from twosample.core.labellings import Labellings, observed, relabellings
from twosample.core.resamples import bootstraps, pair_swaps
from twosample.core.sums import BlockSums
from twosample.engines import ENGINES
from twosample.kernels import KERNELS

APPROXIMATE = {"lowrank", "features"}
"""Engines whose answers are those of a nearby kernel; their own tests say how near."""

WHOLE = {"auto", "dense", "tiled"}
"""Engines whose sums are those of K itself; others may give those of a centred kernel, which has the same MMD."""

EVERY_ENGINE = {name: make() for name, make in ENGINES.items() if name not in APPROXIMATE}
EVERY_ENGINE |= {f"tiled-{tile}": ts.Tiled(tile=tile) for tile in (1, 7, 64, 30, 1000)}
EVERY_ENGINE |= {f"tiled-threads-{count}": ts.Tiled(tile=8, threads=count) for count in (1, 3)}
engines = pytest.mark.parametrize("engine", EVERY_ENGINE.values(), ids=EVERY_ENGINE)

EVERY_KERNEL = {name: make().fill(lambda metric: 1.3) for name, make in KERNELS.items()}
EVERY_KERNEL |= {
    "sum": ts.Gaussian(1.0) + ts.Laplace(2.0),
    "sum of linear": ts.Gaussian(1.0) + 0.1 * ts.Linear(),
    "product": ts.Gaussian(1.0) * ts.Matern(2.0),
    "scaled": 2.5 * ts.RationalQuadratic(1.0),
    "function": ts.FunctionKernel(lambda a, b: 1 / (1 + np.abs(a[:, None] - b[None]).sum(-1))),
}
COLUMNS = (1, 2, 3, 5)
EVERYTHING = {columns: set(EVERY_KERNEL) for columns in COLUMNS}
GRIDS = {"gaussian", "rational-quadratic", "scaled"}
UNBOUNDED = {"energy", "linear", "polynomial", "sum of linear"}
TAKES = {
    "auto": EVERYTHING,
    "dense": EVERYTHING,
    "tiled": EVERYTHING,
    "lowrank": EVERYTHING,
    "features": {columns: set(EVERY_KERNEL) - UNBOUNDED - {"function"} for columns in COLUMNS},
    "fourier": {
        1: set(EVERY_KERNEL) - {"linear", "polynomial", "sum", "sum of linear", "function"},
        2: {*GRIDS, "matern-5/2"},
        3: GRIDS,
        5: set(),
    },
}
"""What each engine must take, by the number of columns. All else it must refuse with an error that says so."""


def taken(columns, names=EVERY_ENGINE):
    """Every engine with every kernel that it must take."""
    pairs = [(name, kernel) for name in names for kernel in EVERY_KERNEL
             if kernel in TAKES[EVERY_ENGINE[name].name][columns]]  # fmt: skip
    values = [(EVERY_ENGINE[name], EVERY_KERNEL[kernel]) for name, kernel in pairs]
    return pytest.mark.parametrize(("engine", "kernel"), values, ids=[f"{name}-{kernel}" for name, kernel in pairs])


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_takes_what_it_must_and_refuses_the_rest(name):
    """A new engine says here what it takes."""
    engine = ENGINES[name]()
    for columns, kernels in TAKES[name].items():
        for kernel in EVERY_KERNEL:
            z = points(columns)
            if kernel in kernels:
                engine.gram(EVERY_KERNEL[kernel], z, np.random.default_rng(0)).block_sums(observed(M, N), M, N)
            else:
                with pytest.raises(ts.OptionError, match=r"engine=|Use|needs|takes"):
                    engine.gram(EVERY_KERNEL[kernel], z, np.random.default_rng(0))


M, N = 13, 17
WORLDS = {
    "truth": lambda rng: observed(M, N),
    "relabellings": lambda rng: relabellings(M, N, 20, rng),
    "bootstraps": lambda rng: bootstraps(M, N, 20, rng),
    "swaps": lambda rng: pair_swaps((M + N) // 2, 20, rng),
}


def points(columns, seed=0, size=M + N):
    return np.random.default_rng(seed).normal(size=(size, columns))


def sums_by_definition(K, labels):
    """Five sums per world, one world at a time."""
    worlds = []
    for r in range(labels.count):
        v = labels.x[:, r].astype(float)
        w = 1 - v if labels.y is None else labels.y[:, r].astype(float)
        worlds.append((v @ K @ v, v @ K @ w, w @ K @ w, v @ np.diagonal(K), w @ np.diagonal(K)))
    return dict(zip(("xx", "xy", "yy", "dx", "dy"), np.array(worlds).T, strict=True))


def assert_sums(engine, sums, K, labels, sizes):
    """Relative to the mean kernel value and the number of terms, as rounding is."""
    expected = sums_by_definition(K, labels)
    mean = np.abs(K).mean()
    if engine.name in WHOLE:
        for name, values in expected.items():
            np.testing.assert_allclose(
                getattr(sums, name) / (mean * len(K) ** 2), values / (mean * len(K) ** 2), atol=1e-7, err_msg=name
            )
    reference = BlockSums(**expected, m=sizes[0], n=sizes[1], resolution=1e-12)
    for statistic in (ts.Biased(), ts.Unbiased()):
        form = statistic.form(*sizes)
        np.testing.assert_allclose(
            form.value(sums) / mean, form.value(reference) / mean, atol=1e-6, err_msg=repr(statistic)
        )


@engines
@pytest.mark.parametrize("worlds", WORLDS)
@pytest.mark.parametrize("columns", [1, 3])
def test_block_sums(engine, worlds, columns):
    z, kernel = points(columns), ts.Gaussian(1.2)
    labels = WORLDS[worlds](np.random.default_rng(1))
    sizes = (15, 15) if worlds == "swaps" else (M, N)
    sums = engine.gram(kernel, z).block_sums(labels, *sizes)
    assert_sums(engine, sums, kernel.block(z, z), labels, sizes)
    assert (sums.m, sums.n) == sizes
    assert 0 < sums.resolution <= 1e-5


PLAIN = [name for name in EVERY_ENGINE if name in ENGINES or name == "tiled-7"]


def check_kernel(engine, kernel, columns, worlds):
    z = points(columns)
    for kind in worlds:
        labels = WORLDS[kind](np.random.default_rng(2))
        sums = engine.gram(kernel, z).block_sums(labels, M, N)
        assert_sums(engine, sums, kernel.block(z, z), labels, (M, N))


@taken(1, PLAIN)
def test_every_kernel_on_a_line(engine, kernel):
    check_kernel(engine, kernel, 1, ("relabellings", "bootstraps"))


@taken(2, PLAIN)
def test_every_kernel_in_two_columns(engine, kernel):
    check_kernel(engine, kernel, 2, ("relabellings",))


@taken(2)
def test_multiply(engine, kernel):
    z = points(2)
    W = np.random.default_rng(3).normal(size=(len(z), 3))
    K = kernel.block(z, z)
    size = np.abs(K).max() * np.abs(W).sum(axis=0).max()
    np.testing.assert_allclose(engine.gram(kernel, z).multiply(W) / size, K @ W / size, atol=1e-7)


@taken(2)
def test_centred_moments(engine, kernel):
    z = points(2)
    found = engine.gram(kernel, z).centred(np.random.default_rng(0))
    expected = ts.Dense().gram(kernel, z).centred(np.random.default_rng(0))
    near = 1e-6 if engine.name in WHOLE else 0.1  # other estimates of the same moments, from 30 points
    assert found.square == pytest.approx(expected.square, rel=near)
    assert found.spread == pytest.approx(expected.spread, rel=near)
    assert found.triangle() == pytest.approx(expected.triangle(), rel=near)
    if engine.name in WHOLE:
        assert found.cube() == pytest.approx(expected.cube(), rel=1e-6)
    assert np.square(found.eigenvalues()).sum() == pytest.approx(found.square, rel=1e-6)
    top = np.abs(expected.eigenvalues()).max()
    assert np.abs(found.eigenvalues()).max() == pytest.approx(top, rel=near)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("kernel", [ts.Gaussian(1.5), ts.Energy(), ts.Laplace(2.0)], ids=repr)
def test_centred_moments_of_a_part_of_the_pool(monkeypatch, kernel, columns):
    """Beyond the size for which the whole matrix is kept, square and spread still come from all points."""
    from twosample.engines import base, tiled

    z = points(columns, size=300)
    whole = ts.Dense().gram(kernel, z).centred(np.random.default_rng(0))
    monkeypatch.setattr(base, "CENTRED_POINTS", 100)
    monkeypatch.setattr(tiled, "CENTRED_POINTS", 100)
    for engine in (ts.Dense(), ts.Tiled(), ts.Tiled(tile=64), ts.Tiled(tile=7, threads=3)):
        part = engine.gram(kernel, z).centred(np.random.default_rng(0))
        assert part.square == pytest.approx(whole.square, rel=1e-5)
        assert part.spread == pytest.approx(whole.spread, rel=1e-5)
        assert len(part.eigenvalues()) == 100
        assert np.square(part.eigenvalues()).sum() == pytest.approx(whole.square, rel=1e-5)
        assert part.triangle() == pytest.approx(whole.triangle(), rel=0.3)


@engines
def test_a_test_gives_the_same_answer(engine):
    rng = np.random.default_rng(4)
    columns = 3 if engine.name in WHOLE else 1
    x, y = rng.normal(size=(40, columns)), rng.normal(size=(35, columns)) + 0.3
    for options in ({}, {"statistic": "biased"}, {"null": "bootstrap"}, {"null": "gamma"}, {"kernel": "energy"}):
        near = 1e-5 if engine.name in WHOLE or "null" not in options else 0.05
        reference = ts.mmd_test(x, y, engine="dense", rng=5, **options)
        found = ts.mmd_test(x, y, engine=engine, rng=5, **options)
        assert found.statistic == pytest.approx(reference.statistic, rel=1e-6)
        assert found.pvalue == pytest.approx(reference.pvalue, rel=near)
        assert found.threshold == pytest.approx(reference.threshold, rel=near)


@engines
def test_paired_swaps_give_the_same_answer(engine):
    rng = np.random.default_rng(6)
    columns = 2 if engine.name in WHOLE else 1
    x = rng.normal(size=(30, columns))
    y = x + 0.2 * rng.normal(size=(30, columns)) + 0.1
    reference = ts.mmd_test(x, y, statistic="paired", engine="dense", rng=5)
    found = ts.mmd_test(x, y, statistic="paired", engine=engine, rng=5)
    assert found.statistic == pytest.approx(reference.statistic, rel=1e-6, abs=1e-7)
    assert found.pvalue == reference.pvalue


@engines
def test_the_points_are_not_modified(engine):
    z, ones = points(1), np.ones((len(points(1)), 1))
    free = engine.gram(ts.Gaussian(1.0), z.copy(), np.random.default_rng(0))
    z.flags.writeable = False
    gram = engine.gram(ts.Gaussian(1.0), z, np.random.default_rng(0))
    sums, expected = (own.block_sums(observed(M, N), M, N) for own in (gram, free))
    assert sums.xx == pytest.approx(expected.xx, rel=1e-12)
    assert gram.centred(np.random.default_rng(0)).square == free.centred(np.random.default_rng(0)).square
    assert gram.multiply(ones) == pytest.approx(free.multiply(ones), rel=1e-12)


@engines
def test_asking_twice_gives_the_same(engine):
    z, labels = points(1), WORLDS["relabellings"](np.random.default_rng(7))
    gram = engine.gram(ts.Gaussian(1.0), z)
    first, second = (gram.block_sums(labels, M, N) for _ in range(2))
    np.testing.assert_array_equal(first.xx, second.xx)
    assert gram.centred(np.random.default_rng(0)).square == gram.centred(np.random.default_rng(0)).square


@engines
def test_names(engine):
    assert engine.name in ENGINES
    assert type(ENGINES[engine.name]()) is type(engine)


# --- Tiles and threads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Matern(1.0), ts.Laplace(1.0), ts.Linear()], ids=repr)
@pytest.mark.parametrize("worlds", ["relabellings", "bootstraps"])
def test_the_number_of_threads_changes_no_bit(kernel, worlds):
    z, labels = points(3), WORLDS[worlds](np.random.default_rng(8))
    W = np.random.default_rng(0).normal(size=(len(z), 2))
    results = []
    for threads in (1, 2, 3):
        gram = ts.Tiled(tile=5, threads=threads).gram(kernel, z)
        sums = gram.block_sums(labels, M, N)
        results.append((sums.xx, sums.xy, sums.yy, sums.dx, sums.dy, gram.multiply(W)))
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("null", ["permutation", "bootstrap"])
@pytest.mark.parametrize("columns", [1, 4])
def test_threads_and_tiles_change_no_answer(columns, null):
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(40, columns)), 1.2 * rng.normal(size=(50, columns))
    results = [ts.mmd_test(x, y, null=null, engine=ts.Tiled(tile=64, threads=threads), rng=3) for threads in (1, 2, 3)]
    assert (
        len({r.pvalue for r in results})
        == len({r.statistic for r in results})
        == len({r.threshold for r in results})
        == 1
    )
    for tile in (1, 7, 90, 500):
        other = ts.mmd_test(x, y, null=null, engine=ts.Tiled(tile=tile), rng=3)
        assert other.pvalue == results[0].pvalue
        assert other.statistic == pytest.approx(results[0].statistic, rel=1e-6, abs=5e-8)  # of kernel values near 1


@pytest.mark.parametrize(
    "options", [{"tile": 0}, {"tile": -1}, {"tile": 2.5}, {"tile": "big"}, {"threads": 0}, {"threads": 1.5}]
)
def test_bad_engine_options(options):
    with pytest.raises(ts.OptionError, match=next(iter(options))):
        ts.Tiled(**options)


def test_an_engine_class_is_not_an_engine():
    with pytest.raises(ts.OptionError, match="engine="):
        ts.mmd_test(range(5), range(5), engine=ts.Tiled)


# --- The choice ---------------------------------------------------------------------------------------------


def test_auto_says_what_and_why():
    rng = np.random.default_rng(10)
    small = ts.mmd_test(rng.normal(size=30), rng.normal(size=30), rng=0)
    assert small.engine == ts.Dense()
    assert "60 pooled points" in small.reason
    large = ts.mmd_test(rng.normal(size=(900, 5)), rng.normal(size=(900, 5)), null=ts.Permutation(19), rng=0)
    assert large.engine == ts.Tiled()
    assert "1800 pooled points" in large.reason


def test_auto_knows_that_rough_kernels_do_not_compress():
    """The plan of a rough kernel counts on the highest rank there is, and says so."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60_000, 10)), rng.normal(size=(60_000, 10))
    smooth, rough = (ts.plan(x, y, kernel=kernel) for kernel in ("gaussian", "laplace"))
    assert smooth.engine.name == rough.engine.name == "lowrank"
    assert "rough" in rough.reason
    assert "rough" not in smooth.reason
    assert rough.seconds > 3 * smooth.seconds
    assert rough.bytes > smooth.bytes
    for kernel in ("energy", "laplace-l2", "matern-3/2", ts.Gaussian() + ts.Laplace(), 2 * ts.Matern(smoothness=0.5)):
        assert "rough" in ts.plan(x, y, kernel=kernel).reason
    assert "rough" not in ts.plan(x, y, kernel=ts.RationalQuadratic() * ts.Matern(smoothness=2.5)).reason


def test_auto_prefers_an_exact_engine_that_is_no_slower(monkeypatch):
    """Beyond the patience, but where a low rank would cost more than all pairs of points."""
    from twosample.engines import choose

    monkeypatch.setattr(choose, "PATIENCE", 0.0)
    z = points(20, size=4000)
    assert ts.Auto().choose(ts.Energy(), z, 100).engine == ts.Tiled()
    assert ts.Auto().choose(ts.Gaussian(1.0), np.repeat(z, 20, axis=0), 100).engine == ts.LowRank()


def test_auto_keeps_a_matrix_that_is_there():
    K = np.eye(1600) + 1
    r = ts.mmd_test(None, None, kernel=ts.Precomputed(K, m=800), null=ts.Permutation(19), rng=0)
    assert r.engine == ts.Dense()
    assert "already in memory" in r.reason


def test_a_statistic_without_a_gram_matrix_has_no_engine():
    r = ts.mmd_test(range(20), range(20), statistic="linear", rng=0)
    assert r.engine is None


def test_labellings_with_large_counts():
    """Bootstrap counts above 255 must not wrap around."""
    z = points(1, size=3)
    x = np.array([[1], [1], [0]], dtype=np.uint16)
    heavy = np.array([[300], [0], [0]], dtype=np.uint16)
    labels = Labellings(np.concatenate([x, heavy], axis=1), np.concatenate([1 - x, heavy[::-1]], axis=1))
    K = ts.Gaussian(1.0).block(z, z)
    for engine in (engine for engine in EVERY_ENGINE.values() if engine.name in WHOLE):
        sums = engine.gram(ts.Gaussian(1.0), z).block_sums(labels, 300, 300)
        np.testing.assert_allclose(sums.xx[1], 300**2 * K[0, 0], rtol=1e-6)
        np.testing.assert_allclose(sums.xy[1], 300**2 * K[0, 2], rtol=1e-5)
        np.testing.assert_allclose(sums.yy[1], 300**2 * K[2, 2], rtol=1e-6)


@pytest.mark.parametrize("engine", [ts.Fourier, ts.Tiled, ts.Features, ts.LowRank])
@pytest.mark.parametrize("progress", [3, "bar", True])
def test_progress_must_be_a_function(engine, progress):
    with pytest.raises(ts.OptionError, match=f"{engine.__name__}: progress={progress!r} must be a function"):
        engine(progress=progress)
