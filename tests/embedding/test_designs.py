"""Designs against mmd_test with the same null: one answer through every door. Limit law, effects and shares."""

import numpy as np
import pytest

import twosample as ts
from twosample.core.strata import Strata
from twosample.embedding import Line, effect
from twosample.embedding.dependence import SeriesDesign
from twosample.embedding.relabelled import RelabelledDesign
from twosample.embedding.rows import EmbeddedRows
from twosample.embedding.sampled import SampledDesign
from twosample.embedding.stratified import StratifiedFeatures


def features(x, y, bandwidth=1.0):
    line = Line.of_values(x, y)
    at = np.searchsorted(line.place, np.concatenate([x, y]))
    return line.embedded(bandwidth, rows=True, tolerance=1e-14).features[at]


def sample(rng, m, n, strata):
    by = rng.integers(0, strata, m), rng.integers(0, strata, n)
    return rng.normal(size=m) + by[0], rng.normal(size=n) + by[1] + 0.3, *by


@pytest.mark.parametrize(("m", "n", "strata"), [(30, 40, 6), (60, 50, 15), (25, 25, 25), (200, 150, 8)])
def test_strata_are_those_of_mmd_test(m, n, strata):
    x, y, by_x, by_y = sample(np.random.default_rng(m), m, n, strata)
    if strata == m:
        by_x = by_y = np.arange(m)  # pairs
    null = ts.StratifiedPermutation(by_x, by_y, n=199)
    law = null.law(EmbeddedRows(features(x, y), m, np.random.default_rng(5)))
    r = ts.mmd_test(x, y, bandwidth=1.0, null=null, rng=np.random.default_rng(5))
    assert law.values[0] == pytest.approx(r.statistic, abs=1e-12)
    assert law.pvalue(law.values[0]) == r.pvalue


@pytest.mark.parametrize("seed", range(3))
def test_groups_series_and_weights_are_those_of_mmd_test(seed):
    rng = np.random.default_rng(seed)
    x, y, _, _ = sample(rng, 40, 50, 2)
    w = rng.random(90)
    w = np.concatenate([w[:40] / w[:40].mean(), w[40:] / w[40:].mean()])
    phi = features(x, y)
    cases = [
        (ts.GroupPermutation(np.arange(40) // 3, 99 + np.arange(50) // 4), {}, None),
        (ts.WildBootstrap(n=199), {}, None),
        (ts.Permutation(199), {"weights_x": w[:40], "weights_y": w[40:]}, w),
    ]
    for null, options, weights in cases:
        found = null.judged(EmbeddedRows(phi, 40, np.random.default_rng(5), weights))
        r = ts.mmd_test(x, y, bandwidth=1.0, null=null, rng=np.random.default_rng(5), **options)
        assert found.value == pytest.approx(r.statistic, abs=1e-12)
        assert found.law.pvalue(found.value) == r.pvalue


def test_the_limit_law_of_large_strata_is_that_of_relabelling():
    rng = np.random.default_rng(1)
    x, y, by_x, by_y = sample(rng, 600, 500, 5)
    strata = Strata.of(by_x.tolist(), by_y.tolist())
    phi = features(x, y)
    law = ts.StratifiedPermutation(by_x, by_y, n=1999).law(EmbeddedRows(phi, 600, rng))
    limit = StratifiedFeatures(phi, strata).limit()
    for share in (0.5, 0.1, 0.02):
        place = float(np.quantile(law.values[1:], 1 - share))
        assert limit.sf(place) == pytest.approx(share, abs=3.5 * np.sqrt(share * (1 - share) / 1999) + 0.1 * share)


def test_one_stratum_has_the_effect_of_the_samples():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=400), rng.normal(0.4, size=300)
    strata = Strata.of([0] * 400, [0] * 300)
    design = RelabelledDesign.of(strata)
    found = effect(design.pair(features(x, y)), 0.05)
    plain = effect(Line.of_values(x, y).embedded(1.0), 0.05)
    assert found.value == pytest.approx(plain.value, rel=0.05)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=0.1)


@pytest.mark.parametrize("rows", [1, 2, 20])
def test_effects_are_those_of_the_same_mix_in_units_of_the_spread_within_strata(rows):
    """A shift of 0.3 deviations in strata that are far apart; also in strata of two rows."""
    rng = np.random.default_rng(rows)
    by = np.repeat(np.arange(400 // rows), rows)
    covered = []
    for _ in range(40):
        x, y = rng.normal(size=400) + by % 7, rng.normal(size=400) + by % 7 + 0.3
        covered.append(effect(RelabelledDesign.of(Strata.of(by.tolist(), by.tolist())).pair(features(x, y)), 0.05))
    d = np.subtract.outer(np.arange(7), np.arange(7)) ** 2  # normal densities, kernel and mixture in closed form
    root, apart = np.sqrt(3), np.subtract.outer(np.arange(7), np.arange(7) + 0.3) ** 2
    squared = 2 * (np.exp(-d / 6).mean() - np.exp(-apart / 6).mean()) / root
    truth = np.sqrt(squared / 4 / (1 - 1 / root + squared / 4))
    assert np.mean([one.low <= truth <= one.high for one in covered]) >= 0.8  # 0.9 in the limit
    assert np.mean([one.value for one in covered]) == pytest.approx(truth, rel=0.15)


def test_masses_sum_to_effective_sizes():
    rng = np.random.default_rng(3)
    w = rng.random(50)
    x, y = RelabelledDesign.of(Strata.one(20, 30), w).masses(np.empty((50, 0)))
    assert x.sum() == pytest.approx(int(w[:20].sum() ** 2 / (w[:20] ** 2).sum()))
    assert not x[20:].any()
    assert not y[:20].any()
    assert x[:20] / x.sum() == pytest.approx(w[:20] / w[:20].sum())


def test_standardised_weights_give_both_samples_one_mix():
    rng = np.random.default_rng(8)
    w, by_x, by_y = rng.uniform(0.5, 3, 90), rng.integers(4, size=50), rng.integers(1, 5, size=40)
    strata = Strata.of(by_x.tolist(), by_y.tolist())
    design = SampledDesign(50, 40, w, strata)
    kept = rng.random(90) < 0.7
    for own, given, of in ((design, w, strata), (design.part(kept), w[kept], strata.part(kept))):
        m, named = own.m, np.array(of.names)[of.of_row]
        sizes = [given[part].sum() ** 2 / (given[part] ** 2).sum() for part in (slice(0, m), slice(m, None))]
        wanted, x, y = {}, (given[:m], named[:m]), (given[m:], named[m:])
        for name in of.names:
            a, b = (size * g[n == name].sum() / g.sum() for size, (g, n) in zip(sizes, (x, y), strict=True))
            wanted[name] = a * b / (a + b)
        for part, n in ((own.weights[:m], named[:m]), (own.weights[m:], named[m:])):
            shares = {name: part[n == name].sum() / part.sum() for name in of.names}
            total = sum(wanted.values())
            assert shares == pytest.approx({name: h / total for name, h in wanted.items()})
        within = (named[:m] == 1) & (own.weights[:m] > 0)
        assert np.ptp(own.weights[:m][within] / given[:m][within]) == pytest.approx(0)  # within strata as they were


def test_groups_are_worth_as_many_rows_as_they_differ():
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(60), 10)
    same = rng.normal(size=60)[groups][:, None]
    design = RelabelledDesign.of(Strata.one(300, 300), groups=groups)
    assert all(25 <= rows <= 31 for rows in design.worth(same)[1])
    assert all(rows > 200 for rows in design.worth(rng.normal(size=(600, 3)))[1])


def test_series_are_worth_fewer_rows():
    from scipy.signal import lfilter

    z = lfilter([1], [1, -0.8], np.random.default_rng(5).normal(size=2000))[:, None]
    assert 60 < SeriesDesign(1000, 1000).worth(z)[1][0] < 180  # 1000 (1 - 0.8) / (1 + 0.8)


@pytest.mark.parametrize("kind", ["weights", "groups", "series"])
def test_shares_are_compared_at_their_level(kind):
    rng = np.random.default_rng(6)
    if kind == "weights":
        design = RelabelledDesign.of(Strata.one(60, 60), rng.random(120) + 0.2)
    elif kind == "groups":
        design = RelabelledDesign.of(Strata.one(60, 60), groups=np.repeat(np.arange(40), 3))
    else:
        design = SeriesDesign(60, 60)
    holds = (rng.random((120, 200)) < 0.3).astype(float)
    p = np.array([one.pvalue for one in design.compared(holds, 299, rng)])
    assert 0.005 <= (p <= 0.05).mean() <= 0.11
    holds[:60] = rng.random((60, 200)) < 0.7
    assert (np.array([one.pvalue for one in design.compared(holds, 299, rng)]) <= 0.05).mean() > 0.9


@pytest.mark.parametrize("kind", ["weights", "by and weights", "groups", "design weights", "series"])
@pytest.mark.parametrize(("m", "n"), [(300, 3), (300, 10), (10, 300), (1500, 60)])
def test_shares_of_few_rows_keep_their_level_far_out(kind, m, n):
    rng = np.random.default_rng(7)
    weights, strata = rng.random(m + n) + 0.5, Strata.one(m, n)
    if kind == "by and weights":
        by = np.arange(m + n) % 3
        strata = Strata.of(by[:m], by[m:])
    design = {
        "groups": RelabelledDesign.of(Strata.one(m, n), groups=np.arange(m + n)),
        "design weights": SampledDesign(m, n, weights),
        "series": SeriesDesign(m, n),
    }.get(kind, RelabelledDesign.of(strata, weights))
    holds = (rng.random((m + n, 400)) < np.tile([0.005, 0.01, 0.05, 0.5], 100)).astype(float)
    p = np.array([one.pvalue for one in design.compared(holds, 299, rng)])
    assert (p <= 0.05).mean() <= 0.09  # 3.7 deviations above 0.05
    assert (p <= 0.001).sum() <= 4  # at most 0.4 are expected


def test_strata_without_rows_are_left_out():
    design = RelabelledDesign.of(Strata.of(["a", "b", "c", "c"], ["a", "b", "c", "d"]))
    part = design.part(np.array([1, 0, 1, 1, 1, 0, 1, 1], dtype=bool))
    assert part.strata.names == ("a", "c", "d")
    assert (part.m, part.n) == (3, 3)
    assert part.judged(np.arange(6.0)[:, None], 0.05, 99, np.random.default_rng(0)).pvalue > 0.1


def test_scores_have_mean_0_and_variance_1_over_labellings():
    rng = np.random.default_rng(7)
    x, y, by_x, by_y = sample(rng, 60, 50, 4)
    phi = np.stack([np.concatenate([x, y]), np.concatenate([x, y]) ** 2, np.ones(110)], axis=1)
    strata = Strata.of(by_x.tolist(), by_y.tolist())
    for design in (RelabelledDesign.of(strata), RelabelledDesign.of(Strata.one(60, 50), rng.random(110) + 0.1)):
        assert design.scores(phi) is None  # nothing was drawn yet
        design.tested(phi - phi.mean(axis=0), 1999, rng)
        scores = design.scores(phi)
        assert scores.shape == (2000, 3)
        assert scores[1:, :2].mean(axis=0) == pytest.approx(0, abs=0.1)
        assert scores[1:, :2].std(axis=0) == pytest.approx(1, abs=0.07)
        assert not scores[:, 2].any()  # a constant says nothing
    score = RelabelledDesign.of(strata)
    score.tested(phi, 99, rng)
    h, delta = (
        strata.sizes,
        np.array([x[by_x == strata.names[s]].mean() - y[by_y == strata.names[s]].mean() for s in range(4)]),
    )
    z = np.concatenate([x, y])
    variance = sum(h[s] * z[strata.of_row == s].var(ddof=1) for s in range(4))
    assert score.scores(phi)[0, 0] == pytest.approx(h @ delta / np.sqrt(variance))


@pytest.mark.parametrize("opposite", [False, True])
@pytest.mark.parametrize(("strata", "rows"), [(2, 120), (30, 8)])
def test_effects_within_strata_do_not_cancel(strata, rows, opposite):
    """A shift of 0.4 deviations, up in one stratum and down in the next: the effect is that of one of them."""
    rng = np.random.default_rng(strata)
    by = np.repeat(np.arange(strata), rows)
    sign = np.where((by % 2 == 1) & opposite, -1.0, 1.0)
    design = RelabelledDesign.of(Strata.of(by.tolist(), by.tolist()))
    found = []
    for _ in range(40):
        x, y = rng.normal(size=len(by)) + by % 5, rng.normal(size=len(by)) + by % 5 + 0.4 * sign
        found.append(design.effect(features(x, y), 0.05))
    squared = 2 * (1 - np.exp(-(0.4**2) / 6)) / np.sqrt(3)
    truth = np.sqrt(squared / 4 / (1 - 1 / np.sqrt(3) + squared / 4))
    assert np.mean([one.low <= truth for one in found]) >= 0.85  # 0.95 in the limit
    assert np.mean([one.high >= truth for one in found]) >= 0.85
    assert np.sqrt(np.mean([one.value**2 for one in found])) == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("rows", [4, 30])  # all relabellings, and some
def test_weights_of_which_most_are_0_have_a_level(rows):
    pvalues = []
    for i in range(200):
        rng = np.random.default_rng([31, i])
        weights = np.tile(np.where(np.arange(rows) < 3, 1.0, 0.0), 2)
        features = rng.normal(size=(2 * rows, 2))
        design = RelabelledDesign.of(Strata.one(rows, rows), weights)
        found = design.judged(features, 0.05, 199, rng)
        assert np.isfinite(found.law.values).all()
        assert np.isfinite(design.scores(features)).all()
        assert 0 < design.compared((features[:, :1] > 0) * 1.0, 199, rng)[0].pvalue <= 1
        pvalues.append(found.pvalue)
    assert np.mean(np.array(pvalues) <= 0.2) <= 0.3  # 3.5 deviations above 0.2
    assert min(pvalues) > 0


def _naive(phi, w, of_row, v):
    """T of weighted rows in strata, from its definition: sums over all pairs of rows."""
    shared, left_out, each, total, count = np.zeros(phi.shape[1]), 0.0, 0.0, 0.0, 0
    for s in np.unique(of_row):
        rows = np.flatnonzero(of_row == s)
        i, j = rows[v[rows] == 1], rows[v[rows] == 0]
        if not len(i) or not len(j):
            continue
        mean = w[rows] @ phi[rows] / w[rows].sum()
        seen = (phi[rows] - mean) @ (phi[rows] - mean).T
        place = {row: k for k, row in enumerate(rows)}

        def mean_over(a, b, seen=seen, place=place):
            pairs = [(w[r] * w[t], seen[place[r], place[t]]) for r in a for t in b if r != t]
            weight = sum(part[0] for part in pairs)
            return sum(part[0] * part[1] for part in pairs) / weight if weight else None

        whole = mean_over(rows, rows)
        own = [whole if (part := mean_over(side, side)) is None else part for side in (i, j)]
        square = own[0] + own[1] - 2 * mean_over(i, j)
        X, Y = w[i].sum(), w[j].sum()
        h, delta = X * Y / (X + Y), w[i] @ phi[i] / X - w[j] @ phi[j] / Y
        shared, left_out = shared + h * delta, left_out + h**2 * (square - delta @ delta)
        each, total, count = each + h * square, total + h, count + 1
    return 0.5 * ((shared @ shared + left_out) / total**2 + each / (np.sqrt(count) * total))


@pytest.mark.parametrize("weighted", [False, True])
def test_weighted_strata_are_those_of_the_definition(weighted):
    rng = np.random.default_rng(8)
    phi, of_row = rng.normal(size=(30, 3)), np.concatenate([rng.integers(0, 5, 12), rng.integers(0, 6, 18)])
    w = rng.random(30) + 0.2 if weighted else np.ones(30)
    strata = Strata.of(of_row[:12].tolist(), of_row[12:].tolist())
    design = RelabelledDesign.of(strata, w if weighted else None)
    _, law, _ = design.tested(phi, 20, rng)
    scaled = np.ones(30) if design.weights is None else design.weights
    labels = next(iter(design._drawn.values())).x
    for r in range(5):
        assert law.values[r] == pytest.approx(_naive(phi, scaled, of_row, labels[:, r]), rel=1e-9)


def test_equal_weights_in_strata_are_none():
    rng = np.random.default_rng(9)
    x, y, by_x, by_y = sample(rng, 40, 50, 4)
    strata, phi = Strata.of(by_x.tolist(), by_y.tolist()), features(x, y)
    one, two = (
        RelabelledDesign.of(strata, w).judged(phi, 0.05, 199, np.random.default_rng(3))
        for w in (None, np.full(90, 7.0))
    )
    assert one.statistic == pytest.approx(two.statistic, rel=1e-12)
    assert one.pvalue == two.pvalue
    assert (one.effect.low, one.effect.high) == pytest.approx((two.effect.low, two.effect.high), rel=1e-9)


def test_groups_move_together_within_strata():
    """A group is the weighted mean of its rows, with the sum of their weights."""
    rng = np.random.default_rng(10)
    groups = np.repeat(np.arange(24), rng.integers(1, 5, 24))
    stratum, m = (groups % 3).tolist(), int((groups < 11).sum())
    strata, phi = Strata.of(stratum[:m], stratum[m:]), rng.normal(size=(len(groups), 2))
    w = rng.random(len(groups)) + 0.1
    design = RelabelledDesign.of(strata, w, groups)
    value = design.tested(phi, 199, np.random.default_rng(4))[1].values
    sums = np.array([design.weights[groups == g] @ phi[groups == g] for g in range(24)])
    masses = np.bincount(groups, design.weights)
    alone = Strata.of([g % 3 for g in range(11)], [g % 3 for g in range(11, 24)])
    by_hand = StratifiedFeatures(sums / masses[:, None], alone, masses)
    labels = next(iter(design._drawn.values())).x
    assert value == pytest.approx(by_hand.values(labels), rel=1e-12)
    assert labels.shape[0] == 24
    assert ((labels.T @ np.eye(3)[np.arange(24) % 3]) == np.bincount(np.arange(11) % 3)).all()


@pytest.mark.parametrize("strata", [1, 4])
def test_the_limit_law_of_weighted_rows_is_that_of_relabelling(strata):
    rng = np.random.default_rng(11)
    x, y, by_x, by_y = sample(rng, 500, 400, strata)
    w = np.exp(0.5 * rng.normal(size=900))
    design = RelabelledDesign.of(Strata.of(by_x.tolist(), by_y.tolist()), w)
    form = design.form(features(x, y))
    law = design.tested(form.features, 1999, rng)[1]
    limit = form.limit()
    for share in (0.5, 0.1, 0.02):
        place = float(np.quantile(law.values[1:], 1 - share))
        assert limit.sf(place) == pytest.approx(share, abs=3.5 * np.sqrt(share * (1 - share) / 1999) + 0.1 * share)


def test_weights_of_a_design_have_the_law_of_the_wild_bootstrap():
    rng = np.random.default_rng(12)
    x, y = rng.normal(size=300), rng.normal(0.15, size=250)
    w = np.exp(0.5 * np.concatenate([x, rng.normal(size=250)]))
    value, law, _ = SampledDesign(300, 250, w).tested(features(x, y), 999, rng)
    null = ts.WildBootstrap(memory=0.0, n=9999)
    r = ts.mmd_test(x, y, bandwidth=1.0, weights_x=w[:300], weights_y=w[300:], null=null, rng=0)
    assert value == pytest.approx(r.statistic, rel=0.05)
    for p in (0.1, 0.05, 0.01):
        assert law.threshold(p) == pytest.approx(r.law.threshold(p), rel=0.1)


def test_equal_weights_of_a_design_give_the_statistic_without():
    rng = np.random.default_rng(13)
    x, y = rng.normal(size=30), rng.normal(size=40)
    design = SampledDesign(30, 40, np.repeat([2.0, 5.0], [30, 40]))
    assert design.tested(features(x, y), 99, rng)[0] == pytest.approx(
        ts.mmd_test(x, y, bandwidth=1.0, statistic="unbiased", rng=0).statistic, rel=1e-9
    )


def test_the_stratum_that_differs_most():
    rng = np.random.default_rng(14)
    by = np.repeat(list("abcd"), 40)
    x, y = rng.normal(size=160), rng.normal(size=160) + 1.5 * (by == "c")
    design = RelabelledDesign.of(Strata.of(by.tolist(), by.tolist()))
    assert design.most_in(features(x, y)).pvalue is None  # nothing was relabelled
    design.tested(features(x, y), 999, rng)
    found = design.most_in(features(x, y))
    assert (found.stratum, found.rows, found.pvalue) == ("c", (40, 40), 0.001)
    assert found.effect > 0.3
    alike = [design.most_in(features(rng.normal(size=160), rng.normal(size=160))).pvalue for _ in range(60)]
    assert 0 <= np.mean(np.array(alike) <= 0.1) <= 0.25


def test_effects_of_weighted_rows_in_small_strata_have_no_bias():
    """Heavy rows draw the mean towards themselves: without a correction MMD² would seem to be 0.034 here."""
    rng = np.random.default_rng(15)
    by = np.repeat(np.arange(20), 8).tolist()
    found = []
    for _ in range(60):
        design = RelabelledDesign.of(Strata.of(by, by), np.exp(0.8 * rng.normal(size=320)))
        found.append(design.form(np.eye(10)[rng.integers(0, 10, 320)]).effect(0.05).squared)
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(60)
    assert np.std(found) / np.sqrt(60) < 0.005
