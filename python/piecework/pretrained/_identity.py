"""What a tokenizer is: its backend, its special tokens, and the settings that it was made with."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

from piecework import processors
from piecework._checks import wrong_type
from piecework.added_token import AddedToken
from piecework.errors import SettingError, SpecError
from piecework.pretrained._special_tokens import EXTRA, NAMES, SpecialTokens, checked
from piecework.pretrained._strategies import number, side_of_text
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework import _core
    from piecework.pretrained._ends import Ends
    from piecework.pretrained._families import Family

VERY_LARGE = int(1e30)
"""The `model_max_length` of a model without a limit."""


def backend_of(value: object) -> Tokenizer:
    """A tokenizer of its own of what was given: a `Tokenizer` of piecework, or one of `tokenizers`."""
    if isinstance(value, Tokenizer):
        return copy.deepcopy(value)
    if hasattr(value, "to_str"):
        own = Tokenizer.from_str(value.to_str())
        own.encode_special_tokens = bool(getattr(value, "encode_special_tokens", False))
        return own
    raise wrong_type("tokenizer_object", "Tokenizer", value)


class Identity(SpecialTokens):
    """A backend with names for its special tokens.

    Settings that are not known are kept in `init_kwargs`, and saved.
    """

    model_input_names: list[str]
    """Which columns a call gives besides those that are asked for."""
    padding_side: str
    truncation_side: str
    model_max_length: int
    """Most tokens that the model takes; above 1e20 it has no limit."""
    name_or_path: str
    chat_template: str | dict[str, str] | None
    chat_control_tokens: list[str] | None
    """Added tokens that are control tokens though they are not special; by default those that the template writes."""
    clean_up_tokenization_spaces: bool
    split_special_tokens: bool
    pad_token_type_id: int
    init_kwargs: dict[str, Any]

    _saved_properties: ClassVar[tuple[str, ...]] = ()
    """Settings that are properties of the class: their present values are saved."""

    def __init__(
        self,
        *,
        tokenizer_object: object = None,
        tokenizer_file: Any = None,
        _family: Family | None = None,
        _class_name: str = "TokenizersBackend",
        **kwargs: Any,
    ) -> None:
        if tokenizer_object is not None:
            backend = backend_of(tokenizer_object)
        elif tokenizer_file is not None:
            backend = Tokenizer.from_file(tokenizer_file)
        else:
            raise SpecError("expected a tokenizer_object or a tokenizer_file; from_pretrained reads other files")
        self._begin_special_tokens()
        self._tokenizer = backend
        self._family = _family
        self._class_name = _class_name
        self._twins: tuple[_core.Program | None, dict[tuple[bool, Ends | None], Tokenizer]] = (None, {})
        self._warned_too_long = False
        post_processor = kwargs.pop("post_processor", None)
        if post_processor is not None:
            backend.post_processor = post_processor
        self._take_presets(kwargs)
        templated = "add_bos_token" in kwargs or "add_eos_token" in kwargs or backend.post_processor is None
        self.__dict__["_add_bos_token"] = bool(kwargs.get("add_bos_token", False))
        self.__dict__["_add_eos_token"] = bool(kwargs.get("add_eos_token", False))
        kwargs.setdefault("backend", "tokenizers")
        self._take(kwargs)
        self._tokenizer.encode_special_tokens = self.split_special_tokens
        self._add_missing(kwargs.get("added_tokens_decoder") or {})
        if templated:
            self.update_post_processor()
        if _family is not None and _family.finish is not None:
            _family.finish(self)

    def _take_presets(self, kwargs: dict[str, Any]) -> None:
        """Truncation and padding that the file switches on give defaults for settings; calls have their own."""
        truncation = kwargs.pop("tokenizer_truncation", None) or self._tokenizer.truncation
        if truncation is not None:
            self._tokenizer.enable_truncation(**truncation)
            kwargs.setdefault("max_length", truncation["max_length"])
            kwargs.setdefault("truncation_side", truncation["direction"])
            kwargs.setdefault("stride", truncation["stride"])
            kwargs.setdefault("truncation_strategy", truncation["strategy"])
        padding = kwargs.pop("tokenizer_padding", None) or self._tokenizer.padding
        if padding is not None:
            self._tokenizer.enable_padding(**padding)
            kwargs.setdefault("pad_token", padding["pad_token"])
            kwargs.setdefault("pad_token_type_id", padding["pad_type_id"])
            kwargs.setdefault("padding_side", padding["direction"])
            kwargs.setdefault("max_length", padding["length"])
            kwargs.setdefault("pad_to_multiple_of", padding["pad_to_multiple_of"])

    def _take(self, kwargs: dict[str, Any]) -> None:
        """Take over settings; what is taken out of `init_kwargs` later has a value of its own."""
        if "additional_special_tokens" in kwargs and EXTRA not in kwargs:
            kwargs[EXTRA] = kwargs.pop("additional_special_tokens")
        self.init_kwargs = copy.deepcopy(kwargs)
        family = self._family
        settings = dict(kwargs)
        take = settings.pop
        self.name_or_path = str(take("name_or_path", ""))
        self.verbose = bool(take("verbose", False))
        length = take("model_max_length", take("max_len", None))
        self.model_max_length = VERY_LARGE if length is None else number("model_max_length", length)
        for name in ("padding_side", "truncation_side"):
            default = family.padding_side if family is not None and name == "padding_side" else "right"
            setattr(self, name, side_of_text(name, take(name, default)))
        inputs = ("input_ids", "attention_mask") if family is None else family.model_input_names
        names = take("model_input_names", inputs)
        if not isinstance(names, (list, tuple)):
            raise TypeError(f"`model_input_names` must be a list, not {type(names).__name__}")
        self.model_input_names = list(names)
        self.pad_token_type_id = 0 if family is None else family.pad_token_type_id
        self.clean_up_tokenization_spaces = bool(take("clean_up_tokenization_spaces", False))
        self.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output = bool(
            take("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", False)
        )
        self.split_special_tokens = bool(take("split_special_tokens", False))
        self.chat_control_tokens = take("chat_control_tokens", None)
        template = take("chat_template", None)
        if isinstance(template, (list, tuple)):
            if not all(isinstance(entry, dict) and {"name", "template"} <= entry.keys() for entry in template):
                raise ValueError("`chat_template` is a list, each item of which must have a `name` and a `template`")
            template = {entry["name"]: entry["template"] for entry in template}
        if template is not None and not isinstance(template, (str, dict)):
            raise TypeError(f"`chat_template` must be str or a dict of them, not {type(template).__name__}")
        self.chat_template = template
        self._take_special_tokens(settings)

    def _take_special_tokens(self, settings: Mapping[str, Any]) -> None:
        own: dict[str, Any] = {}
        extra = settings.get(EXTRA)
        for name, value in settings.items():
            if value is None:
                continue
            if name in NAMES:
                self._named[name] = checked(name, value)
            elif name.endswith("_token") and not isinstance(value, (bool, int, float, dict, list)):
                own[name] = value
        own.update(settings.get("model_specific_special_tokens") or {})
        if isinstance(extra, dict):
            own.update(extra)
        elif extra is not None:
            if not isinstance(extra, (list, tuple)):
                raise TypeError(f"`{EXTRA}` must be a list or a dict, not {type(extra).__name__}")
            self._extra[:] = [checked(EXTRA, token) for token in extra]
        self._set_named(own)

    def _add_missing(self, recorded: Mapping[int, Any]) -> None:
        """Add what the settings name and the backend does not have, in the order in which transformers does it."""
        tokens = [checked("added_tokens_decoder", recorded[index]) for index in sorted(recorded)]
        present = {token.content for token in self._tokenizer.get_added_tokens_decoder().values()}
        present.update(str(token) for token in tokens)
        named = [token for token in self._named.values() if token is not None]
        for token in (*named, *self._extra):
            if str(token) not in present and token not in tokens:
                tokens.append(token)
        names = {str(token) for token in named}
        added = []
        for token in tokens:
            given = AddedToken(token, special=True) if isinstance(token, str) else copy.copy(token)
            if str(given) in names:
                given.special = True
            added.append(given)
        if added:
            self._tokenizer.add_tokens([*added])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_twins": (None, {})}

    # -----------------------------------------------------------------------------------------------------------------
    # The backend

    @property
    def backend_tokenizer(self) -> Tokenizer:
        """The tokenizer that does the work. Its parts can be changed; calls have settings of their own for padding."""
        return self._tokenizer

    @property
    def is_fast(self) -> bool:
        """True: every call can tell where its tokens came from."""
        return True

    def _backend(self, *, split_special_tokens: bool, ends: Ends | None = None) -> Tokenizer:
        """The backend with the settings of a call, which other threads do not see: a twin that shares the model.

        Args:
            split_special_tokens: Whether the text of special tokens is taken as any text.
            ends: What is put around texts; None leaves that to the post-processor.
        """
        backend = self._tokenizer
        if backend.encode_special_tokens == split_special_tokens and ends is None:
            return backend
        program = backend._program()
        made_of, twins = self._twins
        if made_of is not program:
            self._twins = _, twins = (program, {})
        twin = twins.get((split_special_tokens, ends))
        if twin is None:
            twin = copy.deepcopy(backend)
            twin.encode_special_tokens = split_special_tokens
            if ends is not None:
                twin.post_processor = ends.template()
            twins[split_special_tokens, ends] = twin
        return twin

    # -----------------------------------------------------------------------------------------------------------------
    # Tokens at both ends

    @property
    def add_bos_token(self) -> bool:
        """Whether `bos_token` is put in front of texts. Setting it replaces the post-processor."""
        return bool(self.__dict__["_add_bos_token"])

    @add_bos_token.setter
    def add_bos_token(self, value: bool) -> None:
        self.__dict__["_add_bos_token"] = bool(value)
        self.update_post_processor()

    @property
    def add_eos_token(self) -> bool:
        """Whether `eos_token` is put behind texts. Setting it replaces the post-processor."""
        return bool(self.__dict__["_add_eos_token"])

    @add_eos_token.setter
    def add_eos_token(self, value: bool) -> None:
        self.__dict__["_add_eos_token"] = bool(value)
        self.update_post_processor()

    def update_post_processor(self) -> None:
        """Make the post-processor that puts in the tokens at both ends, as `add_bos_token` and `add_eos_token` say."""
        ends = []
        for name, wanted in (("bos_token", self.add_bos_token), ("eos_token", self.add_eos_token)):
            token = getattr(self, name)
            if wanted and token is not None:
                token_id = self._tokenizer.token_to_id(token)
                if token_id is None:
                    raise SettingError(f"{name} `{token}` is to be put in, but it is not in the vocabulary")
                ends.append((name, token, token_id))
        bos = [token for name, token, _ in ends if name == "bos_token"]
        eos = [token for name, token, _ in ends if name == "eos_token"]
        single = [*(f"{token}:0" for token in bos), "$A:0", *(f"{token}:0" for token in eos)]
        second = [*(f"{token}:1" for token in bos), "$B:1", *(f"{token}:1" for token in eos)]
        self._tokenizer.post_processor = processors.TemplateProcessing(
            single=single, pair=[*single, *second], special_tokens=[(token, token_id) for _, token, token_id in ends]
        )
