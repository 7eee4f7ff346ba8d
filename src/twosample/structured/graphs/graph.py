"""A graph as the kernels see it, and what is accepted as one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.types import Floats
from ...errors import InputError, options_by_name, whole_number

Whole: TypeAlias = NDArray[np.intp]  # whole numbers: node numbers, label codes, counts


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A simple graph with whatever its nodes and edges carry.

    Nodes are the numbers 0 to ``nodes - 1``. Self-loops are allowed; parallel edges are refused, because the kernels
    here would disagree on what they mean.

    Parameters
    ----------
    nodes
        How many nodes. 0 is the empty graph.
    edges
        ``(E, 2)`` pairs of node numbers, each edge once. Undirected: (u, v) and (v, u) are the same edge.
    labels
        One hashable for each node: whole numbers, strings, tuples. None and NaN count as missing and are refused.
    attributes
        ``(nodes, d)`` numbers; one number for each node is one column.
    edge_labels
        One hashable for each edge.
    edge_lengths
        One number for each edge.
    directed
        Whether an edge leads from its first node to its second only.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.graphs.Graph(3, [(0, 1), (1, 2)], labels=["C", "C", "O"])
    Graph(3 nodes, 2 edges, labels)
    """

    nodes: int
    edges: ArrayLike = ()
    labels: Iterable[Hashable] | None = None
    attributes: ArrayLike | None = None
    edge_labels: Iterable[Hashable] | None = None
    edge_lengths: ArrayLike | None = None
    directed: bool = False

    def __post_init__(self) -> None:
        nodes = whole_number("nodes", self.nodes, least=0)
        edges = _edges(self.edges, nodes, self.directed)
        fields = {
            "nodes": nodes,
            "edges": edges,
            "labels": _labels(self.labels, nodes, "labels", "node"),
            "attributes": _numbers(self.attributes, nodes, "attributes", "node"),
            "edge_labels": _labels(self.edge_labels, len(edges), "edge_labels", "edge"),
            "edge_lengths": _lengths(self.edge_lengths, len(edges)),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_adjacency(
        cls, A: Any, *, labels: Iterable[Hashable] | None = None, attributes: ArrayLike | None = None
    ) -> Graph:
        """A graph from a square matrix of 0 and 1, dense or scipy.sparse; directed if it is not symmetric.

        Parameters
        ----------
        A
            ``(n, n)`` matrix; entry (u, v) is 1 where an edge leads from u to v. Other values are refused: for
            weights use ``A != 0``, or ``edge_lengths`` of :class:`Graph`.
        labels, attributes
            As for :class:`Graph`.
        """
        from scipy import sparse

        given: Any = A if sparse.issparse(A) else _dense(A)
        matrix: Any = sparse.coo_array(given, copy=True)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"an adjacency matrix must be square, not of shape {matrix.shape}.")
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        bad = matrix.data[matrix.data != 1]
        if len(bad):
            raise InputError(
                f"an adjacency matrix holds 0 and 1 only, this one holds {bad[0]}. Multiple edges are not supported; "
                "drop weights with A != 0, or give them as edge_lengths of ts.graphs.Graph."
            )
        pairs = np.stack([matrix.row, matrix.col], axis=1).astype(np.intp)
        directed = bool((matrix != matrix.T).nnz)
        if not directed:
            pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
        return cls(int(matrix.shape[0]), pairs, labels, attributes, directed=directed)

    def __repr__(self) -> str:
        names = ("labels", "attributes", "edge_labels", "edge_lengths")
        carried = [name for name in names if getattr(self, name) is not None]
        parts = [f"{self.nodes} nodes", f"{len(self._pairs)} edges", *carried]
        return f"Graph({', '.join(parts)}{', directed' if self.directed else ''})"

    @property
    def _pairs(self) -> Whole:
        return np.asarray(self.edges, dtype=np.intp)


@options_by_name
def as_graph(value: object) -> Graph:
    """Whatever is a graph, as a :class:`Graph`.

    Parameters
    ----------
    value
        A :class:`Graph`; a networkx graph (node data 'label' and 'x', edge data 'label' and 'length' where present: see
        :func:`from_networkx` for other names); an adjacency matrix of 0 and 1, dense or scipy.sparse.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> ts.graphs.as_graph(np.array([[0, 1], [1, 0]]))
    Graph(2 nodes, 1 edges)
    """
    if isinstance(value, Graph):
        return value
    if hasattr(value, "is_multigraph") and hasattr(value, "adj"):
        from .readers import from_networkx

        return from_networkx(value)
    if hasattr(value, "tocoo") or isinstance(value, np.ndarray | list | tuple):
        return Graph.from_adjacency(value)
    raise InputError(
        f"{type(value).__name__} is not a graph: give a ts.graphs.Graph, a networkx graph or an adjacency matrix."
    )


def as_graphs(values: Sequence[object]) -> list[Graph]:
    """All values as graphs; the error names the first that is none."""
    graphs = []
    for i, value in enumerate(values):
        try:
            graphs.append(as_graph(value))
        except (InputError, ValueError, TypeError) as error:
            raise InputError(f"graph {i}: {error}") from None
    return graphs


def _dense(A: object) -> Floats:
    matrix = _array(A, "an adjacency matrix")
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise InputError(f"an adjacency matrix must be a square array of 0 and 1, not {matrix.dtype} {matrix.shape}.")
    return np.asarray(matrix, dtype=np.float64)


def _edges(value: ArrayLike, nodes: int, directed: bool) -> Whole:
    given = _array(value, "edges")
    if given.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise InputError(f"edges must be (E, 2) whole numbers, not {given.dtype} of shape {given.shape}.")
    edges = np.array(given, dtype=np.intp)
    if edges.min() < 0 or edges.max() >= nodes:
        bad = edges[((edges < 0) | (edges >= nodes)).any(axis=1)][0]
        raise InputError(f"edge {tuple(map(int, bad))} leads out of the graph: its nodes are 0 to {nodes - 1}.")
    ends = edges if directed else np.sort(edges, axis=1)
    key = np.sort(ends[:, 0] * nodes + ends[:, 1])
    twice = key[1:][key[1:] == key[:-1]]
    if len(twice):
        u, v = divmod(int(twice[0]), nodes)
        raise InputError(
            f"edge ({u}, {v}) is given more than once{'' if directed else ' ((v, u) is the same edge)'}: "
            "parallel edges are not supported, merge them first."
        )
    edges.flags.writeable = False
    return edges


def _array(value: object, name: str) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:
        raise InputError(f"{name}: rows must all have the same length.") from None
    except Exception as error:  # noqa: BLE001 - whatever a foreign object says when it is asked for its numbers
        raise InputError(f"{name}: {error}") from None


def _labels(value: Iterable[Hashable] | None, count: int, name: str, of: str) -> Any:
    """An array of whole numbers if that is what the labels are, else a tuple of hashables."""
    if value is None:
        return None
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i":
        labels: Any = np.array(value)
    else:
        labels = _hashables(value, name, of)
        if all(type(label) is int and abs(label) < 2**63 for label in labels):
            labels = np.array(labels, dtype=np.int64) if labels else np.empty(0, dtype=np.int64)
    if len(labels) != count:
        raise InputError(f"{name}: {len(labels)} of them for {count} {of}s; give one for each.")
    return labels


def _hashables(value: Iterable[Hashable], name: str, of: str) -> tuple[Hashable, ...]:
    if not isinstance(value, Iterable):
        raise InputError(f"{name}={value!r} must be a list, one for each {of}.")
    labels = tuple(value.tolist() if isinstance(value, np.ndarray) else value)
    wrong = [i for i, label in enumerate(labels) if not isinstance(label, Hashable)]
    if wrong:
        kind = type(labels[wrong[0]]).__name__
        raise InputError(f"{name}: that of {of} {wrong[0]} is of type {kind}, which is not hashable.")
    missing = [i for i, label in enumerate(labels) if _is_missing(label)]
    if missing:
        raise InputError(f"{name}: {of} {missing[0]} has none ({len(missing)} of {len(labels)} are missing).")
    return labels


def _is_missing(label: object) -> bool:
    """None, NaN, and what else does not equal itself (``pandas.NA`` does not even say whether)."""
    return label is None or type(label).__name__ == "NAType" or (isinstance(label, float) and isnan(label))


def _numbers(value: ArrayLike | None, count: int, name: str, of: str) -> Floats | None:
    if value is None:
        return None
    given = _array(value, name)
    if given.dtype.kind not in "biuf":
        raise InputError(f"{name} must be numbers, not {given.dtype}.")
    numbers = np.array(given, dtype=np.float64)
    if numbers.ndim == 1:
        numbers = numbers[:, None]
    if numbers.ndim != 2 or len(numbers) != count:
        raise InputError(f"{name} have shape {given.shape} for {count} {of}s; give one row for each.")
    bad = ~np.isfinite(numbers).all(axis=1)
    if bad.any():
        raise InputError(f"{name}: {of} {int(bad.argmax())} has a value that is NaN or infinite.")
    numbers.flags.writeable = False
    return numbers


def _lengths(value: ArrayLike | None, count: int) -> Floats | None:
    numbers = _numbers(value, count, "edge_lengths", "edge")
    if numbers is None:
        return None
    if numbers.shape[1] != 1 and count:
        raise InputError("edge_lengths: give one number for each edge.")
    return numbers.reshape(-1)
