"""How texts are worded: the ten measures against their definition, and what they find within strata."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import twosample as ts
from twosample.tables.wording import MEASURES, comparable, wording

TEXTS = ["the cat sat on the mat", "the cat ran", "", "a dog sat", "the cat sat", "zz"]
STRATA = np.array([0, 0, 1, 1, 0, 1])


def _tokens(text):
    words = text.split()
    return [[text[i : i + 3] for i in range(len(text) - 2)], words, list(pairwise(words))]


def _naive():
    tokens = [_tokens(text) for text in TEXTS]
    rows = []
    for i, text in enumerate(TEXTS):
        usual, shared, new = [], [], []
        for sort in range(3):
            own = tokens[i][sort]
            others = Counter(t for j, part in enumerate(tokens) if j != i for t in part[sort])
            beside = {t for j, part in enumerate(tokens) if j != i and STRATA[j] == STRATA[i] for t in part[sort]}
            usual.append(np.mean([np.log(others[t] + 0.5) for t in own]) if own else 0.0)
            shared.append(np.mean([t in beside for t in set(own)]) if own else 0.0)
            new.append(len(set(own)) / len(own) if own else 0.0)
        rows.append([len(text), *usual, *shared, *new])
    return np.array(rows)


def test_measures_are_those_of_their_definition():
    found = wording(TEXTS, STRATA)
    assert found.shape == (6, len(MEASURES))
    assert found == pytest.approx(_naive())


def test_measures_do_not_depend_on_the_order_of_texts():
    order = np.random.default_rng(0).permutation(6)
    found = wording([TEXTS[i] for i in order], STRATA[order])
    assert found == pytest.approx(wording(TEXTS, STRATA)[order])


def test_nothing_but_empty_texts():
    assert not wording(["", ""], np.zeros(2, dtype=np.intp)).any()
    assert not comparable(np.zeros((2, 3)), np.zeros(2, dtype=np.intp)).any()


def test_comparable_measures_have_mean_0_in_strata():
    rng = np.random.default_rng(1)
    strata = rng.integers(0, 5, 60)
    found = comparable(rng.normal(size=(60, 2)) * (1 + 10 * strata[:, None]), strata)
    for s in range(5):
        assert found[strata == s].mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert found[strata == 0].std() < found[strata == 4].std() < 2  # drawn together, not made equal


def _answers(rng, prompts, each, words):
    """Answers of ten words, of which each prompt has its own ones."""
    table = {"prompt": [], "answer": []}
    for p in range(prompts):
        for _ in range(each):
            table["prompt"].append(f"p{p}")
            table["answer"].append(" ".join(f"w{p % 3}x{i}" for i in rng.integers(0, words, 10)))
    return table


def test_a_freer_model_is_seen_within_prompts():
    rng = np.random.default_rng(2)
    a, b, other = (_answers(rng, 12, 6, words) for words in (12, 12, 20))
    assert ts.compare(a, b, by="prompt", kinds={"answer": "text"}).verdict != "different"
    c = ts.compare(a, other, by="prompt", margin=0, kinds={"answer": "text"})
    assert c.verdict == "different"
    (said,) = [found for found in c.findings if found.what == "wording"]
    assert said.column == "answer"
    assert said.detail.startswith("texts differ most in ")


def test_level_of_answers_within_prompts():
    """Few answers to a prompt, ties among them, other numbers of answers on both sides."""
    pvalues = []
    for i in range(60):
        rng = np.random.default_rng([3, i])
        a, b = _answers(rng, 8, 3, 4), _answers(rng, 8, 2, 4)
        pvalues.append(ts.compare(a, b, by="prompt", kinds={"answer": "text"}, rng=i).columns[0].kernel_pvalue)
    assert np.mean(np.array(pvalues) <= 0.1) <= 0.23  # 3.4 deviations above 0.1
