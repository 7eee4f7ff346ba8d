"""All columns together, on a random sample of each table: rows as coordinates, features of columns, groups of rows."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .._shown import shown
from ..adaptive.front import CITATION
from ..core.groups import RowGroups
from ..core.threads import available_cores
from ..core.types import Floats
from ..embedding import ROWS_FOR_INTERVAL, Embedded, Judged
from ..engines import LowRank
from ..engines.lowrank import landmark_features
from ..errors import SmallSampleWarning
from ..kernels import Gaussian
from ..kernels.bandwidth import distance_quantiles
from ..planning import EffectSize
from ..results import TestResult, conclude
from ..sources import JointColumn
from ..sources.kinds import NUMBERS
from ..sources.values import column_of, columns_of, records
from ..structured.columns import side_by_side
from .features import PooledColumn, pooled_column
from .parts import GROUPS, Finding, SpeakingRow, Value
from .reading import Reading

if TYPE_CHECKING:
    import polars as pl

RANK = 256  # features of the joint kernel
_ENGINE = LowRank(max_rank=RANK)
CELLS = 40_000_000  # coordinates of the joint sample, at most; with very many columns it has fewer rows
RESAMPLES = 999  # how often groups of rows are relabelled
KEPT = 100  # rows of each table that are kept to be shown; fewer of very wide tables

_SHOWN_CELLS = 20_000
_FEWEST = 30  # rows
_ALIKE, _SURELY = 0.1, 4.0  # the autocorrelation, and in its standard deviations


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint sample."""

    pair: Embedded  # a point for each row
    chosen: tuple[np.ndarray[Any, np.dtype[np.intp]], np.ndarray[Any, np.dtype[np.intp]]]
    kernel: Gaussian  # on coordinates
    columns: int
    features: tuple[PooledColumn, ...]  # of the columns that vary
    groups: RowGroups  # of rows, and their relabellings
    twins: Floats  # (N,) 1 for a row that occurs more than once in the pooled sample
    shared: tuple[float, float] | None  # shares that the other table has too, if more than chance explains
    notes: tuple[str, ...]  # how it was done
    every: bool = False  # whether features of every row were tested beside it


def joint_sample(
    reading: Reading, columns: list[JointColumn], rng: np.random.Generator, resamples: int = RESAMPLES
) -> Joint:
    """Rows as coordinates, and the features of the kernel on them."""
    a, b = reading.samples
    most = max(500, CELLS // (2 * sum(_width(column, a, b) for column in columns)))
    groups = RowGroups.of(min(most, len(a)), min(most, len(b)), GROUPS, resamples, rng)
    chosen = tuple(rng.permutation(len(part))[:rows] for part, rows in zip((a, b), groups.rows, strict=True))
    pooled = a[chosen[0]].vstack(b[chosen[1]])
    coordinates, found = [], []
    for column in columns:
        own, features_of = pooled_column(
            column.name, column_of(pooled, column.name), column.kind, reading.scales.get(column.name), len(columns)
        )
        coordinates.append(own)
        found.append(features_of)
    z = side_by_side(coordinates)
    width = float(distance_quantiles(z, "euclidean", np.array([0.5]), rng)[0])
    kernel = Gaussian(width)
    features, certificate = landmark_features(kernel, z, 1e-3, RANK, rng, available_cores())
    residual = max(0.0, 1.0 - float(np.einsum("ij,ij->", features, features)) / len(z))
    first = (np.arange(len(z)) < len(chosen[0])).astype(np.float64)
    notes: tuple[str, ...] = (
        f"Joint test: {len(chosen[0])} and {len(chosen[1])} rows, in groups of {groups.size} that were relabelled "
        f"{len(groups.labels) - 1} times; {z.shape[1]} coordinates of {len(columns)} columns, {kernel!r} on them.",
        f"Low-rank kernel of rank {features.shape[1]}: {certificate}. The test is valid for it as it is.",
    )
    pair = Embedded.of(features, first, 1 - first, residual)
    kept = tuple(part for part in found if part is not None)
    shared = shared_rows(pooled, len(chosen[0]))
    if shared is not None:
        a_too, b_too = (f"{share:.0%}" for share in shared)
        notes += (
            f"The tables have rows in common: {a_too} of A are also in B, value for value, and {b_too} of B in A. They "
            "are no independent samples; rows that occur once in each table do not count as repeated.",
        )
    return Joint(pair, (chosen[0], chosen[1]), kernel, len(columns), kept, groups, _twins(pooled), shared, notes)


def _twins(pooled: pl.DataFrame) -> Floats:
    """1 for a row that occurs more than once."""
    return np.asarray(pooled.is_duplicated().to_numpy(), dtype=np.float64)


def shared_rows(pooled: pl.DataFrame, first: int) -> tuple[float, float] | None:
    """Shares of rows that are in the other table too, if more than chance explains are.

    Rows that occur just twice tell: of two rows at random one is of each table with probability 2mn/(N(N-1)).

    >>> import polars as pl
    >>> shared_rows(pl.DataFrame({"x": [*range(400), *range(300, 500)]}), 400)
    (0.25, 0.5)
    >>> shared_rows(pl.DataFrame({"x": [*range(400), *range(500, 600), *range(500, 600)]}), 400) is None
    True
    """
    index, counts = np.unique(pooled.hash_rows().to_numpy(), return_inverse=True, return_counts=True)[1:]
    own = np.bincount(index[:first], minlength=len(counts))
    twice, n = counts == 2, len(pooled) - first
    pairs, apart = int(twice.sum()), int((own[twice] == 1).sum())
    chance = 2 * first * n / (len(pooled) * (len(pooled) - 1))
    if apart <= chance * pairs + 4 * np.sqrt(chance * (1 - chance) * pairs) or apart < 5:
        return None
    both = (own > 0) & (own < counts)
    return float(own[both].sum() / first), float((counts - own)[both].sum() / n)


def _width(column: JointColumn, a: pl.DataFrame, b: pl.DataFrame) -> int:
    """How many coordinates it will have, at most."""
    if column.kind in NUMBERS:
        return 2
    return 129 if column.kind == "text" else min(64, sum(column_of(part, column.name).n_unique() for part in (a, b)))


def joint_result(joint: Joint, found: Judged, level: float) -> TestResult:
    """The joint test as a result like any other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallSampleWarning)  # the verdict says so
        return conclude(
            found.law,
            statistic=found.statistic,
            level=level,
            m=found.m,
            n=found.n,
            test="Adaptive two-sample test of tables",
            symbol="log mean 1/p",
            columns=joint.columns,
            null=found.null,
            kernel=joint.kernel,
            engine=_ENGINE,
            reason=f"{found.m + found.n:,} rows" if joint.every else f"{found.m + found.n} sampled rows",
            citation=CITATION,
            notes=joint.notes,
        )


def joint_effect(joint: Joint, found: Judged, level: float) -> EffectSize | None:
    """Its effect size."""
    if min(found.m, found.n) < ROWS_FOR_INTERVAL:
        return None
    effect = found.effect
    return EffectSize(
        value=effect.value,
        low=effect.low,
        high=effect.high,
        level=1 - 2 * level,
        mmd=max(effect.squared, 0.0) ** 0.5,
        spread=effect.spread,
        m=found.m,
        n=found.n,
        kernel=joint.kernel,
    )


def speaking_rows(joint: Joint, reading: Reading, wanted: Collection[str]) -> tuple[SpeakingRow, ...]:
    """The rows of either table at which the joint witness speaks most for it, strongest first; wanted columns only."""
    witness = joint.pair.witness()
    largest = float(np.abs(witness).max()) or 1.0
    found: list[SpeakingRow] = []
    ahead = len(joint.chosen[0])
    for table, side, chosen, values in (
        ("a", reading.a, joint.chosen[0], witness[:ahead]),
        ("b", reading.b, joint.chosen[1], -witness[ahead:]),
    ):
        shown = [name for name in side.sample.columns if name in wanted]
        most = min(KEPT, max(5, _SHOWN_CELLS // len(shown)))
        order = np.argsort(-values, kind="stable")[:most]
        order = order[values[order] > 0]
        rows = records(columns_of(side.sample, shown)[chosen[order]])
        sign = 1.0 if table == "a" else -1.0
        for index, row in zip(order.tolist(), rows, strict=True):
            position = int(chosen[index])
            score = sign * float(values[index]) / largest
            plain = {name: _plain(value) for name, value in row.items()}
            found.append(SpeakingRow(table, score, position, side.number(position), plain))  # type: ignore[arg-type]
    return tuple(sorted(found, key=lambda row: -abs(row.score)))


def _plain(value: object) -> Value:
    """A cell as JSON can hold it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else (None if np.isnan(value) else str(value))
    isoformat = getattr(value, "isoformat", None)
    return str(isoformat()) if callable(isoformat) else str(value)


def series_finding(joint: Joint, reading: Reading, groups: str) -> Finding | None:
    r"""Neighbouring rows that are alike, by the joint witness in the order of the file.

    The witness is what the difference is seen by; of rows in any order its autocorrelation at lag one is
    :math:`0 \pm 1/\sqrt n`. Looked at within each table whose rows are all at hand; the larger one is told. A series
    with memory :math:`\varphi` of n rows is worth :math:`n(1-\varphi)/(1+\varphi)` independent ones. `groups` is what
    the option for groups of rows is called.
    """
    witness, m = joint.pair.witness(), len(joint.chosen[0])
    found: list[tuple[float, int, str]] = []
    for side, chosen, values in (
        (reading.a, joint.chosen[0], witness[:m]),
        (reading.b, joint.chosen[1], witness[m:]),
    ):
        if not side.at_hand or len(chosen) < _FEWEST:
            continue
        rho = autocorrelation(values[np.argsort(chosen)])
        if rho >= max(_ALIKE, _SURELY / sqrt(len(chosen))):
            found.append((rho, len(chosen), side.table.name))
    if not found:
        return None
    rho, rows, name = max(found)
    worth = rows * (1 - rho) / (1 + rho)
    return Finding(
        "series",
        None,
        f"neighbouring rows of {shown(name, 80)} are alike: the joint witness has an autocorrelation of {rho:.2f} in "
        f"the order of the file, so that {rows:,} rows may be worth {max(worth, 1):,.0f}. If they are a series or are "
        f"in groups, p-values are too small: give time= or {groups}= (--time, --group). A sorted file looks the same",
    )


def autocorrelation(values: Floats) -> float:
    """At lag one; 0 if nothing varies.

    >>> round(autocorrelation(np.sin(np.arange(200) / 5)), 2)
    0.98
    """
    centred = values - values.mean()
    square = float(centred @ centred)
    return float(centred[1:] @ centred[:-1]) / square if square > 1e-24 * len(values) else 0.0
