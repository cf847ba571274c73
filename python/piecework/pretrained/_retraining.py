"""A new tokenizer of the same kind, trained on another corpus."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from piecework import pre_tokenizers
from piecework.added_token import AddedToken
from piecework.errors import TrainingError
from piecework.pretrained._budgets import Budgets
from piecework.pretrained._special_tokens import EXTRA
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self


class Retraining(Budgets):
    """Training."""

    def train_new_from_iterator(
        self,
        text_iterator: Iterable[Any],
        vocab_size: int,
        length: int | None = None,
        new_special_tokens: list[str | AddedToken] | None = None,
        special_tokens_map: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """A tokenizer with the same pipeline and special tokens, whose vocabulary is learnt anew.

        Args:
            text_iterator: Texts, or batches of texts.
            vocab_size: Number of tokens to learn.
            length: How many texts to expect, for the progress bar.
            new_special_tokens: Special tokens to add.
            special_tokens_map: New texts of special tokens, by the old ones.
            **kwargs: More arguments of the trainer.

        Raises:
            TrainingError: A token of the post-processor is not in the new vocabulary.
        """
        renamed = dict(special_tokens_map or {})
        description = json.loads(self._tokenizer.to_str())
        added, post_processor = description.pop("added_tokens"), description.pop("post_processor")
        _empty_model(description["model"], renamed, kwargs)
        if _is_over_bytes(description["pre_tokenizer"]):
            kwargs["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
        special = [*_special_tokens(added, renamed, description["model"]["type"]), *(new_special_tokens or [])]
        backend = Tokenizer.from_str(json.dumps({**description, "added_tokens": [], "post_processor": None}))
        trainer_type: Any = type(backend.model.get_trainer())
        trainer = trainer_type(vocab_size=vocab_size, special_tokens=special, **kwargs)
        backend.train_from_iterator(text_iterator, trainer, length)
        if post_processor is not None:
            _renumber(post_processor, backend, renamed)
            trained = json.loads(backend.to_str())
            backend = Tokenizer.from_str(json.dumps({**trained, "post_processor": post_processor}))
        return self._like(backend, renamed, new_special_tokens or [])

    def _like(self, backend: Tokenizer, renamed: Mapping[str, str], new: list[str | AddedToken]) -> Self:
        """A tokenizer with these settings around another backend."""
        settings = copy.deepcopy(self.init_kwargs)
        # Special tokens are in the vocabulary by now, some under new names; others that the folder had are added again.
        recorded = settings.pop("added_tokens_decoder", None) or {}
        settings["added_tokens_decoder"] = {i: token for i, token in recorded.items() if not token.special}
        for name, token in self._named.items():
            if token is None:
                continue
            text = renamed.get(str(token), str(token))
            if isinstance(token, AddedToken):
                flags = {**token.__getstate__(), "content": text, "special": True}
                settings[name] = AddedToken(**flags)
            else:
                settings[name] = text
        extra = [*self.extra_special_tokens, *new]
        if extra:
            settings[EXTRA] = extra
        settings.pop("model_specific_special_tokens", None)
        return type(self)(tokenizer_object=backend, _family=self._family, _class_name=self._class_name, **settings)


def _empty_model(model: dict[str, Any], renamed: Mapping[str, str], options: dict[str, Any]) -> None:
    """Take the vocabulary out of the description of a model; what its trainer has to know goes to the options."""
    kind = model["type"]
    if kind == "Unigram":
        if model["unk_id"] is not None:
            unknown = model["vocab"][model["unk_id"]][0]
            unknown = renamed.get(unknown, unknown)
            model["unk_id"], model["vocab"] = 0, [[unknown, 0.0]]
            options["unk_token"] = unknown
        return
    model["vocab"] = {}
    if kind == "BPE":
        model["merges"] = []
        for name in ("continuing_subword_prefix", "end_of_word_suffix"):
            if model[name] is not None:
                options.setdefault(name, model[name])
    if model.get("unk_token") in renamed:
        model["unk_token"] = renamed[model["unk_token"]]


def _is_over_bytes(pre_tokenizer: dict[str, Any] | None) -> bool:
    """Whether a pre-tokenizer writes texts as bytes."""
    if pre_tokenizer is None:
        return False
    parts = pre_tokenizer.get("pretokenizers", [pre_tokenizer])
    return any(part["type"] == "ByteLevel" for part in parts)


def _special_tokens(added: list[dict[str, Any]], renamed: Mapping[str, str], kind: str) -> list[AddedToken]:
    """The special tokens of the new vocabulary; Unigram keeps all added tokens."""
    tokens = []
    for token in added:
        if token["special"] or kind == "Unigram":
            flags = {name: flag for name, flag in token.items() if name not in ("id", "special")}
            tokens.append(AddedToken(**{**flags, "content": renamed.get(token["content"], token["content"])}))
    return tokens


def _renumber(processor: dict[str, Any], backend: Tokenizer, renamed: Mapping[str, str]) -> None:
    """Give the tokens of a post-processor their new texts and ids."""

    def new_id(token: str) -> int:
        found = backend.token_to_id(token)
        if found is None:
            raise TrainingError(f"`{token}` of the post-processor is not in the new vocabulary")
        return found

    for part in processor.get("processors", [processor]):
        for entry in part.get("special_tokens", {}).values():
            entry["tokens"] = [renamed.get(token, token) for token in entry["tokens"]]
            entry["ids"] = [new_id(token) for token in entry["tokens"]]
        for name in ("cls", "sep"):
            if name in part:
                token = renamed.get(part[name][0], part[name][0])
                part[name] = [token, new_id(token)]
