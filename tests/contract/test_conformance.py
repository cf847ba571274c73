"""The conformance cases, on piecework and on the reference."""

from __future__ import annotations

import pytest
import tokenizers as reference

from piecework import SpecError, Tokenizer
from support.conformance import Case, read_cases, run_case

CASES = [pytest.param(case, id=case.name) for case in read_cases() if not case.error]
REFUSED = [pytest.param(case, id=case.name) for case in read_cases() if case.error]


@pytest.mark.parametrize("case", CASES)
def test_piecework(case: Case) -> None:
    assert case.expected
    assert run_case(case, Tokenizer) == case.expected


@pytest.mark.parametrize("case", CASES)
def test_reference(case: Case) -> None:
    actual = run_case(case, reference.Tokenizer)
    if case.reference_differs:
        assert actual != case.expected, "the mark `reference = differs` is stale"
    else:
        assert actual == case.expected


@pytest.mark.parametrize("case", REFUSED)
def test_piecework_refuses(case: Case) -> None:
    with pytest.raises(SpecError) as caught:
        Tokenizer.from_str(case.tokenizer)
    for part in case.error:
        assert part in str(caught.value)


@pytest.mark.parametrize("case", REFUSED)
def test_reference_refuses(case: Case) -> None:
    with pytest.raises(BaseException) as caught:
        reference.Tokenizer.from_str(case.tokenizer)
    assert type(caught.value).__name__ in ("Exception", "PanicException")
