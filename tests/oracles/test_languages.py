"""Languages of texts and targets, prefixes and times of Whisper: as in transformers, on the same folders."""

from __future__ import annotations

import copy
import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import piecework
from piecework import SettingError
from piecework.integrations.transformers import accelerate, patch_transformers, unpatch_transformers
from piecework.pretrained import PreTrainedTokenizer, TranslationTokenizer, WhisperTokenizer, _languages
from support import languages
from support.calls import answer, calls, outcome, questions
from support.folders import TEXTS
from support.library import library_texts
from support.threads import in_eight_threads

if TYPE_CHECKING:
    from pathlib import Path

transformers: Any = pytest.importorskip("transformers")

TRANSLATING = ("mbart", "mbart50", "nllb", "nllb-legacy", "seamless")
FOLDERS = (*TRANSLATING, "whisper")

# Two languages of each folder, besides those that it names.
CODES = {
    "mbart": ("ro_RO", "fr_XX"),
    "mbart50": ("sv_SE", "fr_XX"),
    "nllb": ("fra_Latn", "zul_Latn"),
    "nllb-legacy": ("fra_Latn", "zul_Latn"),
    "seamless": ("spa", "__fra__"),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("languages")
    languages.build(root)
    return root


def load(folder: Path, **options: Any) -> tuple[Any, Any]:
    """The tokenizers of both libraries."""
    theirs = transformers.AutoTokenizer.from_pretrained(folder, **options)
    return theirs, piecework.AutoTokenizer.from_pretrained(folder, **options)


def test_lists_of_languages() -> None:
    models = transformers.models
    whisper = models.whisper.tokenization_whisper
    assert list(_languages.WHISPER.items()) == list(whisper.LANGUAGES.items())
    assert whisper.TO_LANGUAGE_CODE == _languages.WHISPER_CODES
    assert models.mbart.tokenization_mbart.FAIRSEQ_LANGUAGE_CODES == _languages.MBART
    assert models.mbart50.tokenization_mbart50.FAIRSEQ_LANGUAGE_CODES == _languages.MBART50
    assert models.nllb.tokenization_nllb.FAIRSEQ_LANGUAGE_CODES == _languages.NLLB


@pytest.mark.filterwarnings("ignore:.*max_length.*")
@pytest.mark.parametrize("name", FOLDERS)
def test_calls_and_questions(name: str, root: Path) -> None:
    theirs, ours = load(root / name)
    for label, question in questions().items():
        assert answer(question, ours) == answer(question, theirs), label
    for label, arguments, options in calls():
        # The type ids of overflow: here they are those of the template, as in the rows themselves.
        if label != "the second text is cut" or name == "whisper":
            assert outcome(ours, arguments, options) == outcome(theirs, arguments, options), label


@pytest.mark.parametrize("name", FOLDERS)
def test_what_is_saved_is_the_same(name: str, root: Path, tmp_path: Path) -> None:
    theirs, ours = load(root / name)
    for tokenizer, who in ((theirs, "theirs"), (ours, "ours")):
        if name in CODES:
            tokenizer.src_lang, tokenizer.tgt_lang = CODES[name]
            tokenizer(TEXTS[0], text_target=TEXTS[1])
        tokenizer.save_pretrained(tmp_path / who)
    for file in ("tokenizer_config.json", "tokenizer.json"):
        expected, found = (
            json.loads((tmp_path / who / file).read_text(encoding="utf-8")) for who in ("theirs", "ours")
        )
        for content in (expected, found):
            if content.get("model", {}).get("type") == "Unigram":  # the last digit; see `support.calls`
                content["model"]["vocab"] = [(piece, round(score, 9)) for piece, score in content["model"]["vocab"]]
        assert found == expected, file
    again = load(tmp_path / "ours")[0], load(tmp_path / "theirs")[1]
    for text in TEXTS:
        assert again[1](text, text_target=text).data == again[0](text, text_target=text).data


def switched(tokenizer: Any, codes: tuple[str, str]) -> list[Any]:
    """What a tokenizer gives while its languages change."""
    found: list[Any] = []

    def note() -> None:
        batch = tokenizer([*TEXTS], text_target=[*TEXTS[::-1]], padding=True)
        found.append(batch.data)
        found.append(tokenizer(TEXTS[0], TEXTS[1]).data)
        found.append(tokenizer(text_target=[*TEXTS], text_pair_target=[*TEXTS]).data)
        options: dict[str, Any] = {"max_length": 20, "truncation": True, "max_target_length": 7}
        found.append(tokenizer([*TEXTS], text_target=[*TEXTS], **options).data)
        found.append(tokenizer(TEXTS[0], text_target=TEXTS[5], split_special_tokens=True).data)
        found.append((tokenizer.src_lang, tokenizer.tgt_lang, tokenizer.prefix_tokens, tokenizer.suffix_tokens))

    found.append((tokenizer.src_lang, tokenizer.tgt_lang, tokenizer.prefix_tokens, tokenizer.suffix_tokens))
    found.append(tokenizer.num_special_tokens_to_add())
    note()
    tokenizer.src_lang = codes[0]
    note()
    tokenizer.tgt_lang = codes[1]
    found.append(tokenizer.prefix_tokens + tokenizer.suffix_tokens)
    note()
    tokenizer.set_tgt_lang_special_tokens(tokenizer.tgt_lang)
    found.append(json.loads(tokenizer.backend_tokenizer.to_str())["post_processor"])
    found.append(tokenizer(TEXTS[0]).data)  # a call goes back to the source
    found.append(json.loads(tokenizer.backend_tokenizer.to_str())["post_processor"])
    tokenizer.eos_token = "<pad>"
    note()
    tokenizer.backend_tokenizer.post_processor = None
    note()
    found.append(getattr(tokenizer, "lang_code_to_id", {}))
    return found


@pytest.mark.parametrize("name", TRANSLATING)
def test_languages_are_switched(name: str, root: Path) -> None:
    theirs, ours = load(root / name)
    assert isinstance(ours, TranslationTokenizer)
    expected, found = switched(theirs, CODES[name]), switched(ours, CODES[name])
    if name.startswith("nllb") or name == "seamless":  # transformers has no such attribute there
        expected[-1] = found[-1]
    for place, (mine, other) in enumerate(zip(found, expected, strict=True)):
        assert mine == other, place


@pytest.mark.parametrize("name", TRANSLATING)
def test_languages_are_switched_inside_transformers(name: str, root: Path) -> None:
    """Classes of transformers set the post-processor of their backend with every call."""
    expected = switched(load(root / name)[0], CODES[name])
    accelerated = accelerate(load(root / name)[0])
    assert isinstance(accelerated.backend_tokenizer, piecework.Tokenizer)
    patch_transformers()
    try:
        patched = load(root / name)[0]
    finally:
        unpatch_transformers()
    for tokenizer in (accelerated, patched):
        assert switched(tokenizer, CODES[name]) == expected


@pytest.mark.parametrize("name", TRANSLATING)
def test_languages_are_given_at_loading(name: str, root: Path) -> None:
    first, second = CODES[name]
    theirs, ours = load(root / name, src_lang=first, tgt_lang=second)
    options: dict[str, Any] = {"text_target": TEXTS[1], "src_lang": second, "tgt_lang": first}
    for given in ({"text_target": TEXTS[1]}, options if name == "seamless" else {}, {}):
        assert ours(TEXTS[0], **given).data == theirs(TEXTS[0], **given).data
    assert (ours.src_lang, ours.tgt_lang) == (theirs.src_lang, theirs.tgt_lang)


@pytest.mark.parametrize("name", TRANSLATING)
def test_copies_keep_their_languages(name: str, root: Path) -> None:
    _, ours = load(root / name, src_lang=CODES[name][0])
    expected = ours(TEXTS[0], text_target=TEXTS[1]).data
    for twin in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert type(twin) is TranslationTokenizer
        assert twin(TEXTS[0], text_target=TEXTS[1]).data == expected
        twin.src_lang = CODES[name][1]
        assert ours(TEXTS[0], text_target=TEXTS[1]).data == expected


def test_an_unknown_language(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in TRANSLATING:
        theirs, ours = load(root / name)
        caplog.clear()
        theirs.src_lang = ours.src_lang = "xx_XX"
        assert ours(TEXTS[0]).data == theirs(TEXTS[0]).data
        assert ours(TEXTS[0], text_target="a").data == theirs(TEXTS[0], text_target="a").data
        mine = [record for record in caplog.records if record.name.startswith("piecework")]
        assert ["xx_XX" in record.getMessage() for record in mine] == [True]
    with pytest.raises(TypeError, match="a language must be str, not int"):
        ours.src_lang = 5
    with pytest.raises(ValueError, match="from_pretrained"):
        TranslationTokenizer(tokenizer_object=ours.backend_tokenizer)
    ours.unk_token = None
    with pytest.raises(SettingError, match="`__yy__` or eos_token `</s>` is not in the vocabulary"):
        ours.src_lang = "yy"


def test_threads_with_targets_do_not_disturb_each_other(root: Path) -> None:
    _, ours = load(root / "nllb", tgt_lang="fra_Latn")
    asked: list[dict[str, Any]] = [{"text": "a b"}, {"text_target": "a b"}, {"text": "a", "text_target": "b"}]
    expected = [ours(**options).data for options in asked]
    wrong: list[int] = []

    def work(number: int) -> None:
        for turn in range(400):
            at = (number + turn) % 3
            if ours(**asked[at]).data != expected[at]:
                wrong.append(at)

    in_eight_threads(work)
    assert wrong == []


def test_a_class_of_a_user_stays_what_it_is(root: Path) -> None:
    class Own(PreTrainedTokenizer):
        pass

    assert type(Own.from_pretrained(root / "mbart", model_type="mbart")) is Own
    loaded = PreTrainedTokenizer.from_pretrained(root / "mbart", model_type="mbart")
    assert type(loaded) is TranslationTokenizer
    assert type(PreTrainedTokenizer.from_pretrained(root / "mbart")) is PreTrainedTokenizer


# ---------------------------------------------------------------------------------------------------------------------
# Whisper


def test_prefixes(root: Path) -> None:
    theirs, ours = load(root / "whisper")
    assert isinstance(ours, WhisperTokenizer)
    changes: list[dict[str, Any]] = [
        {},
        {"language": "Mandarin"},
        {"language": "yue", "task": "translate"},
        {"predict_timestamps": True},
        {"language": "haitian creole", "predict_timestamps": False},
    ]
    for change in changes:
        for tokenizer in (theirs, ours):
            tokenizer.set_prefix_tokens(**change)
        assert ours.prefix_tokens == theirs.prefix_tokens
        assert (ours.language, ours.task) == (theirs.language, theirs.task)
        givens: list[dict[str, Any]] = [{}, {"text_target": TEXTS[1]}, {"text_pair": "b"}]
        for given in givens:
            assert ours(TEXTS[0], **given).data == theirs(TEXTS[0], **given).data
        assert ours.get_special_tokens_mask([1, 2], [3]) == theirs.get_special_tokens_mask([1, 2], [3])
    for tokenizer in (theirs, ours):
        tokenizer.language = tokenizer.task = None
        tokenizer.set_prefix_tokens()
    assert ours("a").data == theirs("a").data
    options: dict[str, Any] = {"language": "en", "task": "translate", "no_timestamps": False}
    assert ours.get_decoder_prompt_ids(**options) == theirs.get_decoder_prompt_ids(**options)
    assert ours.get_prompt_ids(" A name ").tolist() == theirs.get_prompt_ids(" A name ").tolist()
    for tokenizer in (theirs, ours):
        with pytest.raises(ValueError, match="special token"):
            tokenizer.get_prompt_ids("<|endoftext|>")
    theirs, ours = load(root / "whisper", language="de", task="translate", predict_timestamps=True)
    assert ours("a").data == theirs("a").data


def test_training_anew_keeps_times(root: Path) -> None:
    trained = []
    for tokenizer in load(root / "whisper"):
        new = tokenizer.train_new_from_iterator([list(library_texts()[:4])], 500, show_progress=False)
        text = "a<|1.08|>b"
        trained.append((new.get_vocab(), new(text)["input_ids"], new.prefix_tokens, new.decode(new(text)["input_ids"])))
    assert trained[0] == trained[1]


def test_prefixes_that_cannot_be(root: Path) -> None:
    _, ours = load(root / "whisper")
    before = ours("a").data
    with pytest.raises(ValueError, match="unknown language `klingon`, expected one of `english`"):
        ours.set_prefix_tokens(language="klingon")
    with pytest.raises(ValueError, match="unknown language `xx`, expected one of `en`"):
        ours.set_prefix_tokens(language="xx")
    with pytest.raises(ValueError, match="unknown task `sing`"):
        ours.set_prefix_tokens(task="sing")
    assert ours("a").data == before
    small = piecework.Tokenizer(piecework.models.BPE({"a": 0}, []))
    with pytest.raises(ValueError, match="lacks tokens"):
        WhisperTokenizer(tokenizer_object=small)


def test_decoding_with_times(root: Path) -> None:
    theirs, ours = load(root / "whisper")
    first = ours.all_special_ids[-1] + 1
    word, other = (ours(text, add_special_tokens=False)["input_ids"] for text in (" two words", " more"))
    rows = [
        ours(TEXTS[0])["input_ids"],
        [*ours.prefix_tokens, first, *word, first + 100, first + 100, *other, first + 250, ours.eos_token_id],
        # Two segments, of which the first ends with one time or with two.
        [first, *word, first + 1400, first, *other, first + 50],
        [first, *word, first + 1200, first + 1200, *other, first + 1300, first + 1300, first, *word, first + 90],
        [first, *word, first + 1200, *other, first + 10, first + 10, *word, first + 30, first + 31],
        [*ours.get_prompt_ids("before").tolist(), *ours.prefix_tokens, first, *word, first + 4],
        ours.get_prompt_ids("before").tolist(),
        [first, *word],
        [],
    ]
    times = ours.timestamp_ids()
    assert times == theirs.timestamp_ids()
    for place, row in enumerate(rows):
        for options in (
            {},
            {"skip_special_tokens": True},
            {"decode_with_timestamps": True},
            {"decode_with_timestamps": True, "skip_special_tokens": True, "time_precision": 0.04},
            {"output_offsets": True},
        ):
            if row or not options.get("output_offsets"):
                assert ours.decode(row, **options) == theirs.decode(row, **options), (place, options)
    assert ours.decode(np.array(rows[1]), skip_special_tokens=True) == theirs.decode(rows[1], skip_special_tokens=True)
    for options in ({}, {"decode_with_timestamps": True}, {"skip_special_tokens": True}):
        assert ours.batch_decode(rows[:4], **options) == theirs.batch_decode(rows[:4], **options)
        assert ours.decode(rows[:4], **options) == theirs.decode(rows[:4], **options)
    written = "a<|1.08|>b <|notimestamps|>"
    ids = ours(written)["input_ids"]
    assert ours.decode(ids) == theirs.decode(ids)
    with pytest.raises(ValueError, match="normalize"):
        ours.decode(ids, normalize=True)
    with pytest.raises(ValueError, match="one list"):
        ours.decode([rows[1], rows[1]], output_offsets=True)
