"""Pipelines of model families, made of a vocabulary and a few settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from piecework import decoders, models, normalizers, pre_tokenizers, processors
from piecework.errors import SettingError
from piecework.regex import Regex
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from piecework.pretrained._identity import Identity

Settings = Mapping[str, Any]
Recipe = Callable[[models.Model, Settings], Tokenizer]

_QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def with_options(model: models.Model, **options: Any) -> models.Model:
    """The model, with its attributes set."""
    for name, value in options.items():
        setattr(model, name, value)
    return model


def _token(settings: Settings, name: str) -> str:
    return str(settings[name])


def _ends(tokenizer: Identity, *names: str) -> list[tuple[str, int]]:
    """Special tokens with their ids."""
    found = []
    for name in names:
        token = getattr(tokenizer, name)
        token_id = None if token is None else tokenizer.backend_tokenizer.token_to_id(token)
        if token_id is None:
            raise SettingError(f"{name} `{token}` is to be put into texts, but it is not in the vocabulary")
        found.append((token, token_id))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# WordPiece


def bert(model: models.Model, settings: Settings) -> Tokenizer:
    """BERT: cleaned text, cut at white space and punctuation."""
    tokenizer = Tokenizer(
        with_options(
            model, unk_token=_token(settings, "unk_token"), continuing_subword_prefix="##", max_input_chars_per_word=100
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
        strip_accents=settings.get("strip_accents"),
        lowercase=settings.get("do_lower_case", True),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    return tokenizer


def cls_and_sep(tokenizer: Identity) -> None:
    """`[CLS] A [SEP]`, and `B [SEP]` with type 1."""
    cls, sep = _ends(tokenizer, "cls_token", "sep_token")
    single = [f"{cls[0]}:0", "$A:0", f"{sep[0]}:0"]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=single, pair=[*single, "$B:1", f"{sep[0]}:1"], special_tokens=[cls, sep]
    )


# ---------------------------------------------------------------------------------------------------------------------
# BPE over bytes


def _bytes(model: models.Model) -> models.Model:
    return with_options(
        model,
        dropout=None,
        continuing_subword_prefix="",
        end_of_word_suffix="",
        fuse_unk=False,
        unk_token=None,
        byte_fallback=False,
        ignore_merges=False,
    )


def gpt2(model: models.Model, settings: Settings) -> Tokenizer:
    """GPT-2 and RoBERTa."""
    tokenizer = Tokenizer(_bytes(model))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=bool(settings.get("add_prefix_space")))
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def gpt_neox(model: models.Model, settings: Settings) -> Tokenizer:
    """GPT-NeoX: composed characters."""
    tokenizer = gpt2(model, settings)
    tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def both_ends(tokenizer: Identity) -> None:
    """What `add_bos_token` and `add_eos_token` say, whatever the file has."""
    tokenizer.update_post_processor()


def qwen2(model: models.Model, settings: Settings) -> Tokenizer:
    """Qwen2 and later: composed characters, single digits."""
    tokenizer = Tokenizer(_bytes(model))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_QWEN2), behavior="isolated", invert=False),
            pre_tokenizers.ByteLevel(add_prefix_space=bool(settings.get("add_prefix_space")), use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def roberta_ends(tokenizer: Identity) -> None:
    """`<s> A </s>`, and `<s> A </s> </s> B </s>`, all of type 0."""
    cls, sep = _ends(tokenizer, "cls_token", "sep_token")
    settings = tokenizer.init_kwargs
    tokenizer.backend_tokenizer.post_processor = processors.RobertaProcessing(
        sep, cls, settings.get("trim_offsets", True), bool(settings.get("add_prefix_space"))
    )


def clip(model: models.Model, settings: Settings) -> Tokenizer:
    """CLIP: lower case, words whose last token ends in `</w>`."""
    tokenizer = Tokenizer(
        with_options(_bytes(model), end_of_word_suffix="</w>", unk_token=_token(settings, "unk_token"))
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_CLIP), behavior="removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def clip_ends(tokenizer: Identity) -> None:
    """The first token in front, the last one behind."""
    bos, eos = _ends(tokenizer, "bos_token", "eos_token")
    tokenizer.backend_tokenizer.post_processor = processors.RobertaProcessing(eos, bos, False, False)


def without_word_ends(text: str) -> str:
    """A text with blanks where words end."""
    return text.replace("</w>", " ").strip()


# ---------------------------------------------------------------------------------------------------------------------
# BPE over characters


def openai_gpt(model: models.Model, settings: Settings) -> Tokenizer:
    """The first GPT: words as in BERT, whose last token ends in `</w>`."""
    unknown = _token(settings, "unk_token")
    tokenizer = Tokenizer(
        with_options(
            model,
            dropout=None,
            continuing_subword_prefix="",
            end_of_word_suffix="</w>",
            fuse_unk=False,
            unk_token=unknown,
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    return tokenizer


def of_characters(model: models.Model, unk_token: str | None, *, byte_fallback: bool) -> models.Model:
    """The BPE model of SentencePiece: over characters, with bytes for unknown ones or one token for a run of them."""
    return with_options(
        model,
        dropout=None,
        fuse_unk=True,
        byte_fallback=byte_fallback,
        unk_token=unk_token,
        continuing_subword_prefix=None,
        end_of_word_suffix=None,
        ignore_merges=False,
    )


def llama(model: models.Model, settings: Settings) -> Tokenizer:
    """Llama 1 and 2: `▁` for blanks, bytes for unknown characters."""
    prefix = settings.get("add_prefix_space")
    prefix = True if prefix is None else bool(prefix)
    scheme = ("always" if settings.get("legacy") else "first") if prefix else "never"
    tokenizer = Tokenizer(of_characters(model, None, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme=scheme, split=False)
    steps: list[decoders.Decoder] = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    if prefix:
        steps.append(decoders.Strip(content=" ", left=1))
    tokenizer.decoder = decoders.Sequence(steps)
    return tokenizer


def gemma(model: models.Model, settings: Settings) -> Tokenizer:
    """Gemma: `▁` for blanks, none in front of a text."""
    tokenizer = Tokenizer(of_characters(model, _token(settings, "unk_token"), byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(pattern=" ", behavior="merged_with_previous", invert=False)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


# ---------------------------------------------------------------------------------------------------------------------
# Unigram


def _pieces(model: models.Model, settings: Settings, scheme: str) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = settings.get("_charsmap")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme=scheme)]
    )
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme=scheme)
    return tokenizer


def t5(model: models.Model, settings: Settings) -> Tokenizer:
    """T5: words of white space, each with `▁` in front."""
    return _pieces(model, settings, "always")


def t5_end(tokenizer: Identity) -> None:
    """`A </s>`, and `A </s> B </s>`, all of type 0."""
    ((eos, token_id),) = _ends(tokenizer, "eos_token")
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=["$A", eos], pair=["$A", eos, "$B", eos], special_tokens=[(eos, token_id)]
    )


def t5_sentinels(settings: dict[str, Any]) -> None:
    """T5 has `extra_ids` special tokens that stand for what was left out of a text."""
    settings.setdefault("additional_special_tokens", [f"<extra_id_{i}>" for i in range(settings["extra_ids"])])


def xlm_roberta(model: models.Model, settings: Settings) -> Tokenizer:
    """XLM-RoBERTa."""
    return _pieces(model, settings, "always" if settings.get("add_prefix_space", True) else "never")


def xlm_roberta_ends(tokenizer: Identity) -> None:
    """`<s> A </s>`, and `<s> A </s> </s> B </s>`, all of type 0."""
    bos, eos = _ends(tokenizer, "bos_token", "eos_token")
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=[bos[0], "$A", eos[0]], pair=[bos[0], "$A", eos[0], eos[0], "$B", eos[0]], special_tokens=[bos, eos]
    )
