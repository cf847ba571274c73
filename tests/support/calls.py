"""Calls of a tokenizer, and what can be asked of one: run under two libraries, and compared."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from support.folders import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Call = tuple[str, tuple[Any, ...], dict[str, Any]]

_ALL = {
    "return_special_tokens_mask": True,
    "return_offsets_mapping": True,
    "return_token_type_ids": True,
    "return_length": True,
}
_PADDING: tuple[dict[str, Any], ...] = (
    {"padding": True},
    {"padding": "max_length", "max_length": 20, "truncation": True},
    {"padding": True, "pad_to_multiple_of": 8},
    {"padding": "longest", "padding_side": "left"},
    {"padding": "max_length", "max_length": 7},
    {"padding": "max_length", "max_length": 20, "pad_to_multiple_of": 16, "padding_side": "right"},
)


def calls() -> Iterator[Call]:
    """Names and arguments of calls."""
    texts, first, other, long = list(TEXTS), TEXTS[0], TEXTS[4], TEXTS[6]
    yield "one text", (first,), {}
    yield "one pair", (first, other), _ALL
    yield "a batch", (texts,), {"return_offsets_mapping": True, "return_length": True}
    yield "pairs", (texts, texts[::-1]), {"return_token_type_ids": True, "return_special_tokens_mask": True}
    yield "tuples", ([*pairwise(texts)],), {"return_token_type_ids": True}
    yield "an empty pair", (first, ""), {}
    yield "no special tokens", (texts,), {"add_special_tokens": False}
    yield "truncation", (texts,), {"truncation": True, "max_length": 10}
    yield "max_length alone", (texts,), {"max_length": 12}
    yield "max_length, truncation off", (texts,), {"max_length": 12, "truncation": False}
    yield "the second text is cut", (first, long), {
        "truncation": "only_second", "max_length": 70, "stride": 5, "return_overflowing_tokens": True, **_ALL
    }  # fmt: skip
    yield "windows", (texts,), {
        "truncation": True, "max_length": 12, "stride": 3, "return_overflowing_tokens": True, **_ALL
    }  # fmt: skip
    yield "windows of one text", (long,), {"truncation": True, "max_length": 9, "return_overflowing_tokens": True}
    yield "windows in a matrix", (texts,), {
        "truncation": True, "max_length": 12, "stride": 3, "return_overflowing_tokens": True, "padding": True,
        "return_tensors": "np",
    }  # fmt: skip
    yield "windows of a pair", (first, long), {"truncation": True, "max_length": 30, "return_overflowing_tokens": True}
    yield "words", ([text.split() for text in texts[:2]],), {"is_split_into_words": True, **_ALL}
    yield "words of one text", (["Hello", "", "world's"],), {"is_split_into_words": True, **_ALL}
    yield "words of a pair", (["Hello", "world"], ["a", "bc"]), {"is_split_into_words": True, **_ALL}
    yield "an array of one text", (first,), {"return_tensors": "np", **_ALL}
    yield "arrays of different lengths", (texts[:2],), {"return_tensors": "np"}
    yield "special tokens are split", (texts,), {"split_special_tokens": True}
    yield "a target", (first,), {"text_target": other}
    yield "a target alone", (), {"text_target": other}
    yield "unknown options", (first,), {"no_such_option": 1}
    yield "options in a dict", (texts,), {"tokenizer_kwargs": {"max_length": 8, "truncation": True}}
    yield "batch and text", (texts, first), {}
    yield "unequal batches", (texts, texts[:2]), {}
    yield "unknown padding", (texts,), {"padding": "sideways"}
    yield "unknown truncation", (texts,), {"truncation": "sideways"}
    yield "unknown side", (texts,), {"padding": True, "padding_side": "up"}
    yield "no multiple", (texts,), {"padding": True, "truncation": True, "max_length": 9, "pad_to_multiple_of": 8}
    yield "bytes", (b"abc",), {}
    for padding in _PADDING:
        for tensors in (None, "np"):
            yield f"{padding} {tensors}", (texts,), {"return_tensors": tensors, **_ALL, **padding}


def plain(value: Any) -> Any:
    """A value that can be compared and shown: arrays with their form."""
    if isinstance(value, np.ndarray):
        return {"dtype": str(value.dtype), "shape": value.shape, "values": plain(value.tolist())}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def kind_of(error: Exception) -> str:
    """The type of an error: what is a `ValueError` here may be any kind of error there."""
    return "ValueError" if isinstance(error, ValueError) or type(error) is Exception else type(error).__name__


def outcome(tokenizer: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The columns of a call and the tokens behind them, or the type of its error."""
    try:
        batch = tokenizer(*copy.deepcopy(arguments), **copy.deepcopy(options))
    except Exception as error:
        return kind_of(error)
    rows = range(len(batch.encodings))
    return {
        "order": [*batch],
        "columns": {name: plain(column) for name, column in batch.items()},
        "tokens": [batch.tokens(row) for row in rows],
        "words": [batch.word_ids(row) for row in rows],
        "sequences": [batch.sequence_ids(row) for row in rows],
        "n_sequences": batch.n_sequences,
    }


def questions() -> dict[str, Callable[[Any], Any]]:
    """What is asked of a tokenizer besides calls."""
    names = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")

    def ids(tokenizer: Any) -> list[int]:
        return list(tokenizer(TEXTS[0])["input_ids"])

    asked: dict[str, Callable[[Any], Any]] = {
        "decode": lambda t: t.decode(ids(t)),
        "decode without special tokens": lambda t: t.decode(ids(t), skip_special_tokens=True),
        "decode and clean up": lambda t: t.decode(ids(t), clean_up_tokenization_spaces=True),
        "decode an id": lambda t: t.decode(5),
        "decode an array": lambda t: t.decode(np.array(ids(t))),
        "decode lists": lambda t: t.decode([ids(t), ids(t)[:3]]),
        "batch_decode": lambda t: t.batch_decode([ids(t), ids(t)[:3]], skip_special_tokens=True),
        "batch_decode of nothing": lambda t: t.batch_decode([]),
        "len": len,
        "vocab_size": lambda t: t.vocab_size,
        "vocabulary": lambda t: t.get_vocab(),
        "special tokens": lambda t: [t.special_tokens_map, t.all_special_tokens, t.all_special_ids],
        "named": lambda t: [(getattr(t, f"{n}_token"), getattr(t, f"{n}_token_id")) for n in names],
        "extra": lambda t: t.extra_special_tokens,
        "lengths": lambda t: [t.model_max_length, t.max_len_single_sentence, t.max_len_sentences_pair],
        "sides": lambda t: [t.padding_side, t.truncation_side, t.pad_token_type_id, t.model_input_names],
        "added": lambda t: [t.added_tokens_encoder, {i: str(token) for i, token in t.added_tokens_decoder.items()}],
        "special tokens to add": lambda t: [t.num_special_tokens_to_add(pair) for pair in (False, True)],
        "tokenize": lambda t: [t.tokenize(text) for text in TEXTS],
        "tokenize a pair": lambda t: t.tokenize(TEXTS[0], pair="more", add_special_tokens=True),
        "encode": lambda t: t.encode(TEXTS[0], max_length=5),
        "ids to tokens": lambda t: t.convert_ids_to_tokens([0, 1, 2, 10**6]),
        "ids to tokens, no special ones": lambda t: t.convert_ids_to_tokens(ids(t), skip_special_tokens=True),
        "tokens to ids": lambda t: t.convert_tokens_to_ids(["a", "no such token"]),
        "tokens to text": lambda t: t.convert_tokens_to_string(t.tokenize(TEXTS[0])),
        "special tokens mask": lambda t: t.get_special_tokens_mask(ids(t), already_has_special_tokens=True),
        "backend": lambda t: _pipeline(t.backend_tokenizer),
        "repr": lambda t: repr(t).split("vocab_size")[1],
    }
    return asked


def _pipeline(backend: Any) -> Any:
    """The description of a backend, without the settings that calls leave behind in transformers.

    Scores are rounded: the reference reads the same number from a file in two ways, which differ in the last digit.
    """
    description = json.loads(backend.to_str())
    if description["model"]["type"] == "Unigram":
        description["model"]["vocab"] = [(piece, round(score, 9)) for piece, score in description["model"]["vocab"]]
    return {name: part for name, part in description.items() if name not in ("truncation", "padding")}


def answer(question: Callable[[Any], Any], tokenizer: Any) -> Any:
    """An answer, or the type of the error."""
    try:
        return plain(question(tokenizer))
    except Exception as error:
        return type(error).__name__
