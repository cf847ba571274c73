"""transformers with piecework inside gives what it gives without, in every way of putting it there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.command import answers

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("transformers")
pytest.importorskip("datasets")

SCRIPT = "scenarios.py"

# What differs on purpose, by the end of its name.
TYPE_IDS_OF_OVERFLOW = {"windows of a pair", "the second text is cut"}


@pytest.fixture(scope="module")
def expected(model_folders: Path) -> dict[str, Any]:
    return answers(SCRIPT, "plain", model_folders)


@pytest.mark.parametrize("mode", ["object", "patched", "accelerated", "alias"])
def test_everything_is_the_same(mode: str, expected: dict[str, Any], model_folders: Path) -> None:
    found = answers(SCRIPT, mode, model_folders)[mode]
    plain = expected["plain object" if mode == "object" else "plain"]
    assert found.keys() == plain.keys()
    different = [name for name in plain if found[name] != plain[name] and not is_meant(name)]
    assert different == [], json.dumps([found[different[0]], plain[different[0]]])[:6000]


def is_meant(name: str) -> bool:
    return name.startswith(("t5, ", "roberta, ")) and name.split(", ", 1)[1] in TYPE_IDS_OF_OVERFLOW
