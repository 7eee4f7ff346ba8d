"""Outlier detection by the distance to the mean in feature space, as a scikit-learn estimator.

This module imports scikit-learn; ``ts.MeanEmbeddingOutlierDetector`` loads it on first use.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, Self

import numpy as np

try:
    from sklearn.base import BaseEstimator, OutlierMixin
    from sklearn.svm import OneClassSVM
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:  # pragma: no cover
    from ..errors import missing_extra

    raise missing_extra("The outlier detector needs scikit-learn", "learn") from None

from .. import _door as door
from .._door import check_frame
from ..core.types import Floats
from ..errors import InputError, OptionError, SmallSampleWarning, options_by_name, unknown_option, warn
from ..kernels import Kernel
from .conformal import ConformalRanks, allowed, in_blocks, row_means

METHODS = ("mean", "bound", "sphere", "hyperplane")


class _WrongTypeError(InputError, TypeError):
    """An input error that is what scikit-learn expects of objects that are no numbers."""


class MeanEmbeddingOutlierDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Rows that do not come from the distribution of a reference sample; at most `level` false alarms.

    A row is the more unusual the farther it lies from the mean of the sample in feature space,
    :math:`|\phi(x) - \hat\mu|^2 = k(x,x) - \frac2n\sum_i k(x,x_i) + |\hat\mu|^2`: for a Gaussian kernel, the lower its
    Parzen density. Follows scikit-learn: ``fit(X)``, ``predict(X)`` gives -1 for outliers and 1 for inliers,
    ``score_samples`` is lower for outliers, ``decision_function = score_samples - offset_``.

    Parameters
    ----------
    level
        The probability that a row from the same source as the reference sample is called an outlier, at most.
    kernel, bandwidth
        As for :func:`mmd_test`; the bandwidth rule sees the reference sample.
    method
        'mean': the distance to the mean, as a conformal p-value: the rank of the new row among all rows when it has
        joined them. Exact at every sample size. 'bound': the distance itself, against the threshold of Shawe-Taylor and
        Cristianini (2004, Section 5.1): a quantile of the distances in the sample plus twice a bound on how far the
        mean may be off, :math:`\sqrt{K/n}(2 + \sqrt{2\ln(1/\delta)})`; valid, and so wide that it needs thousands of
        rows. 'sphere' and 'hyperplane': the smallest sphere around most of the sample, the hyperplane between it and
        the origin (one-class support vector machine with ν = level), fitted to one half of the rows, with the
        threshold from the other half. The two are the same where k(x, x) is constant.
    random_state
        Seed: for the bandwidth of large samples and for the halves.

    Attributes
    ----------
    offset_ : float
        The score below which a row is an outlier.
    kernel_ : Kernel
        The kernel with its bandwidth.
    n_features_in_ : int
        Columns of the reference sample.

    Notes
    -----
    The false alarms of 'mean' are at most `level` over reference sample and new row together, not given one reference
    sample. Nothing can be called an outlier when the sample has fewer than 1/level - 1 rows; a warning says so. Fitting
    takes O(n²) kernel values, scoring O(n) per row ('bound' and 'mean').

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> reference = rng.normal(size=(200, 2))
    >>> d = ts.MeanEmbeddingOutlierDetector(level=0.05).fit(reference)
    >>> d.predict([[0.0, 0.0], [6.0, 6.0]])
    array([ 1, -1])
    """

    @options_by_name
    def __init__(
        self,
        level: float = 0.05,
        *,
        kernel: door.KernelLike = "gaussian",
        bandwidth: door.BandwidthLike = "median",
        method: str = "mean",
        random_state: Any = None,
    ) -> None:
        self.level = level
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.method = method
        self.random_state = random_state

    def fit(self, X: object, y: object = None) -> Self:
        """Learn the reference sample.

        Parameters
        ----------
        X
            ``(n, d)`` rows, at least 2.
        y
            Ignored; scikit-learn passes it.
        """
        del y
        level = door.check_level(self.level)
        if self.method not in METHODS:
            raise unknown_option("method", self.method, METHODS, objects=False)
        chosen = door.open_kernel(self.kernel, self.bandwidth)
        formula = chosen.kernel
        if formula.domain != "vectors":
            raise OptionError(f"kernel={formula!r} is not a kernel of rows of numbers, which this estimator takes.")
        rows = self._checked(X, ensure_min_samples=2)
        rng = door.generator(_seed(self.random_state))
        self.kernel_: Kernel = chosen.filled(rows, rng)
        self._rows: Floats = rows
        if self.method == "mean":
            self._fit_mean(level)
        elif self.method == "bound":
            self._fit_bound(level)
        else:
            self._fit_svm(level, rng)
        return self

    def score_samples(self, X: object) -> Floats:
        """``(rows,)`` scores, low for outliers: for 'mean' conformal p-values, less up to 1/(n+1) by the distance."""
        check_is_fitted(self)
        rows = self._checked(X, reset=False)
        return in_blocks(self._scores, rows, len(self._rows))

    def decision_function(self, X: object) -> Floats:
        """``score_samples(X) - offset_``: negative for outliers."""
        return np.asarray(self.score_samples(X) - self.offset_)

    def predict(self, X: object) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """-1 for outliers, 1 for inliers."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def _checked(self, X: object, **wanted: Any) -> Floats:
        """Rows of numbers; what scikit-learn says against them is an error of ours."""
        check_frame(X)
        try:
            rows: Floats = validate_data(self, X, dtype=np.float64, **wanted)
        except (ValueError, OverflowError) as error:
            raise InputError(f"X: {error}") from error
        except TypeError as error:
            raise _WrongTypeError(f"X: {error}") from error
        except Exception as error:  # noqa: BLE001 - whatever a foreign object says when it is asked for its numbers
            raise InputError(f"X: {error}") from None
        return rows

    def _fit_mean(self, level: float) -> None:
        self._allowed(level, len(self._rows))
        self._ranks = ConformalRanks.fit(self.kernel_, self._rows)
        self.offset_ = self._ranks.threshold(level)

    def _fit_bound(self, level: float) -> None:
        if self.kernel_.bounds is None:
            raise OptionError(
                f"method='bound' needs a bounded kernel, and no bound is known for {self.kernel_!r}. Use method='mean'."
            )
        size, top = len(self._rows), self.kernel_.bounds[1]
        self._norm = float(row_means(self.kernel_, self._rows).mean())  # |mean|²
        distances = np.sort(-self._scores(self._rows))
        error = sqrt(top / size) * (2 + sqrt(2 * log(2 / level)))  # with probability 1 - level/2
        alarms = self._allowed(level / 2, size)
        self.offset_ = -(float(distances[size - alarms]) + 2 * error) if alarms else -np.inf

    def _fit_svm(self, level: float, rng: np.random.Generator) -> None:
        diagonal = self.kernel_.diagonal(self._rows)
        if self.method == "sphere" and np.ptp(diagonal) > 1e-9 * np.abs(diagonal).max():
            raise OptionError(
                f"method='sphere' is a hyperplane only where k(x, x) is constant, and {self.kernel_!r} is not. "
                "Use method='hyperplane'."
            )
        order = rng.permutation(len(self._rows))
        half = max(1, len(order) // 2)
        self._rows, held = self._rows[order[:half]], self._rows[order[half:]]
        K = self.kernel_.block(self._rows, self._rows)
        self._svm = OneClassSVM(kernel="precomputed", nu=level).fit(K)
        scores = np.sort(self._scores(held))
        alarms = self._allowed(level, len(held))
        self.offset_ = float(scores[alarms - 1]) if alarms else -np.inf

    def _allowed(self, level: float, size: int) -> int:
        """How many of `size` + 1 exchangeable rows may be called outliers; a warning if none may."""
        alarms = allowed(level, size)
        if alarms == 0:
            warn(
                f"With {len(self._rows)} reference rows and method={self.method!r} no row can be called an outlier at "
                f"level {self.level:g}. Collect more rows.",
                SmallSampleWarning,
            )
        return alarms

    def _scores(self, rows: Floats) -> Floats:
        if self.method == "mean":
            return self._ranks.scores(rows)
        K = self.kernel_.block(rows, self._rows)
        if self.method == "bound":
            squares = self.kernel_.diagonal(rows) - 2 * K.mean(axis=1) + self._norm
            return np.asarray(-np.sqrt(np.maximum(squares, 0.0)))
        return np.asarray(self._svm.score_samples(K))


def _seed(random_state: Any) -> Any:
    """Scikit-learn also passes the old kind of generator."""
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**31)
    return random_state
