"""Normalizers: what happens to a text before it is cut."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import boolean, optional_boolean, text, wrong_type
from piecework._component import Component, Field, Items, Json, Written, make
from piecework.regex import Regex, check_pattern, dump_pattern, load_pattern

if TYPE_CHECKING:
    from piecework.strings import NormalizedString

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "NORMALIZERS",
    "BertNormalizer",
    "ByteLevel",
    "Lowercase",
    "Nmt",
    "Normalizer",
    "Precompiled",
    "Prepend",
    "Replace",
    "Sequence",
    "Strip",
    "StripAccents",
    "unicode_normalizer_from_str",
]


class Normalizer(Component[_core.Normalizer], abstract=True):
    """Base of all normalizers; `Normalizer.custom` makes one from an object of yours.

    Example:
        >>> from piecework.normalizers import Normalizer
        >>> class Shout:
        ...     def normalize(self, text):
        ...         text.uppercase()
        >>> Normalizer.custom(Shout()).normalize_str("hi")
        'HI'
    """

    @staticmethod
    def custom(normalizer: Any) -> Normalizer:
        """A normalizer written in Python.

        Args:
            normalizer: An object with `normalize(self, text: NormalizedString) -> None`, which changes its argument;
                `original` is there what the normalizer before it gave. The normalizer pickles when the object does; it
                has no JSON.
        """
        return _Custom(normalizer)

    def normalize(self, normalized: NormalizedString) -> None:
        """Normalize a `NormalizedString` in place."""
        from piecework.strings import NormalizedString  # noqa: PLC0415 - only custom components need it

        if not isinstance(normalized, NormalizedString):
            raise wrong_type("normalized", "NormalizedString", normalized)
        normalized._apply(self._compile())

    def normalize_str(self, sequence: str) -> str:
        """The normalized text.

        Example:
            >>> from piecework.normalizers import Lowercase
            >>> Lowercase().normalize_str("Hello")
            'hello'
        """
        return self._compile().normalize_str(text("sequence", sequence))

    def _build(self) -> _core.Normalizer:
        return _core.Normalizer(self.__getstate__())

    def _parse(self, state: bytes) -> dict[str, Json]:
        description: dict[str, Json] = json.loads(_core.Normalizer(state).json())
        return description


class NFC(Normalizer):
    r"""Unicode normal form C: characters composed.

    Example:
        >>> from piecework.normalizers import NFC
        >>> NFC().normalize_str("e\u0301") == "\u00e9"
        True
    """


class NFD(Normalizer):
    """Unicode normal form D: characters decomposed.

    Example:
        >>> from piecework.normalizers import NFD
        >>> len(NFD().normalize_str("é"))
        2
    """


class NFKC(Normalizer):
    """Unicode normal form KC: compatible characters made the same, then composed.

    Example:
        >>> from piecework.normalizers import NFKC
        >>> NFKC().normalize_str("ﬁ①")
        'fi1'
    """


class NFKD(Normalizer):
    """Unicode normal form KD: compatible characters made the same, then decomposed.

    Example:
        >>> from piecework.normalizers import NFKD
        >>> len(NFKD().normalize_str("ﬁé"))
        4
    """


class Lowercase(Normalizer):
    """Lower case, character by character.

    Example:
        >>> from piecework.normalizers import Lowercase
        >>> Lowercase().normalize_str("HÉLLO")
        'héllo'
    """


class StripAccents(Normalizer):
    """Removes the marks of Unicode. It does not decompose: put `NFD` before it.

    Example:
        >>> from piecework.normalizers import NFD, Sequence, StripAccents
        >>> Sequence([NFD(), StripAccents()]).normalize_str("naïve café")
        'naive cafe'
    """


class Nmt(Normalizer):
    r"""Removes control characters and turns odd spaces into plain ones, as SentencePiece's `nmt` rules do.

    Removed are U+0001 to U+0008, U+000B, U+000E to U+001F, U+007F, U+008F and U+009F. Blanks come out of tab, line
    feed, form feed, carriage return, U+1680, U+200B to U+200F, U+2028, U+2029, U+2581, U+FEFF and U+FFFD. All other
    characters stay, other spaces and controls too.

    Example:
        >>> from piecework.normalizers import Nmt
        >>> Nmt().normalize_str("a\u200bb\tc")
        'a b c'
    """


class ByteLevel(Normalizer):
    """Every byte of the text becomes the character that stands for it in byte-level vocabularies.

    Example:
        >>> from piecework.normalizers import ByteLevel
        >>> ByteLevel().normalize_str("é x")
        'Ã©Ġx'
    """


class Strip(Normalizer):
    """Removes white space from the ends.

    Args:
        left: Whether from the start.
        right: Whether from the end.

    Example:
        >>> from piecework.normalizers import Strip
        >>> Strip(right=False).normalize_str("  a  ")
        'a  '
    """

    left = Field(boolean, "strip_left")
    right = Field(boolean, "strip_right")

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self.left = left
        self.right = right


class BertNormalizer(Normalizer):
    r"""What BERT does to a text.

    Args:
        clean_text: Whether to remove control characters and to turn all white space into blanks.
        handle_chinese_chars: Whether to put blanks around Chinese characters.
        strip_accents: Whether to remove accents; `None` does what `lowercase` says.
        lowercase: Whether to lower.

    Example:
        >>> from piecework.normalizers import BertNormalizer
        >>> BertNormalizer().normalize_str("Héllò\thow")
        'hello how'
    """

    clean_text = Field(boolean)
    handle_chinese_chars = Field(boolean)
    strip_accents = Field(optional_boolean)
    lowercase = Field(boolean)

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        self.clean_text = clean_text
        self.handle_chinese_chars = handle_chinese_chars
        self.strip_accents = strip_accents
        self.lowercase = lowercase


class Prepend(Normalizer):
    """Puts a text in front of every text that is not empty.

    Args:
        prepend: What to put there. It takes the span of the first character.

    Example:
        >>> from piecework.normalizers import Prepend
        >>> Prepend("▁").normalize_str("hug")
        '▁hug'
    """

    prepend = Field(text)

    def __init__(self, prepend: str = "▁") -> None:
        self.prepend = prepend


class Replace(Normalizer):
    """Replaces all matches of a pattern.

    Args:
        pattern: A literal text, or a `Regex`.
        content: What to put in place of each match, literally.

    Example:
        >>> from piecework import Regex
        >>> from piecework.normalizers import Replace
        >>> Replace(Regex("[0-9]+"), "#").normalize_str("a12b3")
        'a#b#'
    """

    pattern = Field(check_pattern, dump=dump_pattern, load=load_pattern)
    content = Field(text)

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self.pattern = pattern
        self.content = content


def _charsmap(name: str, value: object) -> bytes:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise wrong_type(name, "bytes", value)


class Precompiled(Normalizer):
    """A map of characters compiled by SentencePiece: the longest rule that fits wins, what no rule takes stays.

    Args:
        precompiled_charsmap: The map, as it stands in a SentencePiece model.

    Example:
        >>> from piecework import SpecError, normalizers
        >>> try:
        ...     normalizers.Precompiled(b"no map")
        ... except SpecError as error:
        ...     print(error.path)
        precompiled_charsmap
    """

    precompiled_charsmap = Field(_charsmap, dump=lambda blob: base64.b64encode(blob).decode(), load=base64.b64decode)

    def __init__(self, precompiled_charsmap: bytes) -> None:
        self.precompiled_charsmap = precompiled_charsmap
        self._compile()


class Sequence(Items[Normalizer], Normalizer):
    """Several normalizers, one after the other.

    Args:
        normalizers: The normalizers. A `Sequence` among them is replaced by its items.

    Example:
        >>> from piecework.normalizers import Lowercase, Sequence, Strip
        >>> Sequence([Strip(), Lowercase()]).normalize_str(" Hi ")
        'hi'
    """

    _what = "normalizer"
    _key = "normalizers"
    _base = Normalizer

    def __init__(self, normalizers: list[Normalizer]) -> None:
        self._set_items(normalizers)

    def __bool__(self) -> bool:
        """As of a list: in the reference only this family of sequences has a length."""
        return len(self) > 0

    @classmethod
    def _from_json(cls, description: dict[str, Json]) -> Normalizer:
        return make(FAMILY, description)

    def _join(self, cores: list[_core.Normalizer]) -> _core.Normalizer:
        return _core.Normalizer.sequence(cores)


class _Custom(Written, Normalizer):
    """A normalizer written in Python."""

    _what = "normalizer"
    _maker = _core.Normalizer


FAMILY: dict[str, type[Normalizer]] = {
    cls.__name__: cls
    for cls in (
        BertNormalizer,
        Strip,
        StripAccents,
        NFC,
        NFD,
        NFKC,
        NFKD,
        Sequence,
        Lowercase,
        Nmt,
        Precompiled,
        Replace,
        Prepend,
        ByteLevel,
    )
}
"""All normalizers, by their `type` in JSON."""

NORMALIZERS: dict[str, type[Normalizer]] = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}
"""The normal forms of Unicode, by name."""


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """The normal form of that name: `nfc`, `nfd`, `nfkc` or `nfkd`."""
    if normalizer not in NORMALIZERS:
        raise ValueError(f"`{normalizer}` is no normal form of Unicode, expected one of `{'`, `'.join(NORMALIZERS)}`")
    return NORMALIZERS[normalizer]()
