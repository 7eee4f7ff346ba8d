"""How texts and categories are written: their lengths, letters and marks, spellings of one and the same, single values.

All of it is decided by the pooled values and their counts, never by the table that a row is from (see :mod:`.views`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from .number_views import noticeable
from .views import View

if TYPE_CHECKING:
    import polars as pl

_MARKS = 40  # letters and marks that are looked at one by one, the most frequent ones
_SHORT = 0.01, 0.05  # shares of the shortest and of the longest
_RARE = 0.01, 0.05  # shares that the rarest values hold together
_CLASSES = {
    "empty": r"^\s*$",
    "written with blanks at an end": r"^\s+\S|\S\s+$",
    "written with digits": r"\p{Nd}",
    "written with letters beyond ASCII": r"[^\x00-\x7F]",
}
_NOTHING = r"(?i)^\s*(n/?a|n\.a\.|nan|null|none|nil|unknown|undefined|missing|not available|xx+|-+|\?+|\.+)\s*$"
_SECOND = r"[\x{80}-\x{BF}\x{152}-\x{153}\x{160}-\x{161}\x{178}-\x{17E}\x{192}\x{2C6}\x{2DC}\x{201A}\x{2020}-\x{20AC}]"
"""What the second byte of a letter beyond ASCII looks like where UTF-8 was read as latin-1 or Windows-1252."""
_DAMAGED = rf"\x{{FFFD}}|\w\?\w|[\x{{C2}}-\x{{DF}}]{_SECOND}|\x{{E2}}[\x{{80}}\x{{20AC}}]|&(amp|lt|gt|quot|#\d+);"
_PLAIN = r"[^a-zA-Z0-9 ]"

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class WrittenView(View):
    """Rows whose text is written in some way: `which` are the numbers of the different texts for which it holds."""

    which: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp), compare=False, repr=False)


class Spelling:
    """Different texts, each once, with the ``(L,)`` rows of either table that hold them."""

    def __init__(self, words: pl.Series, x: Floats, y: Floats) -> None:
        self.words, self.x, self.y = words, x, y
        self.m, self.n = round(float(x.sum())), round(float(y.sum()))

    @classmethod
    def of(cls, x: pl.Series, y: pl.Series) -> Spelling:
        """Texts of two samples, one for each row."""
        import polars as pl

        words = pl.concat([x, y]).alias("v")
        both = pl.DataFrame({"v": words, "first": np.arange(len(words)) < len(x)})
        found = both.group_by("v", maintain_order=True).agg(pl.col("first").sum(), pl.len().alias("rows"))
        first, rows = (found[name].to_numpy().astype(np.float64) for name in ("first", "rows"))
        return cls(found["v"], first, rows - first)

    def views(self, single: bool) -> Iterator[WrittenView]:
        """All of them; `single` if values that occur more than once are looked at one by one, too."""
        for text, pattern in _CLASSES.items():
            yield self._view("letters", text, self.words.str.contains(pattern).to_numpy())
        upper, lower = (getattr(self.words.str, name)() for name in ("to_uppercase", "to_lowercase"))
        cased = (upper != lower).to_numpy()
        yield self._view("letters", "written in capitals", cased & (self.words == upper).to_numpy())
        yield self._view("letters", "written without capitals", cased & (self.words == lower).to_numpy())
        yield from self._marks()
        yield from self._lengths()
        yield from self._odd(lower)
        rows = self.x + self.y
        once = rows == 1
        yield self._view("seldom", "a text that occurs once", once)
        if single:
            for i in np.flatnonzero(~once):
                word = str(self.words[int(i)])
                both = round(float(self.x[i])), round(float(self.y[i]))
                yield WrittenView("value", f"'{word}'", *both, self.m, self.n, word, which=np.array([i]))

    def _view(self, family: str, text: str, holds: Flags) -> WrittenView:
        a, b = (round(float(part[holds].sum())) for part in (self.x, self.y))
        return WrittenView(family, text, a, b, self.m, self.n, which=np.flatnonzero(holds))

    def _marks(self) -> Iterator[WrittenView]:
        """Texts with a letter beyond ASCII or with a mark, for the most frequent of these."""
        import polars as pl

        marks = self.words.str.extract_all(_PLAIN).list.unique()
        frame = pl.DataFrame({"mark": marks, "x": self.x, "y": self.y}).explode("mark").drop_nulls("mark")
        found = frame.group_by("mark").agg(pl.col("x").sum(), pl.col("y").sum())
        order = found.sort(pl.col("x") + pl.col("y"), "mark", descending=[True, False]).head(_MARKS)
        for mark in order["mark"].to_list():
            yield self._view(
                "letters", f"written with '{mark}'", self.words.str.contains(mark, literal=True).to_numpy()
            )

    def _lengths(self) -> Iterator[WrittenView]:
        """The shortest, the longest, and lengths that are more frequent than those around them."""
        lengths, index = np.unique(self.words.str.len_chars().to_numpy(), return_inverse=True)
        x, y = (np.bincount(index, part, minlength=len(lengths)) for part in (self.x, self.y))
        pool = x + y
        if len(lengths) < 3:
            if len(lengths) == 2:
                rarer = int(np.argmin(pool))
                yield self._view("length", f"{lengths[rarer]} letters long", index == rarer)
            return
        for order, word in ((slice(None), "at most"), (slice(None, None, -1), "at least")):
            heap = np.cumsum(pool[order])
            last = {int(np.searchsorted(heap, share * heap[-1], side="right")) - 1 for share in _SHORT}
            for end in sorted(last - {-1}):
                far = np.less_equal if word == "at most" else np.greater_equal
                holds = far(lengths[index], lengths[order][end])
                yield self._view("length", f"{word} {lengths[order][end]} letters long", holds)
        for i in noticeable(pool, most=4):
            yield self._view("length", f"{lengths[i]} letters long", index == i)

    def _odd(self, lower: pl.Series) -> Iterator[WrittenView]:
        """What hardly anybody writes on purpose."""
        import polars as pl

        yield self._view("odd", "a word for nothing, such as n/a", self.words.str.contains(_NOTHING).to_numpy())
        yield self._view("odd", "written with damaged letters", self.words.str.contains(_DAMAGED).to_numpy())
        bare = lower.str.replace_all(r"[\s\p{P}]", "")
        rows = pl.Series(self.x + self.y)
        frame = pl.DataFrame({"bare": bare, "rows": rows, "word": self.words, "at": np.arange(len(bare))})
        order = frame.sort("rows", "word", descending=[True, False])  # never in the order of the tables
        usual = order.group_by("bare", maintain_order=True).first()
        other = np.ones(len(bare), dtype=bool)
        other[usual["at"].to_numpy()] = False
        yield self._view("odd", "another spelling of a value, but for case, blanks and marks", other)
        yield from self._rare()

    def _rare(self) -> Iterator[WrittenView]:
        """The rarest values together: labels that are misspelled in many ways are rare, each of them."""
        rows = self.x + self.y
        counts = np.unique(rows)
        heap = np.cumsum([count * (rows == count).sum() for count in counts.tolist()])
        last = {int(np.searchsorted(heap, share * heap[-1], side="right")) - 1 for share in _RARE}
        for most in counts[sorted(last - {-1})].tolist():
            if most > 1:  # those that occur once have a view of their own
                words = self.words.filter(rows <= most)
                said = f"a value that at most {most:.0f} rows of both tables have"
                yield self._view("odd", f"'{words[0]}'" if len(words) == 1 else said, rows <= most)
