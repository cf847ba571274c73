"""Decoders: how tokens become text again."""

from __future__ import annotations

import json
from typing import Any

from piecework import _core
from piecework._checks import boolean, character, natural, one_of, text, wrong_type
from piecework._component import Component, Field, Items, Json, Written, make
from piecework.decode_stream import DecodeStream
from piecework.regex import Regex, check_pattern, dump_pattern, load_pattern

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "DecodeStream",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
]


class Decoder(Component[_core.Decoder], abstract=True):
    """Base of all decoders; `Decoder.custom` makes one from an object of yours.

    Example:
        >>> from piecework.decoders import Decoder
        >>> class Spaced:
        ...     def decode_chain(self, tokens):
        ...         return [" ".join(tokens)]
        >>> Decoder.custom(Spaced()).decode(["a", "b"])
        'a b'
    """

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        """A decoder written in Python.

        Args:
            decoder: An object with `decode_chain(self, tokens: list[str]) -> list[str]`; the decoded text is what it
                returns, joined. The decoder pickles when the object does; it has no JSON.
        """
        return _Custom(decoder)

    def decode(self, tokens: list[str]) -> str:
        """The text of a list of tokens.

        Example:
            >>> from piecework.decoders import WordPiece
            >>> WordPiece().decode(["hug", "##ging", "face"])
            'hugging face'
        """
        if not isinstance(tokens, (list, tuple)) and type(tokens).__name__ != "ndarray":
            raise wrong_type("tokens", "list of str", tokens)
        return self._compile().decode(list(tokens))

    def _build(self) -> _core.Decoder:
        return _core.Decoder(self.__getstate__())

    def _parse(self, state: bytes) -> dict[str, Json]:
        description: dict[str, Json] = json.loads(_core.Decoder(state).json())
        return description


class BPEDecoder(Decoder):
    """Turns the suffix that ends words into a blank.

    Args:
        suffix: The suffix.

    Example:
        >>> from piecework.decoders import BPEDecoder
        >>> BPEDecoder().decode(["hel", "lo</w>", "you</w>"])
        'hello you'
    """

    suffix = Field(text)

    def __init__(self, suffix: str = "</w>") -> None:
        self.suffix = suffix


class ByteFallback(Decoder):
    """Turns runs of tokens such as `<0xC3>` into the text that their bytes spell.

    Bytes that spell none become U+FFFD.

    Example:
        >>> from piecework.decoders import ByteFallback
        >>> ByteFallback().decode(["caf", "<0xC3>", "<0xA9>"])
        'café'
    """


class ByteLevel(Decoder):
    """Turns the characters that stand for bytes into these bytes.

    Args:
        _options: Options are accepted and have no effect.

    Example:
        >>> from piecework.decoders import ByteLevel
        >>> ByteLevel().decode(["caf", "Ã©", "Ġau"])
        'café au'
    """

    def __init__(self, **_options: object) -> None:
        pass

    def _to_json(self) -> dict[str, Json]:
        return {"type": "ByteLevel", **self.__dict__.get("_written", _BYTE_LEVEL)}

    def _load(self, description: dict[str, Json]) -> None:
        self._written = {key: description[key] for key in _BYTE_LEVEL}


_BYTE_LEVEL = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
"""What the JSON of the decoder holds besides its type; nothing depends on it."""


class CTC(Decoder):
    """Collapses what a CTC model repeats.

    Args:
        pad_token: The token that separates repetitions.
        word_delimiter_token: The token that stands between words.
        cleanup: Whether to turn it into a blank, and to take out blanks within a token as in `WordPiece`.

    Example:
        >>> from piecework.decoders import CTC
        >>> CTC().decode(["h", "h", "i", "<pad>", "|", "y", "o", "o"])
        'hi yo'
    """

    pad_token = Field(text)
    word_delimiter_token = Field(text)
    cleanup = Field(boolean)

    def __init__(self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True) -> None:  # noqa: S107
        self.pad_token = pad_token
        self.word_delimiter_token = word_delimiter_token
        self.cleanup = cleanup


class Fuse(Decoder):
    """Joins all tokens to one, so that decoders behind it see the whole text.

    Example:
        >>> from piecework.decoders import Fuse, Sequence, Strip
        >>> Sequence([Fuse(), Strip(" ", 1, 0)]).decode([" a", " b"])
        'a b'
    """


class Metaspace(Decoder):
    """Turns marks into blanks and drops those in front of the first token.

    Args:
        replacement: The mark, one character.
        prepend_scheme: As in the pre-tokenizer: with `never` nothing was put in front, so nothing is dropped.
        split: As in the pre-tokenizer; has no effect here.

    Example:
        >>> from piecework.decoders import Metaspace
        >>> Metaspace().decode(["▁Hi", "▁you"])
        'Hi you'
    """

    replacement = Field(character)
    prepend_scheme = Field(one_of("always", "first", "never"))
    split = Field(boolean)

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.split = split


class Replace(Decoder):
    """Replaces all matches of a pattern in each token.

    Args:
        pattern: A literal text, or a `Regex`.
        content: What to put in place of each match, literally.

    Example:
        >>> from piecework.decoders import Replace
        >>> Replace("▁", " ").decode(["▁Hi", "▁you"])
        ' Hi you'
    """

    pattern = Field(check_pattern, dump=dump_pattern, load=load_pattern)
    content = Field(text)

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self.pattern = pattern
        self.content = content


class Strip(Decoder):
    """Removes a character from the ends of each token.

    Args:
        content: The character.
        left: At most so many at the start.
        right: At most so many at the end.

    Example:
        >>> from piecework.decoders import Strip
        >>> Strip("_", 1, 1).decode(["_a_", "b"])
        'ab'
    """

    content = Field(character)
    start = Field(natural)
    stop = Field(natural)

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        self.content = content
        self.start = left
        self.stop = right


class WordPiece(Decoder):
    """Joins continuations to the word before them, and puts blanks between words.

    Args:
        prefix: What marks a continuation.
        cleanup: Whether to join punctuation and the endings `'s`, `'m`, `'ve`, `'re` and `n't` to the word before them,
            and to write ` do not` as ` don't`; within each token.

    Example:
        >>> from piecework.decoders import WordPiece
        >>> WordPiece().decode(["un", "##aff", "##able", "!"])
        'unaffable!'
    """

    prefix = Field(text)
    cleanup = Field(boolean)

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        self.prefix = prefix
        self.cleanup = cleanup


class Sequence(Items[Decoder], Decoder):
    """Several decoders, one after the other.

    Args:
        decoders: The decoders.

    Example:
        >>> from piecework.decoders import Fuse, Replace, Sequence
        >>> Sequence([Replace("▁", " "), Fuse()]).decode(["▁Hi", "▁you"])
        ' Hi you'
    """

    _what = "decoder"
    _key = "decoders"
    _base = Decoder

    def __init__(self, decoders: list[Decoder]) -> None:
        if not isinstance(decoders, (list, tuple)):
            raise wrong_type("decoders", "list", decoders)
        self._items = [self._check_item(f"decoders[{at}]", item) for at, item in enumerate(decoders)]

    @classmethod
    def _from_json(cls, description: dict[str, Json]) -> Decoder:
        return make(FAMILY, description)

    def _join(self, cores: list[_core.Decoder]) -> _core.Decoder:
        return _core.Decoder.sequence(cores)


class _Custom(Written, Decoder):
    """A decoder written in Python."""

    _what = "decoder"
    _maker = _core.Decoder


FAMILY: dict[str, type[Decoder]] = {
    cls.__name__: cls
    for cls in (
        BPEDecoder,
        ByteLevel,
        WordPiece,
        Metaspace,
        CTC,
        Sequence,
        Replace,
        Fuse,
        Strip,
        ByteFallback,
    )
}
"""All decoders, by their `type` in JSON."""
