"""Graph kernels straight from their definitions, in plain loops, and random graphs to try them on."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np

from twosample.structured.graphs import Graph


def random_graph(rng, nodes=6, density=0.4, kinds=3, directed=False, edge_kinds=0, columns=0, loops=False):
    pairs = [
        (u, v) for u in range(nodes) for v in range(nodes) if (u != v if directed else u < v) or (loops and u == v)
    ]
    edges = [pair for pair in pairs if rng.random() < density]
    return Graph(
        nodes,
        edges,
        labels=rng.integers(kinds, size=nodes) if kinds else None,
        attributes=rng.normal(size=(nodes, columns)) if columns else None,
        edge_labels=rng.integers(edge_kinds, size=len(edges)) if edge_kinds else None,
        directed=directed,
    )


def labels(g):
    return [0] * g.nodes if g.labels is None else list(g.labels)


def arcs(g):
    """{(u, v): edge label}, both ways for an undirected edge."""
    marks = [0] * len(g.edges) if g.edge_labels is None else list(g.edge_labels)
    found = {}
    for (u, v), mark in zip(g.edges.tolist(), marks, strict=True):
        found[u, v] = mark
        if not g.directed:
            found[v, u] = mark
    return found


def inner(a, b):
    return float(sum(count * b[key] for key, count in a.items()))


def weisfeiler_lehman(g, h, depth):
    def counts(graph):
        own, joined, total = labels(graph), arcs(graph), Counter()
        for round_ in range(depth + 1):
            total.update((round_, label) for label in own)
            own = [
                (own[u], tuple(sorted((repr((mark, own[v]))) for (s, v), mark in joined.items() if s == u)))
                for u in range(graph.nodes)
            ]
        return total

    return inner(counts(g), counts(h))


def distances(g):
    """Floyd and Warshall."""
    D = np.full((g.nodes, g.nodes), np.inf)
    np.fill_diagonal(D, 0)
    for u, v in arcs(g):
        if u != v:
            D[u, v] = 1
    for k in range(g.nodes):
        D = np.minimum(D, D[:, k : k + 1] + D[k])
    return D


def shortest_path(g, h):
    D, E, a, b = distances(g), distances(h), labels(g), labels(h)
    total = 0
    for u, v in permutations(range(g.nodes), 2):
        for s, t in permutations(range(h.nodes), 2):
            total += bool(a[u] == b[s] and a[v] == b[t] and D[u, v] == E[s, t] < np.inf)
    return float(total)


def vertex_histogram(g, h):
    return inner(Counter(labels(g)), Counter(labels(h)))


def edge_histogram(g, h):
    def kinds(graph):
        own = labels(graph)
        return Counter((own[u], mark, own[v]) for (u, v), mark in arcs(graph).items())

    return inner(kinds(g), kinds(h))


def graphlets(g, h, size):
    def shapes(graph):
        joined, total = arcs(graph), Counter()
        for nodes in combinations(range(graph.nodes), size):
            part = {(u, v) for u, v in joined if u in nodes and v in nodes and u != v}
            reached = {nodes[0]}
            for _ in nodes:
                reached |= {v for u, v in part if u in reached}
            if len(reached) == size:
                total[tuple(sorted(sum(u == w for u, _ in part) for w in nodes))] += 1
        return total

    return inner(shapes(g), shapes(h))


def random_walk(g, h, steps, decay, node, edge=lambda e, f: 1.0):
    """Sum over all pairs of walks of equal length; node(u, s) and edge(arc, arc) are kernel values."""
    total = 0.0

    def extend(u, s, weight, left):
        nonlocal total
        total += weight
        if not left:
            return
        for first in arcs(g):
            for second in arcs(h):
                if first[0] == u and second[0] == s:
                    step = decay * edge(first, second) * node(first[1], second[1])
                    if step:
                        extend(first[1], second[1], weight * step, left - 1)

    for u in range(g.nodes):
        for s in range(h.nodes):
            extend(u, s, node(u, s), steps)
    return total


def protein_walks(g, h, steps, decay, node, edge=lambda e, f: 1.0):
    """Sum over all pairs of walks of equally many edges, at least one, of the products of their steps."""
    total = 0.0
    walks = [([arc], [other]) for arc in arcs(g) for other in arcs(h)]
    for p in range(1, steps + 1):
        for first, second in walks:
            value = decay**p
            for (u, v), (s, t) in zip(first, second, strict=True):
                value *= node(u, s) * edge((u, v), (s, t)) * node(v, t)
            total += value
        walks = [
            ([*first, arc], [*second, other])
            for first, second in walks
            for arc in arcs(g)
            for other in arcs(h)
            if arc[0] == first[-1][1] and other[0] == second[-1][1]
        ]
    return total
