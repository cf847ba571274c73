"""Families of models: what their tokenizers are made of, and what they set by default.

The facts are those of the tokenizer classes of transformers 5.24; a test compares them with the classes themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from piecework._checks import wrong_type
from piecework.pretrained import _classes, _language_recipes, _recipes
from piecework.pretrained._classes import BASE, BERT, END_OF_TEXT, ENDS, LANGUAGES, SPEECH, TYPED, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from piecework.pretrained._identity import Identity
    from piecework.pretrained._recipes import Recipe


@dataclass(frozen=True)
class Family:
    """The tokenizers of a family of models.

    Attributes:
        name: The name of the class in transformers.
        model_types: Names of models, as in `config.json`, with blanks between them.
        model: The kind of model; empty where the pipeline is always that of a file.
        build: Makes the tokenizer without post-processor of a model and the settings; None keeps that of the file.
        finish: Sets the post-processor when the special tokens are known.
        defaults: Settings of its own.
        extend: Adds settings that follow from others.
        decoded: What is done to decoded texts last.
    """

    name: str
    model_types: str
    model: str
    build: Recipe | None = None
    finish: Callable[[Identity], None] | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    model_input_names: tuple[str, ...] = BASE
    padding_side: str = "right"
    pad_token_type_id: int = 0
    extend: Callable[[dict[str, Any]], None] | None = None
    decoded: Callable[[str], str] | None = None

    @property
    def files(self) -> tuple[tuple[str, ...], ...]:
        """Sets of files that hold a vocabulary of this family, the usual names first."""
        if self.model == "WordPiece":
            return (("vocab.txt",),)
        if self.model == "BPE":
            return (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
        return ()


_BERT_OPTIONS = {"do_lower_case": True, "tokenize_chinese_chars": True, "strip_accents": None}

FAMILIES = (
    Family(
        "BertTokenizer",
        "align bark bert blip bros chinese_clip convbert distilbert electra ernie flava git "
        "grounding-dino layoutlm megatron-bert mm-grounding-dino nezha nomic_bert qdqbert realm "
        "retribert squeezebert tvp vilt visual_bert",
        "WordPiece",
        _recipes.bert,
        _recipes.cls_and_sep,
        {**_BERT_OPTIONS, **BERT},
        TYPED,
    ),
    Family(
        "DistilBertTokenizer",
        "",
        "WordPiece",
        _recipes.bert,
        _recipes.cls_and_sep,
        {**_BERT_OPTIONS, **BERT},
    ),
    Family(
        "GPT2Tokenizer",
        "blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj hyperclovax_vision_v2 instructblip "
        "instructblipvideo jais2 opt phi starcoder2",
        "BPE",
        _recipes.gpt2,
        None,
        {"errors": "replace", **END_OF_TEXT, "pad_token": None, "add_prefix_space": False},
    ),
    Family(
        "GPTNeoXTokenizer",
        "falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm",
        "BPE",
        _recipes.gpt_neox,
        _recipes.both_ends,
        {
            "errors": "replace",
            **END_OF_TEXT,
            "pad_token": "<|padding|>",
            "add_prefix_space": False,
            "trim_offsets": True,
        },
    ),
    Family(
        "RobertaTokenizer",
        "bart bridgetower clap data2vec-text ibert lilt longformer mega mra roberta roberta-prelayernorm",
        "BPE",
        _recipes.gpt2,
        _recipes.roberta_ends,
        {"errors": "replace", **ENDS, "add_prefix_space": False, "trim_offsets": True},
    ),
    Family(
        "Qwen2Tokenizer",
        "audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl "
        "moss_transcribe_diarize ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio "
        "qwen2_moe qwen2_vl qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl "
        "qwen3_vl_moe",
        "BPE",
        _recipes.qwen2,
        None,
        {**END_OF_TEXT, "bos_token": None, "pad_token": "<|endoftext|>", "add_prefix_space": None},
    ),
    Family("OpenAIGPTTokenizer", "openai-gpt", "BPE", _recipes.openai_gpt, None, tokens(unk="<unk>")),
    Family(
        "LlamaTokenizer",
        "idefics idefics2",
        "BPE",
        _recipes.llama,
        None,
        {
            "clean_up_tokenization_spaces": False,
            **tokens(unk="<unk>", bos="<s>", eos="</s>"),
            "use_default_system_prompt": False,
            "add_prefix_space": None,
        },
        padding_side="left",
    ),
    Family(
        "GemmaTokenizer",
        "diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma "
        "shieldgemma2 t5gemma zaya",
        "BPE",
        _recipes.gemma,
        None,
        tokens(unk="<unk>", bos="<bos>", eos="<eos>", pad="<pad>", mask="<mask>"),
        padding_side="left",
    ),
    Family(
        "T5Tokenizer",
        "mt5 musicgen musicgen_melody switch_transformers t5",
        "Unigram",
        _recipes.t5,
        _recipes.t5_end,
        {
            **tokens(eos="</s>", unk="<unk>", pad="<pad>"),
            "extra_ids": 100,
        },
        extend=_recipes.t5_sentinels,
    ),
    Family(
        "CLIPTokenizer",
        "aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit sam3 sam3_video xclip",
        "BPE",
        _recipes.clip,
        _recipes.clip_ends,
        {**END_OF_TEXT, "bos_token": "<|startoftext|>", "pad_token": "<|endoftext|>"},
        decoded=_recipes.without_word_ends,
    ),
    Family(
        "XLMRobertaTokenizer",
        "gte jina_embeddings_v3 metaclip_2 trocr xlm-roberta xmod",
        "Unigram",
        _recipes.xlm_roberta,
        _recipes.xlm_roberta_ends,
        {**ENDS, "add_prefix_space": True},
    ),
    Family(
        "MBartTokenizer",
        "mbart",
        "Unigram",
        _language_recipes.mbart,
        None,
        {**ENDS, "src_lang": None, "tgt_lang": None},
        extend=_language_recipes.mbart_tokens,
    ),
    Family(
        "MBart50Tokenizer",
        "mbart50",
        "Unigram",
        _language_recipes.mbart50,
        None,
        {"src_lang": None, "tgt_lang": None, **LANGUAGES},
        extend=_language_recipes.mbart50_tokens,
    ),
    Family(
        "NllbTokenizer",
        "nllb nllb-moe",
        "BPE",
        _language_recipes.nllb,
        None,
        {**ENDS, "src_lang": None, "tgt_lang": None, "legacy_behaviour": False},
        extend=_language_recipes.nllb_tokens,
    ),
    Family(
        "SeamlessM4TTokenizer",
        "seamless_m4t seamless_m4t_v2",
        "BPE",
        _language_recipes.seamless_m4t,
        None,
        {**SPEECH, "src_lang": "eng", "tgt_lang": "fra", "keep_accents": None, "vocab_file": None},
        extend=_language_recipes.seamless_m4t_languages,
    ),
    Family(
        "WhisperTokenizer",
        "whisper",
        "BPE",
        _recipes.gpt2,
        None,
        {
            **END_OF_TEXT,
            "add_prefix_space": False,
            "normalizer_file": None,
            "language": None,
            "task": None,
            "predict_timestamps": False,
        },
    ),
)
"""The families that build their pipeline themselves."""

_PLAIN = tuple(
    Family(
        plain.name,
        plain.model_types,
        "",
        defaults=plain.tokens,
        model_input_names=plain.model_input_names,
        padding_side=plain.padding_side,
        pad_token_type_id=plain.pad_token_type_id,
    )
    for plain in _classes.PLAIN
)

BY_CLASS = {family.name: family for family in (*FAMILIES, *_PLAIN)}
BY_MODEL_TYPE = {name: family for family in BY_CLASS.values() for name in family.model_types.split()}
_ASKED_FOR = {"distilbert": "DistilBertTokenizer", "llama": "LlamaTokenizer"}


def of_class(name: str) -> Family | None:
    """The family of a class of transformers; None if it is not known."""
    name = name.removesuffix("Fast")
    return BY_CLASS.get(_classes.ALIASES.get(name, name))


def of_model_type(name: str) -> Family:
    """The family of a model type or class that a user asks for.

    Raises:
        ValueError: There is none.
        TypeError: It is no string.
    """
    if not isinstance(name, str):
        raise wrong_type("model_type", "str", name)
    family = of_class(_ASKED_FOR.get(name, name)) or BY_MODEL_TYPE.get(name)
    if family is None:
        known = "`, `".join(sorted({*BY_MODEL_TYPE, *_ASKED_FOR}))
        raise ValueError(f"unknown model_type `{name}`, expected one of `{known}`")
    return family


def of_folder(class_name: str | None, model_type: str | None, *, is_over_bytes: bool) -> tuple[str, Family | None]:
    """The class that transformers takes for a folder, and its family if it is known.

    Args:
        class_name: The class that the folder names.
        model_type: The model that it names.
        is_over_bytes: Whether its `tokenizer.json` writes texts as bytes, which folders of Llama do not.
    """
    name = None if class_name is None else class_name.removesuffix("Fast")
    by_model = BY_MODEL_TYPE.get(model_type or "")
    if name == "LlamaTokenizer" and is_over_bytes and model_type not in _classes.GENERIC:
        return GENERIC, None
    if name is None:
        return (GENERIC, None) if by_model is None else (by_model.name, by_model)
    if model_type in _classes.GENERIC:
        return GENERIC, None
    if by_model is not None and by_model.name != name and model_type in _classes.FIXED:
        return by_model.name, by_model
    family = of_class(name)
    return (_classes.ALIASES.get(name, name) if family is None else family.name), family


GENERIC = "TokenizersBackend"
"""What transformers calls a tokenizer of no family."""
