"""Other monitors on the same streams: an e-detector on batches; ADWIN, KSWIN and alibi-detect's online MMD on rows."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.watch_streams import Stream
from twosample.monitor.scan import Whitened


def e_detector(stream: Stream, reference: int, level: float) -> np.ndarray:
    """For each batch after the reference whether the sum of Shiryaev and Roberts has reached 1/level.

    Each batch has a conformal p-value: its rank among all so far by the largest surprise over views. Its e-value is the
    mixture of k p^(k - 1) over k in (0, 1).
    """
    rng, total, found = np.random.default_rng(0), 0.0, []
    views = [view for _, view in stream.plan.views]
    for t in range(reference, len(stream.features)):
        so_far = Whitened.of(stream.features[: t + 1], stream.strata[: t + 1], views)
        scores = so_far.surprises(np.arange(t + 1)[:, None], (1,)).max(axis=(1, 2))
        scores = scores[stream.strata[: t + 1] == stream.strata[t]]
        larger, ties = (scores > scores[-1]).sum(), (scores == scores[-1]).sum()
        p = (larger + rng.random() * ties) / len(scores)
        total = (total + 1) * (1 - p + p * np.log(p)) / (p * np.log(p) ** 2)
        found.append(total >= 1 / level)
        if found[-1]:
            total = 0.0
    return np.array(found)


def row_alarms(stream: Stream, reference: int) -> dict[str, np.ndarray]:
    """For each batch after the reference whether a monitor of rows said drift, for those that are installed."""
    found: dict[str, np.ndarray] = {}
    for variable, script in (("TWOSAMPLE_RIVER", _RIVER), ("TWOSAMPLE_ALIBI_DETECT_PYTHON", _ALIBI)):
        python = os.environ.get(variable)
        if python:
            found |= _run(python, script, stream, reference)
    return found


def _run(python: str, script: str, stream: Stream, reference: int) -> dict[str, np.ndarray]:
    names = [column.name for column in stream.plan.columns if column.form == "numeric"]
    with tempfile.TemporaryDirectory() as folder:
        frames = [frame.select(names).cast(float).fill_null(strategy="zero") for frame in stream.frames]
        values = np.concatenate([frame.to_numpy() for frame in frames])
        file = Path(folder, "rows.npz")
        np.savez(file, values=values, sizes=[len(frame) for frame in frames], reference=reference)
        done = subprocess.run([python, "-c", script, str(file)], capture_output=True, check=True)
    last = done.stdout.decode().splitlines()[-1]
    return {name: np.array(alarms) for name, alarms in json.loads(last).items()}


_RIVER = """
import sys, json, numpy as np
from river import drift
data = np.load(sys.argv[1]); values, sizes, reference = data["values"], data["sizes"], int(data["reference"])
ends = np.cumsum(sizes); found = {}
for name, make in {"ADWIN": lambda: drift.ADWIN(), "KSWIN": lambda: drift.KSWIN(seed=0)}.items():
    alarm = np.zeros(len(sizes), dtype=bool)
    for column in values.T:
        detector, batch = make(), 0
        for row, value in enumerate(column.tolist()):
            while row >= ends[batch]:
                batch += 1
            detector.update(value)
            alarm[batch] |= detector.drift_detected
    found[name] = alarm[reference:].tolist()
print(json.dumps(found))
"""

_ALIBI = """
import sys, json, numpy as np, torch
from alibi_detect.cd import MMDDriftOnline
torch.manual_seed(0); torch.set_num_threads(1)
data = np.load(sys.argv[1]); values, sizes, reference = data["values"], data["sizes"], int(data["reference"])
ends = np.cumsum(sizes); start = ends[reference - 1]
known = values[:start]
values = ((values - known.mean(0)) / np.where(known.std(0) > 0, known.std(0), 1)).astype(np.float32)
rows = np.random.default_rng(0).permutation(start)[:1000]
run_time = 50 * float(np.mean(sizes))  # thresholds of longer ones take more memory than there is
detector = MMDDriftOnline(
    values[rows], ert=run_time, window_size=20, n_bootstraps=int(1.2 * run_time), backend="pytorch", verbose=False
)
alarm, batch = np.zeros(len(sizes), dtype=bool), reference
for row in range(start, len(values)):
    while row >= ends[batch]:
        batch += 1
    if detector.predict(values[row])["data"]["is_drift"]:
        alarm[batch] = True
        detector.reset_state()
print(json.dumps({"online MMD": alarm[reference:].tolist()}))
"""
