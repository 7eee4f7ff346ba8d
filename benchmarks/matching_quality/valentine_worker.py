"""Runs in the interpreter that has valentine: ``FOLDER METHOD``; knows nothing of twosample.

FOLDER/*/{a,b}.parquet are the tables. Prints one line of JSON for each pair of them: its number and the pairs of
columns that valentine's one-to-one choice leaves.
"""

import contextlib
import io
import json
import sys
import warnings
from pathlib import Path

import polars as pl


def main() -> None:
    folder, method = Path(sys.argv[1]), sys.argv[2]
    from valentine import algorithms, valentine_match

    warnings.simplefilter("ignore")
    ways = {
        "Jaccard": algorithms.JaccardDistanceMatcher,
        "DistributionBased": algorithms.DistributionBased,
        "Coma": algorithms.Coma,
        "Coma, instances": lambda: algorithms.Coma(use_instances=True),
        "SimilarityFlooding": algorithms.SimilarityFlooding,
    }
    print("ready", flush=True)
    for place in sorted(folder.iterdir(), key=lambda one: int(one.name)):
        a, b = (pl.read_parquet(place / f"{side}.parquet") for side in "ab")
        with contextlib.redirect_stdout(io.StringIO()):
            found = valentine_match([a, b], ways[method](), df_names=["a", "b"]).one_to_one_hungarian()
        pairs = [(key.source_column, key.target_column) for key in found]
        print(json.dumps([int(place.name), pairs]), flush=True)


main()
