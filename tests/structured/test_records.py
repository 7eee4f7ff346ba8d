"""Records against their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from twosample.core.signs import sign_codes
from twosample.structured.levels import coded

PUBLIC = {name: getattr(ts, name) for name in ts.__all__}

NAN = float("nan")


def records(count, seed, age=40.0, cities=("Rome", "Oslo", "Bonn")):
    rng = np.random.default_rng(seed)
    rows = [
        {
            "age": float(rng.normal(age, 10)),
            "city": str(rng.choice(cities)),
            "size": str(rng.choice(["S", "M", "L"])),
            "note": "".join(rng.choice(list("abcd"), 8)),
        }
        for _ in range(count)
    ]
    for row in rows:
        for name in row:
            if rng.random() < 0.1:
                row[name] = None
    return rows


def own(kernel, objects):
    """All pairs of a list; what the kernel leaves open comes from the list."""
    numbers = np.arange(len(objects), dtype=float)[:, None]
    return kernel.on(objects).block(numbers, numbers)


COLUMNS = {"age": ts.Number(), "city": ts.Categories(), "size": ts.Ordinal(["S", "M", "L"])}


def naive_square(r, s, scale, centre):
    """The joint squared distance, value by value."""
    total = 0.0
    a, b = r["age"], s["age"]
    total += ((centre if a is None else a) - (centre if b is None else b)) ** 2 / scale**2
    total += (a is None) != (b is None)
    total += r["city"] != s["city"]
    ranks = {"S": 0, "M": 1, "L": 2, None: 1}
    total += abs(ranks[r["size"]] - ranks[s["size"]]) / 2 + ((r["size"] is None) != (s["size"] is None))
    return total


def ages(rows):
    return np.array([row["age"] for row in rows if row["age"] is not None])


@pytest.mark.parametrize("outer", [ts.Gaussian(1.3), ts.Laplace(1.3, norm=2)])
def test_a_record_is_its_definition(outer):
    rows = records(25, 0)
    present = ages(rows)
    gaps = np.abs(present[:, None] - present)[np.triu_indices(len(present), 1)]
    scale, centre = float(np.median(gaps)), float(np.median(present))
    D = np.array([[naive_square(r, s, scale, centre) for s in rows] for r in rows])
    expected = np.exp(-D / (2 * 1.3**2)) if isinstance(outer, ts.Gaussian) else np.exp(-np.sqrt(D) / 1.3)
    np.testing.assert_allclose(own(ts.Record(COLUMNS, outer), rows), expected, rtol=1e-9)


def test_the_bandwidth_is_the_median_of_the_joint_distances():
    x, y = records(20, 0), records(25, 1)
    result = ts.mmd_test(x, y, kernel=ts.Record(COLUMNS), rng=0)
    rows = [*x, *y]
    kinds = result.kernel.kinds
    D = [naive_square(r, s, kinds["age"].scale, kinds["age"].centre) for i, r in enumerate(rows) for s in rows[i + 1 :]]
    assert result.kernel.kernel.bandwidth == pytest.approx(np.sqrt(np.median(D)), rel=0.02)
    K = result.kernel.block(rows, rows)  # the kernel of the result has nothing open
    again = ts.mmd_test(None, None, kernel=ts.Precomputed(K, m=20), rng=0)
    assert (again.statistic, again.pvalue) == (pytest.approx(result.statistic, rel=1e-9), result.pvalue)


@pytest.mark.parametrize("engine", ["dense", "tiled", "lowrank"])
def test_engines_agree_on_records(engine):
    x, y = records(40, 0), records(45, 1, age=45)
    kernel = ts.Record({**COLUMNS, "note": "text"})
    mine = ts.mmd_test(x, y, kernel=kernel, engine=engine, rng=0)
    assert mine.statistic == pytest.approx(ts.mmd_test(x, y, kernel=kernel, rng=0).statistic, rel=1e-6)


@pytest.mark.parametrize(
    "other",
    [
        {"age": 55.0},
        {"cities": ("Rome", "Rome", "Bonn")},
        {"cities": ("Rome", "Oslo", "Paris")},
    ],
)
def test_differences_in_one_column_are_found(other):
    x, y = records(150, 0), records(150, 1, **other)
    kernel = ts.Record({**COLUMNS, "note": "text"})
    assert ts.mmd_test(x, y, kernel=kernel, rng=0).pvalue <= 0.01
    assert ts.mmd_test(x, records(150, 3), kernel=kernel, rng=0).pvalue > 0.01


def test_missing_values_alone_make_a_difference():
    rng = np.random.default_rng(0)
    x = [{"v": float(v)} for v in rng.normal(size=60)]
    y = [{"v": float(v) if i % 3 else NAN} for i, v in enumerate(rng.normal(size=60))]
    assert ts.mmd_test(x, y, kernel=ts.Record({"v": "number"}), rng=0).rejected


def test_many_columns_stay_informative():
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(60)]
    rows = [{name: str(rng.integers(5)) for name in names} for _ in range(80)]
    kernel = ts.mmd_test(rows[:40], rows[40:], kernel=ts.Record(dict.fromkeys(names, "category")), rng=0).kernel
    K = kernel.block(rows, rows)
    assert 0.4 < np.median(K[np.triu_indices(80, 1)]) < 0.8


value = st.one_of(st.none(), st.floats(-1e3, 1e3), st.just(NAN))
level = st.one_of(st.none(), st.sampled_from(["a", "b", "c", 1, 2.5, True]))


@given(st.lists(st.fixed_dictionaries({"v": value, "c": level, "t": st.one_of(st.none(), st.text())}), min_size=2))
def test_positive_semidefinite_on_any_records(rows):
    kernel = ts.Record({"v": "number", "c": "category", "t": "text"}, ts.Gaussian(1.0))
    K = kernel.block(rows, rows)
    assert np.linalg.eigvalsh(K)[0] > -1e-9 * len(K)
    assert (K >= 0).all()
    assert (K <= 1 + 1e-12).all()


def test_a_key_that_is_absent_is_missing():
    kernel = ts.Record({"v": ts.Number(1.0, 0.0)}, ts.Gaussian(1.0))
    K = kernel.block([{"v": 1.0}, {}, {"v": None}, {"v": NAN}], [{}])
    np.testing.assert_allclose(K[:, 0], [np.exp(-1.0), 1, 1, 1])


def test_pandas_missing_values():
    pandas = pytest.importorskip("pandas")
    kernel = ts.Record({"v": "category"}, ts.Gaussian(1.0))
    assert kernel.block([{"v": pandas.NA}], [{"v": pandas.NaT}, {"v": None}, {"v": "x"}])[0] == pytest.approx(
        [1, 1, np.exp(-0.5)]
    )


def test_the_witness_at_new_records_keeps_scales_and_bandwidth():
    x, y = records(30, 0), records(30, 1, age=60)
    w = ts.witness(x, y, kernel=ts.Record(COLUMNS))
    rows = w.rows(3)
    far = [{"age": 1e6, "city": "Nome", "size": "L"}] * 30
    np.testing.assert_allclose(w([*far, *(x[i] for i in rows.x)])[30:], rows.x_values, rtol=1e-9)


def test_texts_are_close_to_one_minus_cosine():
    words = ["".join(np.random.default_rng(i).choice(list("abcd"), 12)) for i in range(12)]
    kernel = ts.Record({"t": ts.Text(k=3, width=4096)}, ts.Gaussian(1.0))
    D = -2 * np.log(kernel.block([{"t": word} for word in words], [{"t": word} for word in words]))
    np.testing.assert_allclose(D, 1 - ts.strings.Spectrum(3).block(words, words), atol=0.06)
    assert -2 * np.log(kernel.block([{"t": None}], [{"t": "abcd"}]))[0, 0] == pytest.approx(1)


def test_many_categories_by_hashes():
    x = [{"c": i} for i in range(300)]
    kernel = ts.Record({"c": "category"}, ts.Gaussian(1.0))
    D = -2 * np.log(kernel.block(x, x))
    np.testing.assert_allclose(np.diagonal(D), 0, atol=1e-12)
    off = D[np.triu_indices(300, 1)]
    assert off.mean() == pytest.approx(1, abs=0.01)
    assert off.std() == pytest.approx(0.125, abs=0.02)
    np.testing.assert_array_equal(sign_codes([np.int64(3), "a"]), sign_codes([3, np.str_("a")]))


@pytest.mark.parametrize(
    ("kernel", "objects", "word"),
    [
        (ts.Record({"v": "number"}), [{"v": 1}, (1, 2)], "Object 1 .*tuple"),
        (ts.Record({"v": "number"}), [{"v": 1}, {"v": "x"}], "Column 'v': Value 1 .*str"),
        (ts.Record({"v": "number"}), [{"v": 1}, {"v": float("inf")}], "Column 'v': Value 1 .*finite"),
        (ts.Record({"v": "number"}), [{"w": 1}, {"w": 2}], "No record has a column 'v'"),
        (ts.Record({"v": "category"}), [{"v": "a"}, {"v": ["a"]}], "Column 'v': Value 1 .*list"),
        (ts.Record({"v": "text"}), [{"v": "a"}, {"v": 3}], "Column 'v': Object 1 .*int"),
        (ts.Record({"v": ts.Ordinal(["S"])}), [{"v": "S"}, {"v": "M"}], "Column 'v': Value 1 .*'M'"),
        (ts.Ordinal(), ["a", "b"], "Value 0"),
        (ts.Ordinal(), list(range(200)), "200 different values"),
        (ts.Categories(), ["a", {}], "Value 1 .*dict"),
    ],
)
def test_bad_values_are_named(kernel, objects, word):
    with pytest.raises(ts.InputError, match=word):
        ts.mmd_test(objects, objects, kernel=kernel)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ts.Record({}),
        lambda: ts.Record({"v": "decimal"}),
        lambda: ts.Record({"v": ts.Gaussian()}),
        lambda: ts.Record({"v": "number"}, ts.Linear()),
        lambda: ts.Number(scale=0.0),
        lambda: ts.Number(centre=NAN),
        lambda: ts.Text(k=0),
        lambda: ts.Ordinal("SML"),
        lambda: ts.Ordinal(["S", "S"]),
        lambda: ts.Ordinal([]),
    ],
)
def test_bad_options(make):
    with pytest.raises(ts.OptionError):
        make()


def test_kernels_compare_by_value_and_rebuild_from_their_names():
    for kernel in (ts.Record(COLUMNS), ts.Categories(), ts.Ordinal(["a", "b"]), ts.SetKernel()):
        assert eval(repr(kernel), PUBLIC) == kernel  # noqa: S307
        assert hash(kernel) == hash(eval(repr(kernel), PUBLIC))  # noqa: S307


def test_tiles_of_records_are_those_of_their_coordinates():
    """Thousands of records take the quick tiles of vectors, in single precision, and give the same answer."""
    rng = np.random.default_rng(0)
    gone = rng.random(4200) < 0.1
    values = np.where(gone, NAN, rng.normal(size=4200)).tolist()
    kernel = ts.Record({"v": ts.Number()}).on([{"v": value} for value in values])
    options = {"engine": "tiled", "null": ts.Permutation(n=19), "rng": 0}
    mine = ts.mmd_test(range(2000), range(2000, 4200), kernel=kernel, **options)
    plain = ts.mmd_test(kernel.rows[:2000], kernel.rows[2000:], **options)
    assert (mine.statistic, mine.pvalue) == (pytest.approx(plain.statistic, rel=1e-6), plain.pvalue)


def test_a_grid_of_bandwidths_and_products_with_other_kernels():
    x, y = records(30, 0), records(30, 1, age=60)
    grid = ts.mmd_test(x, y, kernel=ts.Record(COLUMNS), bandwidth="quantiles", rng=0)
    assert grid.rejected
    assert len(grid.kernel.kernel.parts) == 5
    fixed = ts.mmd_test(x, y, kernel=ts.Record(COLUMNS), bandwidth=2.0, rng=0)
    assert fixed.kernel.kernel == ts.Gaussian(2.0)
    both = ts.Record({"age": "number"}) * ts.Record({"city": "category"}, ts.Gaussian(1.0))
    assert ts.mmd_test(x, y, kernel=both, rng=0).rejected


def test_all_kinds_of_numbers():
    from decimal import Decimal
    from fractions import Fraction

    kernel = ts.Record({"v": ts.Number(1.0, 0.0)}, ts.Gaussian(1.0))
    same = [2, 2.0, np.float32(2), np.int8(2), Decimal(2), Fraction(2)]
    np.testing.assert_allclose(kernel.block([{"v": v} for v in same], [{"v": 0}]), np.exp(-2.0))


@pytest.mark.parametrize("column", [[None, None, None], [1.0, 1.0, 1.0], [1.0, None, 1.0]])
@pytest.mark.parametrize("kind", ["number", "category", "ordinal"])
def test_columns_with_nothing_in_them(column, kind):
    rows = [{"v": v} for v in column]
    result = ts.mmd_test(rows, rows, kernel=ts.Record({"v": kind}), rng=0)
    assert result.pvalue == 1


@pytest.mark.parametrize("value", [10**400, 1e308, float("inf")])
def test_numbers_that_are_too_large(value):
    x = [{"a": value}, {"a": 1.0}] * 3
    with pytest.raises(ts.InputError, match=r"Column 'a': Value 0 .* not finite, or beyond 1e\+300"):
        ts.mmd_test(x, x, kernel=ts.Record({"a": "number"}))


def test_columns_and_levels_of_the_wrong_form():
    with pytest.raises(ts.OptionError, match="must map names to kinds"):
        ts.Record(("a", "b"))
    with pytest.raises(ts.OptionError, match="hashable"):
        ts.Ordinal([["a"], ["b"]])


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_codes_of_arrays_of_whole_numbers_are_those_of_lists(kind):
    rng = np.random.default_rng(3)
    values, missing = rng.integers(0, 40, 500).astype(kind), rng.random(500) < 0.2
    for gone in (missing, ~missing, np.zeros(500, dtype=bool), np.ones(500, dtype=bool)):
        codes, levels = coded(values, gone)
        listed, known = coded(values.tolist(), gone)
        assert codes.tolist() == listed.tolist()
        assert (levels, [type(level) for level in levels]) == (known, [int] * len(known))
