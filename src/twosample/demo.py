"""Two small tables that are made up on the spot, for ``twosample demo`` and for trying things out."""

from __future__ import annotations

from typing import Any

import numpy as np

Columns = dict[str, Any]

ROWS = 1500


def tables() -> tuple[Columns, Columns]:
    """The orders of a shop in January and in February, column by column.

    From one month to the next three things change: a second kind of delivery makes `delivery_days` two-humped with the
    same mean and variance, `channel` moves towards the app, and `coupon` is missing more often. Dates and numbers of
    orders go on; all else stays.

    Examples
    --------
    >>> from twosample.demo import tables
    >>> january, february = tables()
    >>> list(january)
    ['order_id', 'price', 'items', 'delivery_days', 'channel', 'ordered_at', 'coupon']
    >>> january["ordered_at"].max() < february["ordered_at"].min()
    np.True_
    """
    rng = np.random.default_rng(2008)
    january = _orders(rng, 10_000, (0.5, 0.3, 0.2), 0.1, "2024-01-01")
    january["delivery_days"] = np.round(rng.normal(4.0, 1.25, ROWS), 2)
    february = _orders(rng, 20_000, (0.38, 0.3, 0.32), 0.22, "2024-02-01")
    humps = 4.0 + rng.choice([-1.2, 1.2], ROWS)
    february["delivery_days"] = np.round(humps + rng.normal(0.0, 0.35, ROWS), 2)
    return january, february


def _orders(
    rng: np.random.Generator, start: int, channels: tuple[float, float, float], missing: float, day: str
) -> Columns:
    moments = np.datetime64(day) + np.sort(rng.integers(0, 28 * 24 * 60, ROWS)).astype("timedelta64[m]")
    coupon = rng.choice(["SPRING", "FRIEND", "NEWS"], ROWS)
    return {
        "order_id": np.arange(start, start + ROWS),
        "price": np.round(rng.lognormal(3.2, 0.6, ROWS), 2),
        "items": 1 + rng.poisson(1.4, ROWS),
        "delivery_days": np.zeros(ROWS),
        "channel": rng.choice(["shop", "web", "app"], ROWS, p=channels),
        "ordered_at": moments.astype("datetime64[us]"),
        "coupon": [None if gone else str(code) for code, gone in zip(coupon, rng.random(ROWS) < missing, strict=True)],
    }
