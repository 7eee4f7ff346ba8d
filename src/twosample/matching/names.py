"""How alike names of columns are: ``ZipCode`` and ``zip_code``, ``cust_id`` and ``customer id``, ``qty``, ``dob``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ..core.types import Floats

_LETTERS = 200  # of a name that are read
_BEGINNING, _SHORTENED, _INITIALS = 0.85, 0.7, 0.8  # cust and customer, qty and quantity, dob and date of birth
_LEAST = 3  # letters of a beginning, or of initials


def name_similarity(a: Iterable[str], b: Iterable[str]) -> Floats:
    """``(s, t)`` how alike names are, from 0 to 1, whatever the case: by letters or by words, whichever is more."""
    first, second = ([_letters(name[:_LETTERS]) for name in names] for names in (a, b))
    return np.maximum(_by_letters(first, second), _by_words(first, second))


def _by_letters(first: Sequence[str], second: Sequence[str]) -> Floats:
    """``(s, t)`` cosines of the counts of pairs and triples of letters."""
    known: dict[str, int] = {}
    sides = [_counted(side, known) for side in (first, second)]
    width = max(len(known), 1)
    units = []
    for side in sides:
        dense = np.zeros((len(side), width))
        for row, counts in zip(dense, side, strict=True):
            row[list(counts)] = list(counts.values())
        norms = np.sqrt(np.square(dense).sum(axis=1))
        units.append(dense / np.where(norms > 0, norms, 1.0)[:, None])
    return np.asarray(units[0] @ units[1].T)


def _letters(name: str) -> str:
    """The letters and digits of a name in small letters, words apart: ``ZipCode``, ``zip_code`` and ``ZIP CODE``."""
    split = "".join(
        f" {letter}" if letter.isupper() and i and name[i - 1].islower() else letter for i, letter in enumerate(name)
    )
    return " ".join("".join(letter if letter.isalnum() else " " for letter in split.casefold()).split())


def _counted(names: Sequence[str], known: dict[str, int]) -> list[Counter[int]]:
    result = []
    for name in names:
        text = f" {name} "
        found = [text[i : i + size] for size in (2, 3) for i in range(len(text) - size + 1)]
        result.append(Counter(known.setdefault(piece, len(known)) for piece in found))
    return result


def _by_words(first: Sequence[str], second: Sequence[str]) -> Floats:
    """``(s, t)`` the mean likeness of each word to the most alike one of the other name."""
    ours, theirs = ([name.split() for name in names] for names in (first, second))
    known = [sorted({word for name in names for word in name}) for names in (ours, theirs)]
    if not known[0] or not known[1]:
        return np.zeros((len(ours), len(theirs)))
    alike = np.array([[_words(one, two) for two in known[1]] for one in known[0]])
    there = _summed(ours, known[0], alike, theirs, known[1])
    back = _summed(theirs, known[1], alike.T, ours, known[0]).T
    sizes = np.add.outer([len(name) for name in ours], [len(name) for name in theirs])
    found = np.divide(there + back, sizes, out=np.zeros(sizes.shape), where=sizes > 0)
    initials = [["".join(word[0] for word in name) for name in names] for names in (ours, theirs)]
    for i, one in enumerate(first):
        for j, two in enumerate(second):
            if _LEAST <= len(one) == len(theirs[j]) and one == initials[1][j]:
                found[i, j] = max(found[i, j], _INITIALS)
            if _LEAST <= len(two) == len(ours[i]) and two == initials[0][i]:
                found[i, j] = max(found[i, j], _INITIALS)
    return found


def _summed(
    names: Sequence[Sequence[str]],
    words: Sequence[str],
    alike: Floats,
    others: Sequence[Sequence[str]],
    known: Sequence[str],
) -> Floats:
    """``(s, t)`` for each word of a name how alike the most alike word of the other is, summed."""
    place = {word: k for k, word in enumerate(known)}
    best = np.zeros((len(words), len(others)))
    for j, other in enumerate(others):
        if other:
            best[:, j] = alike[:, [place[word] for word in other]].max(axis=1)
    own = {word: k for k, word in enumerate(words)}
    return np.array([best[[own[word] for word in name]].sum(axis=0) for name in names])


def _words(one: str, two: str) -> float:
    """How alike two words are: equal, the beginning of the other, or the other with letters left out."""
    if one == two:
        return 1.0
    short, long = sorted((one, two), key=len)
    if short[0] != long[0] or len(short) < _LEAST or not short.isalpha():
        return 0.0
    if long.startswith(short):
        return _BEGINNING
    rest = iter(long)
    left_out = short[-1] == long[-1] and all(letter in rest for letter in short)
    return _SHORTENED if left_out else 0.0
