"""Records of mixed columns: one Gaussian kernel on the coordinates of all columns together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError, OptionError, unknown_option
from ..kernels import Gaussian, Kernel, ObjectKernel, OnRows, RadialKernel
from .columns import Categories, Comparer, Number, Ordinal, Text, side_by_side
from .levels import missing_mask

KINDS: dict[str, Callable[[], Comparer]] = {
    "number": Number,
    "category": Categories,
    "ordinal": Ordinal,
    "text": Text,
}
"""Aliases of the kinds of columns."""

Columns = Mapping[str, Comparer | str] | Sequence[tuple[str, Comparer]]


@dataclass(frozen=True)
class Record(ObjectKernel):
    r"""Records of mixed columns, missing values included: ``{"age": 31, "city": "Rome", "note": None}``.

    .. math:: k(r, s) = \exp\Big(-\frac{1}{2\sigma^2} \sum_c d_c^2(r_c, s_c)\Big)

    with a squared distance of unit size for each kind of column: squared differences of numbers in units of their
    median distance, 1 for different categories, steps between ordered ones, 1 - cos for texts. Each is the square of a
    distance between vectors, so the kernel is positive definite: a product over the columns of a Gaussian for numbers
    and of a softened delta for categories. One bandwidth for all keeps it informative however many columns there are.

    Parameters
    ----------
    columns
        The kind of each column by its name: 'number', 'category', 'ordinal', 'text', or :class:`Number`,
        :class:`Categories`, :class:`Ordinal`, :class:`Text` with their parameters. Other keys of a record are ignored.
    kernel
        A radial kernel of the joint distance. A missing bandwidth is filled by the bandwidth rule, which looks at the
        joint distances of all pooled records.

    Notes
    -----
    Records are mappings. A key that is absent, None or NaN is missing, and missing is a value of its own: equal to
    missing, different from everything else. Coordinates cost O(N) for each column: 2 of a number, at most 64 of
    categories, 129 of a text. Beyond them costs are those of the kernel on vectors.

    Examples
    --------
    >>> import twosample as ts
    >>> x = [{"age": 20 + i, "city": "Rome"} for i in range(20)]
    >>> y = [{"age": 20 + i, "city": "Oslo" if i % 2 else None} for i in range(20)]
    >>> kernel = ts.Record({"age": "number", "city": "category"})
    >>> ts.mmd_test(x, y, kernel=kernel, rng=0).rejected
    True
    """

    columns: Columns
    kernel: RadialKernel = field(default_factory=Gaussian)

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping | tuple):
            raise OptionError(f"columns={self.columns!r} must map names to kinds, such as {{'age': ts.Number()}}.")
        given = self.columns.items() if isinstance(self.columns, Mapping) else self.columns
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
            raise OptionError(f"columns={self.columns!r} must map names to kinds, such as {{'age': ts.Number()}}.")
        pairs = tuple((name, _kind(name, kind)) for name, kind in given)
        if not pairs or len(dict(pairs)) < len(pairs):
            raise OptionError("columns must name at least one column, and each only once.")
        if not isinstance(self.kernel, RadialKernel):
            raise OptionError(f"kernel={self.kernel!r} must be a radial kernel, such as ts.Gaussian().")
        object.__setattr__(self, "columns", pairs)

    @property
    def kinds(self) -> dict[str, Comparer]:
        """The kind of each column."""
        return dict(self.columns)  # type: ignore[arg-type]

    @property
    def needs_bandwidth(self) -> bool:
        return self.kernel.needs_bandwidth

    @property
    def bounds(self) -> tuple[float, float] | None:
        return self.kernel.bounds

    def on(self, objects: Sequence[Any]) -> Kernel:
        for position, record in enumerate(objects):
            if not isinstance(record, Mapping):
                raise InputError(
                    f"Object {position} (counted from 0 through x, then y) is {type(record).__name__}; "
                    "a record is a mapping from column names to values, such as a dict."
                )
        columns, rows = [], []
        for name, kind in self.kinds.items():
            values = [record.get(name) for record in objects]
            if objects and not any(name in record for record in objects):
                raise InputError(f"No record has a column {name!r}; the first has {sorted(map(str, objects[0]))}.")
            missing = missing_mask(values)
            try:
                fitted = kind.fitted(values, missing)
                rows.append(fitted.rows(values, missing))
            except InputError as error:
                raise InputError(f"Column {name!r}: {error}") from None
            columns.append((name, fitted))
        return RecordRows(self.kernel, side_by_side(rows), tuple(columns))


@dataclass(frozen=True, eq=False, repr=False)
class RecordRows(OnRows):
    """A record kernel on the ``(N, d)`` coordinates of records; `kinds` has each column's name and fitted kind."""

    kinds: tuple[tuple[str, Comparer], ...] = field(default=())

    @property
    def source(self) -> Record:
        """The record kernel with everything filled in that it had left open."""
        assert isinstance(self.origin, RadialKernel)
        return Record(self.kinds, self.origin)

    def __repr__(self) -> str:
        return repr(self.source)


def _kind(name: str, kind: Comparer | str) -> Comparer:
    if isinstance(kind, Comparer):
        return kind
    if isinstance(kind, str) and kind in KINDS:
        return KINDS[kind]()
    raise unknown_option(f"columns[{name!r}]", kind, KINDS)
