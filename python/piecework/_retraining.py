"""A tokenizer that is there already: trained anew, grown, or pruned."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from piecework import _core, models, pre_tokenizers, processors, trainers
from piecework._checks import natural, wrong_type
from piecework._component import CHANGES, dumps, make
from piecework._progress import Report, reporting
from piecework._pruning import Pruning, symbols_of
from piecework._trainer import checked_tokens
from piecework._training import Training
from piecework.added_token import AddedToken, AddedVocabulary
from piecework.errors import TrainingError
from piecework.word_counts import WordCounts, core_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self


class Retraining(Training):
    """How a tokenizer gets another vocabulary."""

    # -----------------------------------------------------------------------------------------------------------------
    # The same pipeline, a new vocabulary

    def train_new_from_iterator(
        self,
        iterator: Iterable[str | Iterable[str]],
        vocab_size: int,
        length: int | None = None,
        new_special_tokens: list[str | AddedToken] | None = None,
        *,
        progress: Report | None = None,
        **options: Any,
    ) -> Self:
        """A tokenizer with the same pipeline and special tokens, whose vocabulary is learnt anew. This one stays.

        Args:
            iterator: Texts, or batches of texts.
            vocab_size: Tokens of the vocabulary, special ones included.
            length: How many texts to expect, for the progress bar.
            new_special_tokens: Special tokens to add.
            progress: Called with the stage, how much of it is done, and its size.
            **options: More arguments of the trainer; not `special_tokens`, which are those of this tokenizer. A file
                does not tell how its vocabulary was learnt: `scoring="likelihood"`, say, is to be given again.

        Raises:
            TrainingError: A token of the post-processor is not in the new vocabulary.
        """
        new, trainer = self._untrained(vocab_size, new_special_tokens, options)
        new.train_from_iterator(iterator, trainer, length, progress=progress)
        new._renumber()
        return new

    def train_new_from_counts(
        self,
        counts: Mapping[str, int] | WordCounts,
        vocab_size: int,
        new_special_tokens: list[str | AddedToken] | None = None,
        *,
        progress: Report | None = None,
        **options: Any,
    ) -> Self:
        """The same from counts of pretokens that exist already.

        Args:
            counts: Pretokens of this pipeline, and how often each occurs.
            vocab_size: Tokens of the vocabulary, special ones included.
            new_special_tokens: Special tokens to add.
            progress: Called with the stage, how much of it is done, and its size.
            **options: More arguments of the trainer.

        Raises:
            TrainingError: As in `train_new_from_iterator`.
        """
        new, trainer = self._untrained(vocab_size, new_special_tokens, options)
        new.train_from_counts(counts, trainer, progress=progress)
        new._renumber()
        return new

    def _untrained(
        self, vocab_size: int, new_special_tokens: list[str | AddedToken] | None, options: dict[str, Any]
    ) -> tuple[Self, trainers.Trainer]:
        """A copy without a vocabulary, and the trainer for it."""
        added = [] if new_special_tokens is None else checked_tokens("new_special_tokens", new_special_tokens)
        description = self._model._to_json()
        kind = description["type"]
        special = [token for _, token in sorted(self._added, key=lambda item: item[0]) if token.special]
        settings: dict[str, Any] = {"vocab_size": vocab_size}
        if kind == "Unigram":
            unknown_id = description["unk_id"]
            unknown = None if unknown_id is None else description["vocab"][unknown_id][0]
            settings["unk_token"] = unknown
            description["vocab"] = [] if unknown is None else [[unknown, 0.0]]
            description["unk_id"] = None if unknown is None else 0
        else:
            unknown = description.get("unk_token")
            if unknown is not None and self._model.token_to_id(unknown) is None:
                unknown = None
            for name in ("continuing_subword_prefix", "end_of_word_suffix"):
                if name in description:
                    settings[name] = description[name]
            if kind == "BPE":
                description["merges"] = []
                if description["byte_fallback"] and self._model.token_to_id("<0x00>") is not None:
                    settings["enforce_byte_fallback"] = True
            description["vocab"] = {}
        if unknown is not None and all(token.content != unknown for token in special):
            special.insert(0, AddedToken(unknown, normalized=False, special=True))
        if kind != "WordLevel" and self._is_over_bytes():
            settings["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
        new = copy.deepcopy(self)
        new._added = AddedVocabulary()
        new.model = models.wrap(_core.Model(dumps(description)))
        trainer: Any = type(new.model.get_trainer())
        return new, trainer(special_tokens=[*special, *added], **{**settings, **options})

    def _is_over_bytes(self) -> bool:
        """Whether texts are written as bytes before the model sees them."""
        stages = (self._normalizer, self._pre_tokenizer)
        written = [json.dumps(stage._to_json()) for stage in stages if stage is not None and not stage._is_foreign()]
        return any('"type": "ByteLevel"' in stage for stage in written)

    def _renumber(self) -> None:
        """Give the tokens of the post-processor and of the padding the ids that they have now."""

        def new_id(token: str) -> int:
            found = self.token_to_id(token)
            if found is None:
                raise TrainingError(f"`{token}` of the post-processor is not in the new vocabulary")
            return found

        if self._post_processor is not None:
            description = self._post_processor._to_json()
            for part in description.get("processors", [description]):
                for entry in part.get("special_tokens", {}).values():
                    entry["ids"] = [new_id(token) for token in entry["tokens"]]
                for name in ("cls", "sep"):
                    if name in part:
                        part[name] = [part[name][0], new_id(part[name][0])]
            self.post_processor = make(processors.FAMILY, description)
        padding = self.padding
        if padding is not None and (pad_id := self.token_to_id(padding["pad_token"])) is not None:
            self.enable_padding(**{**padding, "pad_id": pad_id})

    # -----------------------------------------------------------------------------------------------------------------
    # More tokens, fewer tokens

    def extend(
        self,
        counts: Mapping[str, int] | WordCounts,
        vocab_size: int,
        *,
        min_frequency: int = 0,
        progress: Report | None = None,
    ) -> int:
        """Go on with the training of a BPE model. All tokens keep their ids and all merges their ranks.

        New tokens get ids above all others, added tokens included. Characters that the model does not know come first.
        Added tokens get into the vocabulary of the model, since a file numbers those that are not in it anew.

        Args:
            counts: Pretokens of this pipeline, and how often each occurs.
            vocab_size: Tokens to reach, added ones included.
            min_frequency: How often a pair must occur to be merged.
            progress: Called with the stage, how much of it is done, and its size.

        Returns:
            How many tokens were added; less than asked for if the text has no more pairs.

        Raises:
            TrainingError: The model is no BPE, or has more tokens already.
        """
        name = self._model._handle.name
        if name != "BPE":
            raise TrainingError(f"only a BPE can be extended, not a {name}")
        before = self.get_vocab_size()
        room = natural("vocab_size", vocab_size) - before
        if room < 0:
            raise TrainingError(f"vocab_size is {vocab_size}, but there are {before} tokens already")
        known = self._model._handle
        outside = [(token.content, i) for i, token in self._added if known.token_to_id(token.content) is None]
        with reporting(progress, show=False) as report:
            handle = _core.extend(
                self._model._compile(),
                core_counts(counts),
                room,
                natural("min_frequency", min_frequency),
                outside,
                report,
            )
        added = handle.size - known.size - len(outside)
        self._model._take(handle)
        CHANGES.count += 1
        return added

    def prune(
        self,
        keep: int | Iterable[str] | None = None,
        counts: Mapping[str, int] | WordCounts | None = None,
        *,
        progress: Report | None = None,
    ) -> dict[int, int]:
        """Take tokens out of the vocabulary, with the merges that make them.

        In any case stay: added tokens, the unknown token, characters and bytes, and what a token that stays is made
        of. What is left gets ids without holes, in the old order; post-processor and padding follow.

        Args:
            keep: How many tokens are to be left, added ones included: the least used go (with `counts`). Or the
                tokens that have to stay.
            counts: Pretokens of this pipeline, and how often each occurs. Without a number to keep, tokens stay that
                they use.
            progress: Called with the stage, how much of it is done, and its size.

        Returns:
            The new id of every id that is left.

        Raises:
            TypeError: Neither `keep` nor `counts` tells what is to stay.
            TrainingError: A token to keep is not in the vocabulary, or fewer are to be left than have to stay.
        """
        size, named = self._wanted(keep, counts)
        description = self._model._to_json()
        times: dict[int, int] = {}
        if counts is not None:
            with reporting(progress, show=False) as report:
                times = _core.usage(self._model._compile(), core_counts(counts), report)
        added = sorted(self._added, key=lambda item: item[0])
        named |= {token.content for _, token in added}
        is_symbol = symbols_of(description)
        pruning = Pruning(description, times, lambda token: token in named or is_symbol(token))
        outside = sum(self._model.token_to_id(token.content) is None for _, token in added)
        pruning.drop(None if size is None else max(0, size - outside))
        left, moved = pruning.result()
        if size is not None and len(left["vocab"]) + outside > size:
            least = len(left["vocab"]) + outside
            raise TrainingError(f"keep is {size}, but {least} tokens have to stay: added ones, characters and bytes")
        pruned = copy.deepcopy(self)
        pruned.model = models.wrap(_core.Model(dumps(left)))
        pruned._added = AddedVocabulary()
        pruned._added.add([token for _, token in added], pruned._model._handle)
        pruned._added.once_special |= self._added.once_special
        pruned._added.version = self._added.version + 1
        for token_id, token in added:
            found = pruned._added.id_of(token.content)
            if found is not None:
                moved[token_id] = found
        pruned._renumber()
        # Nothing was changed up to here.
        self._model._take(pruned._model._handle)
        self._added, self._post_processor, self._padding = pruned._added, pruned._post_processor, pruned._padding
        CHANGES.count += 1
        return dict(sorted(moved.items()))

    def _wanted(self, keep: object, counts: object) -> tuple[int | None, set[str]]:
        """How many tokens are to be left, and which have to."""
        if keep is None:
            if counts is None:
                raise TypeError("`keep` or `counts` must tell which tokens are to stay")
            return None, set()
        if hasattr(type(keep), "__index__"):
            if counts is None:
                raise TypeError("to keep a number of tokens, `counts` must tell how often they are used")
            return natural("keep", keep), set()
        if isinstance(keep, (str, bytes)) or not hasattr(type(keep), "__iter__"):
            raise wrong_type("keep", "int or an iterable of str", keep)
        tokens: Iterable[object] = keep  # type: ignore[assignment]
        named = set()
        for i, token in enumerate(tokens):
            if not isinstance(token, str):
                raise wrong_type(f"keep[{i}]", "str", token)
            if self.token_to_id(token) is None:
                raise TrainingError(f"keep[{i}]: `{token}` is not in the vocabulary")
            named.add(token)
        return None, named
