"""What all tests share: a reproducible Hypothesis, and the way to the data of the paper."""

import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices on a busy machine: threads only get in the way

import pytest
from hypothesis import HealthCheck, settings

from tests.postgres import postgres_server  # noqa: F401

settings.register_profile(
    "twosample",
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile("twosample")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_directory():
    """The folder with the paper's data: TWOSAMPLE_DATA, or ../shared/data beside the repository."""
    place = Path(os.environ.get("TWOSAMPLE_DATA", ROOT.parent / "shared" / "data"))
    if not place.is_dir():
        pytest.skip(f"no data at {place}; set TWOSAMPLE_DATA")
    return place
