"""Tokenizers of models that translate: special tokens say which language a text is in."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar

from piecework.added_token import AddedToken
from piecework.errors import SettingError, SpecError
from piecework.pretrained import _languages
from piecework.pretrained._ends import Ends
from piecework.pretrained.tokenizer import PreTrainedTokenizer

if TYPE_CHECKING:
    from piecework.processors import PostProcessor

__all__ = ["TranslationTokenizer"]

logger = logging.getLogger(__name__)

_LANGUAGES = {
    "MBartTokenizer": _languages.MBART,
    "MBart50Tokenizer": _languages.MBART50,
    "NllbTokenizer": _languages.NLLB,
    "SeamlessM4TTokenizer": [],
}


class TranslationTokenizer(
    PreTrainedTokenizer, families=("MBartTokenizer", "MBart50Tokenizer", "NllbTokenizer", "SeamlessM4TTokenizer")
):
    """The tokenizer of mBART, mBART-50, NLLB or SeamlessM4T, made by `AutoTokenizer.from_pretrained` for their folders.

    Texts get the special tokens of `src_lang`, targets (`text_target`) those of `tgt_lang`. mBART puts the language
    behind the end of a text, and so does NLLB with `legacy_behaviour=True`; the others put it in front.

    Example:
        >>> import tempfile
        >>> from piecework import PreTrainedTokenizer, Tokenizer, models
        >>> tokens = ["<s>", "<pad>", "</s>", "<unk>", "▁", "h", "i", "o"]
        >>> backend = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, [], unk_token="<unk>"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = PreTrainedTokenizer(tokenizer_object=backend).save_pretrained(folder)
        ...     tokenizer = PreTrainedTokenizer.from_pretrained(folder, model_type="nllb", tgt_lang="fra_Latn")
        >>> batch = tokenizer("hi", text_target="oh")
        >>> batch.tokens(), tokenizer.convert_ids_to_tokens(batch["labels"])
        (['eng_Latn', '▁', 'h', 'i', '</s>'], ['fra_Latn', '▁', 'o', 'h', '</s>'])
    """

    _saved_properties: ClassVar[tuple[str, ...]] = ("src_lang", "tgt_lang")

    cur_lang_code: int
    """The id of the language that texts are encoded with."""
    prefix_tokens: list[int]
    """Ids of what is put in front of texts."""
    suffix_tokens: list[int]
    """Ids of what is put behind texts."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if self._family is None:
            raise SpecError("this class is made by from_pretrained, for a folder that names a class that translates")
        self._style = self._family.name
        languages = _LANGUAGES[self._style]
        if self._style == "MBart50Tokenizer":
            present = {str(token) for token in self._extra}
            self._extra += [AddedToken(code, special=True) for code in languages if code not in present]
        self.lang_code_to_id: dict[str, int] = dict(zip(languages, self.convert_tokens_to_ids(languages), strict=True))
        self._unknown: set[str] = set()
        settings = self.init_kwargs
        default = "eng_Latn" if self._style == "NllbTokenizer" else "en_XX"
        self._src_lang = self._code(settings.get("src_lang") or default)
        self._tgt_lang = settings.get("tgt_lang")
        if self._style == "SeamlessM4TTokenizer":
            self.set_tgt_lang_special_tokens(self._target_language())
        else:
            self.set_src_lang_special_tokens(self._src_lang)

    # -----------------------------------------------------------------------------------------------------------------
    # Languages

    @property
    def src_lang(self) -> str:
        """The language of texts; setting it changes what is put around them."""
        return self._src_lang

    @src_lang.setter
    def src_lang(self, language: str) -> None:
        self._src_lang = self._code(language)
        self.set_src_lang_special_tokens(self._src_lang)

    @property
    def tgt_lang(self) -> str | None:
        """The language of targets. None becomes that of texts with the first target."""
        return self._tgt_lang

    @tgt_lang.setter
    def tgt_lang(self, language: str | None) -> None:
        self._tgt_lang = None if language is None else self._code(language)
        if self._style == "SeamlessM4TTokenizer":
            self.set_tgt_lang_special_tokens(self._target_language())

    def set_src_lang_special_tokens(self, src_lang: str) -> None:
        """Put around texts what a language has as source. The next call with a text goes back to `src_lang`."""
        self._put(src_lang, self._ends_of(src_lang, is_target=False))

    def set_tgt_lang_special_tokens(self, lang: str) -> None:
        """Put around texts what a language has as target, for direct use of the backend.

        Calls need no such switch: `text_target` has the special tokens of the target, and `text` those of the source.
        """
        self._put(lang, self._ends_of(lang, is_target=True))

    def _code(self, language: object) -> str:
        """A language as its special token is written."""
        if not isinstance(language, str):
            raise TypeError(f"a language must be str, not {type(language).__name__}")
        plain = self._style != "SeamlessM4TTokenizer" or "__" in language
        return language if plain else f"__{language}__"

    def _target_language(self) -> str:
        if self._tgt_lang is None:
            self._tgt_lang = self._src_lang
        return self._tgt_lang

    def _ends_of(self, language: str, *, is_target: bool) -> Ends:
        """The special tokens around texts of a language."""
        token_id = self.convert_tokens_to_ids(language)
        if token_id is None or self.eos_token is None or self.eos_token_id is None:
            raise SettingError(f"`{language}` or eos_token `{self.eos_token}` is not in the vocabulary")
        if token_id == self.unk_token_id:
            if language not in self._unknown:
                self._unknown.add(language)
                logger.warning("the language `%s` is not in the vocabulary: texts get the unknown token", language)
            if self._style != "NllbTokenizer":
                language = self.convert_ids_to_tokens(token_id)
        end, code = (self.eos_token, self.eos_token_id), (language, token_id)
        if self._style == "MBartTokenizer" or self.init_kwargs.get("legacy_behaviour"):
            return Ends((), (end, code))
        return Ends((end, code) if is_target and self._style == "SeamlessM4TTokenizer" else (code,), (end,))

    def _put(self, language: str, ends: Ends) -> None:
        self.cur_lang_code = self.convert_tokens_to_ids(language)
        self.prefix_tokens, self.suffix_tokens = ([token_id for _, token_id in tokens] for tokens in ends)
        self._around: tuple[Ends, PostProcessor] = (ends, ends.template())
        self._tokenizer.post_processor = self._around[1]

    # -----------------------------------------------------------------------------------------------------------------
    # Calls

    def __call__(self, *args: Any, src_lang: str | None = None, tgt_lang: str | None = None, **kwargs: Any) -> Any:
        """Encode texts; see `PreTrainedTokenizer` for the arguments.

        Args:
            *args: The texts.
            src_lang: Sets the language of texts, for SeamlessM4T; the others have it as an attribute only.
            tgt_lang: Sets the language of targets, for SeamlessM4T.
            **kwargs: More arguments.
        """
        if self._style == "SeamlessM4TTokenizer":
            if src_lang is not None:
                self.src_lang = src_lang
            if tgt_lang is not None:
                self.tgt_lang = tgt_lang
        return super().__call__(*args, **kwargs)

    def _begin_call(self) -> None:
        """Go back to the source, if something else was put around texts in between."""
        ends, template = self._around
        wanted = self._ends_of(self._src_lang, is_target=False)
        if ends != wanted or self._tokenizer.post_processor is not template:
            self._put(self._src_lang, wanted)

    def _ends_of_targets(self) -> Ends:
        return self._ends_of(self._target_language(), is_target=True)
