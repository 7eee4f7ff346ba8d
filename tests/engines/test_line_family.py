"""All kernels on a line by one Fourier transform, against one kernel matrix at a time."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts
from twosample.core.labellings import relabellings
from twosample.core.sums import sums_of_matrix
from twosample.engines.line_family import _CELLS, LineFamily, _drawn_in
from twosample.statistics import Unbiased

KERNELS = [kind(h) for kind in (ts.Gaussian, ts.Laplace) for h in (0.25, 1.0, 6.0)]


def _naive(z, labels, m, n):
    """MMD²_u from the definition, for every kernel."""
    for kernel in KERNELS:
        yield Unbiased().form(m, n).value(sums_of_matrix(kernel.block(z, z), labels, m, n))


@pytest.mark.parametrize(("m", "n"), [(40, 40), (15, 70)])
def test_values_on_the_cells_have_the_statistic_of_the_kernel_matrix(m, n):
    rng = np.random.default_rng(0)
    z = np.rint(32 * rng.normal(size=m + n)) / 32  # multiples of an eighth of the narrowest bandwidth
    labels = relabellings(m, n, 30, rng)
    family = LineFamily.of(KERNELS, z, (np.arange(m + n) < m).astype(float), np.ones(m + n))
    assert family.step == 1 / 32
    inside = np.rint((z - z.min()) * 32)[:, None] == family.cells
    found, error = family.statistics(labels.x.T.astype(np.int64) @ inside)
    expected = np.array(list(_naive(z[:, None], labels, m, n)))
    assert found == pytest.approx(expected, abs=1e-12)
    assert 0 < error < 1e-9


def test_other_values_are_close_to_it():
    """Rounding to cells moves a statistic by a small part of its standard deviation over relabellings."""
    rng = np.random.default_rng(1)
    m = n = 60
    z = rng.standard_t(4, size=m + n)
    labels = relabellings(m, n, 200, rng)
    family = LineFamily.of(KERNELS, z, (np.arange(m + n) < m).astype(float), np.ones(m + n))
    cells = np.searchsorted(family.cells, np.rint((z - z.min()) / family.step))
    found, _ = family.statistics(labels.x.T.astype(np.int64) @ (cells[:, None] == np.arange(len(family.cells))))
    expected = np.array(list(_naive(z[:, None], labels, m, n)))
    moved = (found - expected).std(axis=1) / expected.std(axis=1)
    assert moved.max() < 0.1
    assert moved[[2, 5]].max() < 0.02  # wide kernels


def test_weighted_points_are_rows_that_repeat():
    place, x, pool = np.array([3.0, 0.0, 1.5]), np.array([2.0, 0.0, 5.0]), np.array([4.0, 3.0, 6.0])
    one = LineFamily.of(KERNELS, place, x, pool)
    rows = np.repeat(place, pool.astype(int))
    first = np.concatenate([np.arange(k) < own for own, k in zip(x, pool.astype(int), strict=True)]).astype(float)
    other = LineFamily.of(KERNELS, rows, first, np.ones(len(rows)))
    assert (one.cells == other.cells).all()
    assert one.statistics(one.x[None])[0] == pytest.approx(other.statistics(other.x[None])[0], abs=1e-14)


def test_relabellings_keep_the_rows_of_every_cell():
    rng = np.random.default_rng(2)
    z = rng.integers(4, size=30).astype(float)
    family = LineFamily.of(KERNELS, z, (np.arange(30) < 12).astype(float), np.ones(30))
    drawn, exhaustive = family.relabelled(2000, rng)
    assert not exhaustive
    assert drawn.shape == (2001, len(family.cells))
    assert (drawn[0] == family.x).all()
    assert (drawn.sum(axis=1) == 12).all()
    assert ((drawn >= 0) & (drawn <= family.pool)).all()
    assert drawn[1:].mean(axis=0) == pytest.approx(family.pool * 12 / 30, abs=0.15)
    every, exhaustive = LineFamily.of(KERNELS, z[:6], np.array([1, 1, 1, 0, 0, 0.0]), np.ones(6)).relabelled(50, rng)
    assert exhaustive
    assert len(every) == 20


def test_far_values_do_not_widen_the_cells():
    """A row in 1e300 leaves the cells of the others as fine as they were."""
    z = np.append(np.random.default_rng(3).normal(size=200), [1e300, 2e300])
    family = LineFamily.of(KERNELS, z, (np.arange(202) % 2).astype(float), np.ones(202))
    assert family.cells[-1] < _CELLS
    assert family.step < 0.5
    far = _drawn_in(np.array([-9.0, -4.0, 0.0, 3.0, 4.0, 5.0, 100.0, 1e300]), 4.0)
    assert (np.diff(far) > 0).all()
    assert far[1:5].tolist() == [-4.0, 0.0, 3.0, 4.0]
