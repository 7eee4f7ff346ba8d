"""Standard input and named pipes: they can be read once, so they are copied to a temporary file first."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from io import BufferedIOBase
from typing import cast

from .._files import TemporaryCopy, at_home
from ..errors import SourceError
from ..summaries import SUFFIX
from .encodings import marked

STDIN = "-"
_CHUNK = 1 << 20
_HEAD = 1 << 10
_SIGNS = {
    b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".ipc", b"PK\x03\x04": ".xlsx",
    b"\xd0\xcf\x11\xe0": ".xls", b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst", b'{"format": "twosample-summary"': SUFFIX,
}  # fmt: skip
_REFUSED = {
    rb"SQLite format 3\x00": "a SQLite database: give its file, as sqlite:///file.db::table",
    rb"<!doctype html|<html": "a web page, not a table: perhaps one that asks for a login",
}


def called(text: str) -> str:
    """A source as results and errors show it."""
    return "standard input" if text == STDIN else text


def is_pipe(text: str) -> bool:
    """Whether a source is standard input, a pipe (``<(zcat log.gz)`` of a shell too), or another device."""
    path = at_home(text)
    device = path.parent.as_posix() in ("/dev", "/dev/fd", "/proc/self/fd")  # leads to a file without its name
    return text == STDIN or (path.exists() and not path.is_dir() and (device or not path.is_file()))


def received(text: str, encoding: str | None = None) -> TemporaryCopy:
    """All that comes through a pipe, in a file whose extension says what it is."""
    if text != STDIN:
        with at_home(text).open("rb") as stream:
            return _copied(stream, called(text), encoding)
    if sys.stdin is None:
        raise SourceError("standard input is closed: give a file.")
    return _copied(cast(BufferedIOBase, sys.stdin.buffer), called(text), encoding)


def _copied(stream: BufferedIOBase, name: str, encoding: str | None) -> TemporaryCopy:
    """The copy. `read1`, because `read` sees no Ctrl-C that comes between two of its calls of the system."""
    head = b""
    while len(head) < _HEAD and (part := stream.read1(_HEAD - len(head))):
        head += part
    if not head:
        raise SourceError(f"{name} is empty, or was read already: it can be one table only.")

    def parts() -> Iterator[bytes]:
        yield head
        while part := stream.read1(_CHUNK):
            yield part

    return TemporaryCopy(parts(), extension_of(head, name, encoding))


def extension_of(head: bytes, name: str, encoding: str | None) -> str:
    """The extension for some content: packed text is taken for CSV unless its first sign is that of JSON."""
    code = encoding or marked(head)
    bare = head.decode(code, "ignore").encode() if code else head
    bare = bare.lstrip(b"\xef\xbb\xbf \t\r\n")
    for sign, what in _REFUSED.items():
        if re.match(sign, bare, re.IGNORECASE):
            raise SourceError(f"{name} is {what}.")
    suffix = next((suffix for sign, suffix in _SIGNS.items() if head.startswith(sign)), "")
    if suffix in (".gz", ".bz2", ".xz", ".zst"):
        return _inside(head, suffix) + suffix
    return suffix or _text_extension(bare)


def _text_extension(bare: bytes) -> str:
    """Of text without blanks at its beginning."""
    return ".jsonl" if bare.startswith(b"{") else ".json" if re.match(rb"\[\s*\{", bare) else ".csv"


def _inside(head: bytes, packing: str) -> str:
    """The extension of packed text, as far as its first kilobyte can be unpacked here."""
    import bz2
    import lzma
    import zlib

    ways = {".gz": lambda: zlib.decompressobj(31), ".bz2": bz2.BZ2Decompressor, ".xz": lzma.LZMADecompressor}
    try:
        text = ways[packing]().decompress(head, 64) if packing in ways else b""  # type: ignore[attr-defined]
    except (zlib.error, lzma.LZMAError, OSError):
        text = b""
    return _text_extension(text.lstrip())
