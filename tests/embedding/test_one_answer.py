"""One question, one answer: the same column, kernel and null distribution give the same p-value from every door."""

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

import twosample as ts

RNG = np.random.default_rng(18)
M, N = 6000, 5000
SAME = 1e-9


def normal(m=M, n=N):
    return RNG.normal(size=m), RNG.normal(0.03, 1.0, size=n)


KINDS = {
    "normal": normal(),
    "long tails": (RNG.laplace(size=M), RNG.laplace(size=N)),
    "heavy tails, cut": tuple(np.clip(RNG.standard_t(3, size=size), -12, 12) for size in (M, N)),
    "skewed": (RNG.gamma(2.0, size=M), RNG.gamma(2.05, size=N)),
    "integers": (RNG.poisson(7, size=M) * 1.0, RNG.poisson(7.05, size=N) * 1.0),
    "ties": tuple(np.where(RNG.random(size) < 0.8, 0.0, RNG.normal(1.0, size=size)) for size in (M, N)),
    "two values": ((RNG.random(M) < 0.3) * 1.0, (RNG.random(N) < 0.32) * 1.0),
    "unequal sizes": normal(700, 10_500),
    "large offset": tuple(1e9 + part for part in normal()),
    "tiny scale": tuple(1e-200 * part for part in normal()),
    "two clusters": tuple(RNG.normal(size=size) + 30 * (RNG.random(size) < 0.4) for size in (M, N)),
    "uniform": (RNG.random(M), RNG.random(N)),
}


@pytest.fixture(scope="module", params=KINDS)
def samples(request):
    return KINDS[request.param]


def by_rows(x, y, bandwidth):
    return ts.mmd_test(x, y, kernel=ts.Gaussian(bandwidth), null="spectrum")


def test_compare_says_what_mmd_test_says(samples):
    x, y = samples
    column = ts.compare({"v": x}, {"v": y})["v"]
    assert column.method.endswith("spectrum")
    assert column.kernel == repr(ts.Gaussian(column.bandwidth))
    expected = by_rows(x, y, column.bandwidth)
    assert column.kernel_pvalue == pytest.approx(expected.pvalue, abs=SAME)
    assert column.statistic == pytest.approx(expected.statistic, abs=1e-12)


def test_match_says_what_mmd_test_says(samples):
    x, y = samples
    pair = ts.match({"v": x}, {"w": y}, level=None, sample=20_000).pairs[0]
    assert pair.kernel == repr(ts.Gaussian(pair.bandwidth))
    assert pair.pvalue == pytest.approx(by_rows(x, y, pair.bandwidth).pvalue, abs=SAME)


def test_sketches_say_what_mmd_test_says(samples):
    x, y = samples
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    margin = 1e-3 * (high - low)
    layout = ts.BinnedMoments(bins=1 << 17, span=(low - margin, high + margin))
    one, two = ts.Sketch.fit(x, layout), ts.Sketch.fit(y, layout)
    found = ts.mmd_test(one, two)
    assert found.pvalue == pytest.approx(by_rows(x, y, found.kernel.bandwidth).pvalue, abs=SAME)


def test_all_doors_choose_about_the_same_bandwidth(samples):
    """Rows in one bin count as ties, where most rows are ties: that is what is left."""
    x, y = samples
    expected = ts.mmd_test(x, y, null="spectrum").kernel.bandwidth
    assert ts.compare({"v": x}, {"v": y})["v"].bandwidth == pytest.approx(expected, rel=0.02)
    pair = ts.match({"v": x}, {"w": y}, level=None, sample=20_000).pairs[0]
    assert pair.bandwidth == pytest.approx(expected, rel=0.02)


def test_dates():
    start = datetime(2024, 1, 1)
    seconds = [RNG.integers(0, 10_000_000, size) for size in (M, N)]
    frames = [pl.DataFrame({"t": [start + timedelta(seconds=s) for s in part.tolist()]}) for part in seconds]
    column = ts.compare(*frames)["t"]
    expected = by_rows(*(part * 1.0 for part in seconds), column.bandwidth)
    assert column.kernel_pvalue == pytest.approx(expected.pvalue, abs=SAME)


def test_categories():
    x, y = RNG.choice(list("abcde"), M), RNG.choice(list("abcde"), N, p=[0.21, 0.2, 0.2, 0.2, 0.19])
    column = ts.compare({"v": x}, {"v": y})["v"]
    pair = ts.match({"v": x}, {"w": y}, level=None, sample=20_000).pairs[0]
    assert column.method.endswith("spectrum")
    assert (column.kernel, column.bandwidth) == ("Categories()", None)
    assert pair.pvalue == pytest.approx(column.kernel_pvalue, abs=SAME)
    assert pair.kernel == column.kernel


def test_texts():
    """Every second of 6000 texts is looked at by both."""
    words = ["".join(letters) for letters in RNG.choice(list("abcdefghij"), (300, 6))]
    x, y = ([" ".join(RNG.choice(words[:some], 4)) for _ in range(size)] for some, size in ((300, M), (297, N)))
    column = ts.compare({"v": x}, {"v": y}, level=1e-3)["v"]  # at a level that is too small for relabelling
    pair = ts.match({"v": x}, {"w": y}, force=True).pairs[0]
    assert column.method.endswith("3000 and 5000 sampled texts; spectrum")
    assert pair.kernel == column.kernel == repr(ts.Text())
    assert pair.statistic == pytest.approx(column.statistic, abs=1e-12)
    assert pair.pvalue == pytest.approx(column.kernel_pvalue, abs=SAME)
    assert 1e-9 < pair.pvalue < 0.5


def test_many_rows_in_bins():
    """Bins of 1/32 of the bandwidth or less know two moments each: good to 1e-6; and tables and summaries agree."""
    x, y = normal(60_000, 50_000)
    column = ts.compare({"v": x}, {"v": y})["v"]
    assert "in bins" in column.method
    assert column.kernel_pvalue == pytest.approx(by_rows(x, y, column.bandwidth).pvalue, abs=1e-6)
    reference = ts.summarize({"v": x})
    summarized = ts.compare(reference, ts.summarize({"v": y}, like=reference))["v"]
    assert summarized.bandwidth == pytest.approx(column.bandwidth, rel=1e-3)
    assert summarized.kernel_pvalue == pytest.approx(by_rows(x, y, summarized.bandwidth).pvalue, abs=1e-6)
