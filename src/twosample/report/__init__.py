"""Results as documents: one HTML page, a summary in Markdown, JUnit XML. Only reads results, never computes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING

from .._files import check_page, keep_inputs, write_whole
from ..errors import OptionError
from ..tables.results import Comparison
from ._junit import comparison_junit
from ._markdown import comparison_markdown
from .comparison import comparison_page
from .page import Heading, render

if TYPE_CHECKING:
    from ..detection import Outliers
    from ..independence import IndependenceMatrix, IndependenceResult
    from ..matching.results import Matching
    from ..monitor import Monitor
    from ..tables.many_results import ManyComparison

    Shown = Comparison | ManyComparison | Matching | Monitor | Outliers | IndependenceMatrix | IndependenceResult

__all__ = ["html", "junit", "markdown", "write_html"]


def html(result: Shown, *, title: str = "", date: str = "", notes: str | Iterable[str] = ()) -> str:
    """The result as one self-contained HTML page.

    The page asks the net for nothing; a small script in it sorts and filters the table of columns, and everything is
    there without it. It holds bins and a few rows, never the data. The same result gives the same bytes. Its size does
    not grow with the number of rows, and stays below 2 MB.

    Parameters
    ----------
    result
        What :func:`compare`, :func:`compare_many`, :func:`match`, :func:`outliers`, :func:`independence_matrix` or
        :func:`independence_test` returned, or a :class:`Monitor`.
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
    if isinstance(result, Comparison):
        return render("comparison.html", comparison_page(result), heading)
    from ..tables.many_results import ManyComparison

    if isinstance(result, ManyComparison):
        from .many import many_page

        return render("many.html", many_page(result), heading)
    from ..detection import Outliers
    from ..independence import IndependenceMatrix, IndependenceResult
    from ..matching.results import Matching
    from ..monitor import Monitor

    if isinstance(result, IndependenceMatrix) or (isinstance(result, IndependenceResult) and result.explained):
        from .independence import independence_page

        return render("independence.html", independence_page(result), heading)
    if isinstance(result, Outliers):
        from .outliers import outliers_page

        return render("outliers.html", outliers_page(result), heading)
    if isinstance(result, Matching):
        from .matching import matching_page

        return render("matching.html", matching_page(result), heading)
    if isinstance(result, Monitor):
        from .watch import watch_page

        return render("watch.html", watch_page(result), heading)
    raise _unknown(result, "ts.compare, ts.match, ts.outliers, ts.independence_matrix or ts.independence_test")


def write_html(
    result: Shown, path: str | PathLike[str], *, title: str = "", date: str = "", notes: str | Iterable[str] = ()
) -> None:
    """Write the result as one self-contained HTML page, whole or not at all.

    Parameters
    ----------
    result
        What :func:`compare`, :func:`compare_many`, :func:`match` or :func:`outliers` returned, or a :class:`Monitor`.
    path
        Where to. The folder must exist. A file that was compared is refused, and so is the name of another format.
    title, date, notes
        As in :func:`html`.

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


def markdown(result: Comparison) -> str:
    """The result as a short summary for a pull request, in the Markdown of GitHub and GitLab.

    Names and values are written so that they cannot become markup, mentions or links.

    Parameters
    ----------
    result
        What :func:`compare` returned.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.report import markdown
    >>> rng = np.random.default_rng(0)
    >>> c = ts.compare({"age": rng.normal(40, 9, 500)}, {"age": rng.normal(60, 9, 500)})
    >>> markdown(c).splitlines()[0]
    '### ≠ Different: 1 of 1 column; most: age.'
    """
    return comparison_markdown(_known(result))


def junit(result: Comparison) -> str:
    """The result as JUnit XML: a case for each column and one for all together.

    A case fails if its verdict is "different"; "small difference" and "no difference found" pass, with words. A column
    that was lost, or holds another kind of value, is a failure of its own, unless the comparison was told that it does
    not count.

    Parameters
    ----------
    result
        What :func:`compare` returned.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.report import junit
    >>> rng = np.random.default_rng(0)
    >>> c = ts.compare({"age": rng.normal(40, 9, 500)}, {"age": rng.normal(60, 9, 500)})
    >>> junit(c).count("<failure")
    2
    """
    return comparison_junit(_known(result))


def _heading(title: str, date: str, notes: str | Iterable[str]) -> Heading:
    if not isinstance(notes, Iterable):
        raise OptionError(f"notes={notes!r} must be a text, or several.")
    paragraphs = (notes,) if isinstance(notes, str) else tuple(notes)
    for option, text in (("title", title), ("date", date), *(("notes", note) for note in paragraphs)):
        if not isinstance(text, str):
            raise OptionError(f"{option}={text!r} must be text.")
    day = datetime.now().astimezone().date().isoformat() if date == "today" else date
    return Heading(title, day, tuple(note for note in paragraphs if note))


def _known(result: object) -> Comparison:
    if isinstance(result, Comparison):
        return result
    raise _unknown(result, "ts.compare")


def _unknown(result: object, makers: str) -> OptionError:
    return OptionError(f"result={type(result).__name__} cannot be shown like this: pass what {makers} returned.")
