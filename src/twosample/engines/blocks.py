r"""Many rows: the sum over random blocks of :math:`v_b'A_bv_b`, for the U-centred Gram matrix A_b of each block.

The division is drawn without looking at labels, so that a test by relabelling is exact for it, too. The number of pairs
of rows is bounded, and with it the time.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ..core.labellings import Labellings, PackedBits
from ..core.threads import available_cores, run
from ..core.types import Counts, Floats, Reals

BLOCK = 128  # the fewest rows of a block

Rows = np.ndarray[tuple[int], np.dtype[np.intp]]
Singles = NDArray[np.float32]

Tiles = Callable[[slice, slice], Reals]  # (B, rows, columns) values of B kernels for these rows and columns of a block

_STRIP, _FEW = 1024, 512  # rows of a block at a time; blocks from which on several are one piece of work
_LABEL_BYTES = 400_000_000


def block_count(size: int, pairs: int) -> int:
    """How many blocks so many rows are divided into, for so many pairs within them."""
    return max(1, min(-(-size * size // pairs), size // BLOCK))


def divided(size: int, pairs: int, rng: np.random.Generator) -> list[Rows]:
    """Random blocks of rows; none if all pairs of rows are not too many."""
    count = block_count(size, pairs)
    return np.array_split(rng.permutation(size), count) if count > 1 else []


def blocked_sums(labels: Labellings, blocks: list[Rows], form: Callable[[Rows, Singles], Floats]) -> Floats:
    """``(B, R)`` the sum over blocks of `form`, which takes the rows of a block and their ``(b, R)`` labels."""
    stored = labels.stored
    assert isinstance(stored, PackedBits)  # all labellings of so many rows are more than anybody can list
    size = stored.points
    groups = [blocks[i : i + 64] for i in range(0, len(blocks), 64)] if len(blocks) > _FEW else [[b] for b in blocks]
    step = max(16, _LABEL_BYTES // size)  # labellings at a time, a byte for each row
    values = []
    for start in range(0, labels.count, step):
        V = PackedBits(stored.bits[start : start + step], size).block(slice(0, size))  # (step, N)

        def work(group: list[Rows], stop: Event, V: Counts = V) -> Floats:
            parts = (form(rows, V[:, rows].T.astype(np.float32)) for rows in group if not stop.is_set())
            return np.asarray(sum(parts, np.zeros(1)))

        values.append(np.sum(run(groups, work, available_cores()), axis=0))
    return np.concatenate(values, axis=1)


def centred_forms(tiles: Tiles, v: Singles) -> Floats:
    r"""``(B, R)`` v'Av for the U-centred Gram matrices A of b rows whose tiles these are, and ``(b, R)`` labels v.

    With k = v'1 and the sums r of K without its diagonal it is
    :math:`v'Kv - 2\frac{k-1}{b-2}v'r + \frac{k(k-1)}{(b-1)(b-2)}1'r`. O(b² B R), in strips.
    """
    size, count = v.shape
    right = np.concatenate([v, np.ones((size, 1), np.float32)], axis=1)
    strips = [slice(i, min(i + _STRIP, size)) for i in range(0, size, _STRIP)]
    inner, rows, total = np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1))
    for i, here in enumerate(strips):
        half: Floats = np.zeros((1, here.stop - here.start, 1))  # each entry stands for its mirror image, too
        for there in strips[i:]:
            K = tiles(here, there)
            if there == here:
                K = K * 0.5
                np.einsum("bii->bi", K)[:] = 0
            half = half + K.astype(np.float32, copy=False) @ right[there]
        inner = inner + 2 * np.einsum("ir,bir->br", v[here], half[:, :, :count])
        rows = rows + half[:, :, count] @ v[here] + half[:, :, :count].sum(axis=1)
        total = total + 2 * half[:, :, count:].sum(axis=1)
    k = v.sum(axis=0, dtype=np.float64)
    return np.asarray(inner - 2 * (k - 1) / (size - 2) * rows + k * (k - 1) / ((size - 1.0) * (size - 2)) * total)
