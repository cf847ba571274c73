"""The tokenizer that people call."""

from __future__ import annotations

from piecework.pretrained._files import Files

__all__ = ["PreTrainedTokenizer"]


class PreTrainedTokenizer(Files):
    """A tokenizer with what a model wants to know of it: special tokens by name, lengths, padding, chat templates.

    It reads and writes the folders of transformers, and gives the same values, without importing it. The settings of a
    call hold for that call alone, so threads can share a tokenizer.

    Args:
        tokenizer_object: A `Tokenizer`, of which a copy is taken.
        tokenizer_file: A `tokenizer.json`, instead.
        **kwargs: Special tokens by name, `model_max_length`, `padding_side`, `truncation_side`, `model_input_names`,
            `chat_template`, `extra_special_tokens`, ... Others are kept in `init_kwargs` and saved.

    Example:
        >>> from piecework import PreTrainedTokenizer, Tokenizer, models, pre_tokenizers
        >>> backend = Tokenizer(models.WordLevel({"[PAD]": 0, "hello": 1, "world": 2}))
        >>> backend.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer = PreTrainedTokenizer(tokenizer_object=backend, pad_token="[PAD]")
        >>> batch = tokenizer(["hello world", "hello"], padding=True, return_tensors="np")
        >>> batch["input_ids"]
        array([[1, 2],
               [1, 0]])
        >>> batch.token_to_chars(0, 1)
        CharSpan(start=6, end=11)
    """
