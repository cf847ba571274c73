"""Equality of the tokenizer that people call with the one of transformers, on the same folders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import piecework
from support.calls import answer, calls, outcome, questions
from support.folders import CHAT, TEXTS
from support.library import library_texts

if TYPE_CHECKING:
    from pathlib import Path

transformers: Any = pytest.importorskip("transformers")
transformers.logging.set_verbosity(50)  # it reports what it cannot find

AUTO = ("bert", "bert-vocab", "gpt2", "gpt2-vocab", "roberta", "llama", "t5", "plain")
FILES = ("bert", "gpt2", "roberta", "llama", "t5", "plain")
LOADED = [*(("auto", name) for name in AUTO), *(("file", name) for name in FILES)]

# What differs on purpose: (folder, call).
DIFFERENT = {
    # The type ids of overflow: here they are those of the template, as in the rows themselves.
    ("t5", "windows of a pair"),
    ("t5", "the second text is cut"),
}


def load(kind: str, folder: Path, **options: Any) -> tuple[Any, Any]:
    """The tokenizers of both libraries."""
    if kind == "auto":
        theirs = transformers.AutoTokenizer.from_pretrained(folder, **options)
        return theirs, piecework.AutoTokenizer.from_pretrained(folder, **options)
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(folder, **options)
    return theirs, piecework.PreTrainedTokenizer.from_pretrained(folder, **options)


@pytest.mark.filterwarnings("ignore:.*max_length.*")
@pytest.mark.parametrize(("kind", "name"), LOADED)
def test_calls(kind: str, name: str, model_folders: Path) -> None:
    theirs, ours = load(kind, model_folders / name)
    for tokenizer in (theirs, ours):
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    for label, arguments, options in calls():
        if (name, label) not in DIFFERENT:
            assert outcome(ours, arguments, options) == outcome(theirs, arguments, options), label


@pytest.mark.parametrize(("kind", "name"), LOADED)
def test_questions(kind: str, name: str, model_folders: Path) -> None:
    theirs, ours = load(kind, model_folders / name)
    for label, question in questions().items():
        assert answer(question, ours) == answer(question, theirs), label


@pytest.mark.parametrize(("kind", "name"), LOADED)
def test_what_is_saved_is_the_same(kind: str, name: str, model_folders: Path, tmp_path: Path) -> None:
    theirs, ours = load(kind, model_folders / name)
    ours.save_pretrained(tmp_path / "ours")
    theirs.save_pretrained(tmp_path / "theirs")
    files = sorted(path.name for path in (tmp_path / "theirs").iterdir())
    assert sorted(path.name for path in (tmp_path / "ours").iterdir()) == files
    for file in files:
        if (kind, name, file) != ("auto", "t5", "tokenizer.json"):  # the last digit of scores; see `support.calls`
            content = [(tmp_path / who / file).read_text(encoding="utf-8") for who in ("ours", "theirs")]
            assert content[0] == content[1] or json.loads(content[0]) == json.loads(content[1]), file
    # Each reads what the other wrote.
    again = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")
    assert type(again).__name__ == type(theirs).__name__ or kind == "file"
    for text in TEXTS:
        expected = theirs(text)["input_ids"]
        assert again(text)["input_ids"] == expected
        assert piecework.AutoTokenizer.from_pretrained(tmp_path / "theirs")(text)["input_ids"] == expected


@pytest.mark.parametrize("name", FILES)
def test_settings_that_are_given_go_before_those_of_the_folder(name: str, model_folders: Path) -> None:
    options = {
        "padding_side": "left",
        "truncation_side": "left",
        "pad_token": "<new>",
        "model_max_length": 11,
        "additional_special_tokens": ["<one>", "<two>"],
        "image_token": "<image>",
        "model_input_names": ["input_ids", "token_type_ids"],
    }
    theirs, ours = load("file", model_folders / name, **options)
    for text in (*TEXTS, "a<new>b <one> <image>c"):
        call: dict[str, Any] = {"padding": "max_length", "truncation": True}
        assert outcome(ours, (text,), call) == outcome(theirs, (text,), call)
    for label in ("named", "extra", "special tokens", "sides", "added", "len"):
        question = questions()[label]
        assert answer(question, ours) == answer(question, theirs), label
    assert (ours.image_token, ours.image_token_id) == (theirs.image_token, theirs.image_token_id)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_tokens_are_added(name: str, model_folders: Path) -> None:
    both = load("file", model_folders / name)
    results: list[tuple[Any, ...]] = []
    for tokenizer in both:
        counts = [
            tokenizer.add_tokens(["<a>", "the", "<a>"]),
            tokenizer.add_tokens("<b>", special_tokens=True),
            tokenizer.add_special_tokens({"pad_token": "<p>", "additional_special_tokens": ["<x>", "<y>"]}),
            tokenizer.add_special_tokens({"extra_special_tokens": ["<z>"]}, replace_extra_special_tokens=False),
            tokenizer.add_tokens([]),
        ]
        tokenizer.cls_token_id = 5
        tokenizer.eos_token = "<a>"
        with pytest.raises(ValueError, match="no_token"):
            tokenizer.add_special_tokens({"no_token": "<q>"})
        results.append((counts, len(tokenizer), tokenizer.special_tokens_map, tokenizer.extra_special_tokens))
        results[-1] += (tokenizer("a <a>b<p> the <x><z>")["input_ids"], tokenizer.decode([5, len(tokenizer) - 1], True))
    assert results[0] == results[1]


def test_padding_of_rows_that_are_encoded(model_folders: Path) -> None:
    theirs, ours = load("auto", model_folders / "bert")
    rows = [dict(theirs(text, return_special_tokens_mask=True)) for text in TEXTS[:3]]
    cases: list[tuple[Any, dict[str, Any]]] = [
        (rows, {}),
        (rows, {"padding": "max_length", "max_length": 60, "return_tensors": "np"}),
        (rows, {"pad_to_multiple_of": 8, "padding_side": "left"}),
        (rows, {"padding": False}),
        ({"input_ids": [[1, 2], [3]], "labels": [0, 1]}, {"return_tensors": "np"}),
        ({"input_ids": [1, 2]}, {"padding": "max_length", "max_length": 4}),
        ({"input_ids": [[1, 2], [3]]}, {"return_attention_mask": False}),
        ({"input_ids": []}, {}),
    ]
    for features, options in cases:
        expected = {k: _listed(v) for k, v in theirs.pad(_copied(features), **options).items()}
        assert {k: _listed(v) for k, v in ours.pad(_copied(features), **options).items()} == expected


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


MESSAGES = [
    {"role": "user", "content": "Hi there"},
    {"role": "assistant", "content": "Hello "},
    {"role": "user", "content": "bye"},
    {"role": "assistant", "content": "So <|endoftext|>long<|user|> "},
]


def add(first: int, second: str = "x", kinds: list[float] | None = None) -> dict[str, int]:
    """Add two things.

    Args:
        first: the first one
        second (str): the second one,
            told at length (choices: ["x", "y"])
        kinds: more

    Returns:
        The sum.
    """
    return {second: first, "n": len(kinds or ())}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tokenize": False},
        {"tokenize": False, "add_generation_prompt": True},
        {"tokenize": False, "continue_final_message": True},
        {"tokenize": False, "tools": [add], "chat_template": "{{ tools | tojson(indent=2) }}"},
        {"tokenize": False, "documents": [{"title": "a", "text": "b"}], "chat_template": "{{ documents[0].text }}"},
        {"tokenize": False, "chat_template": "{{ eos_token }} {{ extra }}", "extra": [1, {"a": None}]},
        {"return_assistant_tokens_mask": True},
        {"return_dict": False, "truncation": True, "max_length": 12},
        {"sanitize_control_tokens": True},
        {"sanitize_control_tokens": True, "truncation": True, "max_length": 9, "return_dict": False},
    ],
)
def test_chat_templates(options: dict[str, Any], model_folders: Path) -> None:
    theirs, ours = load("file", model_folders / "gpt2")
    for tokenizer in (theirs, ours):
        tokenizer.add_tokens(["<|", "long", "lo"])
    for conversation in (MESSAGES, [MESSAGES, MESSAGES[:2]]):
        expected, found = (t.apply_chat_template(_copied(conversation), **options) for t in (theirs, ours))
        if options.get("tokenize", True) and options.get("return_dict", True):
            expected, found = dict(expected), dict(found)
        assert found == expected


def test_the_ids_of_a_message(model_folders: Path) -> None:
    theirs, ours = load("file", model_folders / "gpt2")
    for history in (None, MESSAGES[:2]):
        expected = theirs.encode_message_with_chat_template(MESSAGES[2], history)
        assert ours.encode_message_with_chat_template(MESSAGES[2], history) == expected


def test_named_templates(model_folders: Path, tmp_path: Path) -> None:
    theirs, ours = load("file", model_folders / "gpt2")
    for tokenizer, name in ((theirs, "theirs"), (ours, "ours")):
        tokenizer.chat_template = {"default": CHAT, "tool_use": "{{ tools }}", "short": "{{ messages[0].content }}"}
        tokenizer.save_pretrained(tmp_path / name)
    names = {p.relative_to(tmp_path / "theirs") for p in (tmp_path / "theirs").rglob("*")}
    assert {p.relative_to(tmp_path / "ours") for p in (tmp_path / "ours").rglob("*")} == names
    theirs, ours = load("file", tmp_path / "ours")[0], load("file", tmp_path / "theirs")[1]
    assert ours.chat_template == theirs.chat_template
    for options in ({}, {"chat_template": "short"}, {"tools": [{"name": "f"}]}):
        expected = theirs.apply_chat_template(MESSAGES, tokenize=False, **options)
        assert ours.apply_chat_template(MESSAGES, tokenize=False, **options) == expected


def test_training_anew(model_folders: Path, tmp_path: Path) -> None:
    """Byte-level BPE, whose training is the same in both libraries."""
    for name in ("gpt2", "roberta"):
        theirs, ours = load("auto", model_folders / name)
        trained = []
        for tokenizer in (theirs, ours):
            texts = (list(library_texts()[i : i + 4]) for i in range(0, 12, 4))
            options: dict[str, Any] = {"new_special_tokens": ["<new>"], "show_progress": False}
            trained.append(tokenizer.train_new_from_iterator(texts, 300, **options))
        for label, question in questions().items():
            if label != "repr":
                assert answer(question, trained[1]) == answer(question, trained[0]), label
        trained[1].save_pretrained(tmp_path / name)
        again = piecework.AutoTokenizer.from_pretrained(tmp_path / name)
        assert again.get_vocab() == trained[0].get_vocab()
