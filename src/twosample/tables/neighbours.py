"""Whether rows look like a series: neighbours in the file that are more alike than chance allows."""

from __future__ import annotations

from math import sqrt

import numpy as np

from .._shown import shown
from ..core.types import Floats
from .joint import Joint
from .parts import Finding
from .reading import Reading

_FEWEST = 30  # rows
_ALIKE, _SURELY = 0.1, 4.0  # the autocorrelation, and in its standard deviations


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
        if not side.whole or side.summarized or len(chosen) < _FEWEST:
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
