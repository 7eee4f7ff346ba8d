"""What every classical test promises, whatever its statistic."""

import json

import numpy as np
import pytest

import twosample as ts
from tests.rivals.classical import BAD_SAMPLES, FORMS
from twosample import rivals

PUBLIC = ["biau_gyorfi_test", "bickel_test", "cross_match_test", "friedman_rafsky_ks_test", "friedman_rafsky_runs_test",
          "hall_tajvidi_test", "hotelling_test", "ks_test"]  # fmt: skip

every_form = pytest.mark.parametrize("name", FORMS)
every_test = pytest.mark.parametrize("call", [getattr(rivals, name) for name in PUBLIC], ids=PUBLIC)


def columns(name):
    return min(FORMS[name].most_columns, 3)


def pair(name, shift=0.4, m=24, n=30, seed=0):
    rng = np.random.default_rng(seed)
    d = columns(name)
    return rng.normal(size=(m, d)), rng.normal(shift, size=(n, d))


@every_form
def test_result_is_complete_and_consistent(name):
    for seed in range(4):
        for shift in (0.0, 0.5, 2.0):
            x, y = pair(name, shift, seed=seed)
            r = FORMS[name].call(x, y, rng=1)
            assert isinstance(r, ts.TestResult)
            assert 0 < r.pvalue <= 1
            assert np.isfinite(r.statistic)
            assert r.rejected == (r.statistic > r.threshold)
            assert r.pvalue == r.law.pvalue(r.statistic)
            assert (r.m, r.n, r.columns) == (24, 30, columns(name))
            assert json.loads(r.to_json())["pvalue"] == r.pvalue
            assert r.summary()


@every_form
def test_separated_samples_give_the_smallest_pvalue_there_is(name):
    """The right tail: nothing is more different than samples that do not overlap at all."""
    rng = np.random.default_rng(1)
    d = columns(name)
    x, y = rng.normal(size=(24, d)), rng.normal(1000.0, size=(24, d))
    form = FORMS[name]
    r = form.call(x, y, rng=2)
    assert r.rejected
    if form.relabels:
        assert r.pvalue == pytest.approx(1 / 200)
    else:
        others = [form.call(x, rng.normal(shift, size=(24, d)), rng=2).pvalue for shift in (0.0, 0.5, 1.0, 2.0, 10.0)]
        assert r.pvalue <= min(others) * (1 + 1e-9)
    if name in ("ks exact", "cross-match"):
        assert r.pvalue == pytest.approx(r.law.least)


@every_form
def test_swapping_the_samples_changes_little(name):
    x, y = pair(name, 0.6)
    form = FORMS[name]
    a, b = form.call(x, y, rng=3), form.call(y, x, rng=3)
    assert b.statistic == pytest.approx(a.statistic, rel=0.5, abs=0.7)
    if not form.relabels and name not in ("runs normal", "cross-match"):
        assert b.pvalue == pytest.approx(a.pvalue)


@every_form
def test_same_seed_same_answer(name):
    rng = np.random.default_rng(4)
    d = columns(name)
    x, y = rng.poisson(1, size=(20, d)), rng.poisson(1.5, size=(25, d))
    a, b = (FORMS[name].call(x, y, rng=5) for _ in range(2))
    assert (a.statistic, a.pvalue, a.threshold, a.notes) == (b.statistic, b.pvalue, b.threshold, b.notes)


@every_form
@pytest.mark.parametrize("factor", [1e-200, 2.0**-30, 1e6, 1e200])
def test_units_do_not_matter(name, factor):
    x, y = pair(name)
    a, b = FORMS[name].call(x, y, rng=6), FORMS[name].call(factor * x, factor * y, rng=6)
    assert b.statistic == pytest.approx(a.statistic, rel=1e-6)
    assert b.pvalue == pytest.approx(a.pvalue, rel=1e-6)


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
    if name == "hotelling f":
        pytest.skip("refuses: the covariance is singular")
    x = np.ones((12, columns(name)))
    r = FORMS[name].call(x, x, rng=0)
    assert np.isfinite(r.statistic)
    assert not r.rejected or name in ("runs normal", "cross-match")  # chance decides there, at its level
    assert any("same" in note for note in r.notes)


@every_test
def test_bad_inputs(call):
    good = np.arange(12.0)
    for bad, message in BAD_SAMPLES:
        with pytest.raises(ts.InputError, match=message):
            call(bad, good)
        with pytest.raises(ts.InputError, match=message):
            call(good, bad)
    with pytest.raises(ts.InputError, match="column"):
        call(np.zeros((6, 2)), np.zeros((6, 3)))


@every_test
def test_bad_options(call):
    x = np.arange(12.0)
    for level in (0, 1, -0.1, "0.05", None, True):
        with pytest.raises(ts.OptionError, match="level"):
            call(x, x, level=level)
    with pytest.raises(ts.OptionError, match="rng"):
        call(x, x, rng="seed")
    if call is not rivals.cross_match_test:
        for null in ("nonsense", ts.Bootstrap(), ts.Gamma(), None):
            with pytest.raises(ts.OptionError, match="null"):
                call(x, x, null=null)
        with pytest.raises(ts.OptionError, match="n=999"):
            call(x, x, null=ts.Permutation(n=99), level=0.001)


@every_test
def test_too_few_rows_to_reject_is_a_warning(call):
    kwargs = {} if call is rivals.cross_match_test else {"null": "permutation"}
    with pytest.warns(ts.SmallSampleWarning, match="can never reject"):
        r = call([0.0, 1.0], [10.0, 11.5], rng=0, **kwargs)
    assert not r.rejected
    assert "can never reject" in r.notes[-1]


@every_test
def test_seeds_of_every_kind(call):
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    a = call(x, y, rng=np.random.default_rng(3))
    assert call(x, y, rng=3).pvalue == a.pvalue
    call(x, y)


def test_all_names_are_public_and_described():
    assert set(PUBLIC) <= set(rivals.__all__)


@pytest.mark.parametrize("null", [ts.Permutation(n=500), "permutation"])
def test_a_permutation_object_sets_the_number_of_labellings(null):
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    for name in set(PUBLIC) - {"cross_match_test"}:
        r = getattr(rivals, name)(x, y, null=null, rng=0)
        assert len(r.law.values) == (501 if isinstance(null, ts.Permutation) else 1000)


def test_pictures_of_the_laws():
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    for name in FORMS:
        x, y = pair(name)
        FORMS[name].call(x, y, rng=0).plot()
        pyplot.close("all")
