"""Special tokens around a text that depend on a language."""

from __future__ import annotations

from typing import NamedTuple

from piecework.processors import TemplateProcessing

Tokens = tuple[tuple[str, int], ...]


class Ends(NamedTuple):
    """Special tokens with their ids that stand before and behind a text, or a pair, all of type 0."""

    prefix: Tokens
    suffix: Tokens

    def template(self) -> TemplateProcessing:
        """The post-processor that puts them in."""
        before, behind = ([token for token, _ in tokens] for tokens in self)
        return TemplateProcessing(
            single=[*before, "$A", *behind],
            pair=[*before, "$A", "$B", *behind],
            special_tokens=[*self.prefix, *self.suffix],
        )
