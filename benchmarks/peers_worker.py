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
            from hyppo.ksample import MMD, Energy

            peer = MMD() if name == "hyppo MMD" else Energy()
            work = partial(peer.test, x, y, reps=permutations, auto=False, random_state=0)
        else:
            from dcor.homogeneity import energy_test

            work = partial(energy_test, x, y, num_resamples=permutations, random_state=0)
    except ImportError:
        return
    warnings.simplefilter("ignore")  # hyppo finds 200 permutations few
    print("ready", flush=True)
    for _ in sys.stdin:
        start = perf_counter()
        work()
        print(perf_counter() - start, flush=True)


main()
