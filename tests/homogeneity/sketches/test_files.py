"""Sketches that do not fit together, options that they refuse, and their files."""

from __future__ import annotations

import json
import re
from hashlib import sha256

import numpy as np
import pytest

import twosample as ts
from tests.homogeneity.sketches.sketched import assert_same_answer, rows_for
from twosample.homogeneity.sketches import BinnedMoments, GroupedFeatures, Sketch, compare_sketches

# --- What does not fit -----------------------------------------------------------------------------------------------


def test_sketches_that_do_not_fit():
    x, y = rows_for(2), rows_for(2, 1)
    one, two = Sketch.fit(rows_for(1)), Sketch.fit(x)
    apart = [Sketch.fit(y), Sketch.fit(x, GroupedFeatures(seed=1)), Sketch.fit(x, GroupedFeatures(kernel="laplace"))]
    for other in apart:
        for act in (compare_sketches, Sketch.merge):
            with pytest.raises(ts.InputError, match=r"begun apart.*like="):
                act(two, other)
    groups = Sketch.fit(x, GroupedFeatures(groups=32))
    for act in (compare_sketches, Sketch.merge):
        with pytest.raises(ts.InputError, match="numbers of groups"):
            act(two, groups)
        with pytest.raises(ts.InputError, match=r"column"):
            act(two, Sketch.fit(rows_for(3)))
        with pytest.raises(ts.InputError, match=r"column|different ways"):
            act(one, two)
        with pytest.raises(ts.InputError, match="different ways"):
            act(one, Sketch.fit(rows_for(1).reshape(-1, 1), GroupedFeatures()))
    with pytest.raises(ts.InputError, match="only"):
        one.merge(rows_for(1))
    with pytest.raises(ts.InputError, match="make both"):
        compare_sketches(one, rows_for(1))


def test_many_rows_of_both_beyond_the_bins_deserve_a_warning():
    """If only one sample is there, the test sees it; if both are, it cannot."""
    x = rows_for(1)
    near, far, farther = (Sketch.fit(x).update(np.full(2 * len(x), place)) for place in (0.0, 1e6, 2e6))
    assert ts.mmd_test(near, far).rejected
    with pytest.warns(UserWarning, match="beyond the bins") as caught:
        assert not ts.mmd_test(far, farther).rejected
    assert caught[0].filename == __file__


def test_frequencies_that_bins_cannot_tell():
    values, bounds = Sketch.fit(rows_for(1)).characteristic_function([1e6, 1e300])
    np.testing.assert_array_equal(values, 0)
    np.testing.assert_array_equal(bounds, 1)


def test_options_that_do_not_fit():
    one, two = Sketch.fit(rows_for(1)), Sketch.fit(rows_for(2))
    with pytest.raises(ts.OptionError, match="'spectrum' or 'gamma' or 'pearson'"):
        compare_sketches(one, one, null="permutation")
    with pytest.raises(ts.OptionError, match="'permutation'"):
        compare_sketches(two, two, null="spectrum")
    with pytest.raises(ts.OptionError, match="never give"):
        compare_sketches(two, two, null=ts.Permutation(n=9))
    with pytest.raises(ts.OptionError, match="needs the rows"):
        compare_sketches(one, one, statistic="linear")
    with pytest.raises(ts.OptionError, match="Sketches serve"):
        compare_sketches(one, one, kernel="energy")
    with pytest.raises(ts.OptionError, match="have their kernel"):
        compare_sketches(two, two, kernel="laplace")
    smooth = Sketch.fit(rows_for(2), GroupedFeatures(kernel="laplace"))
    with pytest.raises(ts.OptionError, match="have their kernel"):  # also the kernel that rows have by default
        ts.mmd_test(smooth, smooth, kernel="gaussian")
    with pytest.raises(ts.OptionError, match="have theirs"):
        ts.mmd_test(two, two, bandwidth="median")
    assert ts.mmd_test(smooth, smooth, rng=0).kernel == smooth.state.kernel
    assert compare_sketches(two, two, rng=0).kernel == two.state.kernel
    assert compare_sketches(two, two, kernel=two.state.kernel, rng=0).kernel == two.state.kernel
    assert compare_sketches(one, one).null == ts.Spectrum()
    with pytest.raises(ts.OptionError, match="layout"):
        Sketch("bins")
    with pytest.raises(ts.OptionError, match="not both"):
        Sketch(BinnedMoments(), like=one)
    for wrong in (
        {"groups": 2}, {"frequencies": 0}, {"seed": -1}, {"kernel": "no"}, {"bandwidth": -1.0}, {"standardise": "no"},
    ):  # fmt: skip
        with pytest.raises(ts.OptionError):
            GroupedFeatures(**wrong)
    for span in (3, "ab", (1.0,), (2.0, 1.0), (None, 1.0)):
        with pytest.raises(ts.OptionError, match="span="):
            BinnedMoments(span=span)
    for use in (ts.mmd, ts.plan, ts.interval):
        with pytest.raises(ts.InputError, match="x is a Sketch"):
            use(one, one)
    with pytest.raises(ts.OptionError):
        Sketch.fit(rows_for(2), GroupedFeatures(kernel="energy"))
    with pytest.raises(ts.InputError, match="2 or more"):
        Sketch.fit([[1.0, 2.0]])


# --- Files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [1, 3])
def test_saving_and_loading(columns, tmp_path):
    x, y = rows_for(columns), rows_for(columns, 1)
    a = Sketch.fit(x)
    b = Sketch.fit(y, like=a)
    path = tmp_path / "a.json"
    a.save(path)
    back = Sketch.load(path)
    assert (back.rows, back.columns, back.beyond) == (a.rows, a.columns, a.beyond)
    assert_same_answer(compare_sketches(a, b, rng=0), compare_sketches(back, b, rng=0))
    assert back.merge(b).update(x).rows == 2100
    back.save(path)
    assert compare_sketches(a, Sketch.load(path), rng=0).pvalue > 0.99
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
    assert path.stat().st_size < 400_000


def test_every_number_survives(tmp_path):
    rng = np.random.default_rng(0)
    s = Sketch.fit(1e9 + rng.standard_cauchy(5000)).merge(Sketch.fit(1e9 + 5 * rng.standard_cauchy(500)))
    s.save(tmp_path / "s")
    back, state = Sketch.load(tmp_path / "s").state, s.state
    back, state = back.column, state.column
    assert (back.sums == state.sums).all()
    assert (back.grid, back.below, back.above, back.cut) == (
        state.grid, state.below, state.above, state.cut,
    )  # fmt: skip


def test_the_file_is_plain(tmp_path):
    Sketch.fit([1.0, 1.25, 7.0], BinnedMoments(64, span=(0.0, 8.0))).save(tmp_path / "s")
    head, body = (json.loads(line) for line in (tmp_path / "s").read_text().splitlines())
    assert head["format"] == "twosample-sketch"
    assert head["version"] == 1
    assert body == {
        "kind": "bins", "bins": 64, "span": [0.0, 8.0], "unit": -2, "start": 0, "length": 33, "cut": None,
        "below": 0, "above": 0, "bin": [4, 5, 28], "count": [1, 1, 1], "first": [-0.5] * 3, "second": [0.25] * 3,
    }  # fmt: skip


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    Sketch.fit([1.0, 2.0]).save(path)
    before = path.read_bytes()
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        Sketch.fit([3.0, 4.0]).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def sealed(record):
    body = json.dumps(record, separators=(",", ":")).encode()
    head = {"format": "twosample-sketch", "version": 1, "bytes": len(body), "sha256": sha256(body).hexdigest()}
    return json.dumps(head).encode() + b"\n" + body + b"\n"


def changed(content, **changes):
    record = json.loads(content.splitlines()[1])
    for key, value in changes.items():
        if value is KeyError:
            del record[key]
        else:
            record[key] = value
    return sealed(record)


def header(content, **changes):
    head, body = content.split(b"\n", 1)
    return json.dumps({**json.loads(head), **changes}).encode() + b"\n" + body


DAMAGES = {
    "empty": lambda c: b"",
    "cut off in the header": lambda c: c[:30],
    "cut off in the body": lambda c: c[: len(c) // 2],
    "one byte short": lambda c: c[:-2] + b"\n",
    "something appended": lambda c: c + b"x",
    "a digit changed": lambda c: c[:-40] + bytes([c[-40] ^ 1]) + c[-39:],
    "a bit of the header": lambda c: bytes([c[0] ^ 1]) + c[1:],
    "not text": lambda c: bytes(range(256)) * 10,
    "a pickle": lambda c: b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07sketch.",
    "a zip": lambda c: b"PK\x03\x04" + c,
    "another format": lambda c: header(c, format="other"),
    "a later version": lambda c: header(c, version=2),
    "version as text": lambda c: header(c, version="1"),
    "no version": lambda c: b'{"format": "twosample-sketch"}\n' + c.split(b"\n", 1)[1],
    "checksum changed": lambda c: header(c, sha256="0" * 64),
    "a list": lambda c: b"[1, 2]\n[3]\n",
    "deep": lambda c: b"[" * 100_000 + b"\n",
    "NaN": lambda c: changed(c, **({"below": float("nan")} if b'"below"' in c else {"seed": float("nan")})),
    "unknown kind": lambda c: changed(c, kind="cells"),
    "no kind": lambda c: changed(c, kind=KeyError),
    "body is a number": lambda c: sealed(3),
}

BIN_DAMAGES = {
    "missing counts": {"count": KeyError},
    "too few counts": {"count": [1, 2]},
    "negative counts": {"count": [-1, 2, 3]},
    "fractional counts": {"count": [1.5, 2, 3]},
    "bins out of order": {"bin": [5, 4, 28]},
    "bins out of range": {"bin": [4, 5, 5000]},
    "negative rows": {"below": -1},
    "rows as text": {"above": "3"},
    "first moments beyond the bin": {"first": [0.7, 0.0, 0.0]},
    "second moments below the mean": {"second": [0.0, 0.25, 0.25]},
    "second moments beyond the bin": {"second": [0.9, 0.25, 0.25]},
    "a cut outside": {"cut": [3, 999]},
    "an absurd unit": {"unit": 5000},
    "more bins than allowed": {"length": 100_000},
    "nested": {"count": [[1], [2], [3]]},
    "an empty span": {"span": [3.0, 1.0]},
    "no span": {"span": []},
    "half a span": {"span": [1.0]},
    "a span of three": {"span": [0.0, 8.0, 9.0]},
    "a span as text": {"span": "13"},
    "a fractional unit": {"unit": -2.5},
    "unit as text": {"unit": "3"},
    "unit true": {"unit": True},
    "a far start": {"start": 10**30},
    "a far start below": {"start": -(10**400)},
    "a fractional start": {"start": 2.5},
    "bins beyond doubles": {"unit": 1023},
    "more rows than doubles count": {"above": 2**53},
    "counts that overflow": {"count": [1, 2**62, 2**62]},
    "rows outside of the cut": {"cut": [5, 33]},
    "a fractional cut": {"cut": [0.5, 30]},
    "a cut at one end": {"cut": [30]},
    "no cut": {"cut": []},
    "moments as text": {"first": ["0.5", "0.5", "0.5"]},
    "moments true": {"second": [True, 0.25, 0.25]},
    "moments of many digits": {"first": [10**400, 0.0, 0.0]},
}

GROUP_DAMAGES = {
    "unknown kernel": {"kernel": {"name": "Evil"}},
    "kernel without bandwidth": {"kernel": {"name": "Gaussian"}},
    "kernel with a wrong option": {"kernel": {"name": "Gaussian", "bandwidth": 1.0, "colour": 3}},
    "kernel is text": {"kernel": "Gaussian"},
    "sums too few": {"sums": [[0.0]]},
    "sums too large": {"sizes": [0] * 8},
    "ragged sums": {"sums": [[0.0], [0.0, 1.0]]},
    "zero scale": {"scale": [0.0, 1.0]},
    "negative sizes": {"sizes": [-1] * 8},
    "no columns": {"location": []},
    "weights as text": {"weights": ["a"] * 4},
    "weights that do not sum to k(x, x)": {"weights": [1.0] * 4},
    "scales true": {"scale": [True, 1.0]},
    "location as text": {"location": ["1", "2"]},
    "location as one text": {"location": "12"},
    "standardise as text": {"standardise": "no"},
    "bandwidth as text": {"kernel": {"name": "Gaussian", "bandwidth": "1"}},
    "factor as text": {"kernel": {"name": "Scaled", "factor": "1", "kernel": {"name": "Gaussian", "bandwidth": 1.0}}},
    "a fractional norm": {"kernel": {"name": "Laplace", "bandwidth": 1.0, "norm": 1.5}},
    "sizes that overflow": {"sizes": [2**62] * 8},
    "too few names": {"names": ["a"]},
    "names that are numbers": {"names": [1, 2]},
    "names in one text": {"names": "ab"},
}


def refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ts.InputError, match="is not a sketch that can be used") as caught:
        Sketch.load(path)
    assert path.name in str(caught.value)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("columns", [1, 2])
def test_damaged_files(columns, damage, tmp_path):
    path = tmp_path / "a.json"
    Sketch.fit(rows_for(columns)).save(path)
    refused(path, damage(path.read_bytes()))


@pytest.mark.parametrize("changes", BIN_DAMAGES.values(), ids=BIN_DAMAGES)
def test_nonsense_about_bins(changes, tmp_path):
    path = tmp_path / "a.json"
    Sketch.fit([1.0, 1.25, 7.0], BinnedMoments(64, span=(0.0, 8.0))).save(path)
    refused(path, changed(path.read_bytes(), **changes))


@pytest.mark.parametrize("changes", GROUP_DAMAGES.values(), ids=GROUP_DAMAGES)
def test_nonsense_about_groups(changes, tmp_path):
    path = tmp_path / "a.json"
    Sketch.fit(rows_for(2), GroupedFeatures(groups=8, frequencies=4)).save(path)
    assert Sketch.load(path).rows == 700
    refused(path, changed(path.read_bytes(), **changes))


def test_files_from_before_names_were_kept(tmp_path):
    path = tmp_path / "a"
    Sketch.fit(rows_for(2)).save(path)
    path.write_bytes(changed(path.read_bytes(), names=KeyError))
    assert Sketch.load(path).rows == 700


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ts.InputError, match="cannot be read: Is a directory"):
        Sketch.load(tmp_path)
    with pytest.raises(ts.InputError, match=r"nope.json cannot be read: No such file"):
        Sketch.load(tmp_path / "nope.json")
    with pytest.raises(ts.InputError, match=r"cannot be read: .*null"):
        Sketch.load("a\0b")


@pytest.mark.parametrize("number", [b"9" * 5000, b"1" + b"0" * 400])
def test_numbers_of_many_digits(number, tmp_path):
    path = tmp_path / "a.json"
    Sketch.fit([1.0, 2.0]).save(path)
    body = re.sub(rb'"start":-?[0-9]+', b'"start":' + number, path.read_bytes().splitlines()[1])
    head = {"format": "twosample-sketch", "version": 1, "bytes": len(body), "sha256": sha256(body).hexdigest()}
    refused(path, json.dumps(head).encode() + b"\n" + body + b"\n")


def test_batches_that_overflow_change_nothing():
    x = rows_for(2)
    s = Sketch.fit(1e-300 * x, GroupedFeatures(standardise=True))
    with pytest.raises(ts.InputError, match="batch holds values too large beside those of the first batch"):
        s.update(1e300 * x)
    assert s.update(1e-300 * x).rows == 1400


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (1, {"engine": "dense"}, "engine='dense'"),
        (3, {"engine": "dense"}, "engine='dense'"),
        (1, {"rng": "foo"}, "rng="),
        (1, {"bandwidth": "foo"}, "bandwidth="),
        (3, {"bandwidth": 0.01}, "bandwidth=0.01"),
    ],
)
def test_options_that_sketches_do_not_take(columns, options, message):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500, columns))
    a = ts.Sketch.fit(x)
    with pytest.raises(ts.OptionError, match=message):
        ts.mmd_test(a, ts.Sketch.fit(y, like=a), **options)
