"""A summary of one sample of any size, that can be merged, kept, sent, and tested against another."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from ... import _door as door
from ...core.types import Floats, Waves
from ...errors import InputError, OptionError, options_by_name
from ...sources.elsewhere import check_present, points_elsewhere, rows_of, table_elsewhere
from ...summaries import Points
from . import files
from .bins import BinnedMoments, Bins
from .files import State
from .groups import GroupedFeatures, SketchSums
from .waves import BinnedSample

Layout = BinnedMoments | GroupedFeatures
_EVENLY = 10_000  # numbers of a column in the hands of workers that the range of bins is chosen from


class Sketch:
    """A summary of fixed size of one sample, enough for the MMD test against another and for its p-value.

    One column is kept as moments in bins, several as sums of features over groups of rows. Rows go in by
    :meth:`update`, in batches of any sizes; sketches of parts of a sample :meth:`merge` into that of the whole;
    :meth:`save` writes a plain file. No row is kept, though a bin or group that holds a single row gives it away: a
    sketch makes data small, not anonymous.

    Parameters
    ----------
    layout
        ``ts.BinnedMoments(...)`` (one column) or ``ts.GroupedFeatures(...)``; None: by the number of columns.
    like
        Another sketch whose bins or features are used. Needed to compare or merge sketches of several columns; of one
        column any two sketches fit.

    Notes
    -----
    The first batch fixes what is open: the range of the bins, or kernel, bandwidth and frequencies. It should be
    typical. Time O(1) a row for one column, O(frequencies · columns) for several.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> a = ts.Sketch.fit(rng.normal(size=5000))
    >>> b = ts.Sketch(like=a)
    >>> for _ in range(10):
    ...     b = b.update(rng.normal(0.1, 1.0, size=500))
    >>> r = ts.mmd_test(a, b)
    >>> r.rejected, r.m, r.n
    (True, 5000, 5000)
    """

    @options_by_name
    def __init__(self, layout: Layout | None = None, *, like: Sketch | None = None) -> None:
        if layout is not None and not isinstance(layout, BinnedMoments | GroupedFeatures):
            raise OptionError(f"layout={layout!r} must be a ts.BinnedMoments or a ts.GroupedFeatures.")
        if like is not None and layout is not None:
            raise OptionError("Give a layout or a sketch to be like, not both.")
        if like is not None and not isinstance(like, Sketch):
            raise OptionError(f"like={like!r} must be a ts.Sketch.")
        self._layout = layout
        self._state: State | None = None
        if like is not None:
            self._layout = like._layout
            self._state = None if like._state is None else like._state.blank()

    @classmethod
    @options_by_name
    def fit(cls, data: object, layout: Layout | None = None, *, like: Sketch | None = None) -> Sketch:
        """The sketch of a sample, or of its first batch.

        Parameters
        ----------
        data
            Rows, as in :func:`mmd_test`, or a frame as in :meth:`update`.
        layout, like
            As for the class.

        Examples
        --------
        >>> import twosample as ts
        >>> ts.Sketch.fit([1.0, 2.0, 2.5]).rows
        3
        """
        return cls(layout, like=like).update(data)

    def update(self, batch: object) -> Sketch:
        """Take in more rows; returns itself.

        Parameters
        ----------
        batch
            Rows, any number of them; or a frame of Spark, Dask, Ibis or DuckDB, or a query of polars, of which all rows
            are taken in where they are. A batch that cannot be used changes nothing. Data frames must have their
            columns in the order of the first; the names are kept, also in files.
        """
        if door.is_elsewhere(batch):
            return self._gathered(batch)
        rows = _finite_rows(batch)
        state, columns = self._state, door.batch_columns(batch, rows)
        if state is not None and columns not in (0, state.columns):
            raise InputError(f"batch has {columns} column(s) and the sketch {state.columns}.")
        if not len(rows):
            return self
        if state is None:
            layout = self._layout or (BinnedMoments() if rows.shape[1] == 1 else GroupedFeatures())
            state = layout.state(rows)
        if isinstance(state, SketchSums):
            state = state.named(door.column_names(batch), "batch and the sketch")
        self._state = state.added(rows)
        return self

    def _gathered(self, batch: object) -> Sketch:
        """Take in a frame, where its rows are."""
        from .elsewhere import gathered

        table, state = table_elsewhere(batch, "batch"), self._state
        grouped = isinstance(state, SketchSums) or isinstance(self._layout, GroupedFeatures)
        if len(table.columns) == 1 and not grouped:
            return self._added(points_elsewhere(table, "batch"))
        if isinstance(state, Bins):
            raise InputError(f"batch has {len(table.columns)} column(s) and the sketch {state.columns}.")
        if state is None:
            first = rows_of(table.sample(_EVENLY))
            check_present(int(np.count_nonzero(~np.isfinite(first))), "batch")
            if not len(first):
                return self
            state = (self._layout or GroupedFeatures()).state(first)
        assert isinstance(state, SketchSums)
        self._state = gathered(state, table, "batch")
        return self

    def _added(self, points: Points) -> Sketch:
        """Take in a column as weighted points, made where its rows are."""
        state = self._state
        if state is None and points.rows:
            state = (self._layout or BinnedMoments()).state(points.evenly(_EVENLY)[:, None])
        if state is None:
            return self
        if not isinstance(state, Bins):
            raise InputError(f"batch has 1 column and the sketch {state.columns}; or use ts.BinnedMoments().")
        binned = points.binned(state.column.grid, 0)
        self._state = replace(state, column=state.column.merged(binned, state.layout.bins))
        return self

    def merge(self, other: Sketch) -> Sketch:
        """The sketch of the rows of both, in any order; neither is changed.

        Parameters
        ----------
        other
            A sketch of the same columns; of several columns, one that was begun with ``like=``.

        Examples
        --------
        >>> import twosample as ts
        >>> a, b = ts.Sketch.fit([1.0, 2.0]), ts.Sketch.fit([2.0, 30.0, 4.0])
        >>> a.merge(b).rows
        5
        """
        if not isinstance(other, Sketch):
            raise InputError(f"A sketch can be merged with a sketch only, not with {type(other).__name__}.")
        merged = Sketch(self._layout or other._layout)
        a, b = self._state, other._state
        if a is None or b is None:
            merged._state = a or b
        elif isinstance(a, Bins) and isinstance(b, Bins):
            merged._state = a.merged(b)
        elif isinstance(a, Bins) or isinstance(b, Bins):
            raise InputError(different_kinds(a.layout, b.layout))
        else:
            merged._state = a.merged(b)
        return merged

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sketch to a file, whole or not at all. The format is in docs/sketch-format.md.

        Parameters
        ----------
        path
            The file; it is replaced if it exists.
        """
        if self._state is None:
            raise InputError("An empty sketch has nothing to save; give it rows first.")
        files.write(self._state, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Sketch:
        """Read a sketch from a file; a file that is not whole, or not a sketch, is refused.

        Parameters
        ----------
        path
            The file.
        """
        sketch = cls()
        sketch._state = files.read(path)
        sketch._layout = sketch._state.layout
        return sketch

    @property
    def rows(self) -> int:
        """Rows so far."""
        return 0 if self._state is None else self._state.rows

    @property
    def columns(self) -> int:
        """Columns of the rows; 0 before the first."""
        return 0 if self._state is None else self._state.columns

    @property
    def nbytes(self) -> int:
        """Bytes in memory; they do not depend on the number of rows."""
        return 0 if self._state is None else self._state.nbytes

    @property
    def layout(self) -> Layout | None:
        """How rows are kept; None before it is known."""
        return self._layout if self._state is None else self._state.layout

    @property
    def state(self) -> State | None:
        """The arrays behind it: read them, do not write them."""
        return self._state

    @property
    def beyond(self) -> float:
        """Share of the rows beyond the bins, which are treated as if they lay at the edge; 0 for several columns."""
        if not isinstance(self._state, Bins) or not self.rows:
            return 0.0
        return (self._state.column.below + self._state.column.above) / self.rows

    def characteristic_function(self, frequencies: object) -> tuple[Waves, Floats]:
        """E exp(iwx) of one column at any frequencies, and bounds on the error; 0 with bound 1 where bins do not tell.

        Parameters
        ----------
        frequencies
            Numbers w, in radians per unit of the data.

        Examples
        --------
        >>> import numpy as np, twosample as ts
        >>> values, bounds = ts.Sketch.fit([0.0, 1.0, 1.0, 2.0]).characteristic_function([0.0, np.pi])
        >>> values.real.round(12) + 0.0
        array([1., 0.])
        """
        if not isinstance(self._state, Bins) or not self.rows:
            raise InputError("Only a sketch of one column with rows knows its characteristic function.")
        w = door.points(frequencies, "frequencies", least=0)[:, 0]
        unit = 2.0**self._state.column.grid.unit
        atoms = BinnedSample.of(self._state.column)
        with np.errstate(over="ignore", invalid="ignore"):
            bounds = atoms.error(w * unit)
            values = np.exp(1j * w * (self._state.column.grid.start * unit)) * atoms.waves(w * unit)
        known = bounds < 1
        return np.where(known, values, 0.0), np.where(known, bounds, 1.0)

    def __repr__(self) -> str:
        columns = f"{self.columns} column{'s' if self.columns != 1 else ''}"
        return f"Sketch({self.rows} rows, {columns}, {self.layout!r})"


def different_kinds(a: Layout, b: Layout) -> str:
    """Why two sketches do not fit."""
    return f"The sketches keep rows in different ways, {a!r} and {b!r}. Make the second like the first: like=sketch_x."


def _finite_rows(batch: object) -> Floats:
    """Rows of finite numbers; arrays of doubles are not copied."""
    if type(batch) is np.ndarray and batch.dtype == np.float64 and batch.ndim in (1, 2) and np.isfinite(batch).all():
        rows = batch[:, None] if batch.ndim == 1 else batch
        if rows.shape[1]:
            return rows
    return door.points(batch, "batch", least=0)
