"""A forked process in which polars would wait for ever says so instead."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
CODE = """
import os, sys
import twosample as ts
import polars as pl
frame = pl.DataFrame({{"x": [1.0, 2.0, 3.5] * 50}})
{used}
child = os.fork()
if child == 0:
    try:
        print(ts.compare({a}, frame).verdict, flush=True)
    except ts.SourceError as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def forked(used, a="frame"):
    """What a child says."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(used=used, a=a)], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


@pytest.mark.parametrize("used", ["ts.compare(frame, frame)", "frame.lazy().group_by('x').len().collect()"])
@pytest.mark.parametrize("a", ["frame", "'no.csv'"])
def test_tables_after_a_fork_of_a_process_with_polars_threads(used, a):
    said = forked(used, a)
    assert "forked after polars had started its threads" in said
    assert "get_context('spawn')" in said


def test_a_fork_before_polars_works_is_no_matter():
    if not os.path.isdir("/proc/self/task"):  # noqa: PTH112
        pytest.skip("threads have no names here")
    assert forked("") in ("same\n", "no difference found\n")


def test_children_of_children_are_known():
    grandchild = "ts.compare(frame, frame)\nif os.fork():\n    os.wait()\n    os._exit(0)"
    assert "forked after" in forked(grandchild)
