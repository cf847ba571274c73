"""Small folders of tokenizers for models that translate or transcribe."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from piecework.pretrained._languages import MBART, MBART50, NLLB, WHISPER
from support.library import library_texts

if TYPE_CHECKING:
    from pathlib import Path

CONTROL = ["<s>", "<pad>", "</s>", "<unk>"]
_TASKS = ("translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps")


def _write(folder: Path, tokenizer: Tokenizer, config: dict[str, Any]) -> None:
    folder.mkdir()
    tokenizer.save(folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def _metaspace(model: models.Model) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def _whisper() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(library_texts()[:20], trainer)
    names = ("endoftext", "startoftranscript", *WHISPER, *_TASKS)
    tokenizer.add_special_tokens([f"<|{name}|>" for name in names])
    times = [f"<|{step * 0.02:.2f}|>" for step in range(1501)]
    tokenizer.add_tokens([AddedToken(time, normalized=False) for time in times])
    return tokenizer


def build(root: Path) -> None:
    """Make the folders `mbart`, `mbart50`, `nllb`, `nllb-legacy`, `seamless` and `whisper`."""
    learned = _metaspace(models.BPE(unk_token="<unk>", fuse_unk=True))
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=CONTROL, show_progress=False)
    learned.train_from_iterator(library_texts()[:20], trainer)
    words = sorted(learned.get_vocab(), key=learned.get_vocab().__getitem__)

    pieces = [*((token, 0.0) for token in CONTROL), *((w, -4.0 - i / 100) for i, w in enumerate(words[4:]))]
    for name, cls, languages in (("mbart", "MBartTokenizer", MBART), ("mbart50", "MBart50Tokenizer", MBART50)):
        tokenizer = _metaspace(models.Unigram([*pieces, *((code, 0.0) for code in languages), ("<mask>", 0.0)], 3))
        tokenizer.normalizer = normalizers.NFC()  # the class has one of its own
        tokenizer.add_special_tokens([*CONTROL, *languages, AddedToken("<mask>", lstrip=True, special=True)])
        _write(root / name, tokenizer, {"tokenizer_class": cls, "model_max_length": 1024})

    nllb = Tokenizer.from_str(learned.to_str())
    nllb.add_special_tokens([*NLLB, AddedToken("<mask>", lstrip=True, normalized=True, special=True)])
    _write(root / "nllb", nllb, {"tokenizer_class": "NllbTokenizer", "src_lang": "deu_Latn"})
    legacy = {"tokenizer_class": "NllbTokenizer", "legacy_behaviour": True, "tgt_lang": "fra_Latn"}
    _write(root / "nllb-legacy", nllb, legacy)

    description = json.loads(learned.to_str())
    order = ["<pad>", "<unk>", "<s>", "</s>", *words[4:]]
    description["model"]["vocab"] = {token: i for i, token in enumerate(order)}
    for token in description["added_tokens"]:
        token["id"] = order.index(token["content"])
    description["added_tokens"].sort(key=lambda token: token["id"])
    seamless = Tokenizer.from_str(json.dumps(description))
    seamless.add_special_tokens([f"__{code}__" for code in ("eng", "fra", "deu", "spa")])
    _write(root / "seamless", seamless, {"tokenizer_class": "SeamlessM4TTokenizer", "tgt_lang": "deu"})

    end = "<|endoftext|>"
    config = {"tokenizer_class": "WhisperTokenizer", "bos_token": end, "eos_token": end, "unk_token": end}
    _write(root / "whisper", _whisper(), {**config, "pad_token": end, "language": "French", "task": "transcribe"})
