"""What the kernel relatives promise, whatever their statistic: complete results, right tails, and their level."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pytest

import twosample as ts
from tests.level.measure import limits
from tests.level.problems import PROBLEMS
from tests.rivals.classical import BAD_SAMPLES
from twosample.rivals.cascade import cascade_test
from twosample.rivals.classifier import classifier_test
from twosample.rivals.energy import energy_test
from twosample.rivals.fisher import kernel_fisher_test
from twosample.rivals.hotelling import hotelling_test
from twosample.rivals.parzen import parzen_l2_test

sklearn_base = pytest.importorskip("sklearn.base")


class Means(sklearn_base.ClassifierMixin, sklearn_base.BaseEstimator):
    """The nearest class mean."""

    def fit(self, z, labels):
        self.classes_ = np.array([0, 1])
        self.normal_ = z[labels == 1].mean(axis=0) - z[labels == 0].mean(axis=0)
        self.cut_ = (z[labels == 1].mean(axis=0) + z[labels == 0].mean(axis=0)) @ self.normal_ / 2
        return self

    def predict(self, z):
        return (z @ self.normal_ > self.cut_).astype(int)


P199, P39, P19 = (ts.Permutation(n=n) for n in (199, 39, 19))


@dataclass(frozen=True)
class Form:
    """A test with its options; `least` is its smallest p-value on samples that are large enough."""

    call: Callable[..., ts.TestResult]
    least: float | None = None
    exact: bool = True


FORMS: dict[str, Form] = {
    "energy": Form(partial(energy_test, null=P199), 1 / 200),
    "energy gamma": Form(partial(energy_test, null="gamma"), exact=False),
    "parzen": Form(partial(parzen_l2_test, null=P199), 1 / 200),
    "parzen bound": Form(partial(parzen_l2_test, null="mcdiarmid")),
    "fisher": Form(partial(kernel_fisher_test, null=P199), 1 / 200),
    "fisher spectrum": Form(partial(kernel_fisher_test, null="spectrum"), exact=False),
    "fisher normal": Form(partial(kernel_fisher_test, null="normal"), exact=False),
    "classifier": Form(partial(classifier_test, classifier=Means(), folds=2, null=P19), 1 / 20),
    "classifier held out": Form(partial(classifier_test, classifier=Means(), folds=1, null=P199), 1 / 200),
    "cascade": Form(
        partial(cascade_test, first=partial(hotelling_test, null=P199), second=partial(ts.mmd_test, null=P199)), 1 / 100
    ),
    "cascade with F": Form(partial(cascade_test, second=partial(ts.mmd_test, null=P199)), exact=False),
}

every_form = pytest.mark.parametrize("name", FORMS)
every_test = pytest.mark.parametrize(
    "call", [energy_test, parzen_l2_test, kernel_fisher_test, classifier_test, cascade_test], ids=lambda f: f.__name__
)


def pair(shift=0.4, m=24, n=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, 3)), rng.normal(shift, size=(n, 3))


@every_form
def test_result_is_complete_and_consistent(name):
    for seed in range(3):
        for shift in (0.0, 0.5, 2.0):
            x, y = pair(shift, seed=seed)
            r = FORMS[name].call(x, y, rng=1)
            assert isinstance(r, ts.TestResult)
            assert 0 < r.pvalue <= 1
            assert np.isfinite(r.statistic)
            assert r.rejected == (r.statistic > r.threshold)
            assert r.pvalue == pytest.approx(r.law.pvalue(r.statistic))
            assert (r.m, r.n, r.columns) == (24, 30, 3)
            assert json.loads(r.to_json())["pvalue"] == r.pvalue
            assert r.test in r.summary()


@every_form
def test_separated_samples_give_the_smallest_pvalue_there_is(name):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(24, 2)), rng.normal(1000.0, size=(24, 2))
    r = FORMS[name].call(x, y, rng=2)
    if name == "parzen bound":
        assert r.pvalue == pytest.approx(r.law.least, rel=0.5)  # conservative: 24 rows are too few
    elif name == "cascade with F":
        assert r.rejected
    elif FORMS[name].least is not None:
        assert r.pvalue == pytest.approx(FORMS[name].least)
    else:
        assert r.pvalue < 1e-3


@every_form
def test_same_seed_same_answer(name):
    rng = np.random.default_rng(4)
    x, y = rng.poisson(1, size=(20, 2)), rng.poisson(1.5, size=(25, 2))
    a, b = (FORMS[name].call(x, y, rng=5) for _ in range(2))
    assert (a.statistic, a.pvalue, a.threshold, a.notes) == (b.statistic, b.pvalue, b.threshold, b.notes)


@every_form
@pytest.mark.parametrize("factor", [2.0**-30, 1e6])
def test_units_do_not_change_the_pvalue(name, factor):
    x, y = pair()
    a, b = FORMS[name].call(x, y, rng=6), FORMS[name].call(factor * x, factor * y, rng=6)
    assert b.pvalue == pytest.approx(a.pvalue, rel=1e-6)


@pytest.mark.parametrize("name", ["energy", "parzen", "fisher"])
@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_far_units_do_not_change_the_pvalue(name, factor):
    (x, y), d = pair(), 1
    a = FORMS[name].call(x[:, :d], y[:, :d], rng=6)
    assert FORMS[name].call(factor * x[:, :d], factor * y[:, :d], rng=6).pvalue == a.pvalue


@every_form
def test_inputs_are_untouched_and_may_be_anything_like_an_array(name):
    x, y = pair()
    before = x.copy(), y.copy()
    x.flags.writeable = y.flags.writeable = False
    r = FORMS[name].call(x, y, rng=7)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert FORMS[name].call(x.tolist(), y.tolist(), rng=7).pvalue == r.pvalue


@every_form
def test_constant_pool(name):
    x = np.ones((12, 2))
    r = FORMS[name].call(x, x, rng=0)
    assert np.isfinite(r.statistic)
    assert r.pvalue == 1.0
    assert any("same" in note for note in r.notes)


@every_test
def test_bad_inputs(call):
    good = np.arange(12.0)
    for bad, message in (*BAD_SAMPLES, (np.zeros((5, 2)), "column")):
        with pytest.raises(ts.InputError, match=message):
            call(bad, good)
        with pytest.raises(ts.InputError, match=message):
            call(good, bad)


@every_test
def test_bad_options(call):
    x = np.arange(12.0)
    for level in (0, 1, -0.1, "0.05", None, True):
        with pytest.raises(ts.OptionError, match="level"):
            call(x, x, level=level)
    with pytest.raises(ts.OptionError, match="rng"):
        call(x, x, rng="seed")
    if call is cascade_test:
        return
    for null in ("nonsense", None, ts.Hoeffding()):
        with pytest.raises(ts.OptionError, match="null"):
            call(x, x, null=null)
    with pytest.raises(ts.OptionError, match="n=999"):
        call(x, x, null=ts.Permutation(n=99), level=0.001)


@every_test
def test_seeds_of_every_kind(call):
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    options = {"null": P19, "folds": 1} if call is classifier_test else {}
    assert call(x, y, rng=3, **options).pvalue == call(x, y, rng=np.random.default_rng(3), **options).pvalue
    call(x, y, **options)


def test_pictures_of_the_laws():
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    for form in FORMS.values():
        form.call(*pair(), rng=0).plot()
        pyplot.close("all")


# --- Level -------------------------------------------------------------------------------------------------------


@cache
def pvalues(name: str, problem: str, repetitions: int) -> np.ndarray:
    result = np.empty(repetitions)
    for i in range(repetitions):
        x, y = PROBLEMS[problem](np.random.default_rng([2008, i]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ts.SmallSampleWarning)
            result[i] = FORMS[name].call(x, y, rng=[2008, i, 1]).pvalue
    return result


def rates(name: str, problem: str, repetitions: int) -> list[tuple[float, float]]:
    p = pvalues(name, problem, repetitions)
    assert ((p > 0) & (p <= 1)).all()
    return [(level, float((p <= level).mean())) for level in (0.05, 0.01)]


def check(name: str, problem: str, repetitions: int, coverage: float) -> None:
    for level, rate in rates(name, problem, repetitions):
        high = limits(level, repetitions, coverage)[1]
        assert rate <= high, f"{name} on {problem} rejects {rate:.4f} at level {level}, more than {high:.4f}"


EXACT = [name for name, form in FORMS.items() if form.exact]

LIBERAL = {
    "energy gamma": (0.08, 0.035),  # measured: up to 0.064 and 0.024
    "fisher spectrum": (0.085, 0.025),  # 0.069 and 0.014
    "fisher normal": (0.14, 0.07),  # 0.117 and 0.051; always in high dimension, as its docstring says
    "cascade with F": (0.065, 0.02),  # 0.045 and 0.009
}
"""Approximate laws: the highest rejection rates at 0.05 and 0.01 on any problem that are admitted."""

APPROXIMATE = [(name, problem) for name in LIBERAL for problem in PROBLEMS]
APPROXIMATE.remove(("fisher normal", "high dimension"))


def test_every_form_has_its_level_checked():
    assert {*EXACT, *LIBERAL} == set(FORMS)


@pytest.mark.parametrize("problem", ["normal", "ties", "bernoulli"])
@pytest.mark.parametrize("name", EXACT)
def test_level_small(name, problem):
    check(name, problem, 150, 0.9999)


@pytest.mark.parametrize("name", ["energy", "classifier held out"])
def test_level_small_unequal(name):
    check(name, "unequal", 150, 0.9999)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", EXACT)
def test_level(name, problem):
    check(name, problem, 1000, 0.99)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "problem"), APPROXIMATE)
def test_level_of_approximate_laws(name, problem):
    for (level, rate), admitted in zip(rates(name, problem, 1000), LIBERAL[name], strict=True):
        assert rate <= admitted, f"{name} on {problem} rejects {rate:.4f} at level {level}, more than {admitted}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["energy", "parzen", "fisher"])
def test_level_is_used_up_on_continuous_data(name):
    low = limits(0.05, 1000, 0.999)[0]
    assert rates(name, "normal", 1000)[0][1] >= low


NO_NUMBERS = [None, True, "a", np.complex128(0.5), 10**400, np.nan, np.inf, [0.5], 0, -1]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: f"{value!r:.20}")
def test_shares_that_are_none(value):
    x = np.arange(12.0)
    with pytest.raises(ts.OptionError, match="share="):
        cascade_test(x, x, share=value)
    with pytest.raises(ts.OptionError, match="regularisation="):
        kernel_fisher_test(x, x, regularisation=value)


def test_an_array_is_no_null():
    x = np.arange(12.0)
    with pytest.raises(ts.OptionError, match="null="):
        kernel_fisher_test(x, x, null=np.array([1.0, 2.0]))


def test_stages_that_are_no_tests():
    x = np.arange(12.0)
    with pytest.raises(ts.OptionError, match="first="):
        cascade_test(x, x, first=int)
    with pytest.raises(ts.OptionError, match="returned float"):
        cascade_test(x, x, first=lambda x, y, level, rng: 0.5)


@pytest.mark.parametrize("unit", [1e-170, 1e170])
def test_units_beyond_the_laws_of_parzen_windows(unit):
    """D_2² of two columns is beyond the range of numbers there: relabelling does without it."""
    x, y = np.random.default_rng(0).normal(size=(2, 12, 2)) * unit
    for null in ("spectrum", "mcdiarmid"):
        with pytest.raises(ts.InputError, match="Rescale both samples"):
            parzen_l2_test(x, y, null=null)
    assert parzen_l2_test(x, y, rng=0).pvalue > 0
