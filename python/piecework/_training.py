"""Training: a corpus is counted, a trainer learns from the counts, and the tokenizer takes what it learnt."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import natural, wrong_type
from piecework._component import CHANGES
from piecework._parts import PathLike, core_of
from piecework._vocabulary import Vocabulary
from piecework.errors import TrainingError
from piecework.trainers import Trainer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tqdm import tqdm

    Report = Callable[[str, int, int], None]

# Stages of reading a corpus with the unit of their progress; those of a trainer count things of their own.
_READING = {"Read files": "B", "Read items": " items"}


def _size() -> tuple[int, int] | tuple[None, None]:
    """Columns and rows of a terminal that does not tell them; else tqdm asks for them."""
    try:
        known = os.get_terminal_size(sys.stderr.fileno()).columns > 0
    except (OSError, ValueError):
        known = False
    return (None, None) if known else (80, 24)


class _Bars:
    """Draws a bar for each stage on the standard error."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: tqdm[Any] | None = None

    def __call__(self, stage: str, current: int, total: int) -> None:
        from tqdm import tqdm  # noqa: PLC0415 - most imports of the package never train

        if self._bar is None or stage != self._stage:
            self.close()
            self._stage = stage
            unit, (columns, rows) = _READING.get(stage, ""), _size()
            self._bar = tqdm(desc=stage, total=total or None, unit=unit, unit_scale=True, ncols=columns, nrows=rows)
        self._bar.update(current - self._bar.n)

    def close(self) -> None:
        """End the last bar."""
        if self._bar is not None:
            self._bar.close()


def _report_json(stage: str, current: int, total: int) -> None:
    """Write a line of JSON; the reference has lines for the stages of the trainer alone."""
    if stage not in _READING:
        sys.stderr.write(json.dumps({"stage": stage, "current": current, "total": total}) + "\n")
        sys.stderr.flush()


@contextmanager
def _reporting(trainer: Trainer) -> Iterator[Report | None]:
    """What shows progress as the trainer wants it: nothing, lines of JSON, or bars if there is a terminal."""
    form = getattr(trainer, "progress_format", "indicatif")
    if not trainer.show_progress or form == "silent" or sys.stderr is None:
        yield None
    elif form == "json":
        yield _report_json
    elif not sys.stderr.isatty():
        yield None
    else:
        bars = _Bars()
        try:
            yield bars
        finally:
            bars.close()


class Training(Vocabulary):
    """How a tokenizer learns its vocabulary."""

    def train(self, files: Sequence[PathLike], trainer: Trainer | None = None) -> None:
        """Train the model on text files. Other parts stay as they are; so does everything if the training fails.

        Files are read line by line, in parallel; a line keeps its newline. The result does not depend on the number of
        threads (`RAYON_NUM_THREADS`).

        Args:
            files: Paths of UTF-8 text files.
            trainer: What to learn and how; `None` takes the defaults for the kind of model.

        Raises:
            OSError: A file cannot be read, or is not UTF-8; the message has the path and the byte.
            TrainingError: The trainer is for another kind of model.
        """
        if not isinstance(files, (list, tuple)):
            raise wrong_type("files", "a list of paths", files)
        paths = [os.fspath(path) for path in files]
        self._learn(trainer, lambda counter, report: counter.files(paths, report))

    def train_from_iterator(
        self, iterator: Iterable[str | Iterable[str]], trainer: Trainer | None = None, length: int | None = None
    ) -> None:
        """Train the model on texts in memory, or made on the way; they are read once.

        Args:
            iterator: Gives texts, or iterables of texts (batches). What it raises comes out of here unchanged.
            trainer: What to learn and how; `None` takes the defaults for the kind of model.
            length: How many texts to expect, for the progress bar.

        Raises:
            TypeError: An item is neither a text nor an iterable of texts; the message has its index.
            UnicodeEncodeError: A text has a lone surrogate; the reason has its index.
            TrainingError: The trainer is for another kind of model.
        """
        expected = 0 if length is None else natural("length", length)
        self._learn(trainer, lambda counter, report: counter.items(iterator, expected, report))

    def train_from_counts(self, counts: Mapping[str, int], trainer: Trainer | None = None) -> None:
        """Train the model on counts that exist already.

        Args:
            counts: Pretokens, as they come out of the pre-tokenizer, and how often each occurs; in the order of their
                first appearance, which decides between equals in some trainings. Counts and their sums have 63 bits.
            trainer: What to learn and how; `None` takes the defaults for the kind of model.

        Raises:
            TypeError: A word is no text, or a count no integer.
            TrainingError: A count is negative, the sums are too large, or the trainer is for another kind of model.
        """
        self._learn(trainer, lambda _counter, _report: _core.WordCounts(counts))

    def _learn(
        self, trainer: Trainer | None, count: Callable[[_core.PieceCounter, Report | None], _core.WordCounts]
    ) -> None:
        if trainer is None:
            trainer = self._model.get_trainer()
        if not isinstance(trainer, Trainer):
            raise wrong_type("trainer", "Trainer", trainer)
        name = self._model._handle.name
        if name != trainer._trains:
            raise TrainingError(f"{type(trainer).__name__} can only train a {trainer._trains}, not a {name}")
        description = json.dumps(trainer._description())
        counter = _core.PieceCounter(
            core_of(self._normalizer), core_of(self._pre_tokenizer), self._added_list(), self._encode_special_tokens
        )
        with _reporting(trainer) as report:
            words = count(counter, report)
            handle = _core.train(description, self._model._compile(), words, report)
        # Nothing was changed up to here.
        self._model._take(handle)
        self._added.move_to(handle)
        CHANGES.count += 1
        self.add_special_tokens(list(trainer.special_tokens))
        trainer._word_count = len(words)
