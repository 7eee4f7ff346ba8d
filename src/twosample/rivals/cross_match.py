"""Rosenbaum's cross-match test."""

from __future__ import annotations

from math import lgamma, log, sqrt

import numpy as np

from .. import _door as door
from ..core.labellings import observed
from ..core.types import Floats
from ..errors import options_by_name
from ..results import TestResult
from ._common import DiscreteLaw, Exact, finish, prepare
from ._matching import nearest_pairs

CITATION = (
    "Rosenbaum (2005): An exact distribution-free test comparing two multivariate distributions based on adjacency"
)


@options_by_name
def cross_match_test(
    x: object,
    y: object,
    *,
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Pair all points so that pairs are close; few pairs of one x and one y are evidence (Rosenbaum 2005).

    H0: p = q. H1: p ≠ q. The pooled points are paired so that the total Euclidean distance within pairs is smallest,
    without a look at the labels. Of the I = N/2 pairs, C hold one x and one y. Under H0, whatever p = q is,

    .. math:: P(C = c) = \frac{2^c\, I!}{\binom{N}{m}\, \big(\frac{m-c}{2}\big)!\, \big(\frac{n-c}{2}\big)!\, c!},

    with mean mn/(N-1) and variance :math:`2m(m-1)n(n-1) / ((N-3)(N-1)^2)`. Small C is evidence, so the statistic is the
    standardised shortfall :math:`W = (E[C] - C)/\mathrm{sd}(C)`, and the p-value is the exact :math:`P(C \le c)`. The
    notes give C. If N is odd, one point is left out as Rosenbaum does it: a pseudo-point at distance 0 from all joins
    the matching, and its partner is dropped; m or n is then one less.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    level
        The level of the test.
    rng
        Seed or generator, for choosing among equally good pairings.

    Returns
    -------
    TestResult
        With W as its statistic; it rejects for large W.

    Raises
    ------
    MissingExtraError
        Without rustworkx: ``pip install "twosample[matching]"``.

    Notes
    -----
    The null law is exact at every sample size and for every pairing that does not look at the labels. The pairing is
    optimal: up to 150 different points by one call of rustworkx on the complete graph, beyond that on a sparse one
    outside which linear programming bounds prove that no better pair exists (distances rounded to 12 digits). If the
    proof fails, up to 1500 points the complete graph is solved after all, and beyond that the best pairing found is
    used and a note says how far it may be from the optimum. A thousand points take seconds, the time grows like N³,
    memory is O(N²); one column is a sort. C has few values, so the level is attained only roughly in small samples, and
    the power is below that of tests that use more than one neighbour per point.

    References
    ----------
    P. R. Rosenbaum (2005): An exact distribution-free test comparing two multivariate distributions based on adjacency.
    Journal of the Royal Statistical Society B 67, 515-530.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.rivals import cross_match_test
    >>> rng = np.random.default_rng(0)
    >>> r = cross_match_test(rng.normal(size=(30, 2)), rng.normal(2.0, size=(30, 2)), rng=1)
    >>> r.rejected
    True
    """
    task = prepare(x, y, "exact", ("exact",), level, rng)
    pairing = nearest_pairs(task.z, task.rng)
    ends = observed(task.m, task.n).x[:, 0][pairing.pairs]  # (I, 2), 1 for x
    crossed = int(np.count_nonzero(ends[:, 0] != ends[:, 1]))
    m, n = int(ends.sum()), int((1 - ends).sum())
    mean, deviation = cross_match_moments(m, n)
    counts, chances = cross_match_law(m, n)
    shortfalls = (mean - counts) / deviation if deviation else np.zeros(len(counts))
    law = DiscreteLaw(shortfalls[::-1], np.clip(np.cumsum(chances), 1e-300, 1.0)[::-1])
    value = float((mean - crossed) / deviation) if deviation else 0.0
    notes = [f"{crossed} cross-matches in {len(ends)} pairs; {mean:.6g} are expected under H0."]
    if task.total % 2:
        notes.append(f"N = {task.total} is odd: one point of {'x' if m < task.m else 'y'} was left out.")
    if pairing.gap:
        notes.append(f"The total distance within pairs is at most a share of {pairing.gap:.2g} above the smallest one.")
    return finish(
        task, Exact(law), law, test="Cross-match test", citation=CITATION, symbol="W", value=value, notes=tuple(notes)
    )


def cross_match_moments(m: int, n: int) -> tuple[float, float]:
    """Mean and standard deviation of the number of cross-matches; m + n is even."""
    total = m + n
    variance = 2 * m * (m - 1) * n * (n - 1) / ((total - 3) * (total - 1) ** 2) if total > 3 else 0.0
    return m * n / (total - 1), sqrt(variance)


def cross_match_law(m: int, n: int) -> tuple[Floats, Floats]:
    """The possible numbers of cross-matches, ascending, and their probabilities under H0; m + n is even."""
    counts = np.arange(m % 2, min(m, n) + 1, 2)
    ways = lgamma(m + n + 1) - lgamma(m + 1) - lgamma(n + 1) - lgamma((m + n) // 2 + 1)
    logs = [
        c * log(2) - ways - lgamma((m - c) // 2 + 1) - lgamma((n - c) // 2 + 1) - lgamma(c + 1) for c in counts.tolist()
    ]
    return counts.astype(np.float64), np.exp(logs)
