"""The classical two-sample tests that the paper compares with, all with the same inputs and the same result."""

from collections.abc import Callable

from ..results import TestResult
from .biau_gyorfi import biau_gyorfi_test
from .bickel import bickel_test
from .cascade import cascade_test
from .classifier import classifier_test
from .cross_match import cross_match_test
from .energy import energy_test
from .fisher import kernel_fisher_test
from .friedman_rafsky import friedman_rafsky_ks_test, friedman_rafsky_runs_test
from .hall_tajvidi import hall_tajvidi_test
from .hotelling import hotelling_test
from .ks import ks_test
from .parzen import parzen_l2_test

RIVALS: dict[str, Callable[..., TestResult]] = {
    "biau_gyorfi_test": biau_gyorfi_test,
    "bickel_test": bickel_test,
    "cascade_test": cascade_test,
    "classifier_test": classifier_test,
    "cross_match_test": cross_match_test,
    "energy_test": energy_test,
    "friedman_rafsky_ks_test": friedman_rafsky_ks_test,
    "friedman_rafsky_runs_test": friedman_rafsky_runs_test,
    "hall_tajvidi_test": hall_tajvidi_test,
    "hotelling_test": hotelling_test,
    "kernel_fisher_test": kernel_fisher_test,
    "ks_test": ks_test,
    "parzen_l2_test": parzen_l2_test,
}
"""All of them by name: what the contract tests run over."""

__all__ = [
    "RIVALS", "biau_gyorfi_test", "bickel_test", "cascade_test", "classifier_test", "cross_match_test", "energy_test",
    "friedman_rafsky_ks_test", "friedman_rafsky_runs_test", "hall_tajvidi_test", "hotelling_test", "kernel_fisher_test",
    "ks_test", "parzen_l2_test",
]  # fmt: skip
