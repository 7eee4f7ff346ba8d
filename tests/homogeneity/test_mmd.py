"""The one path, end to end: seeds, invariances, combinations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twosample as ts
from tests import naive
from tests.nulls.made import TWO_SAMPLE, made
from twosample.kernels import BANDWIDTHS, KERNELS
from twosample.nulls import NULLS
from twosample.statistics import STATISTICS


def samples(m=30, n=25, columns=2, shift=0.4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, columns)), rng.normal(size=(n, columns)) + shift


def answer(r):
    return r.statistic, r.pvalue, r.threshold


# --- Seeds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statistic", "null"),
    [("unbiased", "permutation"), ("unbiased", "bootstrap"), ("linear", "permutation"), ("block", "permutation")],
)
def test_same_seed_same_answer(statistic, null):
    x, y = samples()
    a, b = (ts.mmd_test(x, y, statistic=statistic, null=null, rng=11) for _ in range(2))
    assert answer(a) == answer(b)
    thresholds = {ts.mmd_test(x, y, statistic=statistic, null=null, rng=seed).threshold for seed in range(4)}
    assert len(thresholds) > 1


def test_a_generator_is_used_and_moves_on():
    x, y = samples()
    generator = np.random.default_rng(3)
    first = ts.mmd_test(x, y, rng=generator)
    second = ts.mmd_test(x, y, rng=generator)
    assert answer(first) == answer(ts.mmd_test(x, y, rng=3))
    assert first.threshold != second.threshold


@pytest.mark.parametrize("seed", [0, 2**40, [1, 2, 3], np.random.SeedSequence(5), np.random.PCG64(1)])
def test_anything_that_default_rng_takes(seed):
    assert 0 < ts.mmd_test(*samples(), rng=seed).pvalue <= 1


def test_the_global_random_state_is_left_alone():
    import random

    np.random.seed(0)  # noqa: NPY002
    random.seed(0)
    before, plain = np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    x, y = samples()
    for null in TWO_SAMPLE:
        statistic = sorted(NULLS[null].statistics)[0]
        if statistic != "paired":
            m = len(y) if null == "flips" else len(x)
            ts.mmd_test(x[:m], y, null=made(null, m, len(y)), statistic=statistic)
    ts.witness(x, y, normalised=True)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert random.getstate() == plain
    np.random.seed(1)  # noqa: NPY002
    a = ts.mmd_test(x, y, rng=5)
    np.random.seed(2)  # noqa: NPY002
    assert answer(a) == answer(ts.mmd_test(x, y, rng=5))


# --- Invariances --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("kernel", KERNELS)
def test_units_change_no_pvalue(kernel, columns, unit):
    x, y = samples(columns=columns)
    for engine in ("dense", "tiled"):
        a = ts.mmd_test(x, y, kernel=kernel, engine=engine, rng=1, null=ts.Permutation(199))
        b = ts.mmd_test(unit * x, unit * y, kernel=kernel, engine=engine, rng=1, null=ts.Permutation(199))
        assert b.pvalue == a.pvalue
        assert b.rejected == a.rejected


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
@pytest.mark.parametrize("null", TWO_SAMPLE)
def test_units_change_no_pvalue_under_any_null(null, bandwidth, unit):
    x, y = samples()
    statistic = sorted(NULLS[null].statistics - {"paired", "hsic"})[-1]
    y = y if null != "flips" else samples(30, 30)[1]
    options = {"null": made(null, len(x), len(y)), "statistic": statistic, "bandwidth": bandwidth}
    a = ts.mmd_test(x, y, rng=1, **options)
    b = ts.mmd_test(unit * x, unit * y, rng=1, **options)
    assert b.pvalue == pytest.approx(a.pvalue, rel=1e-7)
    assert b.statistic == pytest.approx(a.statistic, rel=1e-9)


@pytest.mark.parametrize("kernel", [name for name in KERNELS if name != "polynomial"])
def test_a_common_shift_changes_no_pvalue(kernel):
    x, y = samples()
    a = ts.mmd_test(x, y, kernel=kernel, rng=1)
    for shift in (100.0, -1e6):
        assert ts.mmd_test(x + shift, y + shift, kernel=kernel, rng=1).pvalue == a.pvalue


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_changes_no_exact_pvalue(seed, statistic, ties):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(6, 2)), rng.normal(size=(5, 2)) + 0.7
    if ties:
        x, y = np.round(x), np.round(y)
    ps = {
        ts.mmd_test(rng.permutation(x), rng.permutation(y), statistic=statistic, engine=engine).pvalue
        for engine in ("dense", "tiled")
        for _ in range(4)
    }
    assert len(ps) == 1


def test_swapping_the_samples_changes_no_exact_pvalue():
    x, y = samples(6, 5)
    assert ts.mmd_test(x, y).pvalue == ts.mmd_test(y, x).pvalue


def test_the_order_of_columns_changes_no_statistic():
    x, y = samples(columns=4)
    order = [2, 0, 3, 1]
    assert ts.mmd(x[:, order], y[:, order]) == pytest.approx(ts.mmd(x, y), rel=1e-12)


def test_a_rotation_changes_nothing_for_isotropic_kernels():
    x, y = samples(columns=3)
    Q = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    for kernel in ("gaussian", "laplace-l2", "energy", "linear", "rational-quadratic"):
        assert ts.mmd(x @ Q, y @ Q, kernel=kernel) == pytest.approx(ts.mmd(x, y, kernel=kernel), rel=1e-10)


@settings(max_examples=12)
@given(st.integers(2, 4), st.integers(2, 4), st.integers(0, 10**6))
def test_the_exact_pvalue_is_super_uniform(m, n, seed):
    """Over all labellings of one pool taken as the truth in turn, P(p <= a) <= a, whatever the ties."""
    from itertools import combinations

    z = np.random.default_rng(seed).integers(0, 3, size=m + n).astype(float)
    ps = []
    for chosen in combinations(range(m + n), m):
        rest = [i for i in range(m + n) if i not in chosen]
        ps.append(ts.mmd_test(z[list(chosen)], z[rest], kernel=ts.Gaussian(1.0), level=0.95).pvalue)
    ps = np.array(ps)
    assert all(np.mean(ps <= a) <= a + 1e-12 for a in ps)


# --- Every combination --------------------------------------------------------------------------------------


@pytest.mark.parametrize("null", TWO_SAMPLE)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_combination_works_or_names_the_alternatives(statistic, null):
    x, y = samples(40, 40)
    known = {name for name in TWO_SAMPLE if statistic in NULLS[name].statistics}
    if null in known:
        r = ts.mmd_test(x, y, statistic=statistic, null=made(null, 40, 40), rng=0)
        assert 0 < r.pvalue <= 1
        assert r.null.name == ("permutation" if null == "auto" else null)
    else:
        with pytest.raises(ts.OptionError, match=f"null='{null}'.*statistic='{statistic}'") as error:
            ts.mmd_test(x, y, statistic=statistic, null=made(null, 40, 40))
        for name in known | (NULLS[null].statistics - {"hsic"}):
            assert repr(name) in str(error.value)


@pytest.mark.parametrize(
    ("statistic", "null"), [(s, null) for null in TWO_SAMPLE for s in STATISTICS if s in NULLS[null].statistics]
)
@pytest.mark.parametrize("engine", ["dense", "tiled"])
@pytest.mark.parametrize(("size", "columns", "value"), [(25, 1, 3.3), (49, 1, 0.0), (30, 3, -1e-7), (14, 2, 1e5)])
def test_a_constant_pool_is_no_evidence(statistic, null, engine, size, columns, value):
    x = np.full((size, columns), value)
    r = ts.mmd_test(x, x.copy(), statistic=statistic, null=made(null, size, size), engine=engine, rng=0)
    assert r.pvalue == 1
    assert r.statistic == pytest.approx(0, abs=1e-12)
    assert not r.rejected
    assert any("nothing to compare" in note for note in r.notes)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_constant_pool_under_every_kernel(kernel):
    x = np.full((12, 2), 7.0)
    for statistic in ("biased", "unbiased", "linear"):
        r = ts.mmd_test(x, x[:9], kernel=kernel, statistic=statistic, rng=0)
        assert r.pvalue == 1
        assert r.statistic == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_with_every_statistic(kernel, statistic):
    """Far samples are found, and the exact test on equal samples gives no small p-value."""
    x, _ = samples(40, 40)
    near = ts.mmd_test(x[:20], x[20:], kernel=kernel, statistic=statistic, rng=0)
    far = ts.mmd_test(x, x[::-1] + 30, kernel=kernel, statistic=statistic, rng=0)
    assert far.rejected
    assert near.pvalue > 0.001
    assert far.kernel.needs_bandwidth is False


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_estimate_through_the_public_function_is_the_definition(kernel):
    x, y = samples(9, 7)
    r = ts.mmd_test(x, y, kernel=kernel, rng=0)
    assert r.statistic == pytest.approx(naive.mmd2_unbiased(x, y, naive.of(r.kernel)), rel=1e-9)


# --- Options ------------------------------------------------------------------------------------------------


def test_options_as_strings_and_as_objects_are_the_same():
    x, y = samples()
    a = ts.mmd_test(
        x, y, kernel="laplace", bandwidth="median", statistic="biased", null="permutation", engine="dense", rng=0
    )
    b = ts.mmd_test(
        x,
        y,
        kernel=ts.Laplace(),
        bandwidth=ts.Median(),
        statistic=ts.Biased(),
        null=ts.Permutation(),
        engine=ts.Dense(),
        rng=0,
    )
    assert answer(a) == answer(b)
    assert a.kernel == b.kernel
    assert a.null == b.null == ts.Permutation(999)


def test_the_defaults_are_those_of_the_documentation():
    x, y = samples()
    r = ts.mmd_test(x, y, rng=0)
    assert isinstance(r.kernel, ts.Gaussian)
    assert r.null == ts.Permutation(999)
    assert r.symbol == "MMD²_u"
    assert r.level == 0.05
    assert ts.mmd(x, y) == pytest.approx(r.statistic, rel=1e-13)  # one labelling and many are summed in another order


def test_the_level_changes_the_verdict_not_the_pvalue():
    x, y = samples(shift=0.25)
    results = [ts.mmd_test(x, y, level=level, rng=0) for level in (0.001, 0.01, 0.05, 0.5)]
    assert len({r.pvalue for r in results}) == 1
    assert [r.rejected for r in results] == [r.pvalue <= r.level for r in results]
    thresholds = [r.threshold for r in results]
    assert thresholds == sorted(thresholds, reverse=True)


@pytest.mark.parametrize("level", [0.05, np.float64(0.05), np.float32(0.25)])
def test_levels_of_any_number_type(level):
    r = ts.mmd_test(*samples(), level=level, rng=0)
    assert r.level == float(level)
    assert type(r.level) is float


def test_large_samples_take_the_tiled_engine_and_give_the_dense_answer():
    x, y = samples(800, 900, columns=5, shift=0.05)
    a = ts.mmd_test(x, y, null=ts.Permutation(49), rng=2)
    b = ts.mmd_test(x, y, null=ts.Permutation(49), engine="dense", rng=2)
    assert a.engine == ts.Tiled()
    assert a.pvalue == b.pvalue
    assert a.statistic == pytest.approx(b.statistic, rel=1e-5)


LAWS = [
    ("unbiased", "pearson"), ("unbiased", ts.Pearson(kurtosis="spectrum")), ("biased", "pearson"),
    ("unbiased", "spectrum"), ("biased", "spectrum"), ("unbiased", "gamma"), ("unbiased", "hoeffding"),
    ("biased", "mcdiarmid"), ("linear", "normal"), ("linear", "hoeffding"), ("block", "normal"),
]  # fmt: skip


@pytest.mark.parametrize(("statistic", "null"), LAWS)
@pytest.mark.parametrize("engine", ["dense", "tiled", "fourier", "lowrank"])
def test_laws_do_not_depend_on_a_multiple_of_the_kernel(statistic, null, engine):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), rng.normal(size=(50, 2)) + 0.4

    def pvalue(factor):
        kernel = factor * ts.Gaussian(1.0)
        return ts.mmd_test(x, y, kernel=kernel, statistic=statistic, null=null, engine=engine, rng=0).pvalue

    for factor in (1e-89, 1e-30, 1e30, 1e89):
        assert pvalue(factor) == pytest.approx(pvalue(1.0), rel=1e-6)
    for factor, size in ((1e-300, "small"), (1e-150, "small"), (1e150, "large"), (1e160, "large"), (1e300, "large")):
        with pytest.raises(ts.OptionError, match=rf"kernel=Scaled.*too {size} for doubles.*no p-value depends on that"):
            pvalue(factor)


@pytest.mark.parametrize("statistic", ["unbiased", "biased", "linear", "block"])
def test_permutations_do_not_depend_on_a_multiple_of_the_kernel(statistic):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=60), rng.normal(size=50) + 0.4

    def pvalue(factor):
        return ts.mmd_test(x, y, kernel=factor * ts.Gaussian(1.0), statistic=statistic, rng=0).pvalue

    for factor in (1e-300, 1e-170, 1e170, 1e280):
        assert pvalue(factor) == pvalue(1.0)
    for factor, size in ((1e-310, "small"), (1e305, "large")):
        with pytest.raises(ts.OptionError, match=f"too {size} for doubles"):
            pvalue(factor)


@pytest.mark.parametrize("kernel", [ts.Energy(), ts.Energy(0.5)])
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("engine", ["dense", "tiled", "fourier", "lowrank"])
def test_energy_in_any_unit(kernel, columns, engine):
    if engine == "fourier" and (columns > 1 or kernel.exponent != 1):
        pytest.skip("not a kernel for this engine")
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, columns)), rng.normal(size=(70, columns)) + 0.2
    for statistic in ("unbiased", "linear"):
        one = ts.mmd_test(x, y, kernel=kernel, engine=engine, statistic=statistic, rng=0)
        for unit in (2.0**-1000, 2.0**-531, 2.0**531, 2.0**900):
            r = ts.mmd_test(unit * x, unit * y, kernel=kernel, engine=engine, statistic=statistic, rng=0)
            assert r.pvalue == one.pvalue
            assert r.statistic == pytest.approx(one.statistic * unit**kernel.exponent, rel=1e-9)


@pytest.mark.parametrize("kernel", ["energy", "gaussian"])
@pytest.mark.parametrize("engine", ["dense", "tiled"])
def test_an_outlier_does_not_cost_digits(kernel, engine):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=80), rng.normal(size=80) + 1.0
    values = []
    for far in (1e9, 1e15):  # as far away, an energy kernel does not see how far
        x[0] = far
        values.append(ts.mmd(x, y, kernel=kernel, bandwidth=1.0 if kernel == "gaussian" else "median", engine=engine))
    assert values[1] == pytest.approx(values[0], rel=1e-2)


def test_rounding_that_hides_differences_is_owned_up_to():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 100, 1))
    y += 1
    far = x.copy()
    far[0] = 1e15
    for null in ("permutation", "spectrum", "gamma", "pearson"):
        r = ts.mmd_test(far, y, kernel="energy", null=null, rng=0)
        assert r.pvalue == 1
        assert "Rounding of MMD²" in r.notes[0]
    for statistic in ("unbiased", "biased", "linear"):
        r = ts.mmd_test(x + 1e8, y + 1e8, kernel="polynomial", statistic=statistic, rng=0)
        assert "Rounding of MMD²" in r.notes[0]
        assert not ts.mmd_test(x + 100, y + 100, kernel="polynomial", statistic=statistic, rng=0).notes
    r = ts.mmd_test(x + 1e8, y + 1e8, kernel="polynomial", statistic="linear", null="normal")
    assert "Rounding of MMD²" in r.notes[0]


@pytest.mark.parametrize("null", ["permutation", "spectrum"])
def test_a_bounded_kernel_is_not_hidden_by_outliers(null):
    """Values of a Gaussian kernel are never large: what hides differences is a bandwidth far from the data."""
    x, y = np.random.default_rng(0).normal(size=(2, 40, 2))
    (note,) = ts.mmd_test(x, y, kernel=ts.Gaussian(1e7), null=null, rng=0).notes
    assert "bandwidth" in note
    assert "outliers" not in note
    (note,) = ts.mmd_test(x + 1e9, y + 1e9, kernel="polynomial", null=null, rng=0).notes
    assert "outliers" in note


def test_worlds_that_are_all_the_same_are_no_matter_of_rounding():
    """By a kernel that tells equal from unequal, samples without ties look alike however they are divided."""
    equal = ts.FunctionKernel(lambda a, b: (a[:, :1] == b[:, :1].T).astype(float), upper=1.0)
    r = ts.mmd_test(np.arange(10.0), np.arange(10.0, 20.0), kernel=equal)
    assert r.pvalue == 1
    assert not r.notes
