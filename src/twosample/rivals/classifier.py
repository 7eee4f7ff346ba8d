"""The classifier two-sample test: the samples differ if a classifier can tell them apart on rows it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.blas import single_threaded_blas
from ..core.labellings import observed, relabellings
from ..core.pvalue import ReplicateLaw
from ..core.types import Counts, Floats
from ..engines import Progress
from ..errors import OptionError, missing_extra, options_by_name
from ..nulls import Null, Permutation
from ..results import TestResult
from ..statistics import smallest_pvalue
from ._common import ResolvedTest, finish, prepare

Classifier = Any  # A scikit-learn classifier: it can be cloned, fitted, and predicts

Indices = NDArray[np.intp]

CITATION = "Lopez-Paz and Oquab (2017): Revisiting classifier two-sample tests"

_TREE_COLUMNS = 10  # in more a tree of the rows saves nothing
_ENTRIES = 1 << 20  # distances that are looked at together

NINETY_NINE = Permutation(n=99)  # the default: each relabelling costs as many fits as there are folds


@options_by_name
def classifier_test(
    x: object,
    y: object,
    *,
    classifier: Classifier = None,
    folds: int = 5,
    null: Null | str = NINETY_NINE,
    level: float = 0.05,
    progress: Progress | None = None,
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two samples come from the same distribution, by a classifier that tries to tell them apart.

    H0: p = q. H1: p ≠ q, as far as the classifier can learn it. The remark 'Reduction to Binary Classification' of the
    paper: label the rows of x by +1 and those of y by -1, let a classifier f predict the label of every row from rows
    of other folds, and take

    .. math:: \tfrac12\Big\{\frac1m \#\{i: f(x_i) = 1\} + \frac1n \#\{i: f(y_i) = -1\}\Big\},

    the balanced accuracy: 1/2 under H0, 1 for samples that never overlap. :math:`E_p f - E_q f`, the discrepancy that
    the remark maximises, is :math:`2(1 - 2\,\mathrm{err})` with err = 1 - balanced accuracy: the A-distance of the
    classifier, from 0 (the same) to 2 (disjoint), and the effect size that the notes give.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    classifier
        Any scikit-learn classifier. None: the nearest neighbours of a row decide, as many as the root of the number of
        training rows, in standardised columns. That sees every kind of difference, has nothing to tune or to draw, and
        is quick to refit; for a difference in means in many columns a linear classifier finds more.
    folds
        Number of parts for cross-fitting. 1: train once on a random half of the rows and test on the other half.
    null
        'permutation' with its number of relabellings, ``ts.Permutation(n=99)``: see the notes.
    level
        The level of the test.
    progress
        Called with (labellings done, labellings in all).
    rng
        Seed or generator, for folds and labellings and for a classifier with an open random_state. The same seed gives
        the same answer.

    Returns
    -------
    TestResult
        With the balanced accuracy as its statistic; the notes give the A-distance.

    Notes
    -----
    With cross-fitting every prediction depends on the labels of other folds, so no formula and no relabelling of the
    predictions alone is right: the classifier is refitted for every relabelling, folds × (n+1) fits in all. With
    ``folds=1`` the predictions of the test half are fixed, relabelling that half is exact, and one fit is enough, at
    the price of half the rows. Both are exact for any classifier, because rows are put in random order first and every
    labelling is treated alike. A row counts as x when its predicted probability exceeds the share of x among the
    training rows, so that the larger sample does not win by its size; a classifier without predict_proba is taken at
    its word. Not for few rows: under some 50 rows a kernel test finds more.

    The nearest neighbours cost folds × (n+1) searches among all rows: 0.1 seconds for 30 + 30 rows with the default,
    seconds for some 1000 rows, O(N² d) in more than ten columns. Any other classifier costs as many of its fits, and
    scikit-learn (``pip install "twosample[learn]"``).

    References
    ----------
    D. Lopez-Paz and M. Oquab (2017): Revisiting classifier two-sample tests. ICLR. arXiv:1610.06545.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from sklearn.linear_model import LogisticRegression
    >>> from twosample.rivals.classifier import classifier_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(80, 3)), rng.normal(1.0, size=(60, 3))
    >>> r = classifier_test(x, y, classifier=LogisticRegression(), folds=2, null=ts.Permutation(n=19), rng=1)
    >>> r.rejected, r.pvalue, r.statistic > 0.7
    (True, 0.05, True)
    """
    task = prepare(x, y, null, ("permutation",), level, rng)
    _check_folds(folds)
    z = task.z if classifier is None else np.concatenate([door.points(x, "x"), door.points(y, "y")])
    order = task.rng.permutation(task.total)
    learner = _learner(classifier, task)
    with single_threaded_blas():
        if folds == 1:
            law = _held_out(learner, z, order, task)
        else:
            law = _cross_fitted(learner, z, order, folds, task, progress)
    value = float(law.values[0])
    note = f"A-distance {2 * (2 * value - 1):.4g} (0: the same, 2: never overlapping), by {learner}."
    test = "Classifier two-sample test"
    symbol = "balanced accuracy"
    return finish(task, task.permutation, law, test=test, citation=CITATION, symbol=symbol, value=value, notes=(note,))


class _Learner(Protocol):
    """What starts afresh for every set of training rows."""

    def says_x(self, train: Floats, labels: Counts, test: Floats) -> NDArray[np.bool_]:
        """Which test rows it takes for rows of x, after training on rows labelled 1 for x and 0 for y."""


@dataclass(frozen=True, eq=False)
class _Given:
    """The classifier of the user."""

    estimator: Classifier

    def says_x(self, train: Floats, labels: Counts, test: Floats) -> NDArray[np.bool_]:
        from sklearn.base import clone

        fitted = clone(self.estimator).fit(train, labels)
        if not hasattr(fitted, "predict_proba"):
            return np.asarray(fitted.predict(test) == 1)
        column = list(fitted.classes_).index(1)
        return np.asarray(fitted.predict_proba(test)[:, column] > labels.mean())

    def __str__(self) -> str:
        return " ".join(repr(self.estimator).split())


@dataclass(frozen=True)
class _Neighbours:
    """The nearest training rows decide, in columns that are standardised by the training rows.

    A tree finds them in few columns, all distances by one product of matrices in many. scikit-learn would take
    milliseconds for each of the hundreds of fits, most of them for looking at its arguments.
    """

    count: int

    def says_x(self, train: Floats, labels: Counts, test: Floats) -> NDArray[np.bool_]:
        centre, spread = train.mean(axis=0), train.std(axis=0)
        spread[spread <= 1e-14 * np.abs(centre)] = 1.0  # constant, up to rounding
        train, test = (train - centre) / spread, (test - centre) / spread
        if train.shape[1] <= _TREE_COLUMNS:
            from scipy.spatial import cKDTree

            nearest = cKDTree(train).query(test, k=np.arange(1, self.count + 1))[1]
            return np.asarray(labels[nearest].mean(axis=1) > labels.mean())
        said = np.empty(len(test), dtype=bool)
        squares = np.einsum("ij,ij->i", train, train)
        step = max(1, _ENTRIES // len(train))
        for start in range(0, len(test), step):
            part = slice(start, start + step)
            distances = squares - 2 * (test[part] @ train.T)  # less the squares of the test row
            nearest = np.argpartition(distances, self.count - 1, axis=1)[:, : self.count]
            said[part] = labels[nearest].mean(axis=1) > labels.mean()
        return said

    def __str__(self) -> str:
        return f"the {self.count} nearest neighbours in standardised columns"


def _learner(classifier: Classifier, task: ResolvedTest) -> _Learner:
    """The classifier with every open random_state set from the seed of the test."""
    seed = int(task.rng.integers(2**31))
    if classifier is None:
        return _Neighbours(max(1, isqrt(task.total // 2)))
    try:
        from sklearn.base import clone, is_classifier
    except ImportError:
        raise missing_extra("A classifier for classifier_test needs scikit-learn", "learn") from None
    if isinstance(classifier, type) or not hasattr(classifier, "fit") or not is_classifier(classifier):
        raise OptionError(f"classifier={classifier!r} must be a scikit-learn classifier, such as LogisticRegression().")
    options = classifier.get_params(deep=True).items()
    open_seeds = [name for name, value in options if name.split("__")[-1] == "random_state" and value is None]
    return _Given(clone(classifier).set_params(**dict.fromkeys(open_seeds, seed)))


def _cross_fitted(
    learner: _Learner,
    z: Floats,
    order: Indices,
    folds: int,
    task: ResolvedTest,
    progress: Progress | None,
) -> ReplicateLaw:
    """Balanced accuracy of the out-of-fold predictions, with fresh fits for every labelling.

    Rows are put in one random order and dealt to the folds in that order, those of x and those of y apart. Labels in
    random order and random labels are the same under H0, so the true labelling is one of many alike.
    """
    labels = relabellings(task.m, task.n, task.permutation.resamples, task.rng)
    rows = z[order]
    values = np.empty(labels.count)
    for r in range(labels.count):
        truth = labels.x[order, r]
        said = _out_of_fold(learner, rows, truth, min(folds, max(task.m, task.n)))
        values[r] = _balanced_accuracies(said, truth[:, None])[0]
        if progress is not None:
            progress(r + 1, labels.count)
    return ReplicateLaw(values, 1e-12, labels.exhaustive, task.least)


def _out_of_fold(learner: _Learner, rows: Floats, truth: Counts, folds: int) -> NDArray[np.bool_]:
    fold = _dealt(truth, folds)
    said = np.empty(len(rows), dtype=bool)
    for k in range(folds):
        test = fold == k
        said[test] = learner.says_x(rows[~test], truth[~test], rows[test])
    return said


def _held_out(learner: _Learner, z: Floats, order: Indices, task: ResolvedTest) -> ReplicateLaw:
    """Balanced accuracy on a half that the classifier has not seen, whose labels are then free to change places."""
    rows, truth = z[order], observed(task.m, task.n).x[order, 0]
    test = _dealt(truth, 2) == 1
    said = learner.says_x(rows[~test], truth[~test], rows[test])
    m = int(truth[test].sum())
    n = len(said) - m
    labels = relabellings(m, n, task.permutation.resamples, task.rng)
    said = said[np.argsort(1 - truth[test], kind="stable")]  # x first, as in the labellings
    return ReplicateLaw(_balanced_accuracies(said, labels.x), 1e-12, labels.exhaustive, smallest_pvalue(m, n))


def _dealt(truth: Counts, folds: int) -> Indices:
    """Fold numbers, dealt in turn to the rows of x and in turn to the rows of y."""
    fold = np.empty(len(truth), dtype=np.intp)
    for label in (0, 1):
        members = np.flatnonzero(truth == label)
        fold[members] = np.arange(len(members)) % folds
    return fold


def _balanced_accuracies(said: NDArray[np.bool_], labels: Counts) -> Floats:
    """``(R,)`` means of the hit rates in both samples, for labellings in columns."""
    m = int(labels[:, 0].sum())
    n = len(said) - m
    hits = said.astype(np.float64) @ labels
    return np.asarray((hits / m + 1 - (said.sum() - hits) / n) / 2)


def _check_folds(folds: object) -> None:
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 1:
        raise OptionError(f"folds={folds!r} must be a whole number: 1 for one split, 2 or more for cross-fitting.")
