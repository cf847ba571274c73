"""Texts that have to fit into so many tokens: cut at borders of tokens, with nothing lost and nothing changed.

What is counted is what the parts have when they are encoded by themselves, which is not always what they have within
the text: a part may begin in the middle of a word.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from piecework._checks import natural, text
from piecework.errors import SettingError

if TYPE_CHECKING:
    from piecework.tokenizer import Tokenizer

__all__ = ["Chunk", "chunk", "truncate_text"]


class Chunk(NamedTuple):
    """A part of a text.

    Attributes:
        text: The part: the code points `start` to `end` of the text.
        start: Its first code point.
        end: One past its last.
        tokens: How many tokens it has, special ones with them if they count.

    Example:
        >>> from piecework.budgets import Chunk
        >>> Chunk("who", 0, 3, tokens=1).text
        'who'
    """

    text: str
    start: int
    end: int
    tokens: int


class _Text:
    """A text, the places where it may be cut, and the number of tokens before each."""

    def __init__(self, tokenizer: Tokenizer, content: str, max_tokens: int, *, add_special_tokens: bool) -> None:
        self.tokenizer = tokenizer
        self.content = text("text", content)
        self.max_tokens = natural("max_tokens", max_tokens)
        self.add_special_tokens = add_special_tokens
        added = tokenizer.num_special_tokens_to_add(is_pair=False) if add_special_tokens else 0
        self.room = self.max_tokens - added
        if self.room < 0:
            raise SettingError(f"max_tokens is `{max_tokens}`, but the special tokens alone are `{added}`")
        self.cuts, self.before = self._borders()

    def _borders(self) -> tuple[list[int], list[int]]:
        """Ends of the text and all places between tokens, as code points, each with the number of tokens before it.

        Tokens that stand for parts of one character have no place between them.
        """
        spans = self.tokenizer.encode(self.content, add_special_tokens=False, truncation=False, padding=False).offsets
        cuts, before, reached = [0], [0], 0
        for number, (start, end) in enumerate(spans):
            if start >= reached and start > cuts[-1]:
                cuts.append(start)
                before.append(number)
            reached = max(reached, end)
        if len(self.content) > cuts[-1]:
            cuts.append(len(self.content))
            before.append(len(spans))
        else:
            before[-1] = len(spans)
        return cuts, before

    def count(self, start: int, end: int) -> int:
        """The number of tokens of a part by itself."""
        counts = self.tokenizer.count(
            [self.content[start:end]], add_special_tokens=self.add_special_tokens, truncation=False
        )
        return int(counts[0])

    def fits(self, first: int, last: int) -> int | None:
        """The number of tokens of the part between two cuts, None if it is above the budget."""
        count = self.count(self.cuts[first], self.cuts[last])
        return count if count <= self.max_tokens else None

    def reach(self, first: int) -> int:
        """The last cut that so many tokens as there is room for reach from a cut, by the tokens within the text."""
        last = first
        while last + 1 < len(self.cuts) and self.before[last + 1] - self.before[first] <= self.room:
            last += 1
        return last

    def reach_back(self, last: int, tokens: int) -> int:
        """The first cut from which at most so many tokens lead to another cut."""
        first = last
        while first > 0 and self.before[last] - self.before[first - 1] <= tokens:
            first -= 1
        return first


def truncate_text(
    tokenizer: Tokenizer, content: str, max_tokens: int, side: str = "right", *, add_special_tokens: bool = True
) -> str:
    """The part of a text at its start or end that a budget of tokens holds, cut between tokens.

    Args:
        tokenizer: The tokenizer.
        content: The text.
        max_tokens: The budget: encoding what is given back yields at most so many tokens.
        side: The side that is cut off: `right` or `left`.
        add_special_tokens: Whether special tokens count.

    Raises:
        SettingError: The budget does not even hold the special tokens.

    Example:
        >>> from piecework import Tokenizer, budgets, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> budgets.truncate_text(tokenizer, "a b  c", 2), budgets.truncate_text(tokenizer, "a b  c", 2, "left")
        ('a b  ', 'b  c')
    """
    if side not in ("right", "left"):
        raise SettingError(f"side is `{side}`, expected `right` or `left`")
    given = _Text(tokenizer, content, max_tokens, add_special_tokens=add_special_tokens)
    cuts, whole = given.cuts, len(given.cuts) - 1
    if side == "right":
        last = given.reach(0)
        while last > 0 and given.fits(0, last) is None:
            last -= 1
        return given.content[: cuts[last]]
    first = given.reach_back(whole, given.room)
    while first < whole and given.fits(first, whole) is None:
        first += 1
    return given.content[cuts[first] :]


def chunk(
    tokenizer: Tokenizer, content: str, max_tokens: int, overlap: int = 0, *, add_special_tokens: bool = True
) -> list[Chunk]:
    """A text in parts that a budget of tokens holds, cut between tokens.

    The parts cover the text: each begins where the one before ends, or before that with an overlap. So the text is
    that of the parts, each without what it shares with the one before.

    Args:
        tokenizer: The tokenizer.
        content: The text.
        max_tokens: The budget of each part: encoding it yields at most so many tokens.
        overlap: Most tokens, counted within the text, that a part shares with the one before.
        add_special_tokens: Whether special tokens count.

    Raises:
        SettingError: The budget does not hold one character of the text, or the overlap takes all of it.

    Example:
        >>> from piecework import Tokenizer, budgets, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> [part.text for part in budgets.chunk(tokenizer, "a b c a", 2)]
        ['a b ', 'c a']
        >>> [part.text for part in budgets.chunk(tokenizer, "a b c a", 2, overlap=1)]
        ['a b ', 'b c ', 'c a']
    """
    given = _Text(tokenizer, content, max_tokens, add_special_tokens=add_special_tokens)
    if given.room == 0:
        raise SettingError(f"max_tokens is `{max_tokens}`, which leaves no room for a token that is not special")
    if natural("overlap", overlap) >= given.room:
        raise SettingError(
            f"overlap is `{overlap}`, but a part has room for `{given.room}` tokens besides special ones"
        )
    parts: list[Chunk] = []
    first, last, whole = 0, 0, len(given.cuts) - 1
    while last < whole:
        before = last
        last, tokens = _part(given, first)
        while last <= before:
            # What it shares with the part before fills it: by itself it has more tokens than within the text.
            first += 1
            last, tokens = _part(given, first)
        start, end = given.cuts[first], given.cuts[last]
        parts.append(Chunk(given.content[start:end], start, end, tokens))
        first = max(given.reach_back(last, overlap), first + 1) if overlap else last
    return parts


def _part(given: _Text, first: int) -> tuple[int, int]:
    """The last cut of the part that begins at a cut, and its number of tokens."""
    last = max(given.reach(first), first + 1)
    while last > first:
        tokens = given.fits(first, last)
        if tokens is not None:
            return last, tokens
        last -= 1
    start, end = list(pairwise(given.cuts))[first]
    raise SettingError(
        f"max_tokens is `{given.max_tokens}`, but `{given.content[start:end]}` at {start} alone has "
        f"`{given.count(start, end)}` tokens"
    )
