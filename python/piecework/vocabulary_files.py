"""The plain files that vocabularies come in: `vocab.json`, `merges.txt`, `vocab.txt`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from piecework.errors import SpecError

PathLike = str | os.PathLike[str]


def read_vocab_json(path: PathLike) -> dict[str, int]:
    """A `vocab.json`: an object of token to id. Values that are strings are passed over, as the reference does."""
    try:
        vocab = json.loads(Path(path).read_bytes())
    except ValueError as error:
        raise SpecError(f"is no JSON: {error}", os.fspath(path)) from error
    if not isinstance(vocab, dict):
        raise SpecError("expected an object of token to id", os.fspath(path))
    out: dict[str, int] = {}
    for token, token_id in vocab.items():
        if isinstance(token_id, int) and not isinstance(token_id, bool) and token_id >= 0:
            out[token] = token_id
        elif not isinstance(token_id, str):
            raise SpecError(f"the id of `{token}` is `{token_id}`, expected an integer of at least 0", os.fspath(path))
    return out


def write_vocab_json(vocab: dict[str, int]) -> str:
    """The text of a `vocab.json`, in the order of ids."""
    in_order = {token_id: token for token, token_id in vocab.items()}
    ordered = {in_order[token_id]: token_id for token_id in sorted(in_order)}
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))


def _lines(path: PathLike) -> list[str]:
    try:
        lines = Path(path).read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise SpecError(f"byte {error.start} is not UTF-8", os.fspath(path)) from error
    return lines if lines[-1] else lines[:-1]


def read_merges(path: PathLike) -> list[tuple[str, str]]:
    """A `merges.txt`: a pair of tokens a line, with one blank between them."""
    lines = _lines(path)
    merges = []
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")  # noqa: PLW2901 - line ends of other systems
        if line.startswith("#version"):
            continue
        left, blank, right = line.partition(" ")
        if not blank or " " in right:
            raise SpecError(f"line {number}: `{line}` does not have exactly one blank", os.fspath(path))
        merges.append((left, right))
    return merges


def write_merges(merges: list[tuple[str, str]]) -> str:
    """The text of a `merges.txt`.

    Raises:
        SpecError: A merge that a line cannot hold, as one with a blank or a line break.
    """
    lines = ["#version: 0.2"]
    for rank, (left, right) in enumerate(merges):
        if any(c in part for part in (left, right) for c in " \n\r"):
            raise SpecError(
                f"`{left!r}`, `{right!r}` holds a blank or a line break, which merges.txt cannot; save a JSON file",
                f"merges[{rank}]",
            )
        lines.append(f"{left} {right}")
    return "\n".join(lines) + "\n"


def read_vocab_txt(path: PathLike) -> dict[str, int]:
    """A `vocab.txt`: a token a line; its id is the number of the line, from 0."""
    lines = _lines(path)
    return {line.rstrip(): number for number, line in enumerate(lines)}


def write_vocab_txt(vocab: dict[str, int]) -> str:
    """The text of a `vocab.txt`, in the order of ids; holes in the ids are closed."""
    return "".join(f"{token}\n" for token, _ in sorted(vocab.items(), key=lambda entry: entry[1]))
