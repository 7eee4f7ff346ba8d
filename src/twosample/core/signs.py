"""Random signs of levels that depend on nothing but what a level is called."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from .types import Floats

CODE_BITS = 64


def sign_codes(levels: Sequence[Hashable]) -> Floats:
    """``(L, 64)`` signs by a hash of each level: about half of them differ between any two levels."""
    digests = (blake2b(_name(level).encode("utf-8", "surrogatepass"), digest_size=8).digest() for level in levels)
    octets = np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, CODE_BITS // 8)
    return 1.0 - 2.0 * np.unpackbits(octets, axis=1).astype(np.float64)


def _name(level: Any) -> str:
    return repr(level.item() if isinstance(level, np.generic) else level)
