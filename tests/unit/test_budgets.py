"""Budgets of tokens: nothing is lost, nothing changed, nothing too long."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecework import AutoTokenizer, PreTrainedTokenizer, SettingError, budgets
from support.folders import TEXTS
from support.library import library_texts
from support.texts import texts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module", params=["bert", "gpt2", "llama", "t5"])
def tokenizer(request: pytest.FixtureRequest, model_folders: Path) -> PreTrainedTokenizer:
    return AutoTokenizer.from_pretrained(model_folders / request.param)


def check(tokenizer: PreTrainedTokenizer, text: str, room: int, overlap: int, *, special: bool) -> None:
    """Cut a text and hold what comes out to what was asked for. `room` is what special tokens leave."""
    budget = room + (tokenizer.num_special_tokens_to_add() if special else 0)
    for side in ("right", "left"):
        kept = tokenizer.truncate_text(text, budget, side, add_special_tokens=special)
        assert text.startswith(kept) if side == "right" else text.endswith(kept)
        assert tokenizer.count(kept, add_special_tokens=special) <= budget
        if tokenizer.count(text, add_special_tokens=special) <= budget:
            assert kept == text
    try:
        parts = tokenizer.chunk(text, budget, overlap, add_special_tokens=special)
    except SettingError as error:
        assert "alone has" in str(error)  # noqa: PT017 - a character may have more tokens than there is room for
        return
    end, whole = 0, ""
    for part in parts:
        assert part.text == text[part.start : part.end]
        assert part.tokens == tokenizer.count(part.text, add_special_tokens=special) <= budget
        assert part.start <= end < part.end
        assert overlap or part.start == end
        whole, end = whole + text[end : part.end], part.end
    assert whole == text


@given(text=texts, room=st.integers(1, 12), overlap=st.integers(0, 11), special=st.booleans())
def test_any_text(tokenizer: PreTrainedTokenizer, text: str, room: int, overlap: int, special: bool) -> None:
    check(tokenizer, text, room, min(overlap, room - 1), special=special)


@pytest.mark.parametrize("room", [4, 7, 100])
def test_texts(tokenizer: PreTrainedTokenizer, room: int) -> None:
    for text in (*TEXTS, library_texts()[0][:3000]):
        check(tokenizer, text, room, 2, special=True)


def test_parts_are_as_long_as_can_be(model_folders: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(model_folders / "bert")
    text = "import os, argparse; " * 50
    total = tokenizer.count(text, add_special_tokens=False)
    parts = tokenizer.chunk(text, 32)
    # A part that begins within a word may have a token more there than the word has within the text.
    assert all(30 <= part.tokens <= 32 for part in parts[:-1])
    assert len(parts) <= -(-total // 28)
    shared = tokenizer.chunk(text, 32, overlap=10)
    assert all(a.end > b.start for a, b in pairwise(shared))
    assert tokenizer.truncate_text(text, 32) == parts[0].text


def test_counts(tokenizer: PreTrainedTokenizer) -> None:
    counts = [len(tokenizer(text)["input_ids"]) for text in TEXTS]
    assert tokenizer.count([*TEXTS]).tolist() == counts
    assert [tokenizer.count(text) for text in TEXTS] == counts
    assert tokenizer.count(["a", "b"], is_split_into_words=True) == len(
        tokenizer(["a", "b"], is_split_into_words=True)["input_ids"]
    )


def test_budgets_that_cannot_be(model_folders: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(model_folders / "gpt2")
    backend = tokenizer.backend_tokenizer
    assert tokenizer.truncate_text("你好", 1) == ""
    assert tokenizer.truncate_text("abc", 0) == ""
    assert tokenizer.chunk("", 5) == []
    with pytest.raises(SettingError, match=r"`你` at 1 alone has `3` tokens"):
        tokenizer.chunk("a你", 2)
    with pytest.raises(SettingError, match="overlap is `5`"):
        tokenizer.chunk("a", 5, overlap=5)
    with pytest.raises(SettingError, match="side is `up`"):
        budgets.truncate_text(backend, "a", 5, "up")
    with pytest.raises(SettingError, match="special tokens alone are `2`"):
        AutoTokenizer.from_pretrained(model_folders / "bert").truncate_text("a", 1)
    with pytest.raises(SettingError, match="max_tokens is `2`, which leaves no room"):
        AutoTokenizer.from_pretrained(model_folders / "bert").chunk("a", 2)
