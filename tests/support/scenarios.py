"""What transformers does with a tokenizer, run with one backend or another; the answers are compared.

    python tests/support/scenarios.py MODE FOLDERS

`MODE` is `plain` (transformers as it is), `object` (piecework as `tokenizer_object`), `patched`
(`patch_transformers()`), `accelerated` (`accelerate` of a loaded tokenizer) or `alias` (`as_tokenizers()`). `FOLDERS`
is what `support.folders` makes. The answers are printed as JSON, those of `plain` both for classes that load folders
and for `tokenizer_object`.
"""

# ruff: noqa: PLC0415 - what is imported when depends on the mode

from __future__ import annotations

import copy
import json
import logging
import os
import pickle
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np

from support.calls import answer, calls, outcome, plain, questions
from support.folders import TEXTS
from support.library import library_texts

if TYPE_CHECKING:
    from collections.abc import Callable

CLASSES = {
    "bert": "BertTokenizerFast",
    "gpt2": "GPT2TokenizerFast",
    "roberta": "RobertaTokenizerFast",
    "xlnet": "XLNetTokenizerFast",
    "llama": "LlamaTokenizerFast",
    "t5": "T5TokenizerFast",
    "plain": "PreTrainedTokenizerFast",
}


def prepare(mode: str) -> None:
    """Put piecework where a mode has it, before transformers makes tokenizers."""
    if mode == "alias":
        import piecework

        piecework.as_tokenizers()
    elif mode == "patched":
        from piecework.integrations.transformers import patch_transformers

        patch_transformers()
        patch_transformers()


def load(mode: str, name: str, folders: Path, *, named: bool = True) -> Any:
    """A tokenizer of transformers for a folder; `named` makes the mask an `AddedToken` of each library."""
    import transformers

    cls = getattr(transformers, CLASSES[name])
    if mode in ("object", "plain object"):
        import tokenizers

        import piecework

        library: Any = piecework if mode == "object" else tokenizers
        backend = library.Tokenizer.from_file(str(folders / name / "tokenizer.json"))
        config = json.loads((folders / name / "tokenizer_config.json").read_text(encoding="utf-8"))
        config.pop("tokenizer_class")
        if named:
            config["mask_token"] = library.AddedToken("<named>", lstrip=True, special=True)
        tokenizer = cls(tokenizer_object=backend, **config)
    else:
        tokenizer = cls.from_pretrained(folders / name)
        if mode == "accelerated":
            from piecework.integrations.transformers import accelerate

            assert accelerate(tokenizer) is tokenizer
    if mode not in ("plain", "plain object"):
        import piecework

        assert isinstance(tokenizer.backend_tokenizer, piecework.Tokenizer)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


# ---------------------------------------------------------------------------------------------------------------------


def look_ups(tokenizer: Any) -> Any:
    batch = tokenizer(TEXTS[0], TEXTS[4])
    tokens = range(len(batch.tokens()))
    places = [(i, sequence) for i in range(20) for sequence in (0, 1)]
    return [
        [(batch.token_to_chars(i), batch.token_to_word(i), batch.token_to_sequence(i)) for i in tokens],
        [(batch.char_to_token(i, sequence_index=s), batch.char_to_word(i, sequence_index=s)) for i, s in places],
        [batch.word_to_tokens(i) for i in range(5)],
        batch.word_to_chars(0),
    ]


def copies(tokenizer: Any) -> Any:
    batch = tokenizer([*TEXTS])
    twins = [copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))]
    batches = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    return [
        [dict(twin([*TEXTS], padding=True)) for twin in twins],
        [[b.tokens(1), b[2].ids, dict(b)] for b in batches],
    ]


def added(tokenizer: Any) -> Any:
    from tokenizers import AddedToken

    tokenizer = copy.deepcopy(tokenizer)
    counts = [
        tokenizer.add_tokens(["<a>", AddedToken("<b>", single_word=True), "the"]),
        tokenizer.add_special_tokens({"sep_token": AddedToken("<c>", rstrip=True), "extra_special_tokens": ["<d>"]}),
    ]
    tokenizer.add_bos_token = tokenizer.bos_token is not None
    return counts, len(tokenizer), dict(tokenizer("a <a> x<b> <b>  <c>  <d>")), tokenizer.all_special_tokens


def saved(tokenizer: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        files = sorted(Path(file).name for file in tokenizer.save_pretrained(folder))
        again = type(tokenizer).from_pretrained(folder)
        content = json.loads((Path(folder) / "tokenizer.json").read_text(encoding="utf-8"))
        content["model"].pop("vocab")  # compared by `questions`
        return files, content, dict(again([*TEXTS])), again.decode(again(TEXTS[0])["input_ids"])


def collators(tokenizer: Any) -> Any:
    from transformers import (
        DataCollatorForSeq2Seq,
        DataCollatorForTokenClassification,
        DataCollatorWithPadding,
    )

    rows = [dict(tokenizer(text)) for text in TEXTS[:4]]
    labelled = [{**row, "labels": list(range(len(row["input_ids"])))} for row in rows]
    made = [
        DataCollatorWithPadding(tokenizer, return_tensors="np")(copy.deepcopy(rows)),
        DataCollatorWithPadding(tokenizer, return_tensors="np", pad_to_multiple_of=8)(copy.deepcopy(rows)),
        DataCollatorForTokenClassification(tokenizer, return_tensors="np")(copy.deepcopy(labelled)),
        DataCollatorForSeq2Seq(tokenizer, return_tensors="np")(copy.deepcopy(labelled)),
    ]
    if tokenizer.mask_token is not None:
        from transformers import DataCollatorForLanguageModeling

        masked = DataCollatorForLanguageModeling(tokenizer, return_tensors="np", seed=0)
        special = [dict(tokenizer(text, return_special_tokens_mask=True)) for text in TEXTS[:4]]
        made.append(masked(special))
        same: dict[str, Any] = {"padding": "max_length", "max_length": 48, "truncation": True}
        aligned = [
            dict(tokenizer(text, return_special_tokens_mask=True, return_offsets_mapping=True, **same))
            for text in TEXTS[:4]
        ]
        whole = DataCollatorForLanguageModeling(tokenizer, return_tensors="np", seed=0, whole_word_mask=True)
        made.append(whole(aligned))
    return [{name: plain(np.asarray(column)) for name, column in batch.items()} for batch in made]


def chats(tokenizer: Any) -> Any:
    from support.folders import CHAT

    chat = [{"role": "user", "content": "Hi <s>"}, {"role": "assistant", "content": "Hello"}]
    options: dict[str, Any] = {"chat_template": CHAT, "return_assistant_tokens_mask": True}
    made = [dict(tokenizer.apply_chat_template(chat, **options))]
    try:
        made.append(dict(tokenizer.apply_chat_template(chat, chat_template=CHAT, sanitize_control_tokens=True)))
    except Exception as error:
        made.append({"error": type(error).__name__})
    return made


def maps(tokenizer: Any) -> Any:
    import datasets
    from datasets.fingerprint import Hasher

    datasets.disable_progress_bars()
    data = datasets.Dataset.from_dict({"text": [*TEXTS] * 4})
    hashes = {Hasher.hash(tokenizer)}
    out = []
    for options in ({}, {"num_proc": 2}):
        mapped = data.map(
            lambda batch: dict(tokenizer(batch["text"], truncation=True, max_length=16)),
            batched=True,
            load_from_cache_file=False,
            **options,
        )
        out.append(mapped[:]["input_ids"])
        hashes.add(Hasher.hash(tokenizer))
    hashes.add(Hasher.hash(copy.deepcopy(tokenizer)))
    return out, len(hashes)


def trained(tokenizer: Any) -> Any:
    """Only byte-level BPE is trained to the same vocabulary in every process."""
    texts = [[*library_texts()[i : i + 4]] for i in range(0, 8, 4)]
    new = tokenizer.train_new_from_iterator(iter(texts), 300, show_progress=False)
    return new.get_vocab(), dict(new([*TEXTS])), new.decode(new(TEXTS[0])["input_ids"])


SCENARIOS: dict[str, Callable[[Any], Any]] = {
    "look-ups": look_ups,
    "copies": copies,
    "added tokens": added,
    "saved": saved,
    "collators": collators,
    "chat templates": chats,
}


def rounded(value: Any) -> Any:
    """Numbers of models and scores to nine digits."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {str(key): rounded(item) for key, item in value.items()}
    return value


def run(mode: str, folders: Path) -> dict[str, Any]:
    """All answers of a mode."""
    answers: dict[str, Any] = {}
    for name in CLASSES:
        tokenizer = load(mode, name, folders)
        for label, arguments, options in calls():
            answers[f"{name}, {label}"] = outcome(tokenizer, arguments, options)
        for label, question in questions().items():
            answers[f"{name}, {label}"] = answer(question, tokenizer)
        for label, scenario in SCENARIOS.items():
            answers[f"{name}, {label}"] = scenario(load(mode, name, folders))
    answers["bert, maps"] = maps(load(mode, "bert", folders))
    answers["gpt2, trained"] = trained(load(mode, "gpt2", folders))
    return answers


def print_answers(run: Callable[[str, Path], dict[str, Any]], default: Callable[[Any], object] | None = None) -> None:
    """Print the answers that `run` gives in the mode that was asked for. `default` is for `json.dump`."""
    mode, folders = sys.argv[1], Path(sys.argv[2])
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    prepare(mode)
    answers = {mode: run(mode, folders)}
    if mode == "plain":
        answers["plain object"] = run("plain object", folders)
    json.dump(rounded(answers), sys.stdout, default=default)


if __name__ == "__main__":
    print_answers(run)
