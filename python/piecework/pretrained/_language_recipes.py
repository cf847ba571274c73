"""Pipelines of models that translate; see `_recipes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import decoders, models, normalizers, pre_tokenizers
from piecework.added_token import AddedToken
from piecework.pretrained import _languages
from piecework.pretrained._recipes import of_characters, with_options
from piecework.pretrained._special_tokens import EXTRA
from piecework.regex import Regex
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from piecework.pretrained._recipes import Settings

_OLDER = "additional_special_tokens"
"""The name of `extra_special_tokens` in older folders."""


def _metaspace(tokenizer: Tokenizer, scheme: str = "always") -> Tokenizer:
    """The tokenizer with `▁` for blanks."""
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme=scheme)
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme=scheme)
    return tokenizer


def _pieces(model: models.Model) -> models.Model:
    """The pieces of mBART, whose unknown token is the fourth."""
    return with_options(model, unk_id=3, byte_fallback=False)


def mbart(model: models.Model, _settings: Settings) -> Tokenizer:
    """MBART: words of white space, characters as they are."""
    tokenizer = _metaspace(Tokenizer(_pieces(model)))
    assert tokenizer.pre_tokenizer is not None
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), tokenizer.pre_tokenizer])
    return tokenizer


def mbart50(model: models.Model, settings: Settings) -> Tokenizer:
    """MBART-50: characters mapped, runs of blanks as one."""
    tokenizer = _metaspace(Tokenizer(_pieces(model)))
    charsmap = settings.get("_charsmap")
    blanks = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([blanks] if charsmap is None else [charsmap, blanks])
    return tokenizer


def nllb(model: models.Model, settings: Settings) -> Tokenizer:
    """NLLB: as mBART-50, with merges."""
    tokenizer = _metaspace(Tokenizer(of_characters(model, str(settings["unk_token"]), byte_fallback=False)))
    charsmap = settings.get("_charsmap")
    if charsmap is not None:
        tokenizer.normalizer = normalizers.Sequence([charsmap, normalizers.Replace(Regex(" {2,}"), " ")])
    return tokenizer


def seamless_m4t(model: models.Model, settings: Settings) -> Tokenizer:
    """SeamlessM4T: compatible characters, one `▁` for a run of blanks."""
    tokenizer = _metaspace(Tokenizer(of_characters(model, str(settings["unk_token"]), byte_fallback=False)), "first")
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(r"[\n\r\t]"), " "),
            normalizers.NFKC(),
            normalizers.Strip(left=False, right=True),
            normalizers.Replace(Regex(" +▁"), "▁"),
            normalizers.Replace(Regex("^▁+$"), ""),
            normalizers.Replace(Regex(" {2,}"), "▁"),
        ]
    )
    return tokenizer


# ---------------------------------------------------------------------------------------------------------------------
# Settings that follow from others


def _mask(settings: dict[str, Any], **flags: bool) -> None:
    mask = settings.get("mask_token")
    if isinstance(mask, str):
        settings["mask_token"] = AddedToken(mask, lstrip=True, **flags)


def mbart_tokens(settings: dict[str, Any]) -> None:
    """The languages of mBART are special tokens."""
    _mask(settings)
    given = settings.get(_OLDER) or []
    settings[_OLDER] = _languages.MBART + [token for token in given if str(token) not in _languages.MBART]


def mbart50_tokens(settings: dict[str, Any]) -> None:
    """The languages of mBART-50 are special tokens."""
    _mask(settings)
    settings[_OLDER] = [*(settings.get(_OLDER) or []), *_languages.MBART50]


def nllb_tokens(settings: dict[str, Any]) -> None:
    """The languages of NLLB are special tokens, unless the folder has a list of its own."""
    _mask(settings, normalized=True, special=True)
    given = settings.pop(_OLDER, None)
    if settings.get(EXTRA) is None:
        settings[EXTRA] = list(_languages.NLLB) if given is None else given


def seamless_m4t_languages(settings: dict[str, Any]) -> None:
    """Languages of SeamlessM4T are written between underscores."""
    for name in ("src_lang", "tgt_lang"):
        if "__" not in settings[name]:
            settings[name] = f"__{settings[name]}__"
