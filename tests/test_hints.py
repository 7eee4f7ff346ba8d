"""The same words in both worlds: a name or a value that belongs to another one is answered with the right one."""

import inspect
import pickle
import re

import numpy as np
import pytest

import twosample as ts
from twosample._hints import did_you_mean
from twosample.errors import UnknownOptionError, options_by_name
from twosample.sources import open_table

ROOMS = {"ts": ts, "rivals": ts.rivals, "metrics": ts.metrics, "matching": ts.matching, "testing": ts.testing,
         "series": ts.series, "graphs": ts.graphs, "strings": ts.strings}  # fmt: skip
FUNCTIONS = {
    f"{room}.{name}": getattr(module, name)
    for room, module in ROOMS.items()
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
METHODS = {
    "LinearTimeMMD.result": ts.LinearTimeMMD.result,
    "LinearTimeMMD.from_pilot": ts.LinearTimeMMD.from_pilot,
    "Sketch.fit": ts.Sketch.fit,
    "MeanEmbeddingOutlierDetector": ts.MeanEmbeddingOutlierDetector,
    "open_table": open_table,
}
PASSING_ON = {"testing.assert_same_distribution", "matching.naive"}  # options of another function
X = np.arange(12.0)


def required(function):
    """As many values as a call needs to get as far as its options."""
    parameters = inspect.signature(function).parameters.values()
    wanted = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    return [X] * len(wanted)


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_no_function_answers_a_wrong_name_with_a_bare_type_error(name):
    function = {**FUNCTIONS, **METHODS}[name]
    with pytest.raises(UnknownOptionError, match=r"has no option nonsense_=\.") as caught:
        function(*required(function), nonsense_=1)
    assert isinstance(caught.value, ts.OptionError)
    assert isinstance(caught.value, TypeError)
    if name not in PASSING_ON:
        assert name.rpartition(".")[2] in str(caught.value)
        assert {*inspect.signature(function).parameters} - {"self"} <= {*re.findall(r"\w+", str(caught.value))}


def other_words():
    """Every function that has an option of a group of words, with the other words of the group."""
    for name, function in {**FUNCTIONS, **METHODS}.items():
        for group in ({"level", "alpha"}, {"rng", "seed", "random_state"}):
            ours = group & set(inspect.signature(function).parameters)
            for word in sorted(group - ours) if ours else ():
                yield name, word, next(iter(ours))


@pytest.mark.parametrize(("name", "word", "ours"), list(other_words()))
def test_words_of_the_other_world(name, word, ours):
    function = {**FUNCTIONS, **METHODS}[name]
    with pytest.raises(ts.OptionError, match=rf"has no option {word}=\. Did you mean {ours}=\?"):
        function(*required(function), **{word: 0.1})


def test_the_tests_among_them_all_have_both_words():
    words = {(name, word) for name, word, _ in other_words()}
    assert len(words) > 80
    assert all((f"rivals.{name}", word) in words for name in ts.rivals.RIVALS for word in ("alpha", "seed"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ts.mmd_test(X, X, kernel="rbf"), "kernel='rbf' is not known.* Did you mean 'gaussian'"),
        (lambda: ts.mmd_test(X, X, kernel="Gausian"), "Did you mean 'gaussian'"),
        (lambda: ts.mmd_test(X, X, kernel="matern"), "Did you mean 'matern-1/2' or 'matern-3/2' or 'matern-5/2'"),
        (lambda: ts.mmd_test(X, X, null="permutaton"), "Did you mean 'permutation'"),
        (lambda: ts.mmd_test(X, X, statistic="unbaised"), "Did you mean 'unbiased'"),
        (lambda: ts.mmd_test(X, X, engine="dens"), "Did you mean 'dense'"),
        (lambda: ts.mmd_test(X, X, bandwidth="med"), "Did you mean 'median'"),
        (lambda: ts.hsic_test(X, X, null="circular"), "null='circular' is not known"),
        (lambda: ts.rivals.ks_test(X, X, null="perm"), "Did you mean 'permutation'"),
        (lambda: ts.mmd_test(X, X, kernal="rbf"), "has no option kernal=. Did you mean kernel=?"),
        (lambda: ts.mmd_test(X, X, sigma=2), "Did you mean bandwidth=?"),
        (lambda: ts.mmd_test(X, X, n_permutations=99), "Did you mean null=?"),
        (lambda: ts.compare({"a": X}, {"a": X}, kinds={"a": "number"}), "Did you mean 'numeric'"),
        (lambda: ts.testing.assert_same_distribution({"a": X}, {"a": X}, alpha=0.1), "Did you mean level="),
        (lambda: ts.MeanEmbeddingOutlierDetector(alpha=0.1, rng=0), "Did you mean level="),
    ],
)  # fmt: skip
def test_did_you_mean(call, message):
    with pytest.raises(ts.OptionError, match=message):
        call()


def test_nothing_is_meant_by_what_is_not_near():
    assert did_you_mean("x" * 1000, ["gaussian"]) == did_you_mean(None, ["gaussian"]) == did_you_mean("", ["a"]) == ""
    with pytest.raises(ts.OptionError, match=r"kernel='tree' is not known\..*that kind\.$"):
        ts.mmd_test(X, X, kernel="tree")


def test_only_where_objects_are_taken_objects_are_offered():
    with pytest.raises(ts.OptionError, match="or pass an object"):
        ts.mmd_test(X, X, kernel="tree")
    with pytest.raises(ts.OptionError, match=r"'text'\. Did you mean 'numeric'\?$"):
        ts.compare({"a": X}, {"a": X}, kinds={"a": "number"})


def test_a_checked_function_is_the_function():
    @options_by_name
    def area(width, *, height=2):
        """Width times height."""
        return width * height

    assert area(3) == area(width=3) == area(3, height=2) == 6
    assert area.__doc__ == "Width times height."
    assert str(inspect.signature(area)) == "(width, *, height=2)"
    with pytest.raises(ts.OptionError, match=r"area has no option heigth=\. Did you mean height=\? It takes h"):
        area(3, heigth=2)
    assert pickle.loads(pickle.dumps(ts.mmd_test)) is ts.mmd_test


def test_the_names_of_the_package_are_its_public_ones():
    public = [name for name in dir(ts) if not name.startswith("_")]
    assert public == sorted(ts.__all__)
    assert "__version__" in dir(ts)
    for name in ("Any", "TYPE_CHECKING", "find_spec"):
        assert not hasattr(ts, name)
