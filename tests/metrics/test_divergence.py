"""The Kullback-Leibler divergence against closed forms, another solver, and laws of which it is known."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

import twosample as ts

kl = ts.metrics.kl_divergence


def naive(x, y, width, penalty, model):
    """The same problem over coefficients of all kernel functions, by a general solver."""
    z = np.concatenate([x, y])
    K = np.exp(-((z[:, None] - z) ** 2) / (2 * width**2))
    m = len(x)

    def gain(c):
        f = K @ c
        if model == "log":
            return f[:m].mean() - np.exp(f[m:]).mean() + 1
        return np.log(np.maximum(f[:m], 1e-12)).mean() - f[m:].mean() + 1

    start = np.zeros(len(z)) if model == "log" else np.full(len(z), 1 / len(z))
    found = minimize(lambda c: -gain(c) + penalty / 2 * c @ K @ c, start, method="BFGS", options={"gtol": 1e-8})
    return gain(found.x)


@pytest.mark.parametrize("model", ["log", "ratio"])
def test_another_solver_agrees(model):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=9), rng.normal(0.7, 1.0, size=7)
    ours = kl(x, y, kernel=ts.Gaussian(1.2), penalty=0.05, model=model)
    assert ours == pytest.approx(naive(x, y, 1.2, 0.05, model), abs=1e-5)


@pytest.mark.parametrize("penalty", [1e-8, 0.1])
def test_categories_are_solved_one_by_one(penalty):
    x, y = ["a"] * 6 + ["b"] * 3 + ["c"], ["a"] * 4 + ["b"] * 4 + ["c"] * 12
    p, q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.2, 0.6])
    slopes = [lambda t, a=a, b=b: b * np.exp(t) - a + penalty * t for a, b in zip(p, q, strict=True)]
    f = np.array([brentq(slope, -40, 40) for slope in slopes])
    expected = p @ f - q @ np.exp(f) + 1
    assert kl(x, y, kernel=ts.Categories(), penalty=penalty) == pytest.approx(expected, abs=1e-7)
    if penalty < 1e-6:
        assert expected == pytest.approx(p @ np.log(p / q), abs=1e-6)
        assert kl(x, y, kernel=ts.Categories(), penalty=penalty, model="ratio") == pytest.approx(expected, abs=1e-6)


def test_one_place_in_closed_form():
    assert kl(np.ones(5), np.ones(4)) == pytest.approx(0, abs=1e-12)
    c = (np.sqrt(1 + 4 * 0.3) - 1) / (2 * 0.3)  # the least of c - log c + 0.15 c²
    assert kl(np.ones(5), np.ones(4), penalty=0.3, model="ratio") == pytest.approx(np.log(c) - c + 1, abs=1e-7)


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
def test_normal_laws(shift):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=600), rng.normal(shift, 1.0, size=500)
    for model in ("log", "ratio"):
        assert kl(x, y, model=model) == pytest.approx(shift**2 / 2, abs=0.05 + 0.1 * shift)


def test_never_negative_and_directed():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 3, size=(8, 2)), rng.integers(0, 3, size=(5 + seed, 2))  # ties, unequal sizes
        assert kl(x, y) >= 0
    rng = np.random.default_rng(0)
    narrow, wide = rng.normal(size=300), rng.normal(0, 3.0, size=300)
    assert kl(wide, narrow) > 1.5 * kl(narrow, wide) > 0


def test_samples_far_apart_and_a_smaller_penalty():
    x, y = np.zeros(20), np.full(20, 1e3)
    values = [kl(x, y, kernel=ts.Gaussian(1.0), penalty=penalty) for penalty in (1.0, 0.1, 0.01)]
    assert values == sorted(values)
    assert np.isfinite(values).all()


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "laplace"])
def test_other_kernels(kernel):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), rng.normal(0.5, 1.0, size=(50, 2))
    assert 0.1 < kl(x, y, kernel=kernel) < 3


def test_objects():
    rng = np.random.default_rng(0)
    a, b = ([rng.choice(list(letters), 6) for _ in range(30)] for letters in ("ab", "abb"))
    a, b = (["".join(word) for word in words] for words in (a, b))
    assert kl(a, b, kernel=ts.strings.Spectrum(2)) > 0


def test_bad_options():
    x, y = np.random.default_rng(0).normal(size=(2, 9))
    cases = [
        ({"model": "both"}, "model='both'"),
        ({"penalty": 0}, "penalty=0"),
        ({"model": "ratio", "kernel": "linear"}, "model='log'"),
        ({"kernel": ts.FunctionKernel(lambda a, b: -np.abs(a - b.T))}, "positive definite"),
        ({"kernel": ts.FunctionKernel(lambda a, b: 1 + np.abs(a - b.T))}, "positive definite"),
    ]
    for options, words in cases:
        with pytest.raises(ts.OptionError, match=words):
            kl(x, y, **options)
