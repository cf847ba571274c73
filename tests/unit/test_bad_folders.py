"""Folders with files that are missing, broken or contradict each other, and arguments that cannot be."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from piecework import AutoTokenizer, FormatError, PreTrainedTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, model_folders: Path) -> Callable[..., Path]:
    """A copy of a folder in which files were replaced, by name."""

    def make(name: str, **files: Any) -> Path:
        shutil.copytree(model_folders / name, tmp_path / name)
        for file, content in files.items():
            path = tmp_path / name / file.replace("_dot_", ".")
            path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return tmp_path / name

    return make


def test_a_name_that_is_no_folder(tmp_path: Path) -> None:
    for name in (tmp_path / "none", "./none", "a/b/c", "~/none", "no such folder"):
        with pytest.raises(FileNotFoundError, match="is neither a folder, nor a file, nor the name of a repository"):
            AutoTokenizer.from_pretrained(name)


@pytest.mark.parametrize(
    ("setting", "value", "error", "message"),
    [
        ("model_max_length", "512", TypeError, "`model_max_length` must be a number, not str"),
        ("padding_side", "up", ValueError, "`padding_side` is 'up', expected one of `right`, `left`"),
        ("model_input_names", "input_ids", TypeError, "`model_input_names` must be a list, not str"),
        ("pad_token", 5, TypeError, "`pad_token` must be str or AddedToken, not int"),
        ("chat_template", 5, TypeError, "`chat_template` must be str or a dict of them, not int"),
        ("chat_template", [{"name": "a"}], ValueError, "must have a `name` and a `template`"),
        ("tokenizer_class", 5, FormatError, r"tokenizer_config\.json: tokenizer_class: must be str, not int"),
        (
            "additional_special_tokens",
            5,
            FormatError,
            r"tokenizer_config\.json: additional_special_tokens: must be a list",
        ),
        ("extra_special_tokens", "x", TypeError, "`extra_special_tokens` must be a list or a dict, not str"),
        ("added_tokens_decoder", [1], FormatError, "added_tokens_decoder: must be an object"),
        ("added_tokens_decoder", {"x": {"content": "a"}}, FormatError, "added_tokens_decoder: `x` is no id"),
        ("added_tokens_decoder", {"-1": {"content": "a"}}, FormatError, "added_tokens_decoder: `-1` is no id"),
        ("added_tokens_decoder", {"9": {}}, FormatError, "added_tokens_decoder: `9` is no token with a content"),
        ("added_tokens_decoder", {"9": "a"}, FormatError, "added_tokens_decoder: `9` is no token with a content"),
    ],
)
def test_a_setting_that_cannot_be_is_named(
    setting: str, value: Any, error: type[Exception], message: str, folder: Callable[..., Path]
) -> None:
    path = folder("bert", tokenizer_config_dot_json={"tokenizer_class": "BertTokenizer", setting: value})
    with pytest.raises(error, match=message):
        AutoTokenizer.from_pretrained(path)


@pytest.mark.parametrize(
    ("name", "file", "content", "message"),
    [
        ("bert", "tokenizer.json", b"", r"/tokenizer\.json: "),
        ("bert", "tokenizer.json", b"\xff\xfe", r"/tokenizer\.json: not UTF-8"),
        ("bert", "tokenizer_config.json", [], r"/tokenizer_config\.json: expected an object"),
        ("bert", "tokenizer_config.json", b"\xff", r"/tokenizer_config\.json: is no JSON"),
        ("bert", "config.json", b"{", r"/config\.json: is no JSON"),
        ("bert", "config.json", {"model_type": [1]}, r"/config\.json: model_type: must be str, not list"),
        ("bert", "special_tokens_map.json", [1], r"/special_tokens_map\.json: expected an object"),
        ("bert", "chat_template.jinja", b"\xff", r"/chat_template\.jinja: is no text in UTF-8"),
        ("bert-vocab", "added_tokens.json", {"<x>": "a"}, r"/added_tokens\.json: `<x>`: the id must be a number"),
        ("bert-vocab", "added_tokens.json", {"<x>": -1}, r"/added_tokens\.json: `<x>`: .* at least 0"),
        ("bert-vocab", "vocab.txt", b"", r"/vocab\.txt: has no tokens"),
        ("bert-vocab", "vocab.txt", b"\xff\xfe", r"/vocab\.txt: byte 0 is not UTF-8"),
        ("gpt2-vocab", "vocab.json", [], r"[^:]*/vocab\.json: expected an object of token to id"),
        ("gpt2-vocab", "merges.txt", b"#version\na\n", r"[^:]*/merges\.txt: line 2: `a`"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    name: str, file: str, content: Any, message: str, folder: Callable[..., Path]
) -> None:
    path = folder(name, **{file.replace(".", "_dot_"): content})
    with pytest.raises(FormatError, match=f"^{path.parent}.*{message}") as caught:
        AutoTokenizer.from_pretrained(path)
    assert str(caught.value).count(str(path)) == 1


def test_a_class_of_another_model_is_reported(folder: Callable[..., Path], caplog: pytest.LogCaptureFixture) -> None:
    path = folder("bert", tokenizer_config_dot_json={"tokenizer_class": "GPT2Tokenizer"})
    tokenizer = AutoTokenizer.from_pretrained(path)
    assert "GPT2Tokenizer, whose model is BPE, but tokenizer.json has one of WordPiece" in caplog.text
    assert tokenizer("import")["input_ids"] == PreTrainedTokenizer.from_pretrained(path)("import")["input_ids"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("a", ["b"]), {}, TypeError, "`text` is one text, so `text_pair` must be one too, not list"),
        (([None],), {}, ValueError, r"`text\[0\]` is NoneType"),
        (([["a"], [5]],), {"text_pair": [[5], ["a"]]}, ValueError, r"`text_pair\[0\]\[0\]` is int"),
        (("a",), {"tokenizer_kwargs": 5}, TypeError, "`tokenizer_kwargs` must be dict, not int"),
        (
            ("a",),
            {"padding": True, "padding_side": "up"},
            ValueError,
            "`padding_side` is 'up', expected one of `right`, `left`",
        ),
        (("a",), {"padding": True, "pad_to_multiple_of": "8"}, TypeError, "`pad_to_multiple_of` must be int, not str"),
        (("a",), {"max_length": "8"}, TypeError, "`max_length` must be int, not str"),
        (("a b c",), {"truncation": "only_second", "max_length": 4}, ValueError, "has no second sequence"),
        (("a", "c d"), {"truncation": "only_first", "max_length": 4}, ValueError, "too few to remove"),
    ],
)
def test_arguments_that_cannot_be_are_named(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str, model_folders: Path
) -> None:
    bert = AutoTokenizer.from_pretrained(model_folders / "bert")
    with pytest.raises(error, match=message):
        bert(*arguments, **options)


def test_attributes_that_cannot_be_are_named(model_folders: Path) -> None:
    bert: Any = AutoTokenizer.from_pretrained(model_folders / "bert")
    bert.model_max_length, bert.truncation_side = 8, "up"
    with pytest.raises(ValueError, match="`truncation_side` is 'up', expected one of `right`, `left`"):
        bert("a", truncation=True)
    bert.model_max_length = "8"
    with pytest.raises(TypeError, match="`model_max_length` must be a number, not str"):
        bert("a", truncation=True)


def test_a_multiple_of_nothing_is_none(model_folders: Path) -> None:
    bert = AutoTokenizer.from_pretrained(model_folders / "bert")
    options: dict[str, Any] = {"padding": True, "truncation": True, "max_length": 9}
    assert bert(["a b", "c"], pad_to_multiple_of=0, **options).data == bert(["a b", "c"], **options).data


def test_a_model_type_that_is_no_name(model_folders: Path) -> None:
    with pytest.raises(TypeError, match="`model_type` must be str, not int"):
        AutoTokenizer.from_pretrained(model_folders / "bert", model_type=5)  # type: ignore[arg-type]


def test_a_family_whose_files_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no vocabulary of T5Tokenizer: expected tokenizer\.json$"):
        AutoTokenizer.from_pretrained(tmp_path, model_type="t5")
