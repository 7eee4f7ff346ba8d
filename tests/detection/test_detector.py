"""The outlier detector: scikit-learn's own checks, exactness, false alarms, bad options."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.svm import OneClassSVM
from sklearn.utils.estimator_checks import check_estimator

import twosample as ts

METHODS = ["mean", "bound", "sphere", "hyperplane"]


@pytest.mark.parametrize("method", METHODS)
def test_scikit_learn_accepts_it(method):
    excused = {}
    if method == "bound":  # with 300 rows it calls none of its own rows an outlier, and two checks want some
        names = ("check_outliers_fit_predict", "check_outliers_train")
        excused = dict.fromkeys(names, "a valid bound is that wide")
    detector = ts.MeanEmbeddingOutlierDetector(method=method)
    outcomes = check_estimator(detector, on_skip=None, expected_failed_checks=excused)
    assert sum(outcome["status"] == "passed" for outcome in outcomes) > 40
    assert {outcome["status"] for outcome in outcomes} <= {"passed", "skipped", "xfail"}


def test_the_conformal_rank_is_its_definition():
    """Add the new row to the sample, take all distances to the new mean, count those at least as large."""
    rng = np.random.default_rng(0)
    x, new = rng.normal(size=(12, 2)), rng.normal(size=(8, 2)) * 2
    kernel = ts.Gaussian(1.2)
    scores = ts.MeanEmbeddingOutlierDetector(0.2, kernel=kernel).fit(x).score_samples(new)
    for row, score in zip(new, scores, strict=True):
        z = np.vstack([x, row])
        K = kernel.block(z, z)
        distances = np.diag(K) - 2 * K.mean(axis=1) + K.mean()
        count = int((distances >= distances[-1] - 1e-12).sum())
        assert count - 1 < score * 13 < count


def test_the_threshold_of_the_bound():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 1))
    kernel = ts.Gaussian(1.0)
    d = ts.MeanEmbeddingOutlierDetector(0.1, kernel=kernel, method="bound").fit(x)
    K = kernel.block(x, x)
    distances = np.sqrt(1 - 2 * K.mean(axis=1) + K.mean())
    assert -d.score_samples(x) == pytest.approx(distances, rel=1e-9)
    slack = 2 * np.sqrt(1 / 60) * (2 + np.sqrt(2 * np.log(20)))
    assert -d.offset_ == pytest.approx(np.sort(distances)[-3] + slack, rel=1e-9)  # 3 = floor(0.05 * 61)


def false_alarms(method, level, size, runs, draw):
    """Over many reference samples: the guarantee is about sample and row together."""
    alarms = []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        d = ts.MeanEmbeddingOutlierDetector(level, method=method, random_state=seed).fit(draw(rng, size))
        alarms.append(np.mean(d.predict(draw(rng, 100)) == -1))
    return np.mean(alarms), np.std(alarms) / np.sqrt(runs)


def normal(rng, size):
    return rng.normal(size=(size, 2))


def heavy(rng, size):
    return rng.standard_t(2, size=(size, 1))


@pytest.mark.parametrize("draw", [normal, heavy])
@pytest.mark.parametrize("method", METHODS)
def test_false_alarms(method, draw):
    rate, error = false_alarms(method, 0.1, 60, 60, draw)
    assert rate <= 0.1 + 3 * error
    if method == "mean":
        assert rate >= 0.1 - 1 / 61 - 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("draw", [normal, heavy])
@pytest.mark.parametrize("method", METHODS)
def test_false_alarms_at_length(method, level, draw):
    rate, error = false_alarms(method, level, 150, 400, draw)
    assert rate <= level + 3 * error


@pytest.mark.parametrize("method", ["mean", "sphere", "hyperplane"])
def test_it_finds_outliers(method):
    rng = np.random.default_rng(2)
    d = ts.MeanEmbeddingOutlierDetector(method=method, random_state=0).fit(rng.normal(size=(300, 3)))
    far = 6 + rng.normal(size=(50, 3))
    assert (d.predict(far) == -1).all()
    assert d.score_samples([[9.0, 9.0, 9.0]]) <= d.score_samples([[6.0, 6.0, 6.0]]) < d.score_samples([[0.0, 0.0, 0.0]])


def test_the_bound_finds_outliers_among_many_rows():
    rng = np.random.default_rng(3)
    d = ts.MeanEmbeddingOutlierDetector(method="bound", bandwidth=3.0).fit(rng.normal(size=(4000, 1)))
    assert d.predict([[0.0], [30.0]]).tolist() == [1, -1]


def test_sphere_and_hyperplane_are_one_and_the_same_for_a_gaussian():
    x = np.random.default_rng(4).normal(size=(80, 2))
    scores = [
        ts.MeanEmbeddingOutlierDetector(method=method, random_state=1).fit(x).score_samples(x)
        for method in ("sphere", "hyperplane")
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-12)
    with pytest.raises(ts.OptionError, match="hyperplane"):
        ts.MeanEmbeddingOutlierDetector(method="sphere", kernel=ts.Polynomial(2, 1.0, 1.0)).fit(x)


def test_the_hyperplane_is_that_of_scikit_learn():
    x = np.random.default_rng(5).normal(size=(60, 2))
    d = ts.MeanEmbeddingOutlierDetector(0.2, method="hyperplane", kernel=ts.Gaussian(1.0), random_state=0).fit(x)
    own = OneClassSVM(gamma=0.5, nu=0.2).fit(d._rows)
    assert d.score_samples(x) == pytest.approx(own.score_samples(x), rel=1e-2, abs=1e-3)


def test_few_rows_can_name_no_outlier():
    with pytest.warns(ts.SmallSampleWarning, match="no row can be called"):
        d = ts.MeanEmbeddingOutlierDetector().fit(np.arange(10.0)[:, None])
    assert d.predict([[1e6]]) == [1]


def test_bad_options():
    x = np.arange(30.0)[:, None]
    with pytest.raises(ts.OptionError, match="method"):
        ts.MeanEmbeddingOutlierDetector(method="median").fit(x)
    with pytest.raises(ts.OptionError, match="level"):
        ts.MeanEmbeddingOutlierDetector(level=5).fit(x)
    with pytest.raises(ts.OptionError, match="bounded kernel"):
        ts.MeanEmbeddingOutlierDetector(kernel="linear", method="bound").fit(x)
    with pytest.raises(ts.InputError, match=r"X: .*NaN"):
        ts.MeanEmbeddingOutlierDetector().fit([[np.nan], [1.0]])


def test_nothing_else_loads_scikit_learn():
    code = (
        "import sys, twosample as ts; ts.mmd_test; assert 'sklearn' not in sys.modules; ts.MeanEmbeddingOutlierDetector"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "X", [[], [1.0, 2.0], {1.0, 2.0}, "rows", None, [["a"], ["b"]], np.zeros((4, 0)), np.zeros((2, 2, 2))]
)
def test_rows_that_are_none(X):
    """Errors of ours that name X, for fitting and for scoring."""
    with pytest.raises(ts.InputError, match="X"):
        ts.MeanEmbeddingOutlierDetector().fit(X)
    with pytest.raises(ts.InputError, match="X"):
        ts.MeanEmbeddingOutlierDetector().fit(np.arange(30.0)[:, None]).predict(X)


def test_a_number_that_no_double_holds():
    with pytest.raises(ts.InputError, match="X: int too large"):
        ts.MeanEmbeddingOutlierDetector().fit([[10**400], [1], [2]])
