"""What the ready tokenizers share: a `Tokenizer` inside, and its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.normalizers import Lowercase, Normalizer, Sequence, unicode_normalizer_from_str

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework._parts import PathLike
    from piecework.added_token import AddedToken
    from piecework.decoders import Decoder
    from piecework.encoding import Encoding
    from piecework.models import Model
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.processors import PostProcessor
    from piecework.tokenizer import Tokenizer

Tokens = list["str | AddedToken"]


def as_files(files: PathLike | list[PathLike]) -> list[PathLike]:
    """One file or several, as a list."""
    return list(files) if isinstance(files, (list, tuple)) else [files]


def unicode_and_case(form: str | None, *more: Normalizer | None, lowercase: bool) -> Normalizer | None:
    """A normal form of Unicode, other normalizers, and lower case: what is asked for of it, as one normalizer."""
    chosen = [unicode_normalizer_from_str(form)] if form else []
    chosen += [normalizer for normalizer in more if normalizer is not None]
    if lowercase:
        chosen.append(Lowercase())
    if not chosen:
        return None
    return chosen[0] if len(chosen) == 1 else Sequence(chosen)


class BaseTokenizer:
    """A tokenizer that was put together from parameters.

    Args:
        tokenizer: The tokenizer that does the work.
        parameters: What it was put together from; for show.

    Example:
        >>> from piecework import CharBPETokenizer
        >>> CharBPETokenizer(lowercase=True).normalize("Hi")
        'hi'
    """

    def __init__(self, tokenizer: Tokenizer, parameters: dict[str, Any] | None = None) -> None:
        self._tokenizer = tokenizer
        self._parameters = {} if parameters is None else parameters

    def __repr__(self) -> str:
        shown = [f"vocabulary_size={self.get_vocab_size()}", *(f"{k}={v}" for k, v in self._parameters.items())]
        return f"Tokenizer({', '.join(shown)})"

    def _program(self) -> Any:
        """The compiled tokenizer, for a `DecodeStream`."""
        return self._tokenizer._program()

    # -----------------------------------------------------------------------------------------------------------------
    # Encoding and decoding

    def encode(
        self,
        sequence: str | list[str] | tuple[str, ...],
        pair: str | list[str] | tuple[str, ...] | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """Encode a text, or a pair of texts; see `Tokenizer.encode`."""
        if sequence is None:
            raise ValueError("encode: `sequence` can't be `None`")
        return self._tokenizer.encode(sequence, pair, is_pretokenized, add_special_tokens)

    def encode_batch(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encode many texts or pairs; see `Tokenizer.encode_batch`."""
        if inputs is None:
            raise ValueError("encode_batch: `inputs` can't be `None`")
        return self._tokenizer.encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """`encode_batch` in a thread of the event loop's pool."""
        if inputs is None:
            raise ValueError("async_encode_batch: `inputs` can't be `None`")
        return await self._tokenizer.async_encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """`Tokenizer.encode_batch_fast` in a thread of the event loop's pool."""
        if inputs is None:
            raise ValueError("async_encode_batch_fast: `inputs` can't be `None`")
        return await self._tokenizer.async_encode_batch_fast(inputs, is_pretokenized, add_special_tokens)

    def decode(self, ids: list[int], skip_special_tokens: bool = True) -> str:
        """The text of ids."""
        if ids is None:
            raise ValueError("None input is not valid. Should be a list of integers.")
        return self._tokenizer.decode(ids, skip_special_tokens)

    def decode_batch(self, sequences: list[list[int]], skip_special_tokens: bool = True) -> list[str]:
        """The texts of many lists of ids."""
        if sequences is None:
            raise ValueError("None input is not valid. Should be list of list of integers.")
        return self._tokenizer.decode_batch(sequences, skip_special_tokens)

    async def async_decode_batch(self, sequences: list[list[int]], skip_special_tokens: bool = True) -> list[str]:
        """`decode_batch` in a thread of the event loop's pool."""
        if sequences is None:
            raise ValueError("None input is not valid. Should be list of list of integers.")
        return await self._tokenizer.async_decode_batch(sequences, skip_special_tokens)

    def normalize(self, sequence: str) -> str:
        """What the normalizer makes of a text."""
        normalizer = self._tokenizer.normalizer
        return sequence if normalizer is None else normalizer.normalize_str(sequence)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Truncate encodings, put in special tokens, and pad."""
        return self._tokenizer.post_process(encoding, pair, add_special_tokens)

    # -----------------------------------------------------------------------------------------------------------------
    # Vocabulary

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None."""
        return self._tokenizer.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, or None."""
        return self._tokenizer.id_to_token(id)

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """All tokens with their ids."""
        return self._tokenizer.get_vocab(with_added_tokens)

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Number of tokens."""
        return self._tokenizer.get_vocab_size(with_added_tokens)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        return self._tokenizer.get_added_tokens_decoder()

    def add_tokens(self, tokens: Tokens) -> int:
        """Add tokens that are found as a whole; gives how many were added or changed."""
        return self._tokenizer.add_tokens(tokens)

    def add_special_tokens(self, special_tokens: Tokens) -> int:
        """Add special tokens; gives how many were added or changed."""
        return self._tokenizer.add_special_tokens(special_tokens)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens the post-processor adds to one text, or to a pair."""
        return self._tokenizer.num_special_tokens_to_add(is_pair)

    # -----------------------------------------------------------------------------------------------------------------
    # Settings

    def enable_padding(
        self,
        direction: str = "right",
        pad_to_multiple_of: int | None = None,
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",  # noqa: S107 - a token of a vocabulary
        length: int | None = None,
    ) -> None:
        """Fill encodings up; see `Tokenizer.enable_padding`."""
        self._tokenizer.enable_padding(
            direction=direction,
            pad_to_multiple_of=pad_to_multiple_of,
            pad_id=pad_id,
            pad_type_id=pad_type_id,
            pad_token=pad_token,
            length=length,
        )

    def no_padding(self) -> None:
        """Do not pad."""
        self._tokenizer.no_padding()

    @property
    def padding(self) -> dict[str, Any] | None:
        """The padding settings."""
        return self._tokenizer.padding

    def enable_truncation(self, max_length: int, stride: int = 0, strategy: str = "longest_first") -> None:
        """Cut what is longer than `max_length`; see `Tokenizer.enable_truncation`."""
        self._tokenizer.enable_truncation(max_length, stride=stride, strategy=strategy)

    def no_truncation(self) -> None:
        """Do not truncate."""
        self._tokenizer.no_truncation()

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The truncation settings."""
        return self._tokenizer.truncation

    # -----------------------------------------------------------------------------------------------------------------
    # Files and parts

    def save(self, path: PathLike, pretty: bool = True) -> None:
        """Write a `tokenizer.json`."""
        self._tokenizer.save(path, pretty)

    def to_str(self, pretty: bool = False) -> str:
        """The text of a `tokenizer.json`."""
        return self._tokenizer.to_str(pretty)

    def save_model(self, directory: PathLike, prefix: str | None = None) -> list[str]:
        """Write the files of the model; gives their paths."""
        return self._tokenizer.model.save(directory, prefix)

    @property
    def model(self) -> Model:
        """What turns pretokens into tokens."""
        return self._tokenizer.model

    @model.setter
    def model(self, model: Model) -> None:
        self._tokenizer.model = model

    @property
    def normalizer(self) -> Normalizer | None:
        """What happens to a text first."""
        return self._tokenizer.normalizer

    @normalizer.setter
    def normalizer(self, normalizer: Normalizer | None) -> None:
        self._tokenizer.normalizer = normalizer

    @property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """Where a text is cut before the model sees it."""
        return self._tokenizer.pre_tokenizer

    @pre_tokenizer.setter
    def pre_tokenizer(self, pre_tokenizer: PreTokenizer | None) -> None:
        self._tokenizer.pre_tokenizer = pre_tokenizer

    @property
    def post_processor(self) -> PostProcessor | None:
        """What is put around the tokens of a text."""
        return self._tokenizer.post_processor

    @post_processor.setter
    def post_processor(self, post_processor: PostProcessor | None) -> None:
        self._tokenizer.post_processor = post_processor

    @property
    def decoder(self) -> Decoder | None:
        """How tokens become text again."""
        return self._tokenizer.decoder

    @decoder.setter
    def decoder(self, decoder: Decoder | None) -> None:
        self._tokenizer.decoder = decoder
