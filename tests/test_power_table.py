"""``python -m benchmarks power``: what is kept, and standard errors of gaps."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.power.command import Row, main


def test_a_gap_has_a_paired_standard_error():
    row = Row("p", "5+5, 1", {"adaptive": "1100110011", "median": "1111111100", "energy": "0000000000"})
    differences = np.array([0, 0, -1, -1, 0, 0, -1, -1, 1, 1])
    assert row.gap("adaptive", "median") == pytest.approx((-0.2, differences.std(ddof=1) / np.sqrt(10)))
    assert row.best(["median", "energy"]) == "median"
    assert row.line(["adaptive", "median"]) == "| p | 5+5, 1 | 0.60 | 0.80 | -0.20 ± 0.25 |"


def test_what_was_measured_is_kept_and_not_measured_again(tmp_path, capsys):
    kept = tmp_path / "kept.json"
    asked = ["--set", "pairs", "--problems", "pair_d5", "--resamples", "19", "--json", str(kept), "--tests"]
    main([*asked, "median", "--repetitions", "3"])
    first = json.loads(kept.read_text())["problems"]["pair_d5"]["rejected"]
    main([*asked, "median", "energy", "--repetitions", "5"])
    later = json.loads(kept.read_text())["problems"]["pair_d5"]["rejected"]
    assert later["median"].startswith(first["median"])
    assert [len(later[test]) for test in ("median", "energy")] == [5, 5]
    alone = tmp_path / "alone.json"
    main([*asked[:-2], str(alone), "--tests", "median", "energy", "--repetitions", "5"])
    assert json.loads(alone.read_text())["problems"]["pair_d5"]["rejected"] == later
    assert "5 repetitions (standard error at most 0.224" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([*asked, "median", "--seed", "1"])
    assert "another seed" in capsys.readouterr().err
