"""Chat templates that are hostile, that fail, and conversations that cannot be."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from piecework import AutoTokenizer, PreTrainedTokenizer, TemplateError
from piecework.pretrained import _sandbox

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
    "{{ 'x' | center(10**9) }}",
    "{{ 'x' | indent(10**9) }}",
    "{{ 'x\\n' * 10000 | indent('y' * 10000) }}",
    "{{ [1] | batch(10**9, 0) | list }}",
    "{{ '%999999999d' | format(1) }}",
    "{{ '%*d' | format(10**9, 1) }}",
    "{{ '%*d' % (10**9, 1) }}",
    "{{ 'x'.ljust(10**9) }}",
    "{{ ('x' * 1000000) | wordwrap(1) }}",
    "{{ 'x'.zfill(width=10**9) }}",
    "{{ ('\\t' * 10000).expandtabs(10000) }}",
    "{{ '{:999999999}'.format(1) }}",
    "{{ '{:{}}'.format(1, 10**9) }}",
    "{{ ('x' * 10000) | replace('x', 'y' * 10000) }}",
    "{{ ('x' * 10000).replace('x', 'y' * 10000) }}",
    "{{ ('x' * 9000000).join(['a'] * 10) }}",
    "{{ (['a'] * 10) | join('x' * 9000000) }}",
    "{{ range(99999) | join('x' * 1000000) }}",
    "{{ range(99999) | map('string') | join('x' * 1000000) }}",
    "{{ '{0[0]:{0[1]}}'.format(['x', '999999999']) }}",
    "{{ '{a:{b}}'.format_map({'a': 'x', 'b': '999999999'}) }}",
    "{{ ('x' * 10000).translate({120: 'y' * 10000}) }}",
    "{{ 'x'.encode().ljust(10**9) }}",
    "{{ ('x' * 10000).encode().replace('x'.encode(), ('y' * 10000).encode()) }}",
    "{{ (1).to_bytes(10**9, 'big') }}",
    "{{ messages | tojson(indent=10**9) }}",
    "{{ messages | tojson(indent='x' * 1000000) }}",
    "{% set n = namespace(a='x') %}{% for i in range(99) %}{% set n.a = n.a + n.a %}{% endfor %}",
    "{% set n = namespace(a='x') %}{% for i in range(99) %}{% set n.a = n.a ~ n.a %}{% endfor %}",
    "{% set n = namespace(a=[]) %}{% for i in range(99) %}{% set n.a = n.a + ['x' * 60000000 ~ i] %}{% endfor %}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
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
    assert caught.value.line == (None if caught.value.reason.endswith("characters") else 1)


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) if false %}{% endfor %}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
        "{% for i in range(99999) %}{{ range(99999) | map('string') | list | length }}{% endfor %}",
    ],
)
def test_a_template_without_end_is_stopped(
    gpt2: PreTrainedTokenizer, template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_sandbox, "MOST_SECONDS", 0.2)
    chat = [{"role": "user", "content": "x"}]
    with pytest.raises(TemplateError, match=r"takes more than 0\.2 seconds|characters on the way") as caught:
        gpt2.apply_chat_template(chat, chat_template=template, tokenize=False)
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ nope | default('x') }}{{ nope ~ 1 ~ none ~ 'a' }}", "x1Nonea"),
        ("{{ '%d %s' | format(1700000000000, 'a') }} {{ '%d' % 1700000000000 }}", "1700000000000 a 1700000000000"),
        ("{{ '{} {:>{}}'.format(1700000000000, 'b', 3) }}".replace(":>{}", ""), "1700000000000 b"),
        ("{{ 'a b' | replace(' ', '_') }} {{ 'ab' | center(4) }}|{{ ['a', 1] | join('-') }}", "a_b  ab |a-1"),
        ("{{ 'a\\nb' | indent(2) }} {{ '7'.zfill(3) }} {{ '-'.join(['a', 'b']) }}", "a\n  b 007 a-b"),
        ("{% for i in [1, 2, 3] if i > 1 %}{{ loop.index }}{{ i }}{% else %}no{% endfor %}", "1223"),
        (
            "{% for i in [] %}{% else %}no{% endfor %}{{ [1] + [2] }} {{ 2 * 3 + 1 }} {{ 7 % 4 }} {{ 2 ** 3 }}",
            "no[1, 2] 7 3 8",
        ),
        ("{% for i in [[1, [2]]] recursive %}{{ i if i is number else loop(i) }}{% endfor %}", "12"),
        ("{{ messages | map(attribute='role') | list }} {{ '%s' | format(messages[0].content) }}", "['user'] x"),
        (
            "{{ range(3) | join('-') }} {{ messages | map(attribute='role') | join }} {{ 'ab' | join(',') }}",
            "0-1-2 user a,b",
        ),
        ("{{ messages | join(', ', attribute='content') }} {{ 'ab'.translate({97: 'c'}) }}", "x cb"),
        (
            "{{ [1] | tojson(indent=2) }} {{ 'a'.encode().hex() }} {{ (258).to_bytes(2, 'big').hex() }}",
            "[\n  1\n] 61 0102",
        ),
    ],
)
def test_what_templates_do_with_texts(gpt2: PreTrainedTokenizer, template: str, text: str) -> None:
    chat = [{"role": "user", "content": "x"}]
    assert gpt2.apply_chat_template(chat, chat_template=template, tokenize=False) == text


@pytest.mark.parametrize(
    "template", ["{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "{% for i in [1] %}" * 99 + "{% endfor %}" * 99]
)
def test_a_template_that_is_nested_too_deeply(gpt2: PreTrainedTokenizer, template: str) -> None:
    with pytest.raises(TemplateError, match="nested too deeply"):
        gpt2.apply_chat_template([{"role": "user", "content": "x"}], chat_template=template, tokenize=False)


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
    with pytest.raises(ValueError, match="`conversation` is empty"):
        gpt2.apply_chat_template([])
    for wrong, message in (([1], "message 0 must be a dict"), (5, "`conversation` must be a list"), ({}, "not dict")):
        with pytest.raises(TypeError, match=message):
            gpt2.apply_chat_template(wrong)
    with pytest.raises(TypeError, match="`chat_template` must be str, not int"):
        gpt2.apply_chat_template(chat, chat_template=5)  # type: ignore[arg-type]
    gpt2.chat_template = None
    with pytest.raises(ValueError, match="no chat template"):
        gpt2.apply_chat_template(chat)
