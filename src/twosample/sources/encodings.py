"""Text in other encodings than UTF-8: decoded to a temporary copy, because polars reads UTF-8 alone."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import OptionError, SourceError

_MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16",
          codecs.BOM_UTF16_BE: "utf-16"}  # fmt: skip
_ZEROS = 0.2  # of the bytes: text in UTF-8 has none


def checked_encoding(name: object) -> str | None:
    """The name of an encoding of text as Python has it; None for UTF-8, which needs nothing done.

    >>> checked_encoding("latin1"), checked_encoding("UTF-8")
    ('iso8859-1', None)
    """
    try:
        found = codecs.lookup(name) if isinstance(name, str) else None
    except (LookupError, ValueError):
        found = None
    if found is None or not getattr(found, "_is_text_encoding", True):
        raise OptionError(f"encoding={name!r} is not known. Names are 'latin-1', 'cp1252', 'utf-16', 'shift_jis', ...")
    return None if found.name in ("utf-8", "utf-8-sig") else found.name


def marked(head: bytes) -> str | None:
    """The encoding that the mark at the beginning of a text names; None for UTF-8, and without a mark."""
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def unmarked(head: bytes) -> str | None:
    """The encoding that text without a mark looks like, if every other byte is zero: that of UTF-16."""
    odd, even = head[1::2].count(0), head[::2].count(0)
    if max(odd, even) < _ZEROS * max(len(head), 1):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def decoded(parts: Iterable[bytes], encoding: str, place: Path) -> Iterator[bytes]:
    """The parts of a text in UTF-8; errors call it by its place."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    seen = 0
    try:
        for part in parts:
            yield decoder.decode(part).encode("utf-8")
            seen += len(part)
        yield decoder.decode(b"", final=True).encode("utf-8")
    except UnicodeError as error:
        wrong = error
    else:
        return
    where = f" (near byte {seen + wrong.start:,})" if isinstance(wrong, UnicodeDecodeError) else ""
    raise SourceError(f"{place} is not in the encoding {encoding}{where}: name another, such as encoding='latin-1'.")
