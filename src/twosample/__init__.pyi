"""What type checkers see of the package: the names of ``_public.py``, and where they come from."""

from . import matching as matching, metrics as metrics, rivals as rivals, testing as testing
from ._progress import ProgressBar as ProgressBar
from ._version import __version__ as __version__
from .adaptive import AdaptiveResult as AdaptiveResult, ViewResult as ViewResult, two_sample_test as two_sample_test
from .detection import Outlier as Outlier, Outliers as Outliers, outliers as outliers
from .detection.detector import MeanEmbeddingOutlierDetector as MeanEmbeddingOutlierDetector
from .engines import (
    Auto as Auto,
    Dense as Dense,
    Features as Features,
    Fourier as Fourier,
    LowRank as LowRank,
    Plan as Plan,
    Tiled as Tiled,
)
from .errors import (
    InputError as InputError,
    MissingExtraError as MissingExtraError,
    OptionError as OptionError,
    OutputError as OutputError,
    SmallSampleWarning as SmallSampleWarning,
    SourceError as SourceError,
    TwosampleError as TwosampleError,
)
from .homogeneity import (
    BinnedMoments as BinnedMoments,
    GroupedFeatures as GroupedFeatures,
    KSampleResult as KSampleResult,
    LinearTimeMMD as LinearTimeMMD,
    RelativeResult as RelativeResult,
    SamplePair as SamplePair,
    Sketch as Sketch,
    Witness as Witness,
    WitnessRows as WitnessRows,
    ksample_test as ksample_test,
    mmd as mmd,
    mmd_test as mmd_test,
    plan as plan,
    relative_test as relative_test,
    set_kernel as set_kernel,
    witness as witness,
)
from .independence import (
    ColumnPair as ColumnPair,
    DependenceWitness as DependenceWitness,
    IndependenceMatrix as IndependenceMatrix,
    IndependenceResult as IndependenceResult,
    dependence_witness as dependence_witness,
    hsic_test as hsic_test,
    independence_matrix as independence_matrix,
    independence_test as independence_test,
)
from .kernels import (
    CrossMedian as CrossMedian,
    Energy as Energy,
    Fixed as Fixed,
    FunctionKernel as FunctionKernel,
    Gaussian as Gaussian,
    Kernel as Kernel,
    Laplace as Laplace,
    Linear as Linear,
    Matern as Matern,
    Median as Median,
    Polynomial as Polynomial,
    Precomputed as Precomputed,
    Product as Product,
    QuantileGrid as QuantileGrid,
    RationalQuadratic as RationalQuadratic,
    Scaled as Scaled,
    Sum as Sum,
)
from .matching import (
    DatabaseMatching as DatabaseMatching,
    Matching as Matching,
    match as match,
    match_databases as match_databases,
    match_tables as match_tables,
)
from .monitor import Monitor as Monitor
from .nulls import (
    Bootstrap as Bootstrap,
    CircularShift as CircularShift,
    Gamma as Gamma,
    GroupPermutation as GroupPermutation,
    Hoeffding as Hoeffding,
    McDiarmid as McDiarmid,
    Normal as Normal,
    PairFlips as PairFlips,
    Pearson as Pearson,
    Permutation as Permutation,
    Spectrum as Spectrum,
    StratifiedPermutation as StratifiedPermutation,
    WildBootstrap as WildBootstrap,
)
from .planning import (
    EffectMargin as EffectMargin,
    EffectSize as EffectSize,
    Interval as Interval,
    effect_size as effect_size,
    equivalence_test as equivalence_test,
    interval as interval,
    power as power,
    sample_size as sample_size,
)
from .results import TestResult as TestResult
from .sources.summarize import summarize as summarize
from .statistics import (
    Biased as Biased,
    BlockAverage as BlockAverage,
    LinearTime as LinearTime,
    Paired as Paired,
    Unbiased as Unbiased,
)
from .structured import (
    Bhattacharyya as Bhattacharyya,
    Categories as Categories,
    Number as Number,
    Ordinal as Ordinal,
    Record as Record,
    SetKernel as SetKernel,
    Text as Text,
    graphs as graphs,
    series as series,
    strings as strings,
)
from .summaries import TableSummary as TableSummary
from .tables import (
    ColumnComparison as ColumnComparison,
    Comparison as Comparison,
    Contract as Contract,
    ManyComparison as ManyComparison,
    RelativeColumn as RelativeColumn,
    RelativeComparison as RelativeComparison,
    TablePair as TablePair,
    compare as compare,
    compare_many as compare_many,
    compare_relative as compare_relative,
    learn as learn,
)

__all__: list[str]
