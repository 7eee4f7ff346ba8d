"""Files in object stores, by URL: polars reads them where they are, and only what is needed."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ..errors import SourceError, missing_extra
from .files import csv_frame, file_format, head_lines
from .guard import Guard, redacted
from .local import LocalRows
from .packed import suffixes

if TYPE_CHECKING:
    import polars as pl

STORES = ("s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "adl", "hf")
"""Schemes of stores, whose folders and patterns of files can be read. Files on web servers: `web.py`."""

_MAGIC = re.compile(r"[*?\[]")
_PRIVATE = re.compile(r"^(AWS|AZURE|GOOGLE|HF|HUGGING_FACE)_.*(KEY|SECRET|TOKEN|CREDENTIAL|PASSWORD)")
_ABSENT = "expanded paths were empty"
_MARKS = {"Delta": "_delta_log/*.json", "Iceberg": "metadata/*.metadata.json", "Hudi": ".hoodie/hoodie.properties"}
_FIRST = 10_000  # rows of a text file that types are inferred from at first


def is_store(source: str) -> bool:
    """Whether a URL names files, not a database."""
    return source.partition("://")[0].lower() in STORES


def open_store(url: str) -> tuple[str, LocalRows]:
    """The name that may be shown, and the rows of a file, of a pattern of files or of a folder of Parquet files.

    Credentials are those that the environment holds, as the tools of the store use them; no message shows them.
    """
    shown, secrets = redacted(url)
    hidden = [value for name, value in os.environ.items() if _PRIVATE.match(name) and len(value) > 3]
    guard = Guard(shown, (*secrets, *hidden))
    path = url.partition("://")[2]
    several = _MAGIC.search(path) is not None or not PurePosixPath(path).suffix or path.endswith("/")
    if several:
        lake = guard.run(lambda: _lake(url, guard))
        if lake is not None:
            return shown, LocalRows(lake, guard, counted=False)
    if several and not PurePosixPath(path).suffix:
        url, path = f"{url.rstrip('/')}/**/*.parquet", "*.parquet"
    return shown, guard.run(lambda: _rows(url, path, shown, guard, several))


def _rows(url: str, path: str, shown: str, guard: Guard, several: bool) -> LocalRows:
    import polars as pl

    place = PurePosixPath(path)
    kind, packed = file_format(place, shown), suffixes(place)[1]
    if kind == "excel" or packed in (".bz2", ".xz"):
        raise SourceError(f"{shown}: {packed or place.suffix} files are read on this machine only. Download it first.")
    if kind in ("parquet", "arrow"):
        scan = pl.scan_parquet if kind == "parquet" else pl.scan_ipc
        frame = scan(url, glob=several, hive_partitioning=several and "=" in url)
        frame.collect_schema()
        return LocalRows(frame, guard)
    if kind == "jsonl":
        return LocalRows(
            pl.scan_ndjson(url, infer_schema_length=_FIRST),
            guard,
            counted=False,
            patient=lambda: pl.scan_ndjson(url, infer_schema_length=None),
        )
    head, usual = head_lines(url), "\t" if suffixes(place)[0] in (".tsv", ".tab") else ","
    return LocalRows(
        csv_frame(url, head, usual, _FIRST),
        guard,
        counted=False,
        patient=lambda: csv_frame(url, head, usual, None),
    )


def _lake(url: str, guard: Guard) -> pl.LazyFrame | None:
    """The rows of a Delta table; refuses others, whose folders hold rows that were deleted; None if it is neither."""
    import polars as pl

    root = url[: _MAGIC.search(url).start()] if _MAGIC.search(url) else f"{url.rstrip('/')}/"  # type: ignore[union-attr]
    root = root[: root.rfind("/") + 1]
    found = next((name for name, mark in _MARKS.items() if _there(root + mark)), None)
    if found is None:
        return None
    if found != "Delta" or root.rstrip("/") != url.rstrip("/"):
        raise SourceError(
            f"{guard.name} holds the files of a table of {found}, some of which may be deleted: "
            + ("give its folder." if found == "Delta" else "give a frame, such as pl.scan_iceberg(...).")
        )
    try:
        import deltalake  # noqa: F401
    except ImportError:
        raise missing_extra("A Delta table needs deltalake", "delta") from None
    return pl.scan_delta(root)


def _there(url: str) -> bool:
    """Whether some file is there; errors other than that are raised."""
    import polars as pl

    try:
        pl.scan_csv(url, separator="\x1f", has_header=False, n_rows=1, infer_schema=False).collect()
    except FileNotFoundError:
        return False
    except pl.exceptions.NoDataError:
        return True
    except pl.exceptions.ComputeError as error:
        if _ABSENT in str(error):
            return False
        raise
    return True
