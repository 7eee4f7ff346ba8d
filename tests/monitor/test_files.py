"""The state of a watch as a file: the same bytes whichever way batches came, whole or refused, one writer at a time."""

import threading
import time

import pytest

import twosample as ts
from tests.monitor.streams import days
from twosample.monitor.files import alone


def test_the_same_bytes_in_one_call_or_in_many(reference, tmp_path):
    new = days(9, 5)
    one = ts.Monitor(reference)
    one.update(new)
    two = ts.Monitor(reference)
    for batch in new:
        two = ts.Monitor.from_bytes(two.to_bytes())
        two.update(batch)
    two.save(tmp_path / "state.tsw")
    assert one.to_bytes() == (tmp_path / "state.tsw").read_bytes()
    assert one.to_json() == ts.Monitor.load(tmp_path / "state.tsw").to_json()


def test_files_are_whole_or_refused(monitor, tmp_path):
    path = tmp_path / "watch.tsw"
    monitor.save(path)
    content = path.read_bytes()
    other = content.replace(b'"version": 1', b'"version": 9')
    for spoiled in (b"", content[:-1], content[:200] + b"x" + content[201:], b"{}\n", other):
        path.write_bytes(spoiled)
        with pytest.raises(ts.InputError, match="is not the state of a watch that can be used"):
            ts.Monitor.load(path)
    with pytest.raises(ts.InputError, match="cannot be read"):
        ts.Monitor.load(tmp_path / "no.tsw")
    with pytest.raises(ts.OptionError, match="must be the path"):
        monitor.save(3)
    with pytest.raises(ts.OptionError, match="must be the path"):
        ts.Monitor.load(3)


def test_one_writer_at_a_time(tmp_path):
    path, order = tmp_path / "watch.tsw", []

    def second():
        with alone(path):
            order.append("second")

    with alone(path):
        with pytest.raises(ts.OutputError, match="written by another process"), alone(path, patience=0.1):
            pass
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    assert list(tmp_path.iterdir()) == []
