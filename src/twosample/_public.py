"""The public names: ``import twosample as ts`` offers exactly these. Add a name to the imports and to ``__all__``."""

from typing import TYPE_CHECKING, Any

from . import matching, metrics, rivals, testing
from ._progress import ProgressBar
from .adaptive import AdaptiveResult, ViewResult, two_sample_test
from .detection import Outlier, Outliers, outliers
from .engines import Auto, Dense, Features, Fourier, LowRank, Plan, Tiled
from .errors import (
    InputError,
    MissingExtraError,
    OptionError,
    OutputError,
    SmallSampleWarning,
    SourceError,
    TwosampleError,
)
from .homogeneity import (
    BinnedMoments,
    GroupedFeatures,
    KSampleResult,
    LinearTimeMMD,
    RelativeResult,
    SamplePair,
    Sketch,
    Witness,
    WitnessRows,
    ksample_test,
    mmd,
    mmd_test,
    plan,
    relative_test,
    set_kernel,
    witness,
)
from .independence import (
    ColumnPair,
    DependenceWitness,
    IndependenceMatrix,
    IndependenceResult,
    dependence_witness,
    hsic_test,
    independence_matrix,
    independence_test,
)
from .kernels import (
    CrossMedian,
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
from .matching import DatabaseMatching, Matching, match, match_databases, match_tables
from .monitor import Monitor
from .nulls import (
    Bootstrap,
    CircularShift,
    Gamma,
    GroupPermutation,
    Hoeffding,
    McDiarmid,
    Normal,
    PairFlips,
    Pearson,
    Permutation,
    Spectrum,
    StratifiedPermutation,
    WildBootstrap,
)
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
from .sources.summarize import summarize
from .statistics import Biased, BlockAverage, LinearTime, Paired, Unbiased
from .structured import Bhattacharyya, Categories, Number, Ordinal, Record, SetKernel, Text, graphs, series, strings
from .summaries import TableSummary
from .tables import (
    ColumnComparison,
    Comparison,
    Contract,
    ManyComparison,
    RelativeColumn,
    RelativeComparison,
    TablePair,
    compare,
    compare_many,
    compare_relative,
    learn,
)

__all__ = [
    "AdaptiveResult", "Auto", "Bhattacharyya", "Biased", "BinnedMoments", "BlockAverage", "Bootstrap",
    "Categories", "CircularShift", "ColumnComparison", "ColumnPair", "Comparison", "Contract",
    "CrossMedian", "DatabaseMatching", "Dense", "DependenceWitness", "EffectMargin", "EffectSize", "Energy", "Features",
    "Fixed", "Fourier", "FunctionKernel", "Gamma", "Gaussian", "GroupPermutation", "GroupedFeatures",
    "Hoeffding", "IndependenceMatrix", "IndependenceResult", "InputError", "Interval", "KSampleResult",
    "Kernel", "Laplace", "Linear", "LinearTime", "LinearTimeMMD", "LowRank", "ManyComparison", "Matching",
    "Matern", "McDiarmid", "MeanEmbeddingOutlierDetector", "Median", "MissingExtraError", "Monitor",
    "Normal", "Number", "OptionError", "Ordinal", "Outlier", "Outliers", "OutputError", "PairFlips",
    "Paired", "Pearson", "Permutation", "Plan", "Polynomial", "Precomputed", "Product", "ProgressBar",
    "QuantileGrid", "RationalQuadratic", "Record", "RelativeColumn", "RelativeComparison", "RelativeResult",
    "SamplePair", "Scaled", "SetKernel",
    "Sketch", "SmallSampleWarning", "SourceError", "Spectrum", "StratifiedPermutation", "Sum", "TablePair",
    "TableSummary", "TestResult", "Text", "Tiled", "TwosampleError", "Unbiased", "ViewResult",
    "WildBootstrap", "Witness", "WitnessRows", "compare", "compare_many", "compare_relative", "dependence_witness",
    "effect_size", "equivalence_test", "graphs", "hsic_test", "independence_matrix", "independence_test",
    "interval", "ksample_test", "learn", "match", "match_databases", "match_tables", "matching", "metrics",
    "mmd", "mmd_test", "outliers", "plan", "power", "relative_test", "rivals", "sample_size", "series", "set_kernel",
    "strings", "summarize", "testing", "two_sample_test", "witness",
]  # fmt: skip

if TYPE_CHECKING:
    from .detection.detector import MeanEmbeddingOutlierDetector
else:

    def __getattr__(name: str) -> Any:
        if name != "MeanEmbeddingOutlierDetector":  # the only name that needs scikit-learn
            raise AttributeError(f"module 'twosample._public' has no attribute {name!r}")
        from .detection.detector import MeanEmbeddingOutlierDetector

        return MeanEmbeddingOutlierDetector
