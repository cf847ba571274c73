"""What all models share: a handle of the extension that holds the vocabulary, and the options."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import id_number, natural, optional_text, text, wrong_type
from piecework._component import CHANGES, Closed, Component, Json, dumps
from piecework._writing import write_whole
from piecework.errors import SpecError
from piecework.token import Token, found
from piecework.vocabulary_files import write_merges, write_vocab_json

if TYPE_CHECKING:
    from typing_extensions import Self

    from piecework.trainers import Trainer

PathLike = str | os.PathLike[str]


class Model(Closed, Component[_core.Model]):
    """Base of all models. `Model()` gives an empty BPE model.

    Example:
        >>> from piecework.models import Model, WordLevel
        >>> model = WordLevel({"<unk>": 0, "hug": 1})
        >>> isinstance(model, Model), model.token_to_id("hug"), model.id_to_token(0)
        (True, 1, '<unk>')
    """

    _handle: _core.Model
    """The vocabulary, with the options it was last compiled with."""

    _cached = True
    """Whether results may be kept."""

    def _set_cache(self, capacity: int) -> None:
        self._cached = natural("capacity", capacity) > 0
        CHANGES.count += 1

    def __init__(self) -> None:
        self._take(_core.Model.bpe({}, [], "{}"))

    def _take(self, handle: _core.Model) -> None:
        """Hold another compiled model, and its options."""
        options = json.loads(handle.options())
        self._handle = handle
        for field in self._fields:
            if field.key in options:
                field.load(self, options[field.key])
        self._changed()

    def _options(self) -> str:
        return dumps({f.key: f.dump(self) for f in self._fields})

    def _build(self) -> _core.Model:
        if self._fields:
            self._handle = self._handle.with_options(self._options())
        return self._handle

    def tokenize(self, sequence: str) -> list[Token]:
        """The tokens of a text that is taken for one pretoken; their spans are in code points."""
        return [found(*token) for token in self._compile().tokenize(text("sequence", sequence))]

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None if the vocabulary does not have it."""
        return self._handle.token_to_id(text("token", token))

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, or None if the vocabulary does not have it."""
        return self._handle.id_to_token(id_number("id", id))

    def save(self, folder: PathLike, prefix: str | None = None, *, name: str | None = None) -> list[str]:
        """Write the files of this kind of model.

        Args:
            folder: An existing folder.
            prefix: Put in front of the file names, with a hyphen.
            name: An older name of `prefix`.

        Returns:
            The paths of the files.
        """
        prefix = optional_text("prefix", prefix if prefix is not None else name)
        paths = []
        # All contents are made before a file is written: what one cannot hold leaves no half of a model behind.
        for file, content in self._files().items():
            path = Path(folder, file if prefix is None else f"{prefix}-{file}")
            write_whole(path, content)
            paths.append(str(path))
        return paths

    def _files(self) -> dict[str, str]:
        """The files of this kind of model: their contents by name."""
        return {"vocab.json": write_vocab_json(self._handle.vocab()), "merges.txt": write_merges(self._handle.merges())}

    def get_trainer(self) -> Trainer:
        """A trainer for this kind of model, with its defaults."""
        from piecework import trainers  # noqa: PLC0415 - trainers know models

        return getattr(trainers, _TRAINERS[self._handle.name])()  # type: ignore[no-any-return]

    def _to_json(self) -> dict[str, Json]:
        description: dict[str, Json] = json.loads(self._compile().json())
        return description

    def __getstate__(self) -> bytes:
        return self._compile().json().encode()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A model of its own; it shares the vocabulary, which never changes."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __setstate__(self, state: bytes) -> None:
        if not isinstance(state, (bytes, bytearray)):
            raise wrong_type("state", "bytes", state)
        handle = _core.Model(bytes(state).decode())
        if type(self) is not Model and handle.name != self._kind:
            raise SpecError(f"is `{handle.name}`, expected `{self._kind}`", "type")
        self._take(handle)


_TRAINERS = {
    "BPE": "BpeTrainer",
    "WordPiece": "WordPieceTrainer",
    "WordLevel": "WordLevelTrainer",
    "Unigram": "UnigramTrainer",
}
