"""Special tokens by name: `pad_token`, `cls_token`, ..., and those that a model has besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.added_token import AddedToken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""The special tokens that every tokenizer may have."""

EXTRA = "extra_special_tokens"


def checked(name: str, token: object) -> str | AddedToken:
    """A token as it may be given."""
    if isinstance(token, (str, AddedToken)):
        return token
    if type(token).__name__ == "AddedToken" and hasattr(token, "__getstate__"):  # that of `tokenizers`
        flags: dict[str, Any] = token.__getstate__()  # type: ignore[assignment]
        return AddedToken(**flags)
    raise TypeError(f"`{name}` must be str or AddedToken, not {type(token).__name__}")


class SpecialTokens:
    """The special tokens of a tokenizer.

    `tokenizer.pad_token` is the text of a token or None, `tokenizer.pad_token_id` its id; both can be set. What a model
    has besides the usual ones is `extra_special_tokens`, or has a name of its own that ends in `_token`.
    """

    # Held in `__dict__` under these names; the attributes themselves are looked up by `__getattr__`.
    _named: dict[str, str | AddedToken | None]
    _extra: list[str | AddedToken]

    if TYPE_CHECKING:
        bos_token: str | None
        eos_token: str | None
        unk_token: str | None
        sep_token: str | None
        pad_token: str | None
        cls_token: str | None
        mask_token: str | None
        bos_token_id: int | None
        eos_token_id: int | None
        unk_token_id: int | None
        sep_token_id: int | None
        pad_token_id: int | None
        cls_token_id: int | None
        mask_token_id: int | None
        extra_special_tokens: list[str]
        extra_special_tokens_ids: list[int | None]

    def _begin_special_tokens(self) -> None:
        self.__dict__["_named"] = dict.fromkeys(NAMES)
        self.__dict__["_extra"] = []

    def _set_named(self, tokens: Mapping[str, Any]) -> None:
        """Take over tokens with their names, also names that only this model has."""
        for name, token in tokens.items():
            self._named[name] = checked(name, token)

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """The id of a token, or the ids of a list; that of the unknown token where there is none."""
        raise NotImplementedError

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """The token of an id, or the tokens of a list of ids."""
        raise NotImplementedError

    # -----------------------------------------------------------------------------------------------------------------
    # Attributes

    def _name_of(self, attribute: str) -> tuple[str, bool]:
        """The name of the token that an attribute is about, and whether it is about its id."""
        name = attribute.removesuffix("_ids").removesuffix("_id")
        return name, name != attribute

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        name, is_id = self._name_of(attribute)
        if name in self.__dict__.get("_named", ()):
            token = self._named[name]
            if token is None:
                return None
            return self.convert_tokens_to_ids(str(token)) if is_id else str(token)
        if name == EXTRA:
            tokens = [str(token) for token in self._extra]
            return self.convert_tokens_to_ids(tokens) if is_id else tokens
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute}'")

    def __setattr__(self, attribute: str, value: Any) -> None:
        name, is_id = self._name_of(attribute)
        if name in self.__dict__.get("_named", ()):
            if is_id and value is not None:
                value = self.convert_ids_to_tokens(value)
            self._named[name] = None if value is None else checked(attribute, value)
        elif name == EXTRA and "_extra" in self.__dict__:
            if value is not None and not isinstance(value, (list, tuple)):
                raise TypeError(f"`{attribute}` must be a list or None, not {type(value).__name__}")
            tokens = self.convert_ids_to_tokens(list(value)) if is_id and value else value or []
            self._extra[:] = [checked(attribute, token) for token in tokens]
        else:
            super().__setattr__(attribute, value)

    # -----------------------------------------------------------------------------------------------------------------
    # Lists

    @property
    def special_tokens_map(self) -> dict[str, str]:
        """The named special tokens that are set, by name."""
        return {name: str(token) for name, token in self._named.items() if token is not None}

    @property
    def all_special_tokens(self) -> list[str]:
        """All special tokens, each once: the named ones first."""
        return list(dict.fromkeys(map(str, (*(t for t in self._named.values() if t is not None), *self._extra))))

    @property
    def all_special_ids(self) -> list[int]:
        """Their ids."""
        ids: list[int] = self.convert_tokens_to_ids(self.all_special_tokens)
        return ids

    def add_special_tokens(
        self,
        special_tokens_dict: Mapping[str, str | AddedToken | Sequence[str | AddedToken]],
        replace_extra_special_tokens: bool = True,
    ) -> int:
        """Set special tokens by name, and add those that the vocabulary does not have.

        Args:
            special_tokens_dict: Names with tokens; `extra_special_tokens` (or by its older name
                `additional_special_tokens`) with a list.
            replace_extra_special_tokens: Whether that list replaces the present one; the tokens stay added either way.

        Returns:
            How many tokens were added, or changed their flags.

        Raises:
            ValueError: A name is unknown.
        """
        given = dict(special_tokens_dict)
        if not given.get(EXTRA) and "additional_special_tokens" in given:
            given[EXTRA] = given.pop("additional_special_tokens")
        added: list[str | AddedToken] = []
        for name, value in given.items():
            if name == EXTRA:
                added += self._add_extra(value, replace=replace_extra_special_tokens)
            elif name in self._named:
                token = _special(checked(name, value))
                self._named[name] = token
                added.append(token)
            else:
                known = "`, `".join((*self._named, EXTRA))
                raise ValueError(f"unknown special token `{name}`, expected one of `{known}`")
        return self._add(added, special=True)

    def _add_extra(self, value: object, *, replace: bool) -> list[AddedToken]:
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"`{EXTRA}` must be a list, not {type(value).__name__}")
        present = {str(token) for token in self._extra}
        tokens = [_special(checked(EXTRA, token)) for token in value if replace or str(token) not in present]
        if replace and tokens:
            self._extra.clear()
        self._extra.extend(tokens)
        return tokens

    def _add(self, tokens: list[str | AddedToken], *, special: bool) -> int:
        raise NotImplementedError


def _special(token: str | AddedToken) -> AddedToken:
    """A token in the form in which special ones are added."""
    return AddedToken(token, normalized=False, special=True) if isinstance(token, str) else token
