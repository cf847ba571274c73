"""The result does not depend on the number of threads, and neither on which of them asks."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from piecework import Tokenizer, WordCounts, models, pre_tokenizers, trainers
from support.library import library_texts
from support.pipelines import TrainedModels, pipelines
from support.texts import texts

# Work below this size is not spread over threads.
SIZE = 400_000
# A text below this size, in bytes, is the work of one thread.
LONG = 512 << 10


def result(tokenizer: Tokenizer, batch: list[str]) -> dict[str, Any]:
    columns = tokenizer.encode_columns(batch)
    return {name: getattr(columns, name).tolist() for name in columns.__slots__ if name != "_late"}


def few() -> int:
    """Fewer examples than the profile says: each of them is long."""
    return max(10, settings.default.max_examples // 100) if settings.default else 10


@settings(max_examples=few(), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_one_thread_or_three(data: st.DataObject, trained: TrainedModels, monkeypatch: pytest.MonkeyPatch) -> None:
    description = data.draw(pipelines(trained)).json
    # At each digit it looks over all that follow: hours for half a million of them in every engine that backtracks.
    assume(json.dumps(r"(?=(\d{3})*\b)")[1:-1] not in description)
    tokenizer = Tokenizer.from_str(description)
    part = data.draw(texts.filter(bool))
    repeats = SIZE // max(len(part), 100)
    long = part * (LONG // len(part.encode()) + 1)
    batch = data.draw(st.sampled_from(([long], [part * 20] * (repeats // 20))))
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RAYON_NUM_THREADS", threads)
        results.append(result(tokenizer, batch))
    assert results[0] == results[1]


@pytest.mark.parametrize("text", [" " * LONG, "a" + " " * 999, "\n\n    if a :\r\n\t\t\tb  =  \u3000 c"])
@pytest.mark.parametrize("stage", [pre_tokenizers.BertPreTokenizer, pre_tokenizers.Whitespace])
def test_parts_of_a_text_do_not_begin_between_blanks(
    text: str, stage: type[pre_tokenizers.PreTokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "=": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = stage()
    batch = [text * (LONG // len(text.encode()) + 1)]
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("RAYON_NUM_THREADS", threads)
        results.append(result(tokenizer, batch))
    assert results[0] == results[1] == results[2]


def test_more_threads_than_can_be_started(small_bpe: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["low new"] * 50_000
    expected = WordCounts.from_iterator(texts, small_bpe)
    monkeypatch.setenv("RAYON_NUM_THREADS", "9999999")
    assert WordCounts.from_iterator(texts, small_bpe) == expected


def test_threads_share_a_tokenizer(small_bpe: Tokenizer) -> None:
    documents = list(library_texts()[:16])
    expected = [small_bpe.encode(text).ids for text in documents]
    fresh = Tokenizer.from_str(small_bpe.to_str())
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: fresh.encode(text).ids, documents * 4)) == expected * 4


def test_tokens_can_be_added_while_others_encode(small_bpe: Tokenizer) -> None:
    tokenizer = Tokenizer.from_str(small_bpe.to_str())
    expected = tokenizer.encode("low new").ids
    with ThreadPoolExecutor(1) as pool:
        adding = pool.submit(lambda: [tokenizer.add_tokens([f"<{i}>"]) for i in range(1000)])
        while not adding.done():
            assert tokenizer.encode("low new").ids == expected
            assert tokenizer.get_vocab_size() >= small_bpe.get_vocab_size()
            assert Tokenizer.from_str(tokenizer.to_str()).decode(expected) == "low new"
    assert adding.result() == [1] * 1000


@pytest.mark.parametrize("value", ["false", "0", "off", ""])
def test_parallelism_can_be_switched_off(small_bpe: Tokenizer, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    expected = small_bpe.encode_ids(library_texts()).ids.tolist()
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", value)
    assert small_bpe.encode_ids(library_texts()).ids.tolist() == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("parallelism", ["true", None])
def test_a_forked_child_encodes_and_trains(
    small_bpe: Tokenizer, monkeypatch: pytest.MonkeyPatch, parallelism: str | None
) -> None:
    """Where the reference deadlocks: threads were used before the fork, and are asked for after it."""
    monkeypatch.setenv("RAYON_NUM_THREADS", "2")
    if parallelism:
        monkeypatch.setenv("TOKENIZERS_PARALLELISM", parallelism)
    expected = small_bpe.encode_ids(library_texts()).ids.tolist()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        # Nothing of pytest may go on in the child, whatever happens.
        try:
            found = small_bpe.encode_ids(library_texts()).ids.tolist()
            tokenizer = Tokenizer(models.BPE())
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
            tokenizer.train_from_iterator(library_texts()[:8], trainers.BpeTrainer(vocab_size=500, show_progress=False))
            os.write(writer, json.dumps([found == expected, tokenizer.get_vocab_size()]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        assert json.load(pipe) == [True, 500]
    os.waitpid(child, 0)


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_training_gives_the_same_file(threads: str, monkeypatch: pytest.MonkeyPatch, small_bpe_json: str) -> None:
    monkeypatch.setenv("RAYON_NUM_THREADS", threads)
    tokenizer = Tokenizer.from_str(small_bpe_json)
    trainer = trainers.BpeTrainer(
        vocab_size=800,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(library_texts(), trainer)
    assert tokenizer.to_str() == small_bpe_json
