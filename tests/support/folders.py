"""Small folders of tokenizers as transformers has them, trained on text that every machine has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from piecework.vocabulary_files import write_merges, write_vocab_json, write_vocab_txt
from support.library import library_texts

if TYPE_CHECKING:
    from pathlib import Path

CHAT = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' }}"
    "{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] }}{% endgeneration %}"
    "{% else %}{{ message['content'] }}{% endif %}\n{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)

TEXTS = (
    "Hello world! It's a test of tokenizers, naïve café.",
    "short",
    "",
    "  leading and   multiple spaces \n\n newline\tTab ",
    "def 你好(self): return '世界 😀👍🏽'",
    "<s>[CLS] special </s> <|endoftext|> [SEP]",
    "import os " * 40,
    "x" * 60,
)
"""Texts with what tokenizers stumble over."""


def _write(folder: Path, tokenizer: Tokenizer | None, config: dict[str, Any] | None) -> None:
    folder.mkdir()
    if tokenizer is not None:
        tokenizer.save(folder / "tokenizer.json")
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def _bert() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=[*special], show_progress=False)
    tokenizer.train_from_iterator(library_texts(), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def _bytes() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(library_texts(), trainer)
    return tokenizer


def _llama() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=True)
    special = ["<unk>", "<s>", "</s>"]
    trainer = trainers.BpeTrainer(
        vocab_size=800, special_tokens=[*special, *(f"<0x{i:02X}>" for i in range(256))], show_progress=False
    )
    tokenizer.train_from_iterator(library_texts(), trainer)
    spec = json.loads(tokenizer.to_str())
    spec["added_tokens"] = [token for token in spec["added_tokens"] if token["content"] in special]
    tokenizer = Tokenizer.from_str(json.dumps(spec))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s>:0 $A:0", pair="<s>:0 $A:0 <s>:1 $B:1", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def _t5(pieces: list[str]) -> Tokenizer:
    scores = [(piece, -4.0 - 0.01 * rank) for rank, piece in enumerate(pieces)]
    tokenizer = Tokenizer(models.Unigram([("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *scores], unk_id=2))
    metaspace = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always", split=True)
    tokenizer.add_special_tokens(["<pad>", "</s>", "<unk>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


def _xlnet(pieces: list[str]) -> Tokenizer:
    special = ("<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>")
    scores = [(piece, -4.0 - 0.01 * rank) for rank, piece in enumerate(pieces)]
    tokenizer = Tokenizer(models.Unigram([*((token, 0.0) for token in special), *scores], unk_id=0))
    tokenizer.normalizer = normalizers.NFKD()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always", split=True)
    tokenizer.add_special_tokens([*special])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A:0 <sep>:0 <cls>:2",
        pair="$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2",
        special_tokens=[("<sep>", 4), ("<cls>", 3)],
    )
    return tokenizer


def build(root: Path) -> None:
    """Make folders: `bert`, `gpt2`, `roberta`, `llama`, `t5`, `xlnet`, `plain`, and two of them as plain files too."""
    bert = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512}
    wordpiece, over_bytes = _bert(), _bytes()
    _write(root / "bert", wordpiece, bert)
    _write(root / "bert-vocab", None, bert)
    (root / "bert-vocab" / "vocab.txt").write_text(write_vocab_txt(wordpiece.get_vocab()), encoding="utf-8")

    model: Any = over_bytes.model
    merges = json.loads(over_bytes.to_str())["model"]["merges"]
    files = (write_vocab_json(over_bytes.get_vocab()), write_merges([tuple(pair) for pair in merges]))
    for name, names in {
        "gpt2-vocab": ("vocab.json", "merges.txt"),
        "gpt2-first-names": ("encoder.json", "vocab.bpe"),
    }.items():
        _write(root / name, None, {"tokenizer_class": "GPT2Tokenizer"} if name == "gpt2-vocab" else None)
        for file, content in zip(names, files, strict=True):
            (root / name / file).write_text(content, encoding="utf-8")
    gpt2 = Tokenizer(model)
    gpt2.pre_tokenizer, gpt2.decoder = over_bytes.pre_tokenizer, over_bytes.decoder
    gpt2.add_special_tokens(["<|endoftext|>"])
    gpt2.post_processor = processors.ByteLevel(trim_offsets=False)
    end = "<|endoftext|>"
    config = {"bos_token": end, "eos_token": end, "unk_token": end, "model_max_length": 1024, "chat_template": CHAT}
    _write(root / "gpt2", gpt2, {**config, "tokenizer_class": "GPT2Tokenizer"})

    roberta = Tokenizer(model)
    roberta.pre_tokenizer, roberta.decoder = over_bytes.pre_tokenizer, over_bytes.decoder
    roberta.add_special_tokens(["<s>", "</s>", "<pad>", "<unk>", AddedToken("<mask>", lstrip=True, special=True)])
    roberta.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    _write(root / "roberta", roberta, {"tokenizer_class": "RobertaTokenizer", "mask_token": "<mask>"})

    ends = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    llama = _llama()
    _write(root / "llama", llama, {**ends, "tokenizer_class": "LlamaTokenizer", "model_max_length": 2048})
    pieces = sorted(llama.get_vocab().items(), key=lambda entry: entry[1])
    learned = [piece for piece, token_id in pieces if token_id > 258]
    _write(root / "xlnet", _xlnet(learned), {"tokenizer_class": "XLNetTokenizer"})
    _write(
        root / "t5",
        _t5(learned),
        {
            "tokenizer_class": "T5Tokenizer",
            "extra_ids": 10,
            "pad_token": "<pad>",
        },
    )

    plain = Tokenizer.from_str(over_bytes.to_str())
    plain.enable_truncation(16, stride=2)
    plain.enable_padding(direction="left", pad_id=1, pad_token="<pad>", length=20)
    _write(root / "plain", plain, {"tokenizer_class": "PreTrainedTokenizerFast", **ends, "cls_token": "<cls>"})
    (root / "plain" / "special_tokens_map.json").write_text(
        json.dumps(
            {
                "sep_token": {
                    "content": "</s>",
                    "lstrip": False,
                    "rstrip": True,
                    "single_word": False,
                    "normalized": False,
                }
            }
        ),
        encoding="utf-8",
    )
