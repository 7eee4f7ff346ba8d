"""Runs in a peer's interpreter: one answer for every pair of files on standard input. Knows nothing of twosample."""

import importlib
import json
import sys
import warnings


def evidently(a, b):
    """Its preset for drift with all defaults: any column that has drifted, and its own verdict on the whole table."""
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset

    common = [name for name in a.columns if name in b.columns]
    numbers = [n for n in common if a[n].dtype.kind in "fiu" and b[n].dtype.kind in "fiu"]
    dates = [n for n in common if a[n].dtype.kind == "M" and b[n].dtype.kind == "M"]
    for name in dates:  # it has no test for dates: as numbers
        a[name], b[name] = (side[name].astype("int64").astype("float64") for side in (a, b))
    rest = [n for n in common if n not in numbers and n not in dates]
    kinds = DataDefinition(numerical_columns=numbers + dates, categorical_columns=rest)
    pair = [Dataset.from_pandas(side[common], data_definition=kinds) for side in (b, a)]
    found = Report([DataDriftPreset()]).run(*pair).dict()
    columns, whole = [], False
    for metric in found["metrics"]:
        config = metric.get("config", {})
        if config.get("type", "").endswith("ValueDrift"):
            value, threshold = float(metric["value"]), float(config["threshold"])
            small = "p_value" in config["method"]
            if value < threshold if small else value >= threshold:
                columns.append((value if small else -value, config["column"]))
        elif config.get("type", "").endswith("DriftedColumnsCount"):
            whole = metric["value"]["share"] >= config["drift_share"]
    names = [name for _, name in sorted(columns)]
    return {"evidently, any column": [bool(names), names], "evidently, data set": [bool(whole), names if whole else []]}


def alibi(a, b):
    """TabularDrift with all defaults: Kolmogorov-Smirnov and chi-square, Bonferroni."""
    import numpy as np
    from alibi_detect.cd import TabularDrift

    names = [name for name in a.columns if name in b.columns]
    x, y, categories = [], [], {}
    for i, name in enumerate(names):
        one, two = a[name], b[name]
        if one.dtype.kind == "M" and two.dtype.kind == "M":
            one, two = one.astype("int64"), two.astype("int64")
        elif not (one.dtype.kind in "fiub" and two.dtype.kind in "fiub"):
            codes = {value: float(k) for k, value in enumerate(sorted({*one.astype(str), *two.astype(str)}))}
            one, two = one.astype(str).map(codes), two.astype(str).map(codes)
            categories[i] = None
        middle = one.astype("float64").median()
        x.append(one.astype("float64").fillna(middle))
        y.append(two.astype("float64").fillna(middle))
    x, y = np.column_stack(x).astype(np.float64), np.column_stack(y).astype(np.float64)
    found = TabularDrift(x, p_val=0.05, categories_per_feature=categories).predict(y)["data"]
    order = np.argsort(found["p_val"])
    named = [names[i] for i in order if found["p_val"][i] < found["threshold"]]
    return {"alibi-detect": [bool(found["is_drift"]), named]}


def main():
    warnings.simplefilter("ignore")
    try:
        import pandas as pd

        importlib.import_module(sys.argv[1].replace("-", "_"))
    except ImportError as error:
        print(json.dumps({"missing": str(error)}), flush=True)
        return
    print(json.dumps({"ready": True}), flush=True)
    work = {"evidently": evidently, "alibi-detect": alibi}[sys.argv[1]]
    for line in sys.stdin:
        a, b = (pd.read_parquet(path) for path in json.loads(line))
        try:
            said = work(a, b)
        except Exception as error:  # noqa: BLE001 - what a peer does not take is no answer, and the others go on
            said = {"failed": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(said), flush=True)


main()
