"""BPE over whole texts with word marks, as SentencePiece has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import decoders, models, pre_tokenizers, trainers
from piecework.implementations.base_tokenizer import BaseTokenizer, Tokens, as_files
from piecework.normalizers import NFKC
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework._parts import PathLike
    from piecework.added_token import AddedToken

_SPECIAL: Tokens = ["<unk>"]


class SentencePieceBPETokenizer(BaseTokenizer):
    """A BPE model over words that begin with a mark.

    Args:
        vocab: Token to id, or a `vocab.json`; without it and `merges` it is to be trained.
        merges: Pairs of tokens, or a `merges.txt`.
        unk_token: Stands for unknown characters.
        replacement: The mark.
        add_prefix_space: Whether the first word has a mark too.
        dropout: Probability of passing over a merge.
        fuse_unk: Whether neighbouring unknown characters become one token.

    Raises:
        ValueError: Only one of `vocab` and `merges` is given, or one is a file and the other is not.

    Example:
        >>> from piecework import SentencePieceBPETokenizer
        >>> tokenizer = SentencePieceBPETokenizer()
        >>> tokenizer.train_from_iterator(["hug hugs hug"], vocab_size=20, show_progress=False)
        >>> tokenizer.encode("hug").tokens
        ['▁hug']
    """

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        unk_token: str | AddedToken = "<unk>",  # noqa: S107 - a token of a vocabulary
        replacement: str = "▁",
        add_prefix_space: bool = True,
        dropout: float | None = None,
        fuse_unk: bool = False,
    ) -> None:
        model = models.BPE(
            vocab,
            merges,
            dropout=dropout,
            unk_token=str(unk_token),
            fuse_unk=bool(fuse_unk),
        )
        tokenizer = Tokenizer(model)
        if tokenizer.token_to_id(str(unk_token)) is not None:
            tokenizer.add_special_tokens([unk_token])
        tokenizer.normalizer = NFKC()
        scheme = "always" if add_prefix_space else "never"
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement, scheme)
        tokenizer.decoder = decoders.Metaspace(replacement, scheme)
        parameters = {
            "model": "SentencePieceBPE",
            "unk_token": unk_token,
            "replacement": replacement,
            "add_prefix_space": add_prefix_space,
            "dropout": dropout,
        }
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **options: Any) -> SentencePieceBPETokenizer:
        """A tokenizer with the vocabulary of two files; the options are those of the class."""
        return SentencePieceBPETokenizer(*models.BPE.read_file(vocab_filename, merges_filename), **options)

    def train(
        self,
        files: PathLike | list[PathLike],
        vocab_size: int = 30_000,
        min_frequency: int = 2,
        special_tokens: Tokens = _SPECIAL,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        show_progress: bool = True,
    ) -> None:
        """Train on files; the arguments are those of `BpeTrainer`."""
        trainer = _trainer(vocab_size, min_frequency, special_tokens, limit_alphabet, initial_alphabet, show_progress)
        self._tokenizer.train(as_files(files), trainer=trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 30_000,
        min_frequency: int = 2,
        special_tokens: Tokens = _SPECIAL,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        """Train on texts, or batches of texts; the arguments are those of `BpeTrainer`."""
        trainer = _trainer(vocab_size, min_frequency, special_tokens, limit_alphabet, initial_alphabet, show_progress)
        self._tokenizer.train_from_iterator(iterator, trainer=trainer, length=length)


def _trainer(
    vocab_size: int,
    min_frequency: int,
    special_tokens: Tokens,
    limit_alphabet: int,
    initial_alphabet: Sequence[str],
    show_progress: bool,
) -> trainers.BpeTrainer:
    return trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        limit_alphabet=limit_alphabet,
        initial_alphabet=initial_alphabet,
        show_progress=show_progress,
    )
