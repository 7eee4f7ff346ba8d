"""Kernels with explicit features against their definitions, against GraKeL, and through the tests."""

import networkx as nx
import numpy as np
import pytest

import twosample as ts
from tests.structured.graphs import graph_oracles as naive
from twosample import graphs as tg
from twosample.structured.graphs import Graph

KINDS = [
    (lambda n: tg.WeisfeilerLehman(depth=0, normalised=n), lambda g, h: naive.weisfeiler_lehman(g, h, 0)),
    (lambda n: tg.WeisfeilerLehman(depth=3, normalised=n), lambda g, h: naive.weisfeiler_lehman(g, h, 3)),
    (lambda n: tg.ShortestPath(normalised=n), naive.shortest_path),
    (lambda n: tg.VertexHistogram(normalised=n), naive.vertex_histogram),
    (lambda n: tg.EdgeHistogram(normalised=n), naive.edge_histogram),
    (lambda n: tg.Graphlet(3, normalised=n), lambda g, h: naive.graphlets(g, h, 3)),
    (lambda n: tg.Graphlet(4, normalised=n), lambda g, h: naive.graphlets(g, h, 4)),
]
NAMES = ["WL0", "WL3", "SP", "VH", "EH", "G3", "G4"]
every_kernel = pytest.mark.parametrize(("make", "oracle"), KINDS, ids=NAMES)


def mixed_bag(**kind):
    rng = np.random.default_rng(3)
    sizes = [0, 1, 2, 5, 6, 7, 7, 8]
    return [
        naive.random_graph(rng, nodes=n, density=d, **kind) for n, d in zip(sizes, [0.5] * 6 + [0.9, 0.2], strict=True)
    ]


def gram(kernel, graphs):
    rows = np.arange(len(graphs))
    return kernel.on(graphs).block(rows, rows)


@every_kernel
@pytest.mark.parametrize("kind", [{}, {"kinds": 0}, {"loops": True}, {"edge_kinds": 2}], ids=str)
def test_values_are_the_definition(make, oracle, kind):
    graphs = mixed_bag(**kind)
    expected = np.array([[oracle(g, h) for h in graphs] for g in graphs])
    assert np.array_equal(gram(make(False), graphs), expected)


@pytest.mark.parametrize(("make", "oracle"), KINDS[:5], ids=NAMES[:5])
def test_directed_values_are_the_definition(make, oracle):
    graphs = [*mixed_bag(directed=True)[:5], *mixed_bag()[5:]]
    expected = np.array([[oracle(g, h) for h in graphs] for g in graphs])
    assert np.array_equal(gram(make(False), graphs), expected)


def test_graphlets_refuse_directed_graphs():
    with pytest.raises(ts.InputError, match="directed"):
        tg.Graphlet().on([Graph(2, [(0, 1)], directed=True)])


@every_kernel
def test_normalised_positive_definite_and_bounded(make, oracle):
    del oracle
    rng = np.random.default_rng(5)
    graphs = [*mixed_bag(), *(naive.random_graph(rng, nodes=int(n)) for n in rng.integers(1, 12, size=40))]
    raw, K = gram(make(False), graphs), gram(make(True), graphs)
    assert np.linalg.eigvalsh(K)[0] > -1e-9
    assert np.allclose(np.diag(K), 1)
    assert K.min() >= 0
    assert K.max() <= 1 + 1e-12
    some = np.diag(raw) > 0
    size = np.sqrt(np.diag(raw)[some])
    assert np.allclose(K[np.ix_(some, some)], raw[np.ix_(some, some)] / size[:, None] / size)
    assert (K[np.ix_(some, ~some)] == 0).all()
    assert (K[np.ix_(~some, ~some)] == 1).all()
    assert make(True).bounds == (0.0, 1.0)
    assert make(False).bounds is None


@every_kernel
def test_numbering_of_nodes_does_not_matter(make, oracle):
    del oracle
    rng = np.random.default_rng(8)
    g = naive.random_graph(rng, nodes=9)
    new = rng.permutation(9)
    h = Graph(9, new[g.edges], labels=g.labels[np.argsort(new)])
    K = gram(make(False), [g, h])
    assert np.ptp(K) == 0


def test_weisfeiler_lehman_cannot_tell_two_triangles_from_a_hexagon():
    hexagon, triangles = nx.cycle_graph(6), nx.union(nx.cycle_graph(3), nx.cycle_graph(3), rename=("a", "b"))
    K = gram(tg.WeisfeilerLehman(5), [hexagon, triangles])
    assert np.allclose(K, 1)
    assert gram(tg.Graphlet(3), [hexagon, triangles])[0, 1] == 0


def test_known_graphlet_counts():
    K5 = nx.complete_graph(5)
    assert gram(tg.Graphlet(4, normalised=False), [K5])[0, 0] == 5**2  # five complete subgraphs and nothing else
    star = nx.star_graph(6)
    assert gram(tg.Graphlet(4, normalised=False), [star])[0, 0] == 20**2


def test_only_empty_graphs():
    empty = [Graph(0), Graph(0)]
    for make, _ in KINDS:
        assert gram(make(True), empty).tolist() == [[1, 1], [1, 1]]
        assert gram(make(False), empty).tolist() == [[0, 0], [0, 0]]


def test_long_paths_in_pieces(monkeypatch):
    graphs = [nx.path_graph(40), nx.cycle_graph(35)]
    whole = gram(tg.ShortestPath(normalised=False), graphs)
    monkeypatch.setattr("twosample.structured.graphs.paths._ROWS", 7)
    assert np.array_equal(gram(tg.ShortestPath(normalised=False), graphs), whole)


@pytest.mark.parametrize("depth", [-1, 1.5, "two"])
def test_bad_depth(depth):
    with pytest.raises(ts.OptionError, match="depth"):
        tg.WeisfeilerLehman(depth=depth)


def test_bad_size():
    with pytest.raises(ts.OptionError, match="3 or 4"):
        tg.Graphlet(5)


def two_kinds(rng, count=25):
    sparse = [naive.random_graph(rng, nodes=10, density=0.15) for _ in range(count)]
    dense = [naive.random_graph(rng, nodes=10, density=0.4) for _ in range(count)]
    return sparse, dense


@every_kernel
def test_through_the_front_door(make, oracle):
    del oracle
    a, b = two_kinds(np.random.default_rng(0))
    result = ts.mmd_test(a, b, kernel=make(True), rng=1)
    rows = np.arange(50)
    K = gram(make(True), [*a, *b])
    assert result.statistic == pytest.approx(
        ts.mmd_test(rows[:25], rows[25:], kernel=ts.Precomputed(K), rng=1).statistic
    )
    assert result.pvalue == ts.mmd_test(None, None, kernel=ts.Precomputed(K, m=25), rng=1).pvalue
    if make(True) in (tg.WeisfeilerLehman(3), tg.ShortestPath(), tg.Graphlet(4)):
        assert result.rejected


def test_witness_finds_the_graph_that_is_different():
    rng = np.random.default_rng(0)
    a, b = two_kinds(rng)
    w = ts.witness(a, b, kernel=tg.WeisfeilerLehman(2))
    best = w.rows(3)
    K = gram(tg.WeisfeilerLehman(2), [*a, *b])
    values = K[:, :25].mean(axis=1) - K[:, 25:].mean(axis=1)
    assert np.allclose(best.x_values, np.sort(values[:25])[::-1][:3])
    assert np.allclose(best.y_values, np.sort(values[25:])[:3])


def test_networkx_and_matrices_give_the_same_test():
    rng = np.random.default_rng(1)
    a, b = ([nx.gnp_random_graph(8, p, seed=int(s)) for s in rng.integers(1000, size=15)] for p in (0.2, 0.5))
    one = ts.mmd_test(a, b, kernel=tg.WeisfeilerLehman(2), rng=0)
    c, d = ([nx.to_scipy_sparse_array(g) for g in graphs] for graphs in (a, b))
    assert ts.mmd_test(c, d, kernel=tg.WeisfeilerLehman(2), rng=0).statistic == one.statistic


def test_many_graphs_by_their_features():
    rng = np.random.default_rng(2)
    few = [naive.random_graph(rng, nodes=5) for _ in range(60)]
    graphs = [few[i] for i in rng.integers(60, size=3000)]
    result = ts.mmd_test(graphs[:1500], graphs[1500:], kernel=tg.WeisfeilerLehman(2), null=ts.Permutation(n=99), rng=0)
    assert 0 < result.pvalue <= 1


def as_grakel(graphs):
    grakel = pytest.importorskip("grakel", reason="GraKeL is an oracle of the tests only")
    both = [np.concatenate([g.edges, g.edges[:, ::-1]]).tolist() for g in graphs]
    marks = [dict(enumerate(g.labels.tolist())) for g in graphs]
    return [
        grakel.Graph(list(map(tuple, edges)), node_labels=labels) for edges, labels in zip(both, marks, strict=True)
    ]


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("name", ["WeisfeilerLehman", "ShortestPath", "VertexHistogram"])
def test_grakel_agrees(name, normalised):
    rng = np.random.default_rng(4)
    graphs = [naive.random_graph(rng, nodes=9, density=0.25) for _ in range(30)]
    theirs = as_grakel(graphs)
    import grakel

    options = {"n_iter": 4} if name == "WeisfeilerLehman" else {}
    ours = {"depth": 4} if name == "WeisfeilerLehman" else {}
    K = getattr(grakel, name)(normalize=normalised, **options).fit_transform(theirs)
    assert np.allclose(gram(getattr(tg, name)(normalised=normalised, **ours), graphs), K, rtol=1e-12)


def test_independence_of_graphs_and_numbers():
    rng = np.random.default_rng(6)
    density = rng.uniform(0.1, 0.6, size=40)
    graphs = [naive.random_graph(rng, nodes=10, density=d) for d in density]
    options = {"kernel": tg.WeisfeilerLehman(2), "kernel_y": "gaussian", "rng": 0}
    assert ts.hsic_test(graphs, density, **options).rejected
    assert not ts.hsic_test(graphs, rng.permutation(density), **options).rejected
