"""A reference of 45 days, and its monitor."""

import pytest

import twosample as ts
from tests.monitor.streams import days


@pytest.fixture(scope="module")
def reference():
    return days(0, 45)


@pytest.fixture
def monitor(reference):
    return ts.Monitor(reference)
