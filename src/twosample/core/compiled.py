"""Loops that would be several passes over memory in NumPy: `loops.ll`, compiled by llvmlite (of the extra `fast`)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .types import Floats

_TEXT = Path(__file__).with_name("loops.ll")
_VERSION = (20, 0, 0)  # of LLVM: llvmlite 0.45
_ARRAY, _WHOLE, _NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_ARGUMENTS = {
    "four_sums": (_ARRAY, _ARRAY, _WHOLE, _WHOLE, _NUMBER, _WHOLE, _ARRAY),
    "summary": (_ARRAY, _WHOLE, _NUMBER, _ARRAY),
    "bins": (_ARRAY, _WHOLE, _NUMBER, _NUMBER, _ARRAY, _WHOLE, _WHOLE),
}


class Loops:
    """The compiled loops. They take contiguous arrays of doubles, and other threads run meanwhile.

    Parameters
    ----------
    engine
        Keeps the machine code alive.
    """

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._loops: dict[str, Callable[..., None]] = {
            name: ctypes.CFUNCTYPE(None, *arguments)(engine.get_function_address(name))
            for name, arguments in _ARGUMENTS.items()
        }

    def four_sums(self, x: Floats, y: Floats, weight: float, absolute: bool, values: Floats) -> None:
        """Fill ``(4, terms)`` values with weighted sums of squared or absolute differences of neighbouring rows."""
        terms, d = values.shape[1], x.shape[1]
        assert x.shape == y.shape == (2 * terms, d)
        self._loops["four_sums"](_place(x), _place(y), terms, d, weight, absolute, _place(values))

    def summary(self, values: Floats, shift: float) -> tuple[float, float, float, float]:
        """Least, largest, and the sums of c and c² for c = value - shift, of at least one number and no NaN."""
        assert len(values)
        out = np.empty(4)
        self._loops["summary"](_place(values), len(values), shift, _place(out))
        low, high, total, squares = out.tolist()
        return low, high, total, squares

    def bins(self, values: Floats, scale: float, offset: float, moments: Floats) -> None:
        """As :func:`twosample.core.bins.add_to_bins`."""
        size, width = moments.shape
        assert width in (2, 3)
        self._loops["bins"](_place(values), len(values), scale, offset, _place(moments), size, width)


def _place(array: Floats) -> int:
    """The address of an array that a loop can use; np.ctypeslib would take ten times as long to look."""
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    return array.ctypes.data


@cache
def compiled() -> Loops | None:
    """The loops, made once a process, which takes a tenth of a second.

    None where llvmlite is missing or too old, or where nothing can be compiled: memory may be closed to new code.
    """
    try:
        import llvmlite.binding as llvm
    except (ImportError, OSError):
        return None
    if llvm.llvm_version_info < _VERSION:
        return None
    try:
        return Loops(_engine(llvm))
    except RuntimeError:
        return None


def _engine(llvm: Any) -> Any:
    """The text, compiled for this processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(_TEXT.read_text(encoding="ascii"))
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
