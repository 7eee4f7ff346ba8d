"""Files: CSV and its relatives, Parquet, Arrow, JSON, Excel, compressed or not, one or many."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal

from ..errors import SourceError, missing_extra
from ..summaries import SUFFIX
from ..summaries.files import decode
from .checksums import verify
from .encodings import unmarked
from .folders import Lake, meant_by, split_sheet
from .guard import Guard
from .json_text import scan_json, scan_json_lines
from .lakes import open_lake, stacked
from .local import LocalRows
from .packed import PACKED, as_text, content, suffixes, unpacked
from .pipes import called, is_pipe, received
from .summarized import SummaryRows, open_summary
from .values import distinct_names
from .written import PADDED

if TYPE_CHECKING:
    import polars as pl

    from .._files import TemporaryCopy

_Scan = Callable[[Path, Path, int | None], "pl.LazyFrame"]
"""Takes a text file, where its text is to be read, and how many rows say the types; None for all."""
_HEAD = 1 << 16
_ISO = r"^\s*\d{4}-\d{2}-\d{2}"
_COMMA = re.compile(r"[+-]?\d*,\d+")
_GROUP = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_POINT = re.compile(r"[+-]?(\d+(,\d{3})*\.\d*|\.\d+)([eE][+-]?\d+)?|[+-]?\d{1,3}(,\d{3}){2,}")
Format = Literal["csv", "parquet", "arrow", "jsonl", "json", "excel"]
_FORMATS: dict[str, Format] = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".json": "json",
    ".xlsx": "excel", ".xls": "excel", ".xlsb": "excel", ".xlsm": "excel", ".ods": "excel",
}  # fmt: skip
FORMATS = frozenset(_FORMATS)  # extensions of files that are tables
_FIRST = 10_000  # rows of a text file that types are inferred from at first
_DIGITS = 38  # of a decimal, as far as polars reads them
_SMALL = 1 << 25  # bytes of text below which all rows are used for that
MISSING = ("NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan")
"""Fields of a text file that stand for a missing value, besides the empty one."""


def open_files(source: str | os.PathLike[str], encoding: str | None = None) -> LocalRows | SummaryRows:
    """The rows of a file, of all files of a pattern, or of all files of a folder, as they follow by name.

    A pipe may hold a summary, too.

    The encoding is that of text files, as Python names it; None for UTF-8, or what a mark at their beginning says.
    """
    text = os.fspath(source)
    guard = Guard(called(text))
    if guard.run(lambda: is_pipe(text)):
        copy = guard.run(lambda: received(text, encoding))
        if copy.path.suffix == SUFFIX:
            return open_summary(decode(copy.path.read_bytes(), guard.name), guard.name)
        return open_copy(copy, guard, encoding)
    path, sheet = guard.run(lambda: (text, None) if Path(text).exists() else split_sheet(text))
    return _opened(path, sheet, guard, encoding)


def open_copy(copy: TemporaryCopy, guard: Guard, encoding: str | None, sheet: str | None = None) -> LocalRows:
    """The rows of a temporary file, which lives as long as they do; errors name what it is a copy of."""
    try:
        rows = _opened(str(copy.path), sheet, guard, encoding)
    except SourceError as error:
        copy.remove()
        failure = SourceError(str(error).replace(str(copy.path), guard.name))
    else:
        return replace(rows, held=[copy, rows.held])
    raise failure


def _opened(path: str, sheet: str | None, guard: Guard, encoding: str | None) -> LocalRows:
    found = guard.run(lambda: meant_by(path, FORMATS))
    if isinstance(found, Lake):
        return open_lake(found, guard)
    paths, keys = found.paths, found.columns()
    kinds = {file_format(place, path) for place in paths}
    if len(kinds) > 1:
        raise SourceError(f"{path} matches files of different formats ({', '.join(sorted(kinds))}). Narrow it down.")
    kind = kinds.pop()
    if sheet is not None and kind != "excel":
        raise SourceError(f"{path}::{sheet}: only a database or a workbook has parts after '::'.")
    if kind == "excel":
        frames = [guard.run(lambda place=place: _workbook(place, sheet)) for place in paths]  # type: ignore[misc]
        lazy = [frame.lazy().with_columns(keys[place]) for place, frame in zip(paths, frames, strict=True)]
        rows = LocalRows(guard.run(lambda: stacked(lazy).collect()), guard)
    elif kind in ("parquet", "arrow"):
        scan = _parquet if kind == "parquet" else _arrow
        rows = guard.run(lambda: _columnar([scan(place).with_columns(keys[place]) for place in paths], guard))
        rows = replace(rows, verify=partial(verify, paths)) if kind == "parquet" else rows
    else:
        text_scan = _TEXT_SCANS[kind]
        rows = _text_rows(
            paths, guard, encoding, lambda place, at, first: text_scan(at, first).with_columns(keys[place])
        )
    return replace(rows, notes=found.notes(path))


def _columnar(frames: list[pl.LazyFrame], guard: Guard) -> LocalRows:
    """Rows of Parquet and Arrow files; decimals of more digits than polars reads stand empty."""
    import polars as pl

    wide: dict[str, str] = {}
    for place, frame in enumerate(frames):
        types = frame.collect_schema().items()
        found = {name: kind for name, kind in types if isinstance(kind, pl.Decimal) and (kind.precision or 0) > _DIGITS}
        wide |= {name: f"Decimal256({kind.precision}, {kind.scale})" for name, kind in found.items()}
        frames[place] = frame.with_columns(pl.lit(None, pl.Binary).alias(name) for name in found)
    return LocalRows(stacked(frames), guard, unread=wide)


def _text_rows(paths: Sequence[Path], guard: Guard, encoding: str | None, scan: _Scan) -> LocalRows:
    texts = {place: guard.run(lambda place=place: as_text(place, _SMALL, encoding)) for place in paths}  # type: ignore[misc]
    small = sum(_SMALL + 1 if text.size is None else text.size for text in texts.values()) <= _SMALL

    def rows(first: int | None) -> pl.LazyFrame:
        frame = stacked(
            [_called(place, text.path, partial(scan, place, text.path, first)) for place, text in texts.items()]
        )
        frame.collect_schema()
        return frame

    if small:
        return LocalRows(guard.run(lambda: rows(None).collect(engine="streaming")), guard)
    held = [text.held for text in texts.values()]
    return LocalRows(guard.run(lambda: rows(_FIRST)), guard, counted=False, patient=lambda: rows(None), held=held)


def _called(place: Path, copy: Path, scan: Callable[[], pl.LazyFrame]) -> pl.LazyFrame:
    """A frame; errors name the file, and not the copy of it that is read."""
    try:
        return scan()
    except SourceError as error:
        failure = SourceError(str(error).replace(str(copy), str(place)))
    raise failure


def file_format(place: PurePath, given: str) -> Format:
    """The format of a file by its name."""
    suffix, packed = suffixes(place)
    known = _FORMATS.get(suffix)
    if known is None:
        raise SourceError(
            f"{given}: the extension {suffix or '(none)'!r} of {place.name!r} is not known. Known are "
            f"{', '.join(sorted(_FORMATS))}, text also with {', '.join(PACKED)}. A database is given by a URL such as "
            "'sqlite:///file.db::table'."
        )
    if packed and known not in ("csv", "jsonl", "json"):
        raise SourceError(f"{given}: compressed {known} files are not read. Unpack {place.name!r} first.")
    return known


def guessed(files: Sequence[str]) -> bool:
    """Whether all of them are text, of which a reader guesses what the values are: "true" is a truth, "yes" a word."""
    return bool(files) and all(_FORMATS.get(suffixes(PurePath(name))[0]) == "csv" for name in files)


def dateless(files: Sequence[str], engine: str) -> bool:
    """Whether dates can only be text there: in CSV, JSON and SQLite."""
    forms = {_FORMATS.get(suffixes(PurePath(name))[0]) for name in files}
    return engine == "sqlite" or (bool(forms) and forms <= {"csv", "json", "jsonl"})


def _beginning(place: Path) -> str:
    """The first whole lines of a text file, to guess its marks from."""
    stream = unpacked(place)
    if stream is None:
        return head_lines(place)
    with stream:
        head = bytes(stream.read(_HEAD))
    guess = unmarked(head)
    if guess is not None:
        raise SourceError(f"{place} is no text in UTF-8. If it is in UTF-16 without a mark, say encoding={guess!r}.")
    if b"\r" in head and b"\n" not in head:
        raise SourceError(f"{place} ends its lines with CR alone: convert them first, for example with tr '\\r' '\\n'.")
    if len(head) == _HEAD:
        head = head[: head.rfind(b"\n") + 1] or head
    return head.decode("utf-8", "replace")


def head_lines(place: Path | str) -> str:
    """The same of a file that only polars can unpack or reach: lines are fields without a separator."""
    import polars as pl

    lines = pl.read_csv(place, has_header=False, separator="\x1f", quote_char=None, n_rows=1000, infer_schema=False)
    return "\n".join(lines.fill_null("").to_series().to_list()) if lines.width else ""


def _csv(place: Path, first: int | None) -> pl.LazyFrame:
    usual = "\t" if suffixes(place)[0] in (".tsv", ".tab") else ","
    return csv_frame(content(place), _beginning(place), usual, first)


def csv_frame(source: bytes | Path | str, head: str, usual: str, first: int | None) -> pl.LazyFrame:
    """The rows of a text file, or of those that a URL stands for.

    The mark between fields is guessed from its first lines, `head`: the `usual` one, unless the names have more of
    others. The `first` so many rows say the types, or all of them.
    """
    import polars as pl

    line, _, rows = head.partition("\n")
    separator = _separator(line, usual)
    scan = partial(
        pl.scan_csv,
        source,
        separator=separator,
        decimal_comma=separator != "," and _decimal_commas(rows, separator),
        null_values=list(MISSING),
        try_parse_dates=True,
        with_column_names=_unquoted if '""' in head else None,  # Ctrl-C in a function that polars calls is a crash
        glob=isinstance(source, str),
    )
    frame = scan(infer_schema_length=first)
    found, text = frame.collect_schema(), scan(infer_schema_length=0, n_rows=first)
    whole = [name for name, kind in found.items() if kind.is_integer()]
    dates = [name for name, kind in found.items() if kind == pl.Date or isinstance(kind, pl.Datetime)]
    times = [name for name, kind in found.items() if kind == pl.Time]  # 3:2 is none, and 25:00:00 is one to us
    codes = [*_with(text, whole, pl.all().str.contains(PADDED)), *_with(text, dates, ~pl.all().str.contains(_ISO))]
    as_text = codes + times
    return scan(infer_schema_length=first, schema_overrides=dict.fromkeys(as_text, pl.String)) if as_text else frame


def _separator(header: str, usual: str) -> str:
    """The usual mark, unless others are more frequent in the names; a tab is no part of a name."""
    bare = re.sub(r'"[^"]*"', "", header)
    if usual == "\t" and usual in bare:
        return usual
    return max(usual + ",;\t|", key=bare.count)


def _decimal_commas(rows: str, separator: str) -> bool:
    """Whether some number is written as 2,5, which 1,234 may not be, and none as 2.5 or 1,234,567."""
    fields = [field.strip(' "\r') for row in rows.split("\n") for field in row.split(separator)]
    commas = [field for field in fields if _COMMA.fullmatch(field)]
    return not all(map(_GROUP.fullmatch, commas)) and not any(map(_POINT.fullmatch, fields))


def _with(text: pl.LazyFrame, names: Sequence[str], trait: pl.Expr) -> list[str]:
    """The columns of which some value has a trait: codes such as 00123, which as numbers would lose their zeros."""
    import polars.selectors as cs

    if not names:
        return []
    asked = text.select(cs.by_name(*names)).select(trait.any())
    return [part.name for part in asked.collect(engine="streaming") if part.item()]


def _unquoted(names: list[str]) -> list[str]:
    """Names of a header: a doubled quote is one; names that come twice are told apart."""
    return distinct_names([name.replace('""', '"') for name in names])


def _parquet(place: Path) -> pl.LazyFrame:
    import polars as pl

    return pl.scan_parquet(place, glob=False, hive_partitioning=False)


def _arrow(place: Path) -> pl.LazyFrame:
    """An Arrow file, or a stream of record batches."""
    import polars as pl

    with place.open("rb") as stream:
        is_file = stream.read(6) == b"ARROW1"
    return pl.scan_ipc(place, glob=False) if is_file else pl.read_ipc_stream(place).lazy()


def _workbook(place: Path, sheet: str | None) -> pl.DataFrame:
    import polars as pl

    try:
        import fastexcel  # noqa: F401
    except ImportError:
        raise missing_extra("Workbooks need fastexcel", "excel") from None
    try:
        return pl.read_excel(place, sheet_name=sheet, infer_schema_length=None)
    except ValueError as error:
        raise SourceError(f"{place}::{sheet}: {error}") from None


_TEXT_SCANS: dict[Format, Callable[[Path, int | None], pl.LazyFrame]] = {
    "csv": _csv,
    "jsonl": scan_json_lines,
    "json": scan_json,
}
