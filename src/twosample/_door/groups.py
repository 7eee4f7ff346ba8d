"""Several samples at the door: a list or a mapping of them becomes names, sizes, and one pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._shown import shown
from ..errors import InputError
from ..kernels import Kernel
from .lists import objects, row_numbers
from .samples import check_names, column_names, points


@dataclass(frozen=True, eq=False)
class Groups:
    """Several samples, checked."""

    names: tuple[str, ...]  # what they are called: the keys of a mapping, or '1', '2', ...
    samples: tuple[Any, ...]  # rows of each, as arrays, or as lists of objects

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each."""
        return tuple(map(len, self.samples))

    @property
    def halves(self) -> tuple[Any, Any]:
        """The first sample, and all others as one."""
        first, *others = self.samples
        if isinstance(first, list):
            return first, [item for sample in others for item in sample]
        return first, np.concatenate(others)


def groups(samples: object, kernel: Kernel, called: str = "samples[{!r}]") -> Groups:
    """Several samples of whatever the kernel takes, at least two rows each; `called`: what messages call one."""
    if isinstance(samples, Mapping):
        names, values = tuple(shown(str(name), 60) for name in samples), list(samples.values())
        said = [called.format(name) for name in names]
    elif isinstance(samples, Sequence) and not isinstance(samples, str | bytes):
        values = list(samples)
        names = tuple(str(i + 1) for i in range(len(values)))
        said = [called.format(i) for i in range(len(values))]
    else:
        raise InputError(
            f"samples is a {type(samples).__name__}; give a list of samples, [x1, x2, ...], or a mapping from names "
            "to samples, {'north': x1, 'south': x2, ...}."
        )
    if len(values) < 2:
        raise InputError(f"samples holds {len(values)} sample(s); give at least two.")
    if kernel.domain == "objects":
        return Groups(names, tuple(map(objects, values, said)))
    if kernel.domain == "indices":
        return Groups(names, tuple(row_numbers(value, name, kernel) for value, name in zip(values, said, strict=True)))
    read = tuple(map(points, values, said))
    for value, rows, name in zip(values[1:], read[1:], said[1:], strict=True):
        check_names(column_names(values[0]), column_names(value), f"{said[0]} and {name}")
        if rows.shape[1] != read[0].shape[1]:
            raise InputError(
                f"{said[0]} has {read[0].shape[1]} column(s) and {name} has {rows.shape[1]}; all samples must have "
                "the same columns."
            )
    return Groups(names, read)
