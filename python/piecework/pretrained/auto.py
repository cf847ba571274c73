"""The tokenizer of a folder, whatever its model."""

from __future__ import annotations

from typing import Any

from piecework.pretrained import _families, _loading
from piecework.pretrained._folder import Folder, PathLike
from piecework.pretrained.tokenizer import PreTrainedTokenizer

__all__ = ["AutoTokenizer"]


class AutoTokenizer:
    """Loads a tokenizer as the class does that its folder names.

    As in transformers, the families that are known (BERT, GPT-2, RoBERTa, Llama, Gemma, T5, Qwen2, ...) build their
    pipeline themselves, of the vocabulary and of `tokenizer_config.json`; others keep that of `tokenizer.json`.

    Example:
        >>> import tempfile
        >>> from piecework import AutoTokenizer, PreTrainedTokenizer, Tokenizer, models
        >>> tokenizer = PreTrainedTokenizer(tokenizer_object=Tokenizer(models.BPE({"a": 0, "b": 1}, [])))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = tokenizer.save_pretrained(folder)
        ...     AutoTokenizer.from_pretrained(folder)("ab")["input_ids"]
        [0, 1]
    """

    def __init__(self) -> None:
        raise TypeError("AutoTokenizer has no instances: use AutoTokenizer.from_pretrained(folder)")

    @classmethod
    def from_pretrained(
        cls,
        pretrained_model_name_or_path: PathLike,
        *,
        model_type: str | None = None,
        tokenizer_type: str | None = None,
        use_fast: bool = True,
        subfolder: str = "",
        revision: str | None = None,
        token: str | bool | None = None,
        cache_dir: str | None = None,
        force_download: bool | None = None,
        local_files_only: bool = False,
        **kwargs: Any,
    ) -> PreTrainedTokenizer:
        """The tokenizer of a folder or of a repository of the hub.

        Args:
            pretrained_model_name_or_path: A path, or the name of a repository (with the extra `hub`).
            model_type: The family of models, instead of what the folder says.
            tokenizer_type: The same, under the name that transformers has for it.
            use_fast: Must be True; there is no other kind.
            subfolder: A folder within it.
            revision: A branch, tag or commit of the repository.
            token: For repositories that are not public.
            cache_dir: Where files of the hub are kept.
            force_download: Whether to fetch files that are there already.
            local_files_only: Whether to stay offline.
            **kwargs: Settings, which go before those of the files.

        Raises:
            FileNotFoundError: Files are missing; the message names them.
            FormatError: Files cannot be read, or contradict each other.
        """
        if not use_fast:
            raise ValueError("use_fast=False is not supported: there is only one kind of tokenizer here")
        kwargs.pop("trust_remote_code", None)  # no code is ever loaded
        folder = Folder(
            pretrained_model_name_or_path,
            subfolder,
            revision=revision,
            token=token,
            cache_dir=cache_dir,
            force_download=force_download,
            local_files_only=local_files_only or None,
        )
        asked = model_type or tokenizer_type
        if asked is None:
            name, family = _loading.family_of(folder)
        else:
            family = _families.of_model_type(asked)
            name = family.name
        return PreTrainedTokenizer._from_folder(folder, name, family, kwargs, local_files_only=local_files_only)
