"""MMD of rows that depend on each other: with weights instead of labels for time series, and summed over groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.observed import Grouped, OneCovariance, Series
from ..core.sums import QuadraticForm
from ..core.types import Floats
from ..engines import Gram
from ..kernels import Kernel
from ..nulls.memory import kernel_memory

_ENTRIES = 30_000_000  # weights that are held in memory at a time


def time_series(
    form: QuadraticForm, gram: Gram, kernel: Kernel, pool: door.Pool, weights: door.Weights | None = None
) -> Series:
    """The quadratic form as one in random weights of the rows, seen from the (weighted) mean of each sample."""
    m, n, own = pool.m, pool.n, kernel.diagonal(pool.z)
    w = np.ones(m + n) if weights is None else weights.values
    sample = np.zeros((m + n, 2))
    sample[:m, 0], sample[m:, 1] = w[:m], w[m:]
    rows = gram.multiply(sample)
    means = np.concatenate([rows[:m, 0] / m, rows[m:, 1] / n])  # weights have a mean of 1
    wholes = np.repeat([(w * means)[:m].mean(), (w * means)[m:].mean()], [m, n])
    centred = own - 2 * means + wholes  # k(z, z), seen from the mean of its sample
    lengths = w**2 * centred
    diagonal, parts = np.array([lengths[:m].sum(), lengths[m:].sum()]), np.array([form.xx, form.yy])
    sizes = np.array((m, n) if weights is None else weights.effective, dtype=np.float64)

    def weighted(W: Floats) -> Floats:
        if weights is not None:  # the weighted mean of each sample is its own in every resample
            W = W - sample @ (sample.T @ W / sample.sum(axis=0)[:, None]) / np.maximum(w, 1e-300)[:, None]
        Wx, Wy = W * sample[:, :1], W * sample[:, 1:]
        return _off_diagonal(form, (Wx, Wy), (gram.multiply(Wx), gram.multiply(Wy)), centred)

    truth = _off_diagonal(form, (sample[:, :1], sample[:, 1:]), (rows[:, :1], rows[:, 1:]), own)
    own_sums = w**2 * own
    return Series(
        sizes=(m, n),
        shares=1 / sizes,
        value=float(truth[0] + form.dx * own_sums[:m].sum() + form.dy * own_sums[m:].sum()),
        weighted=weighted,
        diagonal=parts * diagonal,
        left_out=float((parts - [form.dx, form.dy]) @ diagonal),
        memory=lambda: max(kernel_memory(rows, kernel) for rows in (pool.x, pool.y)),
        one_covariance=_one_covariance(gram, sample, sample.T @ rows, centred, sizes),
    )


def _one_covariance(gram: Gram, sample: Floats, sums: Floats, centred: Floats, sizes: Floats) -> OneCovariance:
    r"""The form :math:`\|\sum_i s_i e_i \tilde\phi_i\|^2` in multipliers e, of rows seen from the mean of their sample.

    With shares p of the weight of a sample that is worth n rows, :math:`s_i^2 = p_i n (1/n_x + 1/n_y)`. The covariance
    of a weighted sample is :math:`(1 - 1/n)C` on average, so that that of the form is
    :math:`(n_x + n_y - 2)(1/n_x + 1/n_y)C`.

    `sample` has the ``(N, 2)`` weights of the rows of x and of y, 0 for those of the other; `sums` the weighted sums of
    the kernel within and between them; `centred` is k(z, z), seen from the mean of its sample.
    """
    shares = sample / sample.sum(axis=0)
    deviations = np.sqrt(shares @ sizes * (1 / sizes).sum())
    contrast = np.array([1.0, -1.0]) / sample.sum(axis=0)

    def multiplied(E: Floats) -> Floats:
        E = deviations[:, None] * E
        W = E - shares @ ((shares > 0).T @ E)  # what is taken off as the mean of each sample
        return np.asarray(np.einsum("ir,ir->r", W, gram.multiply(W)) - centred @ E**2)

    value, diagonal = float(contrast @ sums @ contrast), float(deviations**2 @ centred)
    return OneCovariance(value, multiplied, diagonal, float(sizes.sum()))


def group_sums(
    gram: Gram, diagonal: Floats, groups: NDArray[np.intp], count: int, biased: bool, weights: Floats
) -> Grouped:
    """Weighted sums of the Gram matrix over `count` groups of rows, by one product with their indicators."""
    K, step = np.empty((count, count)), max(1, _ENTRIES // len(groups))
    for start in range(0, count, step):
        some = np.arange(start, min(start + step, count))
        products = gram.multiply(weights[:, None] * (groups[:, None] == some))
        for column, group in zip(products.T, some, strict=True):
            K[:, group] = np.bincount(groups, weights=weights * column, minlength=count)
    own: Floats = np.bincount(groups, weights=weights**2 * diagonal, minlength=count).astype(np.float64)
    return Grouped((K + K.T) / 2, own, biased)


def _off_diagonal(
    form: QuadraticForm, weights: tuple[Floats, Floats], products: tuple[Floats, Floats], diagonal: Floats
) -> Floats:
    """``(c,)`` values of the form with weights of x and of y instead of labels, without k(z, z)."""
    (Wx, Wy), (KWx, KWy) = weights, products
    xx, xy, yy = (np.einsum("ir,ir->r", a, b) for a, b in ((Wx, KWx), (Wy, KWx), (Wy, KWy)))
    return np.asarray(
        form.xx * (xx - diagonal @ Wx**2) - 2 * form.xy * xy + form.yy * (yy - diagonal @ Wy**2), dtype=np.float64
    )
