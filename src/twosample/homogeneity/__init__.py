"""The public two-sample tests."""

from .bags import set_kernel
from .ksample import KSampleResult, SamplePair, ksample_test
from .mmd import mmd, mmd_test
from .plans import plan
from .relative import RelativeResult, relative_test
from .sketches import BinnedMoments, GroupedFeatures, Sketch
from .stream import LinearTimeMMD
from .witness import Witness, WitnessRows, witness

__all__ = [
    "BinnedMoments", "GroupedFeatures", "KSampleResult", "LinearTimeMMD", "RelativeResult", "SamplePair", "Sketch",
    "Witness", "WitnessRows", "ksample_test", "mmd", "mmd_test", "plan", "relative_test", "set_kernel", "witness",
]  # fmt: skip
