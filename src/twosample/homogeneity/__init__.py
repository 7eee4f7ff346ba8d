"""The public two-sample tests."""

from .mmd import mmd, mmd_test, plan
from .witness import Witness, WitnessRows, witness

__all__ = ["Witness", "WitnessRows", "mmd", "mmd_test", "plan", "witness"]
