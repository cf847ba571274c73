"""Reading the files of a tokenizer: its settings, and its pipeline."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from piecework import models, normalizers
from piecework.added_token import AddedToken
from piecework.errors import FormatError, SpecError
from piecework.pretrained import _families, _folder
from piecework.pretrained._special_tokens import EXTRA, NAMES
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from piecework.pretrained._families import Family
    from piecework.pretrained._folder import Folder

logger = logging.getLogger(__name__)


def family_of(folder: Folder) -> tuple[str, Family | None]:
    """The name of the class that a folder asks for, and its family if it is known."""
    config = folder.json(_folder.CONFIG) or {}
    model = folder.json(_folder.MODEL_CONFIG) or {}
    name = config.get("tokenizer_class") or model.get("tokenizer_class")
    for value, key, file in (
        (name, "tokenizer_class", _folder.CONFIG),
        (model.get("model_type"), "model_type", _folder.MODEL_CONFIG),
    ):
        if value is not None and not isinstance(value, str):
            raise FormatError(f"{key}: must be str, not {type(value).__name__}", f"{folder.name}/{file}")
    is_llama = name is not None and name.removesuffix("Fast") == "LlamaTokenizer"
    is_over_bytes = is_llama and '"ByteLevel"' in (folder.text(_folder.TOKENIZER) or "")
    return _families.of_folder(name, model.get("model_type"), is_over_bytes=is_over_bytes)


# ---------------------------------------------------------------------------------------------------------------------
# The pipeline


def backend(folder: Folder, family: Family | None, settings: Mapping[str, Any]) -> tuple[Tokenizer, dict[str, Any]]:
    """The tokenizer of a folder, and what its file sets besides.

    Args:
        folder: The folder.
        family: Builds the pipeline of the vocabulary; None keeps that of `tokenizer.json`.
        settings: Settings of the family.

    Raises:
        FileNotFoundError: There is no vocabulary; the message names the files that were looked for.
        FormatError: Files contradict each other, or cannot be read.
    """
    path = folder.path(_folder.TOKENIZER)
    if path is None:
        if family is None or family.build is None:
            raise FileNotFoundError(
                f"`{folder.name}` has no {_folder.TOKENIZER}; a model_type tells how other files are read"
            )
        return family.build(_model_of_files(folder, family), settings), {}
    try:
        file = Tokenizer.from_buffer(path.read_bytes())
    except SpecError as error:
        raise FormatError(str(error), str(path)) from error
    if family is None or family.build is None:
        return file, {}
    if type(file.model).__name__ != family.model:
        logger.warning(
            "%s: the folder is of %s, whose model is %s, but %s has one of %s; its pipeline is kept",
            folder.name, family.name, family.model, _folder.TOKENIZER, type(file.model).__name__,
        )  # fmt: skip
        return file, {}
    built = family.build(file.model, {**settings, "_charsmap": _charsmap(file)})
    presets = {"tokenizer_truncation": file.truncation, "tokenizer_padding": file.padding}
    return built, {"post_processor": file.post_processor, **{k: v for k, v in presets.items() if v is not None}}


def _charsmap(file: Tokenizer) -> normalizers.Normalizer | None:
    """The map of characters among the normalizers of a file."""
    stage = file.normalizer
    parts = [stage] if not isinstance(stage, normalizers.Sequence) else [stage[i] for i in range(len(stage))]
    return next((part for part in parts if isinstance(part, normalizers.Precompiled)), None)


def _model_of_files(folder: Folder, family: Family) -> models.Model:
    """The model of the plain files of a vocabulary."""
    names = folder.names()
    for files in family.files:
        found = [name for name in files if name in names]
        if not found:
            continue
        missing = [name for name in files if name not in names]
        if missing:
            raise FileNotFoundError(
                f"`{folder.name}` has `{'`, `'.join(found)}`, but `{'`, `'.join(missing)}` is missing"
            )
        paths = [str(folder.path(name)) for name in files]
        try:
            reader: Callable[..., models.Model]
            reader = models.WordPiece.from_file if family.model == "WordPiece" else models.BPE.from_file
            model = reader(*paths)
        except (SpecError, FormatError, UnicodeDecodeError) as error:
            reason = str(error)
            file = next((path for path in paths if reason.startswith(f"{path}: ")), paths[-1])
            raise FormatError(reason.removeprefix(f"{file}: "), file) from error
        if Tokenizer(model).get_vocab_size() == 0:
            raise FormatError("has no tokens", paths[0])
        return model
    wanted = [_folder.TOKENIZER, *(" and ".join(files) for files in family.files)]
    raise FileNotFoundError(f"`{folder.name}` has no vocabulary of {family.name}: expected {' or '.join(wanted)}")


# ---------------------------------------------------------------------------------------------------------------------
# Settings


def token_of(value: Any) -> Any:
    """A value of a file, in which added tokens are objects with `__type`."""
    if isinstance(value, dict):
        if value.get("__type") == "AddedToken":
            return AddedToken(**{key: flag for key, flag in value.items() if key != "__type"})
        return {key: token_of(item) for key, item in value.items()}
    return [token_of(item) for item in value] if isinstance(value, list) else value


def settings(folder: Folder, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in the files of a folder; those that were given go before."""
    found: dict[str, Any] = folder.json(_folder.CONFIG) or {}
    for name in ("tokenizer_class", "init_inputs"):
        found.pop(name, None)
    if folder.path(_folder.TOKENIZER) is not None:
        # The post-processor in the file says so.
        found.pop("add_bos_token", None)
        found.pop("add_eos_token", None)
    templates = _chat_templates(folder)
    if templates:
        found["chat_template"] = templates["default"] if list(templates) == ["default"] else templates
    found.update(given)
    if not isinstance(found.get("additional_special_tokens", []), (list, tuple, type(None))):
        raise FormatError("additional_special_tokens: must be a list", f"{folder.name}/{_folder.CONFIG}")
    if "additional_special_tokens" in found and not found.get(EXTRA):
        found[EXTRA] = found.pop("additional_special_tokens")
    own = {
        name: found.pop(name)
        for name, value in list(found.items())
        if name not in NAMES and name.endswith("_token") and isinstance(value, (str, AddedToken))
    }
    if isinstance(found.get(EXTRA), dict):
        own.update(found.pop(EXTRA))
    if own:
        found["model_specific_special_tokens"] = own
    if "added_tokens_decoder" not in found:
        _read_special_tokens(folder, found, given)
    return {name: token_of(value) for name, value in found.items()}


def _chat_templates(folder: Folder) -> dict[str, str]:
    templates = {}
    default = folder.text(_folder.CHAT_TEMPLATE)
    if default is not None:
        templates["default"] = default
    for name in folder.names():
        head, _, file = name.partition("/")
        if head == _folder.CHAT_TEMPLATES and file.endswith(".jinja"):
            templates[file.removesuffix(".jinja")] = folder.text(name) or ""
    return templates


def _read_special_tokens(folder: Folder, found: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Older folders have their special tokens in a file of their own."""
    for name, value in (folder.json(_folder.SPECIAL_TOKENS) or {}).items():
        if given.get(name):
            continue
        if name in (EXTRA, "additional_special_tokens") and isinstance(value, list):
            extra = list(found.get(EXTRA) or [])
            found[EXTRA] = extra + [token for token in map(_special, value) if token not in extra]
        else:
            found[name] = value if name == EXTRA else _special(value)


def _special(value: Any) -> Any:
    """A special token as it stands in `special_tokens_map.json`: its text, or an object with its flags."""
    if not isinstance(value, dict):
        return value
    flags = {name: flag for name, flag in value.items() if name not in ("special", "__type")}
    return AddedToken(**flags, special=True)


def added_tokens(folder: Folder, found: dict[str, Any], file: Tokenizer | None) -> dict[int, AddedToken]:
    """The added tokens of a folder, by id.

    Args:
        folder: The folder.
        found: Its settings; named special tokens in them get the flags that they have among the added tokens.
        file: The tokenizer of `tokenizer.json`, if there is one.

    Raises:
        FormatError: `tokenizer_config.json` has a token with another id than `tokenizer.json`.
    """
    recorded = found.get("added_tokens_decoder")
    tokens: dict[int, AddedToken] = {}
    where = f"{folder.name}/{_folder.CONFIG}"
    if recorded is not None:
        if not isinstance(recorded, dict):
            raise FormatError("added_tokens_decoder: must be an object of ids with tokens", where)
        for token_id, value in recorded.items():
            token = _recorded(token_id, value, where)
            tokens[int(token_id)] = token
            elsewhere = None if file is None else file.token_to_id(token.content)
            if elsewhere is not None and elsewhere != int(token_id):
                raise FormatError(
                    f"`{token.content}` has id `{token_id}`, but in {_folder.TOKENIZER} it has `{elsewhere}`",
                    where,
                )
    else:
        special = {str(found[name]) for name in NAMES if found.get(name)} | {str(t) for t in found.get(EXTRA) or []}
        for content, token_id in (folder.json(_folder.ADDED_TOKENS) or {}).items():
            if type(token_id) is not int or token_id < 0:
                raise FormatError(
                    f"`{content}`: the id must be a number of at least 0", f"{folder.name}/{_folder.ADDED_TOKENS}"
                )
            is_special = content in special
            tokens[token_id] = AddedToken(content, normalized=not is_special, special=is_special)
        if file is not None:
            tokens.update(file.get_added_tokens_decoder())
    by_content = {token.content: token for token in tokens.values()}
    for name in NAMES:
        if found.get(name) is not None:
            found[name] = by_content.get(str(found[name]), found[name])
    return tokens


def _recorded(token_id: object, value: Any, file: str) -> AddedToken:
    """A token of `added_tokens_decoder`."""
    if not str(token_id).isdecimal():
        raise FormatError(f"added_tokens_decoder: `{token_id}` is no id", file)
    if isinstance(value, AddedToken):
        return value
    if not isinstance(value, dict) or not isinstance(value.get("content"), str) or not value["content"]:
        raise FormatError(f"added_tokens_decoder: `{token_id}` is no token with a content", file)
    return AddedToken(**value)
