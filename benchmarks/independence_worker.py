"""Runs in the peers' interpreter: one timed test for every line on standard input. Knows nothing of twosample."""

import sys
import warnings
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np


def main() -> None:
    name, folder, permutations = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    x, y = np.load(folder / "x.npy"), np.load(folder / "y.npy")
    try:
        if name.startswith("hyppo"):
            from hyppo.independence import Hsic

            work = partial(Hsic().test, x, y, reps=permutations, auto=False, workers=1, random_state=0)
        else:
            from dcor.independence import distance_covariance_test

            work = partial(distance_covariance_test, x, y, num_resamples=permutations, random_state=0)
    except ImportError:
        return
    warnings.simplefilter("ignore")  # hyppo finds few permutations too few
    print("ready", flush=True)
    for _ in sys.stdin:
        start = perf_counter()
        work()
        print(perf_counter() - start, flush=True)


main()
