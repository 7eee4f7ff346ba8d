"""Graphs from networkx and from files."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._shown import shown
from ...errors import InputError, options_by_name
from .graph import Graph, Whole


@options_by_name
def from_networkx(
    graph: Any,
    *,
    label: str = "label",
    attributes: str = "x",
    edge_label: str = "label",
    edge_length: str = "length",
) -> Graph:
    """A networkx graph as a :class:`Graph`.

    Parameters
    ----------
    graph
        ``networkx.Graph`` or ``DiGraph``. Multigraphs are refused.
    label, attributes
        Names in the data of nodes: a hashable, and a number or a row of numbers. Nodes must have them all or none.
    edge_label, edge_length
        Names in the data of edges: a hashable, and a number. Edges must have them all or none.

    Notes
    -----
    Nodes are numbered in the order in which networkx lists them; the kernels do not depend on it.

    Examples
    --------
    >>> import networkx as nx, twosample as ts
    >>> g = nx.path_graph(3)
    >>> nx.set_node_attributes(g, {0: "C", 1: "C", 2: "O"}, "atom")
    >>> ts.graphs.from_networkx(g, label="atom")
    Graph(3 nodes, 2 edges, labels)
    """
    if not (hasattr(graph, "is_multigraph") and hasattr(graph, "adj")):
        raise InputError(f"graph is {type(graph).__name__} and not a networkx graph; ts.graphs.as_graph takes others.")
    if graph.is_multigraph():
        raise InputError("multigraphs are not supported: merge parallel edges first, for example by networkx.Graph(g).")
    number = {node: i for i, node in enumerate(graph.nodes)}
    edges = [(number[u], number[v]) for u, v in graph.edges]
    nodes_say, edges_say = list(graph.nodes(data=True)), list(graph.edges(data=True))
    lengths = _of_all(edges_say, edge_length, "edge")
    rows = _of_all(nodes_say, attributes, "node")
    return Graph(
        len(number),
        edges,
        labels=_of_all(nodes_say, label, "node"),
        attributes=None if rows is None else _rows(rows, attributes),
        edge_labels=_of_all(edges_say, edge_label, "edge"),
        edge_lengths=None if lengths is None else _rows(lengths, edge_length),
        directed=graph.is_directed(),
    )


@dataclass(frozen=True, eq=False)
class GraphDataset:
    """Graphs with their classes, as :func:`read_tu` gives them.

    Parameters
    ----------
    graphs
        The graphs.
    classes
        The class of each graph, or None.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> data = ts.graphs.GraphDataset((ts.graphs.Graph(1), ts.graphs.Graph(2)), np.array([1, 2]))
    >>> data.of_class(2)
    [Graph(2 nodes, 0 edges)]
    """

    graphs: tuple[Graph, ...] = field(repr=False)
    classes: NDArray[Any] | None = None

    def of_class(self, value: object) -> list[Graph]:
        """The graphs of one class."""
        if self.classes is None:
            raise InputError("these graphs came without classes.")
        chosen = [graph for graph, one in zip(self.graphs, self.classes, strict=True) if one == value]
        if not chosen:
            raise InputError(f"there is no class {value!r}; there are {np.unique(self.classes).tolist()}.")
        return chosen


@options_by_name
def read_tu(place: str | Path, *, attributes: str = "node_attributes") -> GraphDataset:
    r"""Read a data set in the format of the TU Dortmund collection of graphs.

    Parameters
    ----------
    place
        A folder with ``NAME_A.txt``, ``NAME_graph_indicator.txt`` and, as far as they exist, ``NAME_graph_labels.txt``,
        ``NAME_node_labels.txt``, ``NAME_node_attributes.txt`` and ``NAME_edge_labels.txt``; or a file ``.npz`` with
        arrays ``edges``, ``graph_indicator``, ``graph_labels``, ``node_labels``, ``node_attributes``, ``edge_labels``.
    attributes
        The file or array of node attributes to read, if there are several.

    Notes
    -----
    The format lists an undirected edge in both directions; here it is one edge. A graph with a one-way edge is
    directed. An arc that is listed twice counts once.
    Several numbers in one row of labels become a tuple.

    Examples
    --------
    >>> import pathlib, tempfile, twosample as ts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n2\n", "graph_labels": "7\n9\n"}
    ...     for name, text in files.items():
    ...         _ = pathlib.Path(folder, f"TINY_{name}.txt").write_text(text)
    ...     data = ts.graphs.read_tu(folder)
    >>> data.graphs, data.classes
    ((Graph(2 nodes, 1 edges), Graph(1 nodes, 0 edges)), array([7, 9]))
    """
    if not isinstance(place, str | PathLike):
        raise InputError(f"place={place!r} must be the path of a folder or of a file .npz.")
    place = Path(place)
    try:
        get = _in_folder(place) if place.is_dir() else _in_archive(place)
    except OSError as error:
        raise InputError(f"{shown(str(place), 300)} cannot be read: {error.strerror}.") from None
    edges, indicator = get("edges"), get("graph_indicator")
    if edges is None or indicator is None:
        raise InputError(f"{place}: no edges or no graph_indicator found; is this a data set of the TU format?")
    if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
        raise InputError(f"{place}: edges have the shape {edges.shape}; each row must hold two nodes.")
    indicator, edges = _whole(indicator.reshape(-1), place, "graph_indicator"), _whole(edges, place, "edges")
    classes = get("graph_labels")
    count = len(classes) if classes is not None else int(indicator.max(initial=0))
    if len(indicator) and (indicator.min() < 1 or indicator.max() > count or (np.diff(indicator) < 0).any()):
        raise InputError(f"{place}: graph_indicator must go up from 1 to the number of graphs, {count}.")
    edges = edges.reshape(-1, 2) - 1
    if len(edges) and (edges.min() < 0 or edges.max() >= len(indicator)):
        raise InputError(f"{place}: edges lead to nodes beyond the {len(indicator)} of graph_indicator.")
    parts = _Parts(edges, indicator - 1, get("node_labels"), get(attributes), get("edge_labels"))
    parts.check(place)
    return GraphDataset(tuple(parts.graphs(count)), None if classes is None else classes.reshape(-1))


@dataclass(frozen=True, eq=False)
class _Parts:
    """The arrays of the TU format, numbered from 0."""

    edges: Whole
    owner: Whole
    labels: NDArray[Any] | None
    attributes: NDArray[Any] | None
    edge_labels: NDArray[Any] | None

    def check(self, place: Path) -> None:
        """Refuse arrays that do not fit each other."""
        across = self.owner[self.edges[:, 0]] != self.owner[self.edges[:, 1]]
        if across.any():
            u, v = self.edges[int(across.argmax())] + 1
            raise InputError(f"{place}: the edge from node {u} to node {v} joins two graphs.")
        for name, array, rows in (
            ("node_labels", self.labels, len(self.owner)),
            ("node_attributes", self.attributes, len(self.owner)),
            ("edge_labels", self.edge_labels, len(self.edges)),
        ):
            if array is not None and len(array) != rows:
                raise InputError(f"{place}: {name} has {len(array)} rows, but there are {rows} of them.")

    def graphs(self, count: int) -> Iterable[Graph]:
        """The graphs one after the other."""
        order = np.argsort(self.owner[self.edges[:, 0]], kind="stable")
        cut = np.searchsorted(self.owner[self.edges[order, 0]], np.arange(count + 1))
        start = np.searchsorted(self.owner, np.arange(count + 1))
        for i in range(count):
            nodes, arcs = slice(start[i], start[i + 1]), order[cut[i] : cut[i + 1]]
            pairs = self.edges[arcs] - start[i]
            keep, directed = _edges_once(pairs, int(start[i + 1] - start[i]))
            yield Graph(
                int(start[i + 1] - start[i]),
                pairs[keep],
                labels=_plain(self.labels, nodes),
                attributes=None if self.attributes is None else self.attributes[nodes],
                edge_labels=_plain(self.edge_labels, arcs[keep]),
                directed=directed,
            )


def _whole(values: NDArray[Any], place: Path, name: str) -> Whole:
    if values.size and (values.dtype.kind not in "iuf" or (values != np.floor(values)).any()):
        raise InputError(f"{place}: {name} must hold whole numbers.")
    return values.astype(np.intp)


def _edges_once(pairs: Whole, nodes: int) -> tuple[Whole, bool]:
    """Which arcs to keep, and whether the graph is directed: some arc has no counterpart."""
    there, back = pairs[:, 0] * nodes + pairs[:, 1], pairs[:, 1] * nodes + pairs[:, 0]
    first = np.unique(there, return_index=True)[1]
    directed = not np.isin(back, there).all()
    keep = first if directed else first[pairs[first, 0] <= pairs[first, 1]]
    return keep, directed


def _plain(values: NDArray[Any] | None, rows: Any) -> Any:
    """Labels of some rows; several columns become tuples."""
    if values is None:
        return None
    chosen = values[rows]
    return chosen.reshape(-1) if chosen.size == len(chosen) else [tuple(row) for row in chosen.tolist()]


def _in_folder(place: Path) -> Callable[[str], NDArray[Any] | None]:
    """Look up the text files of a folder by the names of the arrays."""
    found = sorted(place.glob("*_A.txt"))
    if len(found) != 1:
        raise InputError(f"{place}: {len(found)} files end in _A.txt; a data set of the TU format has one.")
    stem = found[0].name.removesuffix("A.txt")

    def get(name: str) -> NDArray[Any] | None:
        file = place / f"{stem}{'A' if name == 'edges' else name}.txt"
        if not file.exists():
            return None
        try:
            lines = [line.split(",") for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
            table = np.array(lines, dtype=np.float64).reshape(len(lines), -1 if lines else 2)
        except ValueError:  # not numbers, not as many in each row, or not text
            raise InputError(f"{file}: rows must hold numbers, as many in each row.") from None
        return table if "attributes" in name else _whole_if_so(table)

    return get


def _whole_if_so(table: NDArray[np.float64]) -> NDArray[Any]:
    return table.astype(np.int64) if (table == np.floor(table)).all() else table


def _in_archive(place: Path) -> Callable[[str], NDArray[Any] | None]:
    """Look up the arrays of a npz file."""
    try:
        with place.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise InputError(f"{place}: there is no such folder or file.") from None
    except (ValueError, OSError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(f"{place} is not a .npz file of plain arrays ({error}).") from None
    return arrays.get


def _of_all(data: list[Any], name: str, of: str) -> list[Hashable] | None:
    """The entry of each node or edge; None if nobody has one."""
    entries = [item[-1].get(name) for item in data]
    missing = [i for i, entry in enumerate(entries) if entry is None]
    if len(missing) == len(entries):
        return None
    if missing:
        who = data[missing[0]][0] if of == "node" else data[missing[0]][:2]
        raise InputError(f"{of} {who!r} has no {name!r} but others have ({len(missing)} of {len(entries)} have none).")
    return entries


def _rows(values: list[Any], name: str) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64)
    except (ValueError, TypeError):
        raise InputError(f"{name!r} must be a number, or equally many numbers, everywhere.") from None
