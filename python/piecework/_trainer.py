"""What all trainers share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from piecework._checks import text, wrong_type
from piecework._component import Closed, Component, Json
from piecework._show import full, short
from piecework.added_token import AddedToken
from piecework.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable


def checked_tokens(name: str, value: object) -> list[AddedToken]:
    """Special tokens; a text stands for one that is not normalized, the other flags off."""
    if not isinstance(value, list):
        raise wrong_type(name, "list of str or AddedToken", value)
    tokens = []
    for token in value:
        if isinstance(token, str):
            tokens.append(AddedToken(token, normalized=False, special=True))
        elif isinstance(token, AddedToken):
            state = token.__getstate__()
            # Whether it is normalized follows from being special, unless it was given.
            given = token._normalized
            tokens.append(AddedToken(**{**state, "normalized": given, "special": True}))
        else:
            raise TypeError("special_tokens must be a List[Union[str, AddedToken]]")
    return tokens


def dump_tokens(tokens: list[AddedToken]) -> Json:
    return [token.__getstate__() for token in tokens]


def load_tokens(written: Json) -> list[AddedToken]:
    return [AddedToken(**token) for token in written]


def checked_alphabet(name: str, value: object) -> list[str]:
    """Characters: the first one of each text."""
    if isinstance(value, (str, bytes)) or not hasattr(type(value), "__iter__"):
        raise wrong_type(name, "list of str", value)
    entries: Iterable[object] = value  # type: ignore[assignment]
    found = {entry[0]: None for i, item in enumerate(entries) if (entry := text(f"{name}[{i}]", item))}
    return list(found)


class Trainer(Closed, Component[None], abstract=True):
    """Base of all trainers.

    Example:
        >>> from piecework import models, trainers
        >>> isinstance(models.BPE().get_trainer(), trainers.BpeTrainer)
        True
    """

    special_tokens: Any
    show_progress: Any

    _trains: ClassVar[str]
    """The kind of model it is for."""

    _word_count = 0
    """Distinct words of the latest corpus."""

    def _parameters(self) -> dict[str, Json]:
        return {field.key: field.dump(self) for field in self._fields}

    def _description(self) -> dict[str, Json]:
        """What the extension needs to know to train."""
        parameters = self._parameters()
        parameters["special_tokens"] = [token.content for token in self.special_tokens]
        for key in ("show_progress", "progress_format"):
            parameters.pop(key, None)
        return {"type": self._kind, **parameters}

    def _written(self) -> dict[str, Json]:
        """The parameters in the form of the state; `words` was meant for a corpus, which is not kept."""
        return {**self._parameters(), "words": {}}

    def _to_json(self) -> dict[str, Json]:
        return {self._kind: self._written()}

    def __setstate__(self, state: bytes) -> None:
        if not isinstance(state, (bytes, bytearray)):
            raise wrong_type("state", "bytes", state)
        description = json.loads(bytes(state))
        if not isinstance(description, dict) or self._kind not in description:
            raise SpecError(f"is no state of a {self._kind}")
        self._load_written(description[self._kind])

    def _load_written(self, written: dict[str, Json]) -> None:
        self._load(written)

    def __repr__(self) -> str:
        return f"{self._kind}({full(self._written(), self._kind)})"

    def __str__(self) -> str:
        return f"{self._kind}({short(self._written(), self._kind)})"
