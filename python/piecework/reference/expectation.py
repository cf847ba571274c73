"""Sums over all segmentations of a word: what expectation maximization is made of.

All of them are logarithms: the probability of a word of some hundred characters is too small for a number.

Source: Kudo 2018, section 3.2; forward-backward as for hidden Markov models (Baum et al. 1970).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.reference.unigram import Edge, Unigram


def log_add(a: float, b: float) -> float:
    """The logarithm of the sum of two numbers whose logarithms are given; that of 0 is minus infinity."""
    low, high = min(a, b), max(a, b)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def forward(edges: list[Edge], length: int) -> list[float]:
    """For each position the probability of everything in front of it, over all ways to get there."""
    sums = [0.0] + [-math.inf] * length
    for edge in edges:
        sums[edge.end] = log_add(sums[edge.end], sums[edge.start] + edge.score)
    return sums


def backward(edges: list[Edge], length: int) -> list[float]:
    """The same for everything behind it."""
    sums = [-math.inf] * length + [0.0]
    for edge in reversed(edges):
        sums[edge.start] = log_add(sums[edge.start], edge.score + sums[edge.end])
    return sums


def marginal_loss(model: Unigram, word_counts: Mapping[str, int]) -> float:
    """Negative log-likelihood of a corpus, each word in all its segmentations."""
    return 0.0 - sum(count * forward(model.lattice(word), len(word))[-1] for word, count in word_counts.items())


def expected_counts(model: Unigram, word_counts: Mapping[str, int]) -> dict[str, float]:
    """How often each piece occurs if every segmentation counts by its probability: the step of expectation."""
    expected = dict.fromkeys(model.scores, 0.0)
    for word, count in word_counts.items():
        edges = model.lattice(word)
        before, behind = forward(edges, len(word)), backward(edges, len(word))
        for start, end, piece, score in edges:
            if piece in expected:
                expected[piece] += count * math.exp(before[start] + score + behind[end] - before[-1])
    return expected
