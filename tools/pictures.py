"""Make the pictures of the README: ``make pictures``. Needs Chromium for the screenshot of the report."""

from __future__ import annotations

import os
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
    import polars as pl

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
            page, files = (
                Path(folder) / "report.html",
                [Path(folder) / name for name in ("january.csv", "february.csv")],
            )
            for table, file in zip(tables(), files, strict=True):
                pl.DataFrame(table).write_csv(file)
            here = Path.cwd()
            os.chdir(folder)  # the page names the files as they were given
            ts.compare("january.csv", "february.csv", exclude=["ordered_at"]).report(page)
            os.chdir(here)
            browser.open(page, width=1000, height=1180)
            browser.screenshot(FOLDER / "report.png", whole=False)
    finally:
        browser.close()
    for picture in sorted(FOLDER.glob("*.png")):
        Image.open(picture).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(picture, optimize=True)
        print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
