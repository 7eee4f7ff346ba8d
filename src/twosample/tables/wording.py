"""How texts are worded, in ten numbers: how long they are, and how usual and how varied their letters and words are.

Two writers, or two language models, with the same vocabulary differ in these before they differ in any one word: who
writes more freely has rarer words and pairs of words, shares fewer of them with other texts on the same subject, and
repeats itself less. Everything is counted in the pooled texts, never by the table that a text is from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..structured._texts import CodePoints, mixed

_LETTERS = 20_000_000  # of all texts together that are looked at; of long texts their beginning
_FEWEST = 400  # of each text, at least

Index = NDArray[np.intp]

_TOKENS = "threes of letters", "words", "pairs of words"
MEASURES = (
    "the number of letters",
    *(f"how usual {tokens} are (mean log of how often they occur in other texts)" for tokens in _TOKENS),
    *(f"the share of {tokens} that another text of the same stratum has" for tokens in _TOKENS),
    *(f"the share of {tokens} that are not repeats" for tokens in _TOKENS),
)
"""What the columns of :func:`wording` are."""


def wording(texts: Sequence[str], strata: Index) -> Floats:
    """``(N, 10)`` measures of pooled texts, in the order of `MEASURES`. O(letters log letters).

    `strata` has the stratum of each text, such as its prompt; zeros if there is none.
    """
    most = max(_FEWEST, _LETTERS // max(len(texts), 1))
    lengths = np.array([len(text) for text in texts], dtype=np.float64)
    texts = [text[:most] for text in texts]
    measured = [_measured(*tokens, strata) for tokens in (_threes(texts), *_words(texts))]
    return np.column_stack([lengths, *(part[i] for i in range(3) for part in measured)])


def comparable(measures: Floats, strata: Index) -> Floats:
    """Measures less their mean in each stratum, in units of the spread there, drawn towards that of all strata."""
    rows = np.bincount(strata).astype(np.float64)[:, None]
    means, squares = np.zeros((len(rows), measures.shape[1])), np.zeros((len(rows), measures.shape[1]))
    np.add.at(means, strata, measures)
    inner = measures - (means / np.maximum(rows, 1))[strata]
    np.add.at(squares, strata, inner**2)
    spread = 0.5 * (squares / np.maximum(rows, 1))[strata] + 0.5 * (inner**2).mean(axis=0)
    return np.asarray(inner / np.sqrt(np.where(spread > 1e-18, spread, np.inf)))


def _threes(texts: Sequence[str]) -> tuple[Index, Index]:
    """The text of every three letters in a row, and a number for them."""
    points = CodePoints.of(texts, None)
    starts, letters = points.starts(3), points.points.astype(np.uint64)
    code = np.zeros(len(starts), dtype=np.uint64)
    for offset in range(3):
        code = mixed(code * np.uint64(0x110000) + letters[starts + offset])
    return points.rows()[starts].astype(np.intp), (code >> np.uint64(1)).astype(np.intp)


def _words(texts: Sequence[str]) -> list[tuple[Index, Index]]:
    """The same of words, and of two words in a row."""
    number: dict[str, int] = {}
    codes = [[number.setdefault(word, len(number)) for word in text.split()] for text in texts]
    row = np.repeat(np.arange(len(texts)), [len(part) for part in codes])
    word = np.array([code for part in codes for code in part], dtype=np.intp)
    same = row[1:] == row[:-1]
    return [(row, word), (row[1:][same], (word[:-1] * len(number) + word[1:])[same])]


def _measured(row: Index, token: Index, strata: Index) -> tuple[Floats, Floats, Floats]:
    """``(N,)`` of each text: how usual its tokens are, the share that others of the stratum have, that of new ones."""
    size = len(strata)
    if not len(row):
        return np.zeros(size), np.zeros(size), np.zeros(size)
    known, token = np.unique(token, return_inverse=True)
    pair, count = np.unique(row * len(known) + token, return_counts=True)
    text, token = pair // len(known), pair % len(known)
    elsewhere = np.bincount(token, count)[token] - count
    tokens, different = np.bincount(text, count, minlength=size), np.bincount(text, minlength=size)
    usual = np.bincount(text, count * np.log(elsewhere + 0.5), minlength=size) / np.maximum(tokens, 1)
    _, place, texts = np.unique(strata[text] * len(known) + token, return_inverse=True, return_counts=True)
    shared = np.bincount(text, texts[place] > 1, minlength=size) / np.maximum(different, 1)
    return usual, shared, different / np.maximum(tokens, 1)
