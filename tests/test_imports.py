"""Importing is cheap, quiet and complete."""

import subprocess
import sys
from importlib import import_module

import pytest

import twosample as ts

HEAVY = ["matplotlib", "pandas", "polars", "sklearn", "torch", "jax", "scipy.stats", "scipy.spatial", "scipy.linalg",
         "scipy.special", "scipy.integrate", "scipy.optimize", "scipy.sparse", "threadpoolctl"]  # fmt: skip


def python(code, *options):
    return subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture(scope="module")
def loaded():
    done = python("import sys, twosample; twosample.mmd_test; print('\\n'.join(sorted(sys.modules)))")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("module", HEAVY)
def test_import_does_not_load(loaded, module):
    assert module not in loaded


def test_import_loads_no_part_of_scipy(loaded):
    assert not {name for name in loaded if name == "scipy" or name.startswith("scipy.")}


def rooms_of(name):
    """The rooms of ours that are loaded after the first use of a public name."""
    done = python(f"import sys, twosample; twosample.{name}; print('\\n'.join(sys.modules))")
    assert done.returncode == 0, done.stderr
    return {module.split(".")[1] for module in done.stdout.split() if module.startswith("twosample.")}


@pytest.mark.parametrize(
    ("name", "left"),
    {
        "InputError": {"core", "kernels", "results"},
        "Gaussian": {"engines", "nulls", "sources", "summaries", "embedding", "homogeneity"},
        "mmd_test": {"tables", "matching", "monitor", "rivals", "planning", "detection", "adaptive", "independence"},
        "hsic_test": {"tables", "matching", "monitor", "rivals", "planning", "detection", "adaptive"},
        "two_sample_test": {"tables", "matching", "monitor", "rivals", "planning", "detection", "independence"},
        "compare": {"matching", "monitor", "rivals", "detection", "independence", "metrics", "cli", "report"},
        "match": {"tables", "monitor", "detection", "independence", "planning", "adaptive", "cli", "report"},
        "summarize": {"tables", "matching", "engines", "nulls", "homogeneity", "embedding"},
    }.items(),
)
def test_a_name_leaves_rooms_alone_that_it_does_not_need(name, left):
    assert rooms_of(name) & left == set()


def test_type_checkers_see_the_names_that_there_are():
    import ast
    from pathlib import Path

    tree = ast.parse((Path(ts.__file__).parent / "__init__.pyi").read_text(encoding="utf-8"))
    found = {part.asname: part.name for line in tree.body if isinstance(line, ast.ImportFrom) for part in line.names}
    assert sorted(found) == sorted([*ts.__all__, "__version__"])
    assert all(known == name for known, name in found.items())
    for line in tree.body:
        if isinstance(line, ast.ImportFrom):
            for part in line.names:
                place = ".".join(filter(None, ["twosample", line.module]))
                own = vars(import_module(place)).get(part.name) or import_module(f"{place}.{part.name}")
                assert own is getattr(ts, part.name)


def test_a_bare_import_loads_nothing_and_no_name_is_missing():
    code = """
import sys, twosample
assert "numpy" not in sys.modules
assert set(twosample.__all__) <= set(dir(twosample))
assert not hasattr(twosample, "_nothing") and not hasattr(twosample, "nothing")
from twosample import *
assert mmd_test is twosample.mmd_test
"""
    done = python(code, "-W", "error")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_room_can_be_entered_first_and_alone():
    from pkgutil import iter_modules
    from types import ModuleType

    rooms = [module.name for module in iter_modules(ts.__path__) if not module.name.startswith("_")]
    assert {name for name in rooms if name in ts.__all__ and not isinstance(getattr(ts, name), ModuleType)} == set()
    code = """
import sys
from importlib import import_module
for name in sys.argv[1:]:
    for loaded in [module for module in sys.modules if module.partition(".")[0] == "twosample"]:
        del sys.modules[loaded]
    import_module(f"twosample.{name}")
    import twosample
    assert twosample.mmd_test and twosample.rivals.ks_test
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *rooms], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_import_is_silent():
    done = python("import twosample", "-W", "error")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_test_does_not_load_scipy_stats_or_plotting():
    code = """
import sys, numpy as np, twosample as ts
x = np.arange(20.0)
for null in ("permutation", "bootstrap", "gamma", "spectrum", "pearson", "hoeffding"):
    r = ts.mmd_test(x, x + 1, null=null, rng=0)
    str(r), r.to_json(), r._repr_html_()
ts.witness(x, x + 1).rows()
for name in ("scipy.stats", "matplotlib", "pandas", "polars", "sklearn"):
    assert name not in sys.modules, name
"""
    done = python(code, "-W", "error")
    assert done.returncode == 0, done.stderr


def test_public_names():
    assert ts.__all__ == sorted(ts.__all__)
    for name in ts.__all__:
        assert hasattr(ts, name)
    for name in ("mmd_test", "mmd", "witness", "Gaussian", "Permutation", "Median", "TestResult", "InputError"):
        assert name in ts.__all__


def test_version():
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version("twosample")
    except PackageNotFoundError:
        pytest.skip("twosample is not installed")
    assert ts.__version__ == installed


def test_typed():
    from pathlib import Path

    assert (Path(ts.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("name", ["mmd_test", "mmd", "witness"])
def test_options_are_keywords(name):
    import inspect

    first, second, *options = inspect.signature(getattr(ts, name)).parameters.values()
    assert (first.name, second.name) == ("x", "y")
    assert all(option.kind is option.KEYWORD_ONLY for option in options)
