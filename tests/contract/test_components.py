"""One component = one Rust file + one Python class + one line in one list per language: the lists agree."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from piecework import _core, decoders, models, normalizers, pre_tokenizers, processors
from support.conformance import FOLDER

if TYPE_CHECKING:
    from types import ModuleType

FAMILIES: list[tuple[ModuleType, Any, type]] = [
    (normalizers, _core.Normalizer, normalizers.Normalizer),
    (pre_tokenizers, _core.PreTokenizer, pre_tokenizers.PreTokenizer),
    (models, _core.Model, models.Model),
    (processors, _core.PostProcessor, processors.PostProcessor),
    (decoders, _core.Decoder, decoders.Decoder),
]
COMPONENTS = [
    pytest.param(module.__name__.split(".")[-1], name, id=f"{module.__name__}.{name}")
    for module, core, _ in FAMILIES
    for name in core.NAMES
]
RUST = Path(__file__).parents[2] / "crates" / "core" / "src"


def file_name(family: str, name: str) -> str:
    """Snake case of the name; models are words of the field: `wordpiece`, not `word_piece`."""
    return name.lower() if family == "models" else snake_case(name)


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


@pytest.mark.parametrize(("module", "core", "base"), FAMILIES, ids=lambda item: getattr(item, "__name__", ""))
def test_the_lists_of_both_languages_agree(module: ModuleType, core: Any, base: type) -> None:
    classes = [getattr(module, name) for name in module.__all__]
    python = {
        item.__name__ for item in classes if inspect.isclass(item) and issubclass(item, base) and item is not base
    }
    assert python == set(core.NAMES)


@pytest.mark.parametrize(("family", "name"), COMPONENTS)
def test_a_component_has_its_file_in_rust(family: str, name: str) -> None:
    file = RUST / family / file_name(family, name)
    assert file.with_suffix(".rs").is_file() or (file / "mod.rs").is_file()


@pytest.mark.parametrize(("family", "name"), COMPONENTS)
def test_a_component_has_conformance_cases(family: str, name: str) -> None:
    assert (FOLDER / family / f"{file_name(family, name)}.toml").is_file()


def test_snake_case() -> None:
    names = ["NFC", "BPE", "BPEDecoder", "ByteLevel", "StripAccents", "CTC", "WordPiece"]
    assert [snake_case(n) for n in names] == [
        "nfc",
        "bpe",
        "bpe_decoder",
        "byte_level",
        "strip_accents",
        "ctc",
        "word_piece",
    ]
