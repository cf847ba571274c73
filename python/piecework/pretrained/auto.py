"""The tokenizer of a folder, whatever its model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.pretrained.tokenizer import PreTrainedTokenizer

if TYPE_CHECKING:
    from piecework.pretrained._folder import PathLike

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
        **kwargs: Any,
    ) -> PreTrainedTokenizer:
        """The tokenizer of a folder or of a repository of the hub.

        Args:
            pretrained_model_name_or_path: A path, or the name of a repository (with the extra `hub`).
            model_type: The family of models, instead of what the folder says.
            tokenizer_type: The same, under the name that transformers has for it.
            use_fast: Must be True; there is no other kind.
            **kwargs: As in `PreTrainedTokenizer.from_pretrained`: where the files are, and settings, which go before
                those of the files. `trust_remote_code` may be given; no code of a folder is ever run.

        Raises:
            FileNotFoundError: Files are missing; the message names them.
            FormatError: Files cannot be read, or contradict each other.
        """
        if not use_fast:
            raise ValueError("use_fast=False is not supported: there is only one kind of tokenizer here")
        kwargs.pop("trust_remote_code", None)
        return PreTrainedTokenizer._from_name(
            pretrained_model_name_or_path, model_type=model_type or tokenizer_type, is_auto=True, **kwargs
        )
