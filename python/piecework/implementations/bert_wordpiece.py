"""BERT's tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import decoders, models, trainers
from piecework.implementations.base_tokenizer import BaseTokenizer, Tokens, as_files
from piecework.normalizers import BertNormalizer
from piecework.pre_tokenizers import BertPreTokenizer
from piecework.processors import BertProcessing
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework._parts import PathLike
    from piecework.added_token import AddedToken

_SPECIAL: Tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


class BertWordPieceTokenizer(BaseTokenizer):
    """Normalizes and cuts as BERT does, with a WordPiece model.

    Args:
        vocab: Token to id, or a `vocab.txt`; without one it is to be trained.
        unk_token: Stands for words that cannot be covered.
        sep_token: Behind each text.
        cls_token: In front.
        pad_token: For filling up.
        mask_token: For masked language models.
        clean_text: Whether to remove control characters.
        handle_chinese_chars: Whether to put blanks around Chinese characters.
        strip_accents: Whether to remove accents; `None` does what `lowercase` says.
        lowercase: Whether to lower.
        wordpieces_prefix: In front of every token of a word but the first.

    Raises:
        TypeError: The vocabulary lacks `sep_token` or `cls_token`.

    Example:
        >>> from piecework import BertWordPieceTokenizer
        >>> vocab = {token: i for i, token in enumerate("[UNK] [CLS] [SEP] hug ##s".split())}
        >>> BertWordPieceTokenizer(vocab).encode("Hugs").tokens
        ['[CLS]', 'hug', '##s', '[SEP]']
    """

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        unk_token: str | AddedToken = "[UNK]",  # noqa: S107 - tokens of a vocabulary
        sep_token: str | AddedToken = "[SEP]",  # noqa: S107
        cls_token: str | AddedToken = "[CLS]",  # noqa: S107
        pad_token: str | AddedToken = "[PAD]",  # noqa: S107
        mask_token: str | AddedToken = "[MASK]",  # noqa: S107
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        model = models.WordPiece(vocab, unk_token=str(unk_token), continuing_subword_prefix=wordpieces_prefix)
        tokenizer = Tokenizer(model)
        for token in (unk_token, sep_token, cls_token, pad_token, mask_token):
            if tokenizer.token_to_id(str(token)) is not None:
                tokenizer.add_special_tokens([token])
        tokenizer.normalizer = BertNormalizer(
            clean_text=clean_text,
            handle_chinese_chars=handle_chinese_chars,
            strip_accents=strip_accents,
            lowercase=lowercase,
        )
        tokenizer.pre_tokenizer = BertPreTokenizer()
        if vocab is not None:
            ids = {}
            for name, token in (("sep_token", sep_token), ("cls_token", cls_token)):
                token_id = tokenizer.token_to_id(str(token))
                if token_id is None:
                    raise TypeError(f"{name} not found in the vocabulary")
                ids[name] = (str(token), token_id)
            tokenizer.post_processor = BertProcessing(ids["sep_token"], ids["cls_token"])
        tokenizer.decoder = decoders.WordPiece(prefix=wordpieces_prefix)
        parameters = {
            "model": "BertWordPiece",
            "unk_token": unk_token,
            "sep_token": sep_token,
            "cls_token": cls_token,
            "pad_token": pad_token,
            "mask_token": mask_token,
            "clean_text": clean_text,
            "handle_chinese_chars": handle_chinese_chars,
            "strip_accents": strip_accents,
            "lowercase": lowercase,
            "wordpieces_prefix": wordpieces_prefix,
        }
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab: str, **options: Any) -> BertWordPieceTokenizer:
        """A tokenizer with the vocabulary of a `vocab.txt`; the options are those of the class."""
        return BertWordPieceTokenizer(models.WordPiece.read_file(vocab), **options)

    def train(
        self,
        files: PathLike | list[PathLike],
        vocab_size: int = 30_000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        special_tokens: Tokens = _SPECIAL,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        """Train on files; the arguments are those of `WordPieceTrainer`."""
        trainer = _trainer(
            vocab_size,
            min_frequency,
            limit_alphabet,
            initial_alphabet,
            special_tokens,
            show_progress,
            wordpieces_prefix,
        )
        self._tokenizer.train(as_files(files), trainer=trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 30_000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        special_tokens: Tokens = _SPECIAL,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
        length: int | None = None,
    ) -> None:
        """Train on texts, or batches of texts; the arguments are those of `WordPieceTrainer`."""
        trainer = _trainer(
            vocab_size,
            min_frequency,
            limit_alphabet,
            initial_alphabet,
            special_tokens,
            show_progress,
            wordpieces_prefix,
        )
        self._tokenizer.train_from_iterator(iterator, trainer=trainer, length=length)


def _trainer(
    vocab_size: int,
    min_frequency: int,
    limit_alphabet: int,
    initial_alphabet: Sequence[str],
    special_tokens: Tokens,
    show_progress: bool,
    wordpieces_prefix: str,
) -> trainers.WordPieceTrainer:
    return trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        limit_alphabet=limit_alphabet,
        initial_alphabet=initial_alphabet,
        special_tokens=special_tokens,
        show_progress=show_progress,
        continuing_subword_prefix=wordpieces_prefix,
    )
