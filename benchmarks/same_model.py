"""``python -m benchmarks.same_model``: how often answers of two models to the same prompts are told apart.

A model is a chain of words, learned from the topics of Python's own help, which every Python has. A prompt is a passage
of 400 words; four times of five the next word is one that follows the last one in the passage (if any does), else one
that follows it anywhere. The second model is the first one with a distortion. ``--page FILE`` writes the tables between
the marks of a page.
"""

from __future__ import annotations

import argparse
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np

import twosample as ts

WORDS, PASSAGE = 40, 400  # of an answer, of a prompt
MOST = 540  # prompts
ANSWERS = 10  # of either model to a prompt
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MARK = "<!-- same-model: {} -->"


@dataclass(frozen=True)
class Chain:
    """What follows what.

    Parameters
    ----------
    keys
        ``(K,)`` what something is known to follow, ascending.
    nexts
        ``(T,)`` what follows, by key.
    cumulative
        ``(T,)`` the number of the key, and the cumulative probability of what follows it.
    """

    keys: np.ndarray
    nexts: np.ndarray
    cumulative: np.ndarray

    @classmethod
    def learned(cls, keys: np.ndarray, nexts: np.ndarray, temperature: float) -> Chain:
        """From pairs that occur; probabilities to the power of 1 / temperature."""
        pairs, counts = np.unique(np.column_stack([keys, nexts]), axis=0, return_counts=True)
        known, number = np.unique(pairs[:, 0], return_inverse=True)
        weight = counts ** (1 / temperature)
        total = np.bincount(number, weight)
        before = np.cumsum(weight) - (np.cumsum(total) - total)[number]
        return cls(known, pairs[:, 1], number + np.minimum(before / total[number], 1 - 1e-9))

    def after(self, keys: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """What follows; -1 where nothing is known."""
        number = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        place = np.searchsorted(self.cumulative, number + rng.random(len(keys)) * (1 - 1e-8))
        return np.where(self.keys[number] == keys, self.nexts[place], -1)


@dataclass(frozen=True)
class Model:
    """Words, and which follow which: in the passage of a prompt, and anywhere."""

    words: tuple[str, ...]
    near: Chain
    anywhere: Chain
    faith: float

    def answers(self, prompts: np.ndarray, starts: np.ndarray, rng: np.random.Generator) -> list[str]:
        """One for each prompt; `starts` are the words before the first."""
        at, rows = starts, []
        for _ in range(WORDS):
            near = self.near.after(prompts * len(self.words) + at, rng)
            far = self.anywhere.after(at, rng)
            faithful = (rng.random(len(at)) < self.faith) & (near >= 0)
            at = np.where(faithful, near, far)
            rows.append(at)
        return [" ".join(self.words[i] for i in row) for row in np.array(rows).T.tolist()]


@dataclass(frozen=True)
class World:
    """The model and others; the last word of every prompt."""

    model: Model
    cold: Model
    warm: Model
    other: Model
    starts: np.ndarray

    @classmethod
    def made(cls) -> World:
        """From the topics; the other model knows the passages less well."""
        text = [word for name in sorted(topics) for word in topics[name].split()]
        words = sorted({*text})
        number = {word: i for i, word in enumerate(words)}
        codes = np.array([number[word] for word in [*text, text[0]]])
        places = np.linspace(0, len(text) - PASSAGE - 1, MOST).astype(int)
        inside = places[:, None] + np.arange(PASSAGE)
        keys = (np.arange(MOST)[:, None] * len(words) + codes[inside]).ravel()

        def model(temperature: float = 1.0, faith: float = 0.8) -> Model:
            near = Chain.learned(keys, codes[inside + 1].ravel(), temperature)
            return Model(tuple(words), near, Chain.learned(codes[:-1], codes[1:], temperature), faith)

        return cls(model(), model(0.8), model(1.2), model(faith=0.6), codes[places])

    def answers(self, prompts: np.ndarray, rng: np.random.Generator) -> list[str]:
        """Of the model itself."""
        return self.model.answers(prompts, self.starts[prompts], rng)


Distortion = Callable[[World, np.ndarray, np.random.Generator], list[str]]


def truncated(share: float) -> Distortion:
    """Answers without their last words."""

    def answers(world: World, prompts: np.ndarray, rng: np.random.Generator) -> list[str]:
        kept = round(WORDS * (1 - share))
        return [" ".join(text.split()[:kept]) for text in world.answers(prompts, rng)]

    return answers


def noisy(share: float) -> Distortion:
    """Some letters replaced by others."""

    def answers(world: World, prompts: np.ndarray, rng: np.random.Generator) -> list[str]:
        found = []
        for text in world.answers(prompts, rng):
            letters = list(text)
            for i in np.flatnonzero(rng.random(len(letters)) < share).tolist():
                if letters[i] != " ":
                    letters[i] = LETTERS[int(rng.integers(26))]
            found.append("".join(letters))
        return found

    return answers


def mixed(share: float) -> Distortion:
    """Some answers from the other model."""

    def answers(world: World, prompts: np.ndarray, rng: np.random.Generator) -> list[str]:
        own, others = (m.answers(prompts, world.starts[prompts], rng) for m in (world.model, world.other))
        return [b if u < share else a for a, b, u in zip(own, others, rng.random(len(own)), strict=True)]

    return answers


def edited(share: float, edit: Callable[[list[str], int, World], None]) -> Distortion:
    """Some words changed in place, from the last to the first."""

    def answers(world: World, prompts: np.ndarray, rng: np.random.Generator) -> list[str]:
        found = []
        for text in world.answers(prompts, rng):
            words = text.split()
            for i in np.flatnonzero(rng.random(len(words)) < share)[::-1].tolist():
                edit(words, i, world)
            found.append(" ".join(words))
        return found

    return answers


def _left_out(words: list[str], i: int, world: World) -> None:
    del words[i]


def _swapped(words: list[str], i: int, world: World) -> None:
    words[i - 1], words[i] = words[i], words[i - 1]


def _in_capitals(words: list[str], i: int, world: World) -> None:
    words[i] = words[i].upper()


def _synonym(words: list[str], i: int, world: World) -> None:
    """The next word of the vocabulary, always the same one."""
    known = world.model.words
    words[i] = known[(bisect_left(known, words[i]) + 1) % len(known)]


def elsewhere(share: float) -> Distortion:
    """Some answers to another prompt."""

    def answers(world: World, prompts: np.ndarray, rng: np.random.Generator) -> list[str]:
        others = np.where(rng.random(len(prompts)) < share, rng.integers(MOST, size=len(prompts)), prompts)
        return world.answers(others, rng)

    return answers


DISTORTIONS: dict[str, Distortion] = {
    "none (level)": lambda world, prompts, rng: world.answers(prompts, rng),
    "the last 5 % of the words cut off": truncated(0.05),
    "the last 20 % of the words cut off": truncated(0.2),
    "temperature 0.8": lambda world, prompts, rng: world.cold.answers(prompts, world.starts[prompts], rng),
    "temperature 1.2": lambda world, prompts, rng: world.warm.answers(prompts, world.starts[prompts], rng),
    "0.5 % of the letters replaced": noisy(0.005),
    "2 % of the letters replaced": noisy(0.02),
    "30 % of the answers by another model": mixed(0.3),
    "all answers by another model": mixed(1.0),
}


ASIDE: dict[str, Distortion] = {
    "5 % of the words left out": edited(0.05, _left_out),
    "5 % of the words swapped with the one before": edited(0.05, _swapped),
    "5 % of the words in capitals": edited(0.05, _in_capitals),
    "5 % of the words replaced by synonyms": edited(0.05, _synonym),
    "10 % of the answers to another prompt": elsewhere(0.1),
    "10 % of the answers by another model": mixed(0.1),
}
"""Kept aside: no choice in the package looked at them."""


def draw(world: World, name: str, seed: list[int], prompts: int, answers: int) -> tuple[dict, dict]:
    """Tables of prompts and answers of both models; another choice of prompts in every run."""
    rng = np.random.default_rng(seed)
    chosen = np.repeat(rng.choice(MOST, prompts, replace=False), answers)
    named = [f"prompt {i}" for i in chosen]
    found = [(DISTORTIONS | ASIDE)[which](world, chosen, rng) for which in ("none (level)", name)]
    return {"prompt": named, "answer": found[0]}, {"prompt": named, "answer": found[1]}


def by_prompt(a: dict, b: dict, seed: int) -> bool:
    kinds = {"prompt": "categorical", "answer": "text"}
    return ts.compare(a, b, by="prompt", margin=0, kinds=kinds, rng=seed).verdict == "different"


def spectrum(a: dict, b: dict, seed: int) -> bool:
    null = ts.StratifiedPermutation(a["prompt"], b["prompt"], n=199)
    return ts.mmd_test(a["answer"], b["answer"], kernel=ts.strings.Spectrum(3), null=null, rng=seed).rejected


def without(a: dict, b: dict, seed: int) -> bool:
    return ts.compare(a, b, select=["answer"], margin=0, kinds={"answer": "text"}, rng=seed).verdict == "different"


WAYS = {
    "`--by prompt`": by_prompt,
    "`strings.Spectrum(3)`": spectrum,
    "without `--by`": without,
}


def power(world: World, sizes: Sequence[tuple[int, int]], names: Sequence[str], ways: Sequence[str]) -> Iterator[str]:
    """A table of rejections, for numbers of prompts with as many runs."""
    heads = [f"{way}, {prompts} prompts" for prompts, _ in sizes for way in ways]
    yield f"| the second model | {' | '.join(heads)} |"
    yield f"|---|{'---|' * len(heads)}"
    every, median = [*DISTORTIONS, *ASIDE], []
    for number, name in ((every.index(name), name) for name in names):
        rates = []
        for prompts, runs in sizes:
            tables = (draw(world, name, [24, number, i], prompts, ANSWERS) for i in range(runs))
            found = [[WAYS[way](a, b, i) for way in ways] for i, (a, b) in enumerate(tables)]
            rates += np.mean(found, axis=0).tolist()
        print(name, rates, file=sys.stderr)
        median.append(rates)
        yield f"| {name} | {' | '.join(f'{rate:.2f}' for rate in rates)} |"
    middle = np.median([row for name, row in zip(names, median, strict=True) if "level" not in name], axis=0)
    yield f"| *median, without the level* | {' | '.join(f'{rate:.2f}' for rate in middle)} |"


def cost(world: World) -> Iterator[str]:
    """Processor time of 540 prompts."""
    a, b = draw(world, "temperature 1.2", [24], 540, 10)
    by_prompt(a, b, 0)  # imports
    begin = time.process_time()
    by_prompt(a, b, 0)
    yield f"540 prompts of 2 x 10 answers: {time.process_time() - begin:.1f} s of processor time in one process."


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, or write them into a page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_model", description=__doc__)
    parser.add_argument(
        "--runs", type=int, nargs="+", default=[100], help="runs for each distortion and number of prompts"
    )
    parser.add_argument("--prompts", type=int, nargs="+", default=[25, 100], help="numbers of prompts")
    parser.add_argument("--only", type=int, default=len(WAYS), help="how many ways to compare, from the first on")
    parser.add_argument("--page", type=Path, help="a page with marks")
    options = parser.parse_args(arguments)
    world = World.made()
    runs = options.runs * len(options.prompts) if len(options.runs) == 1 else options.runs
    sizes = list(zip(options.prompts, runs, strict=True))
    said = " and ".join(
        f"{count} runs each with {prompts} prompts (standard error {0.5 / count**0.5:.2f} for a rate of 0.5, "
        f"{0.3 / count**0.5:.2f} for 0.1 or 0.9)"
        for prompts, count in sizes
    )
    head = [f"2 x {ANSWERS} answers to a prompt, level 0.05, seed 24; {said}.", ""]
    ways = [*WAYS][: options.only]
    parts = {
        "cost": [*cost(world)],
        "power": [*head, *power(world, sizes, [*DISTORTIONS], ways)],
        "aside": [*head, *power(world, sizes, [*ASIDE], ways)],
    }
    print("\n".join(line for lines in parts.values() for line in lines))
    if options.page is not None:
        text = options.page.read_text(encoding="utf-8")
        for name, lines in parts.items():
            before, _, after = text.split(MARK.format(name))
            text = f"{before}{MARK.format(name)}\n" + "\n".join(lines) + f"\n{MARK.format(name)}{after}"
        options.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
