"""The files of a tokenizer, in a folder or in a repository of the Hugging Face hub."""

from __future__ import annotations

import json
import os
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piecework.errors import FormatError

if TYPE_CHECKING:
    from types import ModuleType

PathLike = str | os.PathLike[str]

TOKENIZER = "tokenizer.json"
CONFIG = "tokenizer_config.json"
SPECIAL_TOKENS = "special_tokens_map.json"
ADDED_TOKENS = "added_tokens.json"
MODEL_CONFIG = "config.json"
CHAT_TEMPLATE = "chat_template.jinja"
CHAT_TEMPLATES = "additional_chat_templates"

_REPOSITORY = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


def hub() -> ModuleType:
    """The package `huggingface_hub`."""
    try:
        return import_module("huggingface_hub")
    except ImportError as error:
        raise ImportError("the hub needs huggingface_hub: pip install 'piecework[hub]'") from error


def is_offline() -> bool:
    """Whether the environment says that the hub is not to be asked."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}


class Folder:
    """A folder, a single `tokenizer.json`, or a repository of the hub.

    Args:
        name: A path, or the name of a repository.
        subfolder: A folder within it.
        hub_options: `revision`, `token`, `cache_dir`, `force_download` and `local_files_only` for the hub.
    """

    def __init__(self, name: PathLike, subfolder: str = "", **hub_options: Any) -> None:
        self.name = os.fspath(name)
        local = Path(self.name)
        self.file = local if local.is_file() else None
        self.local = local / subfolder if local.is_dir() else None
        self._subfolder = subfolder
        self._hub_options = {option: value for option, value in hub_options.items() if value is not None}
        self._names: list[str] | None = None

    @property
    def is_local(self) -> bool:
        """Whether the files are on this machine."""
        return self.file is not None or self.local is not None

    def names(self) -> list[str]:
        """The names of all files, those of subfolders with them."""
        if self._names is None:
            if self.file is not None:
                self._names = [TOKENIZER]
            elif self.local is not None:
                found = (*self.local.iterdir(), *self.local.glob(f"{CHAT_TEMPLATES}/*.jinja"))
                self._names = sorted(path.relative_to(self.local).as_posix() for path in found if path.is_file())
            else:
                self._names = self._names_in_hub()
        return self._names

    def _names_in_hub(self) -> list[str]:
        if not _REPOSITORY.fullmatch(self.name):
            raise FileNotFoundError(f"`{self.name}` is neither a folder, nor a file, nor the name of a repository")
        try:
            package = hub()
        except ImportError as error:
            raise FileNotFoundError(f"`{self.name}` is no folder, and {error}") from error
        options = self._hub_options
        revision = options.get("revision", "main")
        if options.get("local_files_only") or is_offline():
            root = package.snapshot_download(self.name, revision=revision, local_files_only=True)
            found = [path.relative_to(root).as_posix() for path in Path(root).rglob("*") if path.is_file()]
        else:
            found = package.HfApi().list_repo_files(self.name, revision=revision, token=options.get("token"))
        head = f"{self._subfolder}/" if self._subfolder else ""
        return [name.removeprefix(head) for name in found if name.startswith(head)]

    def path(self, name: str) -> Path | None:
        """A file; None if there is none of this name."""
        if name not in self.names():
            return None
        if self.file is not None:
            return self.file
        if self.local is not None:
            return self.local / name
        return Path(hub().hf_hub_download(self.name, name, subfolder=self._subfolder or None, **self._hub_options))

    def text(self, name: str) -> str | None:
        """The text of a file.

        Raises:
            FormatError: It is no UTF-8.
        """
        path = self.path(name)
        try:
            return None if path is None else path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(f"is no text in UTF-8: {error}", str(path)) from error

    def json(self, name: str) -> dict[str, Any] | None:
        """The object in a JSON file.

        Raises:
            FormatError: It is no JSON, or no object.
        """
        path = self.path(name)
        if path is None:
            return None
        try:
            content = json.loads(path.read_bytes())
        except ValueError as error:
            raise FormatError(f"is no JSON: {error}", str(path)) from error
        if not isinstance(content, dict):
            raise FormatError("expected an object", str(path))
        return content
