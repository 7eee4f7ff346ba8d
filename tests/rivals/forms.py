"""Every rival in all its forms, for the suites that run over them. A new rival must be listed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest

import twosample as ts
from twosample.rivals import RIVALS

sklearn_base = pytest.importorskip("sklearn.base")


class NearestMean(sklearn_base.ClassifierMixin, sklearn_base.BaseEstimator):
    """The nearest class mean: a classifier that costs nothing."""

    def fit(self, z, labels):
        self.classes_ = np.array([0, 1])
        self.normal_ = z[labels == 1].mean(axis=0) - z[labels == 0].mean(axis=0)
        self.cut_ = (z[labels == 1].mean(axis=0) + z[labels == 0].mean(axis=0)) @ self.normal_ / 2
        return self

    def predict(self, z):
        return (z @ self.normal_ > self.cut_).astype(int)


@dataclass(frozen=True)
class Form:
    """A rival with options, and what is true of it.

    Parameters
    ----------
    rival
        Its name in RIVALS.
    options
        What it is called with.
    columns
        The most columns that it takes.
    least
        Its p-value on 24 + 24 rows that do not overlap; None where the law has no smallest one.
    level
        "exact" at every sample size on every problem, "conservative" (approximate, but from above), or "approximate".
    admitted
        For approximate levels: the problems where the law should hold, with the highest rates at 0.05 and 0.01.
    drawn
        Whether chance decides between tied rows, so that equal samples may differ, and samples that change places.
    unit_free
        Whether the statistic does not change with the units, either.
    far_units
        Units in which it still works.
    constant
        Whether it takes a pool of equal rows.
    small
        The problems of the quick level test.
    seed
        Of the level tests.
    """

    rival: str
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: int = 1000
    least: float | None = None
    level: str = "exact"
    admitted: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    drawn: bool = False
    unit_free: bool = True
    far_units: tuple[float, ...] = (1e-200, 1e200)
    constant: bool = True
    small: tuple[str, ...] = ("ties", "bernoulli", "high dimension")
    seed: int = 1979

    @property
    def call(self) -> Callable[..., ts.TestResult]:
        """The test with its options."""
        return partial(RIVALS[self.rival], **self.options)

    @property
    def relabels(self) -> bool:
        """Whether its law is made of relabellings."""
        return isinstance(self.options.get("null"), ts.Permutation)


P199, P19 = ts.Permutation(n=199), ts.Permutation(n=19)
NULL = {"null": P199}
PROBLEMS_ALL = ("normal", "heavy tails", "ties", "bernoulli", "unequal", "high dimension")
NORMAL_ONLY = {"normal": (0.075, 0.023), "unequal": (0.075, 0.023)}


def everywhere(five: float, one: float, but: str = "") -> dict[str, tuple[float, float]]:
    """The same rates on every problem but one."""
    return {problem: (five, one) for problem in PROBLEMS_ALL if problem != but}


def classical(rival: str, options: Mapping[str, Any] = NULL, columns: int = 1000, **more: Any) -> Form:
    """A test on ranks, trees, cells or covariances: its statistic has no unit."""
    least = 1 / 200 if isinstance(options.get("null"), ts.Permutation) else None
    return Form(rival, options, columns, least, **more)


def relative(rival: str, options: Mapping[str, Any] = NULL, least: float | None = None, **more: Any) -> Form:
    """A test whose statistic has the units of distances or densities."""
    what = {"unit_free": False, "far_units": (), "small": ("normal", "ties", "bernoulli"), "seed": 2008, **more}
    return Form(rival, options, least=least, **what)


FAR = (1e-150, 1e150)
HOTELLING, MMD = partial(RIVALS["hotelling_test"], null=P199), partial(ts.mmd_test, null=P199)

FORMS: dict[str, Form] = {
    "ks exact": classical("ks_test", {"null": "exact"}, 1),
    "ks asymptotic": classical("ks_test", {"null": "asymptotic"}, 1, level="conservative"),
    "ks limit": classical("ks_test", {"null": "limit"}, 1, level="conservative"),
    "ks permutation": classical("ks_test", NULL, 1),
    "hotelling f": classical(
        "hotelling_test", {"null": "f"}, 3, level="approximate", admitted=NORMAL_ONLY, constant=False
    ),
    "hotelling permutation": classical("hotelling_test"),
    "hotelling ridge": classical("hotelling_test", {**NULL, "ridge": True}),
    "hotelling ridge f": classical(
        "hotelling_test", {"null": "f", "ridge": True}, 3, level="approximate", admitted=NORMAL_ONLY
    ),
    "hotelling chi2": classical("hotelling_test", {"null": "chi2", "ridge": True}, level="approximate"),
    "runs normal": classical(
        "friedman_rafsky_runs_test", {"null": "normal"}, level="approximate", admitted=NORMAL_ONLY, drawn=True
    ),
    "runs permutation": classical("friedman_rafsky_runs_test"),
    "tree ks": classical("friedman_rafsky_ks_test"),
    "bickel": classical("bickel_test", {**NULL, "at": "everywhere"}, 2),
    "bickel points": classical("bickel_test", {**NULL, "at": "points"}),
    "cross-match": classical("cross_match_test", {}, drawn=True),
    "hall-tajvidi": classical("hall_tajvidi_test"),
    "hall-tajvidi 10": classical("hall_tajvidi_test", {**NULL, "gamma": 1, "weights": [1.0] * 10}),
    "biau-györfi normal": classical("biau_gyorfi_test", {}, 3, level="conservative"),
    "biau-györfi equal width": classical("biau_gyorfi_test", {"grid": "equal-width"}, 3, level="conservative"),
    "biau-györfi bound": classical("biau_gyorfi_test", {"null": "bound"}, 3),
    "biau-györfi permutation": classical("biau_gyorfi_test", NULL, 3),
    "energy": relative("energy_test", NULL, 1 / 200, far_units=FAR),
    "energy gamma": relative("energy_test", {"null": "gamma"}, level="approximate", admitted=everywhere(0.08, 0.035)),
    "parzen": relative("parzen_l2_test", NULL, 1 / 200, far_units=FAR),
    "parzen bound": relative("parzen_l2_test", {"null": "mcdiarmid"}),
    "fisher": relative("kernel_fisher_test", NULL, 1 / 200, far_units=FAR),
    "fisher spectrum": relative(
        "kernel_fisher_test", {"null": "spectrum"}, level="approximate", admitted=everywhere(0.085, 0.025)
    ),
    "fisher normal": relative(  # always rejects in high dimension, as its docstring says
        "kernel_fisher_test", {"null": "normal"}, level="approximate", admitted=everywhere(0.14, 0.07, "high dimension")
    ),
    "classifier": relative("classifier_test", {"classifier": NearestMean(), "folds": 2, "null": P19}, 1 / 20),
    "classifier held out": relative("classifier_test", {"classifier": NearestMean(), "folds": 1, **NULL}, 1 / 200),
    "cascade": relative("cascade_test", {"first": HOTELLING, "second": MMD}, 1 / 100),
    "cascade by default": relative("cascade_test", {"second": MMD}, 1 / 500),
}  # fmt: skip

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
    (np.zeros((5, 2)), "column"),
)
"""What is no sample, or not one beside another of one column, and a word of the error."""
