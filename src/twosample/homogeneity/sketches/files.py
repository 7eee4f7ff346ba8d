"""Sketches as files: two lines of JSON, a header that vouches for the body, and the body. See docs/sketch-format.md."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..._files import read_whole, write_whole
from ...core.types import Floats
from ...errors import OptionError
from ...kernels import Gaussian, Kernel, Laplace, Matern, Product, RationalQuadratic, Scaled, Sum
from ...summaries import BinGrid, BinnedColumn
from ...summaries.container import FileFormat
from .bins import BinnedMoments, Bins
from .groups import GroupedFeatures, SketchSums

FORMAT = FileFormat("twosample-sketch", 1, "a sketch")

State = Bins | SketchSums
Record = dict[str, Any]

_KERNELS: dict[str, type[Kernel]] = {
    kind.__name__: kind for kind in (Gaussian, Laplace, Matern, RationalQuadratic, Scaled, Sum, Product)
}
_ROUNDING = 1e-6
_MOST = 1 << 53  # rows: up to here doubles count them
_FAR = 1 << 54  # bins from 0: beyond, a bin is narrower than the distance between doubles
_LARGEST = 2.0**1020


def write(state: State, path: str | os.PathLike[str]) -> None:
    """Write a file, whole or not at all."""
    record = _bins_record(state) if isinstance(state, Bins) else _groups_record(state)
    body = json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii")
    header = {"format": FORMAT.name, "version": 1, "bytes": len(body), "sha256": sha256(body).hexdigest()}
    write_whole(path, json.dumps(header).encode("ascii") + b"\n" + body + b"\n")


def read(path: str | os.PathLike[str]) -> State:
    """Read a file, or say what is wrong with it."""
    content, name = read_whole(path), os.fspath(path)
    body = FORMAT.opened(content.removesuffix(b"\n"), name)[1]
    return FORMAT.made(lambda: _state(json.loads(body.decode("ascii"), parse_constant=_no_number)), name)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}")


def _state(record: Mapping[str, Any]) -> State:
    kind = record["kind"]
    if kind == "bins":
        return _bins(record)
    if kind == "groups":
        return _groups(record)
    raise ValueError(f"kind {kind!r} is neither 'bins' nor 'groups'")


def _bins_record(state: Bins) -> Record:
    column = state.column
    moments, used = column.moments, np.flatnonzero(column.counts)
    return {
        "kind": "bins",
        "bins": int(state.layout.bins),
        "span": state.layout.span,
        "unit": column.grid.unit,
        "start": column.grid.start,
        "length": column.grid.size,
        **({} if column.quantum == column.grid.unit else {"quantum": column.quantum}),
        "cut": column.cut,
        "below": column.below,
        "above": column.above,
        "bin": used.tolist(),
        "count": column.counts[used].tolist(),
        "first": moments[1, used].tolist(),
        "second": moments[2, used].tolist(),
    }


def _bins(record: Mapping[str, Any]) -> Bins:
    span = None if record["span"] is None else tuple(_numbers(record["span"], np.float64).tolist())
    layout = BinnedMoments(_whole(record, "bins", 64), span)  # which checks that it is two
    unit, start, length = _whole(record, "unit", -1000), _whole(record, "start", -_FAR), _whole(record, "length", 1)
    below, above = _whole(record, "below", 0), _whole(record, "above", 0)
    _require(length <= layout.bins and unit <= 1000 and start <= _FAR, "unit, start and number of bins")
    _require(max(-start, start + length) * 2.0**unit < _LARGEST, "bins within the range of doubles")
    cut = None if record["cut"] is None else tuple(_numbers(record["cut"], np.int64).tolist())
    low, high = (0, length) if cut is None else cut
    _require(0 <= low <= high <= length, "a cut within the bins")
    moments = _moments(record, low, high, length)
    _require(moments[0].sum() + below + above <= _MOST, "counts that a double can hold")
    quantum = _whole({"quantum": unit, **record}, "quantum", -1100)  # older files have none
    _require(unit - 60 <= quantum <= unit, "a quantum that belongs to the bins")
    column = BinnedColumn.of_floats(BinGrid(unit, start, length), moments, below, above, quantum=quantum)
    return Bins(layout, replace(column, cut=cut))


def _moments(record: Mapping[str, Any], low: int, high: int, length: int) -> Floats:
    """``(3, length)`` counts and sums, of bins from `low` to `high` only."""
    used, count = (_numbers(record[name], np.int64) for name in ("bin", "count"))
    first, second = (_numbers(record[name], np.float64) for name in ("first", "second"))
    _require(len(used) == len(count) == len(first) == len(second), "as many bins as counts and sums")
    _require(not len(used) or (used[0] >= low and used[-1] < high and (np.diff(used) > 0).all()), "bins in order")
    _require(((count > 0) & (count <= _MOST)).all(), "positive counts")
    count = count.astype(np.float64)
    _require((np.abs(first) <= 0.5 * count + _ROUNDING).all(), "first moments within bins")
    _require((second <= 0.25 * count + _ROUNDING).all(), "second moments within bins")
    _require((second * count - first**2 >= -_ROUNDING * count**2).all(), "second moments not below squared means")
    moments = np.zeros((3, length))
    moments[:, used] = count, first, second
    return moments


def _groups_record(state: SketchSums) -> Record:
    return {
        "kind": "groups",
        "kernel": _kernel_record(state.kernel),
        "standardise": bool(state.layout.standardise),
        "seed": int(state.layout.seed),
        "location": state.location.tolist(),
        "scale": state.scale.tolist(),
        "frequencies": state.waves.tolist(),
        "weights": state.weights.tolist(),
        "turn": state.turn,
        "sizes": state.sizes.tolist(),
        "sums": state.sums.tolist(),
        "names": list(state.names),
    }


def _groups(record: Mapping[str, Any]) -> SketchSums:
    kernel = _kernel(record["kernel"])
    location, scale = (_numbers(record[name], np.float64) for name in ("location", "scale"))
    waves, sums = (_numbers(record[name], np.float64, 2) for name in ("frequencies", "sums"))
    weights, sizes = _numbers(record["weights"], np.float64), _numbers(record["sizes"], np.int64)
    d, J, G = len(location), len(weights), len(sizes)
    _require(d > 0 and scale.shape == (d,) and waves.shape == (J, d) and sums.shape == (G, 2 * J), "arrays that fit")
    _require((scale > 0).all() and (weights >= 0).all() and (sizes >= 0).all(), "positive scales, weights and sizes")
    _require(sum(sizes.tolist()) <= _MOST, "sizes that a double can hold")
    top = float(kernel.diagonal(np.zeros((1, d)))[0])
    _require(abs(weights.sum() - top) <= _ROUNDING * top, "weights that sum to k(x, x)")
    _require(type(record["standardise"]) is bool, "standardise to be true or false")
    largest = np.outer(sizes, np.sqrt(np.concatenate([weights, weights])))
    _require((np.abs(sums) <= largest * (1 + _ROUNDING)).all(), "sums of numbers that are at most 1")
    turn = None if record["turn"] is None else _whole(record, "turn", 0) % G
    layout = GroupedFeatures(G, J, kernel, standardise=record["standardise"], seed=_whole(record, "seed", 0))
    names = record.get("names", [])  # files written before they were kept have none
    _require(isinstance(names, list) and all(isinstance(name, str) for name in names), "names that are text")
    _require(len(names) in (0, d), "as many names as columns")
    return SketchSums(layout, kernel, location, scale, waves, weights, sums, sizes, turn, tuple(names))


def _kernel_record(kernel: Kernel) -> Record:
    """The name of the kernel and its parameters; those of a sum, product or multiple hold kernels."""
    name = type(kernel).__name__
    if _KERNELS.get(name) is not type(kernel):
        raise OptionError(f"{kernel!r} cannot be written to a file.")

    def written(value: Any) -> Any:
        if isinstance(value, tuple):
            return [_kernel_record(part) for part in value]
        return _kernel_record(value) if isinstance(value, Kernel) else float(value)

    return {"name": name, **{key: written(value) for key, value in vars(kernel).items()}}


def _kernel(record: Mapping[str, Any]) -> Kernel:
    def parsed(value: Any) -> Any:
        if isinstance(value, list):
            return tuple(_kernel(part) for part in value)
        return _kernel(value) if isinstance(value, dict) else value

    options = {key: parsed(value) for key, value in record.items()}
    name = options.pop("name")
    if name not in _KERNELS:
        raise ValueError(f"the kernel {name!r} is not known")
    kernel = _KERNELS[name](**options)
    _require(not kernel.needs_bandwidth, "a bandwidth")
    return kernel


def _numbers(values: object, kind: type[np.int64 | np.float64], dimensions: int = 1) -> NDArray[Any]:
    _require(isinstance(values, list), "lists of numbers")
    array = np.array(values, dtype=kind, ndmin=1) if values else np.empty((0,) * dimensions, dtype=kind)
    _require(array.ndim == dimensions and bool(np.isfinite(array).all()), f"{dimensions}-dimensional finite numbers")
    numbers = (int,) if kind is np.int64 else (int, float)
    _require(all(type(value) in numbers for value in np.asarray(values, dtype=object).flat), "(whole) numbers")
    return array


def _whole(record: Mapping[str, Any], name: str, least: int) -> int:
    value = record[name]
    _require(type(value) is int and value >= least, f"{name} a whole number of at least {least}")
    return int(value)


def _require(holds: bool | np.bool_, what: str) -> None:
    if not holds:
        raise ValueError(f"expected {what}")
