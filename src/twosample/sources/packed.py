"""Packed text: what it is unpacked, without ever holding all of it.

A few megabytes can unpack to gigabytes. polars streams gz and zst, but keeps a whole line in memory, however long; bz2
and xz it does not know. So packed text is run through once when it is opened: its lines must be lines, its size must be
believable, and large bz2 and xz files are unpacked to a temporary file on the way.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from .._files import TemporaryCopy
from ..errors import SourceError
from .encodings import decoded, marked

PACKED = (".gz", ".zst", ".bz2", ".xz")
_TO_COPY = (".bz2", ".xz")
_CHUNK = 1 << 20
_LONGEST_LINE = 1 << 26
_LARGE = 1 << 30  # bytes of text that any packed file may unpack to
_RATIO = 300  # larger ones: not more than this times their packed size; usual is 3 to 50


@dataclass(frozen=True)
class TextFile:
    """A text file as polars is to read it."""

    path: Path  # where to read it: the file itself, or a copy
    size: int | None  # bytes of text; None if nothing here can unpack it to see
    held: TemporaryCopy | None = None  # the copy, which goes with the last reference to it


def suffixes(place: PurePath) -> tuple[str, str]:
    """The extension and that of the packing, in small letters.

    >>> suffixes(Path("a.b/Sales.CSV.gz")), suffixes(Path("sales.csv"))
    (('.csv', '.gz'), ('.csv', ''))
    """
    packing = place.suffix.lower() if place.suffix.lower() in PACKED else ""
    return (PurePath(place.stem) if packing else place).suffix.lower(), packing


def unpacked(place: Path) -> BinaryIO | None:
    """The text of a file as a stream of bytes; None if nothing here can unpack it."""
    packing = suffixes(place)[1]
    if packing == ".zst":
        return _zstandard(place)
    ways: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    stream: BinaryIO = ways.get(packing, Path.open)(place, "rb")
    return stream


def content(place: Path) -> bytes | Path:
    """The path where polars reads it as it is, else the unpacked content."""
    stream = unpacked(place) if suffixes(place)[1] in _TO_COPY else None
    if stream is None:
        return place
    with stream:
        return stream.read()


def _zstandard(place: Path) -> BinaryIO | None:
    if find_spec("pyarrow") is None:
        return None
    import pyarrow

    stream: BinaryIO = pyarrow.CompressedInputStream(str(place), "zstd")
    return stream


def as_text(place: Path, small: int, encoding: str | None = None) -> TextFile:
    """A text file, run through if it is packed; bz2 and xz are copied if they have more than `small` bytes.

    What is not in UTF-8, because the user or a mark at its beginning says so, is decoded to a copy.
    """
    suffix, packing = suffixes(place)
    stream = unpacked(place)
    if stream is None and encoding is not None:
        raise SourceError(f"{place} cannot be unpacked here to be decoded: install pyarrow, or unpack it first.")
    if stream is None:
        return TextFile(place, None)
    parts: Iterator[bytes]
    with stream:
        parts = _checked(stream, place) if packing else _chunks(stream)
        head = next(parts, b"")
        encoding = encoding or marked(head)
        if encoding is not None:
            copy = TemporaryCopy(decoded(chain([head], parts), encoding, place), suffix)
            return TextFile(copy.path, copy.path.stat().st_size, copy)
        if not packing:
            return TextFile(place, place.stat().st_size)
        parts = chain([head], parts)
        if packing not in _TO_COPY:
            return TextFile(place, sum(map(len, parts)))
        ahead: list[bytes] = []
        while sum(map(len, ahead)) <= small:
            part = next(parts, None)
            if part is None:
                return TextFile(place, sum(map(len, ahead)))
            ahead.append(part)
        copy = TemporaryCopy(chain(ahead, parts), suffix)
    return TextFile(copy.path, copy.path.stat().st_size, copy)


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while part := stream.read(_CHUNK):
        yield part


def _checked(stream: BinaryIO, place: Path) -> Iterator[bytes]:
    """The parts of a text, until something is wrong with it."""
    packed = place.stat().st_size
    total = line = 0
    for part in _chunks(stream):
        total += len(part)
        line = line + len(part) if b"\n" not in part else len(part) - part.rfind(b"\n") - 1
        if line > _LONGEST_LINE:
            raise SourceError(f"{place} holds a line of more than {_LONGEST_LINE >> 20} MB: this is no table as text.")
        if total > max(_LARGE, _RATIO * packed):
            raise SourceError(
                f"{place} unpacks to more than {_RATIO} times its size and to more than {total >> 30} GB, as files do "
                "that are made to do harm. If it is meant, unpack it first, and give the plain file."
            )
        yield part
