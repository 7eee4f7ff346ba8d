"""Two samples as weighted points with features, and the judge of them.

    rows -> summary -> embedding -> judge -> verdict

``pair``: :class:`Embedded`, the features of points and how many rows of either sample are there; block sums, spectrum,
effect and witness follow. ``line``: numbers, from values and from bins. ``levels``: categories, missing shares, texts.
``judge``: statistic, p-value, effect with interval, and which null distribution. ``alternative``: the distribution of
MMD² when the samples do differ.
"""

from .alternative import ROWS_FOR_INTERVAL, Effect, effect
from .judge import Judge, Judged, adjusted
from .levels import Levels, missing_pair, text_pair
from .line import Line
from .pair import Embedded

__all__ = [
    "ROWS_FOR_INTERVAL", "Effect", "Embedded", "Judge", "Judged", "Levels", "Line", "adjusted", "effect",
    "missing_pair", "text_pair",
]  # fmt: skip
