"""Merges of a training done again, one by one, with the counts that they were chosen by."""

from __future__ import annotations

import copy
import heapq
import itertools
from typing import TYPE_CHECKING, NamedTuple

from piecework import models, trainers
from piecework.reference.bpe import Pair, count_pairs, merge
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.reference.bpe import Corpus

MergeTrainer = trainers.BpeTrainer | trainers.WordPieceTrainer
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

    def __init__(self, counts: Mapping[str, int], trainer: MergeTrainer) -> None:
        self.start = _start(counts, trainer)
        """What there is before the first merge: special tokens and alphabet."""
        self.prefix = trainer.continuing_subword_prefix or ""
        suffix = trainer.end_of_word_suffix or ""
        characters = set(self.start)
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

    def joined(self, pair: Pair) -> str:
        """The token that a pair becomes."""
        return pair[0] + pair[1].removeprefix(self.prefix)


def _start(counts: Mapping[str, int], trainer: MergeTrainer) -> list[str]:
    none = copy.deepcopy(trainer)
    none.vocab_size, none.show_progress = 0, False
    tokenizer = Tokenizer(models.BPE() if isinstance(trainer, trainers.BpeTrainer) else models.WordPiece())
    tokenizer.train_from_counts(counts, none)
    vocab = tokenizer.model._handle.vocab()
    return sorted(vocab, key=vocab.__getitem__)


# ---------------------------------------------------------------------------------------------------------------------
# By frequency


class _Queue:
    """The pairs as the trainer keeps them, which is how `tokenizers` does.

    A pair waits with the count that it had and the words that it was met in, and is merged in these words alone. So a
    pair whose parts come up again, because a merge made a token that was there before, waits anew and is merged again.
    """

    def __init__(self, corpus: _Corpus, longest: int | None) -> None:
        self.ids = {token: i for i, token in enumerate(corpus.start)}
        self.counts: dict[Pair, int] = {}
        # Symbols with the number of characters that they are made of.
        self._words = [[(symbol, 1) for symbol in word] for word, _ in corpus.words]
        self._word_counts = [count for _, count in corpus.words]
        self._longest = longest
        self._entries: list[tuple[int, int, int, int, Pair, set[int]]] = []
        self._age = 0
        met: dict[Pair, set[int]] = {}
        for i, word in enumerate(self._words):
            for (left, _), (right, _) in itertools.pairwise(word):
                self._count((left, right), i, 1, met)
        self._wait(met)

    def _count(self, pair: Pair, word: int, by: int, met: dict[Pair, set[int]]) -> None:
        self.counts[pair] = self.counts.get(pair, 0) + by * self._word_counts[word]
        if by > 0:
            met.setdefault(pair, set()).add(word)

    def _wait(self, met: dict[Pair, set[int]]) -> None:
        for pair, words in met.items():
            self._age += 1
            if self.counts[pair] > 0:
                self._push(pair, self._age, words)

    def _push(self, pair: Pair, age: int, words: set[int]) -> None:
        # Counts are unsigned there: one that fell below 0 is a very large one.
        count = self.counts[pair] % 2**64
        heapq.heappush(self._entries, (-count, self.ids[pair[0]], self.ids[pair[1]], age, pair, words))

    def next(self) -> tuple[Pair, int, set[int]] | None:
        """The most frequent pair, of equal ones that of the smallest ids; its count, and the words to merge it in."""
        while self._entries:
            count, _, _, age, pair, words = heapq.heappop(self._entries)
            if -count == self.counts[pair] % 2**64:
                return pair, -count, words
            self._push(pair, age, words)
        return None

    def rivals(self, pair: Pair) -> list[tuple[Pair, float]]:
        """The other pairs that wait, the next ones, with their counts."""
        others = {entry[4] for entry in self._entries if entry[4] != pair and self.counts[entry[4]] > 0}
        best = heapq.nsmallest(_RIVALS, others, key=lambda p: (-self.counts[p], self.ids[p[0]], self.ids[p[1]]))
        return [(other, float(self.counts[other])) for other in best]

    def occurrences(self, pair: Pair, words: set[int]) -> int:
        """How often a pair stands in words."""
        return sum(
            self._word_counts[i]
            for i in words
            for (left, _), (right, _) in itertools.pairwise(self._words[i])
            if (left, right) == pair
        )

    def merge(self, pair: Pair, token: str, words: set[int]) -> None:
        """Do a merge in words."""
        self.ids.setdefault(token, len(self.ids))
        met: dict[Pair, set[int]] = {}
        for i in sorted(words):
            word, at = self._words[i], 0
            while at + 1 < len(word):
                (left, first), (right, second) = word[at : at + 2]
                if (left, right) == pair:
                    size = first + second
                    word[at : at + 2] = [(token, size)]
                    if at > 0:
                        before, length = word[at - 1]
                        self._change(i, (before, left), (before, token), length + size, met)
                    if at + 1 < len(word):
                        behind, length = word[at + 1]
                        self._change(i, (right, behind), (token, behind), length + size, met)
                at += 1
        self._wait(met)

    def _change(self, word: int, old: Pair, new: Pair, length: int, met: dict[Pair, set[int]]) -> None:
        self._count(old, word, -1, met)
        if self._longest is None or length < self._longest:
            self._count(new, word, 1, met)


def merges_by_frequency(counts: Mapping[str, int], trainer: MergeTrainer, steps: int) -> list[MergeRound]:
    """The first merges of a training by frequency.

    A trained model does not tell them: of a pair that was merged twice it has the last time.
    """
    corpus, rounds = _Corpus(counts, trainer), list[MergeRound]()
    queue = _Queue(corpus, getattr(trainer, "max_token_length", None))
    while len(rounds) < steps and len(queue.ids) < trainer.vocab_size:
        found = queue.next()
        if found is None or found[1] < max(1, trainer.min_frequency):
            break
        pair, count, words = found
        token = corpus.joined(pair)
        rounds.append(MergeRound(pair, token, queue.occurrences(pair, words), float(count), queue.rivals(pair)))
        queue.merge(pair, token, words)
    return rounds


# ---------------------------------------------------------------------------------------------------------------------
# By likelihood


def likeliest_merges(counts: Mapping[str, int], trainer: trainers.WordPieceTrainer, steps: int) -> list[MergeRound]:
    """The first merges of a training by likelihood."""
    corpus, rounds = _Corpus(counts, trainer), list[MergeRound]()
    words, known = corpus.words, set(corpus.start)
    while len(rounds) < steps and len(known) < trainer.vocab_size:
        found, symbols = count_pairs(words), _count_symbols(words)
        least = max(1, trainer.min_frequency)
        scores = {p: n / (symbols[p[0]] * symbols[p[1]]) for p, n in found.items() if n >= least}
        # Of equal scores the pair met first; nlargest keeps the order.
        ranked = heapq.nlargest(_RIVALS + 1, scores, key=lambda p: scores[p])
        if not ranked:
            break
        best = ranked[0]
        token = corpus.joined(best)
        words = [(merge(word, best, token), count) for word, count in words]
        known.add(token)
        rounds.append(MergeRound(best, token, found[best], scores[best], [(p, scores[p]) for p in ranked[1:]]))
    return rounds


def _count_symbols(words: Corpus) -> dict[str, int]:
    found: dict[str, int] = {}
    for word, count in words:
        for symbol in word:
            found[symbol] = found.get(symbol, 0) + count
    return found
