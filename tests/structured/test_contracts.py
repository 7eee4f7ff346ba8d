"""Every structured kernel does everything: test, witness, independence, a kept Gram matrix, a sum with itself."""

import numpy as np
import pytest

import twosample as ts
from tests import naive


def words(rng, count):
    return ["".join(rng.choice(list("abcdé "), rng.integers(3, 9))) for _ in range(count)]


def bags(rng, count):
    return [rng.normal(size=(rng.integers(2, 6), 2)) for _ in range(count)]


def records(rng, count):
    cities, notes = rng.choice(["Oslo", "Rome", "Lima"], count), words(rng, count)
    return [
        {"age": None if i % 7 == 0 else float(rng.normal()), "city": str(cities[i]), "note": notes[i]}
        for i in range(count)
    ]


def walks(rng, count):
    return [rng.normal(size=rng.integers(5, 9)).cumsum() for _ in range(count)]


def rings(rng, count):
    made = []
    for _ in range(count):
        nodes = int(rng.integers(3, 7))
        edges = np.array([[i, (i + 1) % nodes] for i in range(nodes)])
        made.append(ts.graphs.Graph(nodes, edges, labels=[int(v) for v in rng.integers(0, 2, nodes)]))
    return made


def levels(rng, count):
    return [int(v) for v in rng.integers(0, 4, count)]


KERNELS = {
    "spectrum": (ts.strings.Spectrum(2), words),
    "gappy": (ts.strings.Gappy(2, 1), words),
    "subsequence": (ts.strings.Subsequence(2), words),
    "sets": (ts.SetKernel(), bags),
    "overlaps": (ts.Bhattacharyya(), bags),
    "categories": (ts.Categories(), levels),
    "ordinal": (ts.Ordinal(), levels),
    "records": (ts.Record({"age": ts.Number(), "city": ts.Categories(), "note": ts.Text()}), records),
    "alignment": (ts.series.GlobalAlignment(), walks),
    "weisfeiler-lehman": (ts.graphs.WeisfeilerLehman(depth=2), rings),
    "shortest path": (ts.graphs.ShortestPath(), rings),
    "random walk": (ts.graphs.RandomWalk(), rings),
    "graphlets": (ts.graphs.Graphlet(size=3), rings),
    "vertices": (ts.graphs.VertexHistogram(), rings),
    "edges": (ts.graphs.EdgeHistogram(), rings),
}
each_kernel = pytest.mark.parametrize(("kernel", "draw"), KERNELS.values(), ids=KERNELS)
FEW = ts.Permutation(n=19)


@each_kernel
def test_two_sample_test_and_witness(kernel, draw):
    rng = np.random.default_rng(0)
    x, y = draw(rng, 9), draw(rng, 8)
    result = ts.mmd_test(x, y, kernel=kernel, null=FEW, rng=1)
    K = ts.Precomputed.of(kernel, [*x, *y]).matrix
    expected = naive.mmd2_unbiased(range(9), range(9, 17), lambda a, b: K[a, b])
    assert result.statistic == pytest.approx(expected, abs=1e-9)
    assert result.to_dict()["kernel"] == repr(result.kernel)
    w = ts.witness(x, y, kernel=kernel)
    rows = w.rows(3)
    assert len(rows.x) == len(rows.y) == 3
    np.testing.assert_allclose(w([x[i] for i in rows.x]), rows.x_values, atol=1e-9)


@each_kernel
def test_independence(kernel, draw):
    rng = np.random.default_rng(1)
    x = draw(rng, 24)
    y = np.array([float(len(str(v))) for v in x])
    result = ts.hsic_test(x, y, kernel=kernel, kernel_y=ts.Gaussian(2.0), statistic="biased", null=FEW, rng=1)
    K, L = ts.Precomputed.of(kernel, x).matrix, ts.Gaussian(2.0).block(y[:, None], y[:, None])
    H = np.eye(24) - 1 / 24
    assert result.statistic == pytest.approx(np.trace(K @ H @ L @ H) / 24**2, abs=1e-9)


@each_kernel
def test_gram_matrix_kept_in_a_file(kernel, draw, tmp_path):
    rng = np.random.default_rng(2)
    x, y = draw(rng, 7), draw(rng, 8)
    known = ts.Precomputed.of(kernel, [*x, *y], m=7)
    known.save(tmp_path / "gram.npz")
    again = ts.Precomputed.load(tmp_path / "gram.npz")
    direct = ts.mmd_test(x, y, kernel=kernel, null=FEW, rng=3)
    kept = ts.mmd_test(None, None, kernel=again, null=FEW, rng=3)
    assert kept.statistic == pytest.approx(direct.statistic, abs=1e-9)
    assert kept.pvalue == direct.pvalue


@each_kernel
def test_positive_definite_together_with_itself(kernel, draw):
    objects = draw(np.random.default_rng(3), 20)
    K, double = (ts.Precomputed.of(k, objects).matrix for k in (kernel, kernel + kernel))
    np.testing.assert_allclose(double, 2 * K, rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() >= -1e-9 * max(1.0, float(np.abs(K).max()))


def test_whole_numbers_may_be_floats():
    x, y = ["gattaca", "gattata"] * 5, ["tacgat", "tagcat"] * 5
    records = [{"c": text} for text in x]
    series = [np.arange(k, dtype=float) for k in (4, 5, 6, 4)]
    for whole, same, data in (
        (ts.strings.Spectrum(2.0), ts.strings.Spectrum(2), x + y),
        (ts.strings.Gappy(2.0, gaps=1.0), ts.strings.Gappy(2, gaps=1), x + y),
        (ts.strings.Subsequence(2.0), ts.strings.Subsequence(2), x + y),
        (
            ts.Record({"c": ts.Text(2.0, 16.0)}, ts.Gaussian(1.0)),
            ts.Record({"c": ts.Text(2, 16)}, ts.Gaussian(1.0)),
            records,
        ),
        (ts.series.GlobalAlignment(1.0, triangle=3.0), ts.series.GlobalAlignment(1.0, triangle=3), series),
    ):
        assert repr(whole) == repr(same)
        np.testing.assert_array_equal(whole.block(data, data), same.block(data, data))
    numbers = np.arange(40.0)
    blocks = [ts.mmd(numbers, numbers + 1, statistic=ts.BlockAverage(size)) for size in (5, 5.0)]
    assert blocks[0] == blocks[1]


def test_rubbish_in_options_of_kernels():
    with pytest.raises(ts.OptionError, match="form="):
        ts.strings.Spectrum(form=np.array(["NFC", "NFD"]))
    with pytest.raises(ts.OptionError, match="outer="):
        ts.SetKernel(outer=ts.Gaussian)
    with pytest.raises(ts.InputError, match="graph is NoneType"):
        ts.graphs.from_networkx(None)


def test_numbers_that_no_double_holds():
    with pytest.raises(ts.InputError, match="not an array of numbers"):
        ts.series.windows([10**400, 1], 2)
    for kernel in (ts.SetKernel(), ts.series.GlobalAlignment()):
        with pytest.raises(ts.InputError, match="not an array"):
            ts.mmd([[10**400]] * 3, [[1.0]] * 3, kernel=kernel)
