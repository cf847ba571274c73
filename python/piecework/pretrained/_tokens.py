"""Tokens, ids and text: from one to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from piecework._checks import boolean
from piecework.pretrained._identity import Identity
from piecework.pretrained._special_tokens import checked
from piecework.pretrained._tensors import to_python

if TYPE_CHECKING:
    from piecework.added_token import AddedToken

# What `clean_up_tokenization` takes out, in its order.
_CLEANED = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


class Tokens(Identity):
    """The vocabulary of a tokenizer, and decoding."""

    # -----------------------------------------------------------------------------------------------------------------
    # Vocabulary

    @property
    def vocab_size(self) -> int:
        """Number of tokens of the model, without added ones."""
        return self._tokenizer.get_vocab_size(with_added_tokens=False)

    def __len__(self) -> int:
        """Number of tokens, with the added ones."""
        return self._tokenizer.get_vocab_size(with_added_tokens=True)

    def __bool__(self) -> bool:
        """A tokenizer is there, even if its vocabulary is empty."""
        return True

    def get_vocab(self) -> dict[str, int]:
        """All tokens with their ids, as a new dict."""
        return self._tokenizer.get_vocab(with_added_tokens=True)

    @property
    def vocab(self) -> dict[str, int]:
        """The same as `get_vocab()`."""
        return self.get_vocab()

    @property
    def added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        return self._tokenizer.get_added_tokens_decoder()

    @property
    def added_tokens_encoder(self) -> dict[str, int]:
        """The ids of the added tokens by text, in the order of ids."""
        return {token.content: token_id for token_id, token in self.added_tokens_decoder.items()}

    def get_added_vocab(self) -> dict[str, int]:
        """The same as `added_tokens_encoder`."""
        return self.added_tokens_encoder

    def add_tokens(self, new_tokens: Any, special_tokens: bool = False) -> int:
        """Add tokens that are found as a whole in texts.

        Args:
            new_tokens: A token, or a list of them: texts, or `AddedToken`.
            special_tokens: Whether decoding may leave them out.

        Returns:
            How many were added, or changed their flags.
        """
        tokens = list(new_tokens) if isinstance(new_tokens, (list, tuple)) else [new_tokens] if new_tokens else []
        return self._add(tokens, special=boolean("special_tokens", special_tokens))

    def _add(self, tokens: list[Any], *, special: bool) -> int:
        given = [checked(f"new_tokens[{i}]", token) for i, token in enumerate(tokens)]
        return self._tokenizer.add_special_tokens(given) if special else self._tokenizer.add_tokens(given)

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """How many tokens a call adds to a text, or to a pair."""
        return self._tokenizer.num_special_tokens_to_add(pair)

    @property
    def max_len_single_sentence(self) -> int:
        """Most tokens of a text, without those that a call adds."""
        return self.model_max_length - self.num_special_tokens_to_add(pair=False)

    @property
    def max_len_sentences_pair(self) -> int:
        """Most tokens of a pair, without those that a call adds."""
        return self.model_max_length - self.num_special_tokens_to_add(pair=True)

    def get_special_tokens_mask(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None, already_has_special_tokens: bool = False
    ) -> list[int]:
        """1 for ids of special tokens, else 0.

        Args:
            token_ids_0: The ids of a whole row.
            token_ids_1: Must be None.
            already_has_special_tokens: Must be True: a row without its special tokens cannot be masked. Ask the call
                for `return_special_tokens_mask` instead.
        """
        if not already_has_special_tokens:
            raise NotImplementedError("only rows with their special tokens: already_has_special_tokens=True")
        if token_ids_1 is not None:
            raise ValueError("`token_ids_1` was given, but a row with its special tokens comes in one piece")
        special = set(self.all_special_ids)
        return [int(int(token_id) in special) for token_id in token_ids_0]

    # -----------------------------------------------------------------------------------------------------------------
    # Tokens and ids

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """The id of a token, or the ids of a list; that of the unknown token where there is none."""
        if isinstance(tokens, str):
            found = self._tokenizer.token_to_id(tokens)
            return self._unknown_id(tokens) if found is None else found
        return [self.convert_tokens_to_ids(token) for token in tokens]

    def _unknown_id(self, token: str) -> int | None:
        unknown = self.unk_token
        return None if unknown is None or unknown == token else self._tokenizer.token_to_id(unknown)

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """The token of an id, or the tokens of a list of ids; None for an id that no token has."""
        if isinstance(ids, int):
            return self._tokenizer.id_to_token(ids)
        skipped = set(self.all_special_ids) if skip_special_tokens else set()
        return [self._tokenizer.id_to_token(int(token_id)) for token_id in ids if int(token_id) not in skipped]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """The text of tokens."""
        decoder = self._tokenizer.decoder
        return " ".join(tokens) if decoder is None else decoder.decode(list(tokens))

    # -----------------------------------------------------------------------------------------------------------------
    # Decoding

    @overload
    def decode(
        self,
        token_ids: int | list[int],
        skip_special_tokens: bool = ...,
        clean_up_tokenization_spaces: bool | None = ...,
        **_options: object,
    ) -> str: ...
    @overload
    def decode(
        self,
        token_ids: list[list[int]],
        skip_special_tokens: bool = ...,
        clean_up_tokenization_spaces: bool | None = ...,
        **_options: object,
    ) -> list[str]: ...
    @overload
    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = ...,
        clean_up_tokenization_spaces: bool | None = ...,
        **_options: object,
    ) -> Any: ...
    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **_options: object,
    ) -> Any:
        """The text of ids, or the texts of a list of lists of ids.

        Args:
            token_ids: An id, a list of ids or a list of lists; arrays too. Ids that no token has are passed over.
            skip_special_tokens: Whether to leave special tokens out.
            clean_up_tokenization_spaces: Whether to take out blanks before punctuation; the default is the setting of
                the tokenizer. It does nothing for BPE, whose blanks are those of the text.
        """
        ids = to_python(token_ids)
        if isinstance(ids, int):
            ids = [ids]
        elif hasattr(ids, "keys"):
            ids = ids["input_ids"]
        if isinstance(ids, (list, tuple)) and ids and isinstance(ids[0], (list, tuple)):
            texts = self._tokenizer.decode_batch(ids, skip_special_tokens)
            return [self._cleaned(text, clean_up_tokenization_spaces) for text in texts]
        return self._cleaned(self._tokenizer.decode(ids, skip_special_tokens), clean_up_tokenization_spaces)

    def batch_decode(
        self,
        sequences: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **_options: object,
    ) -> list[str]:
        """The texts of lists of ids; see `decode`. A flat list of ids gives a list of one text."""
        if len(sequences) == 0:
            return []
        texts = self.decode(sequences, skip_special_tokens, clean_up_tokenization_spaces)
        return [texts] if isinstance(texts, str) else texts

    def _cleaned(self, text: str, clean_up: bool | None) -> str:
        if self._family is not None and self._family.decoded is not None:
            text = self._family.decoded(text)
        if not (self.clean_up_tokenization_spaces if clean_up is None else clean_up):
            return text
        forced = self.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output
        if type(self._tokenizer.model).__name__ == "BPE" and not forced:
            return text
        return self.clean_up_tokenization(text)

    @staticmethod
    def clean_up_tokenization(text: str) -> str:
        """A text without blanks before punctuation and shortened words of English."""
        for written, cleaned in _CLEANED:
            text = text.replace(written, cleaned)
        return text

    def __repr__(self) -> str:
        added = "".join(f"\n\t{token_id}: {token!r}," for token_id, token in self.added_tokens_decoder.items())
        return (
            f"{type(self).__name__}(name_or_path='{self.name_or_path}', vocab_size={self.vocab_size}, "
            f"model_max_length={self.model_max_length}, padding_side='{self.padding_side}', "
            f"truncation_side='{self.truncation_side}', special_tokens={self.special_tokens_map}, "
            f"added_tokens_decoder={{{added}\n}})"
        )
