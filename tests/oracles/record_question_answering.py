"""Records what the question-answering pipeline of transformers 4.57.6 gives; version 5 has none.

It needs an environment of its own, with torch, whose tensors the pipeline takes:

    python -m venv /tmp/old && /tmp/old/bin/pip install transformers==4.57.6 torch
    /tmp/old/bin/python tests/oracles/record_question_answering.py

It writes `question_answering.json` beside this file: a small tokenizer, questions with contexts, logits, and answers.
"""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

# ruff: noqa: PLC0415 - what the script needs is not in the environment of the tests

FILE = Path(__file__).with_name("question_answering.json")
TOLD = "who wrote the first program it was ada lovelace for an engine of charles babbage in london 1843 and notes"
QUESTION = "Who wrote the first program?"
CONTEXTS = (
    "It was Ada Lovelace, for an engine of Charles Babbage, in London.",
    "The first program, in notes of 1843: it was wrote by Ada LOVELACE - and Ada Lovelace's notes, for Babbage. " * 3,
)


def vocabulary() -> dict[str, int]:
    """Words, letters, and letters within words."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,?-:'"
    tokens = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *letters,
        *(f"##{letter}" for letter in letters),
        *TOLD.split(),
    ]
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}


def pipeline(tokenizer: Any) -> Any:
    """The pipeline without a model."""
    from transformers.pipelines.question_answering import QuestionAnsweringPipeline

    asked = object.__new__(QuestionAnsweringPipeline)
    asked.tokenizer, asked.framework = tokenizer, "pt"
    return asked


def record(
    tokenizer: Any, context: str, options: dict[str, Any], settings: dict[str, Any], seed: int
) -> dict[str, Any]:
    """One case: the logits of each window, and the answers."""
    import torch

    asked = pipeline(tokenizer)
    source = random.Random(seed)
    features = list(asked.preprocess({"question": QUESTION, "context": context}, **settings))
    starts, ends = [], []
    for feature in features:
        feature["example"] = type("Example", (), {"context_text": context})()
        length = feature["input_ids"].shape[1]
        rows = [[round(source.gauss(0, 3), 2) for _ in range(length)] for _ in range(2)]
        # Coarse numbers would tie, and ties are broken by chance; these are told apart.
        feature["start"], feature["end"] = (torch.tensor([row]) for row in rows)
        starts.append(rows[0])
        ends.append(rows[1])
    found = asked.postprocess(features, **options)
    return {
        "context": context,
        "options": options,
        "settings": settings,
        "padding_side": tokenizer.padding_side,
        "start": starts,
        "end": ends,
        "answers": found if isinstance(found, list) else [found],
    }


def main() -> None:
    """Record all cases."""
    import numpy as np
    import transformers
    from tokenizers import BertWordPieceTokenizer

    if transformers.__version__ != "4.57.6":
        raise SystemExit(f"this is transformers {transformers.__version__}, expected 4.57.6")
    backend_file = FILE.with_suffix(".tokenizer.json")
    vocab = vocabulary()
    BertWordPieceTokenizer(vocab).save(str(backend_file))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    cases = []
    options = product((1, 4), (2, 15), (False, True), (False, True))
    for number, (top_k, longest, impossible, align) in enumerate(options):
        for side, context in product(("right", "left"), CONTEXTS):
            tokenizer = transformers.PreTrainedTokenizerFast(
                tokenizer_file=str(backend_file), padding_side=side, model_max_length=64, **special
            )
            asked = {
                "top_k": top_k,
                "max_answer_len": longest,
                "handle_impossible_answer": impossible,
                "align_to_words": align,
            }
            # On the left the pipeline would count padding twice: of its encodings and of the ids.
            padding = "max_length" if side == "right" and number % 2 else "do_not_pad"
            settings = {"max_seq_len": 48, "doc_stride": 12, "padding": padding}
            cases.append(record(tokenizer, context, asked, settings, number))
    content = {"question": QUESTION, "tokenizer": json.loads(backend_file.read_text(encoding="utf-8")), "cases": cases}
    backend_file.unlink()
    FILE.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(cases)} cases, {FILE.stat().st_size:,} bytes, numpy {np.__version__}")  # noqa: T201


if __name__ == "__main__":
    main()
