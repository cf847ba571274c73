"""Pipelines, collators, loaders and tensors of torch are with piecework inside what they are without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import answers

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("datasets")

SCRIPT = "torch_scenarios.py"


@pytest.fixture(scope="module")
def expected(model_folders: Path) -> dict[str, Any]:
    return answers(SCRIPT, "plain", model_folders)


@pytest.mark.parametrize("mode", ["object", "patched", "accelerated", "alias"])
def test_everything_is_the_same(mode: str, expected: dict[str, Any], model_folders: Path) -> None:
    found = answers(SCRIPT, mode, model_folders)[mode]
    plain = expected["plain object" if mode == "object" else "plain"]
    assert found.keys() == plain.keys()
    for name, scenario in plain.items():
        assert len(found[name]) == len(scenario), name
        for place, (mine, other) in enumerate(zip(found[name], scenario, strict=True)):
            assert mine == other, (name, place)


def test_the_scenarios_say_something(expected: dict[str, Any]) -> None:
    """Models with random weights find entities of every kind, and write more than one token."""
    for name in ("bert", "gpt2"):
        tagged = [entity for found in expected["plain"][f"{name}, pipelines"][0] for entity in found]
        tagged = [entity for row in tagged for entity in (row if isinstance(row, list) else [row])]
        assert {entity.get("entity_group") for entity in tagged} >= {None, "X", "Y"}
    filled = expected["plain"]["bert, pipelines"][1]
    assert len({row["token"] for row in filled}) == len(filled) > 1
    *_, stopped, streamed = expected["plain"]["gpt2, pipelines"]
    assert len(stopped[1][0]) > 5
    assert len("".join(streamed)) > 5
