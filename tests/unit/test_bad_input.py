"""Bad input ends in an ordinary exception that says what and where; the tokenizer stays as it was."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from piecework import EncodeError, PieceworkError, SettingError, SpecError, Tokenizer, models, trainers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ROBERTA = {
    "type": "RobertaProcessing",
    "sep": ["b", 1],
    "cls": ["a", 0],
    "trim_offsets": True,
    "add_prefix_space": True,
}


def description(**stages: Any) -> str:
    return json.dumps({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []}, **stages})


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.from_str(description(post_processor=ROBERTA))


@pytest.mark.parametrize(
    ("stages", "parts"),
    [
        ({"normalizer": {"type": "Upper"}}, ["normalizer", "`Upper`"]),
        ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": True}]}},
         ["normalizer.normalizers[0]", "`strip_right`"]),
        ({"pre_tokenizer": {"type": "FixedLength", "length": 0}}, ["pre_tokenizer", "length"]),
        ({"decoder": {"type": "Nothing"}}, ["decoder", "`Nothing`"]),
        ({"post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}],
                             "pair": [], "special_tokens": {}}}, ["post_processor", "`x`"]),
        ({"version": "2.0"}, ["version", "2.0"]),
        ({"extra": 1}, ["extra"]),
        ({"added_tokens": [{"id": 0, "content": "a"}]}, ["added_tokens[0]"]),
        ({"truncation": {"max_length": 3, "strategy": "Longest", "stride": 0}}, ["truncation.strategy"]),
    ],
)  # fmt: skip
def test_a_description_is_refused_with_its_path(stages: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        Tokenizer.from_str(description(**stages))
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"model": 3}', description() + "x", 2 * description()])
def test_what_is_no_description_is_refused(text: str) -> None:
    with pytest.raises(PieceworkError):
        Tokenizer.from_str(text)


@pytest.mark.parametrize(
    ("content", "path"),
    [(b"", ""), (b'{"model": "\xff"}', ""), (b'{"model": {"type": "BPE", "vocab": {}, "merges": 5}}', "model.merges")],
)
def test_a_file_that_cannot_be_read_is_named(content: bytes, path: str, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(content)
    with pytest.raises(SpecError, match=r"tokenizer\.json: ") as caught:
        Tokenizer.from_file(file)
    assert (caught.value.file, caught.value.path) == (str(file), path)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_list_of_tokens_that_is_not_utf_8(tmp_path: Path) -> None:
    vocab, merges = tmp_path / "vocab.json", tmp_path / "list.txt"
    vocab.write_text("{}", encoding="utf-8")
    merges.write_bytes(b"a\n\xff\n")
    with pytest.raises(SpecError, match=r"list\.txt: byte 2 is not UTF-8"):
        models.WordPiece.from_file(merges)
    with pytest.raises(SpecError, match=r"list\.txt: byte 2 is not UTF-8"):
        models.BPE.from_file(vocab, merges)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: models.Unigram([("a", 0.0), ("b", "x")], 0), TypeError, "`vocab[1][1]` must be float, not str"),  # type: ignore[list-item]
        (lambda: models.Unigram([("a",)], 0), TypeError, "`vocab[0]` must be a tuple of str and float, not tuple"),  # type: ignore[list-item]
        (lambda: models.BPE({"a": "0"}, []), TypeError, "`vocab['a']` must be int, not str"),  # type: ignore[dict-item]
        (lambda: models.WordLevel({"a": 0, "b": -1}), OverflowError, "`vocab['b']` is -1, expected 0 or more"),
        (lambda: models.WordPiece({"a": 0, 5: 1}), TypeError, "`a token of vocab` must be str, not int"),  # type: ignore[dict-item]
    ],
)
def test_an_entry_of_a_vocabulary_is_named(make: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == message


def test_the_place_in_a_model_is_its_path() -> None:
    """The text of a model is read apart: its lines are not those of the file."""
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["a", 0.0], ["b", "x"]]}
    with pytest.raises(SpecError) as caught:
        Tokenizer.from_str(json.dumps({"model": model}, indent=2))
    assert str(caught.value).startswith("model.vocab[1][1]: invalid type")
    assert " line " not in str(caught.value)


@pytest.mark.parametrize("part", [models.BPE(), models.WordLevel(), trainers.BpeTrainer(), trainers.UnigramTrainer()])
def test_a_misspelt_option_of_a_model_or_trainer_is_refused(part: Any) -> None:
    with pytest.raises(AttributeError, match=f"`{type(part).__name__}` has no attribute `unk`; its options are"):
        part.unk = "a"
    extended = type("Extended", (type(part),), {})()
    extended.unk = "a"
    assert extended.unk == "a"


@pytest.mark.parametrize("options", [{"max_length": 3, "stride": 1}, {"max_length": 4, "stride": 2}, {"max_length": 1}])
def test_truncation_that_no_text_can_satisfy_is_refused_when_set(tokenizer: Tokenizer, options: dict[str, Any]) -> None:
    before = tokenizer.to_str()
    with pytest.raises(ValueError, match=r"max_length|stride"):
        tokenizer.enable_truncation(**options)
    assert tokenizer.to_str() == before
    assert tokenizer.truncation is None


def test_truncation_that_a_pair_cannot_satisfy_is_refused_at_the_call(tokenizer: Tokenizer) -> None:
    tokenizer.enable_truncation(max_length=3)
    assert len(tokenizer.encode("abc")) == 3
    with pytest.raises(SettingError):
        tokenizer.encode("abc", "abc")


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("enable_truncation", {"max_length": 8, "strategy": "shortest"}),
        ("enable_truncation", {"max_length": 8, "direction": "up"}),
        ("enable_padding", {"direction": "up"}),
    ],
)
def test_unknown_names_are_refused(tokenizer: Tokenizer, method: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"`left` or `right`|`longest_first`"):
        getattr(tokenizer, method)(**options)


@pytest.mark.parametrize("item", [None, 3, b"a", ["a", 3], ("a", "b", "c"), np.array([1, 2])])
def test_an_item_that_is_no_text_is_named(tokenizer: Tokenizer, item: Any) -> None:
    with pytest.raises(TypeError, match=r"\b1\b"):
        tokenizer.encode_batch(["a", item])
    with pytest.raises(TypeError):
        tokenizer.encode_ids(["a", item])


@pytest.mark.parametrize("call", ["encode_batch", "encode_ids", "encode_columns", "count"])
def test_a_lone_surrogate_is_named(tokenizer: Tokenizer, call: str) -> None:
    with pytest.raises(UnicodeEncodeError, match=r"\b2\b"):
        getattr(tokenizer, call)(["a", "b", "\udcff"])


def test_an_unknown_without_unknown_token_is_an_error_only_where_it_is_needed() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0}, [], unk_token="[UNK]"))
    assert tokenizer.encode("aa").ids == [0, 0]
    with pytest.raises(EncodeError, match=r"\[UNK\]"):
        tokenizer.encode("ab")


@pytest.mark.parametrize("ids", [[-1], ["a"], [1.5], "12", None])
def test_ids_that_are_none_are_refused(tokenizer: Tokenizer, ids: Any) -> None:
    with pytest.raises((TypeError, OverflowError)):
        tokenizer.decode(ids)


def test_files_that_cannot_be_read_are_named(tokenizer: Tokenizer, tmp_path: Path) -> None:
    before = tokenizer.to_str()
    with pytest.raises(OSError, match="missing"):
        tokenizer.train([str(tmp_path / "missing.txt")], trainers.BpeTrainer(show_progress=False))
    with pytest.raises(OSError, match=tmp_path.name):
        tokenizer.train([str(tmp_path)], trainers.BpeTrainer(show_progress=False))
    with pytest.raises(OSError, match="nowhere"):
        tokenizer.save(str(tmp_path / "nowhere" / "tokenizer.json"))
    assert tokenizer.to_str() == before


def test_an_iterator_that_raises_leaves_the_tokenizer_as_it_was(tokenizer: Tokenizer) -> None:
    def texts() -> Iterator[str]:
        yield "abc"
        raise LookupError("from the iterator")

    before = tokenizer.to_str()
    with pytest.raises(LookupError, match="from the iterator"):
        tokenizer.train_from_iterator(texts(), trainers.BpeTrainer(show_progress=False))
    assert tokenizer.to_str() == before
    assert tokenizer.encode("abc", add_special_tokens=False).ids == [0, 1, 2]


def test_a_training_text_that_is_none_is_named(tokenizer: Tokenizer) -> None:
    texts: list[Any] = ["abc", None]
    with pytest.raises(TypeError):
        tokenizer.train_from_iterator(texts, trainers.BpeTrainer(show_progress=False))


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([0, -1], OverflowError, r"`ids\[1\]` is -1, expected an id from 0 to 4294967295"),
        ([0, 0, 2**40], OverflowError, r"`ids\[2\]` is 1099511627776"),
        (np.array([0, -7]), OverflowError, r"`ids\[1\]` is -7"),
        (["a"], TypeError, r"`ids\[0\]` must be int, not str"),
        ([0, 1.5], TypeError, r"`ids\[1\]` must be int, not float"),
        ("0", TypeError, "`ids` must be integers, not str"),
    ],
)
def test_ids_that_are_none(ids: Any, error: type[Exception], message: str) -> None:
    made = Tokenizer(models.BPE({"a": 0}, []))
    with pytest.raises(error, match=message):
        made.decode(ids)
    with pytest.raises(error, match=message.replace("ids", r"sequences\[1\]")):
        made.decode_batch([[0], ids])


@pytest.mark.parametrize("setting", ["length", "pad_to_multiple_of"])
def test_rows_that_no_text_needs(setting: str) -> None:
    made = Tokenizer(models.BPE({"a": 0}, []))
    with pytest.raises(SettingError, match=f"padding {setting} `1099511627776` is out of reach"):
        made.enable_padding(**{setting: 2**40})  # type: ignore[arg-type]
    assert made.padding is None
    with pytest.raises(SettingError, match="is out of reach"):
        made.encode("a", padding={setting: 2**40})
    made.enable_padding(length=7, pad_to_multiple_of=7)
    key = '"Fixed":' if setting == "length" else '"pad_to_multiple_of":'
    with pytest.raises(SpecError, match=f"^padding: padding {setting} `1099511627776` is out of reach"):
        Tokenizer.from_str(made.to_str().replace(f"{key}7", f"{key}{2**40}"))


def test_an_encoding_is_not_filled_beyond_reach() -> None:
    encoding = Tokenizer(models.BPE({"a": 0}, [])).encode("a")
    with pytest.raises(SettingError, match="padding length `1099511627776` is out of reach"):
        encoding.pad(2**40)
    assert encoding.tokens == ["a"]
