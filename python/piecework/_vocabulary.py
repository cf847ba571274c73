"""What a tokenizer knows besides its parts: its vocabulary with the added tokens, truncation and padding."""

from __future__ import annotations

import copy
from typing import Any

from piecework import _settings, models
from piecework._checks import boolean, id_number, text, wrong_type
from piecework._component import CHANGES
from piecework._foreign import is_foreign
from piecework._parts import Parts
from piecework.added_token import AddedToken


def _tokens(tokens: object) -> list[str | AddedToken]:
    if not isinstance(tokens, (list, tuple)):
        raise TypeError("Input must be a List[Union[str, AddedToken]]")
    checked: list[str | AddedToken] = []
    for i, token in enumerate(tokens):
        if is_foreign(token) and hasattr(token, "content"):
            checked.append(AddedToken(**token.__getstate__()))
        elif isinstance(token, (str, AddedToken)):
            checked.append(token)
        else:
            raise wrong_type(f"tokens[{i}]", "str or AddedToken", token)
    return checked


class Vocabulary(Parts):
    """The vocabulary and the settings of a tokenizer."""

    # -----------------------------------------------------------------------------------------------------------------
    # Vocabulary

    def token_to_id(self, token: str) -> int | None:
        """The id of a token; added tokens come first. None if there is no such token."""
        added = self._added.id_of(text("token", token))
        return self._model.token_to_id(token) if added is None else added

    def id_to_token(self, id: int) -> str | None:
        """The token of an id; added tokens come first, in the form in which they are matched. None if there is none."""
        added = self._added.token_of(id_number("id", id))
        if added is None:
            return self._model.id_to_token(id)
        if added.normalized and self._normalizer is not None:
            return self._normalizer.normalize_str(added.content)
        return added.content

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """All tokens with their ids, as a new dict."""
        vocab = self._model._handle.vocab()
        if boolean("with_added_tokens", with_added_tokens):
            vocab.update((token.content, token_id) for token_id, token in self._added)
        return vocab

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Number of tokens."""
        handle = self._model._handle
        if not boolean("with_added_tokens", with_added_tokens):
            return handle.size
        return handle.size + sum(handle.token_to_id(token.content) is None for _, token in self._added)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id, in the order of ids."""
        return {token_id: copy.copy(token) for token_id, token in sorted(self._added, key=lambda item: item[0])}

    def add_tokens(self, tokens: list[str | AddedToken]) -> int:
        """Add tokens that are found as a whole in texts.

        Args:
            tokens: A text stands for `AddedToken(text)`. What the vocabulary has already keeps its id.

        Returns:
            How many were added, or changed their flags.
        """
        return self._add([t if isinstance(t, AddedToken) else AddedToken(t) for t in _tokens(tokens)])

    def add_special_tokens(self, tokens: list[str | AddedToken]) -> int:
        """Add special tokens, which decoding may leave out.

        Args:
            tokens: An `AddedToken` is made special.

        Returns:
            How many were added, or changed their flags.
        """
        added = [t if isinstance(t, AddedToken) else AddedToken(t, normalized=False) for t in _tokens(tokens)]
        for token in added:
            token.special = True
        return self._add(added)

    def _add(self, tokens: list[AddedToken]) -> int:
        changed = self._added.add(tokens, self._model._handle)
        if changed:
            CHANGES.count += 1
        return changed

    # -----------------------------------------------------------------------------------------------------------------
    # Truncation and padding

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The truncation settings."""
        return None if self._truncation is None else _settings.shown_truncation(self._truncation)

    @property
    def padding(self) -> dict[str, Any] | None:
        """The padding settings."""
        return None if self._padding is None else _settings.shown_padding(self._padding)

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
        **options: object,
    ) -> None:
        """Cut what is longer than `max_length` tokens; the rest becomes `Encoding.overflowing`.

        Args:
            max_length: Most tokens of an encoding, with the special ones.
            stride: Tokens that each part shares with the one before.
            strategy: Which text of a pair is cut: `longest_first`, `only_first` or `only_second`.
            direction: The side that is cut off: `left` or `right`.
            options: Others are named on the standard output and ignored.

        Raises:
            SettingError: No text can be truncated so. Special tokens count: where a call leaves them out, give
                `truncation` to the call.
        """
        models.ignore(options)
        setting = _settings.truncation(max_length, stride, strategy, direction)
        _settings.check_fit(setting, self.num_special_tokens_to_add(is_pair=False))
        self._truncation = setting

    def no_truncation(self) -> None:
        """Do not truncate."""
        self._truncation = None

    def enable_padding(
        self,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",  # noqa: S107 - a token of a vocabulary
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
        **options: Any,
    ) -> None:
        """Fill encodings up.

        Args:
            direction: The side that is filled: `left` or `right`.
            pad_id: Id of the padding token.
            pad_type_id: Its type id.
            pad_token: Its text.
            length: So many tokens at least; `None` fills up to the longest of a batch.
            pad_to_multiple_of: Lengths are rounded up to a multiple of this; by `None` and 0 they are not.
            options: `max_length` is an older name of `length`; others are named on the standard output and ignored.
        """
        if "max_length" in options:
            print("enable_padding(max_length=X) is deprecated, use enable_padding(length=X) instead")  # noqa: T201
            length = options.pop("max_length")
        models.ignore(options)
        self._padding = _settings.padding(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)

    def no_padding(self) -> None:
        """Do not pad."""
        self._padding = None
