"""Results as documents: one HTML page, a summary in Markdown, JUnit XML. Only reads results, never computes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING

from .._files import check_page, keep_inputs, write_whole
from ..errors import OptionError
from ..tables.results import Comparison
from ._junit import comparison_junit
from ._markdown import comparison_markdown
from .page import Heading, render

if TYPE_CHECKING:
    from ..detection import Outliers
    from ..independence import IndependenceMatrix, IndependenceResult
    from ..matching.database_results import DatabaseMatching
    from ..matching.results import Matching
    from ..monitor import Monitor
    from ..tables.many_results import ManyComparison

    Shown = (
        Comparison | ManyComparison | Matching | DatabaseMatching | Monitor | Outliers | IndependenceMatrix
        | IndependenceResult
    )  # fmt: skip

_PAGES = {
    "Comparison": "comparison", "ManyComparison": "many", "IndependenceMatrix": "independence",
    "IndependenceResult": "independence", "Outliers": "outliers", "Matching": "matching",
    "DatabaseMatching": "databases", "Monitor": "watch",
}  # fmt: skip
"""By the class of a result, the module that makes its page, which the template is called after."""

__all__ = ["html", "junit", "markdown", "write_html"]


def html(result: Shown, *, title: str = "", date: str = "", notes: str | Iterable[str] = ()) -> str:
    """The result as one self-contained HTML page.

    The page asks the net for nothing; a small script in it sorts and filters the table of columns, and everything is
    there without it. It holds bins and a few rows, never the data. The same result gives the same bytes. Its size does
    not grow with the number of rows, and stays below 2 MB.

    Parameters
    ----------
    result
        What :func:`compare`, :func:`compare_many`, :func:`match`, :func:`match_databases`, :func:`outliers`,
        :func:`independence_matrix` or :func:`independence_test` returned, or a :class:`Monitor`.
    title, date, notes
        What to write above it: a title, a date as it is to be shown ("today" for that of today), and one or more
        paragraphs.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.report import html
    >>> rng = np.random.default_rng(0)
    >>> c = ts.compare({"age": rng.normal(40, 9, 500)}, {"age": rng.normal(60, 9, 500)})
    >>> html(c).splitlines()[0]
    '<!DOCTYPE html>'
    """
    heading = _heading(title, date, notes)
    known = {
        name for kind in type(result).__mro__ if kind.__module__.startswith("twosample.") for name in [kind.__name__]
    }
    page = next((page for name, page in _PAGES.items() if name in known), None)
    if page is None or not getattr(result, "explained", True):
        raise _unknown(result, "ts.compare, ts.match, ts.outliers, ts.independence_matrix or ts.independence_test")
    make = getattr(import_module(f".{page}", __name__), f"{page}_page")
    return render(f"{page}.html", make(result), heading)


def write_html(
    result: Shown, path: str | PathLike[str], *, title: str = "", date: str = "", notes: str | Iterable[str] = ()
) -> None:
    """Write the result as one self-contained HTML page, whole or not at all.

    Parameters
    ----------
    result
        As in :func:`html`.
    path
        Where to. The folder must exist. A file that was compared is refused, and so is the name of another format.
    title, date, notes
        As there.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np, twosample as ts
    >>> from twosample.report import write_html
    >>> rng = np.random.default_rng(0)
    >>> c = ts.compare({"age": rng.normal(40, 9, 500)}, {"age": rng.normal(60, 9, 500)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_html(c, pathlib.Path(folder, "report.html"))
    ...     pathlib.Path(folder, "report.html").stat().st_size < 2_000_000
    True
    """
    check_page("path=", path)
    page = html(result, title=title, date=date, notes=notes)
    keep_inputs("path=", path, result.read)
    write_whole(path, page)


def markdown(result: Comparison | ManyComparison | Matching | DatabaseMatching) -> str:
    """The result as a short summary for a pull request, in the Markdown of GitHub and GitLab.

    Names and values are written so that they cannot become markup, mentions or links.

    Parameters
    ----------
    result
        What :func:`compare`, :func:`compare_many`, :func:`match` or :func:`match_databases` returned.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.report import markdown
    >>> rng = np.random.default_rng(0)
    >>> c = ts.compare({"age": rng.normal(40, 9, 500)}, {"age": rng.normal(60, 9, 500)})
    >>> markdown(c).splitlines()[0]
    '### ≠ Different: 1 of 1 column; most: age.'
    """
    from ..matching.database_results import DatabaseMatching
    from ..matching.results import Matching

    if isinstance(result, Matching | DatabaseMatching):
        from .databases import matching_markdown

        return matching_markdown(result)
    if isinstance(result, Comparison):
        return comparison_markdown(result)
    from .many import many_markdown

    return many_markdown(_known_many(result, "ts.compare, ts.compare_many, ts.match or ts.match_databases"))


def junit(result: Comparison | ManyComparison) -> str:
    """The result as JUnit XML: a case for each column and one for all together; of several tables, one for each pair.

    A case fails if its verdict is "different"; "small difference" and "no difference found" pass, with words. A column
    that was lost, or holds another kind of value, is a failure of its own, unless the comparison was told that it does
    not count.

    Parameters
    ----------
    result
        What :func:`compare` or :func:`compare_many` returned.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.report import junit
    >>> rng = np.random.default_rng(0)
    >>> c = ts.compare({"age": rng.normal(40, 9, 500)}, {"age": rng.normal(60, 9, 500)})
    >>> junit(c).count("<failure")
    2
    """
    if isinstance(result, Comparison):
        return comparison_junit(result)
    from .many import many_junit

    return many_junit(_known_many(result))


def _heading(title: str, date: str, notes: str | Iterable[str]) -> Heading:
    if not isinstance(notes, Iterable):
        raise OptionError(f"notes={notes!r} must be a text, or several.")
    paragraphs = (notes,) if isinstance(notes, str) else tuple(notes)
    for option, text in (("title", title), ("date", date), *(("notes", note) for note in paragraphs)):
        if not isinstance(text, str):
            raise OptionError(f"{option}={text!r} must be text.")
    day = datetime.now().astimezone().date().isoformat() if date == "today" else date
    return Heading(title, day, tuple(note for note in paragraphs if note))


def _known_many(result: object, makers: str = "ts.compare or ts.compare_many") -> ManyComparison:
    from ..tables.many_results import ManyComparison

    if isinstance(result, ManyComparison):
        return result
    raise _unknown(result, makers)


def _unknown(result: object, makers: str) -> OptionError:
    return OptionError(f"result={type(result).__name__} cannot be shown like this: pass what {makers} returned.")
