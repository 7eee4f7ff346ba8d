"""String kernels against their definitions, letter by letter."""

from collections import Counter
from itertools import combinations
from math import prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from twosample.structured.strings import Gappy, Spectrum, Subsequence

WORDS = ["gattaca", "tacgat", "", "a", "aaaa", "ab", "naïf", "e\u0301te\u0301", "été", "\U0001f600x\U0001f600", "x y z"]


def occurrences(s, k, span):
    """All k letters in order within `span` letters: (pattern, letters left out)."""
    for places in combinations(range(len(s)), k):
        if places[-1] - places[0] < span:
            yield "".join(s[p] for p in places), places[-1] - places[0] + 1 - k


def naive_gappy(s, t, k, gaps, decay):
    counts = []
    for string in (s, t):
        count = Counter()
        for pattern, left_out in occurrences(string, k, k + gaps):
            count[pattern] += decay**left_out
        counts.append(count)
    return sum(counts[0][u] * counts[1][u] for u in counts[0])


def naive_spectrum(s, t, k):
    a, b = (Counter(u[i : i + k] for i in range(len(u) - k + 1)) for u in (s, t))
    return sum(a[u] * b[u] for u in a)


def naive_subsequence(s, t, length, decay):
    """The definition of Lodhi et al.: equal letters at all places, decay to the power of both spans."""
    total = 0.0
    for i in combinations(range(len(s)), length):
        for j in combinations(range(len(t)), length):
            if all(s[p] == t[q] for p, q in zip(i, j, strict=True)):
                total += decay ** (i[-1] - i[0] + 1 + j[-1] - j[0] + 1)
    return total


def table(values, k):
    return np.array([[k(s, t) for t in values] for s in values])


def unit(K):
    norms = np.array([sqrt(v) or 1.0 for v in np.diagonal(K)])
    return K / norms / norms[:, None]


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("normalised", [False, True])
def test_spectrum_counts_substrings(k, normalised):
    expected = table(WORDS, lambda s, t: naive_spectrum(s, t, k))
    K = Spectrum(k, normalised).block(WORDS, WORDS)
    np.testing.assert_allclose(K, unit(expected) if normalised else expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("k", "gaps", "decay"), [(1, 3, 0.5), (2, 0, 0.5), (2, 1, 1.0), (3, 2, 0.3)])
def test_gappy_counts_patterns(k, gaps, decay):
    expected = table(WORDS, lambda s, t: naive_gappy(s, t, k, gaps, decay))
    np.testing.assert_allclose(Gappy(k, gaps, decay, normalised=False).block(WORDS, WORDS), expected, rtol=1e-12)


@pytest.mark.parametrize(("length", "decay"), [(1, 0.5), (2, 0.7), (3, 0.5), (4, 1.0)])
def test_subsequence_is_its_definition(length, decay):
    expected = table(WORDS, lambda s, t: naive_subsequence(s, t, length, decay))
    K = Subsequence(length, decay, normalised=False).block(WORDS, WORDS)
    np.testing.assert_allclose(K, expected, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(Subsequence(length, decay).block(WORDS, WORDS), unit(expected), rtol=1e-10, atol=1e-15)


def test_subsequence_in_many_small_batches(monkeypatch):
    from twosample.structured import strings

    whole = Subsequence(2).block(WORDS, WORDS)
    monkeypatch.setattr(strings, "_CELLS", 30)
    np.testing.assert_allclose(Subsequence(2).block(WORDS, WORDS), whole, rtol=1e-12)


@given(st.lists(st.text(alphabet="abc", max_size=8), min_size=1, max_size=6))
def test_gappy_without_a_limit_is_the_subsequence_kernel(words):
    wide = Gappy(3, gaps=5, decay=0.5).block(words, words)
    np.testing.assert_allclose(wide, Subsequence(3, 0.5).block(words, words), rtol=1e-10, atol=1e-14)


@given(st.lists(st.text(max_size=6), min_size=2, max_size=8))
@pytest.mark.parametrize("kernel", [Spectrum(2), Gappy(2, 1), Subsequence(2)], ids=repr)
def test_positive_semidefinite_and_bounded_on_any_text(kernel, words):
    K = kernel.block(words, words)
    np.testing.assert_allclose(K, K.T, atol=1e-12)
    assert np.linalg.eigvalsh(K)[0] > -1e-9
    assert K.min() >= 0
    assert K.max() <= 1 + 1e-12
    np.testing.assert_allclose(np.diagonal(K), [float(len(word) >= 2) for word in words], atol=1e-12)


def test_long_patterns_over_a_large_alphabet_do_not_overflow():
    rng = np.random.default_rng(0)
    words = ["".join(map(chr, rng.integers(0x4E00, 0x9FFF, size=60))) for _ in range(20)]
    words += [word[3:] for word in words]
    expected = table(words, lambda s, t: naive_spectrum(s, t, 12))
    np.testing.assert_array_equal(Spectrum(12, normalised=False).block(words, words), expected)


def test_normal_forms():
    composed, decomposed = "é" * 4, "e\u0301" * 4
    assert Spectrum(2).block([composed], [decomposed])[0, 0] == 0
    for kernel in (Spectrum(2, form="NFC"), Gappy(2, form="NFD"), Subsequence(2, form="NFKC")):
        assert kernel.block([composed], [decomposed])[0, 0] == pytest.approx(1)


def test_lone_surrogates_are_letters_like_others():
    assert Spectrum(2).block(["\ud800a"], ["\ud800a"])[0, 0] == pytest.approx(1)


def test_only_short_strings():
    for kernel in (Spectrum(3), Gappy(3), Subsequence(3)):
        np.testing.assert_array_equal(kernel.block(["", "ab"], ["", "ab"]), np.zeros((2, 2)))


@pytest.mark.parametrize("bad", [b"bytes", None, 3, ["a"]])
@pytest.mark.parametrize("kernel", [Spectrum(), Gappy(), Subsequence()], ids=repr)
def test_what_is_no_string_is_named_by_its_position(kernel, bad):
    with pytest.raises(ts.InputError, match=f"Object 3 .*{type(bad).__name__}"):
        ts.mmd_test(["ab", "cd"], ["ef", bad], kernel=kernel)


@pytest.mark.parametrize(
    ("kind", "options", "word"),
    [
        (Spectrum, {"k": 0}, "k="),
        (Spectrum, {"form": "nfc"}, "form"),
        (Gappy, {"gaps": -1}, "gaps"),
        (Gappy, {"decay": 0.0}, "decay"),
        (Gappy, {"k": 9, "gaps": 9}, "too many patterns"),
        (Subsequence, {"decay": 1.5}, "decay"),
        (Subsequence, {"length": 2.5}, "length"),
    ],
)
def test_bad_options(kind, options, word):
    with pytest.raises(ts.OptionError, match=word):
        kind(**options)


def texts(count, seed, letters="acgt", weights=None):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(letters), rng.integers(5, 20), p=weights)) for _ in range(count)]


@pytest.mark.parametrize("kernel", [Spectrum(2), Gappy(2), Subsequence(2), Spectrum(1) + Spectrum(3)], ids=repr)
def test_the_whole_path(kernel):
    x, y = texts(30, 0), texts(35, 1, weights=[0.4, 0.2, 0.2, 0.2])
    result = ts.mmd_test(x, y, kernel=kernel, rng=0)
    assert result.rejected
    assert result.kernel == kernel
    assert not ts.mmd_test(x, texts(35, 2), kernel=kernel, rng=0).pvalue < 0.01
    rows = ts.witness(x, y, kernel=kernel).rows(5)
    strongest = [y[i] for i in rows.y]
    assert np.mean([s.count("a") / len(s) for s in strongest]) > np.mean([s.count("a") / len(s) for s in y])


def test_many_strings_by_their_sparse_counts():
    x, y = texts(1000, 0), texts(1200, 1)
    K = Spectrum(3).block([*x, *y], [*x, *y])
    quick = ts.mmd_test(x, y, kernel=Spectrum(3), null=ts.Permutation(n=19), rng=0)
    slow = ts.mmd_test(None, None, kernel=ts.Precomputed(K, m=1000), null=ts.Permutation(n=19), rng=0)
    assert quick.engine.name == "features"
    assert (quick.statistic, quick.pvalue) == (pytest.approx(slow.statistic, rel=1e-8), slow.pvalue)


def test_the_product_is_over_pairs_of_substrings():
    a, b = ["abab"], ["abba"]
    parts = [Spectrum(k, normalised=False).block(a, b)[0, 0] for k in (1, 2)]
    both = Spectrum(1, normalised=False) * Spectrum(2, normalised=False)
    assert both.block(a, b)[0, 0] == prod(parts)


def test_patterns_longer_than_every_string_take_no_time():
    assert ts.mmd_test(["abc", "abd"] * 3, ["xyz"] * 4, kernel=ts.strings.Spectrum(10**9), rng=0).pvalue == 1
