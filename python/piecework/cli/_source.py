"""Where texts come from: arguments, files or standard input; and the tokenizer that they are for."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from piecework import PieceworkError, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TokenizerPath = Annotated[
    Path, typer.Option("--tokenizer", "-t", help="A tokenizer.json, or a folder with one.", show_default=False)
]


class InputError(ValueError):
    """An argument or an input that cannot be used."""


def tokenizer_file(path: Path) -> Path:
    """The file itself, or `tokenizer.json` of a folder."""
    return path / "tokenizer.json" if path.is_dir() else path


def load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer in a file, or in `tokenizer.json` of a folder.

    Raises:
        InputError: The file describes no tokenizer.
    """
    file = tokenizer_file(path)
    try:
        return Tokenizer.from_buffer(file.read_bytes())
    except PieceworkError as error:
        raise InputError(f"`{file}`: {error}") from None


def absolute(path: Path) -> Path:
    """The path from the root on, by its text alone."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - `Path.absolute` leaves `..`


def decodable(name: str) -> str:
    """The name of a file as text, with codes for bytes that are none."""
    return name.encode("utf-8", "backslashreplace").decode()


def read_texts(given: Sequence[str], files: Sequence[Path], *, whole: bool) -> Iterator[str]:
    """The texts given, else those of the files, else those of standard input.

    A line is a text, without its line feed; with `whole` a file is.

    Raises:
        InputError: Texts and files are both given, or an input is not UTF-8.
    """
    if given and files:
        raise InputError("texts are given and files too; one of them is expected")
    if given:
        yield from given
    elif files:
        for file in files:
            with file.open("rb") as stream:
                yield from _texts(stream, f"`{file}`", whole=whole)
    else:
        yield from _texts(sys.stdin.buffer, "standard input", whole=whole)


def _texts(stream: BinaryIO, name: str, *, whole: bool) -> Iterator[str]:
    if whole:
        yield _decode(stream.read(), f"{name}: ")
    else:
        for line in read_lines(stream, name):
            yield line.removesuffix("\n")


def read_lines(stream: BinaryIO, name: str) -> Iterator[str]:
    """The lines of a stream, each with its line feed. Only that ends a line: other line ends are part of the text.

    Raises:
        InputError: A line is not UTF-8; the message has the name of the stream, the line and the byte in it.
    """
    for number, line in enumerate(stream, 1):
        yield _decode(line, f"{name}: line {number}, ")


def _decode(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{where}byte {error.start} is not UTF-8") from None
