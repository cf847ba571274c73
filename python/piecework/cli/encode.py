"""`piecework encode`: texts in, ids out."""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import numpy as np
import typer

from piecework._batches import batches
from piecework.cli._source import InputError, TokenizerPath, load_tokenizer, read_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework import Tokenizer


class Format(str, Enum):
    """How the result is written."""

    ids = "ids"
    jsonl = "jsonl"
    npy = "npy"


@contextlib.contextmanager
def _sink(output: Path | None) -> Iterator[BinaryIO]:
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with output.open("wb") as stream:
            yield stream


def _id_lines(tokenizer: Tokenizer, batch: list[str], *, special: bool) -> Iterator[str]:
    rows = tokenizer.encode_ids(batch, add_special_tokens=special)
    ids, bounds = rows.ids.tolist(), rows.offsets.tolist()
    for start, end in itertools.pairwise(bounds):
        yield " ".join(map(str, ids[start:end]))


def _json_lines(tokenizer: Tokenizer, batch: list[str], *, special: bool) -> Iterator[str]:
    for encoding in tokenizer.encode_batch(batch, add_special_tokens=special):
        row = {"ids": encoding.ids, "tokens": encoding.tokens, "spans": encoding.offsets}
        yield json.dumps(row, ensure_ascii=False)


def encode(
    tokenizer: TokenizerPath,
    text: Annotated[
        list[str] | None, typer.Argument(help="Texts; without any, files or standard input.", show_default=False)
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="A file; may be given again.", show_default=False)
    ] = None,
    format: Annotated[
        Format, typer.Option(help="A line of ids a text, a JSON object a text, or one array of all ids (uint32).")
    ] = Format.ids,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file instead of standard output.")] = None,
    offsets: Annotated[
        Path | None,
        typer.Option(help="With npy: a second array, where each text begins and the last one ends (int64)."),
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="A file is one text; else a line is.")] = False,
    special_tokens: Annotated[bool, typer.Option(help="Add the special tokens of the post-processor.")] = True,
) -> None:
    """Encode texts: arguments, the lines of files, or the lines of standard input."""
    if offsets is not None and format is not Format.npy:
        raise InputError("`--offsets` goes with `--format npy`")
    if format is Format.npy and output is None and sys.stdout.isatty():
        raise InputError("an array is not for a terminal; give a file with `--output`")
    handle = load_tokenizer(tokenizer)
    texts = read_texts(text or [], file or [], whole=whole)
    if format is Format.npy:
        _write_array(handle, texts, output, offsets, special=special_tokens)
        return
    lines = _id_lines if format is Format.ids else _json_lines
    with _sink(output) as stream:
        for batch in batches(texts):
            for line in lines(handle, batch, special=special_tokens):
                stream.write(f"{line}\n".encode())


def _write_array(
    tokenizer: Tokenizer, texts: Iterator[str], output: Path | None, offsets: Path | None, *, special: bool
) -> None:
    parts = [np.empty(0, np.uint32)]
    bounds = [np.zeros(1, np.int64)]
    for batch in batches(texts):
        rows = tokenizer.encode_ids(batch, add_special_tokens=special)
        parts.append(rows.ids)
        bounds.append(rows.offsets[1:] + bounds[-1][-1])
    with _sink(output) as stream:
        np.save(stream, np.concatenate(parts))
    if offsets is not None:
        with _sink(offsets) as stream:
            np.save(stream, np.concatenate(bounds))
