"""Which entry of a vocabulary is wrong: looked for only where the extension refuses one, as checking all is slow."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from piecework._checks import id_number, number, text, wrong_type
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def named(vocab: Any) -> Iterator[None]:
    """Raise for the first entry that is wrong, where what is done with the vocabulary fails without a place.

    Args:
        vocab: A dict of token to id, or pairs of token and score.
    """
    try:
        yield
    except PieceworkError:
        raise
    except (TypeError, ValueError, OverflowError):
        if isinstance(vocab, dict):
            for token, token_id in vocab.items():
                text("a token of vocab", token)
                id_number(f"vocab[{token!r}]", token_id)
        else:
            for at, piece in enumerate(vocab):
                _check_piece(f"vocab[{at}]", piece)
        raise


def _check_piece(name: str, piece: object) -> None:
    if not isinstance(piece, tuple) or len(piece) != 2:
        raise wrong_type(name, "a tuple of str and float", piece)
    text(f"{name}[0]", piece[0])
    number(f"{name}[1]", piece[1])
