"""Calls that may take long look at signals, so that Ctrl-C ends them."""

import gc
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from piecework import Tokenizer
from piecework.decoders import WordPiece as WordPieceDecoder
from piecework.models import BPE, WordLevel
from piecework.pre_tokenizers import FixedLength, WhitespaceSplit

WORDS = ["some", "words", "of", "a", "text"]
TEXT = "some words of a text\n" * 40_000
MANY = 4


class StopError(Exception):
    """What the handler raises."""


@contextmanager
def many_signals() -> Iterator[None]:
    """A signal each millisecond, whose handler gives up at the fourth: a call that does not look sees fewer."""
    seen = 0

    def handler(_number: int, _frame: FrameType | None) -> None:
        nonlocal seen
        seen += 1
        if seen == MANY:
            raise StopError

    # What is raised in a callback of the collector, which hypothesis has, is lost.
    gc.disable()
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


def tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="a"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.decoder = WordPieceDecoder()
    return tokenizer


def calls() -> dict[str, Callable[[], object]]:
    made = tokenizer()
    ids = made.encode_ids([TEXT])[0].tolist()
    rows = [ids[i : i + 100] for i in range(0, len(ids), 100)] * 50
    letters = BPE({"a": 0, "b": 1}, [])
    return {
        "count": lambda: made.count([TEXT] * 300),
        "decode_batch": lambda: made.decode_batch(rows),
        "pre_tokenize_str": lambda: FixedLength(1).pre_tokenize_str(TEXT * 3),
        "tokenize": lambda: letters.tokenize("ab" * 1_000_000),
    }


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.parametrize("name", ["count", "decode_batch", "pre_tokenize_str", "tokenize"])
def test_signals_are_looked_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAYON_NUM_THREADS", "1")
    call = calls()[name]
    with pytest.raises(StopError), many_signals():
        call()
