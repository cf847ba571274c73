"""transformers with piecework inside gives what it gives without, in every way of putting it there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")
pytest.importorskip("datasets")

SCRIPT = Path(__file__).parents[1] / "support" / "scenarios.py"

# What differs on purpose, by the end of its name.
TYPE_IDS_OF_OVERFLOW = {"windows of a pair", "the second text is cut"}


def answers(mode: str, folders: Path) -> dict[str, Any]:
    """The answers of a mode, from a process of its own."""
    command = [sys.executable, str(SCRIPT), mode, str(folders)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def expected(model_folders: Path) -> dict[str, Any]:
    return answers("plain", model_folders)


@pytest.mark.parametrize("mode", ["object", "patched", "accelerated", "alias"])
def test_everything_is_the_same(mode: str, expected: dict[str, Any], model_folders: Path) -> None:
    found = answers(mode, model_folders)[mode]
    plain = expected["plain object" if mode == "object" else "plain"]
    assert found.keys() == plain.keys()
    different = [name for name in plain if found[name] != plain[name] and not is_meant(name)]
    assert different == [], json.dumps([found[different[0]], plain[different[0]]])[:6000]


def is_meant(name: str) -> bool:
    return name.startswith(("t5, ", "roberta, ")) and name.split(", ", 1)[1] in TYPE_IDS_OF_OVERFLOW
