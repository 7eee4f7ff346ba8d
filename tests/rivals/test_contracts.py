"""What every rival promises, whatever its statistic."""

import inspect
import json

import matplotlib as mpl
import numpy as np
import pytest

import twosample as ts
from tests.rivals.forms import BAD_SAMPLES, FORMS, P19
from twosample import rivals
from twosample.rivals import RIVALS

every_form = pytest.mark.parametrize("name", FORMS)
every_rival = pytest.mark.parametrize("rival", RIVALS)
WITH_NULL = [name for name, call in RIVALS.items() if "null" in inspect.signature(call).parameters]
QUICK = {"classifier_test": {"null": P19, "folds": 1}}
"""Options without which a rival takes seconds."""


def columns(name):
    return min(FORMS[name].columns, 3)


def pair(name, shift=0.4, m=24, n=30, seed=0):
    rng = np.random.default_rng(seed)
    d = columns(name)
    return rng.normal(size=(m, d)), rng.normal(shift, size=(n, d))


def test_every_rival_is_registered_public_and_has_a_form():
    assert {name for name in rivals.__all__ if name.endswith("_test")} == set(RIVALS)
    assert {form.rival for form in FORMS.values()} == set(RIVALS)
    assert all(getattr(rivals, name) is call for name, call in RIVALS.items())


@every_form
def test_result_is_complete_and_consistent(name):
    for seed in range(3):
        for shift in (0.0, 0.5, 2.0):
            x, y = pair(name, shift, seed=seed)
            r = FORMS[name].call(x, y, rng=1)
            assert isinstance(r, ts.TestResult)
            assert 0 < r.pvalue <= 1
            assert np.isfinite(r.statistic)
            assert r.rejected == (r.statistic > r.threshold)
            assert r.pvalue == pytest.approx(r.law.pvalue(r.statistic))
            assert (r.m, r.n, r.columns) == (24, 30, columns(name))
            assert json.loads(r.to_json())["pvalue"] == r.pvalue
            assert r.test in r.summary()


@every_form
def test_separated_samples_give_the_smallest_pvalue_there_is(name):
    """The right tail: nothing is more different than samples that do not overlap at all."""
    rng = np.random.default_rng(1)
    form, d = FORMS[name], columns(name)
    x, y = rng.normal(size=(24, d)), rng.normal(1000.0, size=(24, d))
    r = form.call(x, y, rng=2)
    if form.least is not None:
        assert r.pvalue == pytest.approx(form.least)
    else:
        others = [form.call(x, rng.normal(shift, size=(24, d)), rng=2).pvalue for shift in (0.0, 0.5, 1.0, 2.0, 10.0)]
        assert r.pvalue <= min(others) * (1 + 1e-9) or (form.level == "approximate" and r.pvalue < 1e-3)
    assert r.rejected or name == "parzen bound"  # 24 rows are too few for it
    if name in ("ks exact", "cross-match"):
        assert r.pvalue == pytest.approx(r.law.least)


@every_form
def test_swapping_the_samples_changes_little(name):
    x, y = pair(name, 0.6)
    form = FORMS[name]
    a, b = form.call(x, y, rng=3), form.call(y, x, rng=3)
    assert b.statistic == pytest.approx(a.statistic, rel=0.5, abs=0.7)
    if not (form.relabels or form.drawn or form.rival in ("classifier_test", "cascade_test")):
        assert b.pvalue == pytest.approx(a.pvalue)


@every_form
def test_same_seed_same_answer(name):
    rng = np.random.default_rng(4)
    d = columns(name)
    x, y = rng.poisson(1, size=(20, d)), rng.poisson(1.5, size=(25, d))
    a, b = (FORMS[name].call(x, y, rng=5) for _ in range(2))
    assert (a.statistic, a.pvalue, a.threshold, a.notes) == (b.statistic, b.pvalue, b.threshold, b.notes)


@every_form
def test_units_do_not_matter(name):
    form = FORMS[name]
    for factor in (2.0**-30, 1e6, *form.far_units):
        x, y = pair(name)
        if factor in form.far_units and not form.unit_free:  # volumes of several columns are beyond all numbers
            x, y = x[:, :1], y[:, :1]
        a, b = form.call(x, y, rng=6), form.call(factor * x, factor * y, rng=6)
        assert b.pvalue == pytest.approx(a.pvalue, rel=1e-6)
        if form.unit_free:
            assert b.statistic == pytest.approx(a.statistic, rel=1e-6)


@every_form
def test_inputs_are_untouched_and_may_be_anything_like_an_array(name):
    x, y = pair(name)
    before = x.copy(), y.copy()
    x.flags.writeable = y.flags.writeable = False
    r = FORMS[name].call(x, y, rng=7)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert FORMS[name].call(x.tolist(), y.tolist(), rng=7).pvalue == r.pvalue


@every_form
def test_constant_pool(name):
    form = FORMS[name]
    x = np.ones((12, columns(name)))
    if not form.constant:
        with pytest.raises(ts.OptionError, match="needs a ridge"):
            form.call(x, x, rng=0)
    else:
        r = form.call(x, x, rng=0)
        assert np.isfinite(r.statistic)
        assert not r.rejected or form.drawn  # chance decides there, at its level
        assert any("same" in note for note in r.notes)


@every_form
def test_the_law_can_be_drawn(name):
    mpl.use("Agg")
    from matplotlib import pyplot

    assert FORMS[name].call(*pair(name), rng=0).plot().get_title(loc="left")
    pyplot.close("all")


@every_rival
def test_bad_inputs(rival):
    good = np.arange(12.0)
    for bad, message in BAD_SAMPLES:
        with pytest.raises(ts.InputError, match=message):
            RIVALS[rival](bad, good)
        with pytest.raises(ts.InputError, match=message):
            RIVALS[rival](good, bad)


@every_rival
def test_bad_options(rival):
    x, call = np.arange(12.0), RIVALS[rival]
    for level in (0, 1, -0.1, "0.05", None, True):
        with pytest.raises(ts.OptionError, match="level"):
            call(x, x, level=level)
    with pytest.raises(ts.OptionError, match="rng"):
        call(x, x, rng="seed")


@pytest.mark.parametrize("rival", WITH_NULL)
def test_bad_nulls(rival):
    x, call = np.arange(12.0), RIVALS[rival]
    for null in ("nonsense", None, ts.Hoeffding(), np.array([1.0, 2.0])):
        with pytest.raises(ts.OptionError, match="null"):
            call(x, x, null=null)
    with pytest.raises(ts.OptionError, match="n=999"):
        call(x, x, null=ts.Permutation(n=99), level=0.001)


@pytest.mark.parametrize("rival", [name for name in RIVALS if name not in ("classifier_test", "cascade_test")])
def test_too_few_rows_to_reject_is_a_warning(rival):
    options = {"null": "permutation"} if rival in WITH_NULL else {}
    with pytest.warns(ts.SmallSampleWarning, match="can never reject"):
        r = RIVALS[rival]([0.0, 1.0], [10.0, 11.5], rng=0, **options)
    assert not r.rejected
    assert "can never reject" in r.notes[-1]


@every_rival
def test_seeds_of_every_kind(rival):
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    options = QUICK.get(rival, {})
    a = RIVALS[rival](x, y, rng=np.random.default_rng(3), **options)
    assert RIVALS[rival](x, y, rng=3, **options).pvalue == a.pvalue
    RIVALS[rival](x, y, **options)


@pytest.mark.parametrize("rival", WITH_NULL)
def test_a_permutation_object_sets_the_number_of_labellings(rival):
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    options = {**QUICK.get(rival, {}), "null": ts.Permutation(n=50)}
    assert len(RIVALS[rival](x, y, rng=0, **options).law.values) == 51
