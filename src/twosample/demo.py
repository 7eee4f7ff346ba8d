"""``make demo``: compare two small bundled samples and print the verdict."""

from __future__ import annotations

import sys

import numpy as np

from . import mmd_test, witness
from .core.types import Floats


def samples() -> tuple[Floats, Floats]:
    """Two samples with the same mean and variance: 300 normal and 300 Laplace numbers (the paper's Figure 1)."""
    rng = np.random.default_rng(2008)
    return rng.normal(size=300), rng.laplace(scale=np.sqrt(0.5), size=300)


def main() -> None:
    """Run the demo."""
    x, y = samples()
    write = sys.stdout.write
    write("Two samples of 300 numbers, mean 0 and variance 1 both: x is normal, y is Laplace.\n\n")
    result = mmd_test(x, y, bandwidth=0.5, rng=0)
    write(f"{result}\n\n")
    rows = witness(x, y, bandwidth=0.5).rows(3)
    write(f"Where x is denser, for example: {', '.join(f'{value:.2f}' for value in x[rows.x])}\n")
    write(f"Where y is denser, for example: {', '.join(f'{value:.2f}' for value in y[rows.y])}\n")


if __name__ == "__main__":
    main()
