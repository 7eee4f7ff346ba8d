"""Every result as a notebook shows it, and every picture in colour and in grey: ``python tools/showcase.py FOLDER``.

Writes `cells-NOTEBOOK-SCHEME.png` (JupyterLab and VS Code, light and dark; needs Chromium), one PNG for each picture,
and `pictures.png` and `pictures-grey.png` with all of them, to be looked at before a style is changed.
"""

from __future__ import annotations

import sys
import tempfile
from html import escape
from pathlib import Path

import matplotlib as mpl
import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import twosample as ts  # noqa: E402
from tests.report.browser import Browser, find  # noqa: E402
from twosample.demo import tables  # noqa: E402

JUPYTER = """
body{font:14px/1.4 system-ui,sans-serif;margin:0;padding:12px 20px}
table{border-collapse:collapse;border-spacing:0;border:none;font-size:12px;table-layout:fixed;margin:0 0 1em}
td,th,tr{text-align:right;vertical-align:middle;padding:.5em;line-height:normal;white-space:normal;border:none}
tbody tr:nth-child(odd){background:rgba(128,128,128,.1)} pre{font-family:monospace;font-size:13px;margin:0}
"""
VSCODE = """
body{font:13px/22px system-ui,sans-serif;margin:0;padding:12px 20px}
table,thead,tr,th,td,tbody{border:none!important;border-color:transparent;border-spacing:0;border-collapse:collapse}
table,th,tr{vertical-align:middle;text-align:right} th,td{padding:4px 8px} thead{background:rgba(130,130,130,.16)}
tr:nth-child(even){background:rgba(130,130,130,.08)} pre{font-family:monospace;font-size:13px}
"""
NOTEBOOKS = {"jupyterlab": (JUPYTER, "#ffffff;color:#212121", "#111111;color:#dedede"),
             "vscode": (VSCODE, "#ffffff;color:#3b3b3b", "#1f1f1f;color:#cccccc")}  # fmt: skip
"""Their rules for tables and text in outputs, and ground and ink in light and in dark."""


def results() -> dict[str, object]:
    """One result of every class that a notebook shows in a form of its own."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(120, 2)), rng.normal(size=(150, 2)) * [1, 1.7]
    angle = rng.uniform(0, 2 * np.pi, 200)
    first, second = np.cos(angle) + rng.normal(0, 0.1, 200), np.sin(angle) + rng.normal(0, 0.1, 200)
    people = {"age": rng.normal(40, 9, 500), "pay": rng.gamma(2, 900, 500), "city": rng.choice(["Oslo", "Rome"], 500)}
    clients = {"c1": rng.choice(["Oslo", "Rome"], 400), "c2": rng.gamma(2, 900, 400), "c3": rng.normal(40, 9, 400)}
    width = rng.normal(30, 5, 1500)
    boxes = {"width": width, "height": 2 * width + rng.normal(0, 3, 1500)}
    new = {"width": np.array([31.0, 40.0, 22.0]), "height": np.array([61.0, 48.0, 76.0])}
    watch = ts.Monitor([{"price": rng.normal(rng.normal(0, 0.1), 1, 200)} for _ in range(40)])
    while not watch.alarm:
        watch.update({"price": rng.normal(0.6, 1, 200)})
    days = {name: {"price": rng.normal(shift, 1, 300)} for name, shift in (("mon", 0), ("tue", 0), ("wed", 1))}
    return {
        "TestResult": ts.mmd_test(x, y, rng=0),
        "TestResult, nothing found": ts.mmd_test(x[:60], x[60:], null="spectrum"),
        "AdaptiveResult": ts.two_sample_test(x, y, rng=0),
        "KSampleResult": ts.ksample_test([x, y, x + 1], rng=0),
        "RelativeResult": ts.relative_test(x, y, rng.normal(size=(120, 2)), rng=0),
        "IndependenceResult": ts.hsic_test(first, second, rng=0),
        "IndependenceMatrix": ts.independence_matrix({"x": first, "y": second, "z": rng.normal(size=200)}),
        "Comparison": ts.compare(*tables(), exclude=["ordered_at"]),
        "ManyComparison": ts.compare_many(days),
        "RelativeComparison": ts.compare_relative(days["mon"], days["wed"], days["tue"]),
        "Matching": ts.match(people, clients),
        "DatabaseMatching": ts.match_databases({"people": people, "boxes": boxes}, {"t1": boxes, "t2": clients}),
        "Outliers": ts.outliers(boxes, new, level=0.05),
        "Monitor": watch,
        "NaiveMatching": ts.matching.naive(x[:60], x[60:], test="ks"),
        "TableSummary": ts.summarize(people),
        "Contract": ts.learn({"city": people["city"]}),
        "Witness": ts.witness(x, y),
        "DependenceWitness": ts.dependence_witness(first, second),
        "StepWitness": ts.metrics.witness(first, second, metric="kolmogorov"),
        "LipschitzWitness": ts.metrics.witness(first, second, metric="wasserstein"),
        "EffectSize": ts.effect_size(x, y),
        "Interval": ts.interval(x, y),
        "Plan": ts.plan(x, y),
        "Delay": watch.delay("price", "2sd", runs=2, most=5),
    }


def parts(found: dict[str, object]) -> dict[str, object]:
    """One of each kind of part that these results have."""
    watch, comparison, matching = found["Monitor"], found["Comparison"], found["Matching"]
    return {
        "ViewResult": found["AdaptiveResult"].views[0],
        "SamplePair": found["KSampleResult"].pairs[0],
        "ColumnPair": found["IndependenceMatrix"].pairs[0],
        "ColumnComparison": comparison["price"],
        "SpeakingRow": comparison.rows()[0],
        "TablePair": found["ManyComparison"].pairs[0],
        "RelativeColumn": found["RelativeComparison"].columns[0],
        "Pair": matching.pairs[0],
        "Unmatched": ts.match({"a": [1.0, 2.0, 3.0] * 20}, {"b": ["x", "y", "z"] * 20}).unmatched_source[0],
        "MatchedTables": found["DatabaseMatching"].pairs[0],
        "Outlier": found["Outliers"].rows[0],
        "Look": watch.looks[-1],
        "BatchRecord": watch.batches[0],
        "WatchedColumn": watch.columns[0],
        "WitnessRows": found["Witness"].rows(),
        "EffectMargin": ts.EffectMargin(0.1),
    }


def pictures(found: dict[str, object], folder: Path) -> list[Path]:
    """Draw what can be drawn."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=600), rng.laplace(scale=0.7, size=600)
    plane, moved = rng.normal(size=(300, 2)), rng.normal(size=(300, 2))
    moved[:50] = rng.normal([2.2, -2.0], 0.35, size=(50, 2))
    angle = rng.uniform(0, 2 * np.pi, 300)
    drawn = {name: result.plot for name, result in found.items() if hasattr(result, "plot")}
    comparison, matching = found["Comparison"], found["Matching"]
    drawn |= {f"column {name}": comparison[name].plot for name in ("price", "channel", "delivery_days")}
    drawn |= {f"pair {pair.source}": lambda pair=pair: matching.plot_pair(pair.source) for pair in matching.pairs}
    drawn |= {
        "bound": ts.mmd_test(x, y, statistic="biased", null="mcdiarmid").plot,
        "witness": ts.witness(x, y).plot,
        "witness in two columns": ts.witness(plane, moved).plot,
        "witness of dependence": ts.dependence_witness(np.cos(angle), np.sin(angle)).plot,
    }
    paths = []
    for name, plot in drawn.items():
        paths.append(folder / f"{name.replace(' ', '-').replace(',', '')}.png")
        plot().figure.savefig(paths[-1], dpi=80)
        mpl.pyplot.close("all")
    return paths


def sheet(paths: list[Path], grey: bool, wide: int = 3) -> Image.Image:
    """All pictures side by side."""
    shown = [Image.open(path).convert("L" if grey else "RGB") for path in paths]
    rows = [shown[start : start + wide] for start in range(0, len(shown), wide)]
    tops = np.cumsum([0, *(max(image.height for image in row) for row in rows)])
    width = max(sum(image.width for image in row) for row in rows)
    whole = Image.new("L" if grey else "RGB", (width, int(tops[-1])), 255 if grey else (255, 255, 255))
    for row, top in zip(rows, tops, strict=False):
        for place, image in enumerate(row):
            whole.paste(image, (sum(left.width for left in row[:place]), int(top)))
    return whole


def cells(found: dict[str, object], style: str, colours: str) -> str:
    """A page that looks like the outputs of a notebook."""
    body = "".join(f"<p style='opacity:.6'>{escape(name)}</p>{one._repr_html_()}" for name, one in found.items())
    return f"<html><meta charset='utf-8'><style>{style}</style><body style='background:{colours}'>{body}</body></html>"


def main(folder: Path) -> int:
    """Write the pictures."""
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    found = results()
    paths = pictures(found, folder)
    for grey in (False, True):
        sheet(paths, grey).save(folder / f"pictures{'-grey' if grey else ''}.png", optimize=True)
    command = find()
    if command is None:
        print("no Chromium here, so no cells: install it, or name it in TWOSAMPLE_BROWSER")
        return 1
    browser = Browser(command)
    try:
        with tempfile.TemporaryDirectory() as temporary:
            for name, (style, *schemes) in NOTEBOOKS.items():
                for dark, colours in enumerate(schemes):
                    page = Path(temporary) / "cells.html"
                    page.write_text(cells(found, style, colours), encoding="utf-8")
                    browser.open(page, width=1000, height=2200, dark=bool(dark))
                    browser.screenshot(folder / f"cells-{name}-{'dark' if dark else 'light'}.png")
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
