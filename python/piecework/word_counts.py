"""Pretokens with their counts: what every trainer learns from, built once and used again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import natural, optional_text, text, wrong_type
from piecework._progress import Report, reporting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from typing_extensions import Self

    from piecework.tokenizer import Tokenizer

PathLike = str | os.PathLike[str]

__all__ = ["WordCounts"]


class WordCounts:
    """Pretokens and how often each occurs, in the order of their first appearance.

    Args:
        counts: Pretokens with their counts. Counts and their sums have 63 bits.

    Raises:
        TypeError: A word is no text, or a count no integer.
        TrainingError: A count is negative, or it or the sums do not fit 63 bits.

    Example:
        >>> from piecework import Tokenizer, WordCounts, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.BPE())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> counts = WordCounts.from_iterator(["low low", "new"], tokenizer)
        >>> counts.merge(WordCounts({"new": 2})).to_dict()
        {'low': 2, 'new': 3}
    """

    __slots__ = ("_core",)

    def __init__(self, counts: Mapping[str, int] | None = None) -> None:
        self._core = _core.WordCounts({} if counts is None else counts)

    @classmethod
    def _of(cls, core: _core.WordCounts) -> Self:
        counts = cls.__new__(cls)
        counts._core = core
        return counts

    # -----------------------------------------------------------------------------------------------------------------
    # Counting

    @classmethod
    def from_files(
        cls,
        files: Sequence[PathLike],
        tokenizer: Tokenizer,
        *,
        field: str | None = None,
        column: str | None = None,
        memory_limit: int | None = None,
        spill_folder: PathLike | None = None,
        learn_special_tokens: bool = True,
        show_progress: bool = False,
        progress: Report | None = None,
    ) -> Self:
        """Count files, in parallel. Counts do not depend on the number of threads, nor on the bound of memory.

        Args:
            files: Paths of UTF-8 text files, read line by line; a line keeps its newline.
            tokenizer: Its normalizer, its added tokens and its pre-tokenizer make pretokens of the texts.
            field: Lines are JSON objects, and the text is in this field.
            column: Files are Parquet, and the texts are in this column. Needs the extra `arrow`.
            memory_limit: Bytes that the tables may take while counting; more goes to files, merged in the end.
            spill_folder: Where a folder for these files is made; `None` is the system's folder for temporary files.
            learn_special_tokens: Whether the texts of special tokens count as pretokens, as in the reference.
            show_progress: Whether to draw progress bars.
            progress: Called with the stage, how much of it is done, and its size.

        Raises:
            OSError: A file cannot be read, or is not UTF-8; the message has the path and the byte. Or the disk is full.
        """
        counter = tokenizer._counter(learn_special_tokens=learn_special_tokens)
        with reporting(progress, show=show_progress) as report:
            return cls._of(
                count_files(counter, files, Source(field, column), Bound(memory_limit, spill_folder), report)
            )

    @classmethod
    def from_iterator(
        cls,
        iterator: Iterable[str | Iterable[str]],
        tokenizer: Tokenizer,
        *,
        length: int | None = None,
        memory_limit: int | None = None,
        spill_folder: PathLike | None = None,
        learn_special_tokens: bool = True,
        show_progress: bool = False,
        progress: Report | None = None,
    ) -> Self:
        """Count texts in memory, or made on the way; they are read once.

        Args:
            iterator: Gives texts, or iterables of texts (batches). What it raises comes out of here unchanged.
            tokenizer: Its normalizer, its added tokens and its pre-tokenizer make pretokens of the texts.
            length: How many texts to expect, for the progress bar.
            memory_limit: As in `from_files`.
            spill_folder: As in `from_files`.
            learn_special_tokens: As in `from_files`.
            show_progress: As in `from_files`.
            progress: As in `from_files`.

        Raises:
            TypeError: An item is neither a text nor an iterable of texts; the message has its index.
            UnicodeEncodeError: A text has a lone surrogate; the reason has its index.
        """
        counter = tokenizer._counter(learn_special_tokens=learn_special_tokens)
        with reporting(progress, show=show_progress) as report:
            return cls._of(count_items(counter, iterator, length, Bound(memory_limit, spill_folder), report))

    @classmethod
    def from_dataset(cls, dataset: Any, tokenizer: Tokenizer, column: str = "text", **options: Any) -> Self:
        """Count a column of a dataset of the package `datasets`, or of anything else that gives rows as mappings.

        Args:
            dataset: If it has `iter(batch_size)`, it is read batch by batch.
            tokenizer: Its normalizer, its added tokens and its pre-tokenizer make pretokens of the texts.
            column: The column with the texts.
            **options: Those of `from_iterator`.
        """
        column = text("column", column)
        batches = getattr(dataset, "iter", None)
        texts: Iterator[Any]
        if batches is not None:
            texts = (batch[column] for batch in batches(batch_size=1000))
        else:
            texts = (row[column] for row in dataset)
        if hasattr(dataset, "__len__"):
            options.setdefault("length", len(dataset))
        return cls.from_iterator(texts, tokenizer, **options)

    # -----------------------------------------------------------------------------------------------------------------
    # Files

    @classmethod
    def load(cls, path: PathLike, *, progress: Report | None = None) -> Self:
        """Read a file that `save` wrote.

        Args:
            path: The file.
            progress: Called with the stage, how much of it is done, and its size.

        Raises:
            OSError: The file cannot be read, is no file of counts, is of a later version, or is damaged.
        """
        return cls._of(_core.WordCounts.load(os.fspath(path), progress))

    def save(self, path: PathLike, *, progress: Report | None = None) -> None:
        """Write a file, smaller than JSON and quicker to read; it appears under its name once it is complete.

        Args:
            path: The file.
            progress: Called with the stage, how much of it is done, and its size.
        """
        self._core.save(os.fspath(path), progress)

    # -----------------------------------------------------------------------------------------------------------------
    # Using

    def merge(self, *others: WordCounts) -> Self:
        """The counts of this corpus and others added up, as if they had been counted one after the other."""
        for other in others:
            if not isinstance(other, WordCounts):
                raise wrong_type("other", "WordCounts", other)
        return self._of(_core.WordCounts.merged([self._core, *(other._core for other in others)]))

    def prune(self, min_count: int) -> Self:
        """The words that occur at least `min_count` times."""
        return self._of(self._core.pruned(natural("min_count", min_count)))

    def total(self) -> int:
        """The sum of all counts."""
        return self._core.total()

    def items(self) -> Iterator[tuple[str, int]]:
        """The words with their counts, one after the other."""
        index = 0
        while (item := self._core.item(index)) is not None:
            yield item
            index += 1

    def to_dict(self) -> dict[str, int]:
        """All words with their counts, as a new dict."""
        return self._core.to_dict()

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[str]:
        return (word for word, _ in self.items())

    def __eq__(self, other: object) -> bool:
        return self._core == other._core if isinstance(other, WordCounts) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[WordCounts], tuple[dict[str, int]]]:
        return type(self), (self.to_dict(),)

    def __repr__(self) -> str:
        return f"WordCounts({len(self):,} words, {self.total():,} in all)"


def core_counts(counts: Mapping[str, int] | WordCounts) -> _core.WordCounts:
    """Counts in the form of the extension."""
    return counts._core if isinstance(counts, WordCounts) else _core.WordCounts(counts)


class Source:
    """Where in files the texts are."""

    def __init__(self, field: object = None, column: object = None) -> None:
        self.field = optional_text("field", field)
        self.column = optional_text("column", column)
        if field is not None and column is not None:
            raise ValueError("`field` is for lines of JSON and `column` for Parquet: only one of them can be given")


class Bound:
    """How much memory counting may take."""

    def __init__(self, limit: object = None, folder: object = None) -> None:
        self.limit = None if limit is None else natural("memory_limit", limit)
        self.folder = None if folder is None else os.fspath(folder)  # type: ignore[call-overload]


def count_files(
    counter: _core.PieceCounter, files: object, source: Source, bound: Bound, report: Report | None
) -> _core.WordCounts:
    """Count files."""
    if not isinstance(files, (list, tuple)):
        raise wrong_type("files", "a list of paths", files)
    paths = [os.fspath(path) for path in files]
    if source.column is not None:
        return count_items(counter, _parquet_texts(paths, source.column), None, bound, report)
    return counter.files(paths, source.field, bound.limit, bound.folder, report)


def count_items(
    counter: _core.PieceCounter, items: Any, length: int | None, bound: Bound, report: Report | None
) -> _core.WordCounts:
    """Count texts, and iterables of texts."""
    expected = 0 if length is None else natural("length", length)
    return counter.items(items, expected, bound.limit, bound.folder, report)


def _parquet_texts(paths: list[str], column: str) -> Iterator[list[Any]]:
    try:
        from pyarrow import parquet  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("to read Parquet files pyarrow is missing: pip install 'piecework[arrow]'") from error
    for path in paths:
        with parquet.ParquetFile(path) as file:
            if column not in file.schema_arrow.names:
                raise ValueError(f"{path} has no column `{column}`, only `{'`, `'.join(file.schema_arrow.names)}`")
            for batch in file.iter_batches(batch_size=1000, columns=[column]):
                yield batch.column(0).to_pylist()
