"""Training: a corpus is counted, a trainer learns from the counts, and the tokenizer takes what it learnt."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from piecework import _core, models
from piecework._checks import wrong_type
from piecework._component import CHANGES
from piecework._parts import PathLike, core_of
from piecework._progress import Report, reporting
from piecework._vocabulary import Vocabulary
from piecework.errors import TrainingError
from piecework.trainers import BpeTrainer, ParityBpeTrainer, Trainer, WordPieceTrainer
from piecework.word_counts import Bound, Source, WordCounts, core_counts, count_files, count_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class Training(Vocabulary):
    """How a tokenizer learns its vocabulary."""

    def train(
        self,
        files: Sequence[PathLike],
        trainer: Trainer | None = None,
        *,
        field: str | None = None,
        column: str | None = None,
        memory_limit: int | None = None,
        spill_folder: PathLike | None = None,
        progress: Report | None = None,
    ) -> None:
        """Train the model on text files. Other parts stay as they are; so does everything if the training fails.

        Files are read line by line, in parallel; a line keeps its newline. The result does not depend on the number of
        threads (`RAYON_NUM_THREADS`), nor on the bound of memory.

        Args:
            files: Paths of UTF-8 text files.
            trainer: What to learn and how; `None` takes the defaults for the kind of model.
            field: Lines are JSON objects, and the text is in this field.
            column: Files are Parquet, and the texts are in this column. Needs the extra `arrow`.
            memory_limit: Bytes that the tables may take while counting; more goes to files, merged in the end.
            spill_folder: Where a folder for these files is made; `None` is the system's folder for temporary files.
            progress: Called with the stage, how much of it is done, and its size (0 if that is unknown).

        Raises:
            OSError: A file cannot be read, or is not UTF-8; the message has the path and the byte. Or the disk is full.
            TrainingError: The trainer is for another kind of model.
        """
        source, bound = Source(field, column), Bound(memory_limit, spill_folder)
        self._learn(trainer, lambda counter, report: count_files(counter, files, source, bound, report), progress)

    def train_from_iterator(
        self,
        iterator: Iterable[str | Iterable[str]],
        trainer: Trainer | None = None,
        length: int | None = None,
        *,
        memory_limit: int | None = None,
        spill_folder: PathLike | None = None,
        progress: Report | None = None,
    ) -> None:
        """Train the model on texts in memory, or made on the way; they are read once.

        Args:
            iterator: Gives texts, or iterables of texts (batches). What it raises comes out of here unchanged.
            trainer: What to learn and how; `None` takes the defaults for the kind of model.
            length: How many texts to expect, for the progress bar.
            memory_limit: As in `train`.
            spill_folder: As in `train`.
            progress: As in `train`.

        Raises:
            TypeError: An item is neither a text nor an iterable of texts; the message has its index.
            UnicodeEncodeError: A text has a lone surrogate; the reason has its index.
            TrainingError: The trainer is for another kind of model.
        """
        bound = Bound(memory_limit, spill_folder)
        self._learn(trainer, lambda counter, report: count_items(counter, iterator, length, bound, report), progress)

    def train_from_counts(
        self,
        counts: Mapping[str, int] | WordCounts,
        trainer: Trainer | None = None,
        *,
        progress: Report | None = None,
    ) -> None:
        """Train the model on counts that exist already.

        Args:
            counts: Pretokens, as they come out of the pre-tokenizer, and how often each occurs; in the order of their
                first appearance, which decides between equals in some trainings. Counts and their sums have 63 bits.
            trainer: What to learn and how; `None` takes the defaults for the kind of model.
            progress: As in `train`.

        Raises:
            TypeError: A word is no text, or a count no integer.
            TrainingError: A count is negative, the sums are too large, or the trainer is for another kind of model.
        """
        self._learn(trainer, lambda _counter, _report: core_counts(counts), progress)

    def _counter(self, special_tokens: Iterable[Any] = (), *, learn_special_tokens: bool = True) -> _core.PieceCounter:
        """Counts the pretokens of this tokenizer; special tokens that it will have are cut out like those it has."""
        added = self._added_list()
        known = {content for _, content, *_ in added}
        for token in special_tokens:
            if token.content not in known:
                _, *flags = token._flags()
                added.append((len(added), token.content, *flags))
        return _core.PieceCounter(
            core_of(self._normalizer),
            core_of(self._pre_tokenizer),
            added,
            self._encode_special_tokens,
            learn_special_tokens,
        )

    def _counter_for(self, trainer: Trainer) -> _core.PieceCounter:
        """Counts what a trainer learns from."""
        learn = getattr(trainer, "split_special_tokens", True)
        return self._counter(() if learn else trainer.special_tokens, learn_special_tokens=learn)

    def _learn(
        self,
        trainer: Trainer | None,
        count: Callable[[_core.PieceCounter, Report | None], _core.WordCounts],
        progress: Report | None,
    ) -> None:
        if trainer is None:
            trainer = self._model.get_trainer()
        if not isinstance(trainer, Trainer):
            raise wrong_type("trainer", "Trainer", trainer)
        name = self._model._handle.name
        if name != trainer._trains:
            raise TrainingError(f"{type(trainer).__name__} can only train a {trainer._trains}, not a {name}")
        description = json.dumps(trainer._description())
        counter = self._counter_for(trainer)
        form = getattr(trainer, "progress_format", "indicatif")
        with reporting(progress, show=trainer.show_progress, form=form) as report:
            words = count(counter, report)
            handle = _core.train(description, self._model._compile(), words, report)
        # Nothing was changed up to here.
        self._model._take(handle)
        self._adopt(handle, list(trainer.special_tokens))
        trainer._word_count = len(words)
        # 0 asks for no more than the alphabet.
        if isinstance(trainer, (BpeTrainer, WordPieceTrainer)) and 0 < trainer.vocab_size < handle.size:
            warnings.warn(
                f"vocab_size is {trainer.vocab_size}, but special tokens and alphabet have {handle.size} entries, "
                "which are all kept",
                stacklevel=3,
            )

    def _learn_parity(
        self,
        trainer: ParityBpeTrainer,
        train: Sequence[Iterable[Any]],
        dev: Sequence[Iterable[Any]] | None,
        description: str,
        progress: Report | None,
    ) -> None:
        # Words are cut by normalizer and pre-tokenizer alone; without one the stripped text is a word.
        counter = _core.PieceCounter(
            core_of(self._normalizer), core_of(self._pre_tokenizer), [], self._encode_special_tokens, True
        )
        whole = self._pre_tokenizer is None
        with reporting(progress, show=trainer.show_progress) as report:

            def count(languages: Sequence[Iterable[Any]]) -> list[_core.WordCounts]:
                items = [_stripped(texts) if whole else texts for texts in languages]
                return [count_items(counter, texts, None, Bound(), report) for texts in items]

            words = count(train)
            handle = _core.train_parity(description, words, None if dev is None else count(dev), report)
        self._model = models.wrap(handle)
        self._adopt(handle, list(trainer.special_tokens))

    def _adopt(self, handle: _core.Model, special_tokens: list[Any]) -> None:
        """Go with a model that was trained."""
        self._added.move_to(handle)
        CHANGES.count += 1
        self.add_special_tokens(special_tokens)


def _stripped(texts: Iterable[Any]) -> Iterable[Any]:
    """Texts, and iterables of texts, without white space around them."""
    for item in texts:
        if isinstance(item, str):
            yield item.strip()
        elif isinstance(item, (bytes, bytearray)) or not hasattr(type(item), "__iter__"):
            yield item  # refused where it is read
        else:
            yield [text.strip() if isinstance(text, str) else text for text in item]
