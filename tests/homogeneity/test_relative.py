"""Which of two samples is closer: by the definition, in every engine; level and power on the problems of the paper."""

import json

import numpy as np
import pytest
from scipy.stats import t

import twosample as ts
from tests import naive
from tests.level.measure import limits
from twosample.errors import InputError

KERNEL = ts.Gaussian(0.8)
ENGINES = [ts.Dense(), ts.Tiled(tile=16), ts.Fourier(), ts.LowRank(tolerance=1e-12)]


def samples(seed=0, sizes=(14, 9, 11)):
    rng = np.random.default_rng(seed)
    return [rng.normal(i * 0.5, size=(size, 1)) for i, size in enumerate(sizes)]


def by_definition(x, y, r, k):
    """Means and covariances, pair by pair of rows."""

    def mean(row, others, own=None):
        return np.mean([k(row, other) for j, other in enumerate(others) if j != own])

    influence = {}
    for name, s in (("x", x), ("y", y)):
        influence[name] = [mean(s[i], s, i) - mean(s[i], r) for i in range(len(s))]
        influence["r" + name] = [mean(r[i], r, i) - mean(r[i], s) for i in range(len(r))]
    own = {name: 4 * np.var(values, ddof=1) / len(values) for name, values in influence.items()}
    cross = 4 * np.cov(influence["rx"], influence["ry"])[0, 1] / len(r)
    return np.array([[own["x"] + own["rx"], cross], [cross, own["y"] + own["ry"]]])


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_distances_and_covariance_are_those_of_the_definition(engine):
    x, y, r = samples()
    k = naive.of(KERNEL)
    found = ts.relative_test(x, y, r, kernel=KERNEL, engine=engine, rng=0)
    assert found.mmd2_x == pytest.approx(naive.mmd2_unbiased(x, r, k), rel=1e-6)
    assert found.mmd2_y == pytest.approx(naive.mmd2_unbiased(y, r, k), rel=1e-6)
    C = by_definition(x, y, r, k)
    assert np.array(found.covariance) == pytest.approx(C, rel=1e-6)
    apart = found.mmd2_x - found.mmd2_y
    assert found.statistic == pytest.approx(apart / np.sqrt(C[0, 0] + C[1, 1] - 2 * C[0, 1]), rel=1e-6)


def test_x_and_y_change_places():
    x, y, r = samples(1)
    one, two = ts.relative_test(x, y, r), ts.relative_test(y, x, r)
    assert one.statistic == pytest.approx(-two.statistic)
    assert one.pvalue == pytest.approx(two.pvalue)


def test_the_same_sample_twice_is_no_difference():
    x, _, r = samples(2)
    found = ts.relative_test(x, x, r)
    assert found.statistic == 0
    assert found.pvalue == 1
    assert found.closer is None


def test_objects():
    rng = np.random.default_rng(3)
    words = ["".join(rng.choice(list("abcd"), 30, p=p)) for p in ([0.25] * 4, [0.4, 0.2, 0.2, 0.2]) for _ in range(30)]
    odd = ["".join(rng.choice(list("abcd"), 30, p=[0.8, 0.1, 0.05, 0.05])) for _ in range(30)]
    found = ts.relative_test(words[:15], odd, words[15:30], kernel=ts.strings.Spectrum(2))
    assert found.closer == "x"
    assert json.loads(json.dumps(found.to_dict()))["closer"] == "x"
    assert "x is closer to the reference" in found.summary()


def test_messages_name_the_sample():
    good = [1.0, 2.0, 3.0]
    with pytest.raises(InputError, match=r"^reference has values of type .* ts\.compare_relative"):
        ts.relative_test(good, good, ["a", "b", "c"])
    with pytest.raises(InputError, match=r"^x has 1 column\(s\) and y has 2"):
        ts.relative_test(good, np.eye(2), good)


def test_few_rows_are_refused():
    with pytest.raises(InputError, match="x has 2 row"):
        ts.relative_test([1.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])


def moved(rng, rows, share):
    """The reference on its way from x to y: at the middle they are equally far."""
    return (
        rng.normal(size=(rows, 2)) - 2,
        rng.normal(size=(rows, 2)) + 2,
        rng.normal(size=(rows, 2)) + 4 * share - 2,
    )


def rejections(problem, runs, rows, *options):
    found = [ts.relative_test(*problem(np.random.default_rng([8, i]), rows, *options)) for i in range(runs)]
    return np.mean([r.rejected for r in found]), found


def test_level_when_all_are_alike_is_conservative():
    rate, found = rejections(lambda rng, rows: rng.normal(size=(3, rows, 2)), 150, 60)
    assert rate <= limits(0.05, 150, 0.9999)[1]
    assert np.mean([any("conservative" in note for note in r.notes) for r in found]) > 0.8


def test_power_grows_as_the_reference_moves():
    rates = []
    for share in (0.5, 0.52, 0.55, 0.6):
        rate, found = rejections(moved, 40, 150, share)
        rates.append(rate)
        if share == 0.6:
            assert all(r.closer == "y" for r in found if r.rejected)
    assert rates == sorted(rates)
    assert rates[0] < 0.2
    assert rates[-1] > 0.9


@pytest.mark.parametrize(
    ("shares", "sizes"), [((0.05, 0.25, 0.15), (10, 200, 10)), ((0.05, 0.25, 0.15), (10, 200, 50))]
)
def test_level_with_rare_values_in_few_rows(shares, sizes):
    """Ten rows without a single one of them have no variance of their own: the normal law rejected 11 to 17 %."""
    p = np.empty(300)
    for i in range(len(p)):
        rng = np.random.default_rng([9, i])
        drawn = (rng.random(size) < share for size, share in zip(sizes, shares, strict=True))
        p[i] = ts.relative_test(*drawn, kernel=ts.Gaussian(1.0)).pvalue
    assert np.mean(p <= 0.05) <= limits(0.05, len(p), 0.99)[1]
    assert np.mean(p <= 0.01) <= limits(0.01, len(p), 0.99)[1]


def test_level_with_few_rows():
    """Student's law: the normal one rejected 8 to 9 % at 0.05 and 3 to 4 % at 0.01."""
    p = np.empty(600)
    for i in range(len(p)):
        rng = np.random.default_rng([10, i])
        p[i] = ts.relative_test(rng.normal(-1, size=100), rng.normal(1, size=100), rng.normal(size=10)).pvalue
    assert np.mean(p <= 0.05) <= limits(0.05, len(p), 0.99)[1]
    assert np.mean(p <= 0.01) <= limits(0.01, len(p), 0.999)[1]


def test_level_where_few_rows_may_lie_near_the_reference():
    """Eight or nine ones among ten rows have a small variance near a reference of 90 %: 13 and 7 % were rejected."""
    p = np.empty(500)
    for i in range(len(p)):
        rng = np.random.default_rng([7, i])
        drawn = ((rng.random(size) < share) for size, share in ((10, 0.5), (200, 0.5), (200, 0.9)))
        p[i] = ts.relative_test(*drawn, kernel=ts.Gaussian(1.0)).pvalue
    assert (
        np.mean(p <= 0.05) <= limits(0.05, len(p), 0.99)[1] + 0.02
    )  # p-values are discrete: 5.5 % have 8, 9 or 10 ones
    assert np.mean(p <= 0.01) <= limits(0.01, len(p), 0.999)[1]


@pytest.mark.parametrize("near", [False, True])
def test_the_larger_pvalue_of_four(near):
    """By hand, with SciPy's law of Student."""
    x, y, r = samples(4, (5, 30, 8))
    x[1:] = x[0]  # all five rows are the same
    if near:
        x, y = samples(4, (5, 30, 8))[0] + 0.8, y + 3
    k = naive.of(KERNEL)
    z, ends = np.concatenate([x, y, r]), [0, 5, 35, 43]
    parts = [range(*ends[i : i + 2]) for i in range(3)]
    mean = np.array([[np.mean([k(row, z[j]) for j in part if j != i]) for part in parts] for i, row in enumerate(z)])
    influence = mean[:, 0] - mean[:, 2], mean[:, 1] - mean[:, 2], mean[:, 0] - mean[:, 1]
    spread = np.array([[np.var(values[part], ddof=1) for part in parts] for values in influence])
    n = np.array([5, 30, 8])
    own, shared = 4 * spread.diagonal() / n, 4 * (spread @ (n - 1)) / 40 / n
    found = ts.relative_test(x, y, r, kernel=KERNEL)
    apart = abs(found.mmd2_x - found.mmd2_y)
    far = np.array([ts.mmd(part, r, kernel=KERNEL, statistic="biased") for part in (x, y)])
    expected = []
    for scale in (np.ones(3), np.append((far.mean() / far) ** 2, 1.0)):
        freedom = np.sum(scale * own) ** 2 / np.sum((scale * own) ** 2 / (n - 1))
        expected += [2 * t.sf(apart / np.sqrt(scale @ v), f) for v, f in ((own, freedom), (shared, 40))]
    assert found.pvalue == pytest.approx(max(expected))
    assert (np.argmax(expected) > 1) == near
    assert found.rejected == (abs(found.statistic) > found.threshold)
    assert found.plot() is not None


def test_samples_that_do_not_vary_say_as_much_as_they_have_rows():
    """No less than the largest chance, under any H0 of zeros and ones, to see samples as constant as these."""
    shares = np.linspace(0.0, 1.0, 201)
    for m, n, rows in ((10, 10, 10), (10, 40, 40), (5, 10, 60), (300, 300, 300)):
        r = ts.relative_test(np.zeros(m), np.ones(n), np.zeros(rows), kernel=ts.Gaussian(0.2))
        px, py = np.meshgrid(shares, shares)  # of ones; those of the reference are between, or anything if px = py
        seen = (1 - px) ** m * py**n * np.where(px == py, 1.0, 1 - (px + py) / 2) ** rows
        assert 2 * seen.max() <= r.pvalue == pytest.approx(2 * np.exp(-min(m, n, rows / 2)), rel=1e-3)
        assert (r.statistic < 0, r.closer) == (True, "x" if r.pvalue <= 0.05 else None)
    near = ts.relative_test(np.zeros(300), np.full(300, 0.05), np.zeros(300), kernel=ts.Gaussian(1.0))
    assert near.pvalue == pytest.approx(2 * np.exp(-150 * np.sqrt(near.mmd2_y / 2)))  # a few rows far away would do
    assert ts.relative_test(np.zeros(30), np.ones(30), np.zeros(30), kernel="linear").pvalue == 1
    assert ts.relative_test(np.ones(30), np.ones(30), np.zeros(30)).pvalue == 1
    assert ts.relative_test(np.ones(300), np.zeros(300), np.zeros(300)).closer == "y"
