"""SentencePiece model files.

The file is a protocol buffer. What is read of it here needs no generated code: a message is a list of fields, each a
number, a kind, and a value. Source of the numbers: sentencepiece_model.proto of the SentencePiece project.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

UNIGRAM, BPE, WORD, CHAR = 1, 2, 3, 4
"""Kinds of models."""

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
"""Kinds of pieces."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True)
class Piece:
    """A token of a SentencePiece model."""

    text: str
    score: float
    kind: int


@dataclass
class SentencePieceModel:
    """What a SentencePiece file says."""

    pieces: list[Piece] = field(default_factory=list)
    model_type: int = UNIGRAM
    byte_fallback: bool = False
    precompiled_charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True

    @property
    def unk_id(self) -> int | None:
        """The id of the piece for unknown characters."""
        return next((i for i, piece in enumerate(self.pieces) if piece.kind == UNKNOWN), None)


def read_model(path: str | os.PathLike[str]) -> SentencePieceModel:
    """Read a SentencePiece file.

    Raises:
        FormatError: The file is no SentencePiece model.
    """
    data = Path(path).read_bytes()
    model = SentencePieceModel()
    try:
        for number, value in _fields(data):
            if number == 1:
                model.pieces.append(_piece(_bytes(value)))
            elif number == 2:
                _read_trainer(model, _bytes(value))
            elif number == 3:
                _read_normalizer(model, _bytes(value))
    except (ValueError, IndexError, struct.error) as error:
        raise FormatError(f"is no SentencePiece model: {error}", os.fspath(path)) from error
    if not model.pieces:
        raise FormatError("is no SentencePiece model: it has no pieces", os.fspath(path))
    return model


Value = int | bytes


def _fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """The fields of a message: their numbers and values."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        value: Value
        if kind == _VARINT:
            value, at = _varint(data, at)
        elif kind == _BYTES:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
            value, at = data[at : at + size], at + size
        else:
            raise ValueError(f"a field of kind {kind} at byte {at}")
        if at > len(data):
            raise ValueError("the file ends within a field")
        yield key >> 3, value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _bytes(value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    raise ValueError("a number where a message should be")


def _piece(data: bytes) -> Piece:
    text, score, kind = "", 0.0, NORMAL
    for number, value in _fields(data):
        if number == 1:
            text = _bytes(value).decode()
        elif number == 2:
            score = struct.unpack("<f", _bytes(value))[0]
        elif number == 3 and isinstance(value, int):
            kind = value
    return Piece(text, score, kind)


def _read_trainer(model: SentencePieceModel, data: bytes) -> None:
    for number, value in _fields(data):
        if number == 3 and isinstance(value, int):
            model.model_type = value
        elif number == 35:
            model.byte_fallback = bool(value)


def _read_normalizer(model: SentencePieceModel, data: bytes) -> None:
    for number, value in _fields(data):
        if number == 2:
            model.precompiled_charsmap = _bytes(value)
        elif number == 3:
            model.add_dummy_prefix = bool(value)
        elif number == 4:
            model.remove_extra_whitespaces = bool(value)
        elif number == 5:
            model.escape_whitespaces = bool(value)
