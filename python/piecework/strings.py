"""The texts that components written in Python work on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import natural, one_of, text, wrong_type
from piecework._component import dumps
from piecework.encoding import Encoding
from piecework.offsets import OffsetReferential, OffsetType, SplitDelimiterBehavior
from piecework.regex import BEHAVIORS, Regex, check_pattern, dump_pattern
from piecework.token import Token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["NormalizedString", "OffsetReferential", "OffsetType", "PreTokenizedString", "SplitDelimiterBehavior"]


_Range = int | tuple[int, int] | slice


def _normalizer(name: str, **fields: Any) -> _core.Normalizer:
    return _core.Normalizer(dumps({"type": name, **fields}).encode())


def _function(name: str, value: object) -> Callable[..., Any]:
    if not callable(value):
        raise wrong_type(name, "callable", value)
    return value


class NormalizedString:
    """A text that is changed in place and remembers what each character came from.

    Args:
        sequence: The text.

    Example:
        >>> from piecework import NormalizedString
        >>> string = NormalizedString("Hi there")
        >>> string.lowercase()
        >>> string.normalized, string.original
        ('hi there', 'Hi there')
        >>> string[3:5]
        NormalizedString(original="th", normalized="th")
    """

    __slots__ = ("_core", "_original", "_start")

    def __init__(self, sequence: str) -> None:
        self._take(_core.AlignedText(text("sequence", sequence)), sequence, 0)

    def _take(self, core: _core.AlignedText, original: str, start: int) -> None:
        self._core = core
        self._original = original
        self._start = start  # byte of the whole original text at which `_original` starts

    def _part(self, core: _core.AlignedText, start: int, end: int) -> NormalizedString:
        """A part that came from these bytes of the whole original text."""
        data = self._original.encode()
        original = data[start - self._start : end - self._start].decode("utf-8", "ignore")
        part = NormalizedString.__new__(NormalizedString)
        part._take(core, original, start)
        return part

    @property
    def normalized(self) -> str:
        """The text as it is now."""
        return self._core.text

    @property
    def original(self) -> str:
        """The text as it was."""
        return self._original

    def _origin(self) -> tuple[int, int]:
        """The bytes of the whole original text that it is of, with those that are removed by now."""
        return self._start, self._start + len(self._original.encode())

    def _apply(self, normalizer: _core.Normalizer) -> None:
        self._core = self._core.normalized(normalizer)

    def nfd(self) -> None:
        """Unicode normal form D."""
        self._apply(_normalizer("NFD"))

    def nfkd(self) -> None:
        """Unicode normal form KD."""
        self._apply(_normalizer("NFKD"))

    def nfc(self) -> None:
        """Unicode normal form C."""
        self._apply(_normalizer("NFC"))

    def nfkc(self) -> None:
        """Unicode normal form KC."""
        self._apply(_normalizer("NFKC"))

    def lowercase(self) -> None:
        """Lower case, character by character."""
        self._apply(_normalizer("Lowercase"))

    def uppercase(self) -> None:
        """Upper case, character by character."""
        self._core = self._core.uppercase()

    def prepend(self, s: str) -> None:
        """Put text in front, if there is any text."""
        self._apply(_normalizer("Prepend", prepend=text("s", s)))

    def append(self, s: str) -> None:
        """Put text behind; it takes the span of the last character."""
        self._core = self._core.appended(text("s", s))

    def lstrip(self) -> None:
        """Remove white space from the start."""
        self._apply(_normalizer("Strip", strip_left=True, strip_right=False))

    def rstrip(self) -> None:
        """Remove white space from the end."""
        self._apply(_normalizer("Strip", strip_left=False, strip_right=True))

    def strip(self) -> None:
        """Remove white space from both ends."""
        self._apply(_normalizer("Strip", strip_left=True, strip_right=True))

    def clear(self) -> None:
        """Remove everything."""
        self._core = self._core.mapped([])

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keep the characters for which a function gives true."""
        keep = _function("func", func)
        self._core = self._core.mapped([c if keep(c) else None for c in self.normalized])

    def map(self, func: Callable[[str], str]) -> None:
        """Replace each character by what a function gives: of that the first character."""
        change = _function("func", func)
        changed = [text("the result of func", change(c)) for c in self.normalized]
        if not all(changed):
            raise ValueError("the result of func is empty, expected a character")
        self._core = self._core.mapped([c[0] for c in changed])

    def for_each(self, func: Callable[[str], object]) -> None:
        """Call a function with each character."""
        call = _function("func", func)
        for c in self.normalized:
            call(c)

    def replace(self, pattern: str | Regex, content: str) -> None:
        """Replace all matches of a pattern."""
        written = dump_pattern(check_pattern("pattern", pattern))
        self._apply(_normalizer("Replace", pattern=written, content=text("content", content)))

    def split(self, pattern: str | Regex, behavior: str) -> list[NormalizedString]:
        """Cut at the matches of a pattern.

        Args:
            pattern: A literal text, or a `Regex`.
            behavior: What happens to a match, as in the pre-tokenizer `Split`.
        """
        written = dumps(dump_pattern(check_pattern("pattern", pattern)))
        what = dumps(BEHAVIORS[one_of(*BEHAVIORS)("behavior", behavior)])
        if not self.normalized:
            return [self._part(self._core, self._start, self._start)]
        return [self._part(core, *core.origin(0, len(core.text))) for core in self._core.split(written, what)]

    def slice(self, range: _Range) -> NormalizedString | None:
        """A part of the text as it is now, or None if there is none.

        Args:
            range: A character, or a range of characters as `(start, end)` or a slice, which may be empty in front of a
                character. Negative numbers count from the end, but not in `(start, end)`.

        Raises:
            ValueError: A negative number is before the first character, or a slice has a step other than 1.
        """
        n = len(self.normalized)
        if isinstance(range, slice):
            if range.step not in (None, 1):
                raise ValueError(f"a slice has the step {range.step!r}, expected none")
            start, end = ((default if at is None else at) for at, default in ((range.start, 0), (range.stop, n)))
            start, end = (at + n if at < 0 else at for at in (start, end))
            if min(start, end) < 0:
                raise ValueError(f"{range} is bigger than the {n} characters of the text")
        elif isinstance(range, tuple):
            start, end = (natural("range", at) for at in range)
        else:
            at = range + n if range < 0 else range
            if at < 0:
                raise ValueError(f"{range} is bigger than the {n} characters of the text")
            start, end = at, at + 1
        if (start, end) == (0, 0) or (n == 0 and isinstance(range, slice)):
            return self._part(self._core.slice(0, 0), self._start, self._start)
        end = min(end, n)
        if start > end or start == n:
            return None
        core = self._core.slice(start, end)
        return self._part(core, *self._core.origin(start, end))

    def __getitem__(self, range: _Range) -> NormalizedString | None:
        """As `slice`."""
        if not isinstance(range, (int, tuple, slice)):
            raise wrong_type("range", "int, tuple or slice", range)
        return self.slice(range)

    def __str__(self) -> str:
        return self.normalized

    def __repr__(self) -> str:
        return f'NormalizedString(original="{self._original}", normalized="{self.normalized}")'


class _Split:
    """A part of a text, and its tokens once it has them."""

    __slots__ = ("text", "tokens")

    def __init__(self, part: NormalizedString, tokens: list[Token] | None = None) -> None:
        self.text = part
        self.tokens = tokens


class PreTokenizedString:
    """A text that is cut into parts, which are normalized and at last become tokens.

    Args:
        sequence: The text.

    Example:
        >>> from piecework import PreTokenizedString
        >>> string = PreTokenizedString("Hi there")
        >>> string.split(lambda i, part: part.split(" ", "removed"))
        >>> string.get_splits()
        [('Hi', (0, 2), None), ('there', (3, 8), None)]
    """

    __slots__ = ("_original", "_splits")

    def __init__(self, sequence: str) -> None:
        self._original = text("sequence", sequence)
        self._splits = [_Split(NormalizedString(sequence))]

    def split(self, func: Callable[[int, NormalizedString], Iterable[NormalizedString]]) -> None:
        """Cut each part that has no tokens yet.

        Args:
            func: Gets the number of a part and the part, and gives the parts that it is cut into. Empty parts are
                dropped.
        """
        cut = _function("func", func)
        splits: list[_Split] = []
        for i, split in enumerate(self._splits):
            if split.tokens is not None:
                splits.append(split)
                continue
            for part in cut(i, split.text):
                if part is None:
                    continue
                if not isinstance(part, NormalizedString):
                    raise wrong_type("the result of func", "list of NormalizedString", part)
                if part.normalized:
                    splits.append(_Split(part))
        self._splits = splits

    def _cut(self, split: _Split, cores: list[_core.AlignedText]) -> list[_Split]:
        """The parts that one is cut into."""
        return [_Split(split.text._part(core, *core.origin(0, len(core.text)))) for core in cores]

    def normalize(self, func: Callable[[NormalizedString], object]) -> None:
        """Call a function with each part that has no tokens yet; it changes the part."""
        change = _function("func", func)
        for split in self._splits:
            if split.tokens is None:
                change(split.text)

    def tokenize(self, func: Callable[[str], Iterable[Token]]) -> None:
        """Give each part that has none yet its tokens.

        Args:
            func: Gets the text of a part, and gives its tokens with spans in bytes of this text.
        """
        find = _function("func", func)
        for split in self._splits:
            if split.tokens is None:
                tokens = list(find(split.text.normalized))
                for token in tokens:
                    if not isinstance(token, Token):
                        raise wrong_type("the result of func", "list of Token", token)
                split.tokens = tokens

    def to_encoding(self, type_id: int = 0, word_idx: int | None = None) -> Encoding:
        """The encoding of all tokens.

        Args:
            type_id: Type id of all of them.
            word_idx: Word of all of them; by default the number of the part.
        """
        type_id = natural("type_id", type_id)
        positions = _Positions(self._original)
        ids: list[int] = []
        tokens: list[str] = []
        words: list[int | None] = []
        offsets: list[tuple[int, int]] = []
        for i, split in enumerate(self._splits):
            if split.tokens is None:
                raise ValueError("a part has no tokens yet: call `tokenize` first")
            inside = _Positions(split.text.normalized)
            for token in split.tokens:
                ids.append(token.id)
                tokens.append(token.value)
                words.append(i if word_idx is None else natural("word_idx", word_idx))
                start, end = (inside.character(at) for at in token.offsets)
                offsets.append(positions.characters(split.text._core.origin(start, end)))
        n = len(ids)
        columns = _core.Columns.from_lists(ids, [type_id] * n, tokens, words, offsets, [0] * n, [1] * n)
        return Encoding._view(columns, 0)

    def get_splits(
        self, offset_referential: str = "original", offset_type: str = "char"
    ) -> list[tuple[str, tuple[int, int], list[Token] | None]]:
        """The parts: text, span, and tokens if there are any yet.

        Args:
            offset_referential: Whether spans are in the `original` or in the `normalized` text.
            offset_type: Whether they count characters (`char`) or bytes (`byte`). As in the reference, characters are
                counted in the original: where a `normalized` text has other bytes, its spans are right in bytes only.
        """
        referential = one_of("original", "normalized")("offset_referential", offset_referential)
        kind = one_of("byte", "char")("offset_type", offset_type)
        positions = _Positions(self._original)
        out = []
        at = 0
        for split in self._splits:
            part = split.text.normalized
            size = len(part.encode())
            span = split.text._origin() if referential == "original" else (at, at + size)
            at += size
            if kind == "char":
                span = positions.characters(span)
            out.append((part, span, split.tokens))
        return out


class _Positions:
    """From bytes to characters of a text."""

    __slots__ = ("_characters",)

    def __init__(self, whole: str) -> None:
        self._characters = [i for i, c in enumerate(whole) for _ in c.encode()]

    def character(self, byte: int) -> int:
        """The character that this byte is of; behind the last byte the number of characters."""
        if byte < len(self._characters):
            return self._characters[byte]
        return self._characters[-1] + 1 if self._characters else 0

    def characters(self, span: tuple[int, int]) -> tuple[int, int]:
        """A span in characters. What starts outside of the text stays as it is, and what ends outside ends early."""
        start, end = span
        n = len(self._characters)
        if start >= n:
            return span
        first = self._characters[start]
        if end < n:
            return first, self._characters[end]
        return first, (self._characters[-1] if end == n else first + 1) + 1


# ---------------------------------------------------------------------------------------------------------------------
# What the extension calls


def run_normalizer(component: Any, core: _core.AlignedText) -> _core.AlignedText:
    """Let a normalizer written in Python change a text."""
    string = NormalizedString.__new__(NormalizedString)
    string._take(core, core.text, core.origin(0, len(core.text))[0])
    component.normalize(string)
    return string._core


def run_pre_tokenizer(component: Any, given: tuple[str, list[_core.AlignedText]]) -> list[_core.AlignedText]:
    """Let a pre-tokenizer written in Python cut pretokens: a text, and those parts of it that are left."""
    string = PreTokenizedString.__new__(PreTokenizedString)
    string._original, cores = given
    string._splits = []
    for core in cores:
        part = NormalizedString.__new__(NormalizedString)
        part._take(core, core.text, core.origin(0, len(core.text))[0])
        string._splits.append(_Split(part))
    component.pre_tokenize(string)
    if any(split.tokens is not None for split in string._splits):
        raise TypeError("a pre-tokenizer written in Python cuts; what it gives tokens to would be lost to the model")
    return [split.text._core for split in string._splits]


def run_decoder(component: Any, tokens: list[str]) -> list[str]:
    """Let a decoder written in Python decode tokens."""
    decoded: list[str] = component.decode_chain(tokens)
    return decoded
