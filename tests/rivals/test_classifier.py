"""The classifier test: its statistic by hand, exactness of both schemes, the classifier of the user's choice."""

import sys
import warnings
from itertools import combinations
from math import isqrt

import numpy as np
import pytest

import twosample as ts
from twosample.rivals.classifier import classifier_test

pytest.importorskip("sklearn")

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

FEW = ts.Permutation(n=19)


class Centroid(ClassifierMixin, BaseEstimator):
    """The nearest class mean: as light as a classifier can be, and without probabilities."""

    def fit(self, z, labels):
        self.classes_ = np.unique(labels)
        self.means_ = np.array([z[labels == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, z):
        return self.classes_[((z[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]


def shifted(shift, m=40, n=30, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)), rng.normal(shift, size=(n, d))


@pytest.mark.parametrize("folds", [1, 2, 5])
def test_separated_and_equal_samples(folds):
    x, y = shifted(50.0)
    r = classifier_test(x, y, classifier=Centroid(), folds=folds, null=FEW, rng=0)
    assert (r.statistic, r.pvalue, r.rejected) == (1.0, 0.05, True)
    assert "A-distance 2 " in r.notes[0]
    same = classifier_test(x, x, classifier=Centroid(), folds=folds, null=FEW, rng=0)
    assert same.statistic < 0.75
    assert not same.rejected


def test_balanced_accuracy_by_hand():
    """A classifier that knows the truth: rows below 0 are x. 3 of 4 rows of x and 1 of 2 rows of y are right."""

    class Sign(Centroid):
        def fit(self, z, labels):
            self.classes_ = np.unique(labels)
            return self

        def predict(self, z):
            return (z[:, 0] < 0).astype(int)

    x, y = [-1.0, -2.0, -3.0, 4.0], [5.0, -6.0]
    with pytest.warns(ts.SmallSampleWarning):
        r = classifier_test(x, y, classifier=Sign(), folds=2, rng=0)
    accuracy = (3 / 4 + 1 / 2) / 2
    assert r.statistic == accuracy
    assert f"A-distance {2 * (1 - 2 * (1 - accuracy)):.4g} " in r.notes[0]


def test_the_discrepancy_of_the_remark_is_the_a_distance():
    """E_p f - E_q f of the predictions f = ±1 on the held-out half."""
    x, y = shifted(0.8, 60, 50)
    r = classifier_test(x, y, classifier=Centroid(), folds=1, null=FEW, rng=3)
    hits = 2 * (2 * r.statistic - 1)
    assert 0 < hits < 2
    assert f"{hits:.4g}" in r.notes[0]


def test_relabelling_is_exact_by_enumeration():
    """Under H0 every labelling of a fixed pool is equally likely, so the p-values over all of them are sub-uniform."""
    z = np.array([0.0, 0.3, 0.9, 1.1, 2.0, 2.0, 3.5])
    for folds in (1, 2):
        pvalues = []
        for chosen in combinations(range(7), 3):
            rest = [i for i in range(7) if i not in chosen]
            for seed in range(4):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ts.SmallSampleWarning)
                    r = classifier_test(
                        z[list(chosen)], z[rest], classifier=Centroid(), folds=folds, null=ts.Permutation(n=40),
                        level=0.2, rng=seed,
                    )  # fmt: skip
                pvalues.append(r.pvalue)
        p = np.array(pvalues)
        for level in (0.1, 0.2, 0.5):
            assert (p <= level).mean() <= level + 2 * np.sqrt(level / len(p))


def test_row_order_is_no_evidence():
    """A classifier that looks at the order of its training rows must not profit from x coming first."""

    class LastLabel(Centroid):
        def fit(self, z, labels):
            self.classes_ = np.unique(labels)
            self.last_ = labels[-1]
            return self

        def predict(self, z):
            return np.full(len(z), self.last_)

    p = [
        classifier_test(*shifted(0.0, 12, 12, 1, seed), classifier=LastLabel(), folds=3, null=FEW, rng=seed).pvalue
        for seed in range(200)
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.12


@pytest.mark.parametrize(
    "classifier",
    [
        None,
        LogisticRegression(),
        GaussianNB(),
        make_pipeline(StandardScaler(), SVC()),
        RandomForestClassifier(n_estimators=5),
    ],
    ids=["default", "logistic", "bayes", "svc", "forest"],
)
def test_any_classifier_and_the_same_seed(classifier):
    x, y = shifted(2.0)
    a, b = (classifier_test(x, y, classifier=classifier, folds=2, null=FEW, rng=5) for _ in range(2))
    assert (a.statistic, a.pvalue, a.notes) == (b.statistic, b.pvalue, b.notes)
    assert a.rejected
    np.testing.assert_array_equal(a.law.values, b.law.values)


def test_open_seeds_are_set_and_others_kept():
    x, y = shifted(1.0)
    forest = RandomForestClassifier(n_estimators=3)
    r = classifier_test(x, y, classifier=make_pipeline(forest), folds=1, null=FEW, rng=5)
    assert "random_state=" in r.notes[0]
    assert forest.random_state is None  # the user's object is left alone
    assert not hasattr(forest, "classes_")
    fixed = classifier_test(x, y, classifier=RandomForestClassifier(3, random_state=7), folds=1, null=FEW, rng=5)
    assert "random_state=7" in fixed.notes[0]


def test_the_default_sees_more_than_means():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(150, 2)), rng.choice([-1.0, 1.0], size=(150, 2)) + 0.3 * rng.normal(size=(150, 2))
    assert classifier_test(x, y, folds=2, null=FEW, rng=0).rejected
    linear = classifier_test(x, y, classifier=LogisticRegression(), folds=2, null=FEW, rng=0)
    assert linear.statistic < 0.6


def test_the_larger_sample_does_not_win_by_its_size():
    x, y = shifted(2.0, 20, 200)
    r = classifier_test(x, y, folds=4, null=FEW, rng=0)
    assert r.statistic > 0.6
    assert r.rejected


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_the_default_does_not_depend_on_the_unit(unit):
    x, y = shifted(0.7)
    a, b = (classifier_test(u * x, u * y, folds=2, null=FEW, rng=0) for u in (1.0, unit))
    assert a.statistic == b.statistic


def test_progress():
    calls = []
    classifier_test(*shifted(0.0), classifier=Centroid(), null=FEW, progress=lambda *step: calls.append(step), rng=0)
    assert calls == [(i, 20) for i in range(1, 21)]


def test_few_rows():
    with pytest.warns(ts.SmallSampleWarning):
        r = classifier_test([0.0, 1.0], [5.0, 6.0], folds=10, rng=0)
    assert r.pvalue >= 1 / 6


def test_the_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with pytest.raises(ts.MissingExtraError, match=r'pip install "twosample\[learn\]"'):
        classifier_test(*shifted(0.0), classifier=Centroid())
    assert classifier_test(*shifted(0.0), null=FEW, rng=0).pvalue > 0  # the default needs none


@pytest.mark.parametrize("d", [1, 3, 11, 30])
@pytest.mark.parametrize(("m", "n"), [(10, 10), (40, 25)])
def test_the_default_is_that_of_scikit_learn(d, m, n, monkeypatch):
    monkeypatch.setattr("twosample.rivals.classifier._ENTRIES", 100)
    x, y = shifted(0.5, m, n, d)
    x[:, -1], y[:, -1] = 5.0, 5.0  # a column without information
    peer = make_pipeline(StandardScaler(), KNeighborsClassifier(isqrt((m + n) // 2)))
    for folds in (1, 3):
        ours, theirs = (classifier_test(x, y, classifier=c, folds=folds, null=FEW, rng=1) for c in (None, peer))
        assert (ours.statistic, ours.pvalue) == (theirs.statistic, theirs.pvalue)


@pytest.mark.parametrize("classifier", [LogisticRegression, LinearRegression(), "logistic", StandardScaler(), 3])
def test_bad_classifiers(classifier):
    with pytest.raises(ts.OptionError, match="classifier"):
        classifier_test(*shifted(0.0), classifier=classifier)


@pytest.mark.parametrize("folds", [0, -1, 2.5, "5", None, True])
def test_bad_folds(folds):
    with pytest.raises(ts.OptionError, match="folds"):
        classifier_test(*shifted(0.0), folds=folds)


@pytest.mark.parametrize("null", ["normal", "spectrum", ts.Bootstrap(), None])
def test_bad_nulls(null):
    with pytest.raises(ts.OptionError, match="null"):
        classifier_test(*shifted(0.0), null=null)
