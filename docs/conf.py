"""How Sphinx makes the site: `make docs`. Nothing on it comes from the net, and a warning is an error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(0, str(HERE.parent))

import twosample  # noqa: E402

project = "twosample"
author = "The twosample authors"
project_copyright = "The twosample authors"
version = release = twosample.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "reference",
]
exclude_patterns = ["_build", "gallery_src"]
suppress_warnings = ["config.cache", "toc.not_included"]  # a new page is no error before it has its place
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = True
smartquotes = False

# Markdown
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

# the reference, from docstrings
numpydoc_show_class_members = False
numpydoc_use_plots = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
default_role = "code"
python_display_short_literal_types = True

# the gallery
sphinx_gallery_conf = {
    "examples_dirs": "gallery_src",
    "gallery_dirs": "gallery",
    "filename_pattern": r".*\.py",
    "download_all_examples": False,
    "abort_on_example_error": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1000,
    "remove_config_comments": True,
    "image_srcset": [],
    "write_computation_times": False,
    "matplotlib_animations": False,
    "reset_modules": ("matplotlib", "gallery_style.reset"),
    "within_subsection_order": "FileNameSortKey",
    "plot_gallery": os.environ.get("TWOSAMPLE_GALLERY", "yes") == "yes",
}

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "twosample"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
