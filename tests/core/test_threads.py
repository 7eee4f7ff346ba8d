"""Progress, and ways out of long work: exceptions and Ctrl-C leave no thread behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import threadpoolctl

import twosample as ts
from twosample.core.blas import _blas, single_threaded_blas
from twosample.core.threads import Crew

X = np.random.default_rng(0).normal(size=(300, 3))
Y = X[::-1] + 0.1


def workers():
    return [t for t in threading.enumerate() if t is not threading.main_thread() and t.is_alive()]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("tile", [50, 1000])
def test_progress_counts_up_to_the_end(tile, threads):
    calls = []
    engine = ts.Tiled(tile=tile, threads=threads, progress=lambda done, total: calls.append((done, total)))
    ts.mmd_test(X, Y, engine=engine, null=ts.Permutation(19), rng=0)
    done = [d for d, _ in calls]
    totals = {t for _, t in calls}
    assert done == sorted(set(done))
    assert len(totals) == 1
    assert done[-1] == totals.pop()


def test_progress_is_called_from_the_calling_thread():
    seen = set()
    engine = ts.Tiled(tile=50, threads=2, progress=lambda done, total: seen.add(threading.current_thread()))
    ts.mmd_test(X, Y, engine=engine, null=ts.Permutation(19), rng=0)
    assert seen == {threading.current_thread()}


def test_auto_passes_progress_on():
    calls = []
    big = np.random.default_rng(1).normal(size=(800, 5))
    ts.mmd_test(big, big, engine=ts.Auto(progress=lambda *c: calls.append(c)), null=ts.Permutation(19), rng=0)
    assert calls[-1][0] == calls[-1][1]


def test_progress_does_not_change_the_answer_nor_the_engine_shown():
    quiet = ts.mmd_test(X, Y, engine=ts.Tiled(tile=50), null=ts.Permutation(19), rng=0)
    loud = ts.mmd_test(X, Y, engine=ts.Tiled(tile=50, progress=lambda *c: None), null=ts.Permutation(19), rng=0)
    assert loud.pvalue == quiet.pvalue
    assert loud.statistic == quiet.statistic
    assert repr(loud.engine) == repr(quiet.engine)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_an_exception_from_progress_ends_the_work(error):
    """The remaining strips are abandoned: far fewer kernel tiles are made than the whole needs."""
    made = []

    def kernel(a, b):
        made.append(1)
        time.sleep(0.001)
        return np.exp(-np.abs(a[:, None] - b[None]).sum(-1))

    def stop(done, total):
        raise error("enough")

    strips = 600 // 20
    with pytest.raises(error, match="enough"):
        ts.mmd_test(X, Y, kernel=kernel, engine=ts.Tiled(tile=20, threads=2, progress=stop), null=ts.Permutation(19))
    assert len(made) < strips * (strips + 1) / 2 / 2
    assert not workers()


@pytest.mark.parametrize("threads", [1, 3])
def test_an_exception_in_a_kernel_ends_the_work(threads):
    calls = []

    def kernel(a, b):
        calls.append(1)
        if len(calls) > 20:
            raise FloatingPointError("the user's own")
        return np.exp(-np.abs(a[:, None] - b[None]).sum(-1))

    with pytest.raises(FloatingPointError, match="the user's own"):
        ts.mmd_test(X, Y, kernel=kernel, engine=ts.Tiled(tile=20, threads=threads), null=ts.Permutation(19))
    assert len(calls) < 60
    assert not workers()


def test_no_threads_remain_after_a_test():
    ts.mmd_test(X, Y, engine=ts.Tiled(tile=50, threads=3), null=ts.Permutation(19), rng=0)
    assert not workers()


def test_the_engine_works_again_after_an_interrupt():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ts.mmd_test(X, Y, engine=ts.Tiled(tile=50, progress=stop), null=ts.Permutation(19), rng=0)
    a = ts.mmd_test(X, Y, engine=ts.Tiled(tile=50), null=ts.Permutation(19), rng=0)
    b = ts.mmd_test(X, Y, engine="dense", null=ts.Permutation(19), rng=0)
    assert a.pvalue == b.pvalue


def test_the_threads_of_blas_are_given_back_after_an_error():
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def stop(done, total):
        raise RuntimeError

    def limits():
        return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = limits()
        with pytest.raises(RuntimeError):
            ts.mmd_test(X, Y, engine=ts.Tiled(tile=50, progress=stop), null=ts.Permutation(19))
        assert limits() == before


SCRIPT = """
    import signal, sys, threading, time
    import numpy as np
    import twosample as ts

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would inherit "ignore"
    x = np.random.default_rng(0).normal(size=(12000, 10))

    def ready():
        print("ready", flush=True)

    engine = ts.Tiled(tile=512, threads=2)
    timer = threading.Timer(0.3, ready)
    timer.start()
    try:
        ts.mmd_test(x, x + 0.01, engine=engine, null=ts.Permutation(2000), bandwidth=3.0)
    except KeyboardInterrupt:
        timer.join()  # it may not have ended yet
        alive = [t.name for t in threading.enumerate() if t is not threading.main_thread() and t.is_alive()]
        print("interrupted", alive, flush=True)
        sys.exit(130)
    print("finished", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_real_ctrl_c():
    """SIGINT in the middle of minutes of work: out within a second or two, no threads left."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        out, err = process.communicate(timeout=20)
        assert time.monotonic() - sent < 5
        assert out == "interrupted []\n", (out, err)
        assert process.returncode == 130
    finally:
        process.kill()
        process.wait()


def test_a_crew_does_all_and_stops_at_an_exception():
    crew, seen, others = Crew(2), [], {*workers()}
    crew.each(range(50), seen.append)
    assert sorted(seen) == list(range(50))

    seen.clear()
    for _ in range(2000):  # whoever finds nothing more to do does not stop the others
        crew.each(range(3), seen.append)
    assert sorted(seen) == sorted([0, 1, 2] * 2000)

    def failing(piece):
        seen.append(piece)
        if piece == 3:
            raise RuntimeError("piece 3")
        time.sleep(0.01)

    seen.clear()
    with pytest.raises(RuntimeError, match="piece 3"):
        crew.each(range(1000), failing)
    assert len(seen) < 100
    assert len({*workers()} - others) == 1  # beside the one that asks
    with crew:
        pass
    assert {*workers()} <= others


def test_blas_has_one_thread_until_the_last_context_is_left():
    """Contexts of several threads overlap: the first to be left does not end the others, nor does the last keep it."""

    def now():
        return [one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]

    _blas.cache_clear()  # other tests may have loaded a library since
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = now()
        one, two = single_threaded_blas(), single_threaded_blas()
        one.__enter__()
        two.__enter__()
        assert set(now()) == {1}
        one.__exit__(None, None, None)
        assert set(now()) == {1}
        two.__exit__(None, None, None)
        assert now() == before
