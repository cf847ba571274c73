"""Fixtures of several files of unit tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import TEXT, output

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a tokenizer that the command has trained."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "text.txt").write_text(TEXT)
    output(
        "train",
        folder / "text.txt",
        "--vocab-size",
        280,
        "--special-token",
        "<s>",
        "-o",
        folder / "tokenizer.json",
        "-q",
    )
    return folder / "tokenizer.json"
