"""The public names: ``import twosample as ts`` offers exactly these. Add a name to the imports and to ``__all__``."""

from . import metrics, rivals
from .engines import Auto, Dense, Features, Fourier, LowRank, Plan, Tiled
from .errors import InputError, MissingExtraError, OptionError, SmallSampleWarning, SourceError, TwosampleError
from .homogeneity import (
    BinnedMoments,
    GroupedFeatures,
    LinearTimeMMD,
    Sketch,
    Witness,
    WitnessRows,
    mmd,
    mmd_test,
    plan,
    set_kernel,
    witness,
)
from .independence import (
    CircularShift,
    ColumnPair,
    DependenceWitness,
    IndependenceMatrix,
    IndependenceResult,
    dependence_witness,
    hsic_test,
    independence_matrix,
)
from .kernels import (
    Energy,
    Fixed,
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplace,
    Linear,
    Matern,
    Median,
    Polynomial,
    Precomputed,
    Product,
    QuantileGrid,
    RationalQuadratic,
    Scaled,
    Sum,
)
from .nulls import Bootstrap, Gamma, Hoeffding, McDiarmid, Normal, Pearson, Permutation, Spectrum
from .planning import (
    EffectMargin,
    EffectSize,
    Interval,
    effect_size,
    equivalence_test,
    interval,
    power,
    sample_size,
)
from .results import TestResult
from .statistics import Biased, BlockAverage, LinearTime, Paired, Unbiased
from .structured import Categories, Number, Ordinal, Record, SetKernel, Text, graphs, series, strings

__all__ = [
    "Auto", "Biased", "BinnedMoments", "BlockAverage", "Bootstrap", "Categories", "CircularShift", "ColumnPair",
    "Dense", "DependenceWitness", "EffectMargin", "EffectSize", "Energy", "Features", "Fixed", "Fourier",
    "FunctionKernel", "Gamma", "Gaussian", "GroupedFeatures", "Hoeffding", "IndependenceMatrix", "IndependenceResult",
    "InputError", "Interval", "Kernel", "Laplace", "Linear", "LinearTime", "LinearTimeMMD", "LowRank", "Matern",
    "McDiarmid", "Median", "MissingExtraError", "Normal", "Number", "OptionError", "Ordinal", "Paired", "Pearson",
    "Permutation", "Plan", "Polynomial", "Precomputed", "Product", "QuantileGrid", "RationalQuadratic", "Record",
    "Scaled", "SetKernel", "Sketch", "SmallSampleWarning", "SourceError", "Spectrum", "Sum", "TestResult", "Text",
    "Tiled", "TwosampleError", "Unbiased", "Witness", "WitnessRows", "dependence_witness", "effect_size",
    "equivalence_test", "graphs", "hsic_test", "independence_matrix", "interval", "metrics", "mmd", "mmd_test", "plan",
    "power", "rivals", "sample_size", "series", "set_kernel", "strings", "witness",
]  # fmt: skip
