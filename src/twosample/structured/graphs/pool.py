"""All graphs of a test as one disjoint union, so that array operations see every node at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.types import Floats
from ...errors import InputError
from .graph import Graph, Whole, as_graphs

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, eq=False)
class GraphPool:
    """The disjoint union of N graphs with V nodes. An undirected edge is two arcs, a self-loop one."""

    sizes: Whole  # (N,) nodes of each graph
    source: Whole  # (E,) node numbers in the union, arcs ordered by source
    target: Whole  # (E,)
    labels: Whole | None  # (V,) codes from 0 on
    attributes: Floats | None  # (V, d)
    edge_labels: Whole | None  # (E,) codes from 0 on
    edge_lengths: Floats | None  # (E,)
    directed: bool  # whether any graph is

    @classmethod
    def of(cls, objects: Sequence[object]) -> GraphPool:
        """Put graphs together; refuses those that do not carry the same things."""
        graphs = as_graphs(objects)
        sizes = np.array([graph.nodes for graph in graphs], dtype=np.intp)
        start = np.cumsum(sizes) - sizes
        ends, loops_once = _arcs(graphs, start)
        order = np.lexsort((ends[:, 1], ends[:, 0]))

        def of_arcs(values: Any) -> Any:
            return None if values is None else np.concatenate([values, values[loops_once]])[order]

        return cls(
            sizes=sizes,
            source=ends[order, 0],
            target=ends[order, 1],
            labels=_codes(graphs, "labels"),
            attributes=_stacked(graphs, "attributes"),
            edge_labels=of_arcs(_codes(graphs, "edge_labels")),
            edge_lengths=of_arcs(_stacked(graphs, "edge_lengths")),
            directed=any(graph.directed for graph in graphs),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def nodes(self) -> int:
        """V, the nodes of all graphs together."""
        return int(self.sizes.sum())

    @cached_property
    def start(self) -> Whole:
        """(N + 1,) the first node of each graph, and V."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)

    @cached_property
    def owner(self) -> Whole:
        """(V,) the graph of each node."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def codes(self) -> Whole:
        """(V,) label codes; all 0 when nodes carry no labels."""
        return np.zeros(self.nodes, dtype=np.intp) if self.labels is None else self.labels

    @cached_property
    def edge_codes(self) -> Whole:
        """(E,) edge label codes; all 0 when edges carry no labels."""
        return np.zeros(len(self.source), dtype=np.intp) if self.edge_labels is None else self.edge_labels

    @cached_property
    def adjacency(self) -> sparse.csr_array:
        """(V, V) block diagonal matrix of 0 and 1."""
        return self.arcs_as_matrix(np.ones(len(self.source)))

    def arcs_as_matrix(self, values: Floats) -> sparse.csr_array:
        """(V, V) matrix with one value for each arc."""
        from scipy import sparse

        counts = np.bincount(self.source, minlength=self.nodes)
        pointers = np.concatenate([[0], np.cumsum(counts)])
        return sparse.csr_array((values, self.target, pointers), shape=(self.nodes, self.nodes), copy=True)


def _arcs(graphs: list[Graph], start: Whole) -> tuple[Whole, Whole]:
    """(E, 2) arcs: all edges as given, then those of undirected graphs that are no loops once more, turned round."""
    empty = np.empty((0, 2), dtype=np.intp)
    pairs = np.concatenate([empty, *(graph._pairs + first for graph, first in zip(graphs, start, strict=True))])
    one_way = np.repeat([graph.directed for graph in graphs], [len(graph._pairs) for graph in graphs]).astype(bool)
    again = np.flatnonzero(~one_way & (pairs[:, 0] != pairs[:, 1]))
    return np.concatenate([pairs, pairs[again, ::-1]]), again


def _codes(graphs: list[Graph], name: str) -> Whole | None:
    """The labels of all nodes (or edges) as codes 0, 1, ...; equal labels have equal codes."""
    if not _all_or_none(graphs, name):
        return None
    values = [getattr(graph, name) for graph in graphs if getattr(graph, name) is not None]
    if all(isinstance(value, np.ndarray) for value in values):
        return np.unique(np.concatenate(values), return_inverse=True)[1].reshape(-1).astype(np.intp)
    known: dict[Hashable, int] = {}
    try:
        codes = [known.setdefault(label, len(known)) for value in values for label in list(value)]
    except TypeError as error:
        raise InputError(f"{name} must be hashable: {error}.") from None
    return np.array(codes, dtype=np.intp)


def _stacked(graphs: list[Graph], name: str) -> Floats | None:
    """The numbers of all nodes (or edges), one below the other."""
    if not _all_or_none(graphs, name):
        return None
    values = [(i, getattr(g, name)) for i, g in enumerate(graphs) if getattr(g, name) is not None]
    values = [(i, value) for i, value in values if len(value)] or values[:1]
    first, shape = values[0][0], values[0][1].shape[1:]
    for i, value in values:
        if value.shape[1:] != shape:
            raise InputError(f"graph {i} has {value.shape[1]} {name} for each node, graph {first} has {shape[0]}.")
    return np.concatenate([value for _, value in values])


def _all_or_none(graphs: list[Graph], name: str) -> bool:
    """Whether the graphs carry this; refuses some with and some without, unless there is nothing to carry it."""
    carriers = [graph.nodes if name in ("labels", "attributes") else len(graph._pairs) for graph in graphs]
    having = [getattr(graph, name) is not None for graph in graphs]
    without = [i for i, (count, has) in enumerate(zip(carriers, having, strict=True)) if count and not has]
    if without and any(has and count for has, count in zip(having, carriers, strict=True)):
        raise InputError(
            f"graph {without[0]} has no {name} but others have ({len(without)} of {len(graphs)} have none): give them "
            "for all graphs of both samples, or for none."
        )
    return any(having) and not without
