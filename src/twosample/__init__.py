"""Two-sample tests: do these two samples come from the same distribution, and if not, where do they differ.

``ts.mmd_test(x, y)`` tests, ``ts.mmd(x, y)`` estimates, ``ts.witness(x, y)`` shows where; ``ts.compare(a, b)`` is for
tables. The public names are listed in `_public.py` and loaded when the first of them is used, so that
``twosample --help`` does not wait for NumPy.
"""

import typing as _typing

from . import _forks as _forks
from ._version import __version__ as __version__

if _typing.TYPE_CHECKING:
    from ._public import *  # noqa: F403
    from ._public import __all__ as __all__
else:  # hidden from type checkers, to which every name would exist

    def __getattr__(name: str) -> object:
        if name.startswith("_") and name != "__all__":
            raise AttributeError(f"module 'twosample' has no attribute {name!r}")
        from importlib import import_module
        from importlib.util import find_spec

        room = None if name == "__all__" else find_spec(f"twosample.{name}")
        if room is not None and room.has_location:  # such as ts.rivals; a folder without code is none
            return import_module(f"twosample.{name}")
        public = import_module("twosample._public")
        if name != "__all__" and name not in public.__all__:
            raise AttributeError(f"module 'twosample' has no attribute {name!r}")
        value = globals()[name] = getattr(public, name)
        return value

    def __dir__() -> list[str]:
        return sorted({"__all__", *(name for name in globals() if name.startswith("__")), *__getattr__("__all__")})
