"""Decoding id by id: what comes out, joined, is what decoding at once gives."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecework import Regex, Tokenizer, decoders, models

if TYPE_CHECKING:
    from collections.abc import Callable

TOKENS = ["▁a", "b", "##c", "d</w>", "<0xC3>", "<0xA9>", "<0xFF>", "Ã", "©", "Ġ", " ", "x  "]

CHAINS: dict[str, Callable[[], decoders.Decoder | None]] = {
    "none": lambda: None,
    "byte level": decoders.ByteLevel,
    "wordpiece": decoders.WordPiece,
    "suffix": decoders.BPEDecoder,
    "llama": lambda: decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    ),
    "regex": lambda: decoders.Sequence([decoders.Replace(Regex("[ab]"), "*"), decoders.ByteFallback()]),
}


def tokenizer(decoder: decoders.Decoder | None) -> Tokenizer:
    made = Tokenizer(models.BPE({token: i for i, token in enumerate(TOKENS)}, []))
    made.decoder = decoder
    made.add_special_tokens(["<s>"])
    return made


@pytest.mark.parametrize("chain", CHAINS)
@given(ids=st.lists(st.integers(0, len(TOKENS)), max_size=12), skip=st.booleans(), size=st.integers(1, 3))
def test_joined(chain: str, ids: list[int], skip: bool, size: int) -> None:
    made = tokenizer(CHAINS[chain]())
    stream = made.decode_stream(skip_special_tokens=skip)
    parts = [stream.step(ids[i : i + size]) for i in range(0, len(ids), size)]
    assert "".join(part or "" for part in [*parts, stream.flush()]) == made.decode(ids, skip_special_tokens=skip)


def test_nothing_is_held_back_but_an_unfinished_character() -> None:
    made = tokenizer(decoders.ByteLevel())
    stream = decoders.DecodeStream()
    assert stream.step(made, [TOKENS.index("b"), TOKENS.index("Ã")]) == "b"
    twin = copy.copy(stream)
    assert stream.step(made, TOKENS.index("©")) == "é"
    assert twin.flush(made) == "\ufffd"


def test_flush_gives_what_came_after_a_decoder_took_text_back() -> None:
    made = tokenizer(decoders.Sequence([decoders.Fuse(), decoders.Replace(Regex(" b"), "_b")]))
    stream = made.decode_stream()
    assert stream.step([TOKENS.index("Ã"), TOKENS.index(" ")]) == "Ã "
    assert [stream.step(TOKENS.index(token)) for token in ("b", "©")] == [None, None]
    assert made.decode([TOKENS.index(token) for token in ("Ã", " ", "b", "©")]) == "Ã_b©"
    assert stream.flush() == "_b©"
    assert stream.flush() is None


def test_the_text_of_given_ids_does_not_come_out_again() -> None:
    made = tokenizer(decoders.WordPiece())
    assert decoders.DecodeStream([TOKENS.index("b")]).step(made, TOKENS.index("##c")) == "c"


def test_wrong_ids_are_refused() -> None:
    made = tokenizer(None)
    for wrong in ("b", None, 1.5, [None]):
        with pytest.raises(TypeError):
            made.decode_stream().step(wrong)  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        made.decode_stream().step(-1)
