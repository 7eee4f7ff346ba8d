"""All tables of a database: those behind a URL, the files of a folder, the entries of a dictionary."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .._files import at_home
from .._shown import few, shown
from ..errors import InputError, SourceError
from .files import FORMATS
from .folders import lake_at
from .packed import suffixes

_TABLES = FORMATS - {".txt"}
_MOST_NAMED = 10


def sources_in(database: object, side: str) -> dict[str, object]:
    """What :func:`open_table` takes for every table of a database, by the name of the table.

    A database is a URL (``sqlite:///shop.db``); a folder, where each file is a table, and each folder that holds files
    one table of several files; or a mapping from names to tables. Errors call it by its `side`.
    """
    if isinstance(database, Mapping):
        found = {str(name): table for name, table in database.items()}
        if any(getattr(table, "ndim", 2) < 2 or isinstance(table, list | tuple) for table in found.values()):
            raise InputError(f"{side} is one table, a mapping of columns; give a mapping from names to tables.")
    elif isinstance(database, str) and "://" in database:
        from .databases import tables_of

        found = {name: f"{database}::{name}" for name in tables_of(database)}
    elif isinstance(database, str | os.PathLike):
        found = _in_folder(at_home(os.fspath(database)), side)
    else:
        raise InputError(
            f"{side} is {type(database).__name__}; give a folder, the URL of a database, or a mapping of tables."
        )
    if not found:
        raise SourceError(f"{side} has no tables.")
    return found


def ignored_in(database: object) -> tuple[str, ...]:
    """A note of the files in a folder that are no tables by their extension, if there are any."""
    if isinstance(database, Mapping) or "://" in str(database):
        return ()
    folder = at_home(os.fspath(database))  # type: ignore[call-overload]
    names = [place.name for place in _seen(folder) if not _is_table(place)]
    listed = few(names, _MOST_NAMED, lambda name: shown(name, 40))
    return (f"{folder}: {listed} left out, no table by the extension.",) if names else ()


def _in_folder(folder: Path, side: str) -> dict[str, object]:
    """The files that are tables by their extension, and the folders, without what programs hide from people."""
    if not folder.is_dir():
        what = "is one file, and so one table" if folder.exists() else "does not exist"
        raise SourceError(f"{side}: {folder} {what}. Give a folder of tables, or the URL of a database.")
    if lake_at(folder) is not None:
        raise SourceError(f"{side}: {folder} is one table of several files. Give the folder that it is in.")
    tables = [place for place in _seen(folder) if _is_table(place)]
    if not tables:
        known = ", ".join(sorted(_TABLES))
        words = (f"{side}: {folder} has no tables: no file that ends in {known}, and no folder of such files.",)
        raise SourceError(" ".join([*words, *ignored_in(folder)]))
    short = [place.name.partition(".")[0] for place in tables]
    names = short if len(set(short)) == len(short) else [place.name for place in tables]
    return {name: os.fspath(place) for name, place in zip(names, tables, strict=True)}


def _seen(folder: Path) -> list[Path]:
    return [place for place in sorted(folder.iterdir()) if not place.name.startswith((".", "_"))]


def _is_table(place: Path) -> bool:
    return place.is_dir() or suffixes(place)[0] in _TABLES
