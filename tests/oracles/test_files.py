"""Published tokenizers, and ids that were recorded for them, in a folder that `PIECEWORK_DATA` names, if it names one.

The folder holds `tokenizers/<name>/`, each with a `tokenizer.json` under any name, gzipped or not, or with the files
of GPT-2; and `gold/llama.cpp/ggml-vocab-<name>.gguf.inp` and `.out`, which `llama.cpp` has among its models: texts, and
the ids that the tokenizers of Hugging Face gave for them without special tokens.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
from pathlib import Path

import pytest
import tokenizers as reference

from piecework import Tokenizer, decoders, models, pre_tokenizers

FOLDER = os.environ.get("PIECEWORK_DATA", "")
if not FOLDER:
    pytest.skip("`PIECEWORK_DATA` names no folder", allow_module_level=True)
DATA = Path(FOLDER)

# The name under which ids were recorded, and the tokenizer that they are of.
RECORDED = {
    "bert-bge": "bert-uncased",
    "deepseek-coder": "deepseek-coder",
    "falcon": "falcon",
    "gemma-4": "gemma3",
    "gpt-2": "gpt2",
    "llama-bpe": "llama3.1",
    "mpt": "gpt-neox-olmo",
    "phi-3": "phi-3",
    "qwen2": "qwen3",
}

BETWEEN = "\n__ggml_vocab_test__\n"


def read(file: Path) -> str:
    if file.suffix == ".gz":
        return gzip.decompress(file.read_bytes()).decode()
    return file.read_text(encoding="utf-8")


def is_tokenizer(file: Path) -> bool:
    """Whether a JSON file describes a tokenizer rather than its settings or its vocabulary."""
    content = json.loads(read(file))
    return isinstance(content, dict) and isinstance(content.get("model"), dict)


@functools.cache
def descriptions() -> list[Path]:
    files = sorted((DATA / "tokenizers").glob("*/*.json*"))
    return [file for file in files if file.name.endswith((".json", ".json.gz")) and is_tokenizer(file)]


def load(name: str) -> Tokenizer:
    for file in descriptions():
        if file.parent.name == name:
            return Tokenizer.from_str(read(file))
    folder = DATA / "tokenizers" / name
    tokenizer = Tokenizer(models.BPE.from_file(str(folder / "encoder.json"), str(folder / "vocab.bpe")))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def test_the_folder_is_what_it_should_be() -> None:
    assert descriptions()
    assert sorted((DATA / "gold" / "llama.cpp").glob("*.inp"))


@pytest.mark.parametrize(("recorded", "name"), RECORDED.items(), ids=RECORDED)
def test_recorded_ids(recorded: str, name: str) -> None:
    file = DATA / "gold" / "llama.cpp" / f"ggml-vocab-{recorded}.gguf.inp"
    texts = file.read_bytes().decode().removesuffix(BETWEEN).split(BETWEEN)
    lines = file.with_suffix(".out").read_text(encoding="utf-8").splitlines()
    expected = [[int(token) for token in line.split()] for line in lines]
    tokenizer = load(name)

    assert len(texts) == len(expected)
    assert [tokenizer.encode(text, add_special_tokens=False).ids for text in texts] == expected
    assert [ids.tolist() for ids in tokenizer.encode_ids(texts, add_special_tokens=False)] == expected


@pytest.mark.parametrize("file", descriptions(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_file_is_loaded_saved_and_loaded_by_the_reference(file: Path, tmp_path: Path) -> None:
    text = read(file)
    saved = tmp_path / "tokenizer.json"
    Tokenizer.from_str(text).save(str(saved))

    theirs = reference.Tokenizer.from_file(str(saved))

    assert theirs.to_str() == reference.Tokenizer.from_str(text).to_str()
    assert Tokenizer.from_file(str(saved)).to_str(pretty=True) == saved.read_text(encoding="utf-8")
