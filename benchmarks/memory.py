"""Peak memory above the inputs, in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.fresh import python
from benchmarks.table import Row

CODE = """
import resource, sys
import numpy as np
import twosample as ts

def peak():
    # VmHWM belongs to this process alone; ru_maxrss starts at the size of the process that started it
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

n, d, permutations, heavy = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
x, y = (rng.standard_t(2, size=(n, d)) if heavy else rng.normal(size=(n, d)) for _ in range(2))
before = peak()
ts.mmd_test(x, y, engine="tiled", null=ts.Permutation(n=permutations), rng=0)
print((peak() - before) / 1e6)
"""


def rows() -> Iterator[Row]:
    if sys.platform == "win32":
        yield Row("skipped: Windows does not tell", None)
        return
    yield row(20_000, 10, 200, target=600)
    yield row(20_000, 10, 200, heavy=True)


def row(n: int, d: int, permutations: int, heavy: bool = False, target: float | None = None) -> Row:
    used = float(python("-c", CODE, str(n), str(d), str(permutations), str(int(heavy))))
    kind = "float64" if heavy else "float32"
    return Row(f"tiled, peak above the inputs, n=m={n}, d={d}, R={permutations}, {kind}", used, target, "MB")
