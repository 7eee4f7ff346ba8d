"""Runs in the peers' interpreter: one timed test for every line on standard input. Knows nothing of twosample."""

import sys
from pathlib import Path
from time import perf_counter

import numpy as np


def main() -> None:
    name, folder, permutations = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    x, y = np.load(folder / "x.npy"), np.load(folder / "y.npy")
    try:
        if name.startswith("hyppo"):
            from hyppo.ksample import MMD, Energy

            test = (MMD if name == "hyppo MMD" else Energy)(bias=False)
            work = lambda: test.test(x, y, reps=permutations, auto=False, random_state=0)  # noqa: E731
        else:
            import dcor

            work = lambda: dcor.homogeneity.energy_test(  # noqa: E731
                x, y, num_resamples=permutations, random_state=np.random.RandomState(0)  # noqa: NPY002
            )
    except ImportError:
        return
    print("ready", flush=True)
    for _ in sys.stdin:
        start = perf_counter()
        work()
        print(perf_counter() - start, flush=True)


main()
