"""Writing the files of a tokenizer."""

from __future__ import annotations

import copy
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piecework._writing import write_whole
from piecework.added_token import AddedToken
from piecework.pretrained import _folder
from piecework.pretrained._special_tokens import EXTRA

if TYPE_CHECKING:
    from piecework.pretrained._identity import Identity

logger = logging.getLogger(__name__)

# Settings that say where a tokenizer was read from, or that stand elsewhere.
_LEFT_OUT = (
    "add_bos_token",
    "add_eos_token",
    "added_tokens_decoder",
    "additional_special_tokens",
    "chat_template",
    "device_map",
    "files_loaded",
    "merges_file",
    "name_or_path",
    "normalizer_file",
    "special_tokens_map_file",
    "tokenizer_file",
    "vocab_file",
)


def _written(value: Any) -> Any:
    """A setting as it stands in the file."""
    if isinstance(value, AddedToken):
        return {**value.__getstate__(), "__type": "AddedToken"}
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items()}
    return [_written(item) for item in value] if isinstance(value, (list, tuple)) else value


def config_of(tokenizer: Identity, class_name: str) -> dict[str, Any]:
    """The content of `tokenizer_config.json`, without chat templates."""
    config = copy.deepcopy(tokenizer.init_kwargs)
    for name in (*tokenizer.init_kwargs, "model_max_length"):
        if name in tokenizer.__dict__ or name in tokenizer._named or name in tokenizer._saved_properties:
            config[name] = getattr(tokenizer, name)
    config.update(tokenizer.special_tokens_map)
    if tokenizer._extra:
        config[EXTRA] = tokenizer.extra_special_tokens
    config["tokenizer_class"] = class_name
    return {name: _written(value) for name, value in config.items() if name not in _LEFT_OUT}


def save(
    tokenizer: Identity, folder: _folder.PathLike, class_name: str, prefix: str | None, *, save_jinja_files: bool
) -> tuple[str, ...]:
    """Write all files; see `PreTrainedTokenizer.save_pretrained`."""
    root = Path(folder)
    if root.is_file():
        raise NotADirectoryError(f"`{root}` is a file, expected a folder")
    root.mkdir(parents=True, exist_ok=True)
    head = f"{prefix}-" if prefix else ""
    config = config_of(tokenizer, class_name)
    templates = tokenizer.chat_template
    written = []
    if templates is not None and save_jinja_files:
        written = _save_templates(root, head, templates)
    elif isinstance(templates, dict):
        config["chat_template"] = [{"name": name, "template": text} for name, text in templates.items()]
    elif templates is not None:
        config["chat_template"] = templates
    config_file, tokenizer_file = root / f"{head}{_folder.CONFIG}", root / f"{head}{_folder.TOKENIZER}"
    text = json.dumps(config, indent=2, sort_keys=True, ensure_ascii=False)
    write_whole(config_file, f"{text}\n")
    tokenizer.backend_tokenizer.save(tokenizer_file)
    return tuple(map(str, (config_file, *written, tokenizer_file)))


def _save_templates(root: Path, head: str, templates: str | dict[str, str]) -> list[Path]:
    """Write chat templates: the default one, and a folder for the others."""
    named = {"default": templates} if isinstance(templates, str) else templates
    others = root / f"{head}{_folder.CHAT_TEMPLATES}"
    written = []
    for name, text in named.items():
        path = root / f"{head}{_folder.CHAT_TEMPLATE}" if name == "default" else others / f"{name}.jinja"
        if name != "default" and path.resolve().parent != others.resolve():
            raise ValueError(f"`{name}` is no name for a chat template: it would be written outside of the folder")
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text)
        written.append(path)
    return written
