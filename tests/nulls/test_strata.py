"""Relabelling within strata: the statistic by its definition, in every engine, for every kind of sample."""

import numpy as np
import pytest

import twosample as ts
from tests import naive
from twosample.core.resamples import stratified_relabellings

ENGINES = [ts.Dense(), ts.Tiled(tile=16), ts.Fourier(), ts.LowRank(tolerance=1e-9), ts.Auto()]


def problem(seed=0, m=30, n=25, strata=3, columns=1):
    rng = np.random.default_rng(seed)
    by_x, by_y = rng.integers(strata, size=m), rng.integers(strata, size=n)
    return rng.normal(size=(m, columns)) + by_x[:, None], rng.normal(size=(n, columns)) + by_y[:, None], by_x, by_y


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
def test_the_statistic_is_that_of_the_definition(engine, statistic):
    x, y, by_x, by_y = problem()
    kernel = ts.Gaussian(0.7)
    null = ts.StratifiedPermutation(by_x, by_y, n=49)
    r = ts.mmd_test(x, y, kernel=kernel, statistic=statistic, null=null, engine=engine, rng=0)
    expected = naive.stratified(x, y, by_x, by_y, naive.of(kernel), biased=statistic == "biased")
    assert (r.statistic**2 if statistic == "biased" else r.statistic) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
def test_all_engines_give_the_same_pvalue(statistic):
    x, y, by_x, by_y = problem(seed=3, m=40, n=50, strata=4)
    null = ts.StratifiedPermutation(by_x, by_y, n=199)
    results = [
        ts.mmd_test(x, y + 0.2, kernel=ts.Gaussian(0.7), statistic=statistic, null=null, engine=engine, rng=0)
        for engine in ENGINES
    ]
    assert len({r.pvalue for r in results}) == 1


def test_every_labelling_within_strata_is_used_once():
    labels = stratified_relabellings(np.array([0, 1, 0, 0, 1, 1, 2, 2]), 3, 999, np.random.default_rng(0))
    assert labels.exhaustive
    assert labels.count == 9  # C(3, 2) C(3, 1), and 1 of the stratum that only y has
    assert (labels.x[:, 0] == [1, 1, 1, 0, 0, 0, 0, 0]).all()
    assert len(np.unique(labels.x, axis=1).T) == 9
    assert (labels.x[[0, 2, 3]].sum(axis=0) == 2).all()
    assert not labels.x[6:].any()


def test_draws_are_uniform_within_strata_and_independent_between_them():
    of_row = np.concatenate([np.arange(12) % 3, np.arange(12) % 3, [3, 3, 0]])
    labels = stratified_relabellings(of_row, 12, 4000, np.random.default_rng(1))
    assert not labels.exhaustive
    v = labels.x[:, 1:].astype(float)
    assert (labels.x[of_row == 0].sum(axis=0) == 4).all()
    assert not labels.x[of_row == 3].any()
    assert v[of_row == 0].mean(axis=1) == pytest.approx(np.full(9, 4 / 9), abs=0.04)
    assert v[of_row == 1].mean(axis=1) == pytest.approx(np.full(8, 1 / 2), abs=0.04)
    first, second = np.flatnonzero(of_row == 0)[0], np.flatnonzero(of_row == 1)[0]
    assert abs(np.corrcoef(v[first], v[second])[0, 1]) < 0.06


def test_the_pvalue_is_the_share_of_all_labellings():
    x, y, by_x, by_y = np.array([0.0, 2.0, 1.0]), np.array([5.0, 6.0, 0.5]), "aab", "aab"
    kernel = ts.Gaussian(1.0)
    r = ts.mmd_test(x, y, kernel=kernel, null=ts.StratifiedPermutation(list(by_x), list(by_y)), level=0.5, rng=0)
    pool, values = np.concatenate([x, y]), []
    for first in [(0, 1), (0, 3), (0, 4), (1, 3), (1, 4), (3, 4)]:
        for second in (2, 5):
            inside = {*first, second}
            a, b = [pool[i] for i in inside], [pool[i] for i in range(6) if i not in inside]
            cut = {i: "b" if i in (2, 5) else "a" for i in range(6)}
            by_a, by_b = [cut[i] for i in inside], [cut[i] for i in range(6) if i not in inside]
            values.append(naive.stratified(a, b, by_a, by_b, naive.of(kernel), biased=True))
    biased = ts.mmd_test(
        x, y, kernel=kernel, statistic="biased", null=ts.StratifiedPermutation(list(by_x), list(by_y)), level=0.5, rng=0
    )
    assert biased.law.exhaustive
    assert biased.pvalue == pytest.approx(np.mean([v >= values[0] - 1e-9 for v in values]))
    assert r.law.exhaustive
    assert 0 < r.pvalue <= 1


@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
@pytest.mark.parametrize("engine", [None, "tiled"])
def test_one_stratum_is_the_plain_test_bit_for_bit(statistic, engine):
    x, y, *_ = problem(columns=2)
    one = ts.StratifiedPermutation(["all"] * len(x), ["all"] * len(y), n=199)
    plain = ts.mmd_test(x, y, statistic=statistic, null=ts.Permutation(199), engine=engine, rng=5)
    strata = ts.mmd_test(x, y, statistic=statistic, null=one, engine=engine, rng=5)
    assert (strata.statistic, strata.pvalue, strata.threshold) == (plain.statistic, plain.pvalue, plain.threshold)
    assert strata.notes == plain.notes


def test_a_difference_of_the_mix_alone_is_none_and_one_within_strata_is():
    rng = np.random.default_rng(0)
    by_x, by_y = rng.random(300) < 0.2, rng.random(300) < 0.8
    x, y = rng.normal(size=300) + 3 * by_x, rng.normal(size=300) + 3 * by_y
    null = ts.StratifiedPermutation(by_x, by_y)
    assert ts.mmd_test(x, y, rng=0).pvalue == 0.001
    assert ts.mmd_test(x, y, null=null, rng=0).pvalue > 0.05
    assert ts.mmd_test(x, y + 0.5, null=null, rng=0).pvalue <= 0.01


def test_opposite_differences_in_two_strata_are_seen():
    rng = np.random.default_rng(1)
    by = np.arange(200) % 2
    x, y = rng.normal(size=200), rng.normal(size=200) + np.where(by, 0.8, -0.8)
    assert ts.mmd_test(x, y, null=ts.StratifiedPermutation(by, by), rng=0).pvalue <= 0.01


def test_strata_of_two_rows_have_the_power_of_pairs():
    rng = np.random.default_rng(2)
    base = 3 * rng.normal(size=80)
    x, y, by = base + 0.5 * rng.normal(size=80), base + 0.5 + 0.5 * rng.normal(size=80), np.arange(80)
    r = ts.mmd_test(x, y, null=ts.StratifiedPermutation(by, by), rng=0)
    assert r.pvalue <= 0.01
    assert any("80 have one row of each sample" in note for note in r.notes)
    assert ts.mmd_test(x, y, rng=0).pvalue > 0.05


def test_strata_of_one_sample_are_named_and_do_not_count():
    x, y, by_x, by_y = problem()
    alone = ts.mmd_test(
        np.concatenate([x, [[50.0]] * 4]), y, kernel=ts.Gaussian(1.0),
        null=ts.StratifiedPermutation([*by_x, 7, 7, 7, 7], by_y), rng=0,
    )  # fmt: skip
    without = ts.mmd_test(x, y, kernel=ts.Gaussian(1.0), null=ts.StratifiedPermutation(by_x, by_y), rng=0)
    assert alone.statistic == pytest.approx(without.statistic, rel=1e-9)
    assert any("1 more have rows of one sample only (4 in all)" in note and "7" in note for note in alone.notes)


def test_strings_are_compared_within_prompts():
    rng = np.random.default_rng(0)
    prompts = np.repeat(np.arange(12), 5)

    def answers(other):
        return ["".join(rng.choice(list("abcd"[p % 3 :] + other), size=12)) for p in prompts]

    a, b, c = answers(""), answers(""), answers("ee")
    null = ts.StratifiedPermutation(prompts, prompts)
    assert ts.mmd_test(a, b, kernel=ts.strings.Spectrum(2), null=null, rng=0).pvalue > 0.05
    assert ts.mmd_test(a, c, kernel=ts.strings.Spectrum(2), null=null, rng=0).pvalue <= 0.01


def test_rows_of_a_matrix_are_strata():
    x, y, by_x, by_y = problem()
    two = ts.StratifiedPermutation(np.stack([by_x, by_x % 2], axis=1), np.stack([by_y, by_y % 2], axis=1))
    one = ts.StratifiedPermutation(by_x, by_y)
    assert ts.mmd_test(x, y, null=two, rng=0).pvalue == ts.mmd_test(x, y, null=one, rng=0).pvalue


@pytest.mark.parametrize(
    ("by_x", "by_y", "message"),
    [
        ([1, 2], [1, 2, 3], "by_x has 2 and by_y 3"),
        ([0] * 30, [1] * 25, "no stratum has rows of both"),
        ([0.0] * 29 + [float("nan")], [0] * 25, "by_x must name the stratum"),
        ([0] * 30, [None] * 25, "by_y must name the stratum"),
        ("abc", [0] * 25, "by_x must be a list"),
        (3, [0] * 25, "by_x must be a list"),
    ],
)
def test_errors_name_the_argument(by_x, by_y, message):
    x, y, *_ = problem()
    with pytest.raises(ts.InputError, match=message):
        ts.mmd_test(x, y, null=ts.StratifiedPermutation(by_x, by_y))
