"""The random walk kernel of labelled and attributed graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.threads import Progress, available_cores, run
from ...core.types import Floats
from ...errors import OptionError, positive_number, whole_number
from ...kernels import Gaussian, Kernel, Median
from ...kernels.objects import ObjectKernel, Tabulated
from .pool import GraphPool
from .products import Products

_LEFT_OUT = 1e-15  # the share of the sum over all lengths of walks that may be missing
PRODUCTS = ("nodes", "steps")  # what the value of a walk may be a product of


@dataclass(frozen=True)
class RandomWalk(ObjectKernel):
    r"""The random walk kernel: how many walks two graphs have in common, and how similar these are.

    .. math:: k(G, H) = \sum_{p=0}^{steps} decay^p \sum_{u_0 \dots u_p \in G} \sum_{v_0 \dots v_p \in H}
        \prod_{i=0}^{p} k_n(u_i, v_i) \prod_{i=1}^{p} k_e(u_{i-1} u_i, v_{i-1} v_i)

    over all walks of p edges. The kernel on nodes is 1 for equal labels and 0 for others, times `attributes`; that on
    edges is 1 for equal labels and 0 for others, times `lengths`. What the graphs do not carry does not count.

    The protein kernel of Borgwardt et al. (2005), which the paper cites, multiplies *steps* instead, each of which has
    two nodes: :math:`\prod_{i=1}^p k_n(u_{i-1}, v_{i-1})\, k_e(u_{i-1} u_i, v_{i-1} v_i)\, k_n(u_i, v_i)`. Nodes inside
    a walk then count twice, its ends once, and walks without an edge (p = 0) not at all: ``product="steps"``. Without
    attributes the node kernel is 0 or 1, and only the terms with p = 0 make a difference.

    Parameters
    ----------
    steps
        The largest number of edges of a walk; None for walks of all lengths, which exists if `decay` is small enough.
    decay
        Weight of one more edge. Two nodes with d edges each have d² common steps, so that 1/d² is where long walks
        begin to outweigh short ones.
    attributes
        Kernel on the attributes of nodes; None to leave them out. If it leaves its bandwidth open, columns are brought
        to unit spread over all nodes of both samples and the bandwidth is the median distance of nodes; a kernel with a
        bandwidth sees the attributes as they are.
    lengths
        Kernel on the lengths of edges, such as ``BrownianBridge(2.0)``; None to leave them out.
    product
        What the value of a walk is a product of: 'nodes', each node and each edge once, or 'steps', as in the protein
        paper.
    normalised
        Divide k(G, H) by the square root of k(G, G) k(H, H). Graphs without a walk (empty ones; by steps all without
        an edge) are then like each other only: 1.
    threads
        Threads to use; None for one on each core. The result does not depend on it.
    progress
        Called with (done, total) pieces of the Gram matrix; ``ts.ProgressBar()`` draws a bar.

    Notes
    -----
    The product graph is never made. With X the (nodes of G × nodes of H) sums over walks that begin there, one step is
    X ← N ∘ (A X B'), for one G and many H at once. With V nodes and E edges in all graphs together this takes
    O(steps · V E) time, with lengths O(steps · E²), in pieces of a few MB. For labels without attributes
    :class:`WeisfeilerLehman` costs far less and usually finds more: walks turn back and forth on the same edge.
    Directed graphs are walked along their edges.

    Examples
    --------
    >>> import twosample as ts
    >>> path = ts.graphs.Graph(3, [(0, 1), (1, 2)])
    >>> ts.graphs.RandomWalk(steps=1, decay=0.5, normalised=False).block([path], [path])  # 3² + 4² / 2
    array([[17.]])
    >>> protein = ts.graphs.RandomWalk(steps=1, decay=0.5, product="steps", normalised=False)
    >>> protein.block([path], [path])  # 4² / 2
    array([[8.]])
    """

    steps: int | None = 3
    decay: float = 0.1
    attributes: Kernel | None = field(default_factory=Gaussian)
    lengths: Kernel | None = None
    product: str = field(default="nodes", kw_only=True)
    normalised: bool = field(default=True, kw_only=True)
    threads: int | None = field(default=None, kw_only=True, compare=False, repr=False)
    progress: Progress | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.product, str) or self.product not in PRODUCTS:
            raise OptionError(f"product={self.product!r} must be 'nodes' or 'steps'.")
        if self.steps is not None:
            object.__setattr__(self, "steps", whole_number("steps", self.steps, least=int(self.product == "steps")))
        object.__setattr__(self, "decay", positive_number("decay", self.decay))
        if self.threads is not None:
            object.__setattr__(self, "threads", whole_number("threads", self.threads))
        for name in ("attributes", "lengths"):
            kernel = getattr(self, name)
            if kernel is not None and (not isinstance(kernel, Kernel) or kernel.domain != "vectors"):
                raise OptionError(f"{name}={kernel!r} must be a kernel on numbers such as ts.Gaussian(), or None.")
        if self.lengths is not None and self.lengths.needs_bandwidth:
            raise OptionError(f"lengths={self.lengths!r} leaves its bandwidth open; give it one.")

    def on(self, objects: Sequence[Any]) -> Tabulated:
        pool = GraphPool.of(objects)
        kernel, attributes = self._for_attributes(pool)
        products = Products(pool, kernel, attributes, self.lengths, self.decay, self.product == "steps")
        steps = _enough(products) if self.steps is None else self.steps
        pieces = products.pieces()
        parts = run(
            pieces, lambda piece, _: products.walks(piece, steps), self.threads or available_cores(), self.progress
        )
        K = np.zeros((len(pool), len(pool)))
        for piece, part in zip(pieces, parts, strict=True):
            K[piece.graph, piece.first : piece.last] = part
            K[piece.first : piece.last, piece.graph] = part
        if not np.isfinite(K).all():
            raise OptionError(f"steps={steps} with decay={self.decay:g}: the weights of walks overflow; lower either.")
        return Tabulated(origin=self, matrix=_cosines(K) if self.normalised else K)

    @property
    def bounds(self) -> tuple[float, float] | None:
        kernels = [kernel for kernel in (self.attributes, self.lengths) if kernel is not None]
        positive = all(kernel.bounds is not None and kernel.bounds[0] >= 0 for kernel in kernels)
        return (0.0, 1.0) if self.normalised and positive else None

    def _for_attributes(self, pool: GraphPool) -> tuple[Kernel | None, Floats]:
        """The kernel on attributes with its bandwidth, and the attributes that it is to see."""
        if self.attributes is None or pool.attributes is None:
            return None, np.empty((pool.nodes, 0))
        if not self.attributes.needs_bandwidth:
            return self.attributes, pool.attributes
        scaled = _unit_spread(pool.attributes)
        rng = np.random.default_rng(0)  # the rule takes a subsample of many nodes: the same each time
        return self.attributes.fill(
            lambda metric, rows=None: float(Median().bandwidths(scaled, metric, rng)[0])
        ), scaled


def _unit_spread(attributes: Floats) -> Floats:
    """Columns divided by their standard deviations, whatever their units."""
    largest = np.abs(attributes).max(axis=0, initial=0.0)
    scaled = attributes / np.where(largest > 0, largest, 1.0)  # squares of large numbers would overflow
    spread = scaled.std(axis=0)
    return np.asarray(scaled / np.where(spread > 0, spread, 1.0))


def _enough(products: Products) -> int:
    """How many steps leave out nothing that doubles could show; refuses a sum over lengths that has no limit."""
    growth = products.growth()
    if growth >= 1:
        raise OptionError(
            f"decay={products.decay:g} is too large for walks of all lengths: each step may multiply their weight by "
            f"{growth:.4g}. Take a decay below {products.decay / growth:.4g}, or a number of steps."
        )
    return products.enough(growth, _LEFT_OUT)


def _cosines(K: Floats) -> Floats:
    """Values divided by the norms; graphs without norm are like each other only."""
    norms = np.sqrt(np.diagonal(K))
    bare = norms == 0
    norms = np.where(bare, 1.0, norms)
    return np.asarray(K / np.outer(norms, norms) + np.outer(bare, bare))
