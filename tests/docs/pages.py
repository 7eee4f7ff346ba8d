"""The pages of the documentation as programs: their blocks of code, and the files that they speak of."""

import contextlib
import io
import shlex
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
LEFT_OUT = "<!-- no-test -->"


def blocks(text, language="python"):
    """Line numbers (of the line before the code, from 1) and code of the blocks in a language; not those marked."""
    code, start, before, inside = None, 0, "", False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if code is not None:
                yield start, "".join(code)
                code = None
            elif not inside and line == f"```{language}" and LEFT_OUT not in before:
                code, start = [], number
            inside = not inside
        elif code is not None:
            code.append(line + "\n")
        before = line


def commands(text):
    """The words of every `twosample` command in the shell blocks of a page; what follows || or | is left out."""
    for _, block in blocks(text, "sh"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["twosample"]:
                stop = next((place for place, word in enumerate(words) if word in {"||", "|", "&&"}), len(words))
                yield words[1:stop]


def pages():
    """The README and the pages of docs, by their places below it; not those that experiments write."""
    docs = ROOT / "docs"
    written = [
        page for page in sorted(docs.rglob("*.md")) if page.relative_to(docs).parts[0] not in {"paper", "gallery"}
    ]
    return {"README": README} | {page.relative_to(docs).with_suffix("").as_posix(): page for page in written}


@dataclass(frozen=True)
class Ran:
    names: dict
    printed: str


def run(page):
    """Runs the Python of a page, from top to bottom in one namespace, in the current folder."""
    names, printed = {"__name__": page.stem}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for line, code in blocks(page.read_text(encoding="utf-8")):
            exec(compile("\n" * line + code, str(page), "exec"), names)  # noqa: S102
    return Ran(names, printed.getvalue())


def write_samples(folder):
    """The files that pages name: tables of one law, with enough rows to be shown to be the same."""
    rng = np.random.default_rng(0)

    def table(rows=4000):
        return pl.DataFrame(
            {
                "age": rng.normal(40, 9, rows),
                "income": rng.gamma(2, 900, rows),
                "city": rng.choice(["Oslo", "Rome"], rows),
                "price": rng.gamma(3, 20, rows),
                "items": rng.poisson(2, rows),
                "channel": rng.choice(["shop", "web"], rows),
            }
        )

    for name in ("january", "reference", "table", "new"):
        table().write_csv(folder / f"{name}.csv")
    for name in ("a", "b"):
        codes = pl.DataFrame({"id": np.arange(4000), "comment": ["fine"] * 4000, "zip": rng.integers(10, 30, 4000)})
        table().hstack(codes).write_csv(folder / f"{name}.csv")
    for name in ("february", "customers", "big", "today", "reference", "monday", "tuesday"):
        table().write_parquet(folder / f"{name}.parquet")
    for name in ("monday", "tuesday", "friday"):
        answers = pl.DataFrame(
            {"prompt": ["one", "two"] * 60, "answer": rng.choice(["yes it is", "no, it is not"], 120)}
        )
        answers.write_ndjson(folder / f"{name}.jsonl")
    hours = pl.datetime_range(datetime(2026, 9, 1), datetime(2026, 10, 5, 23), "30m", eager=True)
    table(len(hours)).insert_column(0, hours.alias("at")).write_parquet(folder / "orders.parquet")
    with contextlib.closing(sqlite3.connect(folder / "crm.db")) as connection, connection:
        frame = table(300).select("age", "income", "city")
        connection.execute("CREATE TABLE clients (a, b, c)")
        connection.executemany("INSERT INTO clients VALUES (?, ?, ?)", frame.rows())
