"""One file format for all that is kept: a line of JSON that vouches for what follows, then one compressed body.

The body is a JSON description, and behind it the arrays that it names, one after the other. No pickles.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

_MOST = 1 << 31  # bytes of a body: nothing that is kept is that large
_HEAD = 1000
Record = dict[str, Any]
Value = TypeVar("Value")


@dataclass(frozen=True)
class FileFormat:
    """What a kind of file is called, in its first line and in errors."""

    name: str  # in the first line
    version: int  # the version that is written, and the last one that is read
    noun: str  # in errors
    packing: int = 6  # how hard to compress, 0 (not at all) to 9

    def pack(self, record: Record, body: Writer) -> bytes:
        """The bytes of a file: the same for the same content."""
        text = json.dumps(record, separators=(",", ":"), allow_nan=False, sort_keys=True).encode("ascii")
        content = zlib.compress(len(text).to_bytes(8, "little") + text + b"".join(body.parts), self.packing)
        header = {
            "format": self.name,
            "version": self.version,
            "bytes": len(content),
            "plain": 8 + len(text) + sum(map(len, body.parts)),
            "sha256": sha256(content).hexdigest(),
        }
        return json.dumps(header).encode("ascii") + b"\n" + content

    def unpack(self, content: bytes, name: str, make: Callable[[Reader], Value]) -> Value:
        """What is made of the content of a file, or what is wrong with it; `name` says what it is."""
        header, body = self.opened(content, name)
        plain = header.get("plain")
        if not isinstance(plain, int) or not 8 <= plain <= _MOST:
            self._refuse(name, "its size makes no sense")
        return self.made(lambda: make(Reader(_unpacked(body, plain))), name)

    def opened(self, content: bytes, name: str) -> tuple[Record, bytes]:
        """The first line, and the body that it vouches for."""
        if not isinstance(content, bytes | bytearray | memoryview):
            raise InputError(f"{name} must be bytes, not {type(content).__name__}.")
        head, _, body = bytes(content).partition(b"\n")
        try:
            header = json.loads(head.decode("ascii")) if len(head) < _HEAD else None
        except ValueError:
            header = None
        if not isinstance(header, dict) or header.get("format") != self.name:
            self._refuse(name, f"the first line is not that of {self.noun}")
        if header.get("version") not in range(1, self.version + 1):
            what = f"it has version {header.get('version')!r}, and this twosample reads up to {self.version}"
            self._refuse(name, what)
        if len(body) != header.get("bytes"):
            self._refuse(name, f"it was cut off or added to: {len(body)} bytes instead of {header.get('bytes')}")
        if sha256(body).hexdigest() != header.get("sha256"):
            self._refuse(name, "its contents have changed since they were written (checksum)")
        return header, body

    def made(self, make: Callable[[], Value], name: str) -> Value:
        """What is made of a body; what goes wrong is said of the file."""
        try:
            return make()
        except InputError:
            raise
        except (LookupError, TypeError, ValueError, OverflowError, AttributeError, RecursionError, zlib.error) as error:
            self._refuse(name, f"its contents do not make sense ({type(error).__name__}: {error})")

    def _refuse(self, name: str, why: str) -> NoReturn:
        raise InputError(f"{name} is not {self.noun} that can be used: {why}.") from None


def _unpacked(body: bytes, plain: int) -> bytes:
    """The body without compression, of a size that is known beforehand."""
    pump = zlib.decompressobj()
    found = pump.decompress(body, plain)
    if len(found) != plain or pump.unconsumed_tail or (not pump.eof and pump.decompress(b"", 1)):
        raise ValueError("the body has another size")
    return found


class Writer:
    """Arrays behind the description; what is put gets a place, a length and a type."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.at = 0

    def put_bytes(self, content: bytes, kind: str = "bytes") -> list[Any]:
        self.parts.append(content)
        self.at += len(content)
        return [self.at - len(content), len(content), kind]

    def put(self, values: NDArray[Any]) -> list[Any]:
        """Numbers, little-endian; whole numbers in as many bytes as the largest needs."""
        if values.dtype.kind == "f":
            return self.put_bytes(values.astype("<f8").tobytes(), "f8")
        if values.dtype.kind == "u":
            return self.put_bytes(values.astype("<u8").tobytes(), "u8")
        if values.dtype == np.int64:
            width = max(int(values.max(initial=0)).bit_length(), int(values.min(initial=0)).bit_length()) // 8 + 1
            parts = values.astype("<i8").view(np.uint8).reshape(-1, 8)[:, : min(width, 8)]
            return self.put_bytes(parts.tobytes(), f"i{min(width, 8)}")
        whole = [int(value) for value in values.tolist()]
        width = max((value.bit_length() // 8 + 1 for value in whole), default=1)
        return self.put_bytes(b"".join(value.to_bytes(width, "little", signed=True) for value in whole), f"i{width}")


class Reader:
    """The description, and the arrays behind it."""

    def __init__(self, plain: bytes) -> None:
        size = int.from_bytes(plain[:8], "little")
        if size > len(plain) - 8:
            raise ValueError("the description is cut off")
        self.record: Record = json.loads(plain[8 : 8 + size].decode("ascii"))
        self._arrays = memoryview(plain)[8 + size :]

    def bytes(self, place: Any) -> bytes:
        start, size, _ = place
        if not 0 <= start <= start + size <= len(self._arrays):
            raise ValueError("an array lies outside of the file")
        return bytes(self._arrays[start : start + size])

    def numbers(self, place: Any, kinds: str) -> NDArray[Any]:
        content, kind = self.bytes(place), str(place[2])
        if kind[:1] not in kinds:
            raise ValueError(f"an array of {kind}")
        if kind in ("f8", "u8"):
            return np.frombuffer(content, dtype=f"<{kind}").astype(np.float64 if kind == "f8" else np.uint64)
        width = int(kind[1:])
        if not 1 <= width <= 1000 or len(content) % width:
            raise ValueError(f"an array of {kind}")
        if width <= 8:
            wide = np.zeros((len(content) // width, 8), dtype=np.uint8)
            wide[:, :width] = np.frombuffer(content, dtype=np.uint8).reshape(-1, width)
            wide[:, width:] = np.where(wide[:, width - 1 : width] >> 7, 255, 0)
            return wide.view("<i8")[:, 0].astype(np.int64)
        parts = (content[at : at + width] for at in range(0, len(content), width))
        whole = [int.from_bytes(part, "little", signed=True) for part in parts]
        return np.array(whole, dtype=object)
