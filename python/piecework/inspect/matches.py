"""How WordPiece covers a pretoken from the left."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from piecework.models import WordPiece


class Match(NamedTuple):
    """What was tried at a place of a pretoken."""

    start: int
    tried: list[str]
    """From the longest one on; the last one was found, if `token` is not None."""
    token: str | None


class MatchSteps(NamedTuple):
    """A pretoken in WordPiece: at each place the longest token that fits."""

    word: str
    matches: list[Match]
    unk_token: str
    is_too_long: bool = False
    """Whether it has more characters than the model looks at."""

    @property
    def tokens(self) -> list[str]:
        """What it ends as."""
        found = [match.token for match in self.matches if match.token is not None]
        is_unknown = self.is_too_long or len(found) < len(self.matches)
        return [self.unk_token] if is_unknown else found


class WordPieceSteps:
    """Shows the work of a WordPiece model."""

    def __init__(self, model: WordPiece) -> None:
        self._model = model

    def __call__(self, word: str) -> MatchSteps:
        """The steps of a pretoken."""
        model, matches = self._model, list[Match]()
        if len(word) > model.max_input_chars_per_word:
            return MatchSteps(word, [], model.unk_token, is_too_long=True)
        start = 0
        while start < len(word):
            mark = model.continuing_subword_prefix if start else ""
            tried: list[str] = []
            token = None
            end = len(word)
            while token is None and end > start:
                tried.append(mark + word[start:end])
                token = tried[-1] if model.token_to_id(tried[-1]) is not None else None
                end -= 1
            matches.append(Match(start, tried, token))
            if token is None:
                break
            start = end + 1
        return MatchSteps(word, matches, model.unk_token)
