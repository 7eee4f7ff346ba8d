"""Summaries as bytes: a line of JSON that vouches for what follows, then one compressed body. No pickles.

The body is a JSON description, and behind it the arrays that it names, one after the other. docs/summary-format.md has
the layout.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .bins import BinnedColumn
from .counts import Counts, Distinct
from .facts import ColumnInfo
from .grid import BinGrid
from .rows import RowSample
from .table import ColumnSummary, TableSummary
from .totals import Totals

if TYPE_CHECKING:
    import polars as pl

FORMAT, VERSION = "twosample-summary", 1
_MOST = 1 << 31  # bytes of a body: a summary is never that large
_HEAD = 1000
Record = dict[str, Any]


def encode(summary: TableSummary) -> bytes:
    """The bytes of a summary."""
    body = _Writer()
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
    }
    text = json.dumps(record, separators=(",", ":"), allow_nan=False, sort_keys=True).encode("ascii")
    content = zlib.compress(len(text).to_bytes(8, "little") + text + b"".join(body.parts), 6)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "bytes": len(content),
        "plain": 8 + len(text) + sum(map(len, body.parts)),
        "sha256": sha256(content).hexdigest(),
    }
    return json.dumps(header).encode("ascii") + b"\n" + content


def decode(content: bytes, name: str) -> TableSummary:
    """The summary in some bytes, or what is wrong with them; `name` says what they are."""
    if not isinstance(content, bytes | bytearray | memoryview):
        raise InputError(f"{name} must be bytes, not {type(content).__name__}.")
    head, _, body = bytes(content).partition(b"\n")
    try:
        header = json.loads(head.decode("ascii")) if len(head) < _HEAD else None
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        _refuse(name, "the first line is not that of a summary")
    if header.get("version") != VERSION:
        _refuse(name, f"it has version {header.get('version')!r}, and this twosample reads version {VERSION}")
    if len(body) != header.get("bytes"):
        _refuse(name, f"it was cut off or added to: {len(body)} bytes instead of {header.get('bytes')}")
    if sha256(body).hexdigest() != header.get("sha256"):
        _refuse(name, "its contents have changed since they were written (checksum)")
    plain = header.get("plain")
    if not isinstance(plain, int) or not 8 <= plain <= _MOST:
        _refuse(name, "its size makes no sense")
    try:
        return _summary(_unpacked(body, plain))
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError, RecursionError, zlib.error) as error:
        _refuse(name, f"its contents do not make sense ({type(error).__name__}: {error})")


def _refuse(name: str, why: str) -> NoReturn:
    raise InputError(f"{name} is not a summary that can be used: {why}.") from None


def _unpacked(body: bytes, plain: int) -> bytes:
    """The body without compression, of a size that is known beforehand."""
    pump = zlib.decompressobj()
    found = pump.decompress(body, plain)
    if len(found) != plain or pump.unconsumed_tail or (not pump.eof and pump.decompress(b"", 1)):
        raise ValueError("the body has another size")
    return found


class _Writer:
    """Arrays behind the description; what is put gets a place, a length and a type."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.at = 0

    def put_bytes(self, content: bytes, kind: str = "bytes") -> list[Any]:
        self.parts.append(content)
        self.at += len(content)
        return [self.at - len(content), len(content), kind]

    def put(self, values: NDArray[Any]) -> list[Any]:
        """Numbers, little-endian; whole numbers in as many bytes as the largest needs."""
        if values.dtype.kind == "f":
            return self.put_bytes(values.astype("<f8").tobytes(), "f8")
        if values.dtype.kind == "u":
            return self.put_bytes(values.astype("<u8").tobytes(), "u8")
        whole = [int(value) for value in values.tolist()]
        width = max((value.bit_length() // 8 + 1 for value in whole), default=1)
        return self.put_bytes(b"".join(value.to_bytes(width, "little", signed=True) for value in whole), f"i{width}")


class _Reader:
    """The description, and the arrays behind it."""

    def __init__(self, plain: bytes) -> None:
        size = int.from_bytes(plain[:8], "little")
        if size > len(plain) - 8:
            raise ValueError("the description is cut off")
        self.record: Record = json.loads(plain[8 : 8 + size].decode("ascii"))
        self._arrays = memoryview(plain)[8 + size :]

    def bytes(self, place: Any) -> bytes:
        start, size, _ = place
        if not 0 <= start <= start + size <= len(self._arrays):
            raise ValueError("an array lies outside of the file")
        return bytes(self._arrays[start : start + size])

    def numbers(self, place: Any, kinds: str) -> NDArray[Any]:
        content, kind = self.bytes(place), str(place[2])
        if kind[:1] not in kinds:
            raise ValueError(f"an array of {kind}")
        if kind in ("f8", "u8"):
            return np.frombuffer(content, dtype=f"<{kind}").astype(np.float64 if kind == "f8" else np.uint64)
        width = int(kind[1:])
        if not 1 <= width <= 1000 or len(content) % width:
            raise ValueError(f"an array of {kind}")
        parts = (content[at : at + width] for at in range(0, len(content), width))
        whole = [int.from_bytes(part, "little", signed=True) for part in parts]
        return np.array(whole, dtype=np.int64 if width <= 8 else object)


def _column_record(column: ColumnSummary, body: _Writer) -> Record:
    counts = column.counts.values if column.counts is not None else None
    return {
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


def _totals_record(totals: Totals | None) -> list[Any] | None:
    return None if totals is None else [totals.count, hex(totals.total), hex(totals.squares)]


def _bound(value: float | str | None) -> str | list[str] | None:
    return [value.hex()] if isinstance(value, float) else value


def _bins_record(column: BinnedColumn | None, body: _Writer) -> Record | None:
    if column is None:
        return None
    used = np.flatnonzero(column.counts)
    arrays = [used, *column.sums[:, used]]
    return {
        "grid": [column.grid.unit, column.grid.start, column.grid.size, column.grid.dates],
        "quantum": column.quantum,
        "beyond": [column.below, column.above, column.missing],
        "cut": column.cut,
        "arrays": [body.put(values) for values in arrays],
    }


def _frame_bytes(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.rechunk().write_ipc(file)
    return file.getvalue()


def _summary(plain: bytes) -> TableSummary:
    import polars as pl

    reader = _Reader(plain)
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
    return TableSummary(str(record["name"]), rows, columns, held, _whole(record["seed"]), _whole(record["bins"]))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no number of rows")
    return value


def _column(record: Mapping[str, Any], reader: _Reader) -> ColumnSummary:
    hashes, method, exact = record["distinct"]
    totals, counts = record["totals"], record["counts"]
    low, high = (float.fromhex(end[0]) if isinstance(end, list) else end for end in record["range"])
    known = None if counts is None else Counts(None if counts is False else {str(v): _whole(n) for v, n in counts})
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
    )


def _bins(record: Mapping[str, Any] | None, reader: _Reader) -> BinnedColumn | None:
    if record is None:
        return None
    unit, start, size, dates = record["grid"]
    grid = BinGrid(int(unit), int(start), int(size), bool(dates))
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
