"""The stages in front of the model: added tokens, normalized text, pretokens, with spans into the text as given."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from piecework import _core
from piecework._parts import core_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.tokenizer import Tokenizer

Span = tuple[int, int]
"""Start and end in code points of the text as given, end exclusive."""

# Stands for a stretch between added tokens where they are searched for.
_STRETCH = "stretch"


class AddedPart(NamedTuple):
    """An added token where it was found."""

    text: str
    """The text that it was found as, with the white space that it takes in."""
    span: Span
    id: int
    token: str
    word: int
    is_normalized: bool
    """Whether it was found in the normalized text, not in the text as given."""


class Pretoken(NamedTuple):
    """A part of the normalized text that the model sees alone."""

    text: str
    span: Span
    word: int
    """Its number among the pretokens and added tokens of the text."""


class Stretch(NamedTuple):
    """What stands between two added tokens."""

    text: str
    """As given."""
    span: Span
    normalized: str
    origins: list[Span]
    """For each character of the normalized text what it came from."""
    pretokens: list[Pretoken]


Part = AddedPart | Stretch


class _Places:
    """From bytes of a text to code points."""

    def __init__(self, text: str) -> None:
        self._starts = list(itertools.accumulate((len(c.encode("utf-8")) for c in text), initial=0))

    def span(self, start: int, end: int) -> Span:
        """The code points that bytes belong to, whole ones."""
        first = bisect_right(self._starts, start) - 1
        return first, max(first, bisect_left(self._starts, end))


class Stages:
    """Takes texts through the stages in front of the model of a tokenizer, as it is now."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._normalizer: _core.Normalizer | None = core_of(tokenizer.normalizer)
        self._pre_tokenizer: _core.PreTokenizer | None = core_of(tokenizer.pre_tokenizer)
        added = tokenizer._added_list()
        self._contents = {token[0]: token[1] for token in added}
        # Those of the normalized text are searched for in their normalized form.
        self._shown = {t[0]: self._normalize(t[1]) if t[5] else t[1] for t in added}
        marker = max(self._contents, default=-1) + 1
        model = _core.Model.wordlevel({_STRETCH: marker}, f'{{"unk_token":"{_STRETCH}"}}')

        def finder(*, normalized: bool) -> _core.Program | None:
            wanted = [(t[0], self._shown[t[0]], t[2], t[3], t[4], False, t[6]) for t in added if t[5] == normalized]
            if not wanted:
                return None
            as_text = tokenizer.encode_special_tokens
            # Without normalizer and pre-tokenizer each stretch is one unknown word of the model.
            return _core.Program(None, None, model, None, None, wanted, as_text, True)

        self._raw = finder(normalized=False)
        self._normalized = finder(normalized=True)
        # The only pre-tokenizer that does not look at the text: one character a piece, with its origin.
        self._characters = _core.PreTokenizer(b'{"type":"FixedLength","length":1}')

    def _normalize(self, text: str) -> str:
        return text if self._normalizer is None else self._normalizer.normalize_str(text)

    def _find(self, finder: _core.Program | None, text: str) -> Iterator[tuple[Span, int | None]]:
        """Stretches and added tokens with their ids, from left to right."""
        if finder is None:
            if text:
                yield (0, len(text)), None
            return
        columns = finder.encode(text, None, False, False, None, None)
        for span, token_id in zip(columns.offsets(0), columns.ids(0), strict=True):
            yield span, token_id if token_id in self._contents else None

    def parts(self, text: str) -> list[Part]:
        """The text as added tokens and stretches between them.

        Raises:
            UnicodeEncodeError: The text has a lone surrogate.
        """
        whole, places, words = _core.AlignedText(text), _Places(text), itertools.count()
        parts: list[Part] = []
        for (start, end), token_id in self._find(self._raw, text):
            if token_id is not None:
                token = self._contents[token_id]
                parts.append(AddedPart(text[start:end], (start, end), token_id, token, next(words), False))
                continue
            raw = whole.slice(start, end)
            normalized = raw if self._normalizer is None else raw.normalized(self._normalizer)
            found = list(self._find(self._normalized, normalized.text))
            for number, ((at, to), added_id) in enumerate(found):
                part = normalized.slice(at, to)
                span = places.span(*normalized.origin(at, to))
                if added_id is not None:
                    token = self._shown[added_id]
                    parts.append(AddedPart(text[slice(*span)], span, added_id, token, next(words), True))
                    continue
                # At the ends of what was normalized as one, a stretch takes in what the normalizer dropped.
                given = (start if number == 0 else span[0], end if number == len(found) - 1 else span[1])
                pretokens = [Pretoken(p, s, next(words)) for p, s in self._pretokens(part, places)]
                parts.append(Stretch(text[slice(*given)], given, part.text, self._origins(part, places), pretokens))
            if not found:
                parts.append(Stretch(text[start:end], (start, end), "", [], []))
        return parts

    def _pretokens(self, text: _core.AlignedText, places: _Places) -> Iterator[tuple[str, Span]]:
        pieces = [text] if self._pre_tokenizer is None else self._pre_tokenizer.pre_tokenize([text])
        for piece in pieces:
            yield piece.text, places.span(*piece.origin(0, len(piece.text)))

    def _origins(self, text: _core.AlignedText, places: _Places) -> list[Span]:
        return [places.span(*c.origin(0, 1)) for c in self._characters.pre_tokenize([text])]
