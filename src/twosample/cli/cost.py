"""What a long run will cost, said before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_FIXED = 3.0  # seconds: start, joint test
_PACKED = 80e6  # bytes of Parquet or Arrow, and of compressed text, that are read in a second
_TEXT = 70e6  # bytes of text
_TEXTS = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson")
_LONG = 10.0  # seconds worth a word


def forecast(sources: Sequence[str]) -> str | None:
    """What will be read and about how long that takes; None if it is soon done, or (as of databases) not known."""
    sizes = [_sizes(source) for source in sources]
    seconds = _FIXED + sum(packed / _PACKED + text / _TEXT for packed, text in sizes)
    if seconds < _LONG:
        return None
    parts = " and ".join(_bytes(packed + text) for packed, text in sizes if packed + text)
    return f"reading {parts}; this takes about {_duration(seconds)}"


def _sizes(source: str) -> tuple[int, int]:
    """Bytes of packed files and of text that a source stands for."""
    if "://" in source:
        return 0, 0
    from ..sources.folders import files_of  # loads NumPy, for which no help should wait

    packed = text = 0
    for place in map(Path, files_of(source)):
        if place.is_file():
            size = place.stat().st_size
            packed, text = (packed, text + size) if place.suffix.lower() in _TEXTS else (packed + size, text)
    return packed, text


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def _duration(seconds: float) -> str:
    """A length of time in round numbers."""
    if seconds < 90:
        return f"{5 * round(seconds / 5)} s"
    return f"{round(seconds / 60)} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
