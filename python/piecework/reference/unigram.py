"""Unigram: pieces with probabilities, of which those are dropped that the corpus misses least.

Source: Kudo 2018, "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
Candidates", section 3.2. A word is as probable as the product of its pieces, so its best segmentation is a shortest
path (Viterbi). Training starts from many substrings; in each round the pieces whose removal raises the loss least are
dropped, single characters never. A piece keeps the count of its seed here; in the paper each round begins with
expectation maximization, which `train_unigram` in the module beside this one does too.
"""

from __future__ import annotations

import itertools
import math
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

from piecework.reference.words import checked

if TYPE_CHECKING:
    from collections.abc import Mapping

UNKNOWN_PENALTY = 10.0
"""A character that no piece stands for scores so much less than the worst piece, as in SentencePiece."""


class PruningStep(NamedTuple):
    """What one round of training did.

    Example:
        >>> from piecework.reference import Unigram
        >>> step = Unigram.train({"ab": 2, "abc": 1}, vocab_size=5, seed_size=6, shrink=0.1).steps[0]
        >>> step.removed, round(step.before, 3), round(step.after, 3)
        ({'bc': 0.0}, 5.257, 4.996)
    """

    removed: dict[str, float]
    """The pieces that were dropped, with what each alone would have added to the loss."""
    before: float
    """The loss before the round."""
    after: float
    """The loss after it."""


class Edge(NamedTuple):
    """A piece where it fits into a word: from character `start` to `end`."""

    start: int
    end: int
    piece: str
    score: float


class Unigram:
    """A Unigram model, and how it was learnt.

    Args:
        scores: Pieces with the natural logarithms of their probabilities.

    Example:
        >>> from piecework.reference import Unigram
        >>> unigram = Unigram.from_counts({"h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20, "hug": 15})
        >>> tokens, loss = unigram.encode_word("hug")
        >>> tokens, round(loss, 3)
        (['hug'], 2.088)
    """

    def __init__(self, scores: Mapping[str, float]) -> None:
        self.scores = dict(scores)
        self.longest = max(map(len, self.scores), default=1)
        self.unknown = min(self.scores.values(), default=0.0) - UNKNOWN_PENALTY
        """Score of a character that no piece stands for."""
        self.counts: dict[str, float] = {}
        """What the scores were made from, if they were."""
        self.steps: list[PruningStep] = []

    @classmethod
    def from_counts(cls, piece_counts: Mapping[str, float]) -> Unigram:
        """A model in which a piece is as probable as its share of all counts."""
        piece_counts = checked("piece_counts", piece_counts, Real)
        total = sum(piece_counts.values())
        model = cls({piece: math.log(count / total) for piece, count in piece_counts.items()})
        model.counts = dict(piece_counts)
        return model

    @classmethod
    def seed(cls, word_counts: Mapping[str, int], size: int) -> Unigram:
        """All characters, and the most frequent longer substrings; of equally frequent ones the one met first."""
        characters: dict[str, float] = {}
        longer: dict[str, float] = {}
        for word, count in checked("word_counts", word_counts).items():
            for start in range(len(word)):
                for end in range(start + 1, len(word) + 1):
                    found = characters if end == start + 1 else longer
                    found[word[start:end]] = found.get(word[start:end], 0) + count
        ranked = sorted(longer, key=lambda piece: -longer[piece])[: max(0, size - len(characters))]
        return cls.from_counts({**characters, **{piece: longer[piece] for piece in ranked}})

    def lattice(self, word: str) -> list[Edge]:
        """Every piece wherever it fits, by start and end; a character that no piece stands for is there as unknown."""
        edges: list[Edge] = []
        for start in range(len(word)):
            for end in range(start + 1, min(start + self.longest, len(word)) + 1):
                piece = word[start:end]
                if piece in self.scores or end == start + 1:
                    edges.append(Edge(start, end, piece, self.scores.get(piece, self.unknown)))
        return edges

    def encode_word(self, word: str) -> tuple[list[str], float]:
        """The most probable segmentation, and its negative log-likelihood.

        Of equally probable ones it is the one with the longest last piece.
        """
        best: list[tuple[float, Edge | None]] = [(-math.inf, None) for _ in range(len(word) + 1)]
        best[0] = (0.0, None)
        for edge in self.lattice(word):
            score = best[edge.start][0] + edge.score
            if score > best[edge.end][0]:
                best[edge.end] = (score, edge)
        pieces: list[str] = []
        at = best[len(word)][1]
        while at is not None:
            pieces.append(at.piece)
            at = best[at.start][1]
        return pieces[::-1], 0.0 - best[len(word)][0]

    def loss(self, word_counts: Mapping[str, int]) -> float:
        """Negative log-likelihood of a corpus, each word in its best segmentation."""
        return sum(count * self.encode_word(word)[1] for word, count in word_counts.items())

    def without(self, removed: set[str]) -> Unigram:
        """The same scores for all but some pieces."""
        return Unigram({piece: score for piece, score in self.scores.items() if piece not in removed})

    def removal_losses(self, word_counts: Mapping[str, int]) -> dict[str, float]:
        """What the removal of each piece of several characters would add to the loss."""
        losses = {piece: 0.0 for piece in self.scores if len(piece) > 1}
        for word, count in word_counts.items():
            tokens, loss = self.encode_word(word)
            # Only a word whose best segmentation has the piece misses it.
            for piece in losses.keys() & set(tokens):
                losses[piece] += count * (self.without({piece}).encode_word(word)[1] - loss)
        return losses

    def n_best(self, word: str, n: int) -> list[tuple[list[str], float]]:
        """The `n` most probable segmentations with their negative log-likelihoods, the best one first."""
        best: list[list[tuple[float, list[str]]]] = [[] for _ in range(len(word) + 1)]
        best[0] = [(0.0, [])]
        by_end = sorted(self.lattice(word), key=lambda edge: edge.end)
        for end, arriving in itertools.groupby(by_end, key=lambda edge: edge.end):
            ways = [(s + e.score, [*pieces, e.piece]) for e in arriving for s, pieces in best[e.start]]
            best[end] = sorted(ways, key=lambda way: -way[0])[:n]
        return [(pieces, 0.0 - score) for score, pieces in best[len(word)]]

    @classmethod
    def train(cls, word_counts: Mapping[str, int], vocab_size: int, seed_size: int, shrink: float) -> Unigram:
        """Start from `seed_size` pieces and drop some until `vocab_size` are left, or only characters.

        Args:
            word_counts: Words and how often each occurs, at least once.
            vocab_size: Pieces to have.
            seed_size: Pieces to start from.
            shrink: Share of the pieces that a round drops, at least one piece.

        Raises:
            TrainingError: A word does not occur.
        """
        model = cls.seed(word_counts, seed_size)
        steps: list[PruningStep] = []
        while len(model.scores) > vocab_size:
            losses = model.removal_losses(word_counts)
            size = min(max(1, int(len(model.scores) * shrink)), len(model.scores) - vocab_size)
            least = sorted(losses, key=lambda piece: losses[piece])[: max(0, size)]
            if not least:
                break
            before, counts = model.loss(word_counts), model.counts
            model = cls.from_counts({piece: count for piece, count in counts.items() if piece not in least})
            steps.append(PruningStep({piece: losses[piece] for piece in least}, before, model.loss(word_counts)))
        model.steps = steps
        return model
