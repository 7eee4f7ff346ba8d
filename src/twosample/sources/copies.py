"""Rows that came from an engine, kept in temporary files for a second pass: getting them out is what takes long."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from .._files import TemporaryCopy, roomy_folder
from ..errors import OutputError
from .values import columns_of

if TYPE_CHECKING:
    import polars as pl

_PART = 1 << 25  # bytes of a file, about
_MOST = 1 << 33  # bytes of all files of all tables
_SPARED = 4  # they may take this part of the room that is left on the disk, and no more
_sizes: WeakKeyDictionary[TemporaryCopy, int] = WeakKeyDictionary()  # bytes of the files that are there
_counting = Lock()  # tables are read at the same time


class CopiedRows:
    """Rows in the order in which they came. None are kept where room is short or nothing can be written."""

    def __init__(self) -> None:
        self.whole = False  # whether all rows are here
        self._files: list[TemporaryCopy] = []
        self._waiting: list[pl.DataFrame] = []
        self._fits = True

    def keeping(self, batches: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The same batches, each of them kept before it is given."""
        for batch in batches:
            self._keep(batch)
            yield batch
        if self._fits and self._waiting:
            self._write()
        self.whole = self._fits

    def _keep(self, batch: pl.DataFrame) -> None:
        if not self._fits:
            return
        self._waiting.append(batch)
        if sum(int(part.estimated_size()) for part in self._waiting) >= _PART:
            self._write()

    def _write(self) -> None:
        import polars as pl

        rows = pl.concat(self._waiting, how="vertical_relaxed")
        self._waiting, content = [], BytesIO()
        rows.write_ipc(content, compression="uncompressed")
        file = _written(content.getvalue())
        self._fits = file is not None
        self._files = [] if file is None else [*self._files, file]

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Some columns of all rows."""
        import polars as pl

        for file in self._files:
            yield columns_of(pl.read_ipc(file.path), names)


def _written(content: bytes) -> TemporaryCopy | None:
    """A file that holds this; None if all files would take too much room, or it cannot be written."""
    try:
        free = shutil.disk_usage(roomy_folder()).free
        with _counting:
            taken = sum(_sizes.values())
        if taken + len(content) > min(_MOST, free // _SPARED):
            return None
        file = TemporaryCopy([content], ".arrow")
    except (OSError, OutputError):  # a full disk, a quota, no folder to write to: rows can be read again
        return None
    with _counting:
        _sizes[file] = len(content)
    return file
