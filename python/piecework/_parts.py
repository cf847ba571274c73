"""The parts of a tokenizer: settable, compiled when they are used, written to files and read from them."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from piecework import _core, _settings, _show, decoders, models, normalizers, pre_tokenizers, processors
from piecework._checks import boolean, wrong_type
from piecework._component import CHANGES, Component, wrap
from piecework._foreign import is_foreign, state_of
from piecework._writing import write_whole
from piecework.added_token import AddedToken, AddedVocabulary
from piecework.errors import SettingError, SpecError

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

PathLike = str | os.PathLike[str]
PartT = TypeVar("PartT", bound=Component[Any])

_STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def _part(
    value: object, base: type[PartT], core: Callable[[bytes], Any], family: dict[str, type[PartT]]
) -> PartT | None:
    """A part as it may be set; one of `tokenizers` is taken over."""
    if value is None or isinstance(value, base):
        return value
    if is_foreign(value):
        return wrap(core(state_of(value)), family)
    raise TypeError(f"'{type(value).__name__}' object is not an instance of '{base.__name__}'")


def _same(parts: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether the same was compiled: the same objects for the stages, equal settings behind them."""
    return all(a is b for a, b in zip(parts[:5], others[:5], strict=True)) and parts[5:] == others[5:]


def _without_ends(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*parts[:3], None, *parts[4:])


def core_of(part: Component[Any] | None) -> Any:
    """The compiled form of a part, if there is one."""
    return None if part is None else part._compile()


def _wrapped(core: Any, family: dict[str, type[PartT]]) -> PartT | None:
    """The component object for a compiled component."""
    return None if core is None else wrap(core, family)


class Parts:
    """What a tokenizer consists of."""

    def __init__(self, model: models.Model) -> None:
        if not isinstance(model, models.Model):
            raise wrong_type("model", "Model", model)
        self._begin(model)

    def _begin(self, model: models.Model) -> None:
        self._model = model
        self._normalizer: normalizers.Normalizer | None = None
        self._pre_tokenizer: pre_tokenizers.PreTokenizer | None = None
        self._post_processor: processors.PostProcessor | None = None
        self._decoder: decoders.Decoder | None = None
        self._added = AddedVocabulary()
        self._truncation: _core.Truncation | None = None
        self._padding: _core.Padding | None = None
        self._encode_special_tokens = False
        # What was compiled from what, and the count of changes that was seen then: replaced as a whole, never changed.
        self._compiled: tuple[int, tuple[Any, ...], _core.Program | None] = (-1, (), None)
        # The post-processor before the present one, and what was compiled with it: some classes of transformers set
        # two of them in turn.
        self._replaced: processors.PostProcessor | None = None
        self._spare: tuple[tuple[Any, ...], _core.Program | None] = ((), None)

    # -----------------------------------------------------------------------------------------------------------------
    # Compiling

    def _program(self) -> _core.Program:
        """The program for the parts as they are now."""
        seen, _, program = self._compiled
        if program is not None and seen == CHANGES.count:
            return program
        return self._compile()

    def _compile(self) -> _core.Program:
        seen = CHANGES.count  # read first: a change while this runs is noticed by the next call
        stages = (self._normalizer, self._pre_tokenizer, self._model, self._post_processor, self._decoder)
        cached = self._model._cached
        parts = (*map(core_of, stages), self._added.version, self._encode_special_tokens, cached)
        _, before, program = self._compiled
        if program is None or not _same(parts, before):
            spare_parts, spare = self._spare
            switched = program is not None and _same(_without_ends(parts), _without_ends(before))
            self._spare = (before, program) if switched else ((), None)
            program = spare if spare is not None and _same(parts, spare_parts) else self._new_program(parts)
        self._compiled = (seen, parts, program)
        return program

    def _new_program(self, parts: tuple[Any, ...]) -> _core.Program:
        normalizer, pre_tokenizer, model, post_processor, decoder = parts[:5]
        return _core.Program(
            normalizer,
            pre_tokenizer,
            model,
            post_processor,
            decoder,
            self._added_list(),
            self._encode_special_tokens,
            not self._model._cached,
        )

    def _added_list(self) -> list[tuple[int, str, bool, bool, bool, bool, bool]]:
        once = self._added.once_special
        return [
            (i, t.content, t.single_word, t.lstrip, t.rstrip, t.normalized, t.special or t.content in once)
            for i, t in self._added
        ]

    # -----------------------------------------------------------------------------------------------------------------
    # Parts

    @property
    def model(self) -> models.Model:
        """What turns pretokens into tokens."""
        return self._model

    @model.setter
    def model(self, model: models.Model) -> None:
        if is_foreign(model):
            model = models.wrap(_core.Model(state_of(model).decode()))
        if not isinstance(model, models.Model):
            raise TypeError(f"'{type(model).__name__}' object is not an instance of 'Model'")
        self._model = model
        self._added.move_to(model._handle)
        CHANGES.count += 1

    @property
    def normalizer(self) -> normalizers.Normalizer | None:
        """What happens to a text first."""
        return self._normalizer

    @normalizer.setter
    def normalizer(self, normalizer: normalizers.Normalizer | None) -> None:
        self._normalizer = _part(normalizer, normalizers.Normalizer, _core.Normalizer, normalizers.FAMILY)
        CHANGES.count += 1

    @property
    def pre_tokenizer(self) -> pre_tokenizers.PreTokenizer | None:
        """Where a text is cut before the model sees it."""
        return self._pre_tokenizer

    @pre_tokenizer.setter
    def pre_tokenizer(self, pre_tokenizer: pre_tokenizers.PreTokenizer | None) -> None:
        self._pre_tokenizer = _part(
            pre_tokenizer, pre_tokenizers.PreTokenizer, _core.PreTokenizer, pre_tokenizers.FAMILY
        )
        CHANGES.count += 1

    @property
    def post_processor(self) -> processors.PostProcessor | None:
        """What is put around the tokens of a text."""
        return self._post_processor

    @post_processor.setter
    def post_processor(self, processor: processors.PostProcessor | None) -> None:
        present = self._post_processor
        if is_foreign(processor):
            state = state_of(processor)
            known = (part for part in (present, self._replaced) if part is not None and not part._is_foreign())
            processor = next((part for part in known if part.__getstate__() == state), processor)
        self._post_processor = _part(processor, processors.PostProcessor, _core.PostProcessor, processors.FAMILY)
        if self._post_processor is not present:
            self._replaced = present
            CHANGES.count += 1

    @property
    def decoder(self) -> decoders.Decoder | None:
        """How tokens become text again. Without one they are joined with blanks."""
        return self._decoder

    @decoder.setter
    def decoder(self, decoder: decoders.Decoder | None) -> None:
        self._decoder = _part(decoder, decoders.Decoder, _core.Decoder, decoders.FAMILY)
        CHANGES.count += 1

    @property
    def encode_special_tokens(self) -> bool:
        """Whether the text of special tokens is encoded as any other text. Not stored in files."""
        return self._encode_special_tokens

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._encode_special_tokens = boolean("encode_special_tokens", value)
        CHANGES.count += 1

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens the post-processor adds to one text, or to a pair."""
        is_pair = boolean("is_pair", is_pair)
        return 0 if self._post_processor is None else self._post_processor.num_special_tokens_to_add(is_pair)

    # -----------------------------------------------------------------------------------------------------------------
    # Files and copies

    @classmethod
    def from_str(cls, json: str) -> Self:
        """A tokenizer from the text of a `tokenizer.json`."""
        if not isinstance(json, str):
            raise wrong_type("json", "str", json)
        return cls.from_buffer(json.encode())

    @classmethod
    def from_buffer(cls, buffer: bytes) -> Self:
        """A tokenizer from the bytes of a `tokenizer.json`."""
        if not isinstance(buffer, (bytes, bytearray, memoryview)):
            raise wrong_type("buffer", "bytes", buffer)
        tokenizer = cls.__new__(cls)
        tokenizer._load(bytes(buffer))
        return tokenizer

    @classmethod
    def from_file(cls, path: PathLike) -> Self:
        """A tokenizer from a `tokenizer.json` file."""
        try:
            return cls.from_buffer(Path(path).read_bytes())
        except SpecError as error:
            raise SpecError(error.reason, error.path, os.fspath(path)) from None

    @classmethod
    def from_pretrained(cls, identifier: PathLike, revision: str = "main", token: str | None = None) -> Self:
        """A tokenizer from a folder that holds a `tokenizer.json`, or from the Hugging Face hub.

        Args:
            identifier: A folder or a repository of the hub. For the hub the extra `hub` must be installed.
            revision: A branch, tag or commit of the repository.
            token: For repositories that are not public.
        """
        local = Path(identifier)
        if local.is_dir():
            return cls.from_file(local / "tokenizer.json")
        try:
            from huggingface_hub import hf_hub_download  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ImportError(
                f"`{identifier}` is no folder, and for a repository of the hub huggingface_hub is missing: "
                "pip install 'piecework[hub]'"
            ) from error
        return cls.from_file(hf_hub_download(os.fspath(identifier), "tokenizer.json", revision=revision, token=token))

    def to_str(self, pretty: bool = False) -> str:
        """The text of a `tokenizer.json`.

        Args:
            pretty: Whether to indent it.
        """
        stages = (self._normalizer, self._pre_tokenizer, self._post_processor, self._decoder, self._model)
        for stage in stages:
            if stage is not None and stage._is_foreign():
                raise TypeError(f"{stage!r} is written in Python: it has no JSON. (The tokenizer pickles if it does.)")
        return self._write(stages, boolean("pretty", pretty))

    def _write(self, stages: tuple[Component[Any] | None, ...], pretty: bool) -> str:
        added = [(i, t.content, t.single_word, t.lstrip, t.rstrip, t.normalized, t.special) for i, t in self._added]
        normalizer, pre_tokenizer, post_processor, decoder, model = map(core_of, stages)
        return _core.write(
            self._truncation, self._padding, added, normalizer, pre_tokenizer, post_processor, decoder, model, pretty
        )

    def save(self, path: PathLike, pretty: bool = True) -> None:
        """Write a `tokenizer.json`. It appears under its name once it is complete.

        Args:
            path: The file.
            pretty: Whether to indent it.
        """
        write_whole(path, self.to_str(pretty))

    def _load(self, json: bytes) -> None:
        truncation, padding, added, normalizer, pre_tokenizer, post_processor, decoder, model = _core.parse(json)
        self._begin(models.wrap(model))
        self._normalizer = _wrapped(normalizer, normalizers.FAMILY)
        self._pre_tokenizer = _wrapped(pre_tokenizer, pre_tokenizers.FAMILY)
        self._post_processor = _wrapped(post_processor, processors.FAMILY)
        self._decoder = _wrapped(decoder, decoders.FAMILY)
        tokens = [
            AddedToken(
                content, single_word=single_word, lstrip=lstrip, rstrip=rstrip, normalized=normalized, special=special
            )
            for _, content, single_word, lstrip, rstrip, normalized, special in added
        ]
        self._added.add(tokens, model)
        if truncation is not None:
            # It may have been set before the post-processor, whose tokens leave it no room now.
            try:
                _settings.check_fit(truncation, added=0)
            except SettingError as error:
                raise SpecError(str(error), "truncation") from None
        self._truncation, self._padding = truncation, padding

    def __getstate__(self) -> bytes | tuple[bytes, dict[str, Any]]:
        stages = {name: getattr(self, f"_{name}") for name in _STAGES}
        foreign = {name: stage for name, stage in stages.items() if stage is not None and stage._is_foreign()}
        written = [None if name in foreign else stage for name, stage in stages.items()]
        json = self._write((*written, self._model), pretty=False).encode()
        return (json, foreign) if foreign else json

    def __setstate__(self, state: bytes | tuple[bytes, dict[str, Any]]) -> None:
        json, foreign = state if isinstance(state, tuple) else (state, {})
        if not isinstance(json, (bytes, bytearray)):
            raise wrong_type("state", "bytes", json)
        self._load(bytes(json))
        for name, stage in foreign.items():
            setattr(self, name, stage)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy of its own; it shares what is compiled."""
        other = type(self).__new__(type(self))
        # A method that was replaced in this one (CLIP of transformers does that) is bound to it.
        kept = {name: value for name, value in self.__dict__.items() if not hasattr(type(self), name)}
        other.__dict__.update(kept)
        for name in (*_STAGES, "model", "added"):
            other.__dict__[f"_{name}"] = copy.deepcopy(self.__dict__[f"_{name}"], memo)
        other._replaced = None  # a component is part of one tokenizer
        return other

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def _described(self) -> dict[str, Any]:
        return {**json.loads(self.to_str()), "model": self._model._to_json()}

    def __repr__(self) -> str:
        return _show.full(self._described(), "Tokenizer")

    def __str__(self) -> str:
        return _show.short(self._described(), "Tokenizer")
