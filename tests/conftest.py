"""Hypothesis profiles, and vocabularies trained from text that every machine has."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from piecework import Tokenizer, decoders, models, pre_tokenizers, trainers
from support import folders
from support.library import library_texts
from support.pipelines import TrainedModels

if TYPE_CHECKING:
    from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"  # read when transformers is imported, so before any test

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
# Where the tests are started in the background of a script it is ignored, and those of Ctrl-C would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("quick", max_examples=50, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("ci", max_examples=50, deadline=None, suppress_health_check=_SLOW, derandomize=True)
settings.register_profile("deep", max_examples=20_000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "quick"))


@pytest.fixture(scope="session")
def small_bpe_json() -> str:
    """A byte-level BPE tokenizer with 800 entries, as its `tokenizer.json`."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=800,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(library_texts(), trainer)
    return tokenizer.to_str()


@pytest.fixture
def small_bpe(small_bpe_json: str) -> Tokenizer:
    """A byte-level BPE tokenizer with 800 entries; a fresh object, to be changed freely."""
    return Tokenizer.from_str(small_bpe_json)


@pytest.fixture(scope="session")
def trained(small_bpe_json: str) -> TrainedModels:
    """The model of `small_bpe`, and one over characters with 500 entries and an unknown token `<unk>`."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        initial_alphabet=list("éüßΑΣ日本語中こんにち한국Пр"),
        special_tokens=["<unk>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(library_texts(), trainer)
    return TrainedModels(byte=json.loads(small_bpe_json)["model"], character=json.loads(tokenizer.to_str())["model"])


@pytest.fixture(scope="session")
def model_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small folders of tokenizers: `bert`, `gpt2`, ...; see `support.folders`. They are not to be changed."""
    root = tmp_path_factory.mktemp("models")
    folders.build(root)
    return root
