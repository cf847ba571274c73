"""Loading and saving a tokenizer."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

from piecework.pretrained import _families, _folder, _loading, _saving
from piecework.pretrained._families import GENERIC
from piecework.pretrained._folder import Folder, hub
from piecework.pretrained._retraining import Retraining
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Self

    from piecework.pretrained._families import Family


_HUB_OPTIONS = ("revision", "token", "cache_dir", "force_download")


_WITH_METHODS: dict[str, type[Any]] = {}
"""Classes for families that have methods of their own."""


class Files(Retraining):
    """Folders that transformers reads and writes too."""

    def __init_subclass__(cls, *, families: tuple[str, ...] = (), **options: Any) -> None:
        super().__init_subclass__(**options)
        _WITH_METHODS.update(dict.fromkeys(families, cls))

    @classmethod
    def from_pretrained(
        cls,
        pretrained_model_name_or_path: _folder.PathLike,
        *,
        model_type: str | None = None,
        subfolder: str = "",
        revision: str | None = None,
        token: str | bool | None = None,
        cache_dir: str | None = None,
        force_download: bool | None = None,
        local_files_only: bool = False,
        **kwargs: Any,
    ) -> Self:
        """A tokenizer from a folder, a `tokenizer.json`, or a repository of the Hugging Face hub.

        Args:
            pretrained_model_name_or_path: A path, or the name of a repository (with the extra `hub`).
            model_type: Build the pipeline of this family of models (`bert`, `gpt2`, `roberta`, ...) of the vocabulary
                alone: of `vocab.txt`, of `vocab.json` and `merges.txt` (or `encoder.json` and `vocab.bpe`), or of a
                `tokenizer.json`. Without it the pipeline of `tokenizer.json` stays as it is.
            subfolder: A folder within it.
            revision: A branch, tag or commit of the repository.
            token: For repositories that are not public.
            cache_dir: Where files of the hub are kept.
            force_download: Whether to fetch files that are there already.
            local_files_only: Whether to stay offline.
            **kwargs: Settings, which go before those of the files: special tokens, `padding_side`, ...

        Raises:
            FileNotFoundError: Files are missing; the message names them.
            FormatError: Files cannot be read, or contradict each other.
        """
        return cls._from_name(
            pretrained_model_name_or_path,
            model_type=model_type,
            subfolder=subfolder,
            revision=revision,
            token=token,
            cache_dir=cache_dir,
            force_download=force_download,
            local_files_only=local_files_only,
            **kwargs,
        )

    @classmethod
    def _from_name(
        cls,
        name: _folder.PathLike,
        *,
        model_type: str | None = None,
        is_auto: bool = False,
        subfolder: str = "",
        local_files_only: bool = False,
        **kwargs: Any,
    ) -> Self:
        """The tokenizer of a folder or repository. With `is_auto` of the family that it names, if it is known."""
        hub_options = {option: kwargs.pop(option, None) for option in _HUB_OPTIONS}
        folder = Folder(name, subfolder, local_files_only=local_files_only or None, **hub_options)
        family: Family | None = None
        class_name = GENERIC
        if model_type is not None:
            family = _families.of_model_type(model_type)
            class_name = family.name
        elif is_auto or folder.path(_folder.TOKENIZER) is None:
            class_name, family = _loading.family_of(folder)
        return cls._from_folder(folder, class_name, family, kwargs, local_files_only=local_files_only)

    @classmethod
    def _from_folder(
        cls, folder: Folder, name: str, family: Family | None, given: dict[str, Any], *, local_files_only: bool = False
    ) -> Self:
        """The tokenizer of a folder, of a family or as its `tokenizer.json` has it."""
        defaults = {} if family is None else dict(family.defaults)
        found = _loading.settings(folder, given)
        has_file = folder.path(_folder.TOKENIZER) is not None
        settings = {**defaults, **found}
        if family is not None and family.extend is not None:
            family.extend(settings)
        backend, presets = _loading.backend(folder, family, settings)
        file = None
        if has_file:
            file = backend if not presets else Tokenizer.from_file(str(folder.path(_folder.TOKENIZER)))
        settings["added_tokens_decoder"] = _loading.added_tokens(folder, settings, file)
        settings |= {
            "name_or_path": folder.name,
            "is_local": folder.is_local,
            "local_files_only": local_files_only or _folder.is_offline(),
        }
        kind = _WITH_METHODS.get(name)
        # A class that a user derived keeps what it has.
        made = kind if kind is not None and issubclass(kind, cls) else cls
        return made(tokenizer_object=backend, _family=family, _class_name=name, **presets, **settings)

    def save_pretrained(
        self,
        save_directory: _folder.PathLike,
        legacy_format: bool | None = None,
        filename_prefix: str | None = None,
        push_to_hub: bool = False,
        *,
        save_jinja_files: bool = True,
        **kwargs: Any,
    ) -> tuple[str, ...]:
        """Write `tokenizer.json`, `tokenizer_config.json` and chat templates to a folder.

        Args:
            save_directory: The folder; it is made if it is not there.
            legacy_format: Must not be True: the files of a vocabulary alone do not say what its tokenizer does.
            filename_prefix: Put in front of the names of the files, with a hyphen.
            push_to_hub: Whether to upload the files too; see `push_to_hub`.
            save_jinja_files: Whether chat templates get files of their own.
            **kwargs: Arguments of `push_to_hub`; `repo_id` is the name of the folder by default.

        Returns:
            The paths of the files.
        """
        if legacy_format:
            raise ValueError("legacy_format=True is not supported: tokenizer.json holds the whole tokenizer")
        written = _saving.save(
            self, save_directory, self._class_name, filename_prefix, save_jinja_files=save_jinja_files
        )
        if push_to_hub:
            name = kwargs.pop("repo_id", None) or str(save_directory).replace("\\", "/").rstrip("/").split("/")[-1]
            _upload(str(save_directory), name, **kwargs)
        return written

    def push_to_hub(
        self,
        repo_id: str,
        *,
        commit_message: str = "Upload tokenizer",
        private: bool | None = None,
        token: str | bool | None = None,
        revision: str | None = None,
        create_pr: bool = False,
    ) -> str:
        """Upload the files of `save_pretrained` to a repository of the hub (extra `hub`), which is made if need be.

        Args:
            repo_id: The name of the repository.
            commit_message: The message of the commit.
            private: Whether a new repository is private.
            token: Who uploads.
            revision: The branch.
            create_pr: Whether to ask for a merge instead of changing the branch.

        Returns:
            The address of the commit.
        """
        with tempfile.TemporaryDirectory() as folder:
            self.save_pretrained(folder)
            return _upload(
                folder,
                repo_id,
                commit_message=commit_message,
                private=private,
                token=token,
                revision=revision,
                create_pr=create_pr,
            )


def _upload(
    folder: str,
    name: str,
    *,
    commit_message: str = "Upload tokenizer",
    private: bool | None = None,
    token: str | bool | None = None,
    revision: str | None = None,
    create_pr: bool = False,
) -> str:
    """Upload a folder; the address of the commit."""
    api = hub().HfApi(token=token)
    repository = api.create_repo(name, private=private, exist_ok=True).repo_id
    commit = api.upload_folder(
        repo_id=repository,
        folder_path=folder,
        commit_message=commit_message,
        revision=revision,
        create_pr=create_pr,
        allow_patterns=[_folder.TOKENIZER, _folder.CONFIG, "*.jinja"],
    )
    return str(commit)
