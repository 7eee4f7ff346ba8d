"""What is accepted as a graph, and what is refused in which words."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import twosample as ts
from twosample.structured.graphs import Graph, as_graph, from_networkx, read_tu

SQUARE = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])


def same(a, b):
    """Whether two graphs have the same numbered nodes and edges, whatever the order of edges."""

    def listed(g):
        pairs = g.edges if g.directed else np.sort(g.edges, axis=1)
        return sorted(map(tuple, pairs.tolist()))

    return a.nodes == b.nodes and a.directed == b.directed and listed(a) == listed(b)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.coo_array, sparse.csc_array, np.ndarray.tolist])
def test_adjacency_in_any_form(form):
    assert same(as_graph(form(SQUARE)), Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)]))


def test_asymmetric_adjacency_is_directed():
    g = as_graph(np.array([[0, 1], [0, 0]]))
    assert g.directed
    assert g.edges.tolist() == [[0, 1]]


def test_loops_survive_and_zero_entries_do_not():
    A = sparse.csr_array((np.array([1.0, 0.0]), (np.array([0, 1]), np.array([0, 0]))), shape=(2, 2))
    assert as_graph(A).edges.tolist() == [[0, 0]]


def test_networkx_with_names_of_its_data():
    g = nx.Graph()
    g.add_node("b", atom="C", pos=[1.0, 2.0])
    g.add_node("a", atom="O", pos=(0.0, 5.0))
    g.add_edge("a", "b", bond="double", d=1.5)
    h = from_networkx(g, label="atom", attributes="pos", edge_label="bond", edge_length="d")
    assert h.labels == ("C", "O")
    assert h.attributes.tolist() == [[1.0, 2.0], [0.0, 5.0]]
    assert h.edge_labels == ("double",)
    assert h.edge_lengths.tolist() == [1.5]
    assert as_graph(g).labels is None
    assert as_graph(nx.DiGraph([(0, 1)])).directed
    assert as_graph(nx.Graph()).nodes == 0


def test_networkx_with_missing_labels_says_which_graph_and_node():
    g = nx.path_graph(3)
    g.nodes[0]["label"] = "C"
    with pytest.raises(ts.InputError, match=r"graph 1: node 1 has no 'label' but others have \(2 of 3"):
        ts.graphs.WeisfeilerLehman().on([nx.path_graph(2), g])


def test_multigraph_is_refused():
    with pytest.raises(ts.InputError, match="graph 0: multigraphs are not supported"):
        ts.graphs.ShortestPath().on([nx.MultiGraph([(0, 1), (0, 1)])])
    with pytest.raises(ts.InputError, match="given more than once"):
        Graph(2, [(0, 1), (1, 0)])
    assert len(Graph(2, [(0, 1), (1, 0)], directed=True).edges) == 2
    with pytest.raises(ts.InputError, match="0 and 1 only"):
        as_graph(np.array([[0, 2], [2, 0]]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Graph(2, [(0, 2)]), r"edge \(0, 2\) leads out"),
        (lambda: Graph(2, [(0.0, 1.0)]), "whole numbers"),
        (lambda: Graph(2, [(0, 1, 1)]), "whole numbers"),
        (lambda: Graph(2, labels=["C"]), "1 of them for 2 nodes"),
        (lambda: Graph(2, labels=["C", None]), "node 1 has none"),
        (lambda: Graph(2, labels=np.array([1.0, np.nan])), "node 1 has none"),
        (lambda: Graph(2, attributes=[[1.0]]), "one row for each"),
        (lambda: Graph(2, attributes=[1.0, np.inf]), "node 1 has a value"),
        (lambda: Graph(2, attributes=["a", "b"]), "must be numbers"),
        (lambda: Graph(2, [(0, 1)], edge_labels=[1, 2]), "2 of them for 1 edges"),
        (lambda: Graph(2, [(0, 1)], edge_lengths=[[1.0, 2.0]]), "one number"),
        (lambda: as_graph(np.ones((2, 3))), "square"),
        (lambda: as_graph("CCO"), "str is not a graph"),
        (lambda: as_graph(np.zeros(3)), "square array"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ts.InputError, match=message):
        make()


def test_nodes_must_be_a_count():
    with pytest.raises(ts.OptionError, match="nodes=-1"):
        Graph(-1)


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([Graph(1, labels=[1]), Graph(0), Graph(2)], r"graph 2 has no labels but others have \(1 of 3"),
        ([Graph(1, attributes=[[1.0]]), Graph(1, attributes=[[1.0, 2.0]])], "graph 1 has 2 attributes"),
        ([Graph(1), Graph(1, attributes=[1.0])], "graph 0 has no attributes"),
        ([Graph(2, [(0, 1)], edge_labels="a"), Graph(2, [(0, 1)])], "graph 1 has no edge_labels"),
        ([Graph(1), 3], "graph 1: int is not a graph"),
    ],
)
def test_pools_that_do_not_fit(graphs, message):
    with pytest.raises(ts.InputError, match=message):
        ts.graphs.VertexHistogram().on(graphs)


def test_graphs_keep_their_own_copy():
    edges, attributes = np.array([[0, 1]]), np.array([1.0, 2.0])
    g = Graph(2, edges, attributes=attributes)
    edges[0, 0] = 1
    attributes[0] = 9
    assert g.edges.tolist() == [[0, 1]]
    assert g.attributes.tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError, match="read-only"):
        g.edges[0, 0] = 1


def test_labels_of_different_types_are_equal_as_python_says():
    K = ts.graphs.VertexHistogram(normalised=False).on([Graph(2, labels=np.array([1, 2])), Graph(2, labels=["1", 2])])
    assert K.block(np.arange(2), np.arange(2)).tolist() == [[2, 1], [1, 2]]


FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "0\n1\n0\n2\n2\n",
    "node_attributes": "0.5, 1\n1, 1\n2, 1\n3, 1\n4, 1\n",
    "edge_labels": "7\n7\n8\n8\n9\n",
}


def write_tu(folder, files=FILES):
    for name, text in files.items():
        (folder / f"TINY_{name}.txt").write_text(text)
    return folder


def test_read_tu_folder(tmp_path):
    data = read_tu(write_tu(tmp_path))
    first, second = data.graphs
    assert same(first, Graph(3, [(0, 1), (1, 2)]))
    marks = dict(zip(map(tuple, first.edges.tolist()), first.edge_labels.tolist(), strict=True))
    assert marks == {(0, 1): 7, (1, 2): 8}
    assert same(second, Graph(2, [(1, 0)], directed=True))
    assert first.labels.tolist() == [0, 1, 0]
    assert second.attributes.tolist() == [[3.0, 1.0], [4.0, 1.0]]
    assert data.classes.tolist() == [1, -1]
    assert data.of_class(-1) == [second]
    with pytest.raises(ts.InputError, match="no class 5"):
        data.of_class(5)


def test_read_tu_archive_is_the_same(tmp_path):
    folder = read_tu(write_tu(tmp_path))
    arrays = {
        ("edges" if k == "A" else k): np.array([[float(c) for c in line.split(",")] for line in v.splitlines()])
        for k, v in FILES.items()
    }
    for name in ("edges", "graph_indicator", "graph_labels", "node_labels", "edge_labels"):
        arrays[name] = arrays[name].astype(int)
    np.savez(tmp_path / "TINY.npz", **arrays)
    archive = read_tu(tmp_path / "TINY.npz")
    for a, b in zip(folder.graphs, archive.graphs, strict=True):
        assert same(a, b)
        assert a.labels.tolist() == b.labels.tolist()
    assert archive.classes.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": "1, 9\n"}, "beyond the 5"),
        ({"A": "1, 4\n"}, "joins two graphs"),
        ({"A": "1, x\n"}, "must hold numbers"),
        ({"graph_indicator": "2\n1\n1\n2\n2\n"}, "must go up"),
        ({"node_labels": "1\n"}, "node_labels has 1 rows"),
    ],
)
def test_read_tu_refusals(tmp_path, change, message):
    with pytest.raises(ts.InputError, match=message):
        read_tu(write_tu(tmp_path, {**FILES, **change}))


def test_read_tu_without_a_data_set(tmp_path):
    with pytest.raises(ts.InputError, match=r"0 files end in _A\.txt"):
        read_tu(tmp_path)
    with pytest.raises(ts.InputError, match="no such folder"):
        read_tu(tmp_path / "absent.npz")
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04 truncated")
    with pytest.raises(ts.InputError, match=r"not a \.npz"):
        read_tu(tmp_path / "bad.npz")


def test_the_papers_data_sets(data_directory):
    enzymes = read_tu(data_directory / "graphs_tu" / "ENZYMES.npz")
    assert np.bincount(enzymes.classes).tolist() == [0] + [100] * 6
    assert np.mean([g.nodes for g in enzymes.graphs]) == pytest.approx(32.63, abs=0.005)
    assert np.mean([len(g.edges) for g in enzymes.graphs]) == pytest.approx(62.14, abs=0.005)
    proteins = read_tu(data_directory / "graphs_tu" / "PROTEINS.npz", attributes="node_attributes_full")
    assert np.bincount(proteins.classes).tolist() == [0, 663, 450]
    assert proteins.graphs[0].attributes.shape[1] == 29


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": [["a"], "b"]}, "labels: that of node 0 is of type list, which is not hashable"),
        ({"labels": 5}, "labels=5 must be a list"),
        ({"labels": ["a", None]}, "labels: node 1 has none"),
        ({"labels": ["a", float("nan")]}, "labels: node 1 has none"),
        ({"edges": [(0, 1), (1,)]}, "edges: rows must all have the same length"),
        ({"attributes": [[1, 2], [1]]}, "attributes: rows must all have the same length"),
    ],
)
def test_parts_that_are_none(options, message):
    with pytest.raises(ts.InputError, match=message):
        Graph(2, **options)


def test_labels_are_never_rounded():
    large = [2**53, 2**53 + 1]
    graphs = [Graph(2, labels=np.array(large, dtype=kind)) for kind in (np.uint64, np.int64)]
    graphs.append(Graph(2, labels=[2**70, 2**70 + 1]))
    K = ts.graphs.VertexHistogram(normalised=False).block(graphs, graphs)
    assert K.tolist() == [[2, 2, 0], [2, 2, 0], [0, 0, 2]]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"A": "1,2,3\n2,1,3\n"}, "each row must hold two nodes"),
        ({"A": "1\n2\n"}, "each row must hold two nodes"),
        ({"A": "1.5,2\n"}, "edges must hold whole numbers"),
        ({"A": "1,2\n2,1\n", "node_labels": "x\ny\n"}, "rows must hold numbers"),
    ],
)
def test_files_that_are_no_graphs(files, message, tmp_path):
    for name, text in {"graph_indicator": "1\n1\n", **files}.items():
        (tmp_path / f"T_{name}.txt").write_text(text)
    with pytest.raises(ts.InputError, match=message):
        ts.graphs.read_tu(tmp_path)


def test_a_data_set_without_edges(tmp_path):
    (tmp_path / "T_A.txt").write_text("")
    (tmp_path / "T_graph_indicator.txt").write_text("1\n1\n")
    assert repr(ts.graphs.read_tu(tmp_path).graphs) == "(Graph(2 nodes, 0 edges),)"
    with pytest.raises(ts.InputError, match="place=None"):
        ts.graphs.read_tu(None)


def test_units_of_attributes_do_not_matter():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(6, 3, 2))
    K, huge = (
        ts.graphs.RandomWalk().block(graphs, graphs)
        for graphs in ([Graph(3, [(0, 1)], attributes=unit * x) for x in rows] for unit in (1.0, 2.0**900))
    )
    np.testing.assert_allclose(huge, K, rtol=1e-10)


def test_graphs_without_a_kernel():
    networkx = pytest.importorskip("networkx")
    x, y = ([networkx.gnp_random_graph(8, p, seed=i) for i in range(6)] for p in (0.1, 0.9))
    for test in (ts.mmd_test, ts.hsic_test, ts.witness):
        with pytest.raises(ts.InputError, match=r"x holds graphs; give a list of them and a kernel"):
            test(x, y)


@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_a_sparse_array_that_is_no_square(shape):
    column = sparse.coo_array(np.ones(shape))
    with pytest.raises(ts.InputError, match="must be square"):
        ts.mmd([column, column], [column, column], kernel=ts.graphs.WeisfeilerLehman())
