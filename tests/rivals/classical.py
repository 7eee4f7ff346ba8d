"""The classical tests in all their forms, for the suites that run over every one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import twosample as ts
from twosample import rivals


@dataclass(frozen=True)
class Form:
    """A test with its options."""

    call: Callable[..., ts.TestResult]
    relabels: bool
    most_columns: int = 1000


PERMUTATION = ts.Permutation(n=199)

FORMS: dict[str, Form] = {
    "ks exact": Form(partial(rivals.ks_test, null="exact"), False, 1),
    "ks asymptotic": Form(partial(rivals.ks_test, null="asymptotic"), False, 1),
    "ks limit": Form(partial(rivals.ks_test, null="limit"), False, 1),
    "ks permutation": Form(partial(rivals.ks_test, null=PERMUTATION), True, 1),
    "hotelling f": Form(partial(rivals.hotelling_test, null="f"), False, 3),
    "hotelling permutation": Form(partial(rivals.hotelling_test, null=PERMUTATION), True),
    "hotelling ridge": Form(partial(rivals.hotelling_test, null=PERMUTATION, ridge=True), True),
    "hotelling ridge f": Form(partial(rivals.hotelling_test, null="f", ridge=True), False, 3),
    "hotelling chi2": Form(partial(rivals.hotelling_test, null="chi2", ridge=True), False),
    "runs normal": Form(partial(rivals.friedman_rafsky_runs_test, null="normal"), False),
    "runs permutation": Form(partial(rivals.friedman_rafsky_runs_test, null=PERMUTATION), True),
    "tree ks": Form(partial(rivals.friedman_rafsky_ks_test, null=PERMUTATION), True),
    "bickel": Form(partial(rivals.bickel_test, null=PERMUTATION, at="everywhere"), True, 2),
    "bickel points": Form(partial(rivals.bickel_test, null=PERMUTATION, at="points"), True),
    "cross-match": Form(rivals.cross_match_test, False),
    "hall-tajvidi": Form(partial(rivals.hall_tajvidi_test, null=PERMUTATION), True),
    "hall-tajvidi 10": Form(partial(rivals.hall_tajvidi_test, null=PERMUTATION, gamma=1, weights=[1.0] * 10), True),
    "biau-györfi normal": Form(rivals.biau_gyorfi_test, False, 3),
    "biau-györfi equal width": Form(partial(rivals.biau_gyorfi_test, grid="equal-width"), False, 3),
    "biau-györfi bound": Form(partial(rivals.biau_gyorfi_test, null="bound"), False, 3),
    "biau-györfi permutation": Form(partial(rivals.biau_gyorfi_test, null=PERMUTATION), True, 3),
}

BAD_SAMPLES = (
    ([1.0, np.nan, 2.0], "NaN"),
    ([1.0, np.inf, 2.0], "infinite"),
    ([], "row"),
    ([1.0], "row"),
    (3.0, "single number"),
    (np.zeros((4, 2, 2)), "shape"),
    (["a", "b"], "numbers"),
    (None, "None"),
    (np.zeros((5, 0)), "no columns"),
)
"""What is no sample, and a word of the error."""
