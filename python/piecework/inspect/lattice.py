"""How Unigram chooses among all ways to cut a pretoken."""

from __future__ import annotations

import heapq
import json
import math
from typing import TYPE_CHECKING, NamedTuple

from piecework.reference.expectation import forward
from piecework.reference.unigram import UNKNOWN_PENALTY, Edge, Unigram

if TYPE_CHECKING:
    from piecework import models


class Way(NamedTuple):
    """A way to cut a pretoken."""

    pieces: list[Edge]
    score: float
    """Sum of the scores of its pieces."""
    share: float
    """Its part of the probability of all ways together."""


class LatticeSteps(NamedTuple):
    """A pretoken in Unigram: every piece wherever it fits, and the best ways through them."""

    word: str
    edges: list[Edge]
    ways: list[Way]
    """The best ones, from the best on."""
    unknown: frozenset[str]
    """Characters that no piece stands for."""

    @property
    def pieces(self) -> list[str]:
        """The best way; unknown characters are joined later."""
        return [edge.piece for edge in self.ways[0].pieces] if self.ways else []


class UnigramSteps:
    """Shows the work of a Unigram model; without sampling, which is drawn anew each time."""

    def __init__(self, model: models.Unigram, n_best: int) -> None:
        entries: list[tuple[str, float]] = json.loads(model._handle.json())["vocab"]
        self._unigram = Unigram(dict(entries))
        self._unigram.unknown = min((score for _, score in entries), default=0.0) - UNKNOWN_PENALTY
        self._n_best = n_best

    def __call__(self, word: str) -> LatticeSteps:
        """The steps of a pretoken."""
        edges = self._unigram.lattice(word)
        unknown = frozenset(edge.piece for edge in edges if edge.piece not in self._unigram.scores)
        return LatticeSteps(word, edges, best_ways(edges, len(word), self._n_best), unknown)


class _Tail(NamedTuple):
    """The last piece of a way to a place, and which of the best ways to the start of the piece comes before it."""

    score: float
    edge: Edge | None
    before: int


def best_ways(edges: list[Edge], length: int, n: int) -> list[Way]:
    """The `n` best ways through a lattice whose edges come by start and end; longer last pieces first."""
    best: list[list[_Tail]] = [[] for _ in range(length + 1)]
    best[0] = [_Tail(0.0, None, 0)]
    total = forward(edges, length)[length]
    arriving: dict[int, list[Edge]] = {}
    for edge in edges:
        arriving.setdefault(edge.end, []).append(edge)
    for end in sorted(arriving):
        tails = [
            _Tail(tail.score + edge.score, edge, i) for edge in arriving[end] for i, tail in enumerate(best[edge.start])
        ]
        best[end] = heapq.nlargest(n, tails, key=lambda tail: tail.score)
    ways: list[Way] = []
    for last in best[length]:
        pieces: list[Edge] = []
        tail = last
        while tail.edge is not None:
            pieces.append(tail.edge)
            tail = best[tail.edge.start][tail.before]
        ways.append(Way(pieces[::-1], last.score, math.exp(last.score - total)))
    return ways
