"""Names for the array types that the package passes around."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]  # double-precision numbers; the shape stands in a comment where it is made
Reals: TypeAlias = NDArray[np.floating[Any]]  # numbers in either precision: kernel tiles
Wholes: TypeAlias = NDArray[np.int64]  # whole numbers: rows of a value, of a bin

Waves: TypeAlias = NDArray[np.complex128]  # values of characteristic functions and of waves exp(iwx)

Counts: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""How often a pooled point stands in a sample: 0 or 1 for a relabelling, any count for a bootstrap."""
