"""Columns of any table, of any kind, as variables of a test of independence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .. import _door as door
from .._shown import shown
from ..core.types import Floats
from ..errors import InputError, OptionError, checked_names, options_by_name, whole_number
from ..nulls import Null
from ..structured.coordinates import TableRows, coordinates, read_rows
from .explained import MeasuredColumn, explained_pairs, measured_columns, of_numbers
from .hsic import hsic_test
from .results import IndependenceResult
from .sides import LEAST_ROWS

SAMPLE = 20_000  # rows of a table that are looked at, unless the user says otherwise

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class TestableColumns:
    """Columns that can be tested against each other."""

    values: Mapping[str, Floats]  # (n, c) coordinates of each column, by name
    source: str = ""  # what the table is called; empty for an array
    source_rows: int = 0  # rows of the table, of which n are looked at
    notes: tuple[str, ...] = ()  # what was left out
    measured: Mapping[str, MeasuredColumn] = field(default_factory=dict)
    """Those of them that can explain others, and be explained."""
    read: tuple[str, ...] = ()  # the files that were read


@dataclass(frozen=True, eq=False)
class Choice:
    """Which rows and columns of a table are wanted, as the user says it."""

    select: Iterable[str] | None  # as for independence_matrix
    exclude: Iterable[str] | None
    kinds: Mapping[str, str] | None
    where: str | None
    sample: int | None

    @property
    def is_plain(self) -> bool:
        """Whether everything is wanted, as it is."""
        return all(part is None for part in (self.select, self.exclude, self.kinds, self.where))

    def rows(self, table: object, rng: door.Seed, random: np.random.Generator) -> TableRows:
        """The rows, and what their columns mean; a whole number as `rng` is the seed of the sample too."""
        size = None if self.sample is None else whole_number("sample", self.sample, least=LEAST_ROWS)
        whole = isinstance(rng, int | np.integer) and not isinstance(rng, bool)
        seed = int(rng) if whole else int(random.integers(1 << 31))
        return read_rows(table, sample=size, seed=seed, where=self.where, kinds=self.kinds)


def is_array(table: object) -> bool:
    """Whether it is an array of numbers, or columns that are arrays of several columns; all else is a table."""
    if isinstance(table, Mapping):
        return any(np.ndim(values) > 1 for values in table.values() if isinstance(values, np.ndarray))
    if isinstance(table, list | tuple):
        return not (table and isinstance(table[0], Mapping))
    return isinstance(table, np.ndarray) or (hasattr(table, "__array__") and not hasattr(table, "columns"))


def array_columns(table: object, names: Sequence[str] | None) -> TestableColumns:
    """Names and ``(n, c)`` columns of an array, or of a mapping from names to arrays."""
    if isinstance(table, Mapping):
        given, raw = [str(name) for name in table], list(table.values())
    else:
        array = door.points(table, "table", LEAST_ROWS)
        given, raw = [str(i) for i in range(array.shape[1])], list(array.T)
    if names is not None:
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError(f"names={names!r} must be a list with the name of every column.")
        given = [str(name) for name in names]
    if len(given) != len(raw):
        raise InputError(f"names has {len(given)} name(s) and the table {len(raw)} column(s).")
    if len(set(given)) < len(given):
        raise InputError("names must differ from each other.")
    _check_count(len(given), "table")
    columns = {name: door.points(value, f"column {name!r}", LEAST_ROWS) for name, value in zip(given, raw, strict=True)}
    lengths = {name: len(z) for name, z in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"The columns have different numbers of rows: {lengths}.")
    lines = {name: z[:, 0] for name, z in columns.items() if z.shape[1] == 1}
    measured = {name: of_numbers(values, np.ones(len(values), dtype=bool)) for name, values in lines.items()}
    return TestableColumns(columns, measured=measured)


def table_columns(table: object, choice: Choice, rng: door.Seed, random: np.random.Generator) -> TestableColumns:
    """The columns of a table that can be tested; numbers in their own units."""
    rows = choice.rows(table, rng, random)
    select, exclude = checked_names("select", choice.select), checked_names("exclude", choice.exclude)
    kinds = rows.usable(select, exclude)
    left_out = rows.left_out(exclude) if select is None else ()
    _check_count(len(kinds), rows.table.name, left_out)
    notes = *left_out, *rows.table.notes
    return TestableColumns(
        coordinates(rows.frame, kinds, units=True),
        rows.table.name,
        rows.total,
        notes,
        measured_columns(rows.frame, kinds),
        rows.table.files,
    )


def _check_count(count: int, name: str, left_out: tuple[str, ...] = ()) -> None:
    if count < 2:
        why = f" ({'; '.join(left_out[:5])})" if left_out else ""
        raise InputError(f"{name} has {count} column(s) to test{why}; independence needs at least two.")


@options_by_name
def independence_test(  # noqa: PLR0913 - the columns of a table, and how to test them
    table: object,
    *,
    x: Iterable[str],
    y: Iterable[str],
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    sample: int | None = SAMPLE,
    kernel: str = "gaussian",
    null: Null | str = "permutation",
    level: float = 0.05,
    rng: door.Seed = None,
) -> IndependenceResult:
    """Test whether some columns of a table, together, are independent of others: HSIC on mixed columns.

    Numbers and dates are measured in units of their median distance; different categories are one unit apart; texts
    are compared by the letters that they share; missing is a value of its own.

    Parameters
    ----------
    table
        Whatever :func:`twosample.sources.open_table` takes: paths, database URLs, frames, dictionaries of columns.
    x, y
        Names of the columns of each side.
    kinds
        What columns mean, where the guess is wrong: ``{"zip": "categorical"}``.
    where
        Keeps the rows for which a condition in SQL holds.
    sample
        Rows to look at, drawn at random; None for all.
    kernel
        'gaussian', at the median distance, or 'adaptive': three scales of x with three of y, joined; exact, nine times
        the time.
    null, level, rng
        As for :func:`hsic_test`.

    Returns
    -------
    IndependenceResult
        As :func:`hsic_test` gives, with the names of the columns in ``x`` and ``y``, and in ``explained`` and
        ``strength`` how much single columns of either side explain of those of the other.

    Notes
    -----
    The cost is that of :func:`hsic_test` on the rows that are looked at. For arrays, or with a kernel of your own, use
    :func:`hsic_test`; for all pairs of columns :func:`independence_matrix`.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> price = rng.gamma(2, 10, 300)
    >>> table = {"price": price, "size": np.where(price > 20, "large", "small"), "day": rng.integers(0, 7, 300)}
    >>> ts.independence_test(table, x=["price", "day"], y=["size"], rng=0).verdict
    'the variables are dependent'
    """
    sides = []
    for option, given in (("x", x), ("y", y)):
        names = checked_names(option, given)
        if not names:
            raise OptionError(f"{option}: no column is named; give a list of names.")
        sides.append(names)
    if not isinstance(kernel, str) or kernel not in ("gaussian", "adaptive"):
        raise OptionError(
            f"kernel={shown(repr(kernel), 80)} is not for tables: 'gaussian' or 'adaptive'; others: ts.hsic_test."
        )
    both = sorted(set(sides[0]) & set(sides[1]))
    if both:
        raise OptionError(f"x and y share {both[0]!r}; a column depends on itself.")
    random = door.generator(rng)
    rows = Choice(None, None, kinds, where, sample).rows(table, rng, random)
    rows.check("x", sides[0])
    rows.check("y", sides[1])
    used = rows.usable([*sides[0], *sides[1]], None)
    values = coordinates(rows.frame, used, units=False)
    variables = (np.concatenate([values[name] for name in side], axis=1) for side in sides)
    result = hsic_test(*variables, kernel=kernel, null=null, level=level, rng=random)
    assert isinstance(result, IndependenceResult)
    explained = explained_pairs(measured_columns(rows.frame, used), sides[0], sides[1]).values()
    return replace(
        result,
        x=sides[0],
        y=sides[1],
        source=rows.table.name,
        source_rows=rows.total,
        explained=tuple(sorted(explained, key=lambda pair: -(pair.share or 0.0))),
        notes=(*(note for note in result.notes if note not in result.details), *rows.table.notes),
        read=rows.table.files,
    )
