"""What the vocabularies of two tokenizers have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework import decoders, models
from piecework._checks import boolean
from piecework.inspect.table import Table, symbols
from piecework.inspect.trace import backend, names

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.inspect.trace import AnyTokenizer
    from piecework.tokenizer import Tokenizer


class Overlap(NamedTuple):
    """The tokens of two vocabularies. `print` shows a table, and so does a notebook.

    Example:
        >>> from piecework import Tokenizer, models
        >>> from piecework.inspect import overlap
        >>> first = Tokenizer(models.BPE({"h": 0, "i": 1, "hi": 2}, [("h", "i")]))
        >>> second = Tokenizer(models.BPE({"h": 0, "i": 1, "o": 2}, []))
        >>> sorted(overlap(first, second).shared), overlap(first, second).jaccard
        (['h', 'i'], 0.5)
    """

    shared: frozenset[str]
    only_first: frozenset[str]
    only_second: frozenset[str]

    @property
    def jaccard(self) -> float:
        """Shared tokens, as a share of all tokens of both."""
        every = len(self.shared) + len(self.only_first) + len(self.only_second)
        return len(self.shared) / every if every else 0.0

    def table(self) -> Table:
        """The numbers as a table."""
        sizes = [("both", self.shared), ("only the first", self.only_first), ("only the second", self.only_second)]
        rows = [(name, f"{len(tokens):,}", symbols(*_longest_words(tokens))) for name, tokens in sizes]
        return Table(
            f"vocabularies: {self.jaccard:.2%} of all tokens are in both", ("in", "tokens", "longest words"), rows
        )

    def __str__(self) -> str:
        return self.table().text()

    def __repr__(self) -> str:
        shared, first, second = map(len, self)
        return f"Overlap({shared:,} tokens in both, {first:,} only in the first, {second:,} only in the second)"

    def _repr_html_(self) -> str:
        from piecework.inspect.html import table  # noqa: PLC0415 - only in notebooks

        return table(self.table())


def _longest_words(tokens: frozenset[str]) -> list[str]:
    """Tokens that are words, with the marks that tell them from others."""
    words = {token: word for token in tokens if (word := token.strip(" ▁#")).isalpha()}
    return sorted(words, key=lambda token: (-len(words[token]), token))[:6]


def overlap(first: AnyTokenizer, second: AnyTokenizer, *, as_text: bool = False) -> Overlap:
    """Compare two vocabularies, added tokens included.

    Args:
        first: A tokenizer.
        second: Another one.
        as_text: Whether to compare what tokens stand for rather than how they are spelled: byte stand-ins as their
            text, the mark of a word (or, in WordPiece, the missing prefix) as a blank.
    """
    as_text = boolean("as_text", as_text)
    sides = [backend(first, "first"), backend(second, "second")]
    a, b = (frozenset(map(_spelling(side) if as_text else str, side.get_vocab())) for side in sides)
    return Overlap(a & b, a - b, b - a)


def _spelling(tokenizer: Tokenizer) -> Callable[[str], str]:
    """What gives the text that a token stands for."""
    parts = {name for stage in ("pre_tokenizer", "decoder") for name in names(getattr(tokenizer, stage))}
    added = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    model = tokenizer.model
    bytes_of = decoders.ByteLevel()

    def spelling(token: str) -> str:
        if token in added:
            return token
        if "ByteLevel" in parts:
            # Bytes that are no text on their own stay as they are spelled.
            text = bytes_of.decode([token])
            return token if "\ufffd" in text else text
        if isinstance(model, models.WordPiece):
            prefix = model.continuing_subword_prefix
            return token.removeprefix(prefix) if token.startswith(prefix) else f" {token}"
        return token.replace("▁", " ")

    return spelling
