"""Components, tokenizers and encodings look like those of the reference: `repr`, `str`, state, JSON."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import tokenizers as reference

import piecework

EXPRESSIONS = """
N.BertNormalizer() ;; N.Strip(False) ;; N.Replace('a"', 'b') ;; N.Replace(t.Regex('a+'), '') ;; N.Prepend('x')
N.Sequence([N.NFC(), N.Sequence([N.Lowercase(), N.NFD()])]) ;; N.Sequence([N.NFC()] * 120)
P.ByteLevel() ;; P.Metaspace('_', 'first', False) ;; P.Split('a', 'merged_with_next', True) ;; P.Punctuation('removed')
P.Sequence([P.Digits(True), P.CharDelimiterSplit('x')]) ;; P.FixedLength(3) ;; P.UnicodeScripts()
M.BPE({'a': 0, 'b': 1, 'ab': 2}, [('a', 'b')], dropout=0.1) ;; M.BPE() ;; M.WordPiece({'a': 0, 'x' * 150: 1})
M.WordLevel({str(i): i for i in range(120)}, '0') ;; M.Unigram([('a', -1.0), ('b', -1e-7), ('c', 1.5)], 0)
D.Strip() ;; D.CTC() ;; D.ByteLevel() ;; D.Sequence([D.Fuse(), D.Sequence([D.WordPiece()])]) ;; D.Replace('a', 'b')
R.BertProcessing(('a', 1), ('b', 2)) ;; R.RobertaProcessing(('a', 1), ('b', 2), False)
R.TemplateProcessing('[CLS] $A', '$A $B:3', [('[CLS]', 1), {'id': 'X', 'ids': [1, 2], 'tokens': ['x', 'y']}])
R.Sequence([R.ByteLevel(False)]) ;; t.AddedToken('x"', lstrip=True) ;; t.AddedToken('y', special=True)
T.BpeTrainer(special_tokens=['a', t.AddedToken('b', rstrip=True)], limit_alphabet=3) ;; T.WordPieceTrainer()
T.WordLevelTrainer(vocab_size=3) ;; T.UnigramTrainer(shrinking_factor=0.5)
t.Encoding() ;; t.NormalizedString('a"b') ;; tokenizer
"""
CASES = [case.strip() for line in EXPRESSIONS.strip().splitlines() for case in line.split(";;")]


def names(package: Any) -> dict[str, Any]:
    scope: dict[str, Any] = {
        "t": package,
        "N": package.normalizers,
        "P": package.pre_tokenizers,
        "M": package.models,
        "D": package.decoders,
        "R": package.processors,
        "T": package.trainers,
    }
    tokenizer = package.Tokenizer(package.models.BPE({"a": 0}, []))
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.add_tokens(["x"])
    tokenizer.enable_padding(length=5)
    tokenizer.enable_truncation(4, stride=1)
    tokenizer.normalizer = package.normalizers.NFC()
    scope["tokenizer"] = tokenizer
    return scope


SCOPES = SimpleNamespace(ours=names(piecework), theirs=names(reference))


@pytest.mark.parametrize("expression", CASES)
def test_shown_alike(expression: str) -> None:
    ours, theirs = (eval(expression, dict(scope)) for scope in (SCOPES.ours, SCOPES.theirs))
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    if hasattr(theirs, "__getstate__") and not isinstance(theirs, reference.NormalizedString):
        assert ours.__getstate__() == theirs.__getstate__()


@pytest.mark.parametrize("pretty", [False, True])
def test_files_are_equal_to_the_byte(pretty: bool) -> None:
    assert SCOPES.ours["tokenizer"].to_str(pretty) == SCOPES.theirs["tokenizer"].to_str(pretty)
