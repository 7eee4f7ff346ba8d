"""The state of a watch as one file: whole or not at all, versioned, checked, no pickle; one writer at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from .._shown import shown
from ..errors import OutputError
from ..summaries import TableSummary
from ..summaries.container import FileFormat, Reader, Writer
from .batches import BatchRule, from_text, rule_record, to_text
from .columns import ColumnPlan
from .features import FeaturePlan
from .history import BatchRecord, History, Settings
from .results import Look

SUFFIX = ".tsw"  # what the files end with

FORMAT = FileFormat("twosample-watch", 1, "the state of a watch", packing=0)  # shares hardly shrink
PATIENCE = 30.0  # seconds to wait for another writer


def encode(history: History, rule: BatchRule, like: TableSummary, notes: tuple[str, ...]) -> bytes:
    """The bytes of a state: the same for the same batches, whether they came in one call or in many."""
    body = Writer()
    record = {
        "rule": rule_record(rule),
        "settings": asdict(history.settings),
        "plan": {
            "columns": [asdict(column) for column in history.plan.columns],
            "kinds": history.plan.kinds,
            "left_out": history.plan.left_out,
        },
        "like": body.put_bytes(like.to_bytes()),
        "batches": [[b.name, to_text(b.time), b.stratum, b.digest, b.rows, b.role, b.number] for b in history.batches],
        "features": body.put(np.concatenate([np.empty(0), *history.rows])),
        "present": body.put(np.concatenate([np.empty(0), *history.present])),
        "looks": [_look_record(look) for look in history.looks],
        "numbers": body.put(np.concatenate([np.empty(0), *(part.ravel() for part in history.numbers)])),
        "start": history.start,
        "accepted": history.accepted,
        "notes": notes,
    }
    return FORMAT.pack(record, body)


def decode(content: bytes, name: str) -> tuple[History, BatchRule, TableSummary, tuple[str, ...]]:
    """What :func:`encode` was given; an InputError says what is wrong with other bytes."""
    return FORMAT.unpack(content, name, _state)


def _state(reader: Reader) -> tuple[History, BatchRule, TableSummary, tuple[str, ...]]:
    record = reader.record
    plan = FeaturePlan(
        tuple(_column_plan(part) for part in record["plan"]["columns"]),
        tuple(record["plan"]["kinds"]),
        tuple((str(name), str(why)) for name, why in record["plan"]["left_out"]),
    )
    batches = [
        BatchRecord(str(name), from_text(moment), str(stratum), str(digest), int(rows), role, int(number))
        for name, moment, stratum, digest, rows, role, number in record["batches"]
    ]
    looks = [_look(part) for part in record["looks"]]
    width = len(plan.columns)
    features = reader.numbers(record["features"], "f").reshape(len(batches), plan.size)
    present = reader.numbers(record["present"], "f").reshape(len(batches), width)
    numbers = reader.numbers(record["numbers"], "f").reshape(len(looks), width + 2, 5)
    history = History(
        plan, Settings(**record["settings"]), batches, list(features), list(present), looks, list(numbers),
        int(record["start"]), [(int(count), str(name)) for count, name in record["accepted"]],
    )  # fmt: skip
    like = TableSummary.from_bytes(reader.bytes(record["like"]))
    return history, BatchRule(**record["rule"]), like, tuple(map(str, record["notes"]))


def _column_plan(record: Mapping[str, Any]) -> ColumnPlan:
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in record.items()}
    return ColumnPlan(**values)


def _look_record(look: Look) -> list[Any]:
    since = [look.since, look.since_earliest, look.since_latest]
    return [look.batch, look.number, look.status, look.units, look.pvalue, *since, look.reasons, look.notes]


def _look(record: list[Any]) -> Look:
    batch, number, status, units, pvalue, since, earliest, latest, reasons, notes = record
    return Look(batch, number, status, units, pvalue, since, earliest, latest, tuple(reasons), tuple(notes))


@contextmanager
def alone(path: str | os.PathLike[str], patience: float = PATIENCE) -> Iterator[None]:
    """Nobody else writes this state while the block runs: others wait, and are told after `patience` seconds.

    A file beside it, with ``.lock`` at its end, is locked; it goes when the block ends.
    """
    place = Path(path).resolve()
    lock = place.with_name(f".{place.name}.lock")
    end = time.monotonic() + patience
    while (held := _try_lock(lock)) is None:
        if time.monotonic() > end:
            raise OutputError(
                f"{shown(os.fspath(path), 300)} is being written by another process. Try again when it is done."
            )
        time.sleep(0.05)
    try:
        yield
    finally:
        _unlock(lock, held)


def _try_lock(lock: Path) -> int | None:
    """The descriptor of the locked file; None if somebody else holds it, or has just removed it."""
    try:
        number = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        if os.name == "nt":  # it is being removed
            return None
        raise OutputError(f"Cannot write {lock}: there is no permission to write there.") from None
    except OSError as error:
        raise OutputError(f"Cannot write {lock}: {error.strerror}.") from None
    try:
        _lock(number)
        if os.fstat(number).st_nlink and lock.exists() and os.path.samestat(os.fstat(number), lock.stat()):
            return number
    except OSError:
        os.close(number)
        return None
    os.close(number)
    return None


def _lock(number: int) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _unlock(lock: Path, number: int) -> None:
    if os.name != "nt":
        lock.unlink(missing_ok=True)
    os.close(number)
