"""Tables of Delta and Iceberg: folders in which a log says which rows count.

Delta's log is read by deltalake and its files by polars, one by one: what polars makes of such a table by itself takes
keys from the names of folders, which need not hold them, and does not find folders with a space in their name.
Iceberg is read by polars through pyiceberg.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from ..errors import SourceError, missing_extra
from .folders import Lake
from .guard import Guard
from .local import LocalRows, new_name

if TYPE_CHECKING:
    import polars as pl

_HARMLESS = {"deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
_VERSION = re.compile(r"v?(\d+)")
_REMEDY = "Read it with an engine that knows it, such as Spark, and give that frame."


def open_lake(lake: Lake, guard: Guard) -> LocalRows:
    """The rows of a Delta or Iceberg table that count now."""
    if lake.format == "Hudi":
        raise SourceError(f"{guard.name} is a Hudi table, which is not read here. {_REMEDY}")
    name, library, scan = (
        ("delta", "deltalake", _delta) if lake.format == "Delta" else ("iceberg", "pyiceberg", _iceberg)
    )
    if find_spec(library) is None:
        raise missing_extra(f"{guard.name} is a table of {lake.format}, whose log {library} reads", name)
    return LocalRows(guard.against_all().run(lambda: scan(lake.path)), guard)


def stacked(frames: list[pl.LazyFrame]) -> pl.LazyFrame:
    """One below the other, columns by name; types that differ are widened."""
    import polars as pl

    return frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")


def _delta(folder: Path) -> pl.LazyFrame:
    """The rows of the newest version of a Delta table."""
    import polars as pl
    from deltalake import DeltaTable

    table = DeltaTable(folder.absolute().as_uri())
    _check_features(table, folder)
    schema = pl.Schema(table.schema())
    actions = pl.DataFrame(table.get_add_actions())
    deleted = dict(_deleted_rows(table))
    frames = [pl.LazyFrame(schema=schema)]
    for action in actions.sort("path").iter_rows(named=True) if len(actions) else ():
        if "://" in action["path"] or action["path"].startswith("/"):
            raise SourceError(f"The Delta table {folder} has files elsewhere (a shallow clone). {_REMEDY}")
        place = folder / unquote(action["path"])
        frame = pl.scan_parquet(place, glob=False, hive_partitioning=False)
        rows = deleted.pop(place.resolve(), None)
        if rows is not None:
            frame = _without(frame, rows)
        frames.append(_conformed(frame, schema, action.get("partition") or {}))
    if deleted:
        raise SourceError(f"The Delta table {folder} deletes rows of {next(iter(deleted))}, which it does not list.")
    return stacked(frames)


def _check_features(table: Any, folder: Path) -> None:
    """Refuse what changes the meaning of files and is not known here, such as columns under other names."""
    protocol = table.protocol()
    unknown = sorted(set(protocol.reader_features or ()) - _HARMLESS)
    mapped = table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none"
    if mapped or unknown or protocol.min_reader_version > 3:
        what = "columnMapping" if mapped else ", ".join(unknown) or f"version {protocol.min_reader_version}"
        raise SourceError(f"The Delta table {folder} uses {what}, which is not known here. {_REMEDY}")


def _deleted_rows(table: Any) -> Iterator[tuple[Path, pl.Series]]:
    """Files with deleted rows, and the numbers of these rows."""
    import polars as pl

    for url, kept in pl.DataFrame(table.deletion_vectors()).iter_rows():
        yield Path(unquote(urlsplit(url).path)).resolve(), pl.Series(kept).not_().arg_true()


def _without(frame: pl.LazyFrame, rows: pl.Series) -> pl.LazyFrame:
    """A file without some of its rows, given by their numbers."""
    import polars as pl

    mark = new_name(frame.collect_schema().names())
    gone = pl.col(mark).is_in(rows.implode())
    return frame.with_row_index(mark).filter(~gone).drop(mark)


def _conformed(frame: pl.LazyFrame, schema: pl.Schema, keys: dict[str, Any]) -> pl.LazyFrame:
    """A file in the columns and types of the table; columns that came later are empty in it."""
    import polars as pl
    import polars.selectors as cs

    known = frame.collect_schema()
    return frame.select(
        cs.by_name(name).cast(kind)
        if name in known and name not in keys
        else pl.lit(keys.get(name)).cast(kind).alias(name)
        for name, kind in schema.items()
    )


def _iceberg(path: Path) -> pl.LazyFrame:
    """The rows of the newest snapshot of an Iceberg table."""
    import polars as pl
    from pyiceberg.table import StaticTable

    metadata = _newest(path) if path.is_dir() else path
    table = StaticTable.from_metadata(str(metadata.absolute()))
    _check_local(table.location(), path)
    snapshot = table.current_snapshot()
    if snapshot is not None:
        _check_local(snapshot.manifest_list, path)
    try:
        tasks = list(table.scan().plan_files())
    except FileNotFoundError:
        tasks = None
    if tasks is None:
        raise SourceError(f"The Iceberg table {path} was written at {table.location()}, and has its files there only.")
    for file in (file for task in tasks for file in (task.file, *task.delete_files)):
        _check_local(file.file_path, path)
    return pl.scan_iceberg(table)


def _newest(folder: Path) -> Path:
    """The metadata file with the highest number."""
    found: dict[int, list[Path]] = {}
    for place in folder.glob("metadata/*.metadata.json"):
        number = _VERSION.match(place.name)
        found.setdefault(int(number[1]) if number else -1, []).append(place)
    newest = found[max(found)]
    if len(newest) > 1:
        names = ", ".join(sorted(place.name for place in newest[:3]))
        raise SourceError(f"The Iceberg table {folder} has several newest versions: {names}. Give the path of one.")
    return newest[0]


def _check_local(location: str, path: Path) -> None:
    """Refuse what would make a local path read from elsewhere."""
    if urlsplit(location).scheme not in ("", "file"):
        raise SourceError(f"The Iceberg table {path} has its files at {location}, not on this machine. {_REMEDY}")
