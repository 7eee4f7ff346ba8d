"""The pages of the reference: one for each public name, from its docstring, an overview by theme, and all commands.

The reference is complete: a public name that no theme has stands under "Others".
"""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import twosample as ts

THEMES = {
    "Tests of two or more samples": "two_sample_test mmd_test mmd ksample_test KSampleResult SamplePair relative_test "
    "RelativeResult plan"
    " set_kernel",
    "Where they differ": "witness Witness WitnessRows",
    "Tables": "compare Comparison ColumnComparison compare_many ManyComparison TablePair compare_relative"
    " RelativeComparison RelativeColumn match match_tables Matching"
    " match_databases DatabaseMatching"
    " outliers Outliers Outlier"
    " MeanEmbeddingOutlierDetector summarize TableSummary Monitor",
    "Independence": "hsic_test independence_test independence_matrix dependence_witness DependenceWitness"
    " IndependenceResult IndependenceMatrix ColumnPair",
    "How large, how many rows": "interval effect_size equivalence_test power sample_size Interval EffectSize"
    " EffectMargin",
    "Results": "TestResult AdaptiveResult ViewResult Plan",
    "Streams and sketches": "LinearTimeMMD Sketch BinnedMoments GroupedFeatures",
    "Kernels": "Kernel Gaussian Laplace Matern RationalQuadratic Energy Linear Polynomial Sum Product Scaled"
    " Precomputed FunctionKernel",
    "Bandwidth rules": "Median QuantileGrid Fixed CrossMedian",
    "Kernels on objects": "Bhattacharyya SetKernel Categories Ordinal Number Text Record graphs strings series",
    "Statistics": "Unbiased Biased Paired LinearTime BlockAverage",
    "Null distributions": "Permutation Bootstrap Pearson Spectrum Gamma Normal McDiarmid Hoeffding WildBootstrap"
    " CircularShift GroupPermutation PairFlips",
    "Engines": "Auto Dense Tiled Fourier LowRank Features ProgressBar",
    "Classical tests": "rivals",
    "Distances and bounds": "metrics",
    "Matching, in parts": "matching",
    "Test suites": "testing",
    "Sources and reports": "",
    "Errors and warnings": "TwosampleError InputError OptionError SourceError OutputError MissingExtraError"
    " SmallSampleWarning",
}
BESIDE = {"Sources and reports": {"sources": ["open_table"], "report": ["html", "markdown", "junit", "write_html"]}}
"""Names of modules that are not loaded with the others, and are public all the same."""

FOLDER = "reference/names"


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", write_pages)
    app.connect("missing-reference", by_last_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx) -> None:
    """Write `reference/index.rst` and a page for each name below it; pages that have not changed are left alone."""
    source = Path(app.srcdir)
    pages = {"reference/index.rst": overview(), "reference/commands.rst": commands()}
    for _, module, name, member in members():
        pages[f"{FOLDER}/{module}.{name}.rst"] = page(module, name, member)
    old = {path.relative_to(source).as_posix() for path in (source / "reference").rglob("*.rst")}
    for gone in old - pages.keys():
        (source / gone).unlink()
    shutil.rmtree(source / "reference" / "__pycache__", ignore_errors=True)
    for place, text in pages.items():
        path = source / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def commands() -> str:
    """The help of every command, as the program prints it."""
    from twosample.cli.app import make_app

    lines = [
        "Commands",
        "========",
        "",
        "For whoever types. What ``twosample help`` prints for each command, made when this site was built.",
        "",
        "Where next: :doc:`what options mean, exit codes, files </cli>`.",
        "",
    ]
    program = typer.main.get_command(make_app())
    waiting = [(["twosample"], program)]
    while waiting:
        words, command = waiting.pop(0)
        context = typer.Context(command, info_name=" ".join(words), terminal_width=100)
        title = " ".join(words)
        shown = (f"   {line}".rstrip() for line in command.get_help(context).splitlines())
        lines += [title, "-" * len(title), "", ".. code-block:: text", "", *shown, ""]
        waiting += [([*words, name], one) for name, one in getattr(command, "commands", {}).items()]
    return "\n".join(lines)


def themes() -> dict[str, list[str]]:
    """The public names by theme; a theme may not have others."""
    found = {theme: names.split() for theme, names in THEMES.items()}
    named = {name for names in found.values() for name in names}
    if not named <= set(ts.__all__):
        raise ExtensionError(f"docs/_ext/reference.py: not public: {sorted(named - set(ts.__all__))}")
    rest = sorted(set(ts.__all__) - named)
    return found | ({"Others": rest} if rest else {})


def members() -> Iterator[tuple[str, str, str, object]]:
    """Theme, module, name and object of each public name; modules give theirs."""
    for theme, names in themes().items():
        for name in names:
            member = getattr(ts, name)
            if isinstance(member, ModuleType):
                for inner in member.__all__:
                    if getattr(ts, inner, None) is not getattr(member, inner):
                        yield theme, f"twosample.{name}", inner, getattr(member, inner)
            else:
                yield theme, "twosample", name, member
        for module, beside in BESIDE.get(theme, {}).items():
            for name in beside:
                yield theme, f"twosample.{module}", name, getattr(import_module(f"twosample.{module}"), name)


def page(module: str, name: str, member: object) -> str:
    """The page of one name."""
    shown = f"{module}.{name}".replace("twosample.", "ts.", 1)
    directive = "autoclass" if inspect.isclass(member) else "autofunction" if callable(member) else "autodata"
    lines = [shown, "=" * len(shown), "", f".. currentmodule:: {module}", "", f".. {directive}:: {name}"]
    if inspect.isclass(member):
        above = public_bases(member)
        others = [base.__name__ for base in member.__mro__ if not base.__module__.startswith("twosample")]
        lines += ["   :members:", f"   :inherited-members: {', '.join(above + others)}", ""]
        links = ", ".join(f":class:`~twosample.{name}`" for name in above)
        lines += [f"It also has the methods of {links}."] if above else []
    return "\n".join(lines) + "\n"


def public_bases(member: type) -> list[str]:
    """The public classes that a class inherits from; their members have pages of their own."""
    return [base.__name__ for base in member.__mro__[1:] if getattr(ts, base.__name__, None) is base]


def overview() -> str:
    """The themes, each a table of names with the first lines of their docstrings."""
    lines = [
        "API reference",
        "=============",
        "",
        "For whoever writes Python. ``import twosample as ts`` offers these names, and no others are public."
        " Each page is made from the docstring; its example runs in the tests.",
        "",
    ]
    for theme in themes():
        lines += [theme, "-" * len(theme), "", ".. list-table::", "   :widths: 34 66", "   :class: names", ""]
        inside: list[str] = []
        for own, module, name, member in members():
            if own == theme:
                shown = f"{module}.{name}".replace("twosample.", "ts.", 1)
                lines += [f"   * - :doc:`{shown} <names/{module}.{name}>`", f"     - {summary(member)}"]
                inside.append(f"   names/{module}.{name}")
        lines += ["", ".. toctree::", "   :hidden:", "", *inside, ""]
    return "\n".join(lines)


def summary(member: object) -> str:
    """The first paragraph of a docstring, on one line."""
    if not callable(member):
        return "A value; its page says what it holds."
    return " ".join((inspect.getdoc(member) or "").partition("\n\n")[0].split())


def by_last_name(app: Sphinx, env: Any, node: Any, contnode: nodes.Element) -> nodes.Element | None:
    """Docstrings say `mmd_test` or `Permutation`, in whatever module they stand: the public name of that ending.

    Types in signatures are links where they are public, and plain text where they are not.
    """
    if node.get("refdomain") != "py":
        return None
    objects = env.get_domain("py").objects
    target = node["reftarget"].removeprefix("ts.")
    found = next((full for full in (f"twosample.{target}", target) if full in objects), None)
    if found is None:
        ends = [full for full, entry in objects.items() if full.endswith(f".{target}") and not entry.aliased]
        found = ends[0] if len(ends) == 1 else None
    if found is None:
        return contnode if within_signature(node) else None
    entry = objects[found]
    place = app.builder.get_relative_uri(node.get("refdoc", env.docname), entry.docname)
    return nodes.reference("", "", contnode, internal=True, refuri=f"{place}#{entry.node_id}", reftitle=found)


def within_signature(node: nodes.Node) -> bool:
    """Whether a reference stands in a signature, not in a sentence."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, addnodes.desc_signature):
            return True
    return False
