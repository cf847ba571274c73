"""The tokenizer that people call, by itself."""

from __future__ import annotations

import copy
import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from piecework import (
    AutoTokenizer,
    BatchEncoding,
    FormatError,
    PreTrainedTokenizer,
    SettingError,
    Tokenizer,
    models,
)
from piecework.pretrained import CharSpan, TokenSpan
from support.folders import TEXTS
from support.threads import in_eight_threads

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def bert(model_folders: Path) -> PreTrainedTokenizer:
    return AutoTokenizer.from_pretrained(model_folders / "bert")


@pytest.fixture
def gpt2(model_folders: Path) -> PreTrainedTokenizer:
    return AutoTokenizer.from_pretrained(model_folders / "gpt2")


# ---------------------------------------------------------------------------------------------------------------------
# Columns and look-ups


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("offsets", [False, True])
def test_matrices_are_contiguous_int64(bert: PreTrainedTokenizer, side: str, offsets: bool) -> None:
    batch = bert(
        [*TEXTS],
        padding=True,
        padding_side=side,
        return_tensors="np",
        return_offsets_mapping=offsets,
        return_length=True,
    )
    lists = bert([*TEXTS], padding=True, padding_side=side, return_offsets_mapping=offsets, return_length=True)
    assert [*batch] == [*lists]
    for name, column in batch.items():
        assert column.dtype == np.int64
        assert column.flags.c_contiguous
        assert column.tolist() == [
            [list(x) if isinstance(x, tuple) else x for x in r] if isinstance(r, list) else r for r in lists[name]
        ]


def test_look_ups(bert: PreTrainedTokenizer) -> None:
    text, other = "import argparse", "the tokens"
    batch = bert([text, other], [other, text], padding=True)
    words = batch.word_ids(0)
    assert batch.n_sequences == 2
    assert batch[0].tokens == batch.tokens(0)
    assert len(batch[0:2]) == 2
    for row in (0, 1):
        texts = (text, other) if row == 0 else (other, text)
        for token in range(len(batch.tokens(row))):
            span, sequence = batch.token_to_chars(row, token), batch.token_to_sequence(row, token)
            word = batch.token_to_word(row, token)
            assert (span is None) == (sequence is None) == (word is None)
            if span is None or sequence is None or word is None:
                continue
            assert isinstance(span, CharSpan)
            assert batch.char_to_token(row, span.start, sequence) == token
            assert batch.char_to_word(row, span.start, sequence) == word
            tokens, chars = batch.word_to_tokens(row, word, sequence), batch.word_to_chars(row, word, sequence)
            assert isinstance(tokens, TokenSpan)
            assert tokens.start <= token < tokens.end
            assert chars is not None
            assert texts[sequence][chars.start : chars.end].strip() == texts[sequence][chars.start : chars.end]
    assert batch.token_to_word(1) == words[1]  # row 0 if it is left out
    assert batch.token_to_word(-2) == batch.token_to_word(0, len(words) - 2)
    assert batch.token_to_word(-1, 1) == batch.token_to_word(1, 1)
    assert batch.word_to_chars(0, 99) is None
    uneven = bert("one", "one two three")
    for sequence, number in ((0, 1), (1, 3)):  # negative words are those of their own text
        assert uneven.word_to_tokens(0, -1, sequence) == uneven.word_to_tokens(0, number - 1, sequence) is not None
        assert uneven.word_to_chars(0, -1, sequence) == uneven.word_to_chars(0, number - 1, sequence) is not None
        assert uneven.word_to_tokens(0, -number - 1, sequence) is None
        assert uneven.word_to_chars(0, -number - 1, sequence) is None
    assert batch.token_to_chars(-99) is None
    assert batch.char_to_token(len(text) + 5) is None


def test_an_encoding_made_later_is_that_of_the_columns(bert: PreTrainedTokenizer) -> None:
    options: dict[str, Any] = {
        "truncation": True,
        "max_length": 9,
        "stride": 2,
        "padding": True,
        "return_tensors": "np",
    }
    for overflow in (False, True):
        batch = bert([*TEXTS], return_overflowing_tokens=overflow, **options)
        encodings = batch.encodings
        assert encodings is not None
        assert [encoding.ids for encoding in encodings] == batch["input_ids"].tolist()
        assert [encoding.attention_mask for encoding in encodings] == batch["attention_mask"].tolist()


def test_a_batch_that_changes_after_the_call_changes_nothing(bert: PreTrainedTokenizer) -> None:
    texts = ["import os", "class"]
    batch = bert(texts, padding=True, return_tensors="np")
    texts[0] = "something else"
    assert batch.tokens(0) == bert.tokenize("import os", add_special_tokens=True)
    pairs = ["class", ["import os", "class"]]
    batch = bert(pairs, padding=True, return_tensors="np")
    pairs[1][0] = "something else"  # type: ignore[index]
    assert batch.tokens(1) == bert.tokenize("import os", "class", add_special_tokens=True)


def test_no_texts(bert: PreTrainedTokenizer) -> None:
    assert dict(bert([])) == {"input_ids": [], "token_type_ids": [], "attention_mask": []}
    assert bert([], padding=True, return_tensors="np")["input_ids"].shape == (0, 0)
    assert bert([], is_split_into_words=True)["input_ids"] == [2, 3]  # one text without words


def test_batches_without_encodings() -> None:
    batch = BatchEncoding({"input_ids": [[1, 2], [3, 4]], "n": [1, 2]})
    assert batch[0:1] == {"input_ids": [[1, 2]], "n": [1]}
    assert not batch.is_fast
    assert batch.n_sequences is None
    with pytest.raises(KeyError):
        batch[0]
    with pytest.raises(AttributeError, match="no_such"):
        _ = batch.no_such
    with pytest.raises(ValueError, match=r"tokens\(\)"):
        batch.tokens()
    assert batch.convert_to_tensors("np")["input_ids"].shape == (2, 2)
    assert BatchEncoding({"n": [1]}, tensor_type="np", prepend_batch_axis=True)["n"].shape == (1, 1)
    with pytest.raises(ValueError, match="tf"):
        batch.convert_to_tensors("tf")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies(bert: PreTrainedTokenizer, gpt2: PreTrainedTokenizer, duplicate: Any) -> None:
    batch = bert([*TEXTS], padding=True, return_tensors="np")
    twin = duplicate(batch)
    assert twin.tokens(0) == batch.tokens(0)
    assert twin.n_sequences == 1
    assert (twin["input_ids"] == batch["input_ids"]).all()
    for tokenizer in (bert, gpt2):
        tokenizer("[CLS]", split_special_tokens=True)
        other = duplicate(tokenizer)
        assert other([*TEXTS]).data == tokenizer([*TEXTS]).data
        assert repr(other) == repr(tokenizer)
    other.add_tokens(["<new>"])
    other.pad_token = "<new>"
    if duplicate is not copy.copy:
        assert gpt2.pad_token is None
        assert len(gpt2) + 1 == len(other)


def test_dropout_gives_the_encodings_of_the_columns(small_bpe: Tokenizer) -> None:
    model: Any = small_bpe.model
    model.dropout = 0.5
    tokenizer = PreTrainedTokenizer(tokenizer_object=small_bpe, pad_token="<|endoftext|>")
    batch = tokenizer(["import argparse, subprocess"] * 8, padding=True, return_tensors="np")
    encodings = batch.encodings
    assert encodings is not None
    assert len({tuple(encoding.ids) for encoding in encodings}) > 1
    assert [encoding.ids for encoding in encodings] == batch["input_ids"].tolist()


def test_threads_do_not_disturb_each_other(bert: PreTrainedTokenizer) -> None:
    """8 threads with different padding and truncation, 10,000 calls."""
    settings: list[dict[str, Any]] = [
        {"padding": "max_length", "max_length": 12 + i, "truncation": True, "padding_side": ("left", "right")[i % 2]}
        for i in range(7)
    ]
    settings.append({"split_special_tokens": True})
    expected = [bert("[SEP] import argparse " * 4, **setting).data for setting in settings]
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(1250):
            if bert("[SEP] import argparse " * 4, **settings[number]).data != expected[number]:
                wrong.append(number)

    in_eight_threads(work)
    assert wrong == []


def test_the_backend_keeps_its_settings(model_folders: Path) -> None:
    tokenizer = PreTrainedTokenizer.from_pretrained(model_folders / "plain")
    before = tokenizer.backend_tokenizer.truncation, tokenizer.backend_tokenizer.padding
    tokenizer([*TEXTS], padding=True, truncation=True, max_length=8)
    assert (tokenizer.backend_tokenizer.truncation, tokenizer.backend_tokenizer.padding) == before


def test_a_row_that_is_too_long_is_reported_once(model_folders: Path, caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = AutoTokenizer.from_pretrained(model_folders / "bert", model_max_length=8)
    tokenizer(TEXTS[0], verbose=False)
    tokenizer(TEXTS[0], truncation=True)
    assert caplog.text == ""
    tokenizer(TEXTS[0])
    tokenizer(TEXTS[0])
    assert caplog.text.count("but the model takes 8") == 1


def test_bos_and_eos(gpt2: PreTrainedTokenizer) -> None:
    gpt2.add_eos_token = True
    ids = gpt2("a")["input_ids"]
    gpt2.add_bos_token = True
    assert gpt2("a")["input_ids"] == [gpt2.bos_token_id, *ids]
    assert gpt2("a", "a")["token_type_ids" if "token_type_ids" in gpt2.model_input_names else "input_ids"]
    assert gpt2.num_special_tokens_to_add(pair=True) == 4
    gpt2.bos_token = "<none>"
    with pytest.raises(SettingError, match="<none>"):
        gpt2.add_bos_token = True


# ---------------------------------------------------------------------------------------------------------------------
# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"truncation": True, "max_length": 1}, "`2` special tokens"),
        ({"truncation": True, "max_length": 5, "stride": 3}, "stride `3`"),
        ({"padding": True, "padding_side": "up"}, "up"),
        ({"padding": "some"}, "`longest`, `max_length`, `do_not_pad`"),
        ({"truncation": "some"}, "`only_second`"),
        ({"text_pair": ["a"] * 3}, "`2` items and `text_pair` has `3`"),
        ({"return_tensors": "tf"}, "`np`, `pt`"),
    ],
)
def test_settings_that_cannot_be(bert: PreTrainedTokenizer, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bert(["a b c d e f g", "h"], **options)


def test_padding_without_a_padding_token(gpt2: PreTrainedTokenizer) -> None:
    with pytest.raises(SettingError, match="pad_token"):
        gpt2(["a", "b c"], padding=True)
    gpt2.pad_token = "<none>"
    gpt2.unk_token = None
    with pytest.raises(SettingError, match="<none>"):
        gpt2(["a", "b c"], padding=True)


def test_inputs_that_are_no_texts(bert: PreTrainedTokenizer) -> None:
    for wrong in (b"a", 1, [1], [[1]], np.array(["a"])):
        with pytest.raises(ValueError, match=r"`text[\[\]0]*` is"):
            bert(wrong)
    with pytest.raises(ValueError, match="text_target"):
        bert()
    with pytest.raises(TypeError, match="1"):
        bert(["a", None])


def test_missing_files_are_named(tmp_path: Path, model_folders: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"tokenizer\.json"):
        PreTrainedTokenizer.from_pretrained(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"vocab\.txt"):
        PreTrainedTokenizer.from_pretrained(tmp_path, model_type="bert")
    with pytest.raises(FileNotFoundError, match=r"merges\.txt or encoder\.json and vocab\.bpe"):
        PreTrainedTokenizer.from_pretrained(tmp_path, model_type="gpt2")
    (tmp_path / "vocab.json").write_bytes((model_folders / "gpt2-vocab" / "vocab.json").read_bytes())
    with pytest.raises(FileNotFoundError, match=r"has `vocab\.json`, but `merges\.txt` is missing"):
        PreTrainedTokenizer.from_pretrained(tmp_path, model_type="gpt2")
    with pytest.raises(ValueError, match="no-such-model"):
        PreTrainedTokenizer.from_pretrained(tmp_path, model_type="no-such-model")


def test_files_that_contradict_each_other_are_named(tmp_path: Path, model_folders: Path) -> None:
    for name in ("vocab.json", "merges.txt"):
        (tmp_path / name).write_bytes((model_folders / "gpt2-vocab" / name).read_bytes())
    with (tmp_path / "merges.txt").open("a", encoding="utf-8") as merges:
        merges.write("qqq zzz\n")
    with pytest.raises(FormatError, match=r"merges\.txt: .*qqq"):
        PreTrainedTokenizer.from_pretrained(tmp_path, model_type="gpt2")

    (tmp_path / "tokenizer.json").write_bytes((model_folders / "bert" / "tokenizer.json").read_bytes())
    token = {"content": "[SEP]", "special": True}
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"added_tokens_decoder": {"9": token}}), encoding="utf-8"
    )
    with pytest.raises(
        FormatError, match=r"tokenizer_config\.json: `\[SEP\]` has id `9`, but in tokenizer\.json .* `3`"
    ):
        PreTrainedTokenizer.from_pretrained(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match=r"tokenizer_config\.json: is no JSON"):
        PreTrainedTokenizer.from_pretrained(tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError, match=r"tokenizer\.json"):
        PreTrainedTokenizer.from_pretrained(tmp_path)


def test_special_tokens_of_older_folders(tmp_path: Path, model_folders: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes((model_folders / "bert" / "tokenizer.json").read_bytes())
    flags = {"lstrip": True, "rstrip": False, "single_word": False, "normalized": False}
    special: dict[str, Any] = {"pad_token": "[PAD]", "mask_token": {"content": "[MASK]", **flags}}
    special["additional_special_tokens"] = ["<a>", {"content": "<b>", **flags}]
    (tmp_path / "special_tokens_map.json").write_text(json.dumps(special), encoding="utf-8")
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<c>": 501}), encoding="utf-8")
    tokenizer = PreTrainedTokenizer.from_pretrained(tmp_path)
    assert (tokenizer.pad_token, tokenizer.mask_token) == ("[PAD]", "[MASK]")
    assert tokenizer.extra_special_tokens == ["<a>", "<b>"]
    assert tokenizer.decode(tokenizer("import <a> <b> <c>")["input_ids"], skip_special_tokens=True) == "import <c>"


def test_plain_files_under_both_names(model_folders: Path) -> None:
    one = PreTrainedTokenizer.from_pretrained(model_folders / "gpt2-vocab", model_type="gpt2")
    other = PreTrainedTokenizer.from_pretrained(model_folders / "gpt2-first-names", model_type="gpt2")
    assert one.get_vocab() == other.get_vocab()
    assert one([*TEXTS]).data == other([*TEXTS]).data


# ---------------------------------------------------------------------------------------------------------------------
# Special tokens


def test_special_tokens_are_attributes() -> None:
    backend = Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>"))
    tokenizer = PreTrainedTokenizer(tokenizer_object=backend, unk_token="<unk>", image_token="<image>")
    assert (tokenizer.image_token, tokenizer.image_token_id) == ("<image>", 2)
    assert tokenizer.pad_token is None
    assert tokenizer.pad_token_id is None
    tokenizer.pad_token_id = 0
    assert tokenizer.pad_token == "a"
    tokenizer.extra_special_tokens = ["b"]
    assert tokenizer.extra_special_tokens_ids == [1]
    with pytest.raises(TypeError, match="pad_token"):
        tokenizer.pad_token = 3  # type: ignore[assignment]
    with pytest.raises(AttributeError, match="no_such_attribute"):
        _ = tokenizer.no_such_attribute
    with pytest.raises(TypeError, match="eos_token"):
        PreTrainedTokenizer(tokenizer_object=backend, eos_token=3)
    assert backend.get_vocab_size() == 2  # the tokenizer has a copy
