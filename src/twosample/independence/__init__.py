"""Tests of independence between two variables."""

from .hsic import hsic_test
from .matrix import ColumnPair, IndependenceMatrix, independence_matrix
from .results import IndependenceResult
from .tabular import independence_test
from .witness import DependenceWitness, dependence_witness

__all__ = [
    "ColumnPair", "DependenceWitness", "IndependenceMatrix", "IndependenceResult", "dependence_witness", "hsic_test",
    "independence_matrix", "independence_test",
]  # fmt: skip
