"""Make the pictures of the README: ``make pictures``. Needs Chromium for the screenshot of the report."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import twosample as ts  # noqa: E402
from tests.docs.pages import run  # noqa: E402
from tests.report.browser import Browser, find  # noqa: E402
from twosample.demo import tables  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"


def main() -> int:
    """Write the pictures and say how large they are."""
    mpl.use("Agg")
    FOLDER.mkdir(exist_ok=True)
    command = find()
    if command is None:
        print("no Chromium here: install it, or name it in TWOSAMPLE_BROWSER")
        return 1
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=3000), rng.laplace(scale=1 / np.sqrt(2), size=3000)
    ts.witness(x, y).plot().figure.savefig(FOLDER / "witness.png", dpi=110)
    names = run(ROOT / "docs" / "index.md").names  # the picture of the start page is that of its own example
    ts.witness(names["x"], names["y"]).plot().figure.savefig(FOLDER / "start.png", dpi=110)
    browser = Browser(command)
    try:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            ts.compare(*tables(), exclude=["ordered_at"]).report(page)
            browser.open(page, width=1000, height=760)
            browser.screenshot(FOLDER / "report.png", whole=False)
    finally:
        browser.close()
    for picture in sorted(FOLDER.glob("*.png")):
        Image.open(picture).convert("RGB").quantize(64).save(picture, optimize=True)
        print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
