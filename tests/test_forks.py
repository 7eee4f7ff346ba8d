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


ELSEWHERE = """
import os, time
import numpy as np, polars as pl
import twosample as ts
rng = np.random.default_rng(0)
frame = pl.DataFrame(rng.normal(size=(300, 2)))
summary, comparison = ts.summarize(frame), ts.compare(frame, frame)
monitor = ts.Monitor([frame + shift for shift in range(6)])
content = summary.to_bytes()
calls = {
    "test": lambda: ts.mmd_test(frame, frame), "sketch": lambda: ts.Sketch.fit(frame),
    "stream": lambda: ts.LinearTimeMMD(ts.Gaussian(1.0)).update(frame, frame),
    "detector": lambda: ts.MeanEmbeddingOutlierDetector().fit(frame),
    "to_bytes": summary.to_bytes, "from_bytes": lambda: ts.TableSummary.from_bytes(content),
    "merge": lambda: summary.merge(summary), "monitor": lambda: monitor.save("m.tsw"), "to_frame": comparison.to_frame,
}
for name, call in calls.items():
    child = os.fork()
    if child == 0:
        try:
            call()
        except ts.SourceError as error:
            os._exit(7 if "forked after polars" in str(error) else 1)
        os._exit(0)
    for _ in range(400):
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            print(name, os.waitstatus_to_exitcode(status))
            break
        time.sleep(0.05)
    else:
        os.kill(child, 9)
        print(name, "hangs")
"""


def test_frames_and_summaries_after_a_fork():
    """Where no table is opened: a frame that is asked for its numbers, a summary for its rows."""
    pytest.importorskip("sklearn")
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], capture_output=True, text=True, timeout=300, check=True)
    said = dict(line.split() for line in done.stdout.splitlines())
    assert len(said) == 9
    assert set(said.values()) == {"7"}, said
