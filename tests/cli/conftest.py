"""The command, in this process (quick) and as a real one, and small files to run it on."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from twosample.cli.run import run


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def twosample(capsys, monkeypatch):
    """Runs a command in this process; standard output is no terminal, and 120 characters wide."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments):
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        found = capsys.readouterr()
        assert "warning:" not in found.err
        return Done(code, found.out, found.err)

    return call


@pytest.fixture
def start(tmp_path):
    """Starts the real command, or any code, in an empty folder."""
    running = []

    def call(*arguments, code=None, **options):
        command = [sys.executable, *(["-c", code] if code else ["-m", "twosample"]), *map(str, arguments)]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **options.pop("env", {})}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": tmp_path, "text": True, **options}
        process = subprocess.Popen(command, env=environment, start_new_session=True, **options)
        running.append(process)
        return process

    yield call
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def real(start):
    """Runs the real command to its end."""

    def call(*arguments, **options):
        process = start(*arguments, **options)
        out, err = process.communicate(timeout=120)
        return Done(process.returncode, out or "", err or "")

    return call


@dataclass(frozen=True)
class Files:
    folder: Path

    def __getattr__(self, name):
        return self.folder / f"{name}.csv"


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """`one` and `same` are alike, `other` is not, `few` has 12 rows, `apart` shares no column with them."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(5)

    def table(rows, shift=0.0):
        return pl.DataFrame(
            {
                "age": np.round(rng.normal(40 + shift, 9, rows), 3),
                "city": rng.choice(["Oslo", "Rome", "Bern"], rows),
                "id": np.arange(rows),
            }
        )

    for name, frame in {
        "one": table(400),
        "same": table(400),
        "other": table(400, 6.0),
        "few": table(12),
        "apart": table(50).rename({"age": "x", "city": "y", "id": "z"}),
    }.items():
        frame.write_csv(folder / f"{name}.csv")
    return Files(folder)
