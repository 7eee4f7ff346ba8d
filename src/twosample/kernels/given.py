"""Kernels that the user brings along: a precomputed matrix, also from a .npz archive, or any function."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from .._files import whole_file
from ..core.types import Floats
from ..errors import InputError, OptionError, real_number
from .bandwidth import Median
from .base import Kernel, Metric
from .objects import row_numbers_of, rows_of

_CHECKED_ROWS = 2000
FORMAT = "twosample-gram-1"


@dataclass(frozen=True, eq=False)
class Precomputed(Kernel):
    """A kernel known only as its Gram matrix over all points; points are row numbers of that matrix.

    The matrix must be symmetric and positive semi-definite; both are checked (the latter on at most 2000 of its rows,
    by a Cholesky factorisation). It is not copied if it is already an array of doubles, and never modified.

    Parameters
    ----------
    matrix
        ``(N, N)`` kernel values of the pooled points, sample x first.
    m
        How many of them are x. With it, a test may be called with ``x=None, y=None``; without it, x and y are
        row numbers.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> z = np.arange(12.0)[:, None]
    >>> K = ts.Gaussian(2.0).block(z, z)
    >>> ts.mmd_test(None, None, kernel=ts.Precomputed(K, m=6), rng=0).rejected
    True
    """

    matrix: Floats = field(repr=False)
    m: int | None = None

    domain = "indices"
    in_memory = True

    def __post_init__(self) -> None:
        K = _asarray(self.matrix)
        if K.ndim != 2 or K.shape[0] != K.shape[1] or len(K) == 0:
            raise InputError(f"Precomputed: the matrix must be square and not empty, not of shape {K.shape}.")
        if K.dtype.kind not in "fiu":
            raise InputError(f"Precomputed: the matrix must hold real numbers, not {K.dtype}.")
        if self.m is not None and (not isinstance(self.m, int | np.integer) or not 0 < self.m < len(K)):
            raise InputError(f"Precomputed: m={self.m!r} must be a whole number from 1 to {len(K) - 1}.")
        K = np.asarray(K, dtype=np.float64)
        _check_positive(K)
        object.__setattr__(self, "matrix", K)

    @classmethod
    def from_blocks(cls, xx: ArrayLike, xy: ArrayLike, yy: ArrayLike) -> Precomputed:
        """Put the pooled matrix together from k(x,x), k(x,y) and k(y,y)."""
        blocks = [_asarray(block) for block in (xx, xy, yy)]
        kxx, kxy, kyy = blocks
        sizes = (len(kxx), len(kyy)) if kxx.ndim and kyy.ndim else ()
        if [block.shape for block in blocks] != [2 * sizes[:1], sizes, 2 * sizes[1:]]:
            shapes = ", ".join(str(block.shape) for block in blocks)
            raise InputError(f"Precomputed: blocks of shapes {shapes} do not fit; give (m, m), (m, n), (n, n).")
        return cls(np.block([[kxx, kxy], [kxy.T, kyy]]), m=len(kxx))

    @property
    def size(self) -> int:
        """How many points there are."""
        return len(self.matrix)

    @classmethod
    def of(cls, kernel: Kernel, objects: Sequence[Any], m: int | None = None) -> Precomputed:
        """All kernel values of some objects (graphs, strings), worked out once.

        Bandwidths that the kernel leaves open are medians over these objects.

        Parameters
        ----------
        kernel
            A kernel on objects, such as ``ts.graphs.RandomWalk()``.
        objects
            The objects, sample x first if `m` is given.
        m
            How many of them are x.
        """
        if not isinstance(kernel, Kernel) or kernel.domain != "objects":
            raise OptionError(f"Precomputed.of: {kernel!r} is no kernel on objects; give Precomputed its matrix.")
        try:
            objects = list(objects)
        except Exception as error:  # noqa: BLE001 - whatever a foreign object says when it is asked for its items
            raise InputError(f"Precomputed.of: give a list of objects: {error}") from None
        places, rng = row_numbers_of(objects), np.random.default_rng(0)

        def bandwidth_of(metric: Metric, rows: Floats | None = None) -> float:
            return float(Median().bandwidths(places if rows is None else rows, metric, rng)[0])

        return cls(kernel.on(objects).fill(bandwidth_of).block(places, places), m=m)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the matrix and m to a file, whole or not at all: a .npz archive of plain arrays.

        Parameters
        ----------
        path
            The file, which is replaced if it exists. No ending is added.
        """
        write_gram(path, self.matrix, self.m)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Precomputed:
        """Read what :meth:`save` has written; a file that is cut off, or another one, is refused.

        Parameters
        ----------
        path
            The file.
        """
        matrix, m = read_gram(path)
        return cls(matrix, m)

    def block(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self.matrix[np.ix_(rows_of(a), rows_of(b))])

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self.matrix[rows_of(a), rows_of(b)])

    def __repr__(self) -> str:
        return f"Precomputed({len(self.matrix)} x {len(self.matrix)})"


def _asarray(matrix: object, what: str = "Precomputed: the matrix") -> np.ndarray[Any, Any]:
    try:
        return np.asarray(matrix)
    except Exception as error:  # noqa: BLE001 - whatever a foreign object says when it is asked for its numbers
        raise InputError(f"{what} cannot be read as an array: {error}") from None


@dataclass(frozen=True)
class FunctionKernel(Kernel):
    """A kernel given as a function ``k(A, B)`` that returns the ``(len(A), len(B))`` block of values.

    Pass the function itself as ``kernel=``; this class wraps it. Whether it is positive definite is the caller's word.

    Parameters
    ----------
    function
        Takes two arrays of points as rows, returns their block of kernel values.
    upper
        A number that k(x, y) never exceeds, if there is one: with it the large-deviation bounds apply.
    lower
        A number that k(x, y) never falls below.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> k = ts.FunctionKernel(lambda a, b: np.exp(-np.abs(a - b.T)), upper=1.0)
    >>> float(k.block(np.zeros((1, 1)), np.zeros((1, 1)))[0, 0])
    1.0
    """

    function: Callable[[Any, Any], Any]
    upper: float | None = None
    lower: float = 0.0

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, type):
            raise OptionError(f"FunctionKernel: function={self.function!r} must be a function k(A, B).")
        for name in ("upper", "lower"):
            if getattr(self, name) is not None:
                real_number(name, getattr(self, name))

    def block(self, a: Floats, b: Floats) -> Floats:
        K = _asarray(self.function(a, b), f"kernel: what {_name(self.function)} returned")
        if K.shape != (len(a), len(b)):
            raise OptionError(
                f"kernel: {_name(self.function)} was given {len(a)} and {len(b)} points and returned an array of "
                f"shape {K.shape}; it must return the block of shape {(len(a), len(b))}."
            )
        if K.dtype.kind not in "fiu" or not np.isfinite(K).all():
            raise OptionError(f"kernel: {_name(self.function)} returned values that are not finite real numbers.")
        return np.array(K, dtype=np.float64)  # a copy: engines may overwrite what they are given

    def pairs(self, a: Floats, b: Floats) -> Floats:
        step = 64
        parts = [np.diagonal(self.block(a[i : i + step], b[i : i + step])) for i in range(0, len(a), step)]
        return np.concatenate(parts) if parts else np.empty(0)

    @property
    def bounds(self) -> tuple[float, float] | None:
        return None if self.upper is None else (self.lower, self.upper)

    def __repr__(self) -> str:
        return f"FunctionKernel({_name(self.function)})"


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _check_positive(K: Floats) -> None:
    """Refuse a matrix that is not finite, not symmetric, or clearly not positive semi-definite."""
    if not np.isfinite(K).all():
        raise InputError("Precomputed: the matrix holds NaN or infinite values.")
    size = max(float(np.abs(K).max()), 1e-300)
    if not np.allclose(K, K.T, rtol=0, atol=1e-8 * size):
        i, j = np.unravel_index(int(np.abs(K - K.T).argmax()), K.shape)
        raise InputError(
            f"Precomputed: the matrix is not symmetric: entry ({i}, {j}) is {K[i, j]:.6g} "
            f"but ({j}, {i}) is {K[j, i]:.6g}."
        )
    keep = np.linspace(0, len(K) - 1, min(len(K), _CHECKED_ROWS)).astype(np.intp)
    part = K[np.ix_(keep, keep)]
    try:
        np.linalg.cholesky(part + 1e-7 * size * np.eye(len(part)))
    except np.linalg.LinAlgError:
        smallest = float(np.linalg.eigvalsh(part)[0])
        raise InputError(
            f"Precomputed: the matrix is indefinite (smallest eigenvalue {smallest:.4g}), so it is not a kernel. "
            "A matrix of distances D becomes one as -D/2 after double centring; see also ts.Energy."
        ) from None


def write_gram(path: str | os.PathLike[str], matrix: Floats, m: int | None) -> None:
    """Write a file, whole or not at all."""
    with whole_file(path) as file:
        np.savez(file, format=np.array(FORMAT), matrix=matrix, m=np.array(0 if m is None else m))


def read_gram(path: str | os.PathLike[str]) -> tuple[Floats, int | None]:
    """The matrix and m, or what is wrong with the file. Checksums of the archive are compared on the way."""
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            parts = {name: archive[name] for name in ("format", "matrix", "m") if name in archive.files}
    except FileNotFoundError:
        _refuse(path, "there is no such file")
    except (ValueError, OSError, EOFError, TypeError, AttributeError, MemoryError, zipfile.BadZipFile) as error:
        _refuse(path, f"it is no archive of arrays, or it was cut off ({error})")
    if len(parts) != 3 or parts["format"].tolist() != FORMAT or parts["m"].shape != ():
        _refuse(path, f"it does not say {FORMAT!r}")
    return parts["matrix"], int(parts["m"]) or None


def _refuse(path: str | os.PathLike[str], why: str) -> NoReturn:
    raise InputError(f"{path!s} is not a Gram matrix that can be used: {why}.") from None
