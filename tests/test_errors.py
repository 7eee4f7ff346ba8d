"""Every mistake has a message that names the argument and the remedy."""

import warnings

import numpy as np
import pytest

import twosample as ts
from twosample.errors import OptionsByName, UnknownOptionError

X = np.random.default_rng(0).normal(size=(20, 2))
Y = np.random.default_rng(1).normal(size=(25, 2))


# --- The tree -----------------------------------------------------------------------------------------------


def test_one_tree_of_exceptions():
    for error, plain in (
        (ts.InputError, ValueError),
        (ts.OptionError, ValueError),
        (ts.MissingExtraError, ImportError),
    ):
        assert issubclass(error, ts.TwosampleError)
        assert issubclass(error, plain)
    assert issubclass(ts.SmallSampleWarning, UserWarning)
    assert not issubclass(ts.InputError, ts.OptionError)


# --- Samples ------------------------------------------------------------------------------------------------

BAD_SAMPLES = {
    "none": (None, r"is None; give an array"),
    "number": (3.0, r"is a single number.*at least 2 rows"),
    "zero-dimensional": (np.array(3.0), r"is a single number.*at least 2 rows"),
    "empty list": ([], r"has 0 row\(s\).*at least 2"),
    "empty array": (np.empty((0, 2)), r"has 0 row\(s\).*at least 2"),
    "one row": (X[:1], r"has 1 row\(s\).*at least 2"),
    "one number": ([1.0], r"has 1 row\(s\).*at least 2"),
    "no columns": (np.empty((5, 0)), r"has no columns"),
    "three dimensions": (np.zeros((4, 2, 2)), r"shape \(4, 2, 2\).*one row per observation.*reshape"),
    "complex": (X + 1j, r"complex.*real and imaginary parts as two columns"),
    "strings": ([["a", "b"], ["c", "d"]], r"not numbers\. Encode"),
    "bytes": (np.array([[b"a", b"b"]] * 3), r"not numbers\. Encode"),
    "objects": (np.array([[1, "a"], [2, "b"]], dtype=object), r"not numbers\. Encode"),
    "missing objects": (np.array([[1.0, None], [2.0, 3.0]], dtype=object), r"not numbers|NaN"),
    "complex objects": (np.array([[1j, 0], [2.0, 3.0]], dtype=object), r"complex|not numbers"),
    "complex numpy objects": (np.array([[np.complex128(1j), 0], [2.0, 3.0]], dtype=object), r"complex|not numbers"),
    "dates": (np.array([["2020-01-01", "2020-01-02"]] * 3, dtype="M8[D]"), r"not numbers\. Encode"),
    "durations": (np.ones((3, 2), dtype="m8[s]"), r"not numbers\. Encode"),
    "records": (np.zeros(3, dtype=[("a", float), ("b", float)]), r"not numbers|select"),
    "ragged": ([[1.0, 2.0], [3.0]], r"cannot be read as an array"),
    "a dictionary": ({"a": [1, 2]}, r"is a dict, not an array of numbers"),
    "a set": ({1.0, 2.0, 3.0}, r"is a set, not an array of numbers"),
    "too large for a double": ([[10**400, 1], [2, 3]], r"too large|cannot be read|finite"),
    "nan": (np.where(np.arange(40).reshape(20, 2) == 11, np.nan, X),
            r"has 1 value.*NaN or infinite.*row 5, column 1.*Drop or fill"),
    "infinite": (np.where(np.arange(40).reshape(20, 2) % 7 == 3, np.inf, X), r"has 6 value.*row 1, column 1"),
    "minus infinite": (np.where(X < -1, -np.inf, X), r"NaN or infinite"),
    "masked": (np.ma.masked_greater(X, 1.0), r"masked value\(s\); drop or fill"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("call", [ts.mmd_test, ts.mmd, ts.witness])
@pytest.mark.parametrize("name", BAD_SAMPLES)
def test_bad_samples(name, call):
    bad, message = BAD_SAMPLES[name]
    with pytest.raises(ts.InputError, match=f"^x .*{message}|^x: .*{message}"):
        call(bad, Y)
    with pytest.raises(ts.InputError, match=f"^y .*{message}|^y: .*{message}"):
        call(Y, bad)


def test_sparse_matrices():
    from scipy.sparse import csr_array, csr_matrix

    for kind in (csr_array, csr_matrix):
        with pytest.raises(ts.InputError, match=r"x is a sparse matrix; pass x\.toarray\(\)"):
            ts.mmd_test(kind(X), Y)


def test_nan_in_one_dimension_and_in_many_places():
    x = np.arange(10.0)
    x[[3, 7]] = np.nan
    with pytest.raises(ts.InputError, match=r"x has 2 value.*row 3, column 0"):
        ts.mmd_test(x, np.arange(10.0))


@pytest.mark.parametrize("call", [ts.mmd_test, ts.mmd, ts.witness])
def test_different_numbers_of_columns(call):
    with pytest.raises(ts.InputError, match=r"x has 2 column.*y has 3.*same columns"):
        call(X, np.zeros((5, 3)))
    with pytest.raises(ts.InputError, match=r"x has 2 column.*y has 1"):
        call(X, Y[:, 0])


# --- Options ------------------------------------------------------------------------------------------------

UNKNOWN = {
    "kernel": ("gausian", "'gaussian'"),
    "bandwidth": ("mean", "'median'"),
    "statistic": ("mmd", "'unbiased'"),
    "null": ("bayes", "'permutation'"),
    "engine": ("gpu", "'tiled'"),
}


@pytest.mark.parametrize("option", UNKNOWN)
def test_unknown_names_list_the_choices(option):
    value, choice = UNKNOWN[option]
    with pytest.raises(ts.OptionError, match=rf"^{option}='{value}' is not known\. Choose one of .*{choice}"):
        ts.mmd_test(X, Y, **{option: value})


WRONG = {
    "kernel": [3.5, [], object()],  # None stands for what the samples ask for
    "bandwidth": [[], object()],
    "statistic": [None, 3.5, [], object()],
    "null": [3.5, [], object()],
    "engine": [3.5, [], object()],
}


@pytest.mark.parametrize(("option", "value"), [(option, value) for option, values in WRONG.items() for value in values])
def test_values_of_the_wrong_type_list_the_choices(option, value):
    with pytest.raises(ts.OptionError, match=rf"^{option}=.*Choose one of .*{UNKNOWN[option][1]}"):
        ts.mmd_test(X, Y, **{option: value})


@pytest.mark.parametrize(
    ("option", "kind"),
    [
        ("kernel", ts.Gaussian),
        ("bandwidth", ts.Median),
        ("statistic", ts.Biased),
        ("null", ts.Permutation),
        ("engine", ts.Tiled),
    ],
)
def test_a_class_instead_of_an_object(option, kind):
    with pytest.raises(ts.OptionError, match=option):
        ts.mmd_test(X, Y, **{option: kind})


def test_an_option_in_the_wrong_place():
    with pytest.raises(ts.OptionError, match=r"^null="):
        ts.mmd_test(X, Y, null=ts.Gaussian(1.0))
    with pytest.raises(ts.OptionError, match=r"^statistic="):
        ts.mmd_test(X, Y, statistic=ts.Permutation())
    with pytest.raises(ts.OptionError, match=r"^kernel="):
        ts.mmd_test(X, Y, kernel=2.0)


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, 5, np.nan, np.inf, "0.05", None, True, [0.05]])
def test_levels_outside_the_unit_interval(level):
    with pytest.raises(ts.OptionError, match=r"^level=.*strictly between 0 and 1, such as 0\.05"):
        ts.mmd_test(X, Y, level=level)


@pytest.mark.parametrize("rng", ["seed", -1, 1.5, {}])
def test_bad_seeds(rng):
    with pytest.raises(ts.OptionError, match=r"^rng=.*Give None, a whole number or a numpy Generator"):
        ts.mmd_test(X, Y, rng=rng)


@pytest.mark.parametrize("bandwidth", [0, -1.0, np.nan, np.inf])
def test_bad_bandwidths(bandwidth):
    with pytest.raises(ts.OptionError, match=r"bandwidth=.*positive"):
        ts.mmd_test(X, Y, bandwidth=bandwidth)


def test_an_unbounded_kernel_with_a_bound():
    for statistic, null in (("biased", "mcdiarmid"), ("unbiased", "hoeffding")):
        with pytest.raises(ts.OptionError, match=rf"null='{null}' needs a bounded kernel.*Energy.*null='permutation'"):
            ts.mmd_test(X, Y, kernel="energy", statistic=statistic, null=null)


def test_an_indefinite_precomputed_matrix():
    with pytest.raises(ts.InputError, match=r"indefinite \(smallest eigenvalue -0\.5\)"):
        ts.Precomputed([[1.0, 1.5], [1.5, 1.0]])


def test_a_null_that_does_not_know_the_statistic():
    with pytest.raises(ts.OptionError, match=r"null='mcdiarmid'.*statistic='unbiased'.*'permutation'.*'biased'"):
        ts.mmd_test(X, Y, null="mcdiarmid")


def test_positional_options_are_refused():
    with pytest.raises(TypeError):
        ts.mmd_test(X, Y, "gaussian")


# --- Too small for the level --------------------------------------------------------------------------------


@pytest.mark.parametrize("null", [ts.Permutation, ts.Bootstrap])
def test_too_few_resamples_for_the_level(null):
    with pytest.raises(
        ts.OptionError, match=r"n=9.*can never give a p-value below 0\.1, and level=0\.05.*at least n=19"
    ):
        ts.mmd_test(X, Y, null=null(9))
    with pytest.raises(ts.OptionError, match=r"at least n=999"):
        ts.mmd_test(X, Y, null=null(99), level=0.001)
    assert ts.mmd_test(X, Y, null=null(19), rng=0).pvalue > 0


@pytest.mark.parametrize(("m", "n", "least"), [(2, 2, "0.333"), (3, 3, "0.1"), (2, 3, "0.1"), (2, 4, "0.0667")])
def test_too_few_rows_for_the_level(m, n, least):
    with pytest.warns(
        ts.SmallSampleWarning, match=rf"m={m} and n={n}.*below {least}.*never reject at level 0\.05.*more rows"
    ):
        r = ts.mmd_test(np.zeros(m), np.ones(n))
    assert any("never reject" in note for note in r.notes)
    assert not r.rejected
    assert not r.statistic > r.threshold


def test_the_warning_points_at_the_caller():
    with pytest.warns(ts.SmallSampleWarning) as caught:
        ts.mmd_test([1.0, 2.0], [3.0, 4.0])
    assert caught[0].filename == __file__


def test_too_few_pairs_for_the_level():
    with pytest.warns(ts.SmallSampleWarning, match="never reject"):
        r = ts.mmd_test([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], statistic="paired")
    assert r.pvalue >= 2 / 8


def test_no_warning_when_the_level_can_be_reached():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ts.mmd_test(np.arange(4.0), np.arange(10.0, 14.0)).rejected
        assert ts.mmd_test([1.0, 2.0], [11.0, 12.0], level=0.4).rejected


@pytest.mark.parametrize(
    ("statistic", "null", "size"),
    [
        ("linear", "permutation", 4),  # two terms: four sign patterns
        ("block", "permutation", 4),  # two blocks of 2 + 2 rows: p is at least (1/3)^2
        ("unbiased", "spectrum", 2),  # cut off at 1 / C(4, 2)
        ("unbiased", "gamma", 2),
        ("unbiased", "pearson", 2),
        ("linear", "normal", 2),
        ("biased", "mcdiarmid", 5),  # the threshold 2.2 lies above the largest MMD, sqrt(2)
        ("unbiased", "hoeffding", 8),  # the threshold 2.4 lies above the largest MMD^2, 2
        ("linear", "hoeffding", 8),
    ],
)
def test_every_null_says_so_when_the_level_is_out_of_reach(statistic, null, size):
    with pytest.warns(ts.SmallSampleWarning, match="never"):
        r = ts.mmd_test(np.arange(size), 1000.0 + np.arange(size), statistic=statistic, null=null, rng=0)
    assert not r.rejected


def test_text_alone_is_told_how_to_be_given():
    with pytest.raises(ts.InputError, match=r"frames or dictionaries of columns to ts\.two_sample_test"):
        ts.two_sample_test(["a", "b"] * 10, ["a", "c"] * 10)
    assert ts.two_sample_test({"v": ["a", "b"] * 10}, {"v": ["a", "c"] * 10}, rng=0).rejected


def test_constant_samples_are_all_said_to_be_the_same():
    r = ts.ksample_test([np.ones(10)] * 3, rng=0)
    assert any("All rows of all samples are the same" in note for note in r.notes)


def test_a_constant_pool_is_said_to_be_one():
    r = ts.mmd_test(np.ones(10), np.ones(12))
    assert (r.pvalue, r.statistic) == (1.0, pytest.approx(0, abs=1e-12))
    assert any("All rows of all samples are the same" in note for note in r.notes)


def test_missing_extra_error_is_an_import_error():
    with pytest.raises(ImportError, match="pip install"):
        raise ts.MissingExtraError('pip install "twosample[all]"')


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: ts.Gaussian(sigma=1.0), "Gaussian has no option sigma=. Did you mean bandwidth=?"),
        (lambda: ts.Permutation(permutations=99), "Permutation has no option permutations=. Did you mean n=?"),
        (lambda: ts.Tiled(thread=2), "Tiled has no option thread="),
        (lambda: ts.Sketch(layuot=None), "Sketch has no option layuot=. Did you mean layout=?"),
        (lambda: ts.Median(of=2), "Median has no option of=. It takes none."),
    ],
)
def test_option_objects_name_the_parameter_that_was_meant(made, said):
    with pytest.raises(UnknownOptionError) as caught:
        made()
    assert str(caught.value).startswith(said)


def test_a_class_of_ones_own_may_take_any_options():
    class Own(OptionsByName):
        def __init__(self, **options):
            self.options = options

    assert Own(sigma=2).options == {"sigma": 2}
