"""What holds of the encoding of every text by every pipeline."""

from __future__ import annotations

import copy
import json
import pickle
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from piecework import Encoding, Tokenizer
from support.pipelines import TrainedModels, pipelines
from support.texts import batches, lists_of_texts, texts, texts_or_none

COLUMNS = (
    "ids",
    "tokens",
    "type_ids",
    "word_ids",
    "sequence_ids",
    "special_tokens_mask",
    "attention_mask",
    "offsets",
)


def columns(encoding: Encoding) -> dict[str, Any]:
    return {name: getattr(encoding, name) for name in COLUMNS}


@given(data=st.data())
def test_spans_are_ordered_and_inside(data: st.DataObject, trained: TrainedModels) -> None:
    pipeline = data.draw(pipelines(trained))
    text = data.draw(texts)
    encoding = Tokenizer.from_str(pipeline.json).encode(text)
    # One that takes blanks in reaches over a token behind it that is found in them.
    reaches = any(token["rstrip"] for token in pipeline.spec["added_tokens"])
    before = (0, 0)
    for span, sequence in zip(encoding.offsets, encoding.sequence_ids, strict=True):
        if sequence is None:
            assert span == (0, 0)
            continue
        start, end = span
        assert 0 <= start <= end <= len(text)
        assert reaches or before[1] <= end
        # A blank that was put in front has the span of the letter behind it, and may be trimmed to the end of that.
        if start < end:
            assert before[0] <= start
            before = span


@given(data=st.data())
def test_a_model_alone_gives_what_a_tokenizer_without_stages_gives(data: st.DataObject, trained: TrainedModels) -> None:
    model = data.draw(pipelines(trained)).spec["model"]
    tokenizer = Tokenizer.from_str(json.dumps({"model": model}))
    text = data.draw(texts.filter(bool))
    encoding = tokenizer.encode(text)
    found = tokenizer.model.tokenize(text)
    assert [(token.id, token.value) for token in found] == list(zip(encoding.ids, encoding.tokens, strict=True))
    if model["type"] != "BPE" or model["unk_token"] or model["byte_fallback"]:
        assert [token.offsets for token in found] == encoding.offsets
    else:
        # Behind characters that were dropped only the model alone tells where its tokens stand.
        ends = [(text[start], text[end - 1]) for start, end in (token.offsets for token in found)]
        assert ends == [(token.value[0], token.value[-1]) for token in found]


@given(data=st.data())
def test_a_batch_is_its_texts_one_by_one(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer = Tokenizer.from_str(data.draw(pipelines(trained)).json)
    batch = data.draw(batches)
    together = [columns(e) for e in tokenizer.encode_batch(batch)]
    alone = [columns(tokenizer.encode(*item) if isinstance(item, tuple) else tokenizer.encode(item)) for item in batch]
    assert together == alone


@given(data=st.data())
def test_a_second_time_gives_the_same(data: st.DataObject, trained: TrainedModels) -> None:
    """What an earlier text left in the cache changes nothing."""
    description = data.draw(pipelines(trained)).json
    used = Tokenizer.from_str(description)
    for text in data.draw(lists_of_texts):
        assert columns(used.encode(text)) == columns(Tokenizer.from_str(description).encode(text))


@given(data=st.data())
def test_ids_and_counts_are_those_of_the_encodings(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer = Tokenizer.from_str(data.draw(pipelines(trained)).json)
    batch = data.draw(lists_of_texts)
    special = data.draw(st.booleans())
    expected = [e.ids for e in tokenizer.encode_batch(batch, add_special_tokens=special)]

    rows = tokenizer.encode_ids(batch, add_special_tokens=special)
    bounds = rows.offsets.tolist()

    assert [rows.ids[start:end].tolist() for start, end in pairwise(bounds)] == expected
    assert list(tokenizer.count(batch, add_special_tokens=special)) == [len(ids) for ids in expected]


@given(data=st.data())
def test_copies_and_pickles_encode_alike(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer = Tokenizer.from_str(data.draw(pipelines(trained, cut=True)).json)
    text = data.draw(texts)
    expected = columns(tokenizer.encode(text))
    for twin in (copy.copy(tokenizer), copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        assert columns(twin.encode(text)) == expected
        assert twin.to_str() == tokenizer.to_str()


@given(data=st.data())
def test_an_encoding_pickles(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer = Tokenizer.from_str(data.draw(pipelines(trained, cut=True)).json)
    encoding = tokenizer.encode(data.draw(texts), data.draw(texts_or_none))
    twin = pickle.loads(pickle.dumps(encoding))
    assert columns(twin) == columns(encoding)
    assert [columns(o) for o in twin.overflowing] == [columns(o) for o in encoding.overflowing]


@given(data=st.data())
def test_maps_agree_with_the_columns(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer = Tokenizer.from_str(data.draw(pipelines(trained)).json)
    text = data.draw(texts)
    encoding = tokenizer.encode(text)
    sequences, words, spans = encoding.sequence_ids, encoding.word_ids, encoding.offsets
    for i, sequence in enumerate(sequences):
        inside = sequence is not None
        assert encoding.token_to_sequence(i) == sequence
        assert encoding.token_to_word(i) == (words[i] if inside else None)
        # In the reference the answer is the span alone, too: one text has one sequence.
        assert encoding.token_to_chars(i) == (spans[i] if inside else None)
    for position in range(len(text)):
        holders = [i for i, (start, end) in enumerate(spans) if sequences[i] == 0 and start <= position < end]
        assert encoding.char_to_token(position) == (holders[0] if holders else None)


@given(text=texts)
def test_byte_level_round_trip(text: str, small_bpe_json: str) -> None:
    tokenizer = Tokenizer.from_str(small_bpe_json)
    # The added token of the vocabulary is special and would be left out.
    assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


@given(text=texts)
def test_byte_level_spans_cover_the_text(text: str, small_bpe_json: str) -> None:
    encoding = Tokenizer.from_str(small_bpe_json).encode(text)
    covered = {i for start, end in encoding.offsets for i in range(start, end)}
    assert covered == set(range(len(text)))
