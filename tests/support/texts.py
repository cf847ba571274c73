"""Texts that have broken tokenizers, and a strategy that mixes them."""

from __future__ import annotations

from hypothesis import strategies as st

# Each line is a kind of trouble; a drawn text strings some of them together.
FRAGMENTS = (
    " ", "  ", "   ", "\n", "\r\n", "\n\n", "\t", "\u00a0", "\u3000", "\u2028", "\x85", "\u200b",
    "\ufeff", "\x00", "\x7f",
    "a", "e", "x", "low", "lower", "Hello", "HELLO", "world", "don't", "I'll", "'S", "\u2019s", "naïve",
    "café", "cafe\u0301",
    "Straße", "ẞ", "İstanbul", "ΑΣ", "ﬁne", "①②", "½", "Ⅷ", "x²", "\u1e9b\u0323", "q\u0307\u0323",
    "a\u0308\u0304",
    "日本語", "こんにちは", "ガ", "カ\u3099", "中", "한국어", "\u1112\u1161\u11ab", "สวัสดี", "हिन्दी", "नि",
    "العربية", "שלום",
    "Привет", "ё", "е\u0308", "🙂", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "\u0301", "\ufe0f", "\u200d", "𝔘𝔫𝔦",
    "\U00010348",
    "\U0001fae8", "\u1c89", "\ua7cb", "\U0010ffff",
    "0", "7", "42", "123", "12345678", "3.14", "1,000", "٣", "१२",
    ".", ",", "...", "!?", "(x)", "[MASK]", "<s>", "</s>", "<|end|>", "$", "+", "==", "_", "__init__",
    "-", "--", "—", "“q”", "#",
    "▁", "Ġ", "Ċ", "Ã", "##a", "</w>", "<0x41>", "def f(x):\n    return x\n", "for i in range(10):",
    "http://a.b/c?d=e&f",
    "aaaaaaaaaaaaaaaaaaaaaaaaa", "abababababab", "          ", "\n\n\n\n\n", "))))))))",
    "ggggggg hhhhh",
)  # fmt: skip

_characters = st.characters(exclude_categories=["Cs"])

texts: st.SearchStrategy[str] = st.one_of(
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(_characters, max_size=4)), max_size=12).map("".join),
    st.text(_characters, max_size=30),
    st.text("ab ' \n1.é", max_size=40),
)

# What several tests draw: made once, as making a strategy takes longer than drawing from it.
texts_or_none = st.none() | texts
lists_of_texts = st.lists(texts, max_size=6)
batches = st.lists(texts | st.tuples(texts, texts), max_size=5)
