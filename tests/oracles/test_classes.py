"""Every tokenizer of transformers that has a backend gives with piecework in it what it gives without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import answers

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("transformers")

SCRIPT = "classes.py"

CLASSES = 61
"""How many there are in transformers 5.24."""

NOT_MADE = {"CpmTokenizerFast", "MarkupLMTokenizer", "PegasusTokenizer", "RoFormerTokenizer"}
"""Those that need more than a `tokenizer_object`, whatever it is."""


@pytest.fixture(scope="module")
def found(model_folders: Path) -> dict[str, Any]:
    """The answers of all modes; two of them change the whole process."""
    together = answers(SCRIPT, "plain,object,accelerated", model_folders)
    return together | answers(SCRIPT, "patched", model_folders) | answers(SCRIPT, "alias", model_folders)


@pytest.mark.parametrize("mode", ["object", "accelerated", "patched", "alias"])
def test_every_class_gives_the_same(mode: str, found: dict[str, Any]) -> None:
    plain = found["plain"]
    assert len(plain) == CLASSES
    assert {name for name, (given, _) in plain.items() if isinstance(given, str)} == NOT_MADE
    assert found[mode].keys() == plain.keys()
    different = {name for name in plain if found[mode][name] != plain[name]}
    if mode == "object":
        # Its class puts the normalizer of the backend into a component of `tokenizers`, which takes only its own.
        assert different == {"Siglip2Tokenizer"}
        assert found[mode]["Siglip2Tokenizer"][0] == "TypeError"
    else:
        assert different == set()
