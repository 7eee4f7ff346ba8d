"""Table 3: attributes and tables matched by the Hungarian method."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import twosample as ts
from experiments import data, page
from experiments.matching import QUICK, SETS, Attributes, generator
from experiments.runner import Options, repeat

PAPER = {"BIO": 90.0, "CNUM": 99.8, "FOREST": 100.0, "FOREST10D": 100.0, "ENZYMES": 100.0, "PROTEINS": 100.0}
HEADS = ["the paper's way, % right", "`ts.match`, % right", "largest z, % right"]
GRAPHS = {"ENZYMES": 50, "PROTEINS": 200}


def work(settings: dict[str, Any], number: int) -> dict[str, list[int]]:
    """One repetition: how many found their partner, and of how many; attributes also by ts.match."""
    name = settings["name"]
    rng = np.random.default_rng(generator(settings["seed"], 33, name, number))
    if name in GRAPHS:
        A, B = _graph_halves(name, rng)
        return {"paper": _matched(A, B, _graph_kernel(name))}
    chosen = Attributes(377, data.bio, sorted(rng.choice(74, 6, replace=False))) if name == "BIO random" else None
    A, B = (chosen or (QUICK if settings["quick"] else SETS)[name]).halves(rng)
    return {"paper": _matched(A, B, None), "match": _by_match(A, B), "z": _by_largest_z(A, B)}


def _matched(A: list[np.ndarray], B: list[np.ndarray], kernel: ts.Kernel | None) -> list[int]:
    """By least sum of C_ij, the squared MMD of attribute i of A and j of B with the kernel of attribute i."""
    costs = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        rows = a.reshape(len(a), -1)
        width = ts.Median().bandwidths(rows, "euclidean", np.random.default_rng(0))[0]
        own = kernel or ts.Gaussian(float(width))
        costs[i] = [ts.mmd(a, b, kernel=own, statistic="unbiased") for b in B]
    return _right(costs)


def _right(costs: np.ndarray) -> list[int]:
    """How many are right in the assignment of least cost, and of how many."""
    return [int((linear_sum_assignment(costs)[1] == np.arange(len(costs))).sum()), len(costs)]


def _by_largest_z(A: list[np.ndarray], B: list[np.ndarray]) -> list[int]:
    """By least sum of log(1 + z), z the largest standardised MMD²_u over a grid of bandwidths of the pair.

    By the logarithm one pair that cannot be does not count for more than several that hardly can.
    """
    return _right(np.log1p(np.maximum([[largest_z(a, b) for b in B] for a in A], 0.0)))


def largest_z(x: np.ndarray, y: np.ndarray) -> float:
    """The maximum over s of MMD²_u with the kernel Gaussian(s), divided by its standard deviation under H0.

    The bandwidths s are quantiles, at the levels of ``ts.QuantileGrid()``, of the distances other than 0 between at
    most 400 points of the pooled pair. The variance is 2 (1/m + 1/n)² E k~², with k~ the centred kernel. Equal values
    are counted, not repeated.
    """
    m, n = len(x), len(y)
    pool = np.concatenate([x, y]).reshape(m + n, -1)
    points, place = np.unique(pool, axis=0, return_inverse=True)
    in_x, in_y = (np.bincount(part, minlength=len(points)).astype(np.float64) for part in np.split(place.ravel(), [m]))
    square = cdist(points, points, "sqeuclidean")
    if len(points) == 1:
        return 0.0
    some = place.ravel()[np.random.default_rng(0).permutation(m + n)[:400]]
    between = square[np.ix_(some, some)][np.triu_indices(len(some), 1)]
    nonzero = between[between > 0] if between.any() else square[square > 0]
    grid = ts.QuantileGrid()
    widths = np.quantile(nonzero, np.linspace(grid.low, grid.high, grid.count))
    return max(_z(np.exp(square / (-2 * width)), in_x, in_y, m, n) for width in widths)


def _z(K: np.ndarray, in_x: np.ndarray, in_y: np.ndarray, m: int, n: int) -> float:
    total, count = m + n, in_x + in_y
    of_x, of_y = K @ in_x, K @ in_y
    value = (in_x @ of_x - m) / (m * (m - 1)) + (in_y @ of_y - n) / (n * (n - 1)) - 2 * (in_x @ of_y) / (m * n)
    rows = (of_x + of_y) / total
    mean = count @ rows / total
    off = 1 - 2 * rows + mean  # the diagonal of the centred kernel
    squares = count @ (np.square(K, out=K) @ count) - 2 * total * (count @ rows**2) + (total * mean) ** 2
    second = (squares - count @ off**2) / (total * (total - 1))
    return float(value / ((1 / m + 1 / n) * np.sqrt(2 * max(second, 1e-300))))


def _by_match(A: list[np.ndarray], B: list[np.ndarray]) -> list[int]:
    """By ts.match, or ts.match_tables for tables, when everything has a partner."""
    if A[0].ndim > 1:
        found = ts.match_tables(A, B, level=None)
        right = sum(pair.source == pair.target for pair in found.pairs)
    else:
        names = [f"{i:02d}" for i in range(len(A))]
        found = ts.match(dict(zip(names, A, strict=True)), dict(zip(names, B, strict=True)), level=None)
        right = sum(pair.source == pair.target for pair in found.pairs)
    return [right, len(A)]


@cache
def _graph_data(name: str) -> ts.graphs.GraphDataset:
    return ts.graphs.read_tu(data.graphs(name))


@cache
def _graph_kernel(name: str) -> ts.Kernel:
    return ts.Precomputed.of(ts.graphs.RandomWalk(steps=7), list(_graph_data(name).graphs))


def _graph_halves(name: str, rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray]]:
    classes = _graph_data(name).classes
    mixed = [rng.permutation(np.flatnonzero(classes == value)) for value in np.unique(classes)]
    size = GRAPHS[name]
    return [rows[:size] for rows in mixed], [rows[size : 2 * size] for rows in mixed]


def run(options: Options) -> None:
    """The table."""
    rows, cost_of_all = [], 0.0
    names = list(QUICK) if options.quick else [*SETS, "BIO random", *GRAPHS]
    for name in names:
        repetitions = options.count(50 if name in GRAPHS else 100, 2)
        jobs = replace(options, jobs=1) if name in GRAPHS else options  # one Gram matrix for all repetitions
        done = repeat("table3-three-ways", work, {"name": name, "quick": options.quick}, range(repetitions), jobs)
        cost_of_all += done.seconds
        shares = {}
        for way in done.outcomes[0]:
            matched, trials = np.sum([outcome[way] for outcome in done.outcomes], axis=0)
            low, high = page.binomial_interval(100 * matched / trials, int(trials))
            shares[way] = f"{100 * matched / trials:.1f} ({low:.1f} to {high:.1f})"
        paper = f"{PAPER[name]:.1f}" if name in PAPER else "–"
        size = str(trials // repetitions)
        rows.append([name, size, str(repetitions), *(shares.get(way, "–") for way in ("paper", "match", "z")), paper])
    head = ["data", "attributes or tables", "repetitions", *HEADS, "paper"]
    page.write(options.out, "table3", "Table 3: attributes matched by the Hungarian method", [
        page.table(head, rows),
        "In parentheses the binomial 95 % interval. Beyond it our numbers differ from the paper's on BIO, where the "
        "attributes are others and easier, and on CNUM by the paper's way, of which more below.",
        COMMENT,
        f"Seed {options.seed}; {cost_of_all / 60:.1f} minutes of processor time.",
    ])  # fmt: skip


COMMENT = """Each repetition draws two disjoint samples A and B and assigns attributes of B to those of A so that the
sum of C_ij is least.

- The paper's way: C_ij is the squared MMD (unbiased) with the kernel of attribute i, a Gaussian with the median
  bandwidth of attribute i (of the distances that are not 0, if the median is 0). Graphs: the random-walk kernel on
  labels and attributes after Borgwardt et al. (2005), walks of up to seven edges.
- `ts.match`: as it is, without a level; its kernel is a mean of Gaussians at several scales of both columns.
- Largest z: C_ij = log(1 + z), where z is the largest of MMD²_u over its standard deviation under H0, over five
  bandwidths of the pooled pair (quantiles 0.05 to 0.95 of the distances that are not 0). Standardised values speak on
  one scale for narrow and wide kernels. Chosen on 1500 other draws of CNUM.

CNUM: nearly all errors are among four of its thirteen attributes (wage per hour, capital gains and losses,
dividends), which are 0 in more than 90 % of the rows, so that 386 rows hold a few dozen numbers of each. What was
tried on other draws (1500 of these four, 200 of all): the median bandwidth of attribute i 97.6 %, half the median of
its squares over 100 points as in code that the paper's authors have published 97.9 %, the median of the pair 97.6 %
(divided by its standard deviation 97.5 %), a mean of five Gaussians of the pair 99.6 %, the largest z 99.90 %, its
logarithm 99.93 % (exact quantiles; from 400 points, as here, 99.85 and 99.95 % of 300 draws).

The paper does not say which cost it took ("via MMD²_u B"), nor which bandwidth. Readings of it, % right on CNUM over
160 other draws of all thirteen attributes:

| bandwidth | MMD²_u | MMD²_b | MMD_u | MMD_b | MMD²_u / deviation |
|---|---|---|---|---|---|
| median of attribute i (the first way above) | 97.7 | 97.6 | 97.8 | 97.8 | 98.4 |
| half the median square, 100 rows of attribute i | 97.7 | 97.8 | 97.7 | 97.8 | 98.2 |
| half the median square, all rows of attribute i | 98.2 | 98.2 | 98.3 | 98.3 | 98.4 |
| median of the pair | 97.7 | 97.3 | 96.8 | 98.0 | 97.8 |
| half the median square of the pair | 97.9 | 97.7 | 97.6 | 98.3 | 98.2 |
| half the median square, 100 points of the pair | 97.1 | 95.2 | 96.5 | 95.7 | 97.7 |
| one for the table, median | 97.4 | 97.4 | 96.5 | 97.5 | 97.2 |
| one for the table, half the median square | 97.8 | 97.8 | 96.9 | 98.0 | 97.9 |

The 95.5 % of the page is a bad draw: over 360 others (these, and seeds 1 and 2) the same way has 97.7 %.

On BIO, FOREST and FOREST10D all of these are right everywhere (40, 20 and 10 other draws). With the decision of the
test as cost, 0 or 1, 86 to 90 % of CNUM are right if ties are broken at random, and 98 to 99.5 % if they are broken in
favour of the right answer, as a solver may that starts from attributes in the same order (thresholds at 1.8 deviations;
60 draws). A quarter or half of the bandwidth of the pair is better than all of it, 99.4 and 99.2 %. No reading with
one bandwidth gets to 99.8 %: that needs several, as in the last two ways, or a rule that is not in the paper.

ENZYMES: over 1000 other draws 99.88 % are right with walks of up to seven edges, 99.85 % with five, 99.70 % with
three, 99.1 % with one, 97.9 % by single nodes, and 85 % by labels without attributes: 50 repetitions without an error
are what to expect, but no certainty.

BIO: the paper's six attributes are not known; f01 to f06 here, and "BIO random" draws six of the 74 anew in every
repetition."""
