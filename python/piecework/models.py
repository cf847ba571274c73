"""Models: what turns a pretoken into tokens.

Vocabularies live in the extension; the objects here hold a handle and the options.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import (
    boolean,
    natural,
    optional_id,
    optional_natural,
    optional_number,
    optional_text,
    text,
    wrong_type,
)
from piecework._component import Field, Json
from piecework._entries import named
from piecework._model import Model, PathLike
from piecework.errors import SpecError
from piecework.vocabulary_files import (
    read_merges,
    read_vocab_json,
    read_vocab_txt,
    write_vocab_json,
    write_vocab_txt,
)

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["BPE", "Model", "Unigram", "WordLevel", "WordPiece"]


def _vocab(value: object, read: Callable[[PathLike], dict[str, int]]) -> dict[str, int]:
    """A vocabulary given as a dict, or (an older form) as a file."""
    if isinstance(value, (str, os.PathLike)):
        return read(value)
    if not isinstance(value, dict):
        raise wrong_type("vocab", "dict of str to int", value)
    return value


def ignore(options: dict[str, object]) -> None:
    """Say that options are unknown, and go on."""
    for option in options:
        print(f"Ignored unknown kwarg option {option}")  # noqa: T201 - what the reference does


def _probability(name: str, value: object) -> float | None:
    """A probability, as exact as the extension keeps it: 32 bits."""
    given = optional_number(name, value)
    if given is not None and not 0 <= given <= 1:
        raise SpecError(f"is {given}, which is no probability: expected 0 to 1", name)
    return None if given is None else float(struct.unpack("f", struct.pack("f", given))[0])


class BPE(Model):
    """Byte-pair encoding: a pretoken starts as characters, and pairs are joined in the order of the merges.

    Args:
        vocab: Token to id. (Or a `vocab.json` file: use `from_file`.)
        merges: Pairs of tokens, in order of rank. (Or a `merges.txt` file.)
        cache_capacity: 0 switches the cache of results off, any other number leaves it bounded in bytes. Results are
            the same.
        dropout: Probability of passing over a merge, 0 to 1; `None` never does.
        unk_token: Stands for characters that the vocabulary does not have; `None` drops them.
        continuing_subword_prefix: In front of every symbol of a pretoken but the first.
        end_of_word_suffix: Behind the last symbol of a pretoken.
        fuse_unk: Whether neighbouring unknown characters become one token.
        byte_fallback: Whether an unknown character becomes its bytes, as `<0xE2>`.
        ignore_merges: Whether a pretoken that is in the vocabulary is one token, whatever the merges say.
        options: Others are named on the standard output and ignored.

    Raises:
        SpecError: A merge names a token that is not in the vocabulary, or `dropout` is out of range.
        ValueError: Only one of `vocab` and `merges` is given, or one is a file and the other is not.
        OverflowError: `cache_capacity` is negative.

    Example:
        >>> from piecework.models import BPE
        >>> [t.value for t in BPE({"h": 0, "u": 1, "g": 2, "ug": 3}, [("u", "g")]).tokenize("hug")]
        ['h', 'ug']
    """

    dropout = Field(_probability)
    unk_token = Field(optional_text)
    continuing_subword_prefix = Field(optional_text)
    end_of_word_suffix = Field(optional_text)
    fuse_unk = Field(boolean)
    byte_fallback = Field(boolean)
    ignore_merges = Field(boolean)

    def __init__(
        self,
        vocab: dict[str, int] | str | None = None,
        merges: list[tuple[str, str]] | str | None = None,
        *,
        cache_capacity: int = 10_000,
        dropout: float | None = None,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
        **options: object,
    ) -> None:
        ignore(options)
        if (vocab is None) != (merges is None):
            raise ValueError("`vocab` and `merges` must be both specified")
        files = isinstance(vocab, (str, os.PathLike)), isinstance(merges, (str, os.PathLike))
        if files[0] != files[1]:
            raise ValueError("`vocab` and `merges` must be both given as values or both as files")
        self._set_cache(cache_capacity)
        self.dropout = dropout
        self.unk_token = unk_token
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.fuse_unk = fuse_unk
        self.byte_fallback = byte_fallback
        self.ignore_merges = ignore_merges
        pairs = read_merges(merges) if isinstance(merges, (str, os.PathLike)) else [] if merges is None else merges
        if not isinstance(pairs, (list, tuple)):
            raise wrong_type("merges", "list of tuples of two str", pairs)
        entries = {} if vocab is None else _vocab(vocab, read_vocab_json)
        with named(entries):
            self._take(_core.Model.bpe(entries, list(pairs), self._options()))

    def _to_json(self) -> dict[str, Json]:
        return {**super()._to_json(), "dropout": self.dropout}

    @staticmethod
    def read_file(vocab: PathLike, merges: PathLike) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """The contents of a `vocab.json` and a `merges.txt`."""
        return read_vocab_json(vocab), read_merges(merges)

    @staticmethod
    def from_file(vocab: PathLike, merges: PathLike, **options: Any) -> BPE:
        """A model from a `vocab.json` and a `merges.txt`; the options are those of the class."""
        return BPE(read_vocab_json(vocab), read_merges(merges), **options)

    def _clear_cache(self) -> None:
        """Nothing is ever stale: results are kept by the compiled tokenizer, which a change replaces."""

    def _resize_cache(self, capacity: int) -> None:
        """Switch the cache of results off (0) or on."""
        self._set_cache(capacity)


class WordPiece(Model):
    """WordPiece: from the left always the longest token that fits; a pretoken that cannot be covered is unknown.

    Args:
        vocab: Token to id. (Or a `vocab.txt` file: use `from_file`.)
        unk_token: Stands for a whole pretoken that cannot be covered.
        max_input_chars_per_word: A pretoken with more characters is unknown.
        continuing_subword_prefix: In front of every token of a pretoken but the first.
        options: Others are named on the standard output and ignored.

    Example:
        >>> from piecework.models import WordPiece
        >>> [t.value for t in WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}).tokenize("hugs")]
        ['hug', '##s']
    """

    unk_token = Field(text)
    continuing_subword_prefix = Field(text)
    max_input_chars_per_word = Field(natural)

    def __init__(
        self,
        vocab: dict[str, int] | str | None = None,
        *,
        unk_token: str = "[UNK]",  # noqa: S107 - a token of a vocabulary
        max_input_chars_per_word: int = 100,
        continuing_subword_prefix: str = "##",
        **options: object,
    ) -> None:
        ignore(options)
        self.unk_token = unk_token
        self.max_input_chars_per_word = max_input_chars_per_word
        self.continuing_subword_prefix = continuing_subword_prefix
        entries = {} if vocab is None else _vocab(vocab, read_vocab_txt)
        with named(entries):
            self._take(_core.Model.wordpiece(entries, self._options()))

    @staticmethod
    def read_file(vocab: PathLike) -> dict[str, int]:
        """The contents of a `vocab.txt`."""
        return read_vocab_txt(vocab)

    @staticmethod
    def from_file(vocab: PathLike, **options: Any) -> WordPiece:
        """A model from a `vocab.txt`; the options are those of the class."""
        return WordPiece(read_vocab_txt(vocab), **options)

    def _files(self) -> dict[str, str]:
        return {"vocab.txt": write_vocab_txt(self._handle.vocab())}


class WordLevel(Model):
    """Every pretoken is one token.

    Args:
        vocab: Token to id. (Or a `vocab.json` file: use `from_file`.)
        unk_token: Stands for pretokens that the vocabulary does not have; `None` means `<unk>`.

    Example:
        >>> from piecework.models import WordLevel
        >>> [t.value for t in WordLevel({"<unk>": 0, "hug": 1}).tokenize("hug")]
        ['hug']
    """

    unk_token = Field(text)

    def __init__(self, vocab: dict[str, int] | str | None = None, unk_token: str | None = None) -> None:
        self.unk_token = "<unk>" if unk_token is None else unk_token
        entries = {} if vocab is None else _vocab(vocab, read_vocab_json)
        with named(entries):
            self._take(_core.Model.wordlevel(entries, self._options()))

    @staticmethod
    def read_file(vocab: PathLike) -> dict[str, int]:
        """The contents of a `vocab.json`."""
        return read_vocab_json(vocab)

    @staticmethod
    def from_file(vocab: PathLike, unk_token: str | None = None) -> WordLevel:
        """A model from a `vocab.json`."""
        return WordLevel(read_vocab_json(vocab), unk_token)

    def _files(self) -> dict[str, str]:
        return {"vocab.json": write_vocab_json(self._handle.vocab())}


class Unigram(Model):
    """Unigram: of all ways to cut a pretoken into tokens the most probable one.

    Args:
        vocab: Tokens with their scores (natural logarithms of probabilities); the id of a token is its place.
        unk_id: Id of the token that stands for unknown characters.
        byte_fallback: Whether unknown characters become their bytes, as `<0xE2>`. `None` stands for false.
        alpha: Samples a way instead of taking the best, the sharper the larger; `None` and 0 take the best.
        nbest_size: Samples among so many best ways; without it, among all.

    Raises:
        SpecError: `unk_id` is the id of no entry, or a score is no finite number.
        OverflowError: `unk_id` is negative or has more than 32 bits.

    Example:
        >>> from piecework.models import Unigram
        >>> vocab = [("<unk>", 0.0), ("h", -3.0), ("u", -4.0), ("g", -4.0), ("hug", -4.0)]
        >>> [t.value for t in Unigram(vocab, unk_id=0).tokenize("hug")]
        ['hug']
    """

    unk_id = Field(optional_id)
    byte_fallback = Field(boolean)
    alpha = Field(optional_number)
    nbest_size = Field(optional_natural)

    def __init__(
        self,
        vocab: list[tuple[str, float]] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
    ) -> None:
        if vocab is None and unk_id is not None:
            raise ValueError("`vocab` and `unk_id` must be both specified")
        self.unk_id = 0 if vocab is None else unk_id
        self.byte_fallback = False if byte_fallback is None else byte_fallback
        self.alpha = alpha
        self.nbest_size = nbest_size
        entries = [("<unk>", 0.0)] if vocab is None else vocab
        if not isinstance(entries, (list, tuple)):
            raise wrong_type("vocab", "list of tuples of str and float", entries)
        with named(entries):
            self._take(_core.Model.unigram(list(entries), self._options()))

    def _files(self) -> dict[str, str]:
        return {"unigram.json": self._compile().json(pretty=True)}

    def _clear_cache(self) -> None:
        """Nothing is ever stale: results are kept by the compiled tokenizer, which a change replaces."""

    def _resize_cache(self, capacity: int) -> None:
        """Switch the cache of results off (0) or on."""
        self._set_cache(capacity)


FAMILY: dict[str, type[Model]] = {cls.__name__: cls for cls in (BPE, WordPiece, WordLevel, Unigram)}
"""All models, by their `type` in JSON."""


def wrap(handle: _core.Model) -> Model:
    """The model object for a compiled model."""
    cls = FAMILY[handle.name]
    model = cls.__new__(cls)
    model._take(handle)
    return model
