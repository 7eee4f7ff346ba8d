"""Batches over time: an exact test after each whether the last ones differ from those before.

From rows to an alarm: `batches` (which rows are a batch), `features` and `columns` (a batch as one row of numbers),
`scan` (the test), `effects` (how large, where), `learning` (while there are few batches), `history` (all of it over
time), `files` (the state), `planner` (how long a shift stays unseen), `monitor` (the door).
"""

from .monitor import DuplicateBatchError, Monitor
from .results import Look, WatchedColumn

__all__ = ["DuplicateBatchError", "Look", "Monitor", "WatchedColumn"]
