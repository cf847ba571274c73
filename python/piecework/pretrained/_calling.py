"""Calling a tokenizer: texts in, columns out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from piecework._checks import boolean
from piecework.pretrained import _strategies
from piecework.pretrained._inputs import arranged, has_pairs
from piecework.pretrained._pad import pad
from piecework.pretrained._rows import Wanted, encoded, longest
from piecework.pretrained._tokens import Tokens
from piecework.pretrained.batch_encoding import BatchEncoding

if TYPE_CHECKING:
    from piecework._core import Columns
    from piecework.pretrained._ends import Ends
    from piecework.pretrained._strategies import Strategies

logger = logging.getLogger(__name__)


class Calling(Tokens):
    """Encoding texts. Settings of a call hold for that call alone, so threads can share a tokenizer."""

    def __call__(
        self,
        text: Any = None,
        text_pair: Any = None,
        text_target: Any = None,
        text_pair_target: Any = None,
        add_special_tokens: bool = True,
        padding: bool | str = False,
        truncation: bool | str | None = None,
        max_length: int | None = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        return_tensors: Any = None,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        verbose: bool = True,
        tokenizer_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> BatchEncoding:
        """Encode texts.

        Args:
            text: A text or a list of texts; with `is_split_into_words` a list of words or a list of such lists. Tuples
                of two in a list are pairs.
            text_pair: The second texts of pairs, in the same form.
            text_target: Texts whose ids become the column `labels`.
            text_pair_target: The second texts of those.
            add_special_tokens: Whether the post-processor puts in special tokens.
            padding: True or `longest` fills up to the longest row, `max_length` to that; False or `do_not_pad` not.
            truncation: True or `longest_first` cuts the longer text of a pair, `only_first` and `only_second` that
                one; False or `do_not_truncate` none. None cuts if `max_length` is given and nothing is to be padded.
            max_length: Most tokens of a row; by default what the model takes.
            stride: Tokens that each part shares with the one before.
            is_split_into_words: Whether texts come as lists of words.
            pad_to_multiple_of: Lengths are rounded up to a multiple of this.
            padding_side: The side that is filled; by default that of the tokenizer.
            return_tensors: `np` for arrays of numpy, `pt` for tensors of torch, None for lists.
            return_token_type_ids: Whether to give that column; None asks `model_input_names`.
            return_attention_mask: Whether to give that column; None asks `model_input_names`.
            return_overflowing_tokens: Whether what truncation cuts off comes as rows too, with the column
                `overflow_to_sample_mapping`.
            return_special_tokens_mask: Whether to give that column.
            return_offsets_mapping: Whether to give that column: spans in code points.
            return_length: Whether to give the column `length`, padding included.
            verbose: Whether to warn of settings without effect and of rows that are too long for the model.
            tokenizer_kwargs: More arguments, which go before those above.
            **kwargs: `split_special_tokens` for this call, `max_target_length`; others are ignored, as in transformers.

        Returns:
            The columns, and for each row the look-ups between tokens, words and text.

        Raises:
            ValueError: Texts have another form, settings are unknown or contradict each other.
        """
        options = {
            "add_special_tokens": add_special_tokens,
            "padding": padding,
            "truncation": truncation,
            "max_length": max_length,
            "stride": stride,
            "is_split_into_words": is_split_into_words,
            "pad_to_multiple_of": pad_to_multiple_of,
            "padding_side": padding_side,
            "return_tensors": return_tensors,
            "return_token_type_ids": return_token_type_ids,
            "return_attention_mask": return_attention_mask,
            "return_overflowing_tokens": return_overflowing_tokens,
            "return_special_tokens_mask": return_special_tokens_mask,
            "return_offsets_mapping": return_offsets_mapping,
            "return_length": return_length,
            "verbose": verbose,
            "split_special_tokens": kwargs.pop("split_special_tokens", self.split_special_tokens),
        }
        target_length = kwargs.pop("max_target_length", None)
        if tokenizer_kwargs is not None:
            if not isinstance(tokenizer_kwargs, dict):
                raise TypeError(f"`tokenizer_kwargs` must be dict, not {type(tokenizer_kwargs).__name__}")
            options.update({name: value for name, value in tokenizer_kwargs.items() if name in options})
        if text is None and text_target is None:
            raise ValueError("expected `text` or `text_target`")
        strategies = _strategies.resolve(
            self,
            options.pop("padding"),
            options.pop("truncation"),
            options.pop("max_length"),
            options["pad_to_multiple_of"],
            verbose=options["verbose"],
        )
        self._begin_call()
        if text_target is None:
            return self._encode(text, text_pair, strategies, **options)
        for_target = strategies if target_length is None else strategies._replace(max_length=target_length)
        target = self._encode(text_target, text_pair_target, for_target, ends=self._ends_of_targets(), **options)
        if text is None:
            return target
        batch = self._encode(text, text_pair, strategies, **options)
        batch["labels"] = target["input_ids"]
        return batch

    def encode(
        self,
        text: Any,
        text_pair: Any = None,
        add_special_tokens: bool = True,
        padding: bool | str = False,
        truncation: bool | str | None = None,
        max_length: int | None = None,
        stride: int = 0,
        padding_side: str | None = None,
        return_tensors: Any = None,
        **kwargs: Any,
    ) -> Any:
        """The column `input_ids` of a call; see there for the arguments."""
        return self(
            text,
            text_pair,
            add_special_tokens=add_special_tokens,
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            stride=stride,
            padding_side=padding_side,
            return_tensors=return_tensors,
            **kwargs,
        )["input_ids"]

    def tokenize(
        self, text: str, pair: str | None = None, add_special_tokens: bool = False, **kwargs: Any
    ) -> list[str]:
        """The tokens of a text, or of a pair; see the call for more arguments."""
        return self(text, pair, add_special_tokens=add_special_tokens, **kwargs).tokens()

    def pad(
        self,
        encoded_inputs: Any,
        padding: bool | str = True,
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        return_attention_mask: bool | None = None,
        return_tensors: Any = None,
        verbose: bool = True,
    ) -> BatchEncoding:
        """Fill up rows that are encoded already, as a collator does.

        Args:
            encoded_inputs: A list of dicts, or a dict of lists. Filled up are `input_ids`, `attention_mask`,
                `token_type_ids` and `special_tokens_mask`; other columns stay as they are.
            padding: As in the call.
            max_length: As in the call.
            pad_to_multiple_of: As in the call.
            padding_side: As in the call.
            return_attention_mask: Whether to make that column if it is not there; None asks `model_input_names`.
            return_tensors: As in the call; arrays and tensors give the same kind back.
            verbose: As in the call.

        Raises:
            ValueError: There is no `input_ids`, or it is no list of numbers.
        """
        strategies = _strategies.resolve(self, padding, None, max_length, verbose=verbose)
        return pad(
            self, encoded_inputs, strategies, pad_to_multiple_of, padding_side, return_attention_mask, return_tensors
        )

    # -----------------------------------------------------------------------------------------------------------------
    # How a call is carried out

    def _begin_call(self) -> None:
        """What a class has to do before texts are encoded."""

    def _ends_of_targets(self) -> Ends | None:
        """What is put around targets, where it is not the same as around texts."""
        return None

    def _encode(
        self,
        text: Any,
        text_pair: Any,
        strategies: Strategies,
        *,
        add_special_tokens: bool,
        stride: int,
        is_split_into_words: bool,
        pad_to_multiple_of: int | None,
        padding_side: str | None,
        return_tensors: Any,
        return_token_type_ids: bool | None,
        return_attention_mask: bool | None,
        return_overflowing_tokens: bool,
        return_special_tokens_mask: bool,
        return_offsets_mapping: bool,
        return_length: bool,
        verbose: bool,
        split_special_tokens: bool,
        ends: Ends | None = None,
    ) -> BatchEncoding:
        inputs, is_batch = arranged(text, text_pair, is_split_into_words=is_split_into_words)
        flags = {
            "token_type_ids": return_token_type_ids,
            "attention_mask": return_attention_mask,
            "special_tokens_mask": return_special_tokens_mask,
            "offset_mapping": return_offsets_mapping,
        }
        wanted = Wanted.of(
            self.model_input_names, flags, return_tensors, length=return_length, overflow=return_overflowing_tokens
        )
        data, columns, alignments = encoded(
            self,
            self._backend(split_special_tokens=boolean("split_special_tokens", split_special_tokens), ends=ends),
            inputs,
            strategies,
            wanted,
            pairs=has_pairs(inputs, is_split_into_words=is_split_into_words),
            spans=not is_batch,
            add_special_tokens=boolean("add_special_tokens", add_special_tokens),
            is_split_into_words=is_split_into_words,
            stride=stride,
            padding_side=padding_side,
            pad_to_multiple_of=pad_to_multiple_of,
        )
        if not is_batch and wanted.tensors is None and not wanted.overflow:
            data = {name: column[0] if isinstance(column[0], list) else column for name, column in data.items()}
        if strategies.max_length is None and verbose and not self._warned_too_long:
            self._warn_of_length(columns)
        return BatchEncoding._made(data, alignments, self)

    def _warn_of_length(self, columns: Columns) -> None:
        """Say once that a row is longer than what the model takes."""
        limit = _strategies.number("model_max_length", self.model_max_length)
        if not 0 < limit <= _strategies.UNLIMITED:
            return
        tokens = longest(columns)
        if tokens > limit:
            self._warned_too_long = True
            logger.warning("a text has %d tokens, but the model takes %d: truncation=True cuts", tokens, limit)
