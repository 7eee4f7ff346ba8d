"""What: kernels as immutable formulas, and bandwidth rules."""

from __future__ import annotations

from collections.abc import Callable

from .algebra import Product, Scaled, Sum
from .bandwidth import BandwidthRule, Fixed, Median, QuantileGrid
from .base import Blocks, Kernel
from .cross_median import CrossMedian
from .given import FunctionKernel, Precomputed
from .matern import Laplace, Matern, RationalQuadratic
from .mixture import Mixture
from .objects import ExplicitFeatures, IndexKernel, ObjectKernel, OnRows, Tabulated
from .radial import Gaussian, RadialKernel
from .spectra import ExponentialPolynomial
from .unbounded import Energy, Linear, Polynomial

KERNELS: dict[str, Callable[[], Kernel]] = {
    "gaussian": Gaussian,
    "laplace": Laplace,
    "laplace-l2": lambda: Laplace(norm=2),
    "matern-1/2": lambda: Matern(smoothness=0.5),
    "matern-3/2": lambda: Matern(smoothness=1.5),
    "matern-5/2": lambda: Matern(smoothness=2.5),
    "rational-quadratic": RationalQuadratic,
    "energy": Energy,
    "linear": Linear,
    "polynomial": Polynomial,
}
"""Aliases of the kernels that need no further argument."""

BANDWIDTHS: dict[str, Callable[[], BandwidthRule]] = {"median": Median, "quantiles": QuantileGrid}
"""Aliases of the bandwidth rules."""

__all__ = [
    "BANDWIDTHS", "KERNELS", "BandwidthRule", "Blocks", "CrossMedian", "Energy", "ExplicitFeatures",
    "ExponentialPolynomial", "Fixed", "FunctionKernel", "Gaussian", "IndexKernel", "Kernel", "Laplace", "Linear",
    "Matern", "Median", "Mixture", "ObjectKernel", "OnRows", "Polynomial", "Precomputed", "Product", "QuantileGrid",
    "RadialKernel", "RationalQuadratic", "Scaled", "Sum", "Tabulated",
]  # fmt: skip
