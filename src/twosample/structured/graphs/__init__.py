"""Kernels on graphs: ``ts.mmd_test(graphs_a, graphs_b, kernel=ts.graphs.WeisfeilerLehman(depth=3))``.

A graph is a :class:`Graph`, a networkx graph or an adjacency matrix.
"""

from __future__ import annotations

from .bridge import BrownianBridge
from .graph import Graph, as_graph
from .graphlets import Graphlet
from .histograms import EdgeHistogram, VertexHistogram
from .paths import ShortestPath
from .readers import GraphDataset, from_networkx, read_tu
from .subtrees import WeisfeilerLehman
from .walks import RandomWalk

__all__ = [
    "BrownianBridge", "EdgeHistogram", "Graph", "GraphDataset", "Graphlet", "RandomWalk", "ShortestPath",
    "VertexHistogram", "WeisfeilerLehman", "as_graph", "from_networkx", "read_tu",
]  # fmt: skip
