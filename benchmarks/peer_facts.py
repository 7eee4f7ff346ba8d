"""What other tools make of the same two samples: the facts of the table "How it compares" in the README.

Run with an interpreter that has some of scipy, hyppo, dcor, evidently and alibi-detect; needs pandas, not twosample::

    PYTHON benchmarks/peer_facts.py

One line for each tool that is installed: its answers, or the error that it raises, on two samples of three columns that
lie far apart, and on a table with text and gaps beside the same rows in another order.
"""

import json
import warnings
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")
rng = np.random.default_rng(0)
X, Y = rng.normal(size=(120, 3)), rng.normal(size=(150, 3)) + 9
A = pd.DataFrame({"price": rng.gamma(2, 10, 200), "city": rng.choice(["Oslo", "Rome"], 200)})
A.loc[::9, "price"] = np.nan
B = A.sample(frac=1, random_state=0)


def scipy():
    from scipy import stats

    yield "three columns", lambda: list(stats.ks_2samp(X, Y).pvalue)
    yield "table", lambda: list(stats.ks_2samp(A, B).pvalue)


def hyppo():
    from hyppo.ksample import MMD

    yield "three columns", lambda: MMD().test(X, Y)[1]
    yield "three columns, 199 permutations", lambda: MMD().test(X, Y, reps=199, auto=False)[1]
    yield "table", lambda: MMD().test(A, B)[1]


def dcor():
    from dcor.homogeneity import energy_test

    yield "three columns", lambda: energy_test(X, Y).pvalue
    yield "three columns, 199 resamples", lambda: energy_test(X, Y, num_resamples=199, random_state=0).pvalue
    yield "table", lambda: energy_test(A, B, num_resamples=199).pvalue


def alibi():
    from alibi_detect.cd import MMDDrift, TabularDrift

    def tabular():
        return TabularDrift(A.to_numpy(object), categories_per_feature={1: None}).predict(B.to_numpy(object))

    near, far = X.astype("float32"), Y.astype("float32")
    yield "three columns", lambda: MMDDrift(near, backend="pytorch").predict(far)["data"]["p_val"]
    yield "table", lambda: list(tabular()["data"]["p_val"])


def evidently():
    from evidently import Report
    from evidently.presets import DataDriftPreset

    def drift(reference, current):
        found = Report([DataDriftPreset()]).run(current, reference).dict()
        return [(one["metric_name"], one["value"]) for one in found["metrics"]]

    names = ["a", "b", "c"]
    yield "three columns", lambda: drift(pd.DataFrame(X, columns=names), pd.DataFrame(Y, columns=names))
    yield "table", lambda: drift(A, B)


def answer(ask):
    try:
        return ask()
    except Exception as error:  # noqa: BLE001 - what is raised is the answer
        return f"{type(error).__name__}: {error}"


def main():
    tools = {"scipy": scipy, "hyppo": hyppo, "dcor": dcor, "alibi-detect": alibi, "evidently": evidently}
    for name, questions in tools.items():
        try:
            found = f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
        said = answer(lambda ask=questions: {what: answer(one) for what, one in ask()})
        print(found, json.dumps(said, default=float), flush=True)


if __name__ == "__main__":
    main()
