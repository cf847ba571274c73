"""Pre-tokenizers: where a text is cut before the model sees it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import boolean, character, one_of, positive, text, wrong_type
from piecework._component import Component, Field, Items, Json, Written, make
from piecework.regex import BEHAVIORS, Regex, check_pattern, dump_pattern, load_pattern

if TYPE_CHECKING:
    from piecework.strings import PreTokenizedString

__all__ = [
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "PreTokenizer",
    "Punctuation",
    "Sequence",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
]

_BEHAVIOR_NAMES = {written: name for name, written in BEHAVIORS.items()}


def _behavior() -> Field[str]:
    """What happens to a match: `removed`, `isolated`, `merged_with_previous`, `merged_with_next` or `contiguous`."""
    return Field(one_of(*BEHAVIORS), "behavior", dump=BEHAVIORS.__getitem__, load=_BEHAVIOR_NAMES.__getitem__)


class PreTokenizer(Component[_core.PreTokenizer], abstract=True):
    """Base of all pre-tokenizers; `PreTokenizer.custom` makes one from an object of yours.

    Example:
        >>> from piecework.pre_tokenizers import PreTokenizer
        >>> class Dashes:
        ...     def pre_tokenize(self, text):
        ...         text.split(lambda _, part: part.split("-", "removed"))
        >>> PreTokenizer.custom(Dashes()).pre_tokenize_str("a-b")
        [('a', (0, 1)), ('b', (2, 3))]
    """

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        """A pre-tokenizer written in Python.

        Args:
            pretok: An object with `pre_tokenize(self, text: PreTokenizedString) -> None`, which changes its argument:
                it is called for each stretch between added tokens, `original` is what the stage before it gave, and
                tokens are set by the model alone. The pre-tokenizer pickles when the object does; it has no JSON.
        """
        return _Custom(pretok)

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Cut a `PreTokenizedString` in place."""
        from piecework.strings import PreTokenizedString  # noqa: PLC0415 - only custom components need it

        if not isinstance(pretok, PreTokenizedString):
            raise wrong_type("pretok", "PreTokenizedString", pretok)
        splits = []
        for split in pretok._splits:
            if split.tokens is None:
                splits.extend(pretok._cut(split, self._compile().pre_tokenize([split.text._core])))
            else:
                splits.append(split)
        pretok._splits = splits

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """The pretokens of a text, each with its span in code points.

        Example:
            >>> from piecework.pre_tokenizers import Whitespace
            >>> Whitespace().pre_tokenize_str("Hi there")
            [('Hi', (0, 2)), ('there', (3, 8))]
        """
        return self._compile().pre_tokenize_str(text("sequence", sequence))

    def _build(self) -> _core.PreTokenizer:
        return _core.PreTokenizer(self.__getstate__())

    def _parse(self, state: bytes) -> dict[str, Json]:
        description: dict[str, Json] = json.loads(_core.PreTokenizer(state).json())
        return description


class BertPreTokenizer(PreTokenizer):
    """Cuts at white space, which is removed, and isolates punctuation.

    Example:
        >>> from piecework.pre_tokenizers import BertPreTokenizer
        >>> [word for word, _ in BertPreTokenizer().pre_tokenize_str("Hi, you!")]
        ['Hi', ',', 'you', '!']
    """


class Whitespace(PreTokenizer):
    r"""Runs of word characters and runs of other characters; white space is removed. The pattern is `\w+|[^\w\s]+`.

    Example:
        >>> from piecework.pre_tokenizers import Whitespace
        >>> [word for word, _ in Whitespace().pre_tokenize_str("it's 3...")]
        ['it', "'", 's', '3', '...']
    """


class WhitespaceSplit(PreTokenizer):
    """Cuts at white space, which is removed.

    Example:
        >>> from piecework.pre_tokenizers import WhitespaceSplit
        >>> WhitespaceSplit().pre_tokenize_str("Hi, you!")
        [('Hi,', (0, 3)), ('you!', (4, 8))]
    """


class UnicodeScripts(PreTokenizer):
    """Cuts where the script changes; kana counts as Han, and a blank as any script. Blanks in front are dropped.

    Example:
        >>> from piecework.pre_tokenizers import UnicodeScripts
        >>> [word for word, _ in UnicodeScripts().pre_tokenize_str("abcдж中")]
        ['abc', 'дж', '中']
    """


class ByteLevel(PreTokenizer):
    """Cuts with the pattern of GPT-2 and turns every byte into the character that stands for it.

    Args:
        add_prefix_space: Whether to put a blank in front of each text that does not start with one.
        trim_offsets: Has no effect here; the post-processor of this name uses it.
        use_regex: Whether to cut at all.
        _options: Other options are accepted and have no effect.

    Example:
        >>> from piecework.pre_tokenizers import ByteLevel
        >>> ByteLevel(add_prefix_space=False).pre_tokenize_str("Hi you")
        [('Hi', (0, 2)), ('Ġyou', (2, 6))]
    """

    add_prefix_space = Field(boolean)
    trim_offsets = Field(boolean)
    use_regex = Field(boolean)

    def __init__(
        self, add_prefix_space: bool = True, trim_offsets: bool = True, use_regex: bool = True, **_options: object
    ) -> None:
        self.add_prefix_space = add_prefix_space
        self.trim_offsets = trim_offsets
        self.use_regex = use_regex

    @staticmethod
    def alphabet() -> list[str]:
        """The 256 characters that stand for the bytes, by byte."""
        plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
        others = iter(range(0x100, 0x200))
        return [chr(byte if byte in plain else next(others)) for byte in range(256)]


class CharDelimiterSplit(PreTokenizer):
    """Cuts at a character, which is removed.

    Args:
        delimiter: The character.

    Example:
        >>> from piecework.pre_tokenizers import CharDelimiterSplit
        >>> CharDelimiterSplit("-").pre_tokenize_str("a-b")
        [('a', (0, 1)), ('b', (2, 3))]
    """

    delimiter = Field(character)

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter


class Digits(PreTokenizer):
    """Isolates numbers.

    Args:
        individual_digits: Whether each digit stands alone.

    Example:
        >>> from piecework.pre_tokenizers import Digits
        >>> [word for word, _ in Digits(individual_digits=True).pre_tokenize_str("a12")]
        ['a', '1', '2']
    """

    individual_digits = Field(boolean)

    def __init__(self, individual_digits: bool = False) -> None:
        self.individual_digits = individual_digits


class FixedLength(PreTokenizer):
    """Cuts into parts of equal length; the last may be shorter.

    Args:
        length: Characters of a part, at least 1.

    Example:
        >>> from piecework.pre_tokenizers import FixedLength
        >>> [word for word, _ in FixedLength(2).pre_tokenize_str("abcde")]
        ['ab', 'cd', 'e']
    """

    length = Field(positive)

    def __init__(self, length: int = 5) -> None:
        self.length = length


class Metaspace(PreTokenizer):
    """Turns blanks into a mark, as SentencePiece does, and cuts before each mark.

    Args:
        replacement: The mark, one character.
        prepend_scheme: Whether a mark is put in front: `always`, `first` (of a text only) or `never`.
        split: Whether to cut.

    Example:
        >>> from piecework.pre_tokenizers import Metaspace
        >>> [word for word, _ in Metaspace().pre_tokenize_str("Hi you")]
        ['▁Hi', '▁you']
    """

    replacement = Field(character)
    prepend_scheme = Field(one_of("always", "first", "never"))
    split = Field(boolean)

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.split = split


class Punctuation(PreTokenizer):
    """Cuts at punctuation.

    Args:
        behavior: What happens to a punctuation character: `removed`, `isolated`, `merged_with_previous`,
            `merged_with_next` or `contiguous`.

    Example:
        >>> from piecework.pre_tokenizers import Punctuation
        >>> [word for word, _ in Punctuation("merged_with_previous").pre_tokenize_str("a.b")]
        ['a.', 'b']
    """

    behavior = _behavior()

    def __init__(self, behavior: str = "isolated") -> None:
        self.behavior = behavior


class Split(PreTokenizer):
    """Cuts at the matches of a pattern.

    Args:
        pattern: A literal text, or a `Regex`.
        behavior: What happens to a match: `removed`, `isolated`, `merged_with_previous`, `merged_with_next` or
            `contiguous`.
        invert: Whether what lies between the matches counts as the match.

    Example:
        >>> from piecework import Regex, pre_tokenizers
        >>> pre_tokenizers.Split(Regex("[0-9]"), "isolated").pre_tokenize_str("ab12")
        [('ab', (0, 2)), ('1', (2, 3)), ('2', (3, 4))]
    """

    pattern = Field(check_pattern, dump=dump_pattern, load=load_pattern)
    behavior = _behavior()
    invert = Field(boolean)

    def __init__(self, pattern: str | Regex, behavior: str, invert: bool = False) -> None:
        self.pattern = pattern
        self.behavior = behavior
        self.invert = invert


class Sequence(Items[PreTokenizer], PreTokenizer):
    """Several pre-tokenizers, each cutting what the one before left.

    Args:
        pretokenizers: The pre-tokenizers. A `Sequence` among them is replaced by its items.

    Example:
        >>> from piecework.pre_tokenizers import Digits, Sequence, WhitespaceSplit
        >>> [word for word, _ in Sequence([WhitespaceSplit(), Digits()]).pre_tokenize_str("a1 b")]
        ['a', '1', 'b']
    """

    _what = "pre-tokenizer"
    _key = "pretokenizers"
    _base = PreTokenizer

    def __init__(self, pretokenizers: list[PreTokenizer]) -> None:
        self._set_items(pretokenizers)

    @classmethod
    def _from_json(cls, description: dict[str, Json]) -> PreTokenizer:
        return make(FAMILY, description)

    def _join(self, cores: list[_core.PreTokenizer]) -> _core.PreTokenizer:
        return _core.PreTokenizer.sequence(cores)


class _Custom(Written, PreTokenizer):
    """A pre-tokenizer written in Python."""

    _what = "pre-tokenizer"
    _maker = _core.PreTokenizer


FAMILY: dict[str, type[PreTokenizer]] = {
    cls.__name__: cls
    for cls in (
        BertPreTokenizer,
        ByteLevel,
        CharDelimiterSplit,
        Metaspace,
        Whitespace,
        Sequence,
        Split,
        Punctuation,
        WhitespaceSplit,
        Digits,
        UnicodeScripts,
        FixedLength,
    )
}
"""All pre-tokenizers, by their `type` in JSON."""
