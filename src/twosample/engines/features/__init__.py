"""Explicit features: random Fourier features, and the sparse ones that some kernels on objects have."""

from __future__ import annotations

from .feature_gram import FeatureGram, FeatureMap
from .random_fourier import CosineMap, Features
from .sparse_gram import SparseGram

__all__ = ["CosineMap", "FeatureGram", "FeatureMap", "Features", "SparseGram"]
