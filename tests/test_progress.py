"""The progress bar."""

import io
import re

import numpy as np
import pytest

import twosample as ts


class Terminal(io.StringIO):
    def isatty(self):
        return True


def drawn(stream, steps):
    bar = ts.ProgressBar("work", file=stream)
    for step in steps:
        bar(*step)
    return stream.getvalue()


def test_a_file_gets_a_line_for_each_tenth():
    text = drawn(io.StringIO(), [(i, 1000) for i in range(1, 1001)])
    lines = text.splitlines()
    assert len(lines) == 10
    assert [re.search(r"(\d+)/1000", line).group(1) for line in lines] == [str(k) for k in range(100, 1001, 100)]
    assert lines[-1].startswith("work [" + 30 * "#" + "] 1000/1000")
    assert "left" in lines[4]
    assert "left" not in lines[-1]
    assert "\r" not in text


def test_a_terminal_gets_one_line_that_ends():
    text = drawn(Terminal(), [(i, 500) for i in range(1, 501)])
    assert text.count("\n") == 1
    assert text.endswith("\n")
    assert len(text.split("\r")) < 30  # not drawn for every step
    assert all(len(part.rstrip("\n")) <= 79 for part in text.split("\r"))


def test_one_bar_serves_several_pieces_of_work():
    lines = drawn(io.StringIO(), [(1, 2), (2, 2), (1, 3), (2, 3), (3, 3)]).splitlines()
    assert [re.search(r"\d+/\d+", line).group() for line in lines] == ["1/2", "2/2", "1/3", "2/3", "3/3"]


@pytest.mark.parametrize("steps", [[(0, 0)], [(3, 2)], [(0, 5), (5, 5)]])
def test_odd_counts_do_no_harm(steps):
    assert drawn(io.StringIO(), steps).endswith("\n")


def test_words_of_others_cannot_command_the_terminal():
    assert "\x1b" not in drawn(Terminal(), [(1, 1, "\x1b[2J")])


def test_everything_that_takes_progress_takes_it():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 200, 2))
    graphs = [ts.graphs.Graph(4, [(0, 1), (1, 2)]) for _ in range(5)]
    stream = io.StringIO()
    bar = ts.ProgressBar(file=stream)
    ts.mmd_test(x, y, engine=ts.Tiled(tile=50, progress=bar), null=ts.Permutation(19), rng=0)
    ts.graphs.RandomWalk(progress=bar).block(graphs, graphs)
    ts.match(x, y, progress=bar)
    ts.compare(x, y, progress=bar)
    assert len(re.findall(r"\] (\d+)/\1,", stream.getvalue())) >= 4
