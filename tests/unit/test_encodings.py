"""Encodings as views: what they show, change and keep; and the same as arrays."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from piecework import Encoding, SettingError, SpecError, Tokenizer, models, normalizers, pre_tokenizers, processors

TOKENS = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "a", "b", "c", "d", "e", "f", "g", "é"]
VOCAB = {token: i for i, token in enumerate(TOKENS)}


def tokenizer(template: bool = True) -> Tokenizer:
    made = Tokenizer(models.WordLevel(VOCAB, "[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if template:
        made.post_processor = processors.TemplateProcessing(
            "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 1), ("[SEP]", 2)]
        )
    return made


def test_columns_and_maps_of_a_pair() -> None:
    encoding = tokenizer().encode("a bb", "c")
    assert encoding.tokens == ["[CLS]", "a", "[UNK]", "[SEP]", "c", "[SEP]"]
    assert encoding.type_ids == [0, 0, 0, 0, 1, 1]
    assert encoding.special_tokens_mask == [1, 0, 0, 1, 0, 1]
    assert encoding.word_ids == [None, 0, 1, None, 0, None]
    assert encoding.sequence_ids == [None, 0, 0, None, 1, None]
    assert encoding.n_sequences == 2
    assert encoding.char_to_token(3) == 2
    assert encoding.char_to_token(1) is None
    assert encoding.char_to_token(0, 1) == 4
    assert encoding.word_to_chars(1) == (2, 4)
    assert encoding.word_to_tokens(0, 1) == (4, 5)
    assert encoding.token_to_chars(0) is None
    assert encoding.token_to_sequence(4) == 1


def test_a_view_changes_apart_from_its_batch() -> None:
    first, second = tokenizer().encode_batch(["a b c", "d"])
    first.truncate(2)
    first.pad(3, direction="left", pad_id=3, pad_token="[PAD]")
    assert first.tokens == ["[PAD]", "[CLS]", "a"]
    overflow = [part.tokens for part in first.overflowing]
    assert overflow == [["[PAD]", "b", "c"], ["[PAD]", "[PAD]", "[SEP]"]]
    assert second.tokens == ["[CLS]", "d", "[SEP]"]


def test_lists_are_fresh() -> None:
    encoding = tokenizer().encode("a")
    encoding.ids.append(7)
    assert len(encoding.ids) == len(encoding) == 3


def test_pickle_keeps_everything() -> None:
    made = tokenizer()
    made.enable_truncation(7, stride=1)
    encoding = made.encode("a b c d e", "f g é")
    twin = pickle.loads(pickle.dumps(encoding))
    assert twin.__getstate__() == encoding.__getstate__()
    assert [part.tokens for part in twin.overflowing] == [part.tokens for part in encoding.overflowing]


def test_merge_moves_spans_on_request() -> None:
    made = tokenizer(template=False)
    a, b = made.encode("a b"), made.encode("c")
    assert Encoding.merge([a, b]).offsets == [(0, 1), (2, 3), (3, 4)]
    assert Encoding.merge([a, b], growing_offsets=False).offsets == [(0, 1), (2, 3), (0, 1)]
    assert len(Encoding.merge([])) == 0


def test_a_stride_that_does_not_fit_is_refused() -> None:
    with pytest.raises(SettingError):
        tokenizer().encode("a b c").truncate(2, stride=2)


def test_settings_of_a_call() -> None:
    made = tokenizer()
    made.enable_truncation(4)
    made.enable_padding(length=6)
    assert len(made.encode("a b c d")) == 6
    assert made.encode("a b c d", padding=False).tokens == ["[CLS]", "a", "b", "[SEP]"]
    assert made.encode("a b c d", truncation=False, padding=False).ids == [1, 4, 5, 6, 7, 2]
    assert made.encode("a b c d", truncation=3, padding=False).ids == [1, 4, 2]
    assert made.encode("a b c d", truncation={"max_length": 3, "direction": "left"}, padding=4).ids[:3] == [1, 7, 2]
    assert made.count(["a", "a b c d"]).tolist() == [3, 4]
    assert made.truncation == {"max_length": 4, "stride": 0, "strategy": "longest_first", "direction": "right"}
    with pytest.raises(TypeError):
        made.encode("a", truncation="longest_first")  # type: ignore[arg-type]
    made.no_truncation()
    with pytest.raises(SettingError, match="max_length"):
        made.encode("a", truncation=True)


def test_what_no_text_can_satisfy_is_refused_when_it_is_set() -> None:
    made = tokenizer()
    for max_length, stride in ((4, 2), (1, 0), (4, 9)):
        with pytest.raises(SettingError):
            made.enable_truncation(max_length, stride)
    assert made.truncation is None


def test_what_was_set_before_the_special_tokens_is_saved_and_loaded() -> None:
    made = tokenizer(template=False)
    made.enable_truncation(1)
    made.post_processor = tokenizer().post_processor
    for twin in (Tokenizer.from_str(made.to_str()), pickle.loads(pickle.dumps(made))):
        assert twin.encode("a b", add_special_tokens=False).tokens == ["a"]
        with pytest.raises(SettingError, match="leaves no room for the `2` special tokens"):
            twin.encode("a b")


def test_a_file_with_a_truncation_that_repeats_all_it_keeps() -> None:
    made = tokenizer(template=False)
    made.enable_truncation(2, 1)
    with pytest.raises(SpecError, match=r"^truncation: truncation stride `1` is not less than"):
        Tokenizer.from_str(made.to_str().replace('"max_length":2', '"max_length":1'))


def test_what_is_not_cut_keeps_what_overflowed_of_it_before() -> None:
    made = tokenizer(template=False)
    cut, rest = made.encode("a b"), made.encode("b a b a b a")
    cut.truncate(1)
    made.enable_truncation(4)
    both = made.post_process(cut, rest)
    assert [part.tokens for part in (both, *both.overflowing)] == [
        ["a", "b", "a", "b"],
        ["b", "b", "a", "b"],
        ["b", "a", "b", "a"],
        ["a", "a", "b", "a"],
    ]


def test_a_pair_that_is_processed_again_keeps_its_sequences() -> None:
    pair = tokenizer(template=False).encode("a", "b")
    again = tokenizer().post_process(pair)
    assert again.sequence_ids == [None, 0, 1, None]
    bare = tokenizer(template=False).post_process(pair)
    assert (bare.type_ids, bare.sequence_ids) == ([0, 1], [0, 1])


def test_a_sequence_that_spans_all_tokens() -> None:
    """As in the reference: the sequences that were there stay."""
    single, pair = tokenizer().encode("a"), tokenizer().encode("a", "b")
    single.set_sequence_id(1)
    assert (single.sequence_ids, single.n_sequences) == ([1, 1, 1], 2)
    pair.set_sequence_id(0)
    assert (pair.sequence_ids, pair.n_sequences) == ([0, 0, 0, 1, 0], 2)


def test_ragged_ids() -> None:
    ids = tokenizer().encode_ids(["a b", "", "c"])
    assert ids.ids.dtype == np.uint32
    assert ids.offsets.dtype == np.int64
    assert ids.tolist() == [[1, 4, 5, 2], [1, 2], [1, 6, 2]]
    assert ids[1].tolist() == [1, 2]
    assert ids[-1].tolist() == [1, 6, 2]
    assert ids.lengths.tolist() == [4, 2, 3]
    with pytest.raises(IndexError):
        ids[3]
    assert tokenizer().encode_ids([]).tolist() == []


def test_columns_are_those_of_the_encodings() -> None:
    made = tokenizer()
    texts = ["a b", "", ("c", "é d"), "é"]
    encodings, columns = made.encode_batch(texts), made.encode_columns(texts)
    for row, encoding in enumerate(encodings):
        part = slice(columns.offsets[row], columns.offsets[row + 1])
        assert columns.ids[part].tolist() == encoding.ids
        assert [tuple(span) for span in columns.spans[part].tolist()] == encoding.offsets
        assert columns.type_ids[part].tolist() == encoding.type_ids
        assert [None if w < 0 else w for w in columns.word_ids[part].tolist()] == encoding.word_ids
        assert [None if s < 0 else s for s in columns.sequence_ids[part].tolist()] == encoding.sequence_ids
        assert columns.special_tokens_mask[part].tolist() == encoding.special_tokens_mask
        assert columns.attention_mask[part].tolist() == encoding.attention_mask
    assert not columns.is_padded


@pytest.mark.parametrize("direction", ["left", "right"])
def test_padded_columns_are_those_of_padded_encodings(direction: str) -> None:
    made = tokenizer()
    padding = {"direction": direction, "pad_id": 3, "pad_type_id": 1, "pad_to_multiple_of": 4}
    texts = ["a b c d", "", ("c", "é d")]
    encodings = made.encode_batch(texts, padding=padding)
    columns = made.encode_columns(texts, padded=True, padding=padding)
    assert columns.ids.dtype == np.int64
    assert columns.ids.tolist() == [e.ids for e in encodings]
    assert columns.type_ids.tolist() == [e.type_ids for e in encodings]
    assert columns.attention_mask.tolist() == [e.attention_mask for e in encodings]
    assert columns.special_tokens_mask.tolist() == [e.special_tokens_mask for e in encodings]
    assert [[tuple(span) for span in row] for row in columns.spans.tolist()] == [e.offsets for e in encodings]
    assert columns.lengths.tolist() == [6, 2, 6]


def test_overflow_comes_as_rows_on_request() -> None:
    made = tokenizer()
    made.enable_truncation(4, stride=1)
    texts = ["a b c d", "e"]
    assert made.encode_columns(texts).inputs.tolist() == [0, 1]
    columns = made.encode_columns(texts, overflow=True)
    assert columns.inputs.tolist() == [0, 0, 0, 1]
    encoding = made.encode(texts[0])
    rows = [columns.ids[columns.offsets[i] : columns.offsets[i + 1]].tolist() for i in range(3)]
    assert rows == [encoding.ids, *[part.ids for part in encoding.overflowing]]


def test_forms_of_input() -> None:
    made = tokenizer(template=False)
    expected = [[4], [5, 6]]
    for batch in (["a", "b c"], ("a", "b c"), np.array(["a", "b c"]), np.array(["a", "b c"], dtype=object)):
        assert [e.ids for e in made.encode_batch(batch)] == expected
    assert [e.ids for e in made.encode_batch(text for text in ["a", "b c"])] == expected
    assert made.encode(np.array(["a", "b"]), is_pretokenized=True).word_ids == [0, 1]  # type: ignore[arg-type]
    assert made.encode_batch([["a", "b"], (["a"], ["b"])], is_pretokenized=True)[1].type_ids == [0, 1]


def test_columns_are_copied_whole() -> None:
    """Also those that nobody has read, which have no array yet."""
    columns = tokenizer().encode_columns([("a b", "c"), ("", "d"), "e"])
    for again in (pickle.loads(pickle.dumps(columns)), copy.copy(columns), copy.deepcopy(columns)):
        for name in ("ids", "spans", "type_ids", "word_ids", "sequence_ids", "special_tokens_mask", "attention_mask"):
            assert getattr(again, name).tolist() == getattr(columns, name).tolist()
            assert getattr(again, name).dtype == getattr(columns, name).dtype
        assert (again.offsets.tolist(), again.inputs.tolist()) == (columns.offsets.tolist(), columns.inputs.tolist())
    assert columns.type_ids is columns.type_ids
    with pytest.raises(AttributeError, match="has no attribute 'tokens'"):
        _ = columns.tokens  # type: ignore[attr-defined]


def test_offsets_and_words_of_long_texts() -> None:
    """Integers of lists are shared up to some size; beyond it they are the same numbers still."""
    made = Tokenizer(models.BPE({"a": 0, " ": 1}, []))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    encoding = made.encode("a " * 5000)
    assert encoding.offsets == [(2 * i, 2 * i + 1) for i in range(5000)]
    assert encoding.word_ids == list(range(5000))


@pytest.mark.parametrize("part", ["ab a ", "a 你好 ", "a  b\n", "é "])
def test_a_text_that_is_spread_over_threads(part: str) -> None:
    """From 512 KiB on one text is the work of several threads, whose parts end where a scan finds an end."""
    made = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "b": 2, "##b": 3, "e": 4, "你": 5}, unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    repeats = (600 << 10) // len(part.encode())
    assert made.encode(part * repeats).ids == made.encode(part).ids * repeats
