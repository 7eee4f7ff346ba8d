"""Every method of what public functions return, with junk in every argument."""

import inspect

import numpy as np
import pytest

import twosample as ts
from tests.junk import FRAME, X, Y
from tests.test_junk import CALLS, GOOD, troubles

OBJECTS = [
    ts.Sketch().update(X[:, 0]), ts.Sketch(ts.GroupedFeatures(8)).update(X), ts.summarize(FRAME),
    ts.LinearTimeMMD(ts.Gaussian(1.0)).update(X, Y), ts.mmd_test(X, Y, rng=0), ts.hsic_test(X, X, rng=0),
    ts.witness(X, Y), ts.dependence_witness(X, X), ts.independence_matrix(X), ts.compare(FRAME, FRAME),
    ts.match(FRAME, FRAME), ts.MeanEmbeddingOutlierDetector(level=0.2).fit(X), ts.Precomputed(np.eye(4)),
    ts.graphs.Graph(3, [[0, 1], [1, 2]]), ts.outliers(FRAME, FRAME), ts.metrics.witness(X, Y),
    ts.metrics.witness(X[:, 0], Y[:, 0], metric="kolmogorov"),
]  # fmt: skip
OTHERS = {"plot", "plot_pair", "get_params", "set_params", "fit_predict"}
"""What draws, and what scikit-learn brings along."""
GOOD_HERE = {
    **GOOD, "path": "nowhere", "data": b"", "other": OBJECTS[0], "X": X, "batch": X, "points": X, "A": np.eye(3),
    "xx": np.eye(2), "xy": np.zeros((2, 2)), "yy": np.eye(2), "content": b"", "frequencies": X[:, :1], "at": X,
    "objects": ["a", "b"], "name": "u", "pair": None, "kernel": ts.strings.Spectrum(),
}  # fmt: skip


def methods():
    for place, thing in enumerate(OBJECTS):
        for name, method in inspect.getmembers(thing, callable):
            behind_the_door = isinstance(thing, ts.Kernel) and name not in ("load", "save", "of", "from_blocks")
            public = name == "__call__" or not name.startswith("_")
            if public and name not in OTHERS and not behind_the_door and inspect.signature(method).parameters:
                yield pytest.param(method, id=f"{place} {type(thing).__name__}.{name}")


@pytest.mark.parametrize("method", list(methods()))
def test_methods(method, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert troubles(method, GOOD_HERE, CALLS) == []
