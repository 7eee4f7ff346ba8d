"""Where files are, and how they are written: whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from ._shown import shown
from .errors import InputError, OptionError, OutputError

_REMEDIES = {
    errno.ENOENT: "There is no such folder: make it first, or choose another place.",
    errno.ENOTDIR: "A part of the path is no folder: choose another place.",
    errno.EISDIR: "It is a folder: add a file name.",
    errno.EACCES: "There is no permission to write there: choose another place.",
    errno.EPERM: "There is no permission to write there: choose another place.",
    errno.EROFS: "The place can only be read: choose another one.",
    errno.ENOSPC: "The disk is full: free some space, or choose another place.",
    errno.EDQUOT: "The disk quota is used up: free some space, or choose another place.",
    errno.EFBIG: "A file of this size is not allowed there: choose another place.",
    errno.ENAMETOOLONG: "The name is too long: choose a shorter one.",
}

_NO_PAGES = (".pdf", ".ps", ".svg", ".png", ".jpg", ".jpeg", ".docx", ".odt", ".pptx", ".json", ".md", ".xml", ".xlsx")
"""Endings of other formats, which nobody gives to an HTML page on purpose."""


def at_home(text: str) -> Path:
    """A path in which ~ stands for the folder of the user; as it is if there is no such user."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - Path.expanduser raises RuntimeError then


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, text in UTF-8: the whole of it, or nothing and an error.

    A file that is there keeps its content until the new one is complete; a device or a pipe is written to as it is.
    Lone surrogates, which UTF-8 cannot hold, become question marks.
    """
    with whole_file(path) as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", errors="replace"))


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """The content of a file; what is no path, or cannot be read, is refused."""
    _check_path(path)
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{os.fspath(path)} cannot be read: {reason}.") from None


class TemporaryCopy:
    """A file that holds what came in parts, and goes when nobody needs it: with this object, or when Python exits."""

    def __init__(self, parts: Iterable[bytes], suffix: str = "") -> None:
        number, name = tempfile.mkstemp(suffix, "twosample-", roomy_folder())
        self.path = Path(name)  # where it is
        self.remove = weakref.finalize(self, _removed, self.path, os.getpid())  # does so at once
        try:
            with os.fdopen(number, "wb") as file:
                for part in parts:
                    _stored(part, file, self.path.parent)
        except BaseException:
            self.remove()
            raise


def roomy_folder() -> str:
    """The folder for large temporary files; /tmp, Python's choice, is in memory on many machines."""
    own = "TMPDIR" not in os.environ and os.access("/var/tmp", os.W_OK | os.X_OK)
    return "/var/tmp" if own else tempfile.gettempdir()


def _stored(part: bytes, file: BinaryIO, folder: Path) -> None:
    try:
        file.write(part)
    except OSError as error:
        why = shown(error.strerror or str(error))
        raise OutputError(f"Cannot keep a copy in {folder}: {why}. Name a folder with more room by TMPDIR.") from None


def _removed(path: Path, process: int) -> None:
    if os.getpid() == process:  # not by a child that was forked while it was there
        with suppress(OSError):
            path.unlink(missing_ok=True)


def keep_inputs(argument: str, path: str | os.PathLike[str], read: Collection[str]) -> None:
    """Refuse to write where something was read, under whatever name; `read` has real paths.

    `argument` is what the error calls the argument or option, with the mark that follows it.
    """
    if os.path.realpath(path) in read:
        name = shown(os.fspath(path), 300)
        raise OptionError(f"{argument}{name} would replace what is read: choose another file.")


def check_page(argument: str, path: str | os.PathLike[str]) -> None:
    """Refuse a file name for an HTML page that promises another format; `argument` as for :func:`keep_inputs`."""
    _check_path(path)
    place = Path(path)
    if place.suffix.lower() in _NO_PAGES:
        way = ", and print that to a PDF in a browser" if place.suffix.lower() == ".pdf" else ""
        name, better = (shown(str(form), 300) for form in (place, place.with_suffix(".html")))
        raise OptionError(f"{argument}{name}: a report is an HTML page. Write {better}{way}.")


def _check_path(path: object) -> None:
    if not isinstance(path, str | os.PathLike):
        raise OptionError(f"path={path!r} must be the path of a file, not {type(path).__name__}.")


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write bytes to, that takes its place only when the block ends well."""
    _check_path(path)
    try:
        place = Path(path)
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if place.exists() and not place.is_file():  # /dev/stdout, /dev/null, a named pipe: never to be replaced
            with place.open("wb") as file:
                yield file
            return
        with _replacing(place.resolve()) as file:  # through a link, to keep the link
            yield file
    except (OSError, ValueError) as error:
        _refuse(path, error)


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    draft = target.with_name(f".{token_hex(6)}.part")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _refuse(path: str | os.PathLike[str], error: OSError | ValueError) -> None:
    if not isinstance(error, OSError) and "null" not in str(error):  # not about the path: it has its own message
        raise error
    raise OutputError(f"Cannot write {shown(os.fspath(path), 300)}: {explained(error)}") from error


def explained(error: OSError | ValueError) -> str:
    """What the system says, and what to do about it.

    >>> print(explained(OSError(errno.ENOSPC, "No space left on device")))
    No space left on device. The disk is full: free some space, or choose another place.
    """
    number, why = (error.errno, error.strerror) if isinstance(error, OSError) else (0, "")
    return f"{shown(why or str(error))}. {_REMEDIES.get(number or 0, 'Choose another place.')}"
