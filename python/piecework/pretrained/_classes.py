"""Names: which class of transformers 5.24 a model has, and what tokenizers set whose pipeline is that of their file."""

from __future__ import annotations

from typing import Any, NamedTuple


def tokens(**named: str | None) -> dict[str, Any]:
    """Special tokens by their short names."""
    return {f"{name}_token": token for name, token in named.items()}


BERT = tokens(unk="[UNK]", sep="[SEP]", pad="[PAD]", cls="[CLS]", mask="[MASK]")
ENDS = tokens(bos="<s>", eos="</s>", sep="</s>", cls="<s>", unk="<unk>", pad="<pad>", mask="<mask>")
END_OF_TEXT = tokens(unk="<|endoftext|>", bos="<|endoftext|>", eos="<|endoftext|>")
_ALBERT = {**BERT, **tokens(bos="[CLS]", eos="[SEP]", unk="<unk>", pad="<pad>")}
_DEBERTA = {**BERT, **tokens(bos="[CLS]", eos="[SEP]")}
LANGUAGES = {name: token for name, token in ENDS.items() if name != "bos_token"}
SPEECH = {name: token for name, token in ENDS.items() if name != "mask_token"}
_GEMMA = tokens(unk="<unk>", bos="<bos>", eos="<eos>", pad="<pad>", mask="<mask>")
_ENTITIES = tokens(
    entity_1="<ent>",
    entity_2="<ent2>",
    entity_unk="[UNK]",
    entity_pad="[PAD]",
    entity_mask="[MASK]",
    entity_mask2="[MASK2]",
)

BASE = ("input_ids", "attention_mask")
TYPED = ("input_ids", "token_type_ids", "attention_mask")
_TYPED_LAST = ("input_ids", "attention_mask", "token_type_ids")


class Plain(NamedTuple):
    """A class whose pipeline is taken from `tokenizer.json`: its models, special tokens, inputs and side of padding."""

    name: str
    model_types: str
    tokens: dict[str, Any]
    model_input_names: tuple[str, ...] = BASE
    padding_side: str = "right"
    pad_token_type_id: int = 0


PLAIN = (
    Plain("AlbertTokenizer", "albert yoso", _ALBERT),
    Plain("BarthezTokenizer", "barthez", ENDS),
    Plain("BigBirdTokenizer", "big_bird", {**_ALBERT, **tokens(bos="<s>", eos="</s>")}),
    Plain("BlenderbotTokenizer", "blenderbot", ENDS),
    Plain("CamembertTokenizer", "camembert", ENDS),
    Plain("CodeGenTokenizer", "", END_OF_TEXT),
    Plain(
        "CodeLlamaTokenizer",
        "code_llama",
        tokens(
            unk="<unk>",
            bos="<s>",
            eos="</s>",
            prefix="▁<PRE>",
            middle="▁<MID>",
            suffix="▁<SUF>",
            eot="▁<EOT>",
            fill="<FILL_ME>",
        ),
        padding_side="left",
    ),
    Plain(
        "CohereTokenizer",
        "aya_vision cohere cohere2",
        tokens(
            unk="<UNK>",
            bos="<BOS_TOKEN>",
            eos="<|END_OF_TURN_TOKEN|>",
            pad="<PAD>",
            cls="<CLS>",
            sep="<SEP>",
            mask="<MASK_TOKEN>",
        ),
        padding_side="left",
    ),
    Plain("DebertaTokenizer", "deberta", _DEBERTA, _TYPED_LAST),
    Plain("DebertaV2Tokenizer", "deberta-v2", _DEBERTA, _TYPED_LAST),
    Plain("DPRQuestionEncoderTokenizer", "dpr", BERT, TYPED),
    Plain("FNetTokenizer", "fnet", _ALBERT, ("input_ids", "token_type_ids")),
    Plain(
        "FunnelTokenizer",
        "funnel",
        tokens(unk="<unk>", sep="<sep>", pad="<pad>", cls="<cls>", mask="<mask>", bos="<s>", eos="</s>"),
    ),
    Plain("HerbertTokenizer", "herbert", tokens(cls="<s>", unk="<unk>", pad="<pad>", mask="<mask>", sep="</s>")),
    Plain("LayoutLMv2Tokenizer", "layoutlmv2", BERT, _TYPED_LAST),
    Plain("LayoutLMv3Tokenizer", "layoutlmv3", ENDS, ("input_ids", "attention_mask", "bbox")),
    Plain("LayoutXLMTokenizer", "layoutxlm", ENDS),
    Plain("LukeTokenizer", "luke", {**ENDS, **_ENTITIES}),
    Plain("MLukeTokenizer", "", {**ENDS, **_ENTITIES}),
    Plain("MPNetTokenizer", "mpnet", {**ENDS, "unk_token": "[UNK]"}),
    Plain("MarkupLMTokenizer", "markuplm", ENDS, TYPED),
    Plain("NougatTokenizer", "nougat pp_formulanet", tokens(unk="<unk>", bos="<s>", eos="</s>", pad="<pad>")),
    Plain("PegasusTokenizer", "pegasus", tokens(pad="<pad>", eos="</s>", unk="<unk>", mask="<mask_2>")),
    Plain(
        "Qwen3_5Tokenizer",
        "qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp",
        tokens(unk="<|endoftext|>", eos="<|endoftext|>", pad="<|endoftext|>"),
    ),
    Plain("ReformerTokenizer", "reformer", tokens(eos="</s>", unk="<unk>")),
    Plain("RemBertTokenizer", "rembert", _ALBERT),
    Plain("RoFormerTokenizer", "roformer", BERT),
    Plain("Siglip2Tokenizer", "siglip2", _GEMMA, padding_side="left"),
    Plain("SplinterTokenizer", "splinter", {**BERT, "question_token": "[QUESTION]"}),
    Plain("UdopTokenizer", "udop", tokens(eos="</s>", sep="</s>", unk="<unk>", pad="<pad>")),
    Plain("XGLMTokenizer", "xglm", SPEECH),
    Plain(
        "XLNetTokenizer",
        "xlnet",
        tokens(bos="<s>", eos="</s>", unk="<unk>", sep="<sep>", pad="<pad>", cls="<cls>", mask="<mask>"),
        padding_side="left",
        pad_token_type_id=3,
    ),
)

ALIASES = {
    "BartTokenizer": "RobertaTokenizer",
    "BloomTokenizer": "TokenizersBackend",
    "ConvBertTokenizer": "BertTokenizer",
    "ElectraTokenizer": "BertTokenizer",
    "PreTrainedTokenizer": "TokenizersBackend",
}
"""Other names of classes."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GENERIC = _words(
    """
    EvollaModel arctic aria beam bigbird_pegasus camembertv2-base canary chatlm cohere_asr ernie4_5 ernie4_5_moe
    flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image glmasr got_ocr2 gpt_bigcode
    gradium_phonon_tts granite granitemoe granitemoehybrid granitemoeshared h2ovl_chat hyperclovax hyperclovax_vlm
    internlm2 internlm3 iquestcoder jamba kimi_k25 kimi_linear kosmos-2 llava llava_next mimo_v2_flash minicpm3
    minicpm_ocr minicpmv minicpmv4_6 minicpmv4_7 minimax_m2 ministral ministral3 mistral mistral3 mistral_large4
    mixtral modernbert modernbert-decoder molmo molmo2 nemo_speechlm nemotron nvfp4 nystromformer olmo2 olmo3
    olmo_hybrid omniasr opencua openvla paddleocr_vl pegasus_x persimmon phi3 phi3_v phimoe pix2struct pixtral
    pocket_tts smolvlm stablelm step3_vl umt5 vipllava voxtral voxtral_realtime xlm-roberta-xl
    """
)
"""Models whose tokenizer is that of `tokenizer.json`, whatever class their folder names."""

FIXED = _words(
    """
    hyperclovax_vision_v2 qwen2 qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen4_exp siglip2
    """
)
"""Models whose folders often name a wrong class: they have that of their model."""
