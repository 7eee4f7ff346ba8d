"""Summaries as bytes, in the container of all that is kept. docs/summary-format.md has the layout."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._forks import check_threads
from ..core.types import Floats
from .bins import BinnedColumn
from .coded import LARGEST, CodedColumn
from .container import FileFormat, Reader, Record, Writer
from .counts import Counts, Distinct
from .facts import ColumnInfo
from .grid import BinGrid
from .points import Points
from .rows import RowSample
from .singles import BUCKETS, MOST_VALUES, STEPS, YEARS, SingleValues
from .sums import GROUPS, GroupSums, moments_of, width_of
from .table import ColumnSummary, TableSummary
from .totals import Totals

if TYPE_CHECKING:
    import polars as pl

_SIZE = (1 << 63) - 1  # a double but for its sign
FORMAT = FileFormat("twosample-summary", 4, "a summary")
_IN_PASSING = 0  # how hard to press what goes from one worker to another


def encode(summary: TableSummary, passing: bool = False) -> bytes:
    """The bytes of a summary; not pressed hard if they are only passed on."""
    check_threads()
    body = Writer()
    record = {
        "name": summary.name,
        "rows": summary.rows,
        "seed": summary.seed,
        "bins": summary.bins,
        "columns": [_column_record(column, body) for column in summary.columns],
        "sample": {
            "size": summary.sample.size,
            "keys": body.put(summary.sample.keys),
            "numbers": body.put(summary.sample.numbers),
            "frame": body.put_bytes(_frame_bytes(summary.sample.frame)),
        },
        "sums": _sums_record(summary.sums, body),
    }
    form = replace(FORMAT, packing=_IN_PASSING) if passing else FORMAT
    return form.pack(record, body)


def decode(content: bytes, name: str) -> TableSummary:
    """The summary in some bytes, or what is wrong with them; `name` says what they are."""
    check_threads()
    return FORMAT.unpack(content, name, _summary)


def _column_record(column: ColumnSummary, body: Writer) -> Record:
    counts = column.counts.values if column.counts is not None else None
    record = {
        "name": column.info.name,
        "storage": column.info.storage,
        "family": column.info.family,
        "missing": column.missing,
        "infinite": column.infinite,
        "range": [_bound(column.low), _bound(column.high)],
        "distinct": [body.put(column.distinct.hashes), column.distinct.method, column.distinct.exact],
        "totals": _totals_record(column.totals),
        "bins": _bins_record(column.bins, body),
        "dates": _bins_record(column.dates, body),
        "counts": None if column.counts is None else (False if counts is None else sorted(counts.items())),
    }
    if column.points is not None:
        record["points"] = [_points_record(part, body) for part in (column.points, column.date_points)]
    if column.singles is not None:
        record["singles"] = [_singles_record(part, body) for part in (column.singles, column.date_singles)]
    return record


def _sums_record(sums: GroupSums | None, body: Writer) -> Record | None:
    """By kinds of sums, so that small ones take few bytes: rows, features, products."""
    if sums is None:
        return None
    first = sums.width
    parts = np.split(sums.moments, [1, first] if sums.paired else [1], axis=1)
    return {
        "features": [
            [column.name, column.kind, _grid_record(column.bins), column.levels, column.clock, column.width,
             body.put(np.ascontiguousarray(column.table.T, dtype=np.int64))]
            for column in sums.features
        ],
        "moments": [body.put(np.ascontiguousarray(part.T)) for part in parts],
    }  # fmt: skip


def _grid_record(grid: BinGrid | None) -> list[Any] | None:
    return None if grid is None else [grid.unit, grid.start, grid.size, grid.dates]


def _singles_record(singles: SingleValues | None, body: Writer) -> list[Any] | None:
    if singles is None:
        return None
    known = [singles.values, singles.counts]
    if singles.buckets is not None:
        known += [singles.buckets, singles.classes]
    return [singles.dates, *(body.put(values) for values in known)]


def _points_record(points: Points | None, body: Writer) -> list[Any] | None:
    if points is None:
        return None
    first, shift, steps = _steps(points.values)
    return [points.most, points.unit, points.bits, points.whole, first, shift, body.put(steps), body.put(points.counts)]


def _steps(values: Floats) -> tuple[int, int, NDArray[np.int64]]:
    """Ascending doubles as small whole numbers: the place of the first among all doubles, and the steps to the next.

    Places are counted from 0, which has the place 0; all are multiples of ``2**shift``.
    """
    raw = values.view(np.int64)
    places = np.where(raw < 0, -(raw & _SIZE), raw)
    common = int(np.bitwise_or.reduce(places)) if len(places) else 0
    shift = (common & -common).bit_length() - 1 if common else 0
    places >>= shift
    return int(places[0]) if len(places) else 0, shift, np.diff(places)


def _totals_record(totals: Totals | None) -> list[Any] | None:
    return None if totals is None else [totals.count, hex(totals.total), hex(totals.squares)]


def _bound(value: float | str | None) -> str | list[str] | None:
    return [value.hex()] if isinstance(value, float) else value


def _bins_record(column: BinnedColumn | None, body: Writer) -> Record | None:
    if column is None:
        return None
    used = np.flatnonzero(column.counts)
    arrays = [used, *column.sums[:, used]]
    return {
        "grid": _grid_record(column.grid),
        "quantum": column.quantum,
        "beyond": [column.below, column.above, column.missing],
        "cut": column.cut,
        "arrays": [body.put(values) for values in arrays],
    }


def _frame_bytes(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.rechunk().write_ipc(file)
    return file.getvalue()


def _summary(reader: Reader) -> TableSummary:
    import polars as pl

    record, sample = reader.record, reader.record["sample"]
    try:
        frame = pl.read_ipc(io.BytesIO(reader.bytes(sample["frame"])))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"the rows cannot be read: {error}") from None
    keys, numbers = reader.numbers(sample["keys"], "f"), reader.numbers(sample["numbers"], "i")
    columns = tuple(_column(part, reader) for part in record["columns"])
    rows = _whole(record["rows"])
    if not len(frame) == len(keys) == len(numbers) <= rows or frame.columns != [part.info.name for part in columns]:
        raise ValueError("the rows do not belong to the columns")
    held = RowSample(_whole(sample["size"]), frame, keys, numbers)
    sums = None if record.get("sums") is None else _sums(record["sums"], reader)
    seed, bins = _whole(record["seed"]), _whole(record["bins"])
    return TableSummary(str(record["name"]), rows, columns, held, seed, bins, sums)


def _sums(record: Mapping[str, Any], reader: Reader) -> GroupSums:
    features = tuple(_coded(part, reader) for part in record["features"])
    parts = [reader.numbers(place, "i").reshape(-1, GROUPS).T for place in record["moments"]]
    moments = np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=np.int64)
    if moments.shape[1] != moments_of(width_of(features)) or int(moments[:, 0].min()) < 0:
        raise ValueError("sums of other features")
    return GroupSums(features, moments)


def _coded(record: list[Any], reader: Reader) -> CodedColumn:
    name, kind, grid, levels, clock, width, place = record
    known = None if levels is None else tuple(map(str, levels))
    values = reader.numbers(place, "i")
    if len(values) and int(np.abs(values).max()) > LARGEST:
        raise ValueError("features that are too large")
    table = np.ascontiguousarray(values.reshape(_whole(width), -1).T.astype(np.int8))
    found = CodedColumn(str(name), str(kind), None if grid is None else _grid(grid), known, bool(clock), table)
    if len(table) != found.size:
        raise ValueError("features of other codes")
    return found


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no number of rows")
    return value


def _column(record: Mapping[str, Any], reader: Reader) -> ColumnSummary:
    hashes, method, exact = record["distinct"]
    totals, counts = record["totals"], record["counts"]
    low, high = (float.fromhex(end[0]) if isinstance(end, list) else end for end in record["range"])
    known = None if counts is None else Counts(None if counts is False else {str(v): _whole(n) for v, n in counts})
    points, date_points = (_points(part, reader) for part in record.get("points", (None, None)))
    singles, date_singles = (_singles(part, reader) for part in record.get("singles", (None, None)))
    return ColumnSummary(
        ColumnInfo(str(record["name"]), str(record["storage"]), record["family"]),
        _whole(record["missing"]),
        _whole(record["infinite"]),
        low,
        high,
        Distinct(reader.numbers(hashes, "u"), str(method), bool(exact)),
        None if totals is None else Totals(_whole(totals[0]), int(totals[1], 16), int(totals[2], 16)),
        _bins(record["bins"], reader),
        _bins(record["dates"], reader),
        known,
        points,
        date_points,
        singles,
        date_singles,
    )


def _singles(record: list[Any] | None, reader: Reader) -> SingleValues | None:
    if record is None:
        return None
    dates, *places = record
    values, *known = (reader.numbers(place, kind) for place, kind in zip(places, "fiii", strict=False))
    sizes = [len(values)] if len(known) == 1 else [len(values), BUCKETS, YEARS.stop if dates else len(STEPS)]
    if [len(part) for part in known] != sizes or len(values) > (MOST_VALUES if len(known) == 1 else 2):
        raise ValueError("single values of other sizes")
    if np.isnan(values).any() or not (values[1:] > values[:-1]).all() or any((part < 0).any() for part in known):
        raise ValueError("single values out of order")
    counts, *others = known
    return SingleValues(values, counts, bool(dates), *others)


def _points(record: list[Any] | None, reader: Reader) -> Points | None:
    if record is None:
        return None
    most, unit, bits, whole, first, shift, *places = record
    steps, counts = (reader.numbers(place, "i") for place in places)
    if len(steps) != max(len(counts) - 1, 0) or not (steps > 0).all() or not (counts > 0).all():
        raise ValueError("points out of order")
    along = (np.concatenate([[first], steps])[: len(counts)]).cumsum() << _whole(shift)
    values = np.where(along < 0, -along | ~_SIZE, along).view(np.float64)
    if np.isnan(values).any() or not (values[1:] > values[:-1]).all():
        raise ValueError("points that are no numbers")
    if not (-1074 <= unit <= 1024 and 0 <= bits <= 52):
        raise ValueError(f"points of {bits} bits in units of 2^{unit}")
    return Points(values, counts, int(unit), int(bits), bool(whole), _whole(most))


def _grid(record: Sequence[Any]) -> BinGrid:
    unit, start, size, dates = record
    return BinGrid(int(unit), int(start), int(size), bool(dates))


def _bins(record: Mapping[str, Any] | None, reader: Reader) -> BinnedColumn | None:
    if record is None:
        return None
    grid = _grid(record["grid"])
    used, *sums = (reader.numbers(place, "i") for place in record["arrays"])
    if len(used) and not (int(used.min()) >= 0 and int(used.max()) < grid.size):
        raise ValueError("bins outside of the grid")
    found = np.stack(sums)
    wide = np.zeros((3, grid.size), dtype=found.dtype)
    wide[:, used.astype(np.intp)] = found
    if int(wide[0].min()) < 0:
        raise ValueError("fewer than no rows")
    quantum = int(record["quantum"])
    if not -1100 <= quantum <= grid.unit:
        raise ValueError(f"quantum {quantum}")
    cut = None if record["cut"] is None else (int(record["cut"][0]), int(record["cut"][1]))
    below, above, missing = map(_whole, record["beyond"])
    return BinnedColumn(grid, wide, quantum, below, above, missing, cut)
