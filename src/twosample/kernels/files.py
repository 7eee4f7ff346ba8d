"""Gram matrices as files: a .npz archive of plain arrays."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import NoReturn

import numpy as np

from .._files import whole_file
from ..core.types import Floats
from ..errors import InputError

FORMAT = "twosample-gram-1"


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
