"""Chat templates that are hostile, that fail, and conversations that cannot be."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from piecework import AutoTokenizer, PreTrainedTokenizer, TemplateError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def gpt2(model_folders: Path) -> PreTrainedTokenizer:
    return AutoTokenizer.from_pretrained(model_folders / "gpt2")


HOSTILE = [
    "{{ ''.__class__.__mro__ }}",
    "{{ messages.__class__ }}",
    "{{ messages.append(1) }}",
    "{{ self.__init__.__globals__ }}",
    "{{ lipsum.__globals__ }}",
    "{{ raise_exception.__globals__ }}",
    "{{ namespace(_x=1) }}{% set n = namespace() %}{% set n._x = 1 %}",
    "{{ 'a' * 10**9 }}",
    "{{ [1] * 10**9 }}",
    "{{ 9 ** 999999999 }}",
    "{{ (9 ** 4000) ** 4000 }}",
    "{{ '%999999999d' % 1 }}",
    "{% for i in range(10**9) %}x{% endfor %}",
    "{% for i in range(99999) %}{{ 'x' * 10000 }}{% endfor %}",
    "{% include 'secret' %}",
]
HIDDEN = ("{{ messages.__class__ }}", "{{ raise_exception.__globals__ }}")
"""Those that reach for what is undefined."""


@pytest.mark.parametrize("template", HOSTILE)
def test_a_hostile_template_is_stopped(gpt2: PreTrainedTokenizer, template: str) -> None:
    chat = [{"role": "user", "content": "x"}]
    if template in HIDDEN:
        assert gpt2.apply_chat_template(chat, chat_template=template, tokenize=False) == ""
        return
    with pytest.raises(TemplateError) as caught:
        gpt2.apply_chat_template(chat, chat_template=template, tokenize=False)
    assert caught.value.line == (None if "characters" in caught.value.reason else 1)


def test_a_template_that_fails_says_where(gpt2: PreTrainedTokenizer) -> None:
    chat = [{"role": "user", "content": "x"}]
    for template, line, reason in (
        ("a\n{{ b", 2, "unexpected"),
        ("a\n\n{{ raise_exception('roles must alternate') }}", 3, "roles must alternate"),
        ("a\n{{ messages[0].name.first }}", 2, "no attribute"),
        ("{% for m in messages %}\n{{ m.content + 1 }}\n{% endfor %}", 2, "str"),
    ):
        with pytest.raises(TemplateError, match=reason) as caught:
            gpt2.apply_chat_template(chat, chat_template=template)
        assert caught.value.line == line
        assert f"line {line}" in str(caught.value)
        twin = pickle.loads(pickle.dumps(caught.value))
        assert (twin.line, twin.reason, str(twin)) == (line, caught.value.reason, str(caught.value))


def test_templates_see_plain_data(gpt2: PreTrainedTokenizer) -> None:
    class Loud(str):
        __slots__ = ()

        def shout(self) -> str:
            return self.upper()

    template = "{{ messages[0].content.shout is defined }} {{ thing }}"
    chat = [{"role": "user", "content": Loud("x")}]
    assert gpt2.apply_chat_template(chat, chat_template=template, tokenize=False, thing=object()) == "False <object>"


def test_conversations_that_cannot_be(gpt2: PreTrainedTokenizer) -> None:
    chat = [{"role": "user", "content": "x"}]
    for options in (
        {"continue_final_message": True, "add_generation_prompt": True},
        {"return_assistant_tokens_mask": True, "tokenize": False},
        {"continue_final_message": "reasoning"},
        {"continue_final_message": True, "chat_template": "{{ 'content' }}"},
        {"tools": [lambda: 1]},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            gpt2.apply_chat_template(chat, **options)
    for wrong in ([], [1]):
        with pytest.raises((ValueError, TypeError)):
            gpt2.apply_chat_template(wrong)
    gpt2.chat_template = None
    with pytest.raises(ValueError, match="no chat template"):
        gpt2.apply_chat_template(chat)
