"""WordPiece: the pair whose merge makes the corpus most likely becomes a token.

Source: Schuster and Nakajima 2012, "Japanese and Korean Voice Search", section 4. The score of a pair is its count
divided by the product of the counts of its parts: how much likelier the pair is than if its parts were independent.
Two rare symbols that seldom stand apart beat a frequent pair of symbols that stand everywhere. Of equal scores, the
pair met first in the corpus is merged. A word is encoded by the longest match from the left (Devlin et al. 2019).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.reference.bpe import Corpus, MergeStep, Pair, count_pairs, merge
from piecework.reference.words import checked, listed, without_repeats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self


class WordPiece:
    """A WordPiece model, and how it was learnt.

    Args:
        alphabet: Tokens of one character, with `prefix` where they do not begin a word.
        special_tokens: Tokens that come first in the vocabulary.
        prefix: Marks a token that does not begin a word.
        unk_token: Stands for a whole word that cannot be covered.

    Example:
        >>> from piecework.reference import WordPiece
        >>> model = WordPiece.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=10)
        >>> [(step.pair, round(step.score, 4)) for step in model.steps]
        [(('##g', '##s'), 0.05), (('h', '##u'), 0.0278), (('hu', '##gs'), 0.0667)]
        >>> model.encode_word("hugs"), model.encode_word("mugs")
        (['hugs'], ['[UNK]'])
    """

    def __init__(
        self,
        alphabet: Sequence[str],
        special_tokens: Sequence[str] = (),
        prefix: str = "##",
        unk_token: str = "[UNK]",  # noqa: S107 - a token of a vocabulary
    ) -> None:
        self.alphabet = list(alphabet)
        self.prefix = prefix
        self.unk_token = unk_token
        self.vocab = without_repeats([*listed(special_tokens), *alphabet])
        self.corpus: Corpus = []
        """What training started from."""
        self.steps: list[MergeStep] = []

    @property
    def merges(self) -> list[Pair]:
        """The pairs that were merged, in order. Encoding does not need them."""
        return [step.pair for step in self.steps]

    @classmethod
    def train(
        cls,
        word_counts: Mapping[str, int],
        vocab_size: int,
        special_tokens: Sequence[str] = (),
        prefix: str = "##",
        unk_token: str = "[UNK]",  # noqa: S107 - a token of a vocabulary
    ) -> Self:
        """Learn tokens until the vocabulary has `vocab_size` of them, or no pair is left.

        Args:
            word_counts: Words and how often each occurs, at least once.
            vocab_size: Tokens to have, special ones and alphabet included; `unk_token` counts only as one of them.
            special_tokens: Tokens that come first in the vocabulary.
            prefix: As in the class.
            unk_token: As in the class.

        Raises:
            TrainingError: A word does not occur.
        """
        corpus: Corpus = []
        for word, count in checked("word_counts", word_counts).items():
            corpus.append((tuple(c if at == 0 else prefix + c for at, c in enumerate(word)), count))
        alphabet = sorted({symbol for word, _ in corpus for symbol in word})
        model = cls(alphabet, special_tokens, prefix, unk_token)
        model.corpus = corpus
        while len(model.vocab) < vocab_size and (scores := model.scores(corpus)):
            pair = model.best(scores)
            token = model.join(pair)
            corpus = [(merge(word, pair, token), count) for word, count in corpus]
            model.vocab = without_repeats([*model.vocab, token])
            model.steps.append(MergeStep(pair, token, scores[pair], corpus))
        return model

    def join(self, pair: Pair) -> str:
        """The token of a pair; the prefix of its second part goes."""
        left, right = pair
        return left + right.removeprefix(self.prefix)

    def scores(self, corpus: Corpus) -> dict[Pair, float]:
        """count(pair) / (count(left) * count(right)), in the order in which the pairs are met."""
        symbols: dict[str, int] = {}
        for word, count in corpus:
            for symbol in word:
                symbols[symbol] = symbols.get(symbol, 0) + count
        return {pair: count / (symbols[pair[0]] * symbols[pair[1]]) for pair, count in count_pairs(corpus).items()}

    def best(self, scores: Mapping[Pair, float]) -> Pair:
        """The pair with the highest score; of equal ones the one met first."""
        return max(scores, key=lambda pair: scores[pair])

    def encode_word(self, word: str) -> list[str]:
        """The tokens of a word: always the longest that fits; if nothing fits somewhere, the word is unknown."""
        known = set(self.vocab)
        tokens: list[str] = []
        start = 0
        while start < len(word):
            mark = self.prefix if start else ""
            fitting = [end for end in range(len(word), start, -1) if mark + word[start:end] in known]
            if not fitting:
                return [self.unk_token]
            tokens.append(mark + word[start : fitting[0]])
            start = fitting[0]
        return tokens
