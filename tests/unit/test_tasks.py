"""The tasks: what they take, and what they refuse."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from piecework import AutoTokenizer, PreTrainedTokenizer
from piecework.tasks.question_answering import answers
from piecework.tasks.token_classification import entities

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "import argparse, 你好"
LABELS = ["O", "I-A"]


@pytest.fixture(scope="module")
def gpt2(model_folders: Path) -> PreTrainedTokenizer:
    return AutoTokenizer.from_pretrained(model_folders / "gpt2", pad_token="<|endoftext|>")


class Tensor:
    """A tensor as torch has it."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def detach(self) -> Tensor:
        return self

    cpu = detach

    def element_size(self) -> int:
        return self.values.dtype.itemsize

    def float(self) -> Tensor:
        return Tensor(self.values.astype(np.float32))

    def numpy(self) -> Any:
        return self.values


def logits_for(batch: Any, wanted: list[int]) -> Any:
    length = len(batch["input_ids"])
    numbers = np.zeros((length, 2), dtype=np.float32)
    numbers[:, 0] = 4
    numbers[wanted] = [0, 8]
    return numbers


def test_words_of_the_pre_tokenizer(gpt2: PreTrainedTokenizer) -> None:
    """A comma behind a word goes on with it by blanks, but not by the words of the pre-tokenizer."""
    batch = gpt2(TEXT)
    comma = batch.char_to_token(TEXT.index(","))
    assert comma is not None
    logits = logits_for(batch, [comma])
    with pytest.warns(UserWarning, match="blanks"):
        assert entities(TEXT, batch, logits, LABELS, aggregation_strategy="first") == []
    found = entities(TEXT, batch, logits, LABELS, aggregation_strategy="first", subwords="word_ids")
    assert [(e["entity_group"], e["word"], e["start"], e["end"]) for e in found] == [("A", ",", 15, 16)]


def test_logits_of_any_framework(gpt2: PreTrainedTokenizer) -> None:
    batch = gpt2(TEXT)
    logits = logits_for(batch, [1, 2])
    expected = entities(TEXT, batch, logits, LABELS)
    assert [e["index"] for e in expected] == [1, 2]
    for form in (
        logits[None],
        Tensor(logits),
        Tensor(logits.astype(np.float16)),
        logits.astype(np.float16),
        logits.tolist(),
        [Tensor(logits)],
    ):
        found = entities(TEXT, batch, form, LABELS)
        assert [(e["entity"], e["index"], round(e["score"], 3)) for e in found] == [
            (e["entity"], e["index"], round(e["score"], 3)) for e in expected
        ]
    one = np.zeros(len(logits))
    one[3] = 9
    context = gpt2("a", TEXT)
    start = np.zeros(len(context["input_ids"]))
    start[4] = 9.0
    expected_answers = answers(TEXT, context, start, start)
    assert answers(TEXT, context, Tensor(start[None]), start.tolist()) == expected_answers


def test_what_is_given(gpt2: PreTrainedTokenizer) -> None:
    batch = gpt2(TEXT)
    logits = logits_for(batch, [1])
    expected = entities(TEXT, batch, logits, LABELS)
    assert entities(TEXT, batch[0], logits, dict(enumerate(LABELS)), tokenizer=gpt2) == expected
    assert entities(TEXT, [batch[0]], logits, LABELS, ignore_labels=["I-A"])[0]["entity"] == "O"
    moved = [(start + 1, end + 1) for start, end in batch[0].offsets]
    assert entities(TEXT, batch, logits, LABELS, offset_mapping=moved)[0]["start"] == expected[0]["start"] + 1
    alone = pickle.loads(pickle.dumps(batch))
    assert entities(TEXT, alone, logits, LABELS) == expected
    with pytest.raises(ValueError, match="tokenizer"):
        entities(TEXT, alone, logits, LABELS, aggregation_strategy="simple")
    backend = gpt2.backend_tokenizer
    assert entities(TEXT, alone, logits, LABELS, aggregation_strategy="simple", tokenizer=backend)


def test_what_is_refused(gpt2: PreTrainedTokenizer) -> None:
    batch = gpt2(TEXT)
    logits = logits_for(batch, [1])
    for wrong, message in (
        ({"aggregation_strategy": "best"}, "best"),
        ({"subwords": "guess"}, "guess"),
    ):
        with pytest.raises(ValueError, match=message):
            entities(TEXT, batch, logits, LABELS, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shape"):
        entities(TEXT, batch, logits[0], LABELS)
    with pytest.raises(ValueError, match="tokens, but logits for"):
        entities(TEXT, batch, logits[1:], LABELS)
    for labels in (["O"], {0: "O", "1": "I-A"}):
        with pytest.raises(ValueError, match=r"`2` labels, of which id2label does not have `\[1\]`"):
            entities(TEXT, batch, logits, labels)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="of `0` labels"):
        entities(TEXT, batch, logits[:, :0], [])
    with pytest.raises(ValueError, match="offset_mapping has `1` spans"):
        entities(TEXT, batch, logits, LABELS, offset_mapping=[(0, 1)])
    words = gpt2(["import", "os"], is_split_into_words=True)
    with pytest.raises(ValueError, match="`text` has `1` words"):
        entities(["import"], words, logits_for(words, [0]), LABELS)
    with pytest.raises(ValueError, match="has no encodings"):
        entities(TEXT, dict(batch), logits, LABELS)
    windows = gpt2(TEXT, truncation=True, max_length=4, return_overflowing_tokens=True, padding=True)
    numbers = np.zeros((*np.shape(windows["input_ids"]), 2))
    with pytest.raises(ValueError, match="none"):
        entities(TEXT, windows, numbers, LABELS)
    start = np.zeros(len(batch["input_ids"]))
    for options in ({"top_k": 0}, {"max_answer_len": 0}):
        with pytest.raises(ValueError, match="expected 1 or more"):
            answers(TEXT, batch, start, start, **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`top_k` must be int, not float"):
        answers(TEXT, batch, start, start, top_k=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="context_index is `2`"):
        answers(TEXT, batch, start, start, context_index=2)
    for number in (np.nan, np.inf):
        with pytest.raises(ValueError, match="NaN or infinite"):
            answers(TEXT, batch, np.full(len(start), number), start, context_index=0)
    masked = np.where(np.arange(len(start)) == 1, 0.0, -np.inf)
    assert answers(TEXT, batch, masked, masked, context_index=0)[0]["score"] == 1.0
    with pytest.raises(ValueError, match="expected the same"):
        answers(TEXT, batch, start, start[1:])
    with pytest.raises(ValueError, match="number a token"):
        answers(TEXT, batch, logits, logits)
    with pytest.raises(ValueError, match="tokens, but logits for"):
        answers(TEXT, batch, start[1:], start[1:])
