"""The public names, by the rooms that they come from: ``import twosample as ts`` offers exactly these.

Add a name here, and to ``__init__.pyi``, which is what type checkers see. A room is loaded with the first of its names.
"""

from __future__ import annotations

ROOMS = {
    "_progress": "ProgressBar",
    "adaptive": "AdaptiveResult ViewResult two_sample_test",
    "detection": "Outlier Outliers outliers",
    "detection.detector": "MeanEmbeddingOutlierDetector",
    "engines": "Auto Dense Features Fourier LowRank Plan Tiled",
    "errors": "InputError MissingExtraError OptionError OutputError SmallSampleWarning SourceError TwosampleError",
    "homogeneity": (
        "BinnedMoments GroupedFeatures KSampleResult LinearTimeMMD RelativeResult SamplePair Sketch Witness "
        "WitnessRows ksample_test mmd mmd_test plan relative_test set_kernel witness"
    ),
    "independence": (
        "ColumnPair DependenceWitness IndependenceMatrix IndependenceResult dependence_witness hsic_test "
        "independence_matrix independence_test"
    ),
    "kernels": (
        "CrossMedian Energy Fixed FunctionKernel Gaussian Kernel Laplace Linear Matern Median Polynomial "
        "Precomputed Product QuantileGrid RationalQuadratic Scaled Sum"
    ),
    "matching": "DatabaseMatching Matching match match_databases match_tables",
    "monitor": "Monitor",
    "nulls": (
        "Bootstrap CircularShift Gamma GroupPermutation Hoeffding McDiarmid Normal PairFlips Pearson "
        "Permutation Spectrum StratifiedPermutation WildBootstrap"
    ),
    "planning": "EffectMargin EffectSize Interval effect_size equivalence_test interval power sample_size",
    "results": "TestResult",
    "sources.summarize": "summarize",
    "statistics": "Biased BlockAverage LinearTime Paired Unbiased",
    "structured": "Bhattacharyya Categories Number Ordinal Record SetKernel Text",
    "summaries": "TableSummary",
    "tables": (
        "ColumnComparison Comparison Contract ManyComparison RelativeColumn RelativeComparison TablePair "
        "compare compare_many compare_relative learn"
    ),
}
"""The names of each room."""

MODULES = {
    "graphs": "structured.graphs",
    "matching": "matching",
    "metrics": "metrics",
    "rivals": "rivals",
    "series": "structured.series",
    "strings": "structured.strings",
    "testing": "testing",
}
"""Rooms and files that are public as such."""

ROOM_OF = {name: room for room, names in ROOMS.items() for name in names.split()}
"""The room of each other name."""

__all__ = sorted([*ROOM_OF, *MODULES])  # noqa: PLE0605 - type checkers look at __init__.pyi
