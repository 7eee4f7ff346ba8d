"""Formulas as MathML, which browsers draw by themselves: no script, no font, no picture, and no LaTeX to install."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
SIZES = re.compile(r"\\([bB]igg?)(?![a-zA-Z])")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer; conf.py chooses it."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def mathml(node: nodes.math | nodes.math_block, *, as_block: bool) -> str:
    """The formula in MathML; one that cannot be written is a warning, and so an error of the build."""
    code = SIZES.sub(r"\\\1l", node.astext()).replace(r"\dots", r"\ldots")  # docutils does not know \\Big and \\dots
    try:
        return str(latex2mathml.tex2mathml(code, as_block=as_block))
    except MathError as error:
        LOGGER.warning("formula: %s in %s", error, node.astext(), location=node)
        return ""
