"""Which files a path, a pattern or a folder stands for, and the columns that the names of folders give them.

A folder ``year=2024/month=07``, as Hive and Spark write it, gives the columns ``year`` and ``month`` to what is below.
Folders in a format that says elsewhere which of their files count are recognised here, and read in `lakes.py`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from .._files import at_home
from .._numbers import counted
from ..errors import SourceError
from .packed import suffixes

if TYPE_CHECKING:
    import polars as pl

Keys = Mapping[str, str | None]  # the text of key columns by their names; None where there is none
_NO_VALUE = ("__HIVE_DEFAULT_PARTITION__", "")
_WHOLE, _NUMBER = r"^[+-]?\d+$", r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_DATE, _TIME = r"^\d{4}-\d{2}-\d{2}$", r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d+)?$"


@dataclass(frozen=True)
class Lake:
    """A table in a folder that also holds deleted and replaced rows, and a log of those that count."""

    format: Literal["Delta", "Iceberg", "Hudi"]  # who wrote it
    path: Path  # the folder; of Iceberg perhaps one of its metadata files

    @property
    def folder(self) -> Path:
        """The folder."""
        return self.path if self.path.is_dir() else self.path.parent.parent


@dataclass(frozen=True)
class Files:
    """Files in the order of their names."""

    paths: Sequence[Path]  # where they are
    keys: Sequence[Keys]  # the key columns of each of them, the same ones for all
    skipped: Sequence[Path] = ()  # other files of the folder, which are no tables
    lake: Lake | None = None  # the table that the only file is a part of

    def notes(self, text: str) -> tuple[str, ...]:
        """What was not read, or may not count, in words."""
        if self.lake is not None:
            table = f"the {self.lake.format} table {self.lake.folder}"
            return (f"{text} is one file of {table}, which may have deleted or replaced its rows: give that folder.",)
        if not self.skipped:
            return ()
        names = ", ".join(place.name for place in self.skipped[:5]) + (", ..." if len(self.skipped) > 5 else "")
        return (f"{text}: {counted(len(self.skipped), 'file')} not read, because no table is called so: {names}",)

    def columns(self) -> dict[Path, list[pl.Expr]]:
        """The key columns of each file as constants."""
        import polars as pl

        names = self.keys[0] if self.keys else ()
        typed = {name: _typed(pl.Series([keys[name] for keys in self.keys], dtype=pl.String)) for name in names}
        return {
            path: [pl.lit(values[place], values.dtype).alias(name) for name, values in typed.items()]
            for place, path in enumerate(self.paths)
        }


def _typed(text: pl.Series) -> pl.Series:
    """Whole numbers, numbers, dates or times if all values are such, as Spark reads them; else the text."""
    import polars as pl

    given = text.drop_nulls()
    ways: dict[str, Callable[[], pl.Series]] = {
        _WHOLE: lambda: text.cast(pl.Int64, strict=False),
        _NUMBER: lambda: text.cast(pl.Float64, strict=False),
        _DATE: lambda: text.str.to_date("%Y-%m-%d", strict=False),
        _TIME: lambda: text.str.replace("T", " ").str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False, time_unit="us"),
    }
    for form, read in ways.items():
        if len(given) and given.str.contains(form).all():
            found = read()
            if found.null_count() == text.null_count():
                return found
    return text


def meant_by(text: str, known: Collection[str] = ()) -> Files | Lake:
    """The files of a path, a pattern or a folder, or the table that a folder is.

    Files of a folder that have none of the known extensions of tables are skipped, if any has one. ``.txt`` is one only
    if there is no other, because it may be a note to the reader.
    """
    path = at_home(text)
    if path.is_dir():
        return _in_folder(path, text, known)
    if path.exists():
        is_table = path.name.endswith(".metadata.json")
        return Lake("Iceberg", path) if is_table else Files([path], [{}], lake=next(_lakes_around([path]), None))
    found = sorted(Path(place) for place in glob.glob(str(path), recursive=True)) if glob.has_magic(text) else []  # noqa: PTH207
    if not found:
        what = "No file matches" if glob.has_magic(text) else "There is no file"
        raise SourceError(f"{what} {text}. Check the path; relative ones start at the current folder.")
    files = [place for place in found if place.is_file()]
    folders = [place for place in found if place.is_dir()]
    if not files and len(folders) == 1:
        return _in_folder(folders[0], text, known)
    if not files:
        raise SourceError(f"{text} matches no files, but {_listed(folders)}. Give one of them, or a pattern of files.")
    return _with_keys(files, _written_out(path), text, folders)


def lake_at(folder: Path) -> Lake | None:
    """The table that a folder is, if it is one."""
    if (folder / "_delta_log").is_dir():
        return Lake("Delta", folder)
    if any(folder.glob("metadata/*.metadata.json")):
        return Lake("Iceberg", folder)
    return Lake("Hudi", folder) if (folder / ".hoodie").is_dir() else None


def _in_folder(folder: Path, text: str, known: Collection[str]) -> Files | Lake:
    lake = lake_at(folder)
    if lake is not None:
        return lake
    inside = sorted(place for place in folder.iterdir() if _visible(place.name))
    folders = [place for place in inside if place.is_dir()]
    seen = {folder.resolve()}
    keyed = [file for place in folders if _key(place.name) for file in _below(place, seen)]
    files = [*(place for place in inside if place.is_file()), *keyed]
    if not files and folders:
        raise SourceError(f"{text} holds no files, but {_listed(folders)}. Give one of them, or a pattern of files.")
    if not files:
        raise SourceError(f"{text} is an empty folder. Give a file, or a pattern such as 'folder/*.parquet'.")
    tables = _tables(files, known)
    skipped = [place for place in files if place not in tables]
    return replace(_with_keys([place for place in files if place in tables], folder, text), skipped=skipped)


def _tables(files: Sequence[Path], known: Collection[str]) -> set[Path]:
    """Those that are tables by their extension; all if none is, so that an error can name one."""
    found = [place for place in files if suffixes(place)[0] in known]
    sure = [place for place in found if suffixes(place)[0] != ".txt"]
    return set(sure or found or files)


def _below(folder: Path, seen: set[Path]) -> Iterator[Path]:
    """All files below a folder; refuses a link to a folder that was seen, whose rows would count twice."""
    real = folder.resolve()
    if real in seen:
        raise SourceError(f"{folder} leads to {real}, which is read already: its rows would count twice.")
    seen.add(real)
    for place in sorted(place for place in folder.iterdir() if _visible(place.name)):
        if place.is_dir():
            yield from _below(place, seen)
        elif place.is_file():
            yield place


def _visible(name: str) -> bool:
    """Whether it is data: names with . or _ in front are for those who wrote them, but for keys such as _id=7."""
    return not name.startswith(".") and not (name.startswith("_") and "=" not in name)


def _key(name: str) -> tuple[str, str | None] | None:
    """Key and value of a folder called key=value."""
    key, mark, value = name.partition("=")
    return (unquote(key), None if value in _NO_VALUE else unquote(value)) if mark and key else None


def _with_keys(files: Sequence[Path], base: Path, text: str, folders: Iterable[Path] = ()) -> Files:
    """Files with the keys that they have below a folder; refuses files of tables that say elsewhere which count."""
    lake = next(_lakes_around(files, folders), None)
    if lake is not None:
        raise SourceError(
            f"{text} stands for files of the {lake.format} table {lake.path}, of which not all may count. Give the "
            "folder of that table and nothing else."
        )
    parts = [file.relative_to(base).parts[:-1] for file in files]
    keys = [dict(key for part in one if (key := _key(part)) is not None) for one in parts]
    odd = next((place for place, one in enumerate(keys) if one.keys() != keys[0].keys()), None)
    if odd is not None:
        one, two = (", ".join(keys[at]) or "no key" for at in (0, odd))
        raise SourceError(
            f"{text}: {files[0]} lies in folders with {one}, {files[odd]} with {two}. Give a pattern of files with the "
            "same keys."
        )
    return Files(files, keys)


def _lakes_around(files: Sequence[Path], folders: Iterable[Path] = ()) -> Iterator[Lake]:
    """Tables that say elsewhere which of their files count, and which files lie in."""
    parents = {place.absolute() for file in files for place in (file.parent, file.resolve().parent)}
    around = {ancestor for place in parents for ancestor in (place, *place.parents)}
    yield from (lake for place in sorted(around.union(folders)) if (lake := lake_at(place)) is not None)


def _written_out(pattern: Path) -> Path:
    """The part of a pattern before the first sign that stands for others."""
    result = Path(pattern.anchor)
    for part in pattern.relative_to(pattern.anchor).parts[:-1]:
        if glob.has_magic(part):
            break
        result /= part
    return result


def _listed(folders: Sequence[Path]) -> str:
    names = ", ".join(place.name for place in folders[:5])
    return f"{len(folders)} folder{'s' if len(folders) > 1 else ''} ({names}{', ...' if len(folders) > 5 else ''})"


def split_sheet(text: str) -> tuple[str, str | None]:
    """A path, and what stands after '::'."""
    path, mark, sheet = text.partition("::")
    return (path, sheet) if mark else (text, None)


def files_of(source: str) -> tuple[str, ...]:
    """The real paths of the files that a source stands for, also of a URL of a database in a file."""
    return tuple(dict.fromkeys(os.path.realpath(place) for place in _places(source)))


def _places(source: str) -> list[Path]:
    scheme, mark, rest = source.partition("://")
    if mark:
        inside = scheme.lower().partition("+")[0] in ("sqlite", "duckdb")
        return [at_home(rest[1:].partition("::")[0])] if inside else []
    path = split_sheet(source)[0]
    try:
        found = meant_by(path)
        files = found.paths if isinstance(found, Files) else found.folder.rglob("*")
        return [Path(source), Path(path), *files]
    except (SourceError, OSError):  # opening it will say so
        return [Path(source)]
