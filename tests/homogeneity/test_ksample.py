"""Several samples: by the definition, in every engine; two of them are mmd_test; pairs keep their level."""

import json
from itertools import permutations

import numpy as np
import pytest

import twosample as ts
from tests import naive
from twosample.core.group_labels import group_relabellings, least_group_pvalue

KERNEL = ts.Gaussian(0.8)
ENGINES = [ts.Dense(), ts.Tiled(tile=16), ts.Fourier(), ts.LowRank(tolerance=1e-9)]


def samples(seed=0, sizes=(14, 9, 11), shift=0.5):
    rng = np.random.default_rng(seed)
    return [rng.normal(i * shift, size=(size, 1)) for i, size in enumerate(sizes)]


def between(groups, k):
    """Σ n_g ‖μ_g − μ‖² with every squared norm as a biased MMD² between a group and all rows."""
    everything = np.concatenate(groups)
    return sum(len(group) * naive.mmd_biased(group, everything, k) ** 2 for group in groups)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_the_statistic_is_that_of_the_definition(engine):
    groups = samples()
    r = ts.ksample_test(groups, kernel=KERNEL, n=99, engine=engine, rng=0)
    assert r.statistic == pytest.approx(between(groups, naive.of(KERNEL)), rel=1e-6)
    for pair in r.pairs:
        a, b = groups[int(pair.a) - 1], groups[int(pair.b) - 1]
        assert pair.mmd == pytest.approx(naive.mmd_biased(a, b, naive.of(KERNEL)), rel=1e-6)


def test_the_statistic_is_the_sum_over_pairs():
    groups = samples(1)
    rows = sum(map(len, groups))
    r = ts.ksample_test(dict(zip("abc", groups, strict=True)), rng=0, n=99)
    size = dict(zip(r.names, r.sizes, strict=True))
    assert r.statistic == pytest.approx(sum(size[p.a] * size[p.b] * p.mmd**2 for p in r.pairs) / rows)


def test_the_linear_kernel_gives_the_sum_of_squares_between_groups():
    groups = samples(2)
    mean = np.concatenate(groups).mean()
    r = ts.ksample_test(groups, kernel="linear", rng=0, n=99)
    assert r.statistic == pytest.approx(sum(len(g) * (g.mean() - mean) ** 2 for g in groups))


def test_every_engine_gives_the_same_pvalues():
    found = [ts.ksample_test(samples(3), kernel=KERNEL, engine=e, rng=0, n=199) for e in ENGINES]
    assert len({(r.pvalue, *(p.pvalue for p in r.pairs)) for r in found[:-1]}) == 1
    assert found[-1].pvalue == found[0].pvalue  # random features draw from the generator before pairs do


@pytest.mark.parametrize("sizes", [(30, 30), (30, 17), (3, 3), (2, 5)])
@pytest.mark.parametrize("ties", [False, True])
def test_two_samples_are_mmd_test(sizes, ties):
    x, y = samples(4, sizes)
    if ties:
        x, y = np.round(x), np.round(y)
    r = ts.ksample_test([x, y], level=0.5, rng=5)
    plain = ts.mmd_test(x, y, statistic="biased", null="permutation", level=0.5, rng=5)
    m, n = sizes
    assert r.pvalue == plain.pvalue == r.pairs[0].pvalue == r.pairs[0].adjusted_pvalue
    assert r.statistic == pytest.approx(m * n / (m + n) * plain.statistic**2)
    assert r.law.least == pytest.approx(plain.law.least)


def test_few_rows_are_relabelled_in_every_way():
    groups = samples(6, (2, 2, 3))
    z, k = np.concatenate(groups), naive.of(KERNEL)
    values = [between(np.split(z[list(order)], [2, 4]), k) for order in permutations(range(7))]
    r = ts.ksample_test(groups, kernel=KERNEL, level=0.5, rng=0)
    assert r.law.exhaustive
    assert len(r.law.values) == 210
    assert r.pvalue == pytest.approx(np.mean(np.array(values) >= values[0] - 1e-12))


@pytest.mark.parametrize("sizes", [(2, 2, 3), (5, 4, 6, 3), (4, 7)])
def test_labels_keep_sizes_and_begin_with_the_truth(sizes):
    labels = np.concatenate([part for part, _ in group_relabellings(sizes, 300, np.random.default_rng(0), 70)])
    assert labels[0].tolist() == np.repeat(np.arange(len(sizes)), sizes).tolist()
    for row in labels:
        assert np.bincount(row, minlength=len(sizes)).tolist() == list(sizes)
    shares = (labels[1:] == 0).mean(axis=0)  # every point is as likely to be in the first group
    assert np.abs(shares - sizes[0] / sum(sizes)).max() < 0.12


def test_all_labellings_come_once():
    ((labels, exhaustive),) = group_relabellings((2, 1, 2), 30, np.random.default_rng(0), 100)
    assert exhaustive
    assert len({tuple(row) for row in labels.tolist()}) == len(labels) == 30
    assert least_group_pvalue((2, 1, 2)) == pytest.approx(2 / 30)
    assert not next(group_relabellings((2, 1, 2), 29, np.random.default_rng(0), 100))[1]


def test_strings_and_precomputed_matrices():
    rng = np.random.default_rng(0)
    words = [["".join(rng.choice(list(letters), 6)) for _ in range(12)] for letters in ("abc", "abc", "abd")]
    r = ts.ksample_test(words, kernel=ts.strings.Spectrum(2), rng=0, n=199)
    assert [p.adjusted_pvalue <= 0.05 for p in r.pairs] == [False, True, True]
    groups = samples(7)
    z = np.concatenate(groups)
    rows = np.split(np.arange(len(z)), [14, 23])
    held = ts.ksample_test(rows, kernel=ts.Precomputed(KERNEL.block(z, z)), rng=0, n=99)
    assert held.pvalue == ts.ksample_test(groups, kernel=KERNEL, rng=0, n=99).pvalue


def test_words_json_and_html():
    r = ts.ksample_test({"<b>": [1.0, 2.0, 3.0, 4.0], "y": [1.5, 2.5, 3.5], "z": [9.0, 10.0, 11.0]}, rng=0)
    assert "<b>: 4, y: 3, z: 3 rows; 1 column" in str(r)
    assert "pair       y and z" in str(r)
    assert "<b>:" not in r._repr_html_()
    assert "&lt;b&gt;" in r._repr_html_()
    known = json.loads(r.to_json())
    assert known["samples"][1] == {"name": "y", "rows": 3}
    assert [p["b"] for p in known["pairs"]] == ["y", "z", "z"]
    assert ts.ksample_test([[1.0, 2.0, 3.0, 4.0]] * 3, pairs=False, rng=0).pairs == ()


def test_too_few_relabellings_for_the_pairs_are_said():
    groups = samples(8, (6,) * 5)
    assert any("Use at least n=199" in note for note in ts.ksample_test(groups, n=99, rng=0).notes)
    assert not any("at least" in note for note in ts.ksample_test(groups, n=199, rng=0).notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "holds 0 sample"),
        ([[1.0, 2.0]], "holds 1 sample"),
        ("xy", "samples is a str"),
        (3, "samples is a int"),
        ([[1.0, 2.0], [1.0]], r"samples\[1\] has 1 row"),
        ({"a": [1.0, 2.0], "b": [np.nan, 1.0]}, r"samples\['b'\] has 1 value"),
        ([np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 1))], r"samples\[2\] has 1; all samples"),
    ],
)
def test_errors_name_the_sample(given, said):
    with pytest.raises(ts.InputError, match=said):
        ts.ksample_test(given)


def test_errors_of_options():
    for options, said in (({"n": 0}, "n"), ({"level": 2}, "level"), ({"pairs": 1}, "pairs=1"), ({"n": 9}, "n=19")):
        with pytest.raises((ts.OptionError, ts.InputError), match=said):
            ts.ksample_test(samples(), **options)


def test_many_rows_of_one_column_have_the_limit_law():
    rng = np.random.default_rng(3)
    groups = [rng.normal(size=size) for size in (5000, 3500, 3000)]
    r, drawn = (ts.ksample_test(groups, bandwidth=1.0, pairs=False, n=n, rng=0) for n in (None, 999))
    assert r.null.name == "spectrum"
    assert r.statistic == pytest.approx(drawn.statistic, rel=1e-9)
    assert r.pvalue == pytest.approx(drawn.pvalue, abs=0.05)  # 3 deviations of 999 draws
    assert r.law.threshold(0.1) == pytest.approx(drawn.law.threshold(0.1), rel=0.1)
    groups[2] = groups[2] + 0.2
    found = ts.ksample_test(groups, rng=0)
    assert found.pvalue < 1e-6
    assert [pair.adjusted_pvalue < 0.01 for pair in found.pairs] == [False, True, True]
    assert "limit law" in " ".join(found.notes)


def test_few_rows_behind_the_limit_law_are_relabelled():
    groups = [np.r_[np.zeros(4000), 1e3 * np.arange(1, 4)] for _ in range(3)]
    assert ts.ksample_test(groups, bandwidth=1.0, pairs=False, rng=0).null.name == "permutation"


@pytest.mark.parametrize("weighted", [False, True])
def test_two_samples_within_strata_are_mmd_test(weighted):
    rng = np.random.default_rng(20)
    (x, y), by = samples(20, (30, 24)), [rng.integers(3, size=30), rng.integers(3, size=24)]
    w = [rng.uniform(0.5, 2, 30), rng.uniform(0.5, 2, 24)] if weighted else None
    options = {"weights_x": w[0], "weights_y": w[1]} if weighted else {}
    null = ts.StratifiedPermutation(*by, n=199)
    two = ts.mmd_test(x, y, kernel=KERNEL, statistic="biased", null=null, rng=3, **options)
    r = ts.ksample_test([x, y], kernel=KERNEL, by=by, weights=w, n=199, rng=3)
    if weighted:  # H, the size of all strata, is another one in every labelling
        assert abs(r.pvalue - two.pvalue) < 0.1
    else:
        h = sum(a * b / (a + b) for a, b in zip(*(np.bincount(part) for part in by), strict=True))
        assert r.statistic == pytest.approx(h * two.statistic**2, rel=1e-9)
        assert r.pvalue == two.pvalue
    assert r.pairs[0].mmd == pytest.approx(two.statistic, rel=1e-9)


@pytest.mark.parametrize("n", [199, None])
def test_one_stratum_and_equal_weights_are_the_plain_test_bit_for_bit(n):
    groups = samples(21)
    plain = ts.ksample_test(groups, kernel=KERNEL, n=n, rng=0)
    for options in ({"by": [["a"] * len(g) for g in groups]}, {"weights": [np.full(len(g), 3.0) for g in groups]}):
        same = ts.ksample_test(groups, kernel=KERNEL, n=n, rng=0, **options)
        assert (same.statistic, same.pvalue, same.threshold) == (plain.statistic, plain.pvalue, plain.threshold)
        assert (same.pairs, same.notes) == (plain.pairs, plain.notes)


def test_weights_of_1_beside_strata_change_nothing():
    groups, rng = samples(21), np.random.default_rng(0)
    by = [rng.integers(2, size=len(g)) for g in groups]
    plain = ts.ksample_test(groups, kernel=KERNEL, n=199, rng=0, by=by)
    same = ts.ksample_test(groups, kernel=KERNEL, n=199, rng=0, by=by, weights=[np.ones(len(g)) for g in groups])
    assert (same.statistic, same.pvalue, same.pairs) == (plain.statistic, plain.pvalue, plain.pairs)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("strata", [False, True])
def test_a_weight_of_two_is_the_row_twice(engine, strata):
    groups, rng = samples(22), np.random.default_rng(0)
    by = [rng.integers(2, size=len(g)) if strata else np.zeros(len(g)) for g in groups]
    weights = [np.ones(len(g)) for g in groups]
    weights[0][:5] = 2
    twice = [np.concatenate([groups[0], groups[0][:5]]), *groups[1:]]
    by_twice = [np.concatenate([by[0], by[0][:5]]), *by[1:]]
    one = ts.ksample_test(groups, kernel=KERNEL, by=by, weights=weights, n=99, engine=engine, rng=0)
    two = ts.ksample_test(twice, kernel=KERNEL, by=by_twice, n=99, engine=engine, rng=0)
    scale = sum(map(len, twice)) / sum(map(len, groups))  # weights count up to a factor, rows are counted
    assert one.statistic * scale == pytest.approx(two.statistic, rel=1e-6)
    assert [p.mmd for p in one.pairs] == pytest.approx([p.mmd for p in two.pairs], rel=1e-6)


def naive_by_design(K, w, of_row, groups):
    """T by its definition, from features that are the columns of a root of K."""
    values, vectors = np.linalg.eigh(K)
    phi = vectors * np.sqrt(np.maximum(values, 0))
    strata = [s for s in np.unique(of_row) if len(np.unique(groups[of_row == s])) > 1]
    used, each = np.isin(of_row, strata), 0.0
    names = np.unique(groups)
    Z, h = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for s in strata:
        rows = of_row == s
        mean, W = w[rows] @ phi[rows] / w[rows].sum(), w[rows].sum()
        for g in names:
            own = rows & (groups == g)
            if own.any():
                z, mass = w[own] @ (phi[own] - mean), w[own].sum()
                Z[g], h[g], each = Z[g] + z, h[g] + mass * (W - mass) / W, each + z @ z / mass
    shared = sum((1 - w[used & (groups == g)].sum() / w[used].sum()) * Z[g] @ Z[g] / h[g] for g in names)
    return 0.5 * (shared + each / np.sqrt(len(strata)))


def test_strata_and_weights_by_the_definition_and_in_every_way():
    rng = np.random.default_rng(22)
    of_row, groups = np.array([0, 1, 0, 1, 0, 1, 0]), np.array([0, 0, 1, 1, 2, 2, 2])
    z, w = rng.normal(size=(7, 1)), rng.uniform(0.5, 2, 7)
    K, w = KERNEL.block(z, z), w / w.mean()
    values = []
    for first in sorted(set(permutations([0, 1, 2, 2]))):
        for second in sorted(set(permutations([0, 1, 2]))):
            drawn = np.empty(7, dtype=int)
            drawn[of_row == 0], drawn[of_row == 1] = first, second
            values.append(naive_by_design(K, w, of_row, drawn))
    split = [np.flatnonzero(groups == g) for g in range(3)]
    r = ts.ksample_test(
        [z[i] for i in split],
        kernel=KERNEL,
        by=[of_row[i] for i in split],
        weights=[w[i] for i in split],
        level=0.3,
        rng=0,
    )
    assert r.law.exhaustive
    assert r.statistic == pytest.approx(naive_by_design(K, w, of_row, groups), rel=1e-9)
    assert sorted(r.law.values) == pytest.approx(sorted(values), rel=1e-9)


def test_another_mix_is_no_difference_within_strata():
    rng = np.random.default_rng(23)
    by = [rng.random(150) < share for share in (0.1, 0.5, 0.9)]
    groups = [rng.normal(size=150) + 3 * part for part in by]
    assert ts.ksample_test(groups, rng=0).rejected
    r = ts.ksample_test(groups, by=by, rng=0)
    assert not r.rejected
    groups[2] = groups[2] + 1
    r = ts.ksample_test(dict(zip("abc", groups, strict=True)), by=dict(zip("abc", by, strict=True)), rng=0)
    assert [(p.a, p.b) for p in r.pairs if p.adjusted_pvalue <= 0.05] == [("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": [[0] * 14, [0] * 9]}, "by must be a list with one list for each of the 3 samples"),
        ({"by": [[0] * 14, [0] * 9, [0] * 3]}, "by.'3'. has 3 strata"),
        ({"by": [[0] * 14, [1] * 9, [2] * 11]}, "no stratum has rows of two samples"),
        ({"weights": [[1] * 14, [1] * 9, [-1] * 11]}, "weights.'3'. has 11 negative"),
        ({"weights": {"x": [1]}}, "weights names 'x'"),
    ],
)
def test_errors_of_designs_name_the_option(options, message):
    with pytest.raises(ts.InputError, match=message):
        ts.ksample_test(samples(), **options)
