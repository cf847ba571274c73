"""Unigram training as SentencePiece and `tokenizers` do it, which is what `UnigramTrainer` does.

`Unigram.train` shows the idea; this is the whole recipe, with the choices that the paper leaves open:

* seeds are all characters and the repeated substrings that cover most of the text of the *distinct* words;
* expectation maximization is Bayesian (the digamma function takes the place of the logarithm), and drops what is
  expected less than half a time;
* what a piece is worth is estimated from its second-best segmentation, without encoding the corpus again;
* pruning goes on to a tenth more than wanted; the best ones of these are taken.

Source: Kudo 2018, section 3.2, and the behaviour of `tokenizers` 0.23.3.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from piecework.reference.expectation import expected_counts, marginal_loss
from piecework.reference.unigram import Unigram
from piecework.reference.words import checked, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Counts = dict[str, float]

LEAST_EXPECTED = 0.5
"""A piece that is expected less often is dropped."""
CLOSE = 1e-9
"""What differs by less may be in another order after other roundings."""


class PruningRound(NamedTuple):
    """One round of training: expectation maximization, then pruning.

    Example:
        >>> from piecework.reference import train_unigram
        >>> trained = train_unigram({"abab": 3, "ab": 2}, vocab_size=3)
        >>> [(r.pieces, r.unexpected, sorted(r.removed)) for r in trained.rounds]
        [(3, [], ['ab']), (2, [], [])]
    """

    pieces: int
    """How many pieces it began with."""
    loss: float
    """Negative log-likelihood of the corpus over all segmentations, before the last step of maximization; 0 without
    such a step."""
    unexpected: list[str]
    """What expectation maximization dropped."""
    removed: dict[str, float]
    """What pruning dropped, with the estimated loss of each; minus infinity if no best segmentation has it."""
    kept: int
    """How many pieces are left."""


class TrainedUnigram(NamedTuple):
    """What training gives.

    Example:
        >>> from piecework.reference import train_unigram
        >>> [token for token, _ in train_unigram({"abab": 3, "ab": 2}, 4, ["<s>"], "<unk>").vocab]
        ['<unk>', '<s>', 'a', 'b']
    """

    vocab: list[tuple[str, float]]
    """Tokens with their scores; the id is the place."""
    rounds: list[PruningRound]
    is_ambiguous: bool
    """Whether something hung on a tie, or on the last digits of two numbers."""


def train_unigram(
    word_counts: Mapping[str, int],
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    unk_token: str | None = None,
    *,
    seed_size: int = 1_000_000,
    shrinking_factor: float = 0.75,
    n_sub_iterations: int = 2,
    max_piece_length: int = 16,
    rounds: int | None = None,
) -> TrainedUnigram:
    """Learn pieces with scores.

    Args:
        word_counts: Words and how often each occurs, at least once.
        vocab_size: Tokens to have, special ones and `unk_token` included.
        special_tokens: Tokens that come first, with the score 0.
        unk_token: Comes before all others if it is not among the special tokens.
        seed_size: Pieces to start from; at least all characters and one more.
        shrinking_factor: Part of the pieces that a pruning keeps.
        n_sub_iterations: Steps of expectation maximization before each pruning.
        max_piece_length: Most characters of a piece.
        rounds: Stop after so many rounds, with what there is then; `None` goes on to the end.

    Raises:
        TrainingError: A word does not occur.
    """
    word_counts, special = checked("word_counts", word_counts), listed(special_tokens)
    training = _Training(word_counts, _seeds(word_counts, seed_size, max_piece_length))
    desired = vocab_size * 11 // 10
    while rounds is None or len(training.rounds) < rounds:
        size, unexpected, loss = len(training.pieces), list[str](), 0.0
        for _ in range(n_sub_iterations):
            loss, dropped = training.improve()
            unexpected += dropped
        removed: Counts = {}
        # A place is taken by the unknown piece.
        is_small = len(training.pieces) < desired
        if not is_small:
            target = max(desired, int((len(training.pieces) + 1) * shrinking_factor))
            removed = training.prune(target - 1)
        training.rounds.append(PruningRound(size, loss, unexpected, removed, len(training.pieces)))
        if is_small or not removed:
            break
    front = [unk_token, *special] if unk_token is not None and unk_token not in special else special
    characters = sorted({character for word in word_counts for character in word})
    vocab = [*((token, 0.0) for token in front), *training.best(characters, vocab_size - len(front))]
    return TrainedUnigram(vocab, training.rounds, training.is_ambiguous)


def _seeds(word_counts: Mapping[str, int], size: int, longest: int) -> Counts:
    """Characters by count, then repeats by the text that they cover; with the logarithms of their shares."""
    characters: Counter[str] = Counter()
    following: defaultdict[str, list[str]] = defaultdict(list)
    for word, count in word_counts.items():
        for start in range(len(word)):
            characters[word[start]] += count
            for end in range(start + 2, min(start + longest, len(word)) + 1):
                # What follows at the end of a word is that end, whatever the word.
                following[word[start:end]].append(word[end : end + 1])
    # A repeat that always goes on in the same way is left to the longer one.
    covered = {piece: len(after) * len(piece) for piece, after in following.items() if len(set(after)) > 1}
    singles = sorted(characters, key=lambda c: (characters[c], c), reverse=True)
    repeats = sorted(covered, key=lambda piece: (covered[piece], piece), reverse=True)[: max(1, size - len(singles))]
    weights = {**{c: characters[c] for c in singles}, **{piece: covered[piece] for piece in repeats}}
    total = sum(weights.values())
    return {piece: math.log(weight) - math.log(total) for piece, weight in weights.items()}


class _Training:
    """The pieces at work, in the order in which they are preferred where nothing else decides."""

    def __init__(self, word_counts: Mapping[str, int], pieces: Counts) -> None:
        self.word_counts = word_counts
        self.pieces = pieces
        self.rounds: list[PruningRound] = []
        self.is_ambiguous = False
        self._is_order_ambiguous = False

    def improve(self) -> tuple[float, list[str]]:
        """One step of expectation maximization: the loss before it, and the pieces that were dropped."""
        model = Unigram(self.pieces)
        expected = expected_counts(model, self.word_counts)
        self.is_ambiguous |= any(abs(count - LEAST_EXPECTED) < CLOSE for count in expected.values())
        kept = {piece: count for piece, count in expected.items() if count >= LEAST_EXPECTED}
        total = _digamma(sum(kept.values())) if kept else 0.0
        self.pieces = {piece: _digamma(count) - total for piece, count in kept.items()}
        return marginal_loss(model, self.word_counts), [piece for piece in expected if piece not in kept]

    def prune(self, size: int) -> Counts:
        """Keep about `size` pieces: those that nothing can replace, and those that the corpus misses most."""
        model = Unigram(self.pieces)
        uses: Counter[str] = Counter()
        for word, count in self.word_counts.items():
            best, cost = model.encode_word(word)
            for piece in best:
                uses[piece] += count
            # A way as good with the same pieces in another order would give the same uses.
            others = [way for way, other in model.n_best(word, 3) if _is_close(other, cost)]
            self.is_ambiguous |= any(sorted(way) != sorted(best) for way in others)
        word_total, use_total = sum(self.word_counts.values()), sum(uses.values())
        kept: list[str] = []
        losses: Counts = {}
        for piece in self.pieces:
            ways = self._two_best(model, piece)
            if ways[0] == [piece] and len(ways) == 1:
                kept.append(piece)
            elif uses[piece] == 0:
                losses[piece] = -math.inf
            elif ways[0] != [piece]:
                kept.append(piece)
            else:
                # Its uses go to the pieces of its second-best segmentation. (That the total grows by its uses times the
                # number of all pieces is the recipe's own; the pieces of the segmentation would do.)
                own, grown = uses[piece], math.log(use_total + uses[piece] * len(self.pieces))
                without = sum(math.log(uses[other] + own) - grown for other in ways[1])
                losses[piece] = own / word_total * (math.log(own) - math.log(use_total) - without)
        ranked = sorted((p for p in losses if losses[p] > -math.inf), key=lambda piece: -losses[piece])
        room = max(0, size - len(kept))
        close = [i for i in range(1, len(ranked)) if _is_close(losses[ranked[i - 1]], losses[ranked[i]])]
        self.is_ambiguous |= room in close
        self._is_order_ambiguous |= bool(close)
        chosen = [*kept, *ranked[:room]]
        removed = {piece: loss for piece, loss in losses.items() if piece not in set(chosen)}
        self.pieces = {piece: self.pieces[piece] for piece in chosen}
        return removed

    def _two_best(self, model: Unigram, text: str) -> list[list[str]]:
        """The two best segmentations of a text, if there are two."""
        ways = model.n_best(text, 3)
        for (_, first), (_, second) in itertools.pairwise(ways):
            self.is_ambiguous |= _is_close(first, second)
        return [pieces for pieces, _ in ways[:2]]

    def best(self, characters: list[str], room: int) -> list[tuple[str, float]]:
        """All characters, and the first of the other pieces, by score."""
        lowest = min(self.pieces.values(), default=0.0)
        missing = [c for c in characters if c not in self.pieces]
        entries = {c: self.pieces[c] if c in self.pieces else lowest + 1e-4 * missing.index(c) for c in characters}
        longer = [piece for piece in self.pieces if len(piece) > 1]
        left = max(0, room - len(entries))
        self.is_ambiguous |= self._is_order_ambiguous and left < len(longer)
        entries.update((piece, self.pieces[piece]) for piece in longer[:left])
        return sorted(entries.items(), key=lambda entry: -entry[1])


def _is_close(a: float, b: float) -> bool:
    return abs(a - b) <= CLOSE * max(1.0, abs(a), abs(b))


def _digamma(x: float) -> float:
    """The derivative of the logarithm of the gamma function: by its recurrence, then a series in 1 / (x - 1/2)."""
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    y = x - 0.5
    series = 1 / (24 * y**2) - 7 / (960 * y**4) + 31 / (8064 * y**6) - 127 / (30720 * y**8)
    return result + math.log(y) + series
