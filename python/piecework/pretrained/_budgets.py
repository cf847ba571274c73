"""Texts that have to fit into so many tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from piecework import budgets
from piecework.pretrained._chat import Chat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Budgets(Chat):
    """Counting and cutting by tokens."""

    @overload
    def count(self, text: str, *, add_special_tokens: bool = ..., is_split_into_words: bool = ...) -> int: ...
    @overload
    def count(
        self, text: list[Any], *, add_special_tokens: bool = ..., is_split_into_words: Literal[False] = ...
    ) -> NDArray[np.uint32]: ...
    @overload
    def count(self, text: Any, *, add_special_tokens: bool = ..., is_split_into_words: bool = ...) -> Any: ...
    def count(self, text: Any, *, add_special_tokens: bool = True, is_split_into_words: bool = False) -> Any:
        """The number of tokens of a text, or of each text of a list (uint32): the quickest way to know.

        Args:
            text: A text, or a list of texts or pairs.
            add_special_tokens: Whether the tokens that the post-processor puts in count.
            is_split_into_words: Whether texts come as lists of words.
        """
        one = isinstance(text, str) or (is_split_into_words and not (text and isinstance(text[0], (list, tuple))))
        counts: NDArray[np.uint32] = self._tokenizer.count(
            [text] if one else text,
            add_special_tokens=add_special_tokens,
            is_pretokenized=is_split_into_words,
            truncation=False,
        )
        return int(counts[0]) if one else counts

    def truncate_text(
        self, text: str, max_tokens: int, side: str | None = None, *, add_special_tokens: bool = True
    ) -> str:
        """The part of a text at its start or end that a budget of tokens holds; see `budgets.truncate_text`.

        Args:
            text: The text.
            max_tokens: The budget.
            side: The side that is cut off, `right` or `left`; by default `truncation_side`.
            add_special_tokens: Whether special tokens count.
        """
        side = self.truncation_side if side is None else side
        return budgets.truncate_text(self._tokenizer, text, max_tokens, side, add_special_tokens=add_special_tokens)

    def chunk(
        self, text: str, max_tokens: int, overlap: int = 0, *, add_special_tokens: bool = True
    ) -> list[budgets.Chunk]:
        """A text in parts that a budget of tokens holds; see `budgets.chunk`.

        Args:
            text: The text.
            max_tokens: The budget of each part.
            overlap: Most tokens that a part shares with the one before.
            add_special_tokens: Whether special tokens count.
        """
        return budgets.chunk(self._tokenizer, text, max_tokens, overlap, add_special_tokens=add_special_tokens)
