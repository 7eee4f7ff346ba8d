"""Files on the web, by https: fetched to a temporary copy, because they are read more than once.

User and password of the address go to its host alone, and into no message; nor does its query, which may hold a key.
Plain http is for this machine only: what it brings could have been changed on the way.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from http.client import HTTPException, HTTPMessage, HTTPResponse, responses
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .._files import TemporaryCopy
from ..errors import SourceError
from .folders import split_sheet
from .guard import Guard, redacted
from .local import LocalRows
from .packed import suffixes
from .pipes import extension_of

_SECONDS = 30.0  # without a sign from the server
_CHUNK = 1 << 20
_HERE = ("localhost", "127.0.0.1", "::1")
_REMEDIES = {
    401: "It asks for a user: write https://user:password@host/...",
    403: "It may not be read so: write https://user:password@host/..., or fetch it by a program that has the key.",
    404: "Check the address.",
    410: "It is there no longer.",
    429: "The server wants to be asked less often: try again later.",
}


def open_web(source: str, encoding: str | None) -> tuple[str, LocalRows]:
    """What to call the source, and its rows; the address of a workbook may have ``::`` and a sheet at its end."""
    from .files import FORMATS, open_copy

    address, sheet = split_sheet(source)
    try:
        name, secrets = redacted(address)
    except ValueError:
        raise SourceError(f"{address[:8]}... is no address. Write https://host/file.csv.") from None
    guard = Guard(name, secrets)
    copy = guard.run(lambda: _fetched(address, name, encoding, FORMATS))
    rows = open_copy(copy, guard, encoding, sheet)
    size = copy.path.stat().st_size / 1e6
    rows.notes = (*rows.notes, f"{name}: fetched {size:.3g} MB")
    return name, rows


def _fetched(address: str, name: str, encoding: str | None, known: frozenset[str]) -> TemporaryCopy:
    parts = _checked(address, name)
    host = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))
    asked = Request(host, headers={"User-Agent": "twosample", "Accept-Encoding": "identity"})
    if parts.username:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        asked.add_unredirected_header("Authorization", f"Basic {b64encode(login).decode()}")
    try:
        with build_opener(_Redirects(name)).open(asked, timeout=_SECONDS) as answer:
            return _copied(answer, name, encoding, known)
    except HTTPError as error:
        with error:
            failure = f"the server says {error.code} {responses.get(error.code, '')}. {_remedy(error.code)}"
    except TimeoutError:
        failure = f"the server was silent for {_SECONDS:.0f} seconds. Try again later."
    except URLError as error:
        silent = isinstance(error.reason, TimeoutError)
        failure = f"{'no answer' if silent else error.reason}. Check the address, and that the server can be reached."
    except (HTTPException, ConnectionError) as error:
        failure = f"the connection broke ({type(error).__name__}). Try again."
    raise SourceError(f"{name} cannot be fetched: {failure}")


def _remedy(code: int) -> str:
    if 300 <= code < 400:
        return "It leads in circles, or where nothing is fetched from: give the address where it ends."
    return _REMEDIES.get(code, "Try again later.")


def _checked(address: str, name: str) -> SplitResult:
    """The parts of an address that may be asked."""
    parts = urlsplit(address)
    host = parts.hostname
    if not host:
        raise SourceError(f"{name} is no address. Write https://host/file.csv.")
    if parts.scheme.lower() == "http" and host not in _HERE:
        raise SourceError(
            f"{name}: what comes by http may have been changed on the way. Write https://..., or pipe it: "
            "curl ... | twosample compare - other.csv"
        )
    if "*" in parts.path:
        raise SourceError(f"{name}: a web server does not list its files. Give the address of one file.")
    return parts


class _Redirects(HTTPRedirectHandler):
    """Follows to https alone."""

    def __init__(self, name: str) -> None:
        self.name = name

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """The request that follows; its user and password stay with the first host."""
        try:
            _checked(newurl, f"{self.name}, which leads to {redacted(newurl)[0]}")
        except (SourceError, ValueError):
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _copied(answer: HTTPResponse, name: str, encoding: str | None, known: frozenset[str]) -> TemporaryCopy:
    """The copy, with an extension by its name or else by its content; whole, or an error."""
    head = answer.read(_CHUNK)
    if not head:
        raise SourceError(f"{name} is empty.")
    promised = answer.headers.get("Content-Length", "")
    total = 0

    def parts() -> Iterator[bytes]:
        nonlocal total
        part = head
        while part:
            total += len(part)
            yield part
            part = answer.read(_CHUNK)
        if promised.isdigit() and total != int(promised):
            raise SourceError(f"{name} broke off after {total:,} of {int(promised):,} bytes. Try again.")

    suffix, packing = suffixes(Path(unquote(urlsplit(answer.geturl()).path)))
    guess = extension_of(head[:1024], name, encoding)
    return TemporaryCopy(parts(), suffix + packing if suffix in known else guess)
