"""Merges of a training done again, one by one, with the counts that they were chosen by."""

from __future__ import annotations

import copy
import heapq
import itertools
from typing import TYPE_CHECKING, NamedTuple

from piecework import models, trainers
from piecework.reference.bpe import merge
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

Pair = tuple[str, str]
_RIVALS = 3


class MergeRound(NamedTuple):
    """A merge, and why this one.

    Example:
        >>> from piecework.inspect import MergeRound
        >>> MergeRound(("u", "g"), "ug", occurrences=20, score=20.0, rivals=[(("h", "u"), 15.0)]).token
        'ug'
    """

    pair: Pair
    token: str
    occurrences: int
    """How often the pair occurs when it is merged."""
    score: float
    """What it was chosen by: its count, or its likelihood score."""
    rivals: list[tuple[Pair, float]]
    """The next best pairs with their scores."""


class _Corpus:
    """Words as symbols, on their way through merges."""

    def __init__(self, counts: Mapping[str, int], trainer: trainers.BpeTrainer | trainers.WordPieceTrainer) -> None:
        self.prefix = trainer.continuing_subword_prefix or ""
        suffix = trainer.end_of_word_suffix or ""
        characters = set(self.start(counts, trainer))
        self.words = [
            (
                tuple(
                    ("" if at == 0 else self.prefix) + c + (suffix if at == len(word) - 1 else "")
                    for at, c in enumerate(word)
                    if c in characters
                ),
                count,
            )
            for word, count in counts.items()
            if count > 0
        ]

    def start(self, counts: Mapping[str, int], trainer: trainers.BpeTrainer | trainers.WordPieceTrainer) -> list[str]:
        """What there is before the first merge: special tokens and alphabet."""
        none = copy.deepcopy(trainer)
        none.vocab_size = 0
        return _learnt(counts, none).vocab

    def pairs(self) -> dict[Pair, int]:
        """How often each pair occurs, in the order in which they are met."""
        found: dict[Pair, int] = {}
        for word, count in self.words:
            for pair in itertools.pairwise(word):
                found[pair] = found.get(pair, 0) + count
        return found

    def symbols(self) -> dict[str, int]:
        """How often each symbol occurs."""
        found: dict[str, int] = {}
        for word, count in self.words:
            for symbol in word:
                found[symbol] = found.get(symbol, 0) + count
        return found

    def merge(self, pair: Pair) -> str:
        """Do a merge everywhere; the token of it."""
        token = pair[0] + pair[1][len(self.prefix) :]
        self.words = [(merge(word, pair, token), count) for word, count in self.words]
        return token


class _Learnt(NamedTuple):
    vocab: list[str]
    merges: list[Pair]


def _learnt(counts: Mapping[str, int], trainer: trainers.BpeTrainer | trainers.WordPieceTrainer) -> _Learnt:
    """What the trainer learns."""
    tokenizer = Tokenizer(models.BPE() if isinstance(trainer, trainers.BpeTrainer) else models.WordPiece())
    trainer.show_progress = False
    tokenizer.train_from_counts(counts, trainer)
    vocab = tokenizer.model._handle.vocab()
    return _Learnt(sorted(vocab, key=vocab.__getitem__), tokenizer.model._handle.merges())


def _first_rounds(
    counts: Mapping[str, int], trainer: trainers.BpeTrainer | trainers.WordPieceTrainer, steps: int
) -> trainers.BpeTrainer | trainers.WordPieceTrainer:
    """The same trainer, which stops after so many new tokens."""
    few = copy.deepcopy(trainer)
    few.vocab_size = 0
    few.vocab_size = min(trainer.vocab_size, len(_learnt(counts, few).vocab) + steps)
    return few


def merges_by_frequency(
    counts: Mapping[str, int], trainer: trainers.BpeTrainer | trainers.WordPieceTrainer, steps: int
) -> list[MergeRound]:
    """The first merges of a training by frequency, counted again."""
    if isinstance(trainer, trainers.WordPieceTrainer):
        trainer = _as_bpe(trainer)
    corpus, rounds = _Corpus(counts, trainer), list[MergeRound]()
    for pair in _learnt(counts, _first_rounds(counts, trainer, steps)).merges[:steps]:
        found = corpus.pairs()
        rivals = heapq.nlargest(_RIVALS, (p for p in found if p != pair), key=lambda p: found[p])
        count = found.get(pair, 0)
        rounds.append(MergeRound(pair, corpus.merge(pair), count, float(count), [(p, float(found[p])) for p in rivals]))
    return rounds


def likeliest_merges(counts: Mapping[str, int], trainer: trainers.WordPieceTrainer, steps: int) -> list[MergeRound]:
    """The merges by likelihood, which the vocabulary of a WordPiece does not tell: found again by their rule."""
    corpus, rounds = _Corpus(counts, trainer), list[MergeRound]()
    known = set(corpus.start(counts, trainer))
    while len(rounds) < steps and len(known) < trainer.vocab_size:
        found, symbols = corpus.pairs(), corpus.symbols()
        least = max(1, trainer.min_frequency)
        scores = {p: n / (symbols[p[0]] * symbols[p[1]]) for p, n in found.items() if n >= least}
        # Of equal scores the pair met first; nlargest keeps the order.
        ranked = heapq.nlargest(_RIVALS + 1, scores, key=lambda p: scores[p])
        if not ranked:
            break
        best = ranked[0]
        token = corpus.merge(best)
        known.add(token)
        rounds.append(MergeRound(best, token, found[best], scores[best], [(p, scores[p]) for p in ranked[1:]]))
    return rounds


def _as_bpe(trainer: trainers.WordPieceTrainer) -> trainers.BpeTrainer:
    """The trainer of BPE that a WordPiece by frequency is learnt with; its merges make the vocabulary."""
    return trainers.BpeTrainer(
        vocab_size=trainer.vocab_size,
        min_frequency=trainer.min_frequency,
        special_tokens=trainer.special_tokens,
        limit_alphabet=trainer.limit_alphabet,
        initial_alphabet=trainer.initial_alphabet,
        continuing_subword_prefix=trainer.continuing_subword_prefix,
        end_of_word_suffix=trainer.end_of_word_suffix,
    )
