r"""Finer looks at pairs of columns: how their values occur together with those of columns that were surely paired.

With G of :mod:`twosample.matching.counts`, which is about its degrees of freedom where columns are paired right and
nothing has drifted:

- *Near ties.* Columns whose distributions and rank correlations are alike (mother's and father's country of birth) are
  told apart by G of the columns themselves (two of them together) and of every sure column given either of them.
  Partners are exchanged where that costs little evidence and G, less its degrees of freedom, falls by more than a
  bound; in units of G / degrees of freedom where that is larger than 1, since drift alone makes G large.
- *Strangers.* Columns without a partner find look-alikes. Where nothing has drifted, as most sure pairs show, a pair
  which goes otherwise with most sure columns is none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.types import Floats
from .counts import NUMBERS, WORDS, Coded, JointCounts, Misfit, misfit
from .evidence import ALIKE, ColumnPairs, best_pairs

_SURE, _MOST = 0.8, 20  # least evidence of sure pairs, and the most of them
_NEAR, _CLEAR, _ROUNDS, _LOOKS = 3.0, 10.0, 3, 100
"""Evidence that an exchange may cost, by how much G must fall, how often in turn; how many are looked at each time."""
_NAMES = 20.0  # what an exchange costs for each pair with names that are alike
_DOUBTFUL, _STRANGE, _STILL = 6.0, 4.0, 1.0
"""Evidence below which pairs may be strangers; standard deviations of G beyond which they are, and below which usual
pairs are where nothing has drifted."""
_MOST_OF, _FEWEST = 0.6, 4  # share of the sure columns with which it must be as large, and the fewest of them

Pairs = list[tuple[int, int]]


class Exchange(NamedTuple):
    """Two pairs that may trade partners, or a pair one of whose columns may give way to one that is alone."""

    gap: float  # evidence that it costs
    lefts: tuple[int, ...]
    rights: tuple[int, ...]

    @property
    def before(self) -> Pairs:
        """The pairs as they are, by places in `lefts` and `rights`."""
        return [(0, 0), (1, 1)] if self.trade else [(0, 0)]

    @property
    def after(self) -> Pairs:
        """The pairs as they would be."""
        return [(0, 1), (1, 0)] if self.trade else [(len(self.lefts) - 1, len(self.rights) - 1)]

    @property
    def trade(self) -> bool:
        """Whether two pairs trade partners."""
        return len(self.lefts) == len(self.rights)

    def made(self, block: Floats) -> Floats:
        """The evidence of its columns after the exchange; of a trade that of both ways, whichever table comes first."""
        return (block[::-1] + block[:, ::-1]) / 2 if self.trade else block[::-1, ::-1]


def settled(pair: ColumnPairs, evidence: Floats) -> Floats:
    """The evidence where near ties are decided by joint counts, and pairs of strangers have lost theirs.

    Where names count, no exchange is made against those that are alike.
    """
    tables = JointCounts(pair.left, pair.right)
    said = np.zeros(evidence.shape) if pair.names is None else np.where(pair.names > ALIKE, _NAMES, 0.0)
    return _without_strangers(_exchanged(evidence, said, tables), tables)


def _exchanged(evidence: Floats, said: Floats, tables: JointCounts) -> Floats:
    for _ in range(_ROUNDS):
        pairs = best_pairs(evidence)
        sure = _sure(evidence, pairs, tables)
        gains = [(_gain(tie, sure, tables), tie) for tie in near_ties(evidence + said, pairs)]
        changed, touched = evidence.copy(), np.zeros(evidence.shape, dtype=bool)
        for gain, tie in sorted(gains, key=lambda one: (-one[0], one[1])):
            if gain > _CLEAR and not (touched[list(tie.lefts)].any() or touched[:, list(tie.rights)].any()):
                at = np.ix_(tie.lefts, tie.rights)
                changed[at], touched[at] = tie.made(evidence[at]), True
        if not touched.any():
            break
        evidence = changed
    return evidence


def near_ties(evidence: Floats, pairs: Pairs) -> list[Exchange]:
    """Exchanges that cost little evidence, the nearest first."""
    if not pairs:
        return []
    i, j = np.array(pairs).T
    own, cross = evidence[i, j], evidence[np.ix_(i, j)]
    trades = own[:, None] + own - cross - cross.T  # infinite where columns cannot be compared
    found = [Exchange(float(trades[p, q]), (i[p], i[q]), (j[p], j[q])) for p, q in _places(np.tril(trades < _NEAR, -1))]
    alone = [np.setdiff1d(np.arange(size), used) for size, used in zip(evidence.shape, (i, j), strict=True)]
    gap = own - evidence[np.ix_(alone[0], j)]
    found += [Exchange(float(gap[q, p]), (i[p], alone[0][q]), (j[p],)) for q, p in _places(gap < _NEAR)]
    gap = own[:, None] - evidence[np.ix_(i, alone[1])]
    found += [Exchange(float(gap[p, q]), (i[p],), (j[p], alone[1][q])) for p, q in _places(gap < _NEAR)]
    return sorted(found)[:_LOOKS]


def _places(chosen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Pairs:
    return [(int(p), int(q)) for p, q in zip(*np.nonzero(chosen), strict=True)]


def _sure(evidence: Floats, pairs: Pairs, tables: JointCounts) -> Pairs:
    """The sure pairs whose values can be counted, the surest first."""
    sure = [pair for pair in pairs if evidence[pair] > _SURE and tables.known_by_level(pair)]
    return sorted(sure, key=lambda pair: -evidence[pair])


def _gain(tie: Exchange, sure: Pairs, tables: JointCounts) -> float:
    """By how much G less its degrees of freedom falls by an exchange, in units of what it is for the better way."""
    others = [(i, j) for i, j in sure if i not in tie.lefts and j not in tie.rights][:_MOST]
    if not others:
        return 0.0
    ours, beside = tables.coded(tie.lefts, tie.rights, NUMBERS, WORDS), tables.beside(others)
    before, after = (_fit(pairs, ours, beside) for pairs in (tie.before, tie.after))
    gain = (before.G - before.freedom) - (after.G - after.freedom)
    better = after if gain > 0 else before
    return float(gain / np.maximum(better.G / np.maximum(better.freedom, 1.0), 1.0))


def _fit(pairs: Pairs, ours: Coded, beside: Coded) -> Misfit:
    """Of all columns of some pairs together, and of those beside them given each."""
    G = freedom = np.zeros(())
    for i, j in pairs:
        part = misfit(*ours.counts(beside, i, j))
        G, freedom = G + part.G.sum(), freedom + part.freedom.sum()
    together = misfit(*ours.together([i for i, _ in pairs], [j for _, j in pairs]))
    return Misfit(G + together.G, freedom + together.freedom)


def _without_strangers(evidence: Floats, tables: JointCounts) -> Floats:
    for _ in range(_ROUNDS):
        pairs = best_pairs(evidence)
        sure = _sure(evidence, pairs, tables)[:_MOST]
        if len(sure) < _FEWEST:
            break
        doubtful = [pair for pair in pairs if evidence[pair] < _DOUBTFUL and tables.known_by_level(pair)]
        rest = sorted((evidence[pair], pair) for pair in doubtful if pair not in sure)[:_LOOKS]
        strange = strangers(sure, [pair for _, pair in rest], tables)
        found = {pair: much for pair, much in strange.items() if pair in doubtful}
        if not found:
            break
        evidence = evidence.copy()
        for pair, much in found.items():
            evidence[pair] -= much
    return evidence


def strangers(sure: Pairs, others: Pairs, tables: JointCounts) -> dict[tuple[int, int], float]:
    """Pairs that go otherwise with most sure columns, and by how much; nothing if the tables have drifted.

    The worst go first, and are not among the sure ones any more.
    """
    pairs, beside = [*sure, *others], tables.beside(sure)
    unlike = np.array([_unlike(pair, tables, beside) for pair in pairs])
    np.fill_diagonal(unlike, np.nan)  # no column is judged by itself
    found: dict[tuple[int, int], float] = {}
    if np.median(_usual(unlike[: len(sure)])) > _STILL:
        return found
    live = np.arange(len(pairs))
    while np.count_nonzero(live < len(sure)) >= _FEWEST:
        usual = _usual(unlike[np.ix_(live, live[live < len(sure)])])
        worst = int(usual.argmax())
        if usual[worst] <= _STRANGE:
            break
        found[pairs[live[worst]]] = float(usual[worst])
        live = np.delete(live, worst)
    return found


def _unlike(pair: tuple[int, int], tables: JointCounts, beside: Coded) -> Floats:
    """``(sure,)`` by how many standard deviations G of each sure column given one of the pair is too large."""
    part = misfit(*tables.coded([pair[0]], [pair[1]], NUMBERS, WORDS).counts(beside, 0, 0))
    return np.asarray((part.G - part.freedom) / np.sqrt(2 * np.maximum(part.freedom, 1.0)))


def _usual(unlike: Floats) -> Floats:
    return np.asarray(np.nanquantile(unlike, _MOST_OF, axis=1))
