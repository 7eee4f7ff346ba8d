"""Every structured kernel does everything: test, witness, independence, a kept Gram matrix, a sum with itself."""

import naive
import numpy as np
import pytest

import twosample as ts


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
