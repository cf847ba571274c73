"""Added tokens: found in the text before anything else looks at it."""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING, Any

from piecework._checks import boolean, text, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._core import Model

__all__ = ["AddedToken"]

# Ids have 32 bits.
_LAST_ID = 2**32 - 1
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


class AddedToken:
    """A token that is found as a whole, wherever it stands in a text.

    Args:
        content: Its text.
        single_word: Only where no word character stands before or behind it.
        lstrip: Whether it takes in the white space to its left.
        rstrip: Whether it takes in the white space to its right.
        normalized: Whether it is matched in the normalized text, by its own normalized form. The default is
            `not special`.
        special: Whether decoding may leave it out.
        options: Others are named on the standard output and ignored.

    Example:
        >>> from piecework import AddedToken, Tokenizer, models
        >>> tokenizer = Tokenizer(models.WordLevel({"<unk>": 0}))
        >>> tokenizer.add_tokens([AddedToken("[MASK]", lstrip=True)])
        1
        >>> tokenizer.encode("a [MASK]b").tokens
        ['<unk>', ' [MASK]', '<unk>']
    """

    __slots__ = ("__weakref__", "_content", "_lstrip", "_normalized", "_rstrip", "_single_word", "_special")

    def __init__(
        self,
        content: str | None = None,
        *,
        single_word: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        normalized: bool | None = None,
        special: bool = False,
        **options: object,
    ) -> None:
        for option in options:
            print(f"Ignored unknown kwarg option {option}")  # noqa: T201 - what the reference does
        self._content = "" if content is None else text("content", content)
        self._single_word = boolean("single_word", single_word)
        self._lstrip = boolean("lstrip", lstrip)
        self._rstrip = boolean("rstrip", rstrip)
        self._normalized = None if normalized is None else boolean("normalized", normalized)
        self._special = boolean("special", special)

    @property
    def content(self) -> str:
        """Its text."""
        return self._content

    @content.setter
    def content(self, content: str) -> None:
        self._content = text("content", content)

    @property
    def single_word(self) -> bool:
        """Whether it is found only where no word character stands before or behind it."""
        return self._single_word

    @property
    def lstrip(self) -> bool:
        """Whether it takes in the white space to its left."""
        return self._lstrip

    @property
    def rstrip(self) -> bool:
        """Whether it takes in the white space to its right."""
        return self._rstrip

    @property
    def normalized(self) -> bool:
        """Whether it is matched in the normalized text."""
        return not self._special if self._normalized is None else self._normalized

    @property
    def special(self) -> bool:
        """Whether decoding may leave it out."""
        return self._special

    @special.setter
    def special(self, special: bool) -> None:
        self._special = boolean("special", special)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of the same name in `tokenizers` where that is in use, so that `isinstance` holds for both."""
        cls: type = getattr(sys.modules.get("tokenizers"), "AddedToken", AddedToken)
        return cls

    def __reduce__(self) -> tuple[Any, ...]:
        return _new, (type(self),), self.__getstate__()

    def _flags(self) -> tuple[str, bool, bool, bool, bool, bool]:
        return self._content, self._single_word, self._lstrip, self._rstrip, self.normalized, self._special

    def __eq__(self, other: object) -> bool:
        return self._flags() == other._flags() if isinstance(other, AddedToken) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return False if isinstance(other, AddedToken) else NotImplemented

    # As in the reference no token comes before another one.
    __gt__ = __le__ = __ge__ = __lt__

    def __hash__(self) -> int:
        return hash(self._content)

    def __str__(self) -> str:
        return self._content

    def __repr__(self) -> str:
        return (
            f'AddedToken("{self._content}", rstrip={self._rstrip}, lstrip={self._lstrip}, '
            f"single_word={self._single_word}, normalized={self.normalized}, special={self._special})"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {"content": self._content, **{flag: getattr(self, flag) for flag in _FLAGS}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if not isinstance(state, dict):
            raise wrong_type("state", "dict", state)
        kept = {name: getattr(self, f"_{name}", None) for name in ("content", *_FLAGS)}
        new = {name: state.get(name, old) for name, old in kept.items()}
        self.__init__(**{name: value for name, value in new.items() if value is not None})  # type: ignore[misc]


def _new(cls: type[AddedToken]) -> AddedToken:
    """A token without content, for copies and pickles."""
    return cls.__new__(cls)


class AddedVocabulary:
    """The added tokens of a tokenizer. Every token has an id of its own."""

    __slots__ = ("_by_content", "_by_id", "_highest", "once_special", "version")

    def __init__(self) -> None:
        self._by_content: dict[str, tuple[int, AddedToken]] = {}
        self._by_id: dict[int, str] = {}
        self._highest = -1
        self.once_special: set[str] = set()
        """Contents that were ever special: decoding leaves them out though they were added again as ordinary ones."""
        self.version = 0
        """Moves with every change."""

    def __iter__(self) -> Iterator[tuple[int, AddedToken]]:
        """Ids and tokens in the order in which they were added. Others may be added while they are read."""
        return iter(list(self._by_content.values()))

    def __len__(self) -> int:
        return len(self._by_content)

    def id_of(self, content: str) -> int | None:
        """The id of an added token."""
        found = self._by_content.get(content)
        return None if found is None else found[0]

    def token_of(self, token_id: int) -> AddedToken | None:
        """The added token with this id."""
        content = self._by_id.get(token_id)
        return None if content is None else self._by_content[content][1]

    def add(self, tokens: list[AddedToken], model: Model) -> int:
        """Add tokens, or change the flags of those that are there.

        Returns:
            How many were added or changed.
        """
        changed = 0
        for token in tokens:
            content = token.content
            found = self._by_content.get(content)
            if not content or (found is not None and found[1] == token):
                continue
            if found is not None:
                token_id = found[0]
            else:
                known = model.token_to_id(content)
                token_id = self._free_id(model) if known is None else known
            self._put(token_id, token)
            changed += 1
        if changed:
            self.version += 1
        return changed

    def _free_id(self, model: Model) -> int:
        """An id that no token has: dense behind the model's where its ids have no holes, else behind all of them.

        Where those go as far as ids can, one in a hole.
        """
        dense, behind = max(model.size, self._highest + 1), max(model.end, self._highest + 1)
        if dense <= _LAST_ID and model.id_to_token(dense) is None:
            return dense
        if behind <= _LAST_ID:
            return behind
        return next(i for i in count(model.size) if i not in self._by_id and model.id_to_token(i) is None)

    def _put(self, token_id: int, token: AddedToken) -> None:
        content, single_word, lstrip, rstrip, normalized, special = token._flags()
        kept = AddedToken(
            content, single_word=single_word, lstrip=lstrip, rstrip=rstrip, normalized=normalized, special=special
        )
        if special:
            self.once_special.add(content)
        self._by_content[content] = (token_id, kept)
        self._by_id[token_id] = content
        self._highest = max(self._highest, token_id)

    def move_to(self, model: Model) -> None:
        """Go with another model: a token whose id the model has for another token gets a new one."""
        taken = [
            content
            for content, (token_id, _) in self._by_content.items()
            if model.id_to_token(token_id) not in (None, content)
        ]
        if not taken:
            return
        for content in taken:
            del self._by_id[self._by_content[content][0]]
        self._highest = max(self._by_id, default=-1)
        for content in taken:
            known = model.token_to_id(content)
            token_id = self._free_id(model) if known is None or known in self._by_id else known
            self._put(token_id, self._by_content[content][1])
        self.version += 1
