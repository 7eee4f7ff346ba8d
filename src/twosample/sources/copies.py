"""Rows that came from an engine, kept in temporary files for a second pass: getting them out is what takes long."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from .._files import TemporaryCopy
from .values import columns_of

if TYPE_CHECKING:
    import polars as pl

_PART = 1 << 25  # bytes of a file, about
_MOST = 1 << 33  # bytes of all files
_SPARED = 4  # files may take this part of the room that is left on the disk, and no more


class CopiedRows:
    """Rows in the order in which they came. None are kept where they need more room than there is to spare."""

    def __init__(self) -> None:
        self.whole = False
        """Whether all rows are here."""
        self._files: list[TemporaryCopy] = []
        self._waiting: list[pl.DataFrame] = []
        self._bytes = 0
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
        self._bytes += int(batch.estimated_size())
        if sum(int(part.estimated_size()) for part in self._waiting) >= _PART:
            self._write()

    def _write(self) -> None:
        import polars as pl

        rows = pl.concat(self._waiting, how="vertical_relaxed")
        self._waiting, content = [], BytesIO()
        rows.write_ipc(content, compression="uncompressed")
        self._files.append(TemporaryCopy([content.getvalue()], ".arrow"))
        free = shutil.disk_usage(self._files[-1].path.parent).free
        self._fits = self._bytes < min(_MOST, free // _SPARED)
        if not self._fits:
            self._files = []

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Some columns of all rows."""
        import polars as pl

        for file in self._files:
            yield columns_of(pl.read_ipc(file.path), names)
