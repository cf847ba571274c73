"""Byte-pair encoding (BPE): the most frequent pair of neighbours becomes a token, again and again.

Source: Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section 3.2.
Two things are not settled there. Of pairs that are equally frequent, the one met first in the corpus is merged. A word
that is encoded goes through the merges by rank: the merge that was learnt first is done first, leftmost first.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from piecework.reference.words import checked, listed, without_repeats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

Pair = tuple[str, str]
Word = tuple[str, ...]
"""A word as the symbols that it is made of so far."""

Corpus = list[tuple[Word, int]]
"""Distinct words with their counts, in the order of their first appearance."""


class MergeStep(NamedTuple):
    """What one round of training did.

    Example:
        >>> from piecework.reference import BPE
        >>> step = BPE.train({"hug": 2}, vocab_size=4).steps[0]
        >>> step.token, step.score, step.corpus
        ('hu', 2, [(('hu', 'g'), 2)])
    """

    pair: Pair
    token: str
    score: float
    """What the pair was chosen by: its count, or its likelihood score."""
    corpus: Corpus
    """The corpus after the merge."""


def count_pairs(corpus: Corpus) -> dict[Pair, int]:
    """How often each pair of neighbours occurs, in the order in which they are met."""
    counts: dict[Pair, int] = {}
    for word, count in corpus:
        for pair in itertools.pairwise(word):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge(word: Word, pair: Pair, token: str) -> Word:
    """A word with every occurrence of a pair replaced by the token, from left to right."""
    merged: list[str] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            merged.append(token)
            at += 2
        else:
            merged.append(word[at])
            at += 1
    return tuple(merged)


class BPE:
    """A BPE model, and how it was learnt.

    Args:
        alphabet: Tokens of one character.
        merges: Pairs of tokens, in order of rank.
        special_tokens: Tokens that come first in the vocabulary.
        unk_token: Stands for a character that is not in the vocabulary; with `None` such a character is dropped.

    Example:
        >>> from piecework.reference import BPE
        >>> bpe = BPE.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=10)
        >>> [(step.pair, step.score) for step in bpe.steps]
        [(('u', 'g'), 20), (('u', 'n'), 16), (('h', 'ug'), 15)]
        >>> bpe.encode_word("bugs")
        ['b', 'ug', 's']
    """

    def __init__(
        self,
        alphabet: Sequence[str],
        merges: Sequence[Pair],
        special_tokens: Sequence[str] = (),
        unk_token: str | None = None,
    ) -> None:
        self.alphabet = list(alphabet)
        self.merges = list(merges)
        self.unk_token = unk_token
        self.vocab = without_repeats([*listed(special_tokens), *alphabet, *(left + right for left, right in merges)])
        self.corpus: Corpus = []
        """What training started from."""
        self.steps: list[MergeStep] = []

    @classmethod
    def train(
        cls,
        word_counts: Mapping[str, int],
        vocab_size: int,
        special_tokens: Sequence[str] = (),
        unk_token: str | None = None,
    ) -> Self:
        """Learn merges until the vocabulary has `vocab_size` tokens, or no pair is left.

        Args:
            word_counts: Words and how often each occurs, at least once.
            vocab_size: Tokens to have, special ones and alphabet included; `unk_token` counts only as one of them.
            special_tokens: Tokens that come first in the vocabulary.
            unk_token: As in the class.

        Raises:
            TrainingError: A word does not occur.
        """
        word_counts = checked("word_counts", word_counts)
        alphabet = sorted({character for word in word_counts for character in word})
        model = cls(alphabet, [], special_tokens, unk_token)
        model.corpus = corpus = [(tuple(word), count) for word, count in word_counts.items()]
        while len(model.vocab) < vocab_size and (counts := count_pairs(corpus)):
            pair = model.best(counts)
            token = "".join(pair)
            corpus = [(merge(word, pair, token), count) for word, count in corpus]
            model.merges.append(pair)
            model.vocab = without_repeats([*model.vocab, token])
            model.steps.append(MergeStep(pair, token, counts[pair], corpus))
        return model

    def best(self, counts: Mapping[Pair, int]) -> Pair:
        """The most frequent pair; of equally frequent ones the one met first."""
        return max(counts, key=lambda pair: counts[pair])

    def encode_word(self, word: str) -> list[str]:
        """The tokens of a word: of all merges that fit, the one of the lowest rank is done first."""
        known = set(self.vocab)
        symbols = [c if c in known else self.unk_token for c in word]
        tokens: Word = tuple(symbol for symbol in symbols if symbol is not None)
        rank = {pair: i for i, pair in enumerate(self.merges)}
        while found := [pair for pair in itertools.pairwise(tokens) if pair in rank]:
            pair = min(found, key=lambda pair: rank[pair])
            tokens = merge(tokens, pair, "".join(pair))
        return list(tokens)
