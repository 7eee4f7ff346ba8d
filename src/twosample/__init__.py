"""Two-sample tests: do these two samples come from the same distribution, and if not, where do they differ.

``ts.mmd_test(x, y)`` tests, ``ts.mmd(x, y)`` estimates, ``ts.witness(x, y)`` shows where; ``ts.compare(a, b)`` is for
tables. `_public.py` lists the public names; each is loaded when it is first used, so that ``twosample --help`` does not
wait for NumPy, nor a test of two arrays for everything about tables. Type checkers read `__init__.pyi`.
"""

from . import _forks as _forks
from ._version import __version__ as __version__


def __getattr__(name: str) -> object:
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'twosample' has no attribute {name!r}")
    from importlib import import_module
    from importlib.util import find_spec

    from ._public import MODULES, ROOM_OF, __all__

    if name == "__all__":
        return __all__
    if name in ROOM_OF:
        value = globals()[name] = getattr(import_module(f"twosample.{ROOM_OF[name]}"), name)
        return value
    place = f"twosample.{MODULES.get(name, name)}"
    found = find_spec(place)
    if found is None or not found.has_location:  # a folder without code is none
        raise AttributeError(f"module 'twosample' has no attribute {name!r}")
    return import_module(place)  # such as ts.rivals


def __dir__() -> list[str]:
    from ._public import __all__

    return sorted({"__all__", *(name for name in globals() if name.startswith("__")), *__all__})
