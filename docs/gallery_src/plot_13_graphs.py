"""
Two kinds of networks
=====================

Random graphs and regular ones with about as many edges, told apart by their neighbourhoods.
"""

import networkx as nx
from matplotlib import pyplot as plt

import twosample as ts

random = [nx.gnp_random_graph(20, 0.16, seed=s) for s in range(30)]
regular = [nx.random_regular_graph(3, 20, seed=s) for s in range(30)]
r = ts.mmd_test(random, regular, kernel=ts.graphs.WeisfeilerLehman(), rng=0)
fig, axes = plt.subplots(1, 3, figsize=(10, 3.2))
for ax, graph, name, colour in ((axes[0], random[0], "random", "#0b6bb0"), (axes[1], regular[0], "regular", "#c8541d")):
    nx.draw(graph, nx.circular_layout(graph), ax=ax, node_size=40, node_color=colour, edge_color="#888888")
    ax.set_title(name)
r.plot(ax=axes[2])
