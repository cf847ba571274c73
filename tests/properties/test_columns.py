"""Columns are the encodings, whatever their form."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from piecework import Encoding, Tokenizer
from support.pipelines import TrainedModels, pipelines
from support.texts import batches


def numbers(values: list[int | None]) -> list[int]:
    return [-1 if value is None else value for value in values]


def expected(encoding: Encoding, *, numbered: bool = True) -> dict[str, Any]:
    """The columns of one row, as `encode_columns` gives them.

    Without a processor the overflow of an Encoding is not numbered by sequence, as in the reference; columns always
    are. There the type ids are the numbers.
    """
    # An Encoding without ranges, as that of an empty text, is sequence 0 as a whole; a column has -1 for padding.
    known = numbers(encoding.sequence_ids) if numbered else encoding.type_ids
    sequences = zip(known, encoding.attention_mask, strict=True)
    return {
        "ids": encoding.ids,
        "spans": [list(span) for span in encoding.offsets],
        "type_ids": encoding.type_ids,
        "word_ids": numbers(encoding.word_ids),
        "sequence_ids": [sequence if real else -1 for sequence, real in sequences],
        "special_tokens_mask": encoding.special_tokens_mask,
        "attention_mask": encoding.attention_mask,
    }


@given(data=st.data())
def test_ragged(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer = Tokenizer.from_str(data.draw(pipelines(trained, cut=True)).json)
    batch, overflow = data.draw(batches), data.draw(st.booleans())
    rows, inputs = [], []
    for number, encoding in enumerate(tokenizer.encode_batch(batch)):
        parts = [encoding, *(encoding.overflowing if overflow else [])]
        rows += [
            expected(part, numbered=index == 0 or tokenizer.post_processor is not None)
            for index, part in enumerate(parts)
        ]
        inputs += [number] * len(parts)

    columns = tokenizer.encode_columns(batch, overflow=overflow)

    assert columns.inputs.tolist() == inputs
    for (start, end), row in zip(pairwise(columns.offsets.tolist()), rows, strict=True):
        assert {name: getattr(columns, name)[start:end].tolist() for name in row} == row


@given(data=st.data())
def test_padded(data: st.DataObject, trained: TrainedModels) -> None:
    """A matrix has what `encode_batch` gives with padding, and int64 everywhere."""
    tokenizer = Tokenizer.from_str(data.draw(pipelines(trained)).json)
    batch = data.draw(batches)
    padding = data.draw(
        st.fixed_dictionaries(
            {
                "direction": st.sampled_from(("left", "right")),
                "length": st.sampled_from((None, 7)),
                "pad_to_multiple_of": st.sampled_from((None, 4)),
                "pad_id": st.integers(0, 3),
                "pad_type_id": st.integers(0, 2),
            }
        )
    )
    # A length below that of a row would not be a matrix.
    truncation = 7 if padding["length"] else False
    encodings = tokenizer.encode_batch(batch, padding=padding, truncation=truncation, add_special_tokens=False)

    columns = tokenizer.encode_columns(
        batch, padded=True, padding=padding, truncation=truncation, add_special_tokens=False
    )

    width = max((len(encoding) for encoding in encodings), default=columns.ids.shape[1])
    rows = [expected(encoding) for encoding in encodings]
    for name in expected(Encoding()):
        column = getattr(columns, name)
        assert column.dtype == np.int64
        assert column.shape[:2] == (len(batch), width)
        assert column.tolist() == [row[name] for row in rows]


@given(data=st.data())
def test_settings_of_a_call_are_those_of_the_tokenizer(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer = Tokenizer.from_str(data.draw(pipelines(trained)).json)
    batch = data.draw(batches)
    max_length = tokenizer.num_special_tokens_to_add(True) + data.draw(st.integers(4, 8))
    truncation: dict[str, Any] = {"max_length": max_length, "stride": data.draw(st.integers(0, 1))}
    before = tokenizer.to_str()
    of_call = [expected(e) for e in tokenizer.encode_batch(batch, truncation=truncation, padding=16)]
    assert tokenizer.to_str() == before

    tokenizer.enable_truncation(**truncation)
    tokenizer.enable_padding(length=16)

    assert [expected(e) for e in tokenizer.encode_batch(batch)] == of_call
    plain = Tokenizer.from_str(before).encode_batch(batch)
    off = tokenizer.encode_batch(batch, truncation=False, padding=False)
    assert [expected(e) for e in off] == [expected(e) for e in plain]
