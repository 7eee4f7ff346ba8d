"""Every command with junk words: one of our exit codes and one sentence, never a traceback or a mistake of ours."""

import random

import numpy as np
import pytest

from twosample.cli.run import run

CALLS = 60
WORDS = [
    "", " ", "-", "--", "-1", "0", "1", "0.5", "nan", "inf", "1e400", "9" * 400, "nonsense", "a,b", "age", "age=",
    "age=numeric", "=", "age=nonsense", "no=numeric", "age > 1", "age >", "(" * 3000, "1=1; drop table t", "'",
    "\x1b[31m",
    "\u202e", "é" * 300, "a/b/c", "/", "..", "~nobody/x", "$HOME", "*", "[", "NO.csv", "x" * 5000, "x://y", "no.tss",
    "sqlite:///no.db::t", "postgresql://ada:hush@127.0.0.1:1/db::t", "duckdb:///no.db::t", "no.parquet", "\udcff",
]  # fmt: skip
OPTIONS = {
    "compare": "alpha margin seed select exclude kind where sample all report json junit markdown strict config schema "
    "columns-may-be-lost contract",
    "match": "use-names rescale force alpha seed select exclude kind where sample report json plot config",
    "independence": "x y select exclude kind where sample all alpha seed json plot config",
    "outliers": "select exclude kind where sample alpha seed json config",
    "summarize": "output like rows seed where",
    "learn": "output slack kind where seed",
    "nonsense": "help version",
}
TABLES = {"compare": 2, "match": 2, "independence": 1, "outliers": 2, "summarize": 1, "learn": 1}


@pytest.fixture
def sources(tmp_path, files, monkeypatch):
    """Files of every sort in the folder where the commands run; nothing comes from standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    rng = np.random.default_rng(0)
    contents = {
        "empty.csv": b"", "header.csv": b"age,city\n", "one.csv": b"age\n1\n", "bytes.csv": rng.bytes(400),
        "nul.csv": b"a,b\n\0,1\n", "ragged.csv": b"a,b\n1,2,3\n4\n", "bad.parquet": b"PAR1" + rng.bytes(99) + b"PAR1",
        "bad.tss": rng.bytes(200), "bad.json": b"{", "bad.jsonl": b'{"a": 1}\n[', "bad.arrow": b"ARROW1" + b"1" * 60,
        "bad.xlsx": b"PK\3\4" + rng.bytes(60), "bad.csv.gz": b"\x1f\x8b" + rng.bytes(60), "c.toml": b"alpha = ",
        "bad.db": b"SQLite format 3\0" + rng.bytes(100),
    }  # fmt: skip
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    return [str(files.few), "folder", *contents]


def line(command, sources, rng):
    """A command with some junk in it."""
    junk, options = WORDS[-14:] + sources, OPTIONS[command].split()
    words = [command]
    for _ in range(TABLES.get(command, 0)):
        words.append(rng.choice(junk) if rng.random() < 0.4 else sources[0])
    for option in rng.sample(options, rng.choice([0, 1, 1, 2])):
        words += [f"--{option}", *([rng.choice(WORDS + sources)] if rng.random() < 0.9 else [])]
    return words


@pytest.mark.parametrize("command", OPTIONS)
def test_commands(command, sources, capsys):
    rng = random.Random(command)
    wrong = []
    for _ in range(CALLS):
        words = line(command, sources, rng)
        code = run(words)
        said = capsys.readouterr()
        ours = code in (0, 1, 3) or (code == 2 and said.err.count("\n") == 1)
        if not ours or any(bad in said.out + said.err for bad in ("mistake in twosample", "Traceback", "hush")):
            wrong.append(([word[:60] for word in words], code, said.err[:300]))
    assert wrong == []
