"""`piecework decode`: ids in, texts out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from piecework.cli._source import InputError, TokenizerPath, load_tokenizer, read_texts

if TYPE_CHECKING:
    from collections.abc import Iterator


def _parse(line: str, number: int) -> list[int]:
    """The ids of a line, in one of the forms that `encode` writes."""
    try:
        if line.lstrip().startswith(("{", "[")):
            value = json.loads(line)
            ids = value["ids"] if isinstance(value, dict) else value
        else:
            ids = line.replace(",", " ").split()
        return [int(i) for i in ids]
    except (ValueError, TypeError, KeyError):
        raise InputError(
            f"line {number}: `{line[:40]}` holds no ids; numbers, a JSON list or an object with `ids` is expected"
        ) from None


def _sequences(ids: list[str], files: list[Path]) -> Iterator[list[int]]:
    if not ids and len(files) == 1 and files[0].suffix == ".npy":
        yield np.load(files[0], allow_pickle=False).ravel().tolist()
        return
    lines = read_texts([" ".join(ids)] if ids else [], files, whole=False)
    for number, line in enumerate(lines, 1):
        yield _parse(line, number)


def decode(
    tokenizer: TokenizerPath,
    ids: Annotated[
        list[str] | None, typer.Argument(help="Ids; without any, files or standard input.", show_default=False)
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option("--file", "-f", help="A file of lines, or one array (.npy).", show_default=False),
    ] = None,
    skip_special_tokens: Annotated[bool, typer.Option(help="Leave out special tokens.")] = True,
) -> None:
    """Decode ids: arguments, or lines of ids or of JSON as `encode` writes them, a text a line."""
    handle = load_tokenizer(tokenizer)
    for sequence in _sequences(ids or [], file or []):
        text = handle.decode(sequence, skip_special_tokens=skip_special_tokens)
        sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.buffer.flush()
