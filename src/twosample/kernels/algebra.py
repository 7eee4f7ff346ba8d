"""Sums, products and positive multiples of kernels: kernels again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from ..core.types import Floats, Reals
from ..errors import OptionError, positive_number
from .base import BandwidthOf, Blocks, Kernel
from .mixture import Mixture
from .spectra import ExponentialPolynomial, Frequencies, apportion


class _Made(Kernel):
    """A kernel that is made of other kernels on the same points: what it takes from all of them alike."""

    @property
    @abstractmethod
    def _parts(self) -> tuple[Kernel, ...]:
        """What it is made of."""

    @abstractmethod
    def _of(self, parts: Iterable[Kernel]) -> Kernel:
        """The same of other parts."""

    @abstractmethod
    def _value(self, values: Iterable[Any]) -> Any:
        """Its value from those of the parts."""

    @property
    def domain(self) -> str:
        """The kind of points of the parts."""
        return self._parts[0].domain

    @property
    def size(self) -> int | None:
        return self._parts[0].size

    @property
    def source(self) -> Kernel:
        """The same of the parts' sources."""
        return self._of(part.source for part in self._parts)

    def on(self, objects: Sequence[Any]) -> Kernel:
        return self._of(part.on(objects) for part in self._parts)

    def rescaled(self, unit: float) -> Kernel:
        return self._of(part.rescaled(unit) for part in self._parts)

    def fill(self, bandwidth_of: BandwidthOf) -> Kernel:
        return self._of(part.fill(bandwidth_of) for part in self._parts)

    @property
    def needs_bandwidth(self) -> bool:
        return any(part.needs_bandwidth for part in self._parts)

    @property
    def smooth(self) -> bool:
        """When every part is."""
        return all(part.smooth for part in self._parts)

    @property
    def shift_invariant(self) -> bool:
        """When every part is."""
        return all(part.shift_invariant for part in self._parts)

    def block(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self._value(part.block(a, b) for part in self._parts))

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self._value(part.pairs(a, b) for part in self._parts))

    def diagonal(self, a: Floats) -> Floats:
        return np.asarray(self._value(part.diagonal(a) for part in self._parts))

    def blocks(self, a: Floats, b: Floats, elementary: Callable[[Kernel, Floats, Floats], Blocks]) -> Blocks:
        """In the lowest precision of the parts: it is no better than the worst of them."""
        parts = [part.blocks(a, b, elementary) for part in self._parts]

        def block(rows: slice, columns: slice) -> Reals:
            values = [part(rows, columns) for part in parts]
            lowest = min((value.dtype for value in values), key=lambda dtype: dtype.itemsize)
            result: Reals = self._value(values).astype(lowest, copy=False)
            return result

        return block


@dataclass(frozen=True)
class _Combination(_Made):
    """Several kernels on the same points."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        flat: list[Kernel] = []
        given = self.parts if isinstance(self.parts, list | tuple) else (self.parts,)
        for part in given:
            if not isinstance(part, Kernel):
                raise OptionError(f"{type(self).__name__}: parts={self.parts!r} must be a tuple of kernels.")
            flat.extend(part.parts if isinstance(part, type(self)) else (part,))
        if not flat:
            raise OptionError(f"{type(self).__name__} needs at least one kernel.")
        domains = {part.domain for part in flat}
        if len(domains) > 1:
            raise OptionError(f"Kernels on different kinds of points cannot be combined: {sorted(domains)}.")
        object.__setattr__(self, "parts", tuple(flat))

    @property
    def _parts(self) -> tuple[Kernel, ...]:
        return self.parts

    def _of(self, parts: Iterable[Kernel]) -> Kernel:
        return type(self)(tuple(parts))


@dataclass(frozen=True)
class Sum(_Combination):
    """``k1 + k2 + ...``: sees whatever one of its parts sees.

    Parameters
    ----------
    parts
        The kernels.

    Examples
    --------
    >>> import twosample as ts
    >>> (ts.Gaussian(1.0) + ts.Linear()).bounds is None
    True
    """

    def _value(self, values: Iterable[Any]) -> Any:
        return reduce(add, values)

    @property
    def characteristic(self) -> bool:
        """Characteristic as soon as one part is."""
        return any(part.characteristic for part in self.parts)

    @property
    def translation_free(self) -> bool:
        """When every part is."""
        return all(part.translation_free for part in self.parts)

    @property
    def bounds(self) -> tuple[float, float] | None:
        every = [part.bounds for part in self.parts]
        known = [bound for bound in every if bound is not None]
        if len(known) < len(every):
            return None
        return sum(low for low, _ in known), sum(high for _, high in known)

    def spectral_density(self, frequencies: Floats) -> Floats:
        """The parts' densities, weighted by their values at zero."""
        weights = [float(part.diagonal(np.zeros((1, frequencies.shape[1])))[0]) for part in self.parts]
        densities = (w * part.spectral_density(frequencies) for w, part in zip(weights, self.parts, strict=True))
        return np.asarray(reduce(add, densities) / sum(weights))

    def draw_frequencies(self, d: int, count: int, rng: np.random.Generator, orthogonal: bool = True) -> Frequencies:
        """Of every part, in proportion to its value at zero."""
        shares = apportion(np.array([float(part.diagonal(np.zeros((1, d)))[0]) for part in self.parts]), count)
        drawn = [part.draw_frequencies(d, c, rng, orthogonal) for part, c in zip(self.parts, shares, strict=True)]
        return np.concatenate([f for f, _ in drawn]), np.concatenate([w for _, w in drawn])

    def gaussians(self, span: float, tolerance: float) -> Mixture | None:
        return _joined(self.parts, Mixture.plus, span, tolerance)


@dataclass(frozen=True)
class Product(_Combination):
    """``k1 * k2 * ...``: close only where every part says close.

    Parameters
    ----------
    parts
        The kernels.

    Examples
    --------
    >>> import twosample as ts
    >>> (ts.Gaussian(1.0) * ts.Laplace(2.0)).bounds
    (0.0, 1.0)
    """

    def _value(self, values: Iterable[Any]) -> Any:
        return reduce(mul, values)

    @property
    def characteristic(self) -> bool:
        """When every part is and depends on differences only: spectra of full support convolve to full support."""
        return all(part.characteristic and part.shift_invariant for part in self.parts)

    def draw_frequencies(self, d: int, count: int, rng: np.random.Generator, orthogonal: bool = True) -> Frequencies:
        """The spectrum of a product is that of the sum of independent frequencies, one from each part."""
        frequencies, weights = np.zeros((count, d)), np.ones(count)
        for part in self.parts:
            more, shares = part.draw_frequencies(d, count, rng, orthogonal)
            order = rng.permutation(len(more))[:count]
            frequencies += more[order]
            weights *= shares[order]
        height = float(self.diagonal(np.zeros((1, d)))[0])
        return frequencies, weights * (height / weights.sum())

    def gaussians(self, span: float, tolerance: float) -> Mixture | None:
        """Of as few factors as the families allow."""
        factors: list[Kernel] = []
        for part in self.parts:
            merged = next(((i, k) for i, f in enumerate(factors) if (k := f.product_with(part)) is not None), None)
            if merged is None:
                factors.append(part)
            else:
                factors[merged[0]] = merged[1]
        return _joined(factors, Mixture.times, span, tolerance / len(factors))

    @property
    def bounds(self) -> tuple[float, float] | None:
        low, high = 1.0, 1.0
        for part in self.parts:
            bound = part.bounds
            if bound is None:
                return None
            corners = [u * v for u in (low, high) for v in bound]
            low, high = min(corners), max(corners)
        return low, high


@dataclass(frozen=True)
class Scaled(_Made):
    """``factor * kernel`` with a positive factor.

    Parameters
    ----------
    kernel
        Any kernel.
    factor
        A positive number.

    Examples
    --------
    >>> import twosample as ts
    >>> (0.5 * ts.Gaussian(1.0)).bounds
    (0.0, 0.5)
    """

    kernel: Kernel
    factor: float

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise OptionError(f"Scaled: kernel={self.kernel!r} must be a kernel.")
        positive_number("the factor of a kernel", self.factor)

    @property
    def _parts(self) -> tuple[Kernel, ...]:
        return (self.kernel,)

    def _of(self, parts: Iterable[Kernel]) -> Kernel:
        (part,) = parts
        return Scaled(part, self.factor)

    def _value(self, values: Iterable[Any]) -> Any:
        (value,) = values
        return np.multiply(value, self.factor)

    @property
    def characteristic(self) -> bool:
        """As the kernel."""
        return self.kernel.characteristic

    @property
    def translation_free(self) -> bool:
        """As the kernel."""
        return self.kernel.translation_free

    @property
    def bounds(self) -> tuple[float, float] | None:
        bound = self.kernel.bounds
        return None if bound is None else (self.factor * bound[0], self.factor * bound[1])

    def spectral_density(self, frequencies: Floats) -> Floats:
        return self.kernel.spectral_density(frequencies)

    def draw_frequencies(self, d: int, count: int, rng: np.random.Generator, orthogonal: bool = True) -> Frequencies:
        frequencies, weights = self.kernel.draw_frequencies(d, count, rng, orthogonal)
        return frequencies, self.factor * weights

    def gaussians(self, span: float, tolerance: float) -> Mixture | None:
        mixture = self.kernel.gaussians(span, tolerance)
        return None if mixture is None else mixture.scaled(self.factor)

    @property
    def exponential_polynomial(self) -> ExponentialPolynomial | None:
        form = self.kernel.exponential_polynomial
        return None if form is None else form.scaled(self.factor)


def _joined(
    parts: Sequence[Kernel], join: Callable[[Mixture, Mixture], Mixture], span: float, tolerance: float
) -> Mixture | None:
    """The Gaussians of all parts joined, or None if a part is no sum of Gaussians."""
    mixtures = [part.gaussians(span, tolerance) for part in parts]
    known = [mixture for mixture in mixtures if mixture is not None]
    return reduce(join, known) if len(known) == len(mixtures) else None
