"""Kernels on strings: ``ts.mmd_test(strings_a, strings_b, kernel=ts.strings.Spectrum(3))``.

A letter is a Unicode code point. `Spectrum` and `Gappy` have explicit sparse features and take strings by the hundred
thousand; `Subsequence` fills a matrix of all pairs, by dynamic programming on many pairs at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from ..core.types import Floats
from ..errors import OptionError, real_number, whole_number
from ..kernels import ExplicitFeatures, Kernel, ObjectKernel, Tabulated
from ._texts import CodePoints, Codes, Form, check_form, pattern_counts, unit_rows
from .levels import unit_diagonal

_MOST_PATTERNS = 1000
_CELLS = 1 << 18


@dataclass(frozen=True)
class Spectrum(ObjectKernel):
    r"""Strings by their counts of k-mers: the substrings of k letters that they share.

    .. math:: k(s,t) = \sum_u c_u(s)\,c_u(t), \qquad c_u(s) = \text{occurrences of } u \text{ in } s,

    divided by :math:`\sqrt{k(s,s)\,k(t,t)}` if normalised. Positive definite: an inner product of counts.

    Parameters
    ----------
    k
        Letters of a k-mer.
    normalised
        Divide by the lengths of the count vectors, so that long strings weigh no more than short ones.
    form
        A Unicode normal form ('NFC', 'NFD', 'NFKC', 'NFKD') to bring the strings to first, so that an é of two code
        points is the é of one; None takes them as they are.

    Notes
    -----
    O(total length) time and memory, and tests run on the sparse counts: 100,000 strings of 30 letters take about a
    second beside the labellings. A string of fewer than k letters, the empty one too, has no k-mer: its kernel value
    is 0 with everything, itself included, so such strings differ from all others and not from each other. It sees the
    mean counts only: two samples with the same expected k-mer counts look the same to it.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.strings.Spectrum(2, normalised=False).block(["abab"], ["ab", "ba", "a"])
    array([[2., 1., 0.]])
    >>> x, y = ["gattaca", "gattata"] * 10, ["tacgat", "tagcat"] * 10
    >>> ts.mmd_test(x, y, kernel=ts.strings.Spectrum(3), rng=0).rejected
    True
    """

    k: int = 3
    normalised: bool = True
    form: Form | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number("k", self.k))
        check_form(self.form)

    @property
    def bounds(self) -> tuple[float, float] | None:
        return (0.0, 1.0) if self.normalised else None

    def on(self, objects: Sequence[Any]) -> Kernel:
        counts = pattern_counts(CodePoints.of(objects, self.form), self.k, 0, 1.0)
        return ExplicitFeatures(self, unit_rows(counts) if self.normalised else counts)


@dataclass(frozen=True)
class Gappy(ObjectKernel):
    r"""Strings by their counts of k letters in order with at most `gaps` letters left out between them.

    An occurrence of a pattern counts :math:`\lambda^{g}` if g letters are left out. This is :class:`Subsequence` cut
    off at a span of k + gaps letters (times a constant), with explicit features; `gaps` = 0 is :class:`Spectrum`.
    For strings with insertions, deletions and single changes.

    Parameters
    ----------
    k
        Letters of a pattern.
    gaps
        How many letters may be left out.
    decay
        The weight lambda of each letter left out, in (0, 1].
    normalised
        Divide by the lengths of the count vectors.
    form
        A Unicode normal form to bring the strings to first, as for :class:`Spectrum`.

    Notes
    -----
    O(total length × C(k + gaps - 1, k - 1)) time and memory. Strings of fewer than k letters have the value 0 with
    everything.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.strings.Gappy(2, gaps=1, normalised=False).block(["axb"], ["ab", "acb"])
    array([[0.5 , 0.25]])
    """

    k: int = 3
    gaps: int = 1
    decay: float = 0.5
    normalised: bool = True
    form: Form | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number("k", self.k))
        object.__setattr__(self, "gaps", whole_number("gaps", self.gaps, least=0))
        _check_decay(self.decay)
        check_form(self.form)
        if comb(self.k + self.gaps - 1, self.k - 1) > _MOST_PATTERNS:
            raise OptionError(f"k={self.k} with gaps={self.gaps} has too many patterns; use ts.strings.Subsequence.")

    @property
    def bounds(self) -> tuple[float, float] | None:
        return (0.0, 1.0) if self.normalised else None

    def on(self, objects: Sequence[Any]) -> Kernel:
        counts = pattern_counts(CodePoints.of(objects, self.form), self.k, self.gaps, self.decay)
        return ExplicitFeatures(self, unit_rows(counts) if self.normalised else counts)


@dataclass(frozen=True)
class Subsequence(ObjectKernel):
    r"""The string subsequence kernel of Lodhi et al. (2002): all common subsequences, the compact ones weighing most.

    .. math:: k(s,t) = \sum_u \sum_{i: s_i=u} \sum_{j: t_j=u} \lambda^{l(i)+l(j)}

    over all strings u of `length` letters and all increasing index tuples i, j, where l is the span from the first to
    the last index. Divided by :math:`\sqrt{k(s,s)\,k(t,t)}` if normalised.

    Parameters
    ----------
    length
        Letters of a subsequence.
    decay
        lambda, in (0, 1]: near 0 only contiguous substrings count, at 1 any gap goes.
    normalised
        Divide by the norms.
    form
        A Unicode normal form to bring the strings to first, as for :class:`Spectrum`.

    Notes
    -----
    ``O(length × |s| × |t|)`` for each pair, so about 5 s for 1000 strings of 30 letters: not for many or long strings,
    where :class:`Gappy` is close to it. Strings of fewer than `length` letters have the value 0 with everything.

    Examples
    --------
    >>> import twosample as ts
    >>> k = ts.strings.Subsequence(2, decay=0.5, normalised=False)
    >>> k.block(["cat"], ["car", "cat"])  # 0.5**4, and 2 * 0.5**4 + 0.5**6
    array([[0.0625  , 0.140625]])
    """

    length: int = 3
    decay: float = 0.5
    normalised: bool = True
    form: Form | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", whole_number("length", self.length))
        _check_decay(self.decay)
        check_form(self.form)

    @property
    def bounds(self) -> tuple[float, float] | None:
        return (0.0, 1.0) if self.normalised else None

    def on(self, objects: Sequence[Any]) -> Kernel:
        K = common_subsequences(CodePoints.of(objects, self.form).split(), self.length, self.decay)
        if self.normalised:
            return Tabulated(self, unit_diagonal(K))
        return Tabulated(self, self.decay ** (2 * self.length) * K)


def _check_decay(decay: float) -> None:
    if not 0 < real_number("decay", decay) <= 1:
        raise OptionError(f"decay={decay!r} must be above 0 and at most 1.")


__all__ = ["Gappy", "Spectrum", "Subsequence"]


def common_subsequences(strings: Sequence[Codes], length: int, decay: float) -> Floats:
    """``(N, N)`` sums over common subsequences of decay^(letters left out in either string)."""
    order = np.argsort([len(string) for string in strings], kind="stable")
    K = np.zeros((len(strings), len(strings)))
    for place, i in enumerate(order):
        s = strings[i]
        if len(s) < length:
            continue
        for batch in _batches(order[: place + 1], strings, len(s), length):
            values = _against_many(s, [strings[j] for j in batch], length, decay)
            K[i, batch] = values
            K[batch, i] = values
    return K


def _batches(order: Codes, strings: Sequence[Codes], rows: int, length: int) -> Iterator[Codes]:
    """Runs of strings of about the same length, so many that their cells stay in the cache."""
    start = next((p for p, j in enumerate(order) if len(strings[j]) >= length), len(order))
    while start < len(order):
        count = max(1, _CELLS // (rows * len(strings[order[min(start + 64, len(order) - 1)]])))
        yield order[start : start + count]
        start += count


def _against_many(s: Codes, others: Sequence[Codes], length: int, decay: float) -> Floats:
    """One string against many.

    S[a, b] sums over the pairs of equal subsequences that end at s_a and t_b. A longer one ends there if the letters
    agree and a shorter one ends before in both, each letter left out costing a factor: two running sums.
    """
    width = max(len(t) for t in others)
    t = np.full((width, len(others)), -1, dtype=np.int64)
    for column, other in enumerate(others):
        t[: len(other), column] = other
    equal = s[:, None, None] == t  # (|s|, |t|, pairs)
    S = equal.astype(np.float64)
    for _ in range(length - 1):
        _earlier(S, decay)
        _earlier(S.swapaxes(0, 1), decay)
        S *= equal
    return np.asarray(S.sum(axis=(0, 1)))


def _earlier(S: Floats, decay: float) -> None:
    """In place along the first axis: the sum over all earlier entries, decay^(entries between)."""
    running = np.zeros_like(S[0])
    for row in S:
        following = decay * running
        following += row
        row[...] = running
        running = following
