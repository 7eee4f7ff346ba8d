"""The random walk kernel against sums over walks, against GraKeL, and what it promises."""

import numpy as np
import pytest

import twosample as ts
from tests.structured.graphs import graph_oracles as naive
from twosample import graphs as tg
from twosample.structured.graphs import Graph
from twosample.structured.graphs.pool import GraphPool
from twosample.structured.graphs.products import Products


def bag(sizes=(0, 1, 3, 4, 5), **kind):
    rng = np.random.default_rng(11)
    return [naive.random_graph(rng, nodes=n, density=0.5, **kind) for n in sizes]


def gram(kernel, graphs):
    return kernel.on(graphs).matrix


def definition(graphs, steps, decay, node=None, edge=None, walks=naive.random_walk):
    """The Gram matrix from sums over walks; node(g, u, h, s) times equal labels, edge(g, arc, h, arc)."""

    def value(g, h):
        a, b, arcs_g, arcs_h = naive.labels(g), naive.labels(h), naive.arcs(g), naive.arcs(h)

        def k_node(u, s):
            return (a[u] == b[s]) * (1.0 if node is None else node(g, u, h, s))

        def k_edge(e, f):
            return (arcs_g[e] == arcs_h[f]) * (1.0 if edge is None else edge(g, e, h, f))

        return walks(g, h, steps, decay, k_node, k_edge)

    return np.array([[value(g, h) for h in graphs] for g in graphs])


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("kind", [{}, {"kinds": 0}, {"edge_kinds": 2}, {"loops": True}, {"directed": True}], ids=str)
def test_values_are_the_definition(steps, kind):
    graphs = bag(**kind)
    K = gram(tg.RandomWalk(steps, 0.3, normalised=False), graphs)
    assert np.allclose(K, definition(graphs, steps, 0.3), rtol=1e-12)


def test_attributes_with_a_bandwidth_are_seen_as_they_are():
    graphs = bag(columns=2)
    K = gram(tg.RandomWalk(2, 0.2, ts.Gaussian(0.8), normalised=False), graphs)

    def node(g, u, h, s):
        return np.exp(-((g.attributes[u] - h.attributes[s]) ** 2).sum() / (2 * 0.8**2))

    assert np.allclose(K, definition(graphs, 2, 0.2, node), rtol=1e-10)


@pytest.mark.parametrize("kind", [{}, {"edge_kinds": 2}, {"directed": True}], ids=str)
def test_walks_as_products_of_steps(kind):
    graphs = bag(sizes=(0, 1, 3, 4), columns=2, **kind)

    def node(g, u, h, s):
        return np.exp(-((g.attributes[u] - h.attributes[s]) ** 2).sum() / (2 * 0.8**2))

    for steps in (1, 3):
        K = gram(tg.RandomWalk(steps, 0.2, ts.Gaussian(0.8), product="steps", normalised=False), graphs)
        assert np.allclose(K, definition(graphs, steps, 0.2, node, walks=naive.protein_walks), rtol=1e-10)
    labels = [tg.RandomWalk(3, 0.2, None, product=p, normalised=False) for p in ("nodes", "steps")]
    nodes = definition(graphs, 0, 1.0)  # without attributes the walks of no edge are all the difference
    assert np.allclose(gram(labels[0], graphs) - gram(labels[1], graphs), nodes, rtol=1e-12)


def test_lengths_of_steps():
    rng = np.random.default_rng(2)
    graphs = [Graph(g.nodes, g.edges, g.labels, edge_lengths=rng.random(len(g.edges)) * 3) for g in bag((0, 1, 3, 4))]
    length = {
        (id(g), *pair): x
        for g in graphs
        for (u, v), x in zip(g.edges.tolist(), g.edge_lengths, strict=True)
        for pair in [(u, v), (v, u)]
    }

    def edge(g, e, h, f):
        return max(0.0, 1 - abs(length[id(g), *e] - length[id(h), *f]) / 1.5)

    K = gram(tg.RandomWalk(2, 0.4, lengths=tg.BrownianBridge(1.5), product="steps", normalised=False), graphs)
    assert np.allclose(K, definition(graphs, 2, 0.4, edge=edge, walks=naive.protein_walks), rtol=1e-10)


def test_steps_of_all_lengths_solve_the_linear_system():
    graphs = bag(sizes=(0, 3, 4, 5), columns=1)
    K = gram(tg.RandomWalk(None, 0.02, ts.Gaussian(0.7), product="steps", normalised=False), graphs)
    for i, g in enumerate(graphs):
        for j, h in enumerate(graphs):
            A, B = (GraphPool.of([x]).adjacency.toarray() for x in (g, h))
            N = np.equal.outer(np.array(naive.labels(g)), np.array(naive.labels(h))).astype(float)
            N = (N * ts.Gaussian(0.7).block(g.attributes, h.attributes)).ravel() if N.size else N.ravel()
            steps = 0.02 * N[:, None] * np.kron(A, B) * N
            ones = np.ones(N.size)
            expected = (np.linalg.solve(np.eye(N.size) - steps, ones) - ones).sum()
            assert K[i, j] == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_an_open_bandwidth_does_not_depend_on_units():
    graphs = bag(sizes=(3, 4, 5, 6), columns=2)
    other = [Graph(g.nodes, g.edges, g.labels, g.attributes * [1000.0, 0.01] + 5) for g in graphs]
    assert np.allclose(gram(tg.RandomWalk(), graphs), gram(tg.RandomWalk(), other), rtol=1e-6)


def test_constant_attributes_are_no_trouble():
    graphs = bag(sizes=(2, 3, 4))
    same = [Graph(g.nodes, g.edges, g.labels, np.full((g.nodes, 1), 7.0)) for g in graphs]
    assert np.allclose(gram(tg.RandomWalk(), graphs), gram(tg.RandomWalk(), same))


def test_attributes_can_be_left_out():
    graphs, bare = bag(columns=2), bag(columns=2)
    bare = [Graph(g.nodes, g.edges, g.labels) for g in bare]
    assert np.array_equal(gram(tg.RandomWalk(attributes=None), graphs), gram(tg.RandomWalk(), bare))


@pytest.mark.parametrize("marks", [0, 2])
def test_lengths(marks):
    rng = np.random.default_rng(2)
    graphs = [
        Graph(g.nodes, g.edges, g.labels, edge_labels=g.edge_labels, edge_lengths=rng.random(len(g.edges)) * 3)
        for g in bag(edge_kinds=marks)
    ]
    length = [
        {pair: x for (u, v), x in zip(g.edges.tolist(), g.edge_lengths, strict=True) for pair in [(u, v), (v, u)]}
        for g in graphs
    ]

    def edge(g, e, h, f):
        return max(0.0, 1 - abs(length[graphs.index(g)][e] - length[graphs.index(h)][f]) / 1.5)

    K = gram(tg.RandomWalk(2, 0.4, lengths=tg.BrownianBridge(1.5), normalised=False), graphs)
    assert np.allclose(K, definition(graphs, 2, 0.4, edge=edge), rtol=1e-10)
    without = gram(tg.RandomWalk(2, 0.4, normalised=False), graphs)
    assert np.allclose(without, definition(graphs, 2, 0.4), rtol=1e-10)


def test_all_lengths_of_walks_solve_the_linear_system():
    graphs = bag(sizes=(0, 3, 4, 5))
    K = gram(tg.RandomWalk(None, 0.02, normalised=False), graphs)
    for i, g in enumerate(graphs):
        for j, h in enumerate(graphs):
            A, B = (GraphPool.of([x]).adjacency.toarray() for x in (g, h))
            N = np.equal.outer(np.array(naive.labels(g)), np.array(naive.labels(h))).astype(float).ravel()
            system = np.eye(N.size) - 0.02 * N[:, None] * np.kron(A, B)
            assert K[i, j] == pytest.approx(np.linalg.solve(system, N).sum(), rel=1e-12, abs=1e-300)


def test_all_lengths_need_a_small_decay():
    complete = Graph(4, [(u, v) for u in range(4) for v in range(u)])
    with pytest.raises(ts.OptionError, match=r"multiply their weight by 1\.8.*below 0\.1111"):
        tg.RandomWalk(None, 0.2).on([complete, complete])
    assert gram(tg.RandomWalk(None, 0.11), [complete, complete]).tolist() == [[1, 1], [1, 1]]


def test_walks_of_all_lengths_along_one_way_edges():
    chain = ts.graphs.Graph(3, [(0, 1), (1, 2)], directed=True)
    kernel = ts.graphs.RandomWalk(steps=None, decay=0.1, normalised=False)
    assert kernel.block([chain], [chain])[0, 0] == pytest.approx(9 + 4 * 0.1 + 1 * 0.01)
    layers = [(30 * k + i, 30 * (k + 1) + j) for k in range(5) for i in range(30) for j in range(30)]
    graphs = [ts.graphs.Graph(180, layers, directed=True), ts.graphs.Graph(1, [(0, 0)], directed=True)]
    every, most = (
        ts.graphs.RandomWalk(steps=steps, decay=1e-4, normalised=False).block(graphs, graphs) for steps in (None, 60)
    )
    np.testing.assert_allclose(every, most, rtol=1e-14)


def test_growth_is_the_largest_eigenvalue_or_a_little_more():
    rng = np.random.default_rng(0)
    graphs = [naive.random_graph(rng, nodes=9, directed=d) for d in (False, True, False)]
    pool = GraphPool.of(graphs)
    truth = max(np.abs(np.linalg.eigvals(GraphPool.of([g]).adjacency.toarray())).max() for g in graphs) ** 2
    growth = Products(pool, None, np.empty((pool.nodes, 0)), None, 1.0).growth()
    assert truth <= growth <= 1.15 * truth
    chain = GraphPool.of([Graph(3, [(0, 1), (1, 2)], directed=True)])
    assert Products(chain, None, np.empty((3, 0)), None, 1.0).growth() == 0


@pytest.mark.parametrize("kernel", [
    tg.RandomWalk(), tg.RandomWalk(None, 1e-3), tg.RandomWalk(4, 1.0, tg.BrownianBridge(0.7)),
    tg.RandomWalk(2, 0.5, ts.Laplace(1.0) + ts.Gaussian(0.3)), tg.RandomWalk(product="steps"),
])  # fmt: skip
def test_positive_definite_normalised_bounded(kernel):
    rng = np.random.default_rng(9)
    graphs = [
        *bag(columns=3),
        *(naive.random_graph(rng, nodes=int(n), columns=3) for n in rng.integers(1, 12, size=40)),
    ]
    K = gram(kernel, graphs)
    assert np.array_equal(K, K.T)
    assert np.linalg.eigvalsh(K)[0] > -1e-9
    assert np.allclose(np.diag(K), 1)
    assert K.min() >= 0
    assert K.max() <= 1 + 1e-12
    bare = [g.nodes == 0 or (kernel.product == "steps" and not len(g.edges)) for g in graphs]
    assert np.array_equal(K[0] == 1, bare)  # the empty graph, and others without a walk
    assert np.array_equal(K[0] == 0, np.logical_not(bare))
    assert tg.RandomWalk().bounds == (0.0, 1.0)
    assert tg.RandomWalk(attributes=ts.Linear()).bounds is None
    assert tg.RandomWalk(normalised=False).bounds is None


def test_pieces_and_threads_do_not_matter(monkeypatch):
    graphs = bag(sizes=(5, 0, 3, 8, 2, 7, 1), columns=1)
    whole = gram(tg.RandomWalk(), graphs)
    for cells, dense in ((1, 128), (40, 128), (40, 4)):
        monkeypatch.setattr("twosample.structured.graphs.products._CELLS", cells)
        monkeypatch.setattr("twosample.structured.graphs.products._DENSE", dense)
        for threads in (1, 3):
            assert np.allclose(gram(tg.RandomWalk(threads=threads), graphs), whole, rtol=1e-13)


def test_pieces_cover_each_pair_once(monkeypatch):
    monkeypatch.setattr("twosample.structured.graphs.products._CELLS", 20)
    pool = GraphPool.of(bag(sizes=(0, 5, 0, 0, 3, 30, 2, 0)))
    seen = np.zeros((8, 8), dtype=int)
    for piece in Products(pool, None, np.empty((pool.nodes, 0)), None, 1.0).pieces():
        seen[piece.graph, piece.first : piece.last] += 1
    assert np.array_equal(seen, np.triu(np.ones((8, 8), dtype=int)))


def test_progress_and_its_errors():
    told = []
    kernel = tg.RandomWalk(progress=lambda done, total: told.append((done, total)))
    kernel.on(bag(sizes=(3, 4, 5)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert kernel == tg.RandomWalk()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tg.RandomWalk(progress=stop).on(bag(sizes=(3, 4, 5)))


@pytest.mark.parametrize(("options", "message"), [
    ({"steps": -1}, "steps=-1"), ({"product": "walks"}, "product='walks' must be"),
    ({"steps": 0, "product": "steps"}, "steps=0"),
    ({"decay": 0.0}, "decay=0.0"), ({"attributes": "gaussian"}, "attributes='gaussian'"),
    ({"lengths": ts.Gaussian()}, "leaves its bandwidth open"), ({"threads": 0}, "threads=0"),
    ({"attributes": ts.Precomputed(np.eye(2))}, "kernel on numbers"),
])  # fmt: skip
def test_bad_options(options, message):
    with pytest.raises(ts.OptionError, match=message):
        tg.RandomWalk(**options)


def test_overflow_is_an_error():
    complete = Graph(20, [(u, v) for u in range(20) for v in range(u)])
    with pytest.raises(ts.OptionError, match="overflow"):
        tg.RandomWalk(300, 1.0).on([complete])


def test_brownian_bridge_is_a_kernel():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    k = tg.BrownianBridge(1.3)
    expected = np.prod(np.maximum(0, 1 - np.abs(a[:, None] - b) / 1.3), axis=2)
    assert np.allclose(k.block(a, b), expected)
    assert np.allclose(k.pairs(a, b), np.diag(expected))
    assert np.array_equal(k.diagonal(a), np.ones(30))
    assert np.linalg.eigvalsh(k.block(a, a))[0] > -1e-12
    assert ts.mmd_test(a, b + 3, kernel=k, rng=0).rejected
    with pytest.raises(ts.OptionError, match="width"):
        tg.BrownianBridge(0)


def test_attributes_tell_what_structure_does_not():
    rng = np.random.default_rng(1)
    a, b = (
        [Graph(5, [(i, i + 1) for i in range(4)], attributes=rng.normal(m, size=5)) for _ in range(20)] for m in (0, 2)
    )
    assert ts.mmd_test(a, b, kernel=tg.RandomWalk(), rng=0).rejected
    assert ts.mmd_test(a, b, kernel=tg.WeisfeilerLehman(), rng=0).pvalue == 1
    rows = ts.witness(a, b, kernel=tg.RandomWalk()).rows(3)
    means = np.array([g.attributes.mean() for g in b])
    assert means[rows.y].mean() > means.mean()


@pytest.mark.filterwarnings("ignore:changing format")
def test_grakel_agrees_on_walks():
    grakel = pytest.importorskip("grakel", reason="GraKeL is an oracle of the tests only")
    rng = np.random.default_rng(4)
    found = (naive.random_graph(rng, nodes=7, density=0.5) for _ in range(12))
    graphs = [g for g in found if len(np.unique(g.edges)) == 7]  # its walks leave out isolated nodes
    theirs = [
        grakel.Graph(
            list(map(tuple, np.concatenate([g.edges, g.edges[:, ::-1]]).tolist())),
            node_labels=dict(enumerate(g.labels.tolist())),
        )
        for g in graphs
    ]
    K = grakel.RandomWalk(lamda=0.01, method_type="baseline", normalize=True).fit_transform(theirs)
    bare = [Graph(g.nodes, g.edges) for g in graphs]
    assert np.allclose(gram(tg.RandomWalk(None, 0.01), bare), K, rtol=1e-9)

    # its labelled walks of no edge count every pair of nodes, ours only those with equal labels
    K = grakel.RandomWalkLabeled(lamda=0.01, method_type="baseline").fit_transform(theirs)
    unlike = np.array([[(np.not_equal.outer(g.labels, h.labels)).sum() for h in graphs] for g in graphs])
    assert np.allclose(gram(tg.RandomWalk(None, 0.01, normalised=False), graphs), K - unlike, rtol=1e-9)
