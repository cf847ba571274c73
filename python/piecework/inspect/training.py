"""The first rounds of a training: what was merged or dropped, and what it was chosen by."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from piecework import models, trainers
from piecework._checks import natural, wrong_type
from piecework.errors import TrainingError
from piecework.inspect.replay import MergeRound, likeliest_merges, merges_by_frequency
from piecework.inspect.table import Table, symbols
from piecework.inspect.trace import backend
from piecework.reference.unigram_training import PruningRound, train_unigram
from piecework.tokenizer import Tokenizer
from piecework.word_counts import Bound, WordCounts, core_counts, count_items

if TYPE_CHECKING:
    from piecework.inspect.trace import AnyTokenizer


class TrainTrace:
    """The first rounds of a training. `print` shows a table, and so does a notebook.

    Example:
        >>> from piecework import Tokenizer, models, trainers
        >>> from piecework.inspect import train_trace
        >>> counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> shown = train_trace(Tokenizer(models.BPE()), counts, trainers.BpeTrainer(vocab_size=10))
        >>> [(step.token, step.occurrences) for step in shown.merges]
        [('ug', 20), ('un', 16), ('hug', 15)]
    """

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts
        """The words of the corpus, as they come out of the pre-tokenizer, and how often each occurs."""
        self.merges: list[MergeRound] = []
        """The merges of a BPE or a WordPiece."""
        self.prunings: list[PruningRound] = []
        """The rounds of a Unigram."""
        self._prunes = False

    def table(self) -> Table:
        """The rounds as a table."""
        if self._prunes:
            return Table("rounds of pruning", ("pieces", "loss", "unexpected", "dropped", "left", "missed least"), [
                (
                    str(r.pieces), f"{r.loss:.1f}", str(len(r.unexpected)), str(len(r.removed)), str(r.kept),
                    symbols(*heapq.nsmallest(8, r.removed, key=lambda piece: (r.removed[piece], piece))),
                )
                for r in self.prunings
            ])  # fmt: skip
        rows = [
            (
                str(number),
                symbols(*m.pair, gap=" + "),
                symbols(m.token),
                str(m.occurrences),
                f"{m.score:.6g}",
                ", ".join(f"{symbols(*rival, gap=' + ')} ({score:.6g})" for rival, score in m.rivals),
            )
            for number, m in enumerate(self.merges)
        ]
        return Table("merges", ("round", "pair", "token", "count", "score", "next best"), rows)

    def __str__(self) -> str:
        return self.table().text()

    def __repr__(self) -> str:
        rounds = f"{len(self.prunings)} prunings" if self._prunes else f"{len(self.merges)} merges"
        return f"TrainTrace({len(self.counts):,} words, {rounds})"

    def _repr_html_(self) -> str:
        from piecework.inspect.html import table  # noqa: PLC0415 - only in notebooks

        return table(self.table())


def train_trace(
    tokenizer: AnyTokenizer,
    texts: Mapping[str, int] | WordCounts | Iterable[str | Iterable[str]],
    trainer: trainers.Trainer | None = None,
    *,
    steps: int = 20,
) -> TrainTrace:
    """Train as `tokenizer` would be trained, and show the first rounds. The tokenizer stays as it is.

    Merges are those of the trainer itself, with scores that are counted again; the rounds of a Unigram are those of
    `piecework.reference.train_unigram`, which the trainer is held equal to. Both are plain Python, so the corpus is
    better a sample.

    Args:
        tokenizer: What counts the words: its normalizer, its pre-tokenizer, its added tokens; and the kind of model.
        texts: The corpus, as texts or iterables of texts; or its words with their counts, as they come out of the
            pre-tokenizer.
        trainer: What to learn and how; `None` takes the defaults for the kind of model.
        steps: How many rounds to show.

    Raises:
        TypeError: An item is neither a text nor an iterable of texts, or the trainer is none.
        TrainingError: A count is negative; the trainer is for another kind of model, or for one that learns in one go;
            it would refuse the corpus or its own settings.
    """
    given = backend(tokenizer)
    steps = natural("steps", steps)
    if trainer is None:
        trainer = given.model.get_trainer()
    if not isinstance(trainer, trainers.Trainer):
        raise wrong_type("trainer", "BpeTrainer, WordPieceTrainer or UnigramTrainer", trainer)
    kind = given.model._handle.name
    if kind != trainer._trains:
        raise TrainingError(f"{type(trainer).__name__} can only train a {trainer._trains}, not a {kind}")
    if isinstance(trainer, trainers.WordLevelTrainer):
        raise TrainingError("WordLevelTrainer takes words by their counts; there are no rounds to show")
    shown = TrainTrace(_count(given, texts, trainer))
    if isinstance(trainer, trainers.UnigramTrainer):
        shown._prunes = True
        shown.prunings = _prunings(shown.counts, trainer, steps)
    elif isinstance(trainer, trainers.WordPieceTrainer) and trainer.scoring == "likelihood":
        shown.merges = likeliest_merges(shown.counts, trainer, steps)
    elif isinstance(trainer, trainers.BpeTrainer | trainers.WordPieceTrainer):
        shown.merges = merges_by_frequency(shown.counts, trainer, steps)
    return shown


def _count(tokenizer: Tokenizer, texts: Any, trainer: trainers.Trainer) -> dict[str, int]:
    """The words that occur, in the order of the first appearance."""
    if isinstance(texts, Mapping | WordCounts):
        for word, count in texts.items():
            if not hasattr(type(count), "__index__"):
                raise wrong_type(f"texts[{word!r}]", "int", count)
            if count > 0:
                natural(f"texts[{word!r}]", count, bits=63)  # it may be too large
        counts = core_counts(texts)
    elif isinstance(texts, Iterable) and not isinstance(texts, str | bytes | bytearray):
        counts = count_items(tokenizer._counter_for(trainer), texts, None, Bound(), None)
    else:
        raise wrong_type("texts", "an iterable of texts, or words with counts", texts)
    return {word: count for word, count in counts.to_dict().items() if count > 0}


def _prunings(counts: Mapping[str, int], trainer: trainers.UnigramTrainer, steps: int) -> list[PruningRound]:
    quiet = copy.deepcopy(trainer)
    quiet.show_progress = False
    # The plain recipe goes on with settings that the trainer refuses.
    Tokenizer(models.Unigram()).train_from_counts(counts, quiet)
    return train_unigram(
        counts,
        trainer.vocab_size,
        [token.content for token in trainer.special_tokens],
        trainer.unk_token,
        seed_size=trainer.seed_size,
        shrinking_factor=trainer.shrinking_factor,
        n_sub_iterations=trainer.n_sub_iterations,
        max_piece_length=trainer.max_piece_length,
        rounds=steps,
    ).rounds
