"""Several columns as mean embeddings of groups of rows: sums of random Fourier features.

The rows of a batch are shuffled, then go to the groups in turn: whatever order they came in, sorted or not, groups are
random parts of the batch. The first row decides by a checksum which group is first, so that the rows of many small
sketches that are merged spread over all groups. What permuting rows does for a sample in memory, permuting groups then
does for a sketch. (Batches that differ from each other, such as the months of a year, are spread evenly over all
groups, which are then more alike than chance would make them. Sketches of fewer rows than groups whose first rows are
tied share groups more than they should; the test is then conservative.)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ... import _door as door
from ...core.types import Floats
from ...engines.features import CosineMap
from ...errors import InputError, whole_number, yes_or_no
from ...kernels import Kernel

_ROWS = 2000  # of the first batch, that the bandwidth is chosen from
_ENTRIES = 1 << 18  # features that are made at a time


@dataclass(frozen=True)
class GroupedFeatures:
    """How a :class:`Sketch` keeps several columns: sums of random Fourier features over groups of rows.

    The kernel is fixed when the sketch begins. Its size does not depend on the number of rows: groups times twice the
    number of frequencies.

    Parameters
    ----------
    groups
        Into how many groups the rows of each batch are dealt, shuffled. They are what the permutation test permutes.
    frequencies
        The number of random frequencies. The test is valid for the kernel of the features as it is; more of them bring
        that closer to the kernel asked for.
    kernel, bandwidth
        As in :func:`mmd_test`: a shift-invariant kernel, and a rule that looks at the first batch.
    standardise
        Whether columns are first divided by their spread in the first batch, for columns in different units.
    seed
        Seed of the frequencies.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Sketch.fit([[0.0, 1.0], [1.0, 2.0], [2.0, 1.0]], ts.GroupedFeatures(groups=16, frequencies=32)).nbytes
    9120
    """

    groups: int = 64
    frequencies: int = 128
    kernel: door.KernelLike = "gaussian"
    bandwidth: door.BandwidthLike = "median"
    standardise: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("groups", 8), ("frequencies", 1), ("seed", 0)):
            whole_number(f"GroupedFeatures: {name}", getattr(self, name), least)
        yes_or_no("GroupedFeatures: standardise", self.standardise)
        door.open_kernel(self.kernel, self.bandwidth)

    def state(self, rows: Floats) -> SketchSums:
        """Empty groups, with kernel and frequencies from the first rows."""
        if len(rows) < 2:
            raise InputError(f"The first batch of a sketch of several columns has {len(rows)} row(s), not 2 or more.")
        rng = np.random.default_rng(self.seed)
        part = rows[:: max(1, len(rows) // _ROWS)][:_ROWS]
        with np.errstate(over="ignore", invalid="ignore"):
            location = np.median(part, axis=0)
            if not np.isfinite(np.ptp(part, axis=0) + location).all():
                raise InputError("The batch holds values so large that their differences overflow; rescale it.")
        scale = np.ones(rows.shape[1])
        if self.standardise:
            scale = _spread(part - location)
        kernel = door.open_kernel(self.kernel, self.bandwidth).filled((part - location) / scale, rng)
        waves, weights = kernel.draw_frequencies(rows.shape[1], self.frequencies, rng)
        none = np.zeros((self.groups, 2 * len(weights)))
        return SketchSums(self, kernel, location, scale, waves, weights, none, np.zeros(self.groups, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class SketchSums:
    """Sums of the features over groups of rows: never changed, only replaced."""

    layout: GroupedFeatures  # what was asked for
    kernel: Kernel  # the kernel that the features stand for, of standardised columns
    location: Floats  # (d,) what is subtracted from and divided out of the columns
    scale: Floats
    waves: Floats  # (J, d) frequencies and (J,) what each adds to k(x, x)
    weights: Floats
    sums: Floats = field(repr=False)  # (G, 2 J) sums of the features
    sizes: NDArray[np.int64]  # (G,) rows
    turn: int | None = None  # the group of the next row; None before the first
    names: tuple[str, ...] = ()  # those of the columns, if they came with any

    @property
    def columns(self) -> int:
        """Columns of the data."""
        return len(self.location)

    @property
    def rows(self) -> int:
        """Rows so far."""
        return int(self.sizes.sum())

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        arrays = (self.location, self.scale, self.waves, self.weights, self.sums, self.sizes)
        return sum(array.nbytes for array in arrays)

    def named(self, names: tuple[str, ...], whose: str) -> SketchSums:
        """With names, unless it has some; refuses other ones, or the same in a different order."""
        door.check_names(names, self.names, whose)
        return self if self.names else replace(self, names=names)

    def added(self, rows: Floats) -> SketchSums:
        """With more rows, shuffled and dealt to the groups in turn."""
        sums, sizes, groups = self.sums.copy(), self.sizes.copy(), len(self.sizes)
        first = crc32(np.ascontiguousarray(rows[:1]).tobytes())
        order = np.random.default_rng([self.layout.seed, first, self.rows]).permutation(len(rows))
        at, start = first % groups if self.turn is None else self.turn, 0
        turn = (at + len(rows)) % groups
        step = max(1, _ENTRIES // sums.shape[1] // groups) * groups
        while start < len(rows):
            stop = start + (groups - at if at else step)  # complete a round first, then whole rounds
            phi = self._of(rows[order[start:stop]])
            whole = len(phi) // groups * groups
            if whole:
                sums += phi[:whole].reshape(-1, groups, phi.shape[1]).sum(axis=0)
                sizes += whole // groups
            sums[at : at + len(phi) - whole] += phi[whole:]
            sizes[at : at + len(phi) - whole] += 1
            start, at = start + len(phi), 0
        return replace(self, sums=sums, sizes=sizes, turn=turn)

    def _of(self, rows: Floats) -> Floats:
        """``(n, 2 J)`` features of rows; refuses rows that are out of reach of the first ones."""
        with np.errstate(over="ignore"):
            z = (rows - self.location) / self.scale
        if not np.isfinite(z).all():
            raise InputError("batch holds values too large beside those of the first batch; rescale all of them.")
        return np.asarray(self._features(z), dtype=np.float64)

    def merged(self, other: SketchSums) -> SketchSums:
        """The rows of both, group by group."""
        check_alike(self, other)
        names = self.names or other.names
        turns = [turn for turn in (self.turn, other.turn) if turn is not None]
        turn = sum(turns) % len(self.sizes) if turns else None
        return replace(self, sums=self.sums + other.sums, sizes=self.sizes + other.sizes, turn=turn, names=names)

    def blank(self) -> SketchSums:
        """The same kernel and frequencies without rows."""
        return replace(self, sums=np.zeros_like(self.sums), sizes=np.zeros_like(self.sizes), turn=None)

    @cached_property
    def _features(self) -> CosineMap:
        return CosineMap(self.waves, self.weights, single=False)


def check_alike(a: SketchSums, b: SketchSums) -> None:
    """Refuse sketches that do not speak of the same features."""
    if a.columns != b.columns:
        raise InputError(f"The sketches have different columns: {a.columns} and {b.columns}.")
    door.check_names(a.names, b.names, "The sketches")
    for name, words in _WORDS.items():
        same = a.kernel == b.kernel if name == "kernel" else np.array_equal(getattr(a, name), getattr(b, name))
        if not same:
            raise InputError(
                f"The sketches were begun apart and do not fit together: they differ in {words}. Begin the second with "
                "the settings of the first: ts.Sketch.fit(y, like=sketch_x)."
            )
    if len(a.sizes) != len(b.sizes):
        raise InputError(f"The sketches have different numbers of groups, {len(a.sizes)} and {len(b.sizes)}.")


_WORDS = {
    "kernel": "the kernel or its bandwidth",
    "location": "the location of the columns",
    "scale": "the scale of the columns",
    "waves": "the frequencies",
    "weights": "the weights of the frequencies",
}


def _spread(centred: Floats) -> Floats:
    """``(d,)`` typical sizes of the columns: median absolute deviation, else root mean square, else 1."""
    middle = np.median(np.abs(centred), axis=0)
    largest = np.abs(centred).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    square = unit * np.sqrt(np.mean((centred / unit) ** 2, axis=0))
    return np.where(middle > 0, middle, np.where(square > 0, square, 1.0))
