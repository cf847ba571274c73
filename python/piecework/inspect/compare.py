"""Tokenizers side by side on the same texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from piecework import models
from piecework._batches import batches
from piecework._checks import text, wrong_type
from piecework.errors import EncodeError
from piecework.inspect.table import Table
from piecework.inspect.trace import backend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from piecework.inspect.trace import AnyTokenizer
    from piecework.tokenizer import Tokenizer

_TITLE = "tokenizers on the same texts (t: token; used: share of the vocabulary that occurs)"
ALL = "all"
"""The group of all texts together."""


class Measure(NamedTuple):
    """What a tokenizer made of a group of texts.

    Example:
        >>> from piecework.inspect import Measure
        >>> sizes = {"texts": 1, "characters": 10, "bytes": 12, "words": 2}
        >>> measure = Measure("mine", "en", **sizes, tokens=4, unknown=1, used=3, size=6)
        >>> measure.fertility, measure.bytes_per_token, measure.used_share
        (2.0, 3.0, 0.5)
    """

    tokenizer: str
    group: str
    texts: int
    characters: int
    bytes: int
    words: int
    """Runs without white space. In scripts that do not part words, whole sentences."""
    tokens: int
    unknown: int
    """Tokens that stand for what is unknown."""
    used: int
    """Different tokens that occur."""
    size: int
    """Tokens of the vocabulary, added ones included."""

    @property
    def characters_per_token(self) -> float:
        """Code points that a token stands for, on average."""
        return _ratio(self.characters, self.tokens)

    @property
    def bytes_per_token(self) -> float:
        """Bytes of UTF-8 that a token stands for, on average: how much shorter texts become."""
        return _ratio(self.bytes, self.tokens)

    @property
    def fertility(self) -> float:
        """Tokens that a word becomes, on average."""
        return _ratio(self.tokens, self.words)

    @property
    def unknown_share(self) -> float:
        """Share of the tokens that stand for what is unknown."""
        return _ratio(self.unknown, self.tokens)

    @property
    def used_share(self) -> float:
        """Share of the vocabulary that occurs."""
        return _ratio(self.used, self.size)


METRICS = ("characters_per_token", "bytes_per_token", "fertility", "unknown_share", "used_share")
"""What can be plotted."""


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


class Comparison:
    """Measures of tokenizers on groups of texts. `print` shows a table, and so does a notebook.

    Example:
        >>> from piecework import Tokenizer, models
        >>> from piecework.inspect import compare
        >>> letters = Tokenizer(models.BPE({"h": 0, "i": 1}, []))
        >>> words = Tokenizer(models.BPE({"h": 0, "i": 1, "hi": 2}, [("h", "i")]))
        >>> [(m.tokenizer, m.tokens, m.used_share) for m in compare({"a": letters, "b": words}, ["hi", "hih"]).measures]
        [('a', 5, 1.0), ('b', 3, 0.6666666666666666)]
    """

    def __init__(self, measures: list[Measure]) -> None:
        self.measures = measures
        """By group, then by tokenizer; the last group is that of all texts, if there are several."""

    def table(self) -> Table:
        """The measures as a table."""
        columns = ("texts", "tokenizer", "tokens", "bytes/t", "chars/t", "t/word", "unknown", "used")
        rows = [
            (
                m.group,
                m.tokenizer,
                f"{m.tokens:,}",
                f"{m.bytes_per_token:.3f}",
                f"{m.characters_per_token:.3f}",
                f"{m.fertility:.3f}",
                f"{m.unknown_share:.2%}",
                f"{m.used_share:.2%}",
            )
            for m in self.measures
        ]
        return Table(_TITLE, columns, rows)

    def records(self) -> list[dict[str, Any]]:
        """The measures as dicts, for a data frame or JSON."""
        return [{**m._asdict(), **{metric: getattr(m, metric) for metric in METRICS}} for m in self.measures]

    def to_json(self) -> str:
        """The records as JSON."""
        return json.dumps(self.records(), ensure_ascii=False, indent=2)

    def plot(self, metric: str = "bytes_per_token", axes: Any = None) -> Any:
        """Bars of a metric, a group of bars for each group of texts. Needs the extra `plot`.

        Args:
            metric: One of `METRICS`.
            axes: Axes of matplotlib to draw on; `None` makes a figure.

        Returns:
            The figure.
        """
        from piecework.inspect import plot  # noqa: PLC0415 - an extra

        return plot.bars(self.measures, metric, axes)

    def __str__(self) -> str:
        return self.table().text()

    def __repr__(self) -> str:
        tokenizers, groups = {m.tokenizer for m in self.measures}, {m.group for m in self.measures}
        return f"Comparison({len(tokenizers)} tokenizers, {len(groups) - (len(groups) > 1)} groups of texts)"

    def _repr_html_(self) -> str:
        from piecework.inspect.html import table  # noqa: PLC0415 - only in notebooks

        return table(self.table())


def compare(
    tokenizers: Mapping[str, AnyTokenizer] | Iterable[AnyTokenizer],
    texts: Mapping[str, Iterable[str]] | Iterable[str],
) -> Comparison:
    """Encode the same texts with several tokenizers, without special tokens, and measure.

    Args:
        tokenizers: Tokenizers by name; without names they are numbered.
        texts: Texts, or groups of them by name (a language, a file). They are read once, and not kept.

    Raises:
        TypeError: A tokenizer, a text or a name is none; the message says which.
        ValueError: One of several groups has the name of all of them together, `all`.
        EncodeError: A tokenizer cannot encode a text.
        UnicodeEncodeError: A text has a lone surrogate.
    """
    meters = [_Meter(name, tokenizer) for name, tokenizer in _named(tokenizers)]
    groups = _grouped(texts)
    for name, group in groups.items():
        for meter in meters:
            meter.begin(name)
        for batch in batches(group):
            for meter in meters:
                meter.add(batch)
    measures = [meter.measure(i) for i in range(len(groups)) for meter in meters]
    return Comparison(measures + [meter.total() for meter in meters] if len(groups) > 1 else measures)


def _named(tokenizers: Any) -> list[tuple[str, Tokenizer]]:
    """The tokenizers with their names."""
    if isinstance(tokenizers, Mapping):
        named = [(_name("tokenizers", name), backend(t, f"tokenizers[{name!r}]")) for name, t in tokenizers.items()]
    elif isinstance(tokenizers, Iterable) and not isinstance(tokenizers, str | bytes):
        named = [(str(i), backend(t, f"tokenizers[{i}]")) for i, t in enumerate(tokenizers)]
    else:
        raise wrong_type("tokenizers", "tokenizers by name or a list of them", tokenizers)
    return named


def _grouped(texts: Any) -> dict[str, Iterator[str]]:
    """The texts by group, which are checked on the way."""
    if not isinstance(texts, Mapping):
        return {ALL: _checked("texts", texts)}
    if len(texts) > 1 and ALL in texts:
        raise ValueError(
            f"`texts` has a group `{ALL}`, which is what all groups together are called: name it otherwise"
        )
    return {_name("texts", name): _checked(f"texts[{name!r}]", group) for name, group in texts.items()}


def _name(of: str, name: object) -> str:
    if not isinstance(name, str):
        raise wrong_type(f"name in {of}", "str", name)
    return name


def _checked(name: str, texts: Any) -> Iterator[str]:
    if not isinstance(texts, Iterable) or isinstance(texts, str | bytes | bytearray):
        raise wrong_type(name, "an iterable of texts", texts)
    return _each(name, texts)


def _each(name: str, texts: Iterable[object]) -> Iterator[str]:
    for i, item in enumerate(texts):
        try:
            yield text(f"{name}[{i}]", item)
        except UnicodeEncodeError as error:
            error.reason += f" (in {name}[{i}])"
            raise


class _Meter:
    """Measures one tokenizer."""

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        self._name = name
        self._tokenizer = tokenizer
        self._size = tokenizer.get_vocab_size()
        self._unknown = unknown_id(tokenizer)
        self._groups: list[tuple[str, NDArray[np.int64], NDArray[np.int64]]] = []

    def begin(self, group: str) -> None:
        """Start a group of texts."""
        self._groups.append((group, np.zeros(4, np.int64), np.zeros(0, np.int64)))

    def add(self, texts: list[str]) -> None:
        """Count texts into the group."""
        try:
            ids = self._tokenizer.encode_ids(texts, add_special_tokens=False, truncation=False).ids
        except EncodeError as error:
            raise EncodeError(f"tokenizer `{self._name}`: {error}") from None
        group, sizes, counts = self._groups[-1]
        sizes += [
            len(texts),
            sum(map(len, texts)),
            sum(len(text.encode()) for text in texts),
            sum(len(text.split()) for text in texts),
        ]
        self._groups[-1] = group, sizes, _added(counts, np.bincount(ids).astype(np.int64))

    def measure(self, index: int) -> Measure:
        """The measure of a group."""
        return self._measure(*self._groups[index])

    def total(self) -> Measure:
        """The measure of all groups together."""
        counts = np.zeros(0, np.int64)
        for _, _, other in self._groups:
            counts = _added(counts, other)
        return self._measure(ALL, np.sum([sizes for _, sizes, _ in self._groups], axis=0), counts)

    def _measure(self, group: str, sizes: NDArray[np.int64], counts: NDArray[np.int64]) -> Measure:
        texts, characters, size, words = sizes.tolist()
        is_counted = self._unknown is not None and self._unknown < len(counts)
        unknown = int(counts[self._unknown]) if is_counted else 0
        tokens, used = int(counts.sum()), int(np.count_nonzero(counts))
        return Measure(self._name, group, texts, characters, size, words, tokens, unknown, used, self._size)


def _added(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of two arrays of counts, as long as the longer one."""
    out = np.zeros(max(len(a), len(b)), np.int64)
    out[: len(a)] += a
    out[: len(b)] += b
    return out


def unknown_id(tokenizer: Tokenizer) -> int | None:
    """The id that stands for what is unknown, if the model has one."""
    model = tokenizer.model
    if isinstance(model, models.Unigram):
        return model.unk_id
    if isinstance(model, models.BPE | models.WordPiece | models.WordLevel) and model.unk_token is not None:
        return model.token_to_id(model.unk_token)
    return None
