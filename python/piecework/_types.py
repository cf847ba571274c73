"""Names for the forms of input, as annotations of other programs use them."""

from __future__ import annotations

TextInputSequence = str
"""A text."""

PreTokenizedInputSequence = list[str] | tuple[str, ...]
"""A text that is cut into words."""

TextEncodeInput = TextInputSequence | tuple[TextInputSequence, TextInputSequence] | list[TextInputSequence]
"""A text or a pair of texts."""

PreTokenizedEncodeInput = (
    PreTokenizedInputSequence
    | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]
    | list[PreTokenizedInputSequence]
)
"""The same for texts that are cut into words."""

InputSequence = TextInputSequence | PreTokenizedInputSequence
"""A text, cut or not."""

EncodeInput = TextEncodeInput | PreTokenizedEncodeInput
"""What an item of a batch may be."""

Offsets = tuple[int, int]
"""A span."""
