"""Random pipelines, as the `tokenizer.json` that describes them."""

from __future__ import annotations

import json
import math
from functools import cache, cached_property
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
PATTERNS = (
    GPT2, CL100K, r"\s+", r"\d{1,3}(?=(\d{3})*\b)", r"[aeiou]", r"\p{Han}+|\p{L}+", r"(?<=\d)\.",
    r" ?[A-Z]?[a-z]+|.|\n", r"\n|\r\n", r"[^\s]+\s?", r"(?i)LOW", r"'", r"\w+|[^\w\s]+", r"\R", r"^\s", r"(?:ab)+",
)  # fmt: skip
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
ADDED = ("<s>", "</s>", "[MASK]", "<|end|>", "lower", "or", "e x", "12", "é", "日本", "\n\n", "▁")


class TrainedModels:
    """The models that pipelines are drawn with, each as in its `tokenizer.json`."""

    # Plain classes, here and below: Hypothesis prints the fields of a dataclass whatever its repr says.
    def __init__(self, *, byte: Json, character: Json) -> None:
        self.byte = byte
        self.character = character

    def __repr__(self) -> str:
        return "TrainedModels(...)"

    @cached_property
    def word_pieces(self) -> dict[str, int]:
        tokens = list(self.character["vocab"])
        entries = dict.fromkeys([*tokens, *(f"##{token}" for token in tokens[1:])])
        return {token: i for i, token in enumerate(entries)}

    @cached_property
    def scored(self) -> list[tuple[str, float]]:
        """Scores as of a long-tailed vocabulary, with steps that no two sums of a few of them share."""
        return [
            (token, round(-math.log(i + 2.0) - 0.001 * i**0.5, 7)) for i, token in enumerate(self.character["vocab"])
        ]


class Pipeline:
    """A whole `tokenizer.json`, shown without its vocabulary."""

    def __init__(self, spec: Json) -> None:
        self.spec = spec

    @cached_property
    def json(self) -> str:
        return json.dumps(self.spec)

    def __repr__(self) -> str:
        model = {key: value for key, value in self.spec["model"].items() if key not in ("vocab", "merges")}
        return f"Pipeline({ {**self.spec, 'model': model} })"

    def parts(self, stage: str) -> list[Json]:
        """The components of a stage, those of a `Sequence` one by one."""
        return _parts(self.spec[stage])


def _parts(component: Json | None) -> list[Json]:
    if component is None:
        return []
    for key in ("normalizers", "pretokenizers", "processors", "decoders"):
        if key in component:
            return [part for item in component[key] for part in _parts(item)]
    return [component]


patterns = st.one_of(
    st.sampled_from(PATTERNS).map(lambda p: {"Regex": p}),
    st.sampled_from((" ", "a", "ab", "e", "''", "\n", "12")).map(lambda p: {"String": p}),
)


# Most of the time of a long run goes into drawing: strategies are made once, and draw no more than they need.
_booleans = st.booleans()


def _fields(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """`st.fixed_dictionaries` would also draw the order of the keys."""
    return st.tuples(*fields.values()).map(lambda values: dict(zip(fields, values, strict=True)))


def _component(name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return _fields(**fields).map(lambda drawn: {"type": name, **drawn})


def _sequence(key: str, parts: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(parts, max_size=3).map(lambda drawn: {"type": "Sequence", key: drawn})


single_normalizers = st.one_of(
    st.sampled_from(("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")).map(
        lambda name: {"type": name}
    ),
    _component("Strip", strip_left=st.booleans(), strip_right=st.booleans()),
    _component("Prepend", prepend=st.sampled_from(("▁", "xy"))),
    _component(
        "BertNormalizer",
        clean_text=st.booleans(),
        handle_chinese_chars=st.booleans(),
        strip_accents=st.none() | st.booleans(),
        lowercase=st.booleans(),
    ),
    _component("Replace", pattern=patterns, content=st.sampled_from(("", " ", "▁", "xy", "é"))),
)
normalizers = st.one_of(st.none(), single_normalizers, _sequence("normalizers", single_normalizers))

single_pre_tokenizers = st.one_of(
    _component("ByteLevel", add_prefix_space=st.booleans(), trim_offsets=st.booleans(), use_regex=st.booleans()),
    _component("Split", pattern=patterns, behavior=st.sampled_from(BEHAVIORS), invert=st.booleans()),
    _component("Digits", individual_digits=st.booleans()),
    _component("Punctuation", behavior=st.sampled_from(BEHAVIORS)),
    st.sampled_from(("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts")).map(
        lambda name: {"type": name}
    ),
    _component("CharDelimiterSplit", delimiter=st.sampled_from(("e", " ", "日"))),
    _component("FixedLength", length=st.integers(1, 5)),
    _component(
        "Metaspace",
        replacement=st.just("▁"),
        prepend_scheme=st.sampled_from(("always", "first", "never")),
        split=st.booleans(),
    ),
)
pre_tokenizers = st.one_of(st.none(), single_pre_tokenizers, _sequence("pretokenizers", single_pre_tokenizers))


_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


_contents = st.lists(st.sampled_from(ADDED[2:]), unique=True, max_size=4)
_flag_bits = st.integers(0, 2 ** len(_FLAGS) - 1)


def added_tokens(draw: st.DrawFn, vocab: Json) -> list[Json]:
    """Up to four added tokens; `<s>` and `</s>` always, so that a template can name them."""
    contents = ["<s>", "</s>", *draw(_contents)]
    tokens: list[Json] = []
    after = max(vocab.values(), default=-1) + 1
    for content in contents:
        bits = draw(_flag_bits)
        token = {"content": content, **{flag: bool(bits >> i & 1) for i, flag in enumerate(_FLAGS)}}
        # A special token in normalized form is one of the known differences of decoding.
        token["normalized"] = token["normalized"] and not token["special"]
        if content in vocab:
            token_id = vocab[content]
        else:
            token_id, after = after, after + 1
        tokens.append({"id": token_id, **token})
    return sorted(tokens, key=lambda token: int(token["id"]))


MORE_SPECIALS = 7
_frames = st.lists(st.tuples(st.integers(0, 2), _booleans, _booleans), max_size=2)
_processor_choices = st.tuples(_booleans, _booleans, st.integers(0, 1), st.integers(0, 1), st.integers(0, 6))


def post_processors(draw: st.DrawFn, added: list[Json]) -> Json | None:
    """A processor whose special tokens are `<s>` and `</s>`."""
    ids = {token["content"]: token["id"] for token in added}
    trim, prefix, last_type, pair, kind = draw(_processor_choices)

    def special(content: str, type_id: int) -> Json:
        return {"SpecialToken": {"id": content, "type_id": type_id}}

    def sequence(name: str, type_id: int) -> Json:
        return {"Sequence": {"id": name, "type_id": type_id}}

    ends = {"sep": ["</s>", ids["</s>"]], "cls": ["<s>", ids["<s>"]]}

    def simple(kind: int, trim: bool, prefix: bool) -> Json:
        trims = {"trim_offsets": trim, "add_prefix_space": prefix}
        return (
            {"type": "ByteLevel", "use_regex": True, **trims},
            {"type": "RobertaProcessing", **ends, **trims},
            {"type": "BertProcessing", **ends},
        )[kind]

    if kind < 3:
        return simple(kind, trim, prefix)
    template = {
        "type": "TemplateProcessing",
        "single": [special("<s>", 0), sequence("A", 0), special("</s>", last_type)],
        "pair": (
            [special("<s>", 0), sequence("A", 0), special("</s>", 0), sequence("B", 1), special("</s>", 1)],
            [sequence("B", 1), special("</s>", 2), sequence("A", 0)],
        )[pair],
        "special_tokens": {c: {"id": c, "ids": [ids[c]], "tokens": [c]} for c in ("</s>", "<s>")},
    }
    if kind == 3:
        return template
    if kind == 4:
        return None
    processors = [simple(*frame) for frame in draw(_frames)]
    if kind == 5:
        processors.append(template)
    return {"type": "Sequence", "processors": [*processors, simple(0, trim, prefix)]}


single_decoders = st.one_of(
    _component("ByteLevel", add_prefix_space=st.just(True), trim_offsets=st.just(True), use_regex=st.just(True)),
    st.just({"type": "Fuse"}),
    _component("Replace", pattern=patterns, content=st.sampled_from(("", " ", "xy"))),
    _component("BPEDecoder", suffix=st.sampled_from(("</w>", "er"))),
    _component("WordPiece", prefix=st.sampled_from(("##", "e")), cleanup=st.booleans()),
    _component(
        "CTC",
        pad_token=st.sampled_from(("a", "<unk>")),
        word_delimiter_token=st.sampled_from(("e", "|")),
        cleanup=st.booleans(),
    ),
)
# Metaspace, Strip and ByteFallback are left out here: they differ from the reference on purpose.
decoders = st.one_of(st.none(), single_decoders, _sequence("decoders", single_decoders))


_kinds = st.sampled_from(("bytes", "bytes", "characters", "characters", "WordPiece", "WordLevel", "Unigram"))
_word_limits = st.sampled_from((3, 100))
_unknowns = st.sampled_from(("<unk>", None))


def models(draw: st.DrawFn, trained: TrainedModels) -> Json:
    """A model of each kind, with its options drawn; most often one of the two that were trained."""
    kind = draw(_kinds)
    if kind == "bytes":
        return {**trained.byte, "ignore_merges": draw(_booleans)}
    if kind == "WordPiece":
        return {
            "type": "WordPiece",
            "unk_token": "<unk>",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": draw(_word_limits),
            "vocab": trained.word_pieces,
        }
    if kind == "WordLevel":
        return {"type": "WordLevel", "vocab": trained.character["vocab"], "unk_token": "<unk>"}
    if kind == "Unigram":
        pieces = list(trained.scored)
        fallback = draw(_booleans)
        if fallback:
            pieces += [(f"<0x{byte:02X}>", round(-12.0 - 0.0137 * byte, 7)) for byte in range(256)]
        return {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": fallback}
    model = {
        **trained.character,
        "unk_token": draw(_unknowns),
        "fuse_unk": draw(_booleans),
        "ignore_merges": draw(_booleans),
    }
    if draw(_booleans):
        # All 256 bytes: with some of them missing the reference mixes up the order, a known difference.
        first = max(model["vocab"].values()) + 1
        model["vocab"] = {**model["vocab"], **{f"<0x{byte:02X}>": first + byte for byte in range(256)}}
        model["byte_fallback"] = True
    return model


truncations = st.one_of(
    st.none(),
    _fields(
        direction=st.sampled_from(("Right", "Left")),
        max_length=st.integers(8, 20),
        strategy=st.just("LongestFirst"),
        # Even with four special tokens (MORE_SPECIALS more where there are several processors) a text of a pair keeps
        # two, of which a stride may repeat one.
        stride=st.integers(0, 1),
    ),
)
paddings = st.one_of(
    st.none(),
    _fields(
        strategy=st.sampled_from(("BatchLongest", {"Fixed": 12})),
        direction=st.sampled_from(("Right", "Left")),
        pad_to_multiple_of=st.sampled_from((None, 8)),
        pad_id=st.just(0),
        pad_type_id=st.integers(0, 1),
        pad_token=st.just("[PAD]"),
    ),
)


@st.composite
def _pipelines(draw: st.DrawFn, trained: TrainedModels, cut: bool) -> Pipeline:
    model = models(draw, trained)
    vocab = model["vocab"]
    if isinstance(vocab, list):
        vocab = {token: i for i, (token, _) in enumerate(vocab)}
    added = added_tokens(draw, vocab)
    processor = post_processors(draw, added)
    truncation = draw(truncations) if cut else None
    if truncation and processor and processor["type"] == "Sequence":
        truncation = {**truncation, "max_length": truncation["max_length"] + MORE_SPECIALS}
    spec = {
        "version": "1.0",
        "truncation": truncation,
        "padding": draw(paddings) if cut else None,
        "added_tokens": added,
        "normalizer": draw(normalizers),
        "pre_tokenizer": draw(pre_tokenizers),
        "post_processor": processor,
        "decoder": draw(decoders),
        "model": model,
    }
    return Pipeline(spec)


@cache
def pipelines(trained: TrainedModels, *, cut: bool = False) -> st.SearchStrategy[Pipeline]:
    """A whole `tokenizer.json`; with `cut`, truncation and padding are drawn too."""
    return _pipelines(trained, cut)
