"""What transformers does with a tokenizer and torch: pipelines, collators, loaders, tensors; see `support.scenarios`.

python tests/support/torch_scenarios.py MODE FOLDERS
"""

# ruff: noqa: PLC0415 - what is imported when depends on the mode

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.folders import TEXTS
from support.scenarios import load, print_answers

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE: dict[str, int] = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
}
LABELS = ("O", "B-X", "I-X", "I-Y")
STRATEGIES = ("none", "simple", "first", "average", "max")
SENTENCES = [text for text in TEXTS[:6] if text]


def shown(value: Any) -> Any:
    """A value that can be compared: tensors with their type and form."""
    import torch

    if isinstance(value, torch.Tensor):
        return {"dtype": str(value.dtype), "shape": list(value.shape), "values": value.tolist()}
    if hasattr(value, "items"):
        return {name: shown(item) for name, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, (list, tuple)) else value


def model(kind: str, tokenizer: Any, labels: tuple[str, ...] = ()) -> Any:
    """A tiny model with random weights, the same in every process."""
    import torch
    import transformers

    options: dict[str, Any] = {}
    torch.manual_seed(0)
    if labels:
        options = {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
    if kind.startswith("GPT2"):
        config: Any = transformers.GPT2Config(
            vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=64, initializer_range=1.0, **options
        )
        config.pad_token_id = config.eos_token_id = config.bos_token_id = tokenizer.eos_token_id
    else:
        config = transformers.BertConfig(vocab_size=len(tokenizer), initializer_range=2.0, **SIZE, **options)
    return getattr(transformers, kind)(config).eval()


# ---------------------------------------------------------------------------------------------------------------------
# Pipelines


def entities(tokenizer: Any, kind: str) -> Any:
    """Token classification: every strategy on texts, batches, words, windows, and with other labels left out."""
    from transformers import pipeline

    tagger = model(kind, tokenizer, LABELS)
    found: list[Any] = []
    for strategy in STRATEGIES:
        asked = pipeline("token-classification", model=tagger, tokenizer=tokenizer, aggregation_strategy=strategy)
        found += [asked(text) for text in SENTENCES]
        found.append(asked(SENTENCES, batch_size=3))
        found.append(asked(SENTENCES[0], ignore_labels=["B-X", "X"]))
        words = SENTENCES[0].split()
        found.append(asked(words, is_split_into_words=True))
        found.append(asked([words, words[::-1]], is_split_into_words=True, delimiter="_"))
        if strategy != "none":
            tokenizer.model_max_length = 24
            found.append(asked(TEXTS[6], stride=4))
            found.append(asked([TEXTS[6], SENTENCES[0]], stride=8, batch_size=2))
            tokenizer.model_max_length = 64
    return found


def bert_pipelines(tokenizer: Any) -> Any:
    from transformers import pipeline

    tokenizer.model_max_length = 64
    filler = pipeline("fill-mask", model=model("BertForMaskedLM", tokenizer), tokenizer=tokenizer)
    classifier = model("BertForSequenceClassification", tokenizer, ("entailment", "no", "maybe"))
    asked = pipeline("text-classification", model=classifier, tokenizer=tokenizer)
    zero = pipeline("zero-shot-classification", model=classifier, tokenizer=tokenizer)
    features = pipeline("feature-extraction", model=model("BertModel", tokenizer), tokenizer=tokenizer)
    return [
        entities(tokenizer, "BertForTokenClassification"),
        filler("import [MASK] and more"),
        filler(["a [MASK]", "[MASK] or [MASK]"], top_k=2),
        filler("import [MASK]", targets=["the", "a"]),
        asked(SENTENCES, top_k=None),
        asked({"text": SENTENCES[0], "text_pair": SENTENCES[1]}),
        asked(TEXTS[6], truncation=True, max_length=16),
        asked(SENTENCES, batch_size=2, padding=True),
        zero(SENTENCES[0], candidate_labels=["code", "letters", "news"]),
        zero(SENTENCES[:2], candidate_labels=["code", "news"], multi_label=True, hypothesis_template="It is {}."),
        features(SENTENCES[:2]),
        features(SENTENCES[0], tokenize_kwargs={"max_length": 8, "truncation": True}),
    ]


def gpt2_pipelines(tokenizer: Any) -> Any:
    import torch
    from transformers import TextIteratorStreamer, pipeline

    tokenizer.model_max_length = 64
    tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    writer = model("GPT2LMHeadModel", tokenizer)
    asked = pipeline("text-generation", model=writer, tokenizer=tokenizer)
    quiet: dict[str, Any] = {"do_sample": False, "max_new_tokens": 12}
    chat = [{"role": "user", "content": "Hello"}]
    found: list[Any] = [
        entities(tokenizer, "GPT2ForTokenClassification"),
        asked("import os", **quiet),
        asked(["import os", "def f(self):"], batch_size=2, **quiet),
        asked("import os", return_full_text=False, **quiet),
        asked(chat, **quiet),
    ]
    inputs = tokenizer("def f(self):", return_tensors="pt")
    full = writer.generate(**inputs, **quiet)
    text = tokenizer.decode(full[0, inputs["input_ids"].shape[1] :])
    for stop in {text[2:5], text[-3:], "\n"}:
        if stop:
            stopped = writer.generate(**inputs, **quiet, stop_strings=[stop], tokenizer=tokenizer)
            found.append([stop, stopped.tolist()])
    found[5:] = sorted(found[5:])
    streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, timeout=60)
    torch.manual_seed(1)
    writer.generate(**inputs, **quiet, streamer=streamer)
    found.append(list(streamer))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Tensors


def tensors(tokenizer: Any) -> Any:
    """Calls that ask for tensors, and what can be done with a batch of them."""
    import torch

    every: dict[str, Any] = {
        "return_tensors": "pt",
        "return_offsets_mapping": True,
        "return_special_tokens_mask": True,
        "return_token_type_ids": True,
        "return_length": True,
    }
    windows: dict[str, Any] = {"truncation": True, "max_length": 12, "stride": 3, "return_overflowing_tokens": True}
    texts = [*TEXTS]
    found = [
        tokenizer(texts[0], return_tensors="pt"),
        tokenizer(texts[0], texts[4], **every),
        tokenizer(texts, padding=True, return_tensors="pt"),
        tokenizer(texts, texts[::-1], padding=True, truncation=True, max_length=32, **every),
        tokenizer(texts, padding="max_length", max_length=40, truncation=True, padding_side="left", **every),
        tokenizer([text.split() for text in texts if text.split()], is_split_into_words=True, padding=True, **every),
        tokenizer(texts, padding=True, **windows, **every),
        tokenizer.pad([tokenizer(text) for text in SENTENCES], return_tensors="pt", pad_to_multiple_of=8),
        tokenizer(SENTENCES, padding=True).convert_to_tensors("pt"),
    ]
    try:
        tokenizer(texts[:2], return_tensors="pt")
    except ValueError as error:
        found.append(type(error).__name__)
    batch = tokenizer(SENTENCES, padding=True, return_tensors="pt")
    places = [batch.to("cpu"), batch.to(torch.device("cpu")), batch.to(device="cpu", non_blocking=True)]
    ids = batch["input_ids"]
    read = [tokenizer.decode(ids[0]), tokenizer.batch_decode(ids, skip_special_tokens=True), tokenizer.decode(ids)]
    return [shown(found), [place is batch for place in places], shown(places[0]), read]


def collators(tokenizer: Any) -> Any:
    """Collators that make tensors."""
    import torch
    from transformers import (
        DataCollatorForLanguageModeling,
        DataCollatorForSeq2Seq,
        DataCollatorForTokenClassification,
        DataCollatorWithPadding,
    )

    rows = [dict(tokenizer(text)) for text in SENTENCES]
    labelled = [{**row, "labels": list(range(len(row["input_ids"])))} for row in rows]
    special = [dict(tokenizer(text, return_special_tokens_mask=True)) for text in SENTENCES]
    same: dict[str, Any] = {"padding": "max_length", "max_length": 48, "return_offsets_mapping": True}
    aligned = [dict(tokenizer(text, truncation=True, return_special_tokens_mask=True, **same)) for text in SENTENCES]
    made: list[Any] = [
        DataCollatorWithPadding(tokenizer)(copy.deepcopy(rows)),
        DataCollatorWithPadding(tokenizer, padding="max_length", max_length=80)(copy.deepcopy(rows)),
        DataCollatorForTokenClassification(tokenizer)(copy.deepcopy(labelled)),
        DataCollatorForTokenClassification(tokenizer, pad_to_multiple_of=8)(copy.deepcopy(labelled)),
        DataCollatorForSeq2Seq(tokenizer)(copy.deepcopy(labelled)),
        DataCollatorForLanguageModeling(tokenizer, mlm=False)(copy.deepcopy(rows)),
    ]
    if tokenizer.mask_token is not None:
        torch.manual_seed(0)
        made.append(DataCollatorForLanguageModeling(tokenizer)(copy.deepcopy(special)))
        made.append(DataCollatorForLanguageModeling(tokenizer)(copy.deepcopy(rows)))
        whole = DataCollatorForLanguageModeling(tokenizer, whole_word_mask=True, mlm_probability=0.4)
        made.append(whole(copy.deepcopy(aligned)))
        seeded = DataCollatorForLanguageModeling(tokenizer, whole_word_mask=True, seed=3)
        made.append(seeded(copy.deepcopy(aligned)))
    return shown(made)


class Texts:
    """A data set that encodes in the process that asks."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> Any:
        return self.tokenizer(TEXTS[index % len(TEXTS)], truncation=True, max_length=16)


def loaders(tokenizer: Any) -> Any:
    """A loader with two workers, to which the tokenizer goes with the data set and with the collator."""
    from torch.utils.data import DataLoader
    from transformers import DataCollatorWithPadding

    tokenizer([*TEXTS] * 50, padding=True)  # threads were used before the processes are made
    found = []
    contexts = ["fork"] if tokenizer.mask_token is None else ["fork", "spawn"]  # spawning once is enough: it is slow
    for context in contexts:
        loader = DataLoader(
            Texts(tokenizer),
            batch_size=5,
            num_workers=2,
            collate_fn=DataCollatorWithPadding(tokenizer),
            multiprocessing_context=context,
        )
        found.append([shown(batch) for batch in loader])
    encodings = DataLoader([*TEXTS], batch_size=3, num_workers=2, collate_fn=tokenizer)
    return found, [[batch.tokens(), batch.word_ids(1), dict(batch)] for batch in encodings]


def maps(tokenizer: Any) -> Any:
    """`datasets.map` with one and two processes, and the tensors of what it gives."""
    import datasets

    datasets.disable_progress_bars()
    data = datasets.Dataset.from_dict({"text": [*TEXTS] * 4})
    found = []
    for processes in (None, 2):
        mapped = data.map(
            lambda batch: dict(tokenizer(batch["text"], padding="max_length", truncation=True, max_length=16)),
            batched=True,
            num_proc=processes,
            load_from_cache_file=False,
            remove_columns=["text"],
        )
        found.append(shown(mapped.with_format("torch")[:]))
    return found


BERT: dict[str, Callable[[Any], Any]] = {
    "pipelines": bert_pipelines,
    "tensors": tensors,
    "collators": collators,
    "loaders": loaders,
    "maps": maps,
}
SCENARIOS = {"bert": BERT, "gpt2": {**BERT, "pipelines": gpt2_pipelines}}


def run(mode: str, folders: Path) -> dict[str, Any]:
    """All answers of a mode."""
    return {
        f"{name}, {label}": scenario(named(load(mode, name, folders, named=False)))
        for name, scenarios in SCENARIOS.items()
        for label, scenario in scenarios.items()
    }


def named(tokenizer: Any) -> Any:
    """The tokenizer with a token to fill up rows, which that of GPT-2 does not have."""
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


if __name__ == "__main__":
    print_answers(run, default=float)
