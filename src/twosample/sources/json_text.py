"""JSON: one record in each line, or an array of records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._shown import shown
from ..errors import SourceError
from .packed import content, suffixes, unpacked

if TYPE_CHECKING:
    import polars as pl

_HEAD = 1 << 16
_LONGEST = 1 << 26  # bytes of a line
_ARRAY = re.compile(rb"\[\s*(\{|\]|$)")
_KEYS = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*(\[\s*\{)?')
_WANTED = 'A table is an array of records, [{"a": 1}, {"a": 2}], or one record in each line'


def scan_json_lines(place: Path, first: int | None) -> pl.LazyFrame:
    """One record in each line; the `first` so many of them say the types, or all."""
    import polars as pl

    return pl.scan_ndjson(content(place), infer_schema_length=first)


def scan_json(place: Path, first: int | None) -> pl.LazyFrame:
    """An array of records, read whole, in which all say the types; or lines as in :func:`scan_json_lines`.

    Spark and BigQuery write lines into files of this name.
    """
    import polars as pl

    stream = unpacked(place)
    if stream is None:
        raise SourceError(f"{place} cannot be unpacked here: install pyarrow, or unpack it first.")
    with stream:
        head = bytes(stream.read(_HEAD)).lstrip(b"\xef\xbb\xbf \t\r\n")
        while head.startswith(b"{") and b"\n" not in head and len(head) < _LONGEST and (part := stream.read(_HEAD)):
            head += part
        if _is_lines(head):
            return scan_json_lines(place, first)
        if not _ARRAY.match(head):
            raise _no_records(place, head.decode("utf-8", "replace"))
        whole = head + stream.read() if suffixes(place)[1] else place
    try:
        return pl.read_json(whole, infer_schema_length=None).lazy()
    except (pl.exceptions.ComputeError, pl.exceptions.SchemaError) as error:
        mixed = _mixed(whole)
        why = mixed or f"{str(error).splitlines()[0].rstrip('.')}. {_WANTED}; NaN is no JSON."
        failure = SourceError(f"{place} cannot be read: {why}")
    raise failure


def _mixed(whole: bytes | Path) -> str | None:
    """Which name has values of several shapes, which have no common type, in words; None if none has."""
    try:
        records = json.loads(whole if isinstance(whole, bytes) else whole.read_bytes())
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(record, dict) for record in records):
        return None
    known: dict[str, tuple[str, int]] = {}
    for number, record in enumerate(records, 1):
        for name, shape in _shapes("", record):
            before, at = known.setdefault(name, (shape, number))
            if before != shape:
                here = "the same record" if at == number else f"record {number:,}"
                return (
                    f"{shown(name, 80)!r} is {before} in record {at:,} and {shape} in {here}. All values of a name "
                    "must be of one kind: plain values, objects or arrays."
                )
    return None


def _shapes(name: str, value: object) -> Iterator[tuple[str, str]]:
    """The names in a value, those inside of others with a dot, with what they stand for."""
    if isinstance(value, dict):
        yield name, "an object"
        for key, part in value.items():
            yield from _shapes(f"{name}.{key}" if name else key, part)
    elif isinstance(value, list):
        yield name, "an array"
        for part in value:
            yield from _shapes(f"{name}[]", part)
    elif value is not None:
        yield name, "a plain value"


def _is_lines(head: bytes) -> bool:
    """Whether the first line is a record of its own, and another line begins one, or none follows."""
    line, _, rest = head.partition(b"\n")
    if not line.startswith(b"{") or (rest.strip() and not rest.lstrip().startswith(b"{")):
        return False
    return _is_record(line) and (bool(rest.strip()) or not _holds_table(json.loads(line)))


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _holds_table(value: dict[str, Any]) -> bool:
    """Whether a single record has arrays inside: records, or columns."""
    return any(
        isinstance(part, list) and part and (len(part) > 1 or isinstance(part[0], dict)) for part in value.values()
    )


def _no_records(place: Path, head: str) -> SourceError:
    """An error that says where the records may be."""
    found = next((match[1] for match in _KEYS.finditer(head) if match[2]), None)
    if found is None and head.startswith("{"):
        return SourceError(f"{place} is one object, not a list of records. {_WANTED}.")
    if found is None or not head.startswith("{"):
        return SourceError(f"{place} is no table. {_WANTED}.")
    way = f"jq '.[\"{found}\"]' {place.name} > table.json"
    return SourceError(f"{place} is one object, with an array of records in {found!r}. {_WANTED}: take it out, {way}.")
