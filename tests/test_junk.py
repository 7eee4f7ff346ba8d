"""Every public function with junk in every argument: an answer or an error of ours, nothing raw, and no hang."""

import inspect
import os
import random
from functools import partial

import numpy as np
import pytest

import twosample as ts
from tests.junk import FRAME, SAMPLES, VALUES, X, Y, trouble

CALLS = int(os.environ.get("TWOSAMPLE_JUNK", "150"))
"""Calls of each function, chosen at random; a large number makes all there are (32,000, in 20 s and minutes)."""
SLOW = {"rivals classifier_test": 20}
DATA = {
    "x", "y", "a", "b", "table", "reference", "new", "source", "bags_a", "bags_b", "objects", "value", "graph",
    "series", "batch", "X", "points", "rows", "other", "A", "xx", "xy", "yy", "matrix", "edges", "nodes", "at", "data",
    "content", "frequencies",
}  # fmt: skip
GOOD = {
    "n": 20, "margin": 0.1, "delta": 0.1, "size": 10, "m": 10, "deviation": ts.metrics.kolmogorov_deviation,
    "length": 3,
    "value": 0.5, "function": lambda a, b: a @ b.T, "factor": 2.0, "kernel": ts.Gaussian(1.0),
    "parts": (ts.Gaussian(1.0),),
    "columns": {"a": ts.Number()}, "nodes": 3, "width": 1.0, "x_groups": [0, 1] * 12, "y_groups": [0, 1] * 13,
    "graph": None,
    "matrix": np.eye(4), "table": FRAME, "reference": FRAME, "new": FRAME, "source": FRAME, "series": X,
    "place": "nowhere",
    "samples": [X, Y, X], "x": X, "y": Y, "a": X, "b": Y, "bags_a": [X, Y], "bags_b": None,
}  # fmt: skip
GOOD_OF = {
    "independence_test": {"x": ["u"], "y": ["v"]},
    "match_databases": {"a": {"t": X}, "b": {"t": Y}},
    "match_tables": {"a": [X], "b": [Y]},
    "as_graph": {"value": np.eye(3)},
    "compare": {"a": FRAME, "b": FRAME},
    "match": {"a": FRAME, "b": FRAME},
}
RESULTS = {
    "ColumnComparison", "ColumnPair", "Comparison", "DatabaseMatching", "DependenceWitness", "EffectSize",
    "GraphDataset", "IndependenceMatrix",
    "IndependenceResult", "Interval", "KSampleResult", "Kernel", "LipschitzWitness", "MatchedTables", "Matching",
    "NaiveMatching", "Outlier", "Outliers", "Pair",
    "Plan", "SamplePair", "StepWitness", "TableSummary", "TestResult", "Unmatched", "Witness", "WitnessRows",
    "ProgressBar", "Monitor",
}  # fmt: skip
"""Classes that functions return: nobody else makes objects of them."""


def public():
    found = {}
    for room in (ts, ts.rivals, ts.metrics, ts.graphs, ts.strings, ts.series, ts.matching):
        for name in getattr(room, "__all__", None) or dir(room):
            value = getattr(room, name)
            makes = inspect.isfunction(value) or (inspect.isclass(value) and not issubclass(value, BaseException))
            if makes and name not in RESULTS and not name.startswith("_"):
                found[f"{room.__name__.removeprefix('twosample').lstrip('.')} {name}".strip()] = value
    return found


def cases(function, good, calls=CALLS):
    """Every argument with every piece of junk while the others are good, in a random order."""
    wanted = inspect.signature(function).parameters.values()
    found = []
    for parameter in wanted:
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) and parameter.name != "progress":
            junk = SAMPLES if parameter.name in DATA else VALUES
            found += [(parameter.name, make) for make in junk]
    random.Random(7).shuffle(found)
    required = {p.name: good.get(p.name, X) for p in wanted if p.default is p.empty and p.kind not in (2, 4)}
    return [(required, name, make) for name, make in found[:calls]]


def call(function, required, name, junk):
    given = {**required, name: junk}
    parameters = inspect.signature(function).parameters.values()
    by_place = [given.pop(p.name) for p in parameters if p.kind == p.POSITIONAL_ONLY and p.name in given]
    return function(*by_place, **given)


def troubles(function, good, calls=CALLS):
    found = {}
    for required, name, make in cases(function, good, calls):
        junk = make()
        said = trouble(partial(call, function, required, name, junk))
        if said:
            found.setdefault(said, f"{name}: {type(junk).__name__}")
    return [f"{where}: {said}" for said, where in found.items()]


PUBLIC = public()


@pytest.mark.parametrize("name", PUBLIC)
def test_functions(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good = {**GOOD, **GOOD_OF.get(name.rpartition(" ")[2], {})}
    assert troubles(PUBLIC[name], good, min(CALLS, SLOW.get(name, CALLS))) == []


def test_that_there_are_thousands_of_calls():
    assert sum(len(cases(function, GOOD, 150)) for function in PUBLIC.values()) > 5000
