"""Check the docstrings of the public names of twosample against their signatures.

Every function and class in `twosample.__all__`, and in the `__all__` of submodules listed there, needs a
numpydoc docstring whose Parameters section names exactly the parameters of the signature, and an Examples
section. A class may describe them under Attributes instead, and each of its public methods and properties
needs a docstring, its own or that of the base class. Exceptions, enumerations, protocols and abstract classes
need no Parameters and Examples. Prints one line per problem; the exit code is 1 if there is any.
"""

from __future__ import annotations

import enum
import functools
import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType

PACKAGE = "twosample"


def main() -> int:
    """Print the problems and return the exit code."""
    package = __import__(PACKAGE)
    if not getattr(package, "__all__", None):
        print(f"{PACKAGE}.__all__ is missing or empty: nothing to check")
        return 1
    members = list(public_members(package, PACKAGE))
    offences = [f"{name}: {problem}" for name, member in members for problem in problems(member)]
    print(*offences, sep="\n", end="\n" if offences else "")
    print(f"public functions and classes: {len(members)}, problems: {len(offences)}")
    return 1 if offences else 0


def public_members(module: ModuleType, name: str) -> Iterator[tuple[str, object]]:
    """Yield the dotted name and the object of each public function and class, submodules included."""
    for attribute in getattr(module, "__all__", ()):
        member = getattr(module, attribute)
        if isinstance(member, ModuleType):
            yield from public_members(member, f"{name}.{attribute}")
        elif inspect.isclass(member) or inspect.isroutine(member):
            yield f"{name}.{attribute}", member


def problems(member: object) -> Iterator[str]:
    """Yield what is wrong with the docstrings of one function or class."""
    if inspect.isclass(member):
        yield from (f"method {name!r} has no docstring" for name in undocumented_methods(member))
    docstring = own_docstring(member)
    if not docstring:
        yield "no docstring"
        return
    if never_called_by_users(member):
        return
    parts = sections(docstring)
    expected = parameters(member)
    documented = described_names(parts.get("Parameters", []))
    attributes = described_names(parts.get("Attributes", [])) if inspect.isclass(member) else set()
    for name in expected:
        if name not in documented | attributes:
            yield f"parameter {name!r} is not described in the Parameters section"
    for name in sorted(documented - set(expected)):
        yield f"the Parameters section describes {name!r}, which is not a parameter"
    if not any(line.lstrip().startswith(">>>") for line in parts.get("Examples", [])):
        yield "no Examples section with a >>> line"


def own_docstring(member: object) -> str:
    """Return the cleaned docstring, without one inherited from a base class or made up by dataclasses."""
    raw = vars(member).get("__doc__") if inspect.isclass(member) else member.__doc__
    if not raw or (inspect.isclass(member) and raw.startswith(f"{member.__name__}(")):
        return ""
    return inspect.cleandoc(raw)


def never_called_by_users(member: object) -> bool:
    """Tell whether a class is there to be caught, subclassed or compared with, not to be called."""
    if not inspect.isclass(member):
        return False
    passive = issubclass(member, BaseException | enum.Enum) or getattr(member, "_is_protocol", False)
    return passive or inspect.isabstract(member)


def undocumented_methods(member: type) -> list[str]:
    """Return the public methods and properties defined by our classes that no class documents."""
    ours = {name for base in member.__mro__ if base.__module__.startswith(PACKAGE) for name in vars(base)}
    public = [name for name in sorted(ours) if not name.startswith("_")]
    return [name for name in public if is_method(member, name) and not has_docstring(member, name)]


def is_method(member: type, name: str) -> bool:
    """Tell whether an attribute is a method or a property, not a value."""
    kinds = (property, classmethod, staticmethod, functools.cached_property)
    attribute = inspect.getattr_static(member, name)
    return inspect.isfunction(attribute) or isinstance(attribute, kinds)


def has_docstring(member: type, name: str) -> bool:
    """Tell whether the class or one of its bases documents the method."""
    return any(vars(base)[name].__doc__ for base in member.__mro__ if name in vars(base))


def parameters(member: object) -> list[str]:
    """Return the names of the parameters of a call, without self."""
    try:
        return list(inspect.signature(member).parameters)  # type: ignore[arg-type]
    except ValueError:  # a class written in C has no signature
        return []


def sections(docstring: str) -> dict[str, list[str]]:
    """Split a cleaned numpydoc docstring into the lines below each underlined title."""
    lines = docstring.splitlines()
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"[A-Z][A-Za-z ]*", line) and re.fullmatch(r"-{3,}", following):
            current = found.setdefault(line, [])
        else:
            current.append(line)
    return found


def described_names(lines: list[str]) -> set[str]:
    """Return the names that head the unindented entries `x, y : type` of a section."""
    heads = [line.split(" :")[0] for line in lines if line and not line[0].isspace() and line[0] != "-"]
    return {name.strip().lstrip("*") for head in heads for name in head.rstrip(":").split(",")}


if __name__ == "__main__":
    sys.exit(main())
