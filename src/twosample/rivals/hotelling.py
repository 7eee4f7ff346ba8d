"""Hotelling's T²: the multivariate t-test, with the ridge of Section 8.1 where the covariance is singular."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from .. import _door as door
from ..core.labellings import observed
from ..core.laws import ContinuousLaw, Distribution, GammaLaw
from ..core.types import Counts, Floats
from ..errors import OptionError, options_by_name
from ..nulls import Null, Permutation, Stated
from ..results import TestResult
from ._common import ChiSquare, FisherF, ResolvedTest, columns_at_once, finish, judge, prepare

CITATION = "Hotelling (1931): The generalization of Student's ratio"
CLASSICAL = ("f", "chi2")


@options_by_name
def hotelling_test(
    x: object,
    y: object,
    *,
    null: Null | str = "auto",
    ridge: bool | None = None,
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Hotelling's T² test of a difference between the means: the multivariate t-test.

    H0: p = q. H1: the means of p and q differ. With the pooled within-sample covariance S (N - 2 degrees of freedom)

    .. math:: T^2 = \frac{mn}{N} (\bar x - \bar y)' (S + \rho I)^{-1} (\bar x - \bar y).

    Without ridge (ρ = 0), :math:`\frac{N-d-1}{d(N-2)} T^2` has the F law with d and N - d - 1 degrees of freedom if
    both samples are normal with the same covariance. Where S is singular or d > N - 2, ρ is the smallest ridge with
    which the ratio of the largest to the smallest eigenvalue is at most 2, as in Section 8.1 of the paper:
    :math:`\rho = \lambda_{\max} - 2\lambda_{\min}` of S. T² has no F law then, and the p-value comes from relabelling,
    with a ridge of its own in every relabelling.

    ``ridge=True, null="f"`` takes the classical law all the same. That is what the paper's t-test did, by its numbers:
    a ridge only makes T² smaller, so the test accepts too much, and nearly everything when the eigenvalues are far
    apart. It is here to repeat the paper; to test something use ``null="auto"``.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    null
        'f' (normal data; rejects heavy tails in samples of unequal sizes too often; exact without a ridge, conservative
        with ``ridge=True``, and only for d < N - 1), 'chi2' (the limit of the F law for large samples, d degrees of
        freedom; too small for few rows, and with a ridge it has no limit on the columns), 'permutation' (any data; or
        ``ts.Permutation(n=...)``), or 'auto': 'f' without a ridge and 'permutation' with one.
    ridge
        None: only where it is needed. True: wherever the ratio of eigenvalues exceeds 2 (as in the paper's first
        experiment). False: never; singular covariances are then an error.
    level
        The level of the test.
    rng
        Seed or generator; used only by 'permutation'.

    Returns
    -------
    TestResult
        With T² as its statistic; the notes give the ridge.

    Notes
    -----
    O(N d²) time for d < N and O(N² d) for d ≥ N, where everything happens in the span of the N points: no d × d matrix
    is made. All labellings together cost O(N min(N, d) R). Blind to every difference that leaves the means alone. T²
    does not change under invertible affine maps; with a ridge only under rotations and one common factor, so bring
    columns to comparable units first.

    References
    ----------
    H. Hotelling (1931): The generalization of Student's ratio. Annals of Mathematical Statistics 2, 360-378.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.rivals import hotelling_test
    >>> rng = np.random.default_rng(0)
    >>> hotelling_test(rng.normal(size=(40, 3)), rng.normal(0.5, size=(50, 3))).rejected
    True
    >>> r = hotelling_test(rng.normal(size=(25, 2000)), rng.normal(0.5, size=(25, 2000)), rng=1)
    >>> r.rejected, r.null
    (True, Permutation(n=999))
    """
    task = prepare(x, y, null, ("auto", "f", "chi2", "permutation"), level, rng)
    if ridge is not None:
        ridge = _checked_ridge(ridge)
    z = task.z - task.z.mean(axis=0)
    singular = "the covariance within the samples is singular"
    whitened = _whitened(z) if z.shape[1] <= task.total - 2 else None
    if whitened is not None:
        plain = Plain(whitened, task.m, task.n)
        if plain.shares(observed(task.m, task.n).x)[0] < 1 - 1e-12:
            if not ridge:
                return _plain_result(task, plain)
            singular = "asked for"
    if ridge is False or (task.null in CLASSICAL and not ridge):
        raise OptionError(
            f"With {z.shape[1]} column(s) and {task.total} rows and this covariance T² needs a ridge, and "
            f"{'ridge=False' if ridge is False else 'no F law holds with one'}. Leave ridge=None and null='auto'; or "
            "say ridge=True with a classical null, as the paper did, which accepts too much."
        )
    if task.null == "f" and z.shape[1] > task.total - 2:
        raise OptionError(
            f"null='f' with {z.shape[1]} columns needs more than {z.shape[1] + 1} rows, and there are {task.total}: "
            "the F law has N - d - 1 degrees of freedom. Use null='permutation', or null='chi2'."
        )
    return _ridge_result(task, Ridged(*_scores(z), z.shape[1], task.m, task.n), singular)


@dataclass(frozen=True, eq=False)
class Plain:
    """T² without ridge, from ``(N, d)`` whitened points: the columns are orthonormal and sum to 0."""

    points: Floats
    m: int
    n: int

    def shares(self, labels: Counts) -> Floats:
        """``(R,)`` the share of the scatter in the best direction that lies between the samples: T²/(T²+N-2)."""
        values = np.empty(labels.shape[1])
        width = columns_at_once(len(labels))
        for start in range(0, len(values), width):
            sums = self.points.T @ labels[:, start : start + width].astype(np.float64)
            values[start : start + width] = np.einsum("kr,kr->r", sums, sums)
        return values * ((self.m + self.n) / (self.m * self.n))

    def statistic(self, labels: Counts) -> Floats:
        """``(R,)`` T²."""
        share = self.shares(labels)
        return (self.m + self.n - 2) * share / np.maximum(1 - share, 1e-15)


@dataclass(frozen=True, eq=False)
class Ridged:
    """T² with the ridge of Section 8.1."""

    scores: Floats  # (N, k) the centred points in the directions of the eigenvectors of their scatter matrix
    scatter: Floats  # (k,) its eigenvalues that are not 0, descending
    d: int  # columns and sample sizes
    m: int
    n: int

    def statistic(self, labels: Counts) -> Floats:
        """``(R,)`` T² with every labelling's own ridge."""
        width = columns_at_once(len(labels), 2_000_000)
        blocks = [labels[:, start : start + width] for start in range(0, labels.shape[1], width)]
        return np.concatenate([self._block(block)[0] for block in blocks])

    def ridge(self, labels: Counts) -> float:
        """The ridge of the first labelling."""
        return float(self._block(labels[:, :1])[1][0])

    def _block(self, labels: Counts) -> tuple[Floats, Floats]:
        """T² and ridge. The scatter within is the total scatter minus a matrix of rank one, between the samples."""
        total = self.m + self.n
        sums = self.scores.T @ labels.astype(np.float64)  # (k, R)
        between = sums**2 * (total / (self.m * self.n))
        steps = np.append(self.scatter, 0.0)
        largest = _eigenvalue(self.scatter, between, steps[1], steps[0])
        smallest = np.zeros_like(largest)
        if len(self.scatter) == self.d:
            smallest = _eigenvalue(self.scatter, between, 0.0, steps[-2])
        floor = 1e-12 * steps[0] or 1.0  # samples without any scatter of their own
        ridge = np.maximum(largest - 2 * smallest, floor)
        share = (between / (self.scatter[:, None] + ridge)).sum(axis=0)
        return (total - 2) * share / np.maximum(1 - share, 1e-15), ridge / (total - 2)


@dataclass(frozen=True)
class HotellingF(Distribution):
    """The law of T² for normal samples: a multiple of F with d and N-d-1 degrees of freedom."""

    d: int
    total: int

    @property
    def unit(self) -> float:
        """T² over F."""
        return self.d * (self.total - 2) / (self.total - self.d - 1)

    def sf(self, t: float) -> float:
        from scipy.special import fdtrc

        return float(fdtrc(self.d, self.total - self.d - 1, t / self.unit))

    def isf(self, level: float) -> float:
        from scipy.special import fdtri

        return float(fdtri(self.d, self.total - self.d - 1, 1 - level) * self.unit)

    def pdf(self, t: Floats) -> Floats:
        from scipy.stats import f

        return np.asarray(f.pdf(t / self.unit, self.d, self.total - self.d - 1) / self.unit, dtype=np.float64)


def _classical(task: ResolvedTest) -> Stated:
    """The law of T² without a ridge."""
    d = task.z.shape[1]
    if task.null == "chi2":
        return ChiSquare(ContinuousLaw(GammaLaw(d, sqrt(2 * d)), task.least))  # chi-square with d degrees of freedom
    return FisherF(ContinuousLaw(HotellingF(d, task.total), task.least))


def _checked_ridge(ridge: object) -> bool:
    if not isinstance(ridge, bool | np.bool_):
        raise OptionError(f"ridge={ridge!r} must be None (where it is needed), True (always) or False (never).")
    return bool(ridge)


def _plain_result(task: ResolvedTest, plain: Plain) -> TestResult:
    chosen, law, value = judge(task, plain.statistic, lambda: _classical(task), noise=1e-13 * task.total)
    return finish(task, chosen, law, test="Hotelling T² test", citation=CITATION, symbol="T²", value=value)


def _ridge_result(task: ResolvedTest, ridged: Ridged, why: str) -> TestResult:
    task = replace(task, null=Permutation()) if task.null == "auto" else task
    null, law, value = judge(task, ridged.statistic, lambda: _classical(task), noise=1e-13 * task.total)
    trace = float(ridged.scatter.sum()) / (task.total - 2)
    relative = ridged.ridge(observed(task.m, task.n).x) / trace if trace else 0.0
    notes = [f"Ridge ({why}): {relative:.4g} of the trace of the pooled covariance; eigenvalue ratio at most 2."]
    if not null.relabels:
        notes.append("The law is that of T² without a ridge, as in the paper: the test accepts too much.")
    name = "Hotelling T² test with ridge"
    return finish(task, null, law, test=name, citation=CITATION, symbol="T²", value=value, notes=tuple(notes))


def _whitened(z: Floats) -> Floats | None:
    """``(N, d)`` points with the identity as their scatter matrix, or None when their scatter is singular."""
    spread = np.sqrt(np.einsum("ij,ij->j", z, z))
    if not spread.all():
        return None
    R = np.linalg.qr(z / spread, mode="r")
    _, values, directions = np.linalg.svd(R)
    if values[-1] <= 1e-10 * values[0]:
        return None
    whitened: Floats = (z / spread) @ (directions.T / values)
    return whitened


def _scores(z: Floats) -> tuple[Floats, Floats]:
    """Coordinates along the eigenvectors of the scatter matrix, and its eigenvalues, from the smaller Gram matrix."""
    total, d = z.shape
    values, vectors = np.linalg.eigh(z @ z.T if total <= d else z.T @ z)
    keep = np.flatnonzero(values > 1e-12 * max(values[-1], 1e-300))[::-1]
    if keep.size == 0:
        return np.zeros((total, 1)), np.zeros(1)
    values, vectors = values[keep], vectors[:, keep]
    return (vectors * np.sqrt(values) if total <= d else z @ vectors), values


def _eigenvalue(scatter: Floats, between: Floats, low: float, high: float) -> Floats:
    """``(R,)`` the eigenvalue in [low, high] of diag(scatter) - b b', with squares b² in the columns of `between`.

    The root of the secular equation 1 = Σ b_i² / (scatter_i - λ), whose right side rises from -∞ to ∞ between two
    neighbouring eigenvalues of the total scatter; by bisection, for all labellings together.
    """
    left, right = np.full(between.shape[1], low), np.full(between.shape[1], high)
    for _ in range(60):
        middle = (left + right) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            rising = (between / (scatter[:, None] - middle)).sum(axis=0) < 1
        left, right = np.where(rising, middle, left), np.where(rising, right, middle)
    root: Floats = (left + right) / 2
    return root
