"""D_1 between Parzen estimates against integrals, closed forms and what a metric must do."""

import numpy as np
import pytest
from scipy.integrate import quad, trapezoid
from scipy.stats import norm

import twosample as ts

l1 = ts.metrics.parzen_l1


def density(points, sample, h):
    return norm.pdf(points[:, None], sample, h).mean(axis=1)


def by_trapezoids(x, y, h):
    grid = np.linspace(min(x.min(), y.min()) - 10 * h, max(x.max(), y.max()) + 10 * h, 60_001)
    values = np.zeros(len(grid))
    for start in range(0, len(grid), 10_000):
        part = grid[start : start + 10_000]
        values[start : start + 10_000] = np.abs(density(part, x, h) - density(part, y, h))
    return trapezoid(values, grid)


@pytest.mark.parametrize("h", [0.05, 0.4, 3.0])
@pytest.mark.parametrize("sizes", [(2, 3), (40, 25)], ids=str)
def test_one_column_is_the_integral(h, sizes):
    rng = np.random.default_rng(sizes[0])
    x, y = rng.normal(size=sizes[0]), rng.normal(0.5, 1.3, size=sizes[1])
    assert l1(x, y, bandwidth=h) == pytest.approx(by_trapezoids(x, y, h), abs=3e-6)


def test_ties_clusters_and_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.integers(0, 4, size=30), [500.0, 500.0, 900.0]])
    y = np.concatenate([rng.integers(0, 5, size=20), [500.0, -700.0]])
    near = quad(
        lambda t: abs(norm.pdf(t, x[:30], 0.5).sum() / 33 - norm.pdf(t, y[:20], 0.5).sum() / 22),
        -6, 10, limit=500, epsabs=1e-9,
    )[0]  # fmt: skip
    far = abs(2 / 33 - 1 / 22) + 1 / 33 + 1 / 22
    found = l1(x, y, bandwidth=0.5)
    assert found == pytest.approx(near + far, abs=1e-6)
    monkeypatch.setattr("twosample.metrics.parzen._CELLS", 60)
    assert l1(x, y, bandwidth=0.5) == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("gap", [0.01, 1.0, 5.0, 40.0])
def test_two_points(gap):
    expected = 2 * (2 * norm.cdf(gap / 2) - 1)
    assert l1([0.0, 0.0], [gap, gap], bandwidth=1.0) == pytest.approx(expected, abs=1e-7)
    assert l1([1e9] * 2, [1e9 + 3 * gap] * 2, bandwidth=3.0) == pytest.approx(expected, abs=1e-5)
    x, y = np.zeros((2, 3)), np.full((3, 3), gap / np.sqrt(3))
    assert l1(x, y, bandwidth=1.0, draws=40_000, rng=0) == pytest.approx(expected, abs=5 / 200)


def test_columns_agree_with_the_line():
    """A second column that is the same everywhere changes nothing."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=50), rng.normal(1.0, size=40)
    wide = l1(*(np.column_stack([part, np.zeros(len(part))]) for part in (x, y)), bandwidth=0.3, draws=40_000, rng=1)
    assert wide == pytest.approx(l1(x, y, bandwidth=0.3), abs=5 / 200)


def test_it_is_a_metric_on_samples():
    samples = [np.random.default_rng(seed).normal(seed % 3, 1 + seed % 2, size=20 + seed) for seed in range(5)]
    D = np.array([[l1(a, b, bandwidth=0.4) for b in samples] for a in samples])
    np.testing.assert_allclose(D, D.T, atol=1e-7)
    assert np.abs(np.diag(D)).max() < 1e-12
    assert 0 < D[0, 1] <= 2
    for k in range(5):
        assert (D[:, [k]] + D[[k], :] + 1e-6 >= D).all()


def test_units_do_not_matter_and_seeds_do():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=(20, 2))
    seeds = [l1(x, y, rng=seed) for seed in (1, 1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]
    assert l1(1e100 * x[:, 0], 1e100 * y[:, 0]) == pytest.approx(l1(x[:, 0], y[:, 0]), rel=1e-6)
    assert l1(np.zeros(5), np.zeros(4)) < 1e-15


def test_bad_options():
    for options, words in (({"bandwidth": "wide"}, "bandwidth='wide'"), ({"draws": 1}, "draws=1")):
        with pytest.raises(ts.OptionError, match=words):
            l1([1.0, 2.0], [3.0, 4.0], **options)
    with pytest.raises(ts.InputError, match="another unit"):
        l1([0.0, 1e200], [0.0, 1.0])
