"""Predicted power against simulated power, and the sample size that follows from it."""

import re
import warnings
from fractions import Fraction

import numpy as np
import pytest

import twosample as ts
from tests.planning.gaussians import Problem
from twosample.planning.profile import estimate, profile

CASES = [
    (Problem(40, 40, 0.6), "unbiased", "spectrum"),
    (Problem(100, 30, 0.6), "unbiased", "gamma"),
    (Problem(40, 40, 0.6), "unbiased", "pearson"),
    (Problem(30, 100, 0.0, 2.0), "unbiased", "spectrum"),
    (Problem(200, 200, 0.2), "unbiased", "spectrum"),
    (Problem(15, 15, 1.5), "unbiased", "spectrum"),
    (Problem(50, 50, 0.8, columns=10, bandwidth=4.0), "unbiased", "spectrum"),
    (Problem(40, 40, 0.6), "unbiased", ts.Permutation(199)),
    (Problem(40, 40, 0.6), "paired", ts.Permutation(199)),
    (Problem(40, 40, 0.6), "biased", ts.Bootstrap(199)),
    (Problem(100, 100, 1.2), "biased", "mcdiarmid"),
    (Problem(600, 600, 1.5), "unbiased", "hoeffding"),
    (Problem(300, 300, 0.6), "linear", "normal"),
    (Problem(300, 300, 0.6), "linear", ts.Permutation(199)),
    (Problem(600, 600, 1.5), "linear", "hoeffding"),
    (Problem(300, 300, 0.4), "block", "normal"),
    (Problem(300, 300, 0.4), "block", ts.Permutation(199)),
]


def compare(problem, statistic, null, runs, pilot):
    """Predicted from a large pilot, so that the pilot's own noise is small, and simulated."""
    rng = np.random.default_rng(0)
    options = {"statistic": statistic, "null": null, "kernel": problem.kernel, "rng": rng}
    size = pilot if problem.columns == 1 else min(pilot, 5000)
    predicted = ts.power(*problem.draw(rng, size, size), (problem.m, problem.n), **options)
    return predicted, np.mean([ts.mmd_test(*problem.draw(rng), **options).rejected for _ in range(runs)])


@pytest.mark.parametrize("case", [CASES[i] for i in (0, 4, 10, 12)], ids=str)
def test_predicted_power_in_small(case):
    """Within 0.05, and three standard errors of 150 runs."""
    predicted, simulated = compare(*case, 150, 20_000)
    assert predicted == pytest.approx(simulated, abs=0.05 + 3 * 0.5 / np.sqrt(150))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_predicted_power(case):
    """Within 0.05 of the power in 2000 runs, whose own standard error is at most 0.011."""
    predicted, simulated = compare(*case, 2000, 100_000)
    assert predicted == pytest.approx(simulated, abs=0.05)


def test_the_pilot_is_read_with_care():
    """The traces of C that the laws need come from parts of a large pilot: two pilots must not differ by much."""
    problem = Problem(300, 300, 0.4)
    traces = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        known = estimate(*problem.draw(rng, 20_000, 20_000), problem.kernel, "median", "auto", rng)
        traces.append(profile(known, rng).squares[0, 0])
    # for N(0, 1) and bandwidth 1: E k² = 5^-½, E k = 3^-½, E (E_y k(x, y))² = 8^-½
    exact = 5**-0.5 - 2 * 8**-0.5 + 1 / 3
    assert np.array(traces) == pytest.approx(exact, rel=0.08)
    assert np.std(traces) < 0.035 * exact


def test_the_sample_size_is_the_smallest_that_reaches_the_power():
    x, y = Problem(300, 200, 0.5).draw(np.random.default_rng(0))
    for null in ("permutation", "pearson", "gamma"):
        n = ts.sample_size(x, y, 0.9, null=null, rng=0)
        assert ts.power(x, y, n, null=null, rng=0) >= 0.9 > ts.power(x, y, n - 1, null=null, rng=0)
    assert ts.sample_size(x, y, 0.9, rng=0) > ts.sample_size(x, y, 0.5, rng=0)
    assert ts.sample_size(x, y, 0.9, statistic="linear", null="normal", rng=0) > 5 * ts.sample_size(x, y, 0.9, rng=0)


def test_a_sure_difference_needs_few_rows():
    x, y = Problem(50, 50, 50.0).draw(np.random.default_rng(0))
    assert ts.sample_size(x, y, kernel=ts.Gaussian(1.0)) <= 8


@pytest.mark.parametrize("test", ["mmd", "adaptive"])
def test_a_pilot_that_shows_nothing_is_told(test):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=60), rng.normal(0.2, size=60)
    with pytest.warns(ts.SmallSampleWarning, match=r"pilot itself shows no difference \(p = 0\.\d+, level 0\.05\)"):
        ts.power(x, y, 20, test=test, rng=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.power(x, y + 2, 20, test=test, rng=0)
        ts.sample_size(x, y + 2, test=test, rng=0)


def test_the_pvalue_of_a_pilot_is_that_of_its_test():
    rng = np.random.default_rng(3)
    for shift in (0.1, 0.3, 0.5):
        x, y = rng.normal(size=80), rng.normal(shift, size=50)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ts.power(x, y, 20, level=1e-3, null="spectrum", rng=0)
        said = float(re.search(r"p = ([\d.e-]+)", str(caught[0].message))[1])
        assert said == pytest.approx(ts.mmd_test(x, y, null=ts.Permutation(9999), rng=0).pvalue, abs=0.03)


def test_pilots_that_hardly_vary_have_a_power():
    rows = np.append(np.ones(20), 2.0)
    assert ts.power(rows, rows, 20, rng=0) == 0.05
    with pytest.warns(ts.SmallSampleWarning, match=r"p = 1, level"):
        assert ts.power(rows[:-1], rows[:-1], 20, rng=0) == 0.05


def test_without_a_difference_no_size_can_be_named():
    x = np.random.default_rng(0).normal(size=100)
    with pytest.raises(ts.InputError, match="No number of rows"):
        ts.sample_size(x, x.copy())
    assert ts.power(x, x.copy(), 50) == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("level", [0.05, 0.01])
@pytest.mark.parametrize(
    ("statistic", "null"),
    [
        *((statistic, "permutation") for statistic in ("unbiased", "biased", "paired", "linear", "block")),
        ("unbiased", "gamma"),
        ("linear", "normal"),
    ],
)
def test_no_power_where_the_test_cannot_reject(statistic, null, level):
    """Samples that could not lie farther apart: the test itself says from which size on it rejects."""
    options = {"statistic": statistic, "null": null, "level": level, "kernel": ts.Gaussian(1.0), "rng": 0}
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=40), rng.normal(1000.0, size=40)
    size = ts.sample_size(x, y, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.SmallSampleWarning)
        assert ts.mmd_test(x[:size], y[:size], **options).rejected
        for n in range(4, size):
            assert ts.power(x, y, n, **options) < 0.8
            if not ts.power(x, y, n, **options):
                assert not ts.mmd_test(x[:n], y[:n], **options).rejected
    assert ts.power(x, y, 2, **options) == 0.0


def test_the_sizes_at_which_relabelling_can_reject():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 2)), rng.normal(1000.0, size=(40, 2))
    assert ts.sample_size(x, y, statistic="paired", rng=0) == 6  # 2^-5 < 0.05 < 2^-4
    assert ts.sample_size(x, y, level=0.01, rng=0) == 5  # 2 / C(10, 5) < 0.01 < 2 / C(8, 4)
    assert ts.power(x, y, 3, level=0.1, rng=0) > 0  # 2 / C(6, 3), exactly the level
    assert ts.power(x, y, 3, level=0.0999, rng=0) == 0
    assert ts.power(x, y, (3, 4), level=0.03, rng=0) > 0  # 1 / C(7, 3)


@pytest.mark.parametrize(
    ("statistic", "null"),
    [
        *((statistic, "permutation") for statistic in ("unbiased", "biased", "paired", "linear", "block")),
        *(("unbiased", null) for null in ("bootstrap", "gamma", "pearson", "spectrum")),
        ("linear", "normal"),
        ("block", "normal"),
    ],
)
def test_power_of_constant_samples(statistic, null):
    """Equal ones have no difference; different ones a sure one."""
    one = np.ones(30)
    options = {"statistic": statistic, "null": null, "rng": 0, "kernel": ts.Gaussian(1.0)}
    assert ts.power(one, one, 50, **options) == 0.05
    assert ts.power(one, one + 3, 50, **options) > 0.99
    with pytest.raises(ts.InputError, match="shows no difference"):
        ts.sample_size(one, one, **options)


def test_bounds_have_no_power_without_a_difference():
    one = np.ones(30)
    assert ts.power(one, one, 50, statistic="biased", null="mcdiarmid", rng=0) == 0
    assert ts.power(one, one, 50, null="hoeffding", rng=0) == 0


def test_power_grows_to_one():
    x, y = Problem(300, 300, 0.5).draw(np.random.default_rng(1))
    values = [ts.power(x, y, n, rng=0) for n in (10, 30, 100, 300, 3000)]
    assert values == sorted(values)
    assert values[-1] > 0.999
    assert ts.power(x, y, (100, 100), rng=0) == values[2]
    assert ts.power(x, y, (100, 300), rng=0) > values[2]
    assert ts.power(x, y, 50, level=0.2, rng=0) > ts.power(x, y, 50, level=0.01, rng=0)


def test_bad_options():
    x = np.arange(20.0)
    with pytest.raises(ts.OptionError, match="n="):
        ts.power(x, x + 1, 0)
    with pytest.raises(ts.OptionError, match="rows of x, rows of y"):
        ts.power(x, x + 1, (10, 20, 30))
    for null in (ts.WildBootstrap(), ts.PairFlips(), ts.GroupPermutation(range(20), range(20, 40))):
        with pytest.raises(ts.OptionError, match="depend on each other"):
            ts.power(x, x + 1, 50, null=null)
    with pytest.raises(ts.OptionError, match="power="):
        ts.sample_size(x, x + 1, 80)
    with pytest.raises(ts.OptionError, match="does not know the law"):
        ts.power(x, x + 1, 50, null="normal")
    with pytest.raises(ts.OptionError, match="bounded kernel"):
        ts.power(x, x + 1, 50, kernel="linear", null="hoeffding")


def parts_of(shifts, sizes, shares, level=0.05):
    """The power of parts of pilots, if the statistic is normal with variance 1 and the pilot's is where it is."""
    from scipy.special import ndtr, ndtri

    usual = float(ndtri(level)) - 0.6
    return level + (1 - level) * ndtr((usual + np.multiply.outer(shifts, np.sqrt(sizes))) / np.sqrt(1 - shares))


def test_the_curve_is_never_below_the_power_at_half_of_the_pilot():
    from twosample.planning.resampling import fitted

    sizes, powers, shares = np.array([20.0, 10.0]), np.array([0.94, 0.63]), np.array([0.5, 0.25])
    curve = fitted(sizes, powers, shares, 0.05)
    beyond = [curve.power(rows, rows) for rows in range(20, 60)]
    assert beyond[0] == 0.94  # as samples of 20 rows have it
    assert beyond == sorted(beyond)
    assert beyond[-1] > 0.99
    assert curve.power(200, 5) < 0.9  # as much as 9.8 rows each


def test_curves_are_found_again():
    from scipy.special import ndtr, ndtri

    from twosample.planning.resampling import Curve, fitted

    sizes, shares = np.array([100.0, 50.0, 25.0]), np.array([0.5, 0.25, 0.125])
    usual = float(ndtri(0.05)) - 0.6
    found = fitted(sizes, parts_of(0.3, sizes, shares), shares, 0.05)
    assert (found.a, found.b) == pytest.approx((usual, 0.3))
    assert found.power(50, 50) == pytest.approx(0.05 + 0.95 * float(ndtr(usual + 0.3 * np.sqrt(50))))
    assert found.power(*[round(found.rows(0.9))] * 2) == pytest.approx(0.9, abs=0.01)
    assert found.rows(0.04) == 0
    steep = fitted(sizes, parts_of(0.3, sizes, shares) + np.array([0.05, 0.0, 0.0]), shares, 0.05)
    assert steep.b > found.b
    assert Curve(-1.6, 0.0).rows(0.8) == np.inf
    assert Curve(-1.6, 0.0, 0.05).power(10, 10) == 0.05


def test_the_middle_pilot_names_the_right_power():
    """By how much parts of a pilot vary less than new samples: half of all pilots name less than the power there is.

    A shift of known direction, seen by the test that knows it: the pilot's own score is 1 off, those of its parts less.
    """
    from scipy.special import ndtr, ndtri

    from twosample.planning import resampling

    rng, rows = np.random.default_rng(0), 100
    shares, least = np.array([0.5, 0.25]), float(ndtri(0.05))
    for truth in (0.3, 0.6, 0.9):
        shift = (float(ndtri(truth)) - least) / np.sqrt(rows)
        named = []
        for z in rng.normal(size=400):
            own = (shift + z / np.sqrt(rows)) * np.sqrt(rows * shares)  # where the scores of its parts are on average
            powers = rng.binomial(100, ndtr((own + least) / np.sqrt(1 - shares))) / 100
            named.append(resampling.fitted(rows * shares, powers, shares, 0.05).power(rows, rows))
        assert np.median(named) == pytest.approx(truth, abs=0.07)


def test_a_small_power_does_not_leave_the_slope_to_chance():
    """Powers of 0.08 to 0.16 at 64 to 128 rows, counted in 100 draws: the rows for 0.8 within a factor of 2.5."""
    from twosample.planning.resampling import fitted

    rng, sizes, shares = np.random.default_rng(0), np.array([128.0, 64.0, 32.0]), np.array([0.5, 0.25, 0.125])
    powers = parts_of(0.1, sizes, shares)
    assert 0.06 < powers.min() < powers.max() < 0.2
    true = ((0.8046 + 1.645 + 0.6) / 0.1) ** 2
    found = np.array([fitted(sizes, rng.binomial(100, powers) / 100, shares, 0.05).rows(0.8) for _ in range(200)])
    assert np.mean((found > true / 2.5) & (found < true * 2.5)) > 0.85


def test_power_of_the_adaptive_test():
    """Against the power of tests of new samples: of sizes that the pilot allows, and of a larger one."""
    rng = np.random.default_rng(5)

    def draw(m, n):
        return rng.normal(size=(m, 2)), rng.normal(size=(n, 2)) + np.array([0.0, 0.5])

    x, y = draw(160, 160)
    for m, n, error in ((60, 40, 0.2), (120, 120, 0.15)):
        simulated = np.mean([ts.two_sample_test(*draw(m, n), n=199, rng=i).rejected for i in range(100)])
        assert ts.power(x, y, (m, n), test="adaptive", rng=1) == pytest.approx(simulated, abs=error)
    rows = ts.sample_size(x, y, 0.8, test="adaptive", rng=1)
    simulated = np.mean([ts.two_sample_test(*draw(rows, rows), n=199, rng=i).rejected for i in range(100)])
    assert 0.6 < simulated < 0.97
    assert ts.power(x, y, 2, test="adaptive", rng=1) == 0  # no labelling of four rows has so small a p-value


def test_power_of_the_adaptive_test_from_tables():
    import polars as pl

    rng = np.random.default_rng(6)
    x, y = (pl.DataFrame({"a": rng.normal(size=80), "b": rng.choice(["u", "v"], 80, p=[p, 1 - p])}) for p in (0.1, 0.9))
    assert ts.power(x, y, 30, test="adaptive", rng=0) > 0.9


def test_refusals_of_the_adaptive_test():
    x, y = np.random.default_rng(7).normal(size=(2, 40, 1))
    with pytest.raises(ts.OptionError, match=r"test='t' is not known. Choose one of 'adaptive', 'mmd'"):
        ts.power(x, y, 10, test="t")
    with pytest.raises(ts.OptionError, match="kernel='laplace' has no use with test='adaptive'"):
        ts.power(x, y, 10, test="adaptive", kernel="laplace")
    with pytest.raises(ts.InputError, match="at least 16 rows"):
        ts.power(x[:10], y, 10, test="adaptive")
    with pytest.raises(ts.InputError, match="more often with more rows"):
        ts.sample_size(x, x, test="adaptive", rng=0)
    with pytest.warns(ts.SmallSampleWarning, match="shows no difference"):
        assert ts.power(x, x, 4000, test="adaptive", rng=0) == 0.05


def test_levels_of_any_number_type():
    x, y = np.random.default_rng(0).normal(size=(2, 60))
    with pytest.warns(ts.SmallSampleWarning, match=r"level 0\.05"):
        assert ts.power(x, y, 50, level=Fraction(1, 20)) == ts.power(x, y, 50)
