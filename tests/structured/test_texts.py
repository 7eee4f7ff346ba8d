"""Counts of letters by a hash, of texts of any length."""

import numpy as np

from twosample.structured import _texts
from twosample.structured._texts import CodePoints, hashed_counts

WORDS = ["", "ab", "abc", "banana bandana", "", "naïve 日本語テキスト", "abcabcabc", "x"]


def test_texts_are_hashed_as_if_each_were_alone(monkeypatch):
    """Some at a time, of so many letters together; a longer one is a block by itself."""
    whole = hashed_counts(CodePoints.of(WORDS, None), 3, 32)
    one_by_one = [hashed_counts(CodePoints.of([word], None), 3, 32)[0] for word in WORDS]
    np.testing.assert_array_equal(whole, one_by_one)
    assert np.abs(whole).sum() > 20
    for letters in (1, 5, 14, 1000):
        monkeypatch.setattr(_texts, "_LETTERS", letters)
        np.testing.assert_array_equal(hashed_counts(CodePoints.of(WORDS, None), 3, 32), whole)
        blocks = list(CodePoints.of(WORDS, None).blocks(letters))
        assert sum(len(block.lengths) for block in blocks) == len(WORDS)
        assert all(block.lengths.sum() <= letters or len(block.lengths) == 1 for block in blocks)
    assert hashed_counts(CodePoints.of([], None), 3, 32).shape == (0, 32)
