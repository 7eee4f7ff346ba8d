"""Checksums of Parquet files: a writer may give one for each page, and polars does not look at them.

Without them a changed byte inside a page is another value, or none at all, and nobody can tell. So the pages of a file
that has checksums are run through once before its rows are read: CRC-32 over the bytes as they are stored, no decoding.
Where pages begin is said by the metadata at the end of the file, in the compact protocol of Thrift; of it this module
reads what it needs. See the Parquet format, "Checksumming", and parquet.thrift: numbers of fields below are from there.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any
from zlib import crc32

from ..core.threads import available_cores, run
from ..errors import SourceError

_MAGIC = b"PAR1"
_ROW_GROUPS, _COLUMNS, _OTHER_FILE, _METADATA = 4, 1, 1, 3  # of FileMetaData, RowGroup, ColumnChunk (two)
_SIZE, _DATA_PAGE, _INDEX_PAGE, _DICTIONARY_PAGE = 7, 9, 10, 11  # of ColumnMetaData
_STORED, _CRC = 3, 4  # of PageHeader


class _UnreadableError(Exception):
    """The bytes are not what they should be."""


def verify(places: Sequence[Path]) -> None:
    """Refuse Parquet files of which a page has another checksum than it says; silent about files without checksums."""
    for place in places:
        with place.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if _has_checksums(content):
                with memoryview(content) as view:
                    _verify(view, place)


def _has_checksums(content: mmap.mmap) -> bool:
    """Whether the first page of a file has one; it follows the first four bytes."""
    if content[:4] != _MAGIC or content[-4:] != _MAGIC:
        return False
    try:
        return _CRC in _Thrift(memoryview(content[: 1 << 16]), 4).struct()
    except _UnreadableError:
        return False


def _verify(view: memoryview, place: Path) -> None:
    damage = SourceError(f"{place} is damaged: a page does not match its checksum. Copy or write the file again.")

    def sound(chunk: tuple[int, int], stop: Event) -> bool:
        return all(found == said for found, said in _checksums(view, chunk, stop))

    try:
        chunks = list(_chunks(view))
        if not all(run(chunks, sound, available_cores())):
            raise damage
    except _UnreadableError:
        raise damage from None


def _chunks(view: memoryview) -> Iterator[tuple[int, int]]:
    """Where the pages of each column of each row group begin and end."""
    length = int.from_bytes(view[-8:-4], "little")
    for group in _structs(_Thrift(view, len(view) - 8 - length).struct().get(_ROW_GROUPS)):
        for column in _structs(group.get(_COLUMNS)):
            if _OTHER_FILE in column:
                continue
            facts = _structs([column.get(_METADATA)])[0]
            places = [_number(facts, key) for key in (_DICTIONARY_PAGE, _INDEX_PAGE, _DATA_PAGE) if facts.get(key)]
            start = min(places, default=0)
            yield start, start + _number(facts, _SIZE)


def _checksums(view: memoryview, chunk: tuple[int, int], stop: Event) -> Iterator[tuple[int, int]]:
    """For each page that has a checksum: what it is, and what it should be."""
    at, end = chunk
    while at < end and not stop.is_set():
        reader = _Thrift(view, at)
        header = reader.struct()
        at = reader.at + _number(header, _STORED)
        if not reader.at <= at <= end:
            raise _UnreadableError
        if _CRC in header:
            yield crc32(view[reader.at : at]), _number(header, _CRC) & 0xFFFFFFFF


def _structs(found: Any) -> list[dict[int, Any]]:
    """A list of structures, if it is one; none if nothing is there."""
    if found is not None and (not isinstance(found, list) or not all(isinstance(part, dict) for part in found)):
        raise _UnreadableError
    return found or []


def _number(found: dict[int, Any], key: int) -> int:
    """A field that must be a number."""
    if not isinstance(found.get(key), int):
        raise _UnreadableError
    return int(found[key])


@dataclass
class _Thrift:
    """Values in Thrift's compact protocol, from a place on; structures become dictionaries by number of field."""

    view: memoryview
    at: int

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The structure that begins here."""
        if depth > 20:
            raise _UnreadableError
        found, number = {}, 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._signed()
            found[number] = self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:  # noqa: PLR0911 - one for each kind of value
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._whole())
        if kind in (9, 10):
            return self._list(depth)
        if kind == 12:
            return self.struct(depth + 1)
        raise _UnreadableError

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._whole()
        if size > len(self.view):
            raise _UnreadableError
        kind = head & 15
        return [self._byte() == 1 if kind in (1, 2) else self._value(kind, depth) for _ in range(size)]

    def _byte(self) -> int:
        self._skip(1)
        return self.view[self.at - 1]

    def _skip(self, size: int) -> None:
        self.at += size
        if not 0 < self.at <= len(self.view):
            raise _UnreadableError

    def _whole(self) -> int:
        result, shift = 0, 0
        while shift < 70:
            byte = self._byte()
            result |= (byte & 127) << shift
            if byte < 128:
                return result
            shift += 7
        raise _UnreadableError

    def _signed(self) -> int:
        """A number whose last bit is its sign."""
        value = self._whole()
        return (value >> 1) ^ -(value & 1)
