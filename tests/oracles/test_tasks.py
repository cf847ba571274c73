"""Equality of the tasks with the pipelines of transformers, on the same logits."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from piecework import AutoTokenizer, PreTrainedTokenizer, Tokenizer
from piecework.tasks.question_answering import answers
from piecework.tasks.token_classification import entities
from support.folders import TEXTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECORDED = json.loads(Path(__file__).with_name("question_answering.json").read_text(encoding="utf-8"))
SPECIAL: dict[str, Any] = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}


@pytest.mark.parametrize("case", RECORDED["cases"], ids=lambda case: f"{case['padding_side']}-{case['options']}")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_answers(case: dict[str, Any], dtype: str) -> None:
    backend = Tokenizer.from_str(json.dumps(RECORDED["tokenizer"]))
    tokenizer = PreTrainedTokenizer(tokenizer_object=backend, padding_side=case["padding_side"], **SPECIAL)
    pair = [RECORDED["question"], case["context"]]
    is_right = case["padding_side"] == "right"
    batch = tokenizer(
        pair[not is_right],
        pair[is_right],
        truncation="only_second" if is_right else "only_first",
        max_length=case["settings"]["max_seq_len"],
        stride=case["settings"]["doc_stride"],
        padding="max_length" if case["settings"]["padding"] == "max_length" else "longest",
        return_overflowing_tokens=True,
    )
    length = len(batch["input_ids"][0])
    start, end = (_padded(case[name], length, is_right=is_right).astype(dtype) for name in ("start", "end"))
    found = answers(case["context"], batch, start, end, **case["options"])
    assert [(a["answer"], a["start"], a["end"]) for a in found] == [
        (a["answer"], a["start"], a["end"]) for a in case["answers"]
    ]
    expected = np.array([a["score"] for a in case["answers"]])
    # Which of the least likely spans count is a matter of rounding.
    np.testing.assert_allclose([a["score"] for a in found], expected, rtol=1e-5, atol=1e-6)


def _padded(rows: list[list[float]], length: int, *, is_right: bool) -> NDArray[Any]:
    """The logits of rows that were filled up, whose filling has any number."""
    out = np.full((len(rows), length), 7.5)
    for to, row in zip(out, rows, strict=True):
        to[slice(len(row)) if is_right else slice(length - len(row), None)] = row
    return out


# ---------------------------------------------------------------------------------------------------------------------

LABELS = dict(enumerate(("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "MISC", "LABEL-1")))
STRATEGIES = ("none", "simple", "first", "average", "max")


def pipeline(tokenizer: Any) -> Any:
    """The pipeline of transformers without a model."""
    module: Any = pytest.importorskip("transformers.pipelines.token_classification")
    asked = object.__new__(module.TokenClassificationPipeline)
    asked.tokenizer = tokenizer
    asked.model = SimpleNamespace(config=SimpleNamespace(id2label=LABELS))
    return asked


def expected_entities(
    asked: Any, text: Any, batch: Any, logits: NDArray[np.float32], strategy: str, words: list[tuple[int, int]] | None
) -> list[dict[str, Any]]:
    """What the pipeline makes of the rows."""
    module: Any = pytest.importorskip("transformers.pipelines.token_classification")
    kind = module.AggregationStrategy(strategy)
    found: list[dict[str, Any]] = []
    for row, numbers in enumerate(logits):
        shifted = np.exp(numbers - numbers.max(axis=-1, keepdims=True))
        scores = shifted / shifted.sum(axis=-1, keepdims=True)
        encoding = batch.encodings[row]
        tokens = asked.gather_pre_entities(
            text,
            np.array(encoding.ids),
            scores,
            np.array(encoding.offsets),
            np.array(encoding.special_tokens_mask),
            kind,
            word_ids=encoding.word_ids if words else None,
            word_to_chars_map=words,
        )
        told = asked.aggregate(tokens, kind)
        found += [e for e in told if e.get("entity") != "O" and e.get("entity_group") != "O"]
    return asked.aggregate_overlapping_entities(found) if len(logits) > 1 else found


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", ["bert", "gpt2", "roberta", "llama", "t5"])
def test_entities(name: str, strategy: str, model_folders: Path) -> None:
    transformers: Any = pytest.importorskip("transformers")
    theirs = transformers.AutoTokenizer.from_pretrained(model_folders / name)
    ours = AutoTokenizer.from_pretrained(model_folders / name)
    for tokenizer in (theirs, ours):
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
    source = np.random.default_rng(0)
    windows: dict[str, Any] = {
        "truncation": True,
        "max_length": 24,
        "stride": 6,
        "return_overflowing_tokens": True,
        "padding": True,
    }
    for text in (*TEXTS, " ".join(TEXTS)):
        for options in [{}] if strategy == "none" else [{}, windows]:
            batch, other = ours([text], **options), theirs([text], **options)
            rows, length = len(batch["input_ids"]), len(batch["input_ids"][0])
            # Few distinct numbers, so that neighbours often have the same label.
            logits = source.integers(-2, 3, (rows, length, len(LABELS))).astype(np.float32)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = expected_entities(pipeline(theirs), text, other, logits, strategy, None)
                assert _shown(entities(text, batch, logits, LABELS, aggregation_strategy=strategy)) == _shown(expected)
                # Encodings of transformers do too.
                found = entities(text, other, logits, LABELS, aggregation_strategy=strategy, tokenizer=theirs)
                assert found == expected


def _shown(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Entities without words that are cut within a character: the decoders show their bytes differently, on purpose."""
    return [{**entity, "word": None} if "\ufffd" in entity["word"] else entity for entity in found]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_entities_of_words(strategy: str, model_folders: Path) -> None:
    transformers: Any = pytest.importorskip("transformers")
    theirs = transformers.AutoTokenizer.from_pretrained(model_folders / "bert")
    ours = AutoTokenizer.from_pretrained(model_folders / "bert")
    words = " ".join(TEXTS).split()
    spans, at = [], 0
    for word in words:
        spans.append((at, at + len(word)))
        at += len(word) + 2
    batch, other = (tokenizer([words], is_split_into_words=True) for tokenizer in (ours, theirs))
    logits = np.random.default_rng(1).integers(-2, 3, (1, len(batch["input_ids"][0]), len(LABELS))).astype(np.float32)
    expected = expected_entities(pipeline(theirs), "  ".join(words), other, logits, strategy, spans)
    found = entities(words, batch, logits, dict(LABELS), aggregation_strategy=strategy, delimiter="  ")
    assert found == expected
