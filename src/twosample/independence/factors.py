"""The centred Gram matrix of one variable as a product of few features in their principal axes.

Three ways lead there without a look at pairs of rows. Rows that repeat (categories, counts) have the kernel of their
few distinct values, exactly. A smooth kernel on few columns is a sum of waves, and on a line the waves at n rows are
interpolated from those at a few thousand nodes. Anything else is a low-rank kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..engines import Engine
from ..engines.features import FeatureGram, FeatureMap
from ..engines.fourier import GridGram
from ..engines.lowrank import LowRankGram
from ..errors import OptionError
from ..kernels import Kernel

NEGLIGIBLE, ROUNDING = 2e-6, 1e-11
"""Axes are dropped while the root of their squared eigenvalues stays below a share of that of all: this one where there
are many rows or many columns, or as much as rounding may do to them."""

PRECISE_ROWS = 10_000  # up to this many rows a test of one pair neglects nothing but rounding

_BLOCK_ENTRIES, _KEPT_ENTRIES = 1 << 21, 1 << 23

_PART = 1 << 16

_CUBICS = np.array([[0, 6, 0, 0], [-2, -3, 6, -1], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6
"""The coefficients of 1, t, t² and t³ of the cubic through values at -1, 0, 1 and 2."""

_NODES = 64
"""Nodes of a line for each frequency: the cubic between them is then within 1e-8 of the waves that have any weight."""


@dataclass(frozen=True, eq=False)
class Factor:
    """HKH = A A' with orthogonal columns."""

    rows: Floats = field(repr=False)
    """``(n, r)`` features A: columns sum to 0, are orthogonal, and come in decreasing length."""
    values: Floats  # (r,) their squared lengths, the eigenvalues
    notes: tuple[str, ...] = ()  # what the engine has to say about the features
    faithful: bool = True  # whether the features are as near to the kernel as was asked for

    @property
    def size(self) -> int:
        """The number of rows n of the data."""
        return len(self.rows)

    @cached_property
    def diagonal(self) -> Floats:
        """``(n,)`` diagonal of A A'."""
        return np.asarray(np.einsum("ia,ia->i", self.rows, self.rows))

    @cached_property
    def diagonal_square(self) -> float:
        """The sum of its squares."""
        return float(self.diagonal @ self.diagonal)


def repeated_factor(kernel: Kernel, z: Floats, most: int, least: float) -> Factor | None:
    """The exact factor of rows with at most so many distinct values u; None if there are more. O(n log n + u³).

    With the counts c of the values and their kernel centred by c/n, the features are the eigenvectors of
    √c K √c' divided by √c.
    """
    points = z
    if kernel.domain != "vectors":
        if not kernel.has_features or kernel.features(z[:1]).shape[1] > 2 * most:
            return None
        points = kernel.features(z).toarray()
    places = _distinct(points, most)
    if places is None:
        return None
    first, code = places
    counts = np.bincount(code).astype(np.float64)
    K = np.array(kernel.block(z[first], z[first]))
    size, roots = float(np.abs(K).max()), np.sqrt(counts)
    means = K @ counts / len(z)
    means -= 0.5 * float(means @ counts) / len(z)
    K -= means
    K -= means[:, None]
    spectrum = np.linalg.eigh(K * roots * roots[:, None])
    lowest, highest = float(spectrum[0][0]), float(spectrum[0][-1])
    if max(-lowest, highest) <= 1e-14 * size * len(z):  # all rows are the same, up to rounding
        return Factor(np.zeros((len(z), 1)), np.zeros(1))
    if -lowest > 1e-8 * highest:  # no kernel at all; the engines say so
        return None
    values, axes = _leading(*spectrum, max(least, ROUNDING))
    features = axes * np.sqrt(values) / roots[:, None]
    return Factor(features[code], values)


def _distinct(z: Floats, most: int) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Where each distinct row comes first, and for every row which one it is; None if they are more than `most`."""
    line = z[:, 0] if z.shape[1] == 1 else z @ np.random.default_rng(0).normal(size=z.shape[1])
    step = len(line) // (4 * most)
    if step > 1 and len(np.unique(line[::step])) > most:
        return None
    _, first, code = np.unique(line, return_index=True, return_inverse=True)
    if len(first) > most or (z[first][code] != z).any():  # two different rows may have the same sum
        return None
    return first, code


def factor_of(kernel: Kernel, z: Floats, engine: Engine, rng: np.random.Generator, name: str, least: float) -> Factor:
    """The features that the engine has for a kernel on points z, in their principal axes but for the `least`.

    O(n w²) for w features, O(n² w) for n < w rows; those of many rows are made twice rather than kept. On a line with
    many more rows than nodes O(n r) for r axes.
    """
    gram = engine.gram(kernel, z, rng)
    features, points, notes = _features(gram, engine, name)
    faithful = not isinstance(gram, LowRankGram) or gram.certificate.met
    nodes = _NODES * features.width // 2
    if isinstance(gram, GridGram) and points.shape[1] == 1 and 4 * nodes <= len(points):
        rows, values = _on_a_line(features, points[:, 0], nodes, least)
    else:
        rows, values = _on_all_rows(features, points, least)
    return Factor(rows, values, notes, faithful)


def _on_all_rows(features: FeatureMap, points: Floats, least: float) -> tuple[Floats, Floats]:
    """Rows of the features in their principal axes, and the eigenvalues."""
    if len(points) < features.width:  # an eigenproblem of the rows is smaller than one of the features
        phi = np.asarray(features(points), dtype=np.float64)
        phi -= phi.mean(axis=0)
        values, axes = _leading(*np.linalg.eigh(phi @ phi.T), least)
        return axes * np.sqrt(values), values
    rough = features(points[:: max(1, len(points) // 500)]).mean(axis=0, dtype=np.float64)
    total, outer = np.zeros(features.width), np.zeros((features.width, features.width))
    kept: list[Floats] = []
    for block in _blocks(len(points), features.width):
        phi = _centred(features, points[block], rough)
        total += phi.sum(axis=0)
        outer += phi.T @ phi
        if len(points) * features.width <= _KEPT_ENTRIES:
            kept.append(phi)
    mean = total / len(points)
    values, axes = _leading(*np.linalg.eigh(outer - len(points) * np.outer(mean, mean)), least)
    rows = np.empty((len(points), len(values)))
    for i, block in enumerate(_blocks(len(points), features.width)):
        np.matmul(kept[i] if kept else _centred(features, points[block], rough), axes, out=rows[block])
    rows -= mean @ axes
    return rows, values


def _on_a_line(features: FeatureMap, line: Floats, nodes: int, least: float) -> tuple[Floats, Floats]:
    """The same for many rows on a line: cubics in each cell between nodes, so that sums of powers are all it takes."""
    from scipy.sparse import csr_array

    cells, start = nodes - 3, float(line.min())
    width = float(np.ptp(line)) / cells or 1.0
    phi = np.asarray(features((start + width * np.arange(-1.0, nodes - 1))[:, None]), dtype=np.float64)
    cubics = np.stack([sum(c * phi[k : k + cells] for k, c in enumerate(power)) for power in _CUBICS])  # (4, cells, w)
    parts = [slice(first, first + _PART) for first in range(0, len(line), _PART)]

    def placed(part: slice) -> tuple[NDArray[np.int32], Floats]:
        """The cell of every row, and its place there between 0 and 1."""
        places = (line[part] - start) / width
        cell = np.minimum(places.astype(np.int32), cells - 1)
        return cell, places - cell

    sums = np.zeros((7, cells))  # of the powers 0, ..., 6 of the places
    for part in parts:
        cell, t = placed(part)
        power = np.ones_like(t)
        for p in range(7):
            sums[p] += np.bincount(cell, power, minlength=cells)
            power *= t
    cubics[0] -= sum(sums[p] @ cubics[p] for p in range(4)) / len(line)
    outer = sum(cubics[p].T @ (cubics[q] * sums[p + q][:, None]) for p in range(4) for q in range(4))
    values, axes = _leading(*np.linalg.eigh(np.asarray(outer)), least)
    table = np.ascontiguousarray((cubics @ axes).transpose(1, 0, 2)).reshape(4 * cells, -1)
    rows = np.empty((len(line), len(values)))
    for part in parts:
        cell, t = placed(part)
        powers = np.stack([np.ones_like(t), t, t * t, t * t * t], axis=1)
        columns = 4 * cell[:, None] + np.arange(4, dtype=np.int32)
        ends = np.arange(0, powers.size + 1, 4, dtype=np.int32)
        rows[part] = csr_array((powers.ravel(), columns.ravel(), ends), shape=(len(t), len(table))) @ table
    return rows, values


def _leading(values: Floats, axes: Floats, least: float) -> tuple[Floats, Floats]:
    """Eigenvalues in decreasing order and ``(w, r)`` axes, from increasing ones, but for those that are negligible."""
    values, axes = np.maximum(values[::-1], 0.0), axes[:, ::-1]
    tail = np.sqrt(np.cumsum(values[::-1] ** 2)[::-1])
    rank = max(1, int(np.count_nonzero(tail > least * tail[0])))
    return values[:rank], axes[:, :rank]


def _features(gram: object, engine: Engine, name: str) -> tuple[FeatureMap, Floats, tuple[str, ...]]:
    if isinstance(gram, GridGram):
        return gram.features, gram.z, gram.remarks
    if isinstance(gram, LowRankGram):
        note = f"Low-rank kernel of {name}, rank {gram.rank}: {gram.certificate}."
        return gram.features, gram.z, (note, *gram.certificate.warning())
    if isinstance(gram, FeatureGram):
        return gram.features, gram.z, gram.remarks
    raise OptionError(
        f"engine={engine!r} has no features for the kernel of {name}, and HSIC needs them. "
        "Use engine='auto' or 'lowrank'."
    )


def _centred(features: FeatureMap, points: Floats, rough: Floats) -> Floats:
    phi = np.asarray(features(points), dtype=np.float64)
    phi -= rough
    return phi


def _blocks(rows: int, width: int) -> Iterator[slice]:
    step = max(1, _BLOCK_ENTRIES // width)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
