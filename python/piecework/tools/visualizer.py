"""Encodings as HTML: each token a box, annotations below the text that they are of."""

from __future__ import annotations

import re
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._checks import text as checked_text
from piecework._checks import wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework.encoding import Encoding
    from piecework.implementations import BaseTokenizer
    from piecework.tokenizer import Tokenizer

_STYLES = (Path(__file__).parent / "visualizer-styles.css").read_text(encoding="utf-8")
_UNKNOWN = re.compile("unk|oov", re.IGNORECASE)


class Annotation:
    """A stretch of text with a label.

    Args:
        start: First code point.
        end: One past the last code point.
        label: What to call it.

    Example:
        >>> from piecework.tools import Annotation
        >>> Annotation(0, 3, "verb")
        Annotation(0, 3, 'verb')
    """

    def __init__(self, start: int, end: int, label: str) -> None:
        self.start = start
        self.end = end
        self.label = checked_text("label", label)

    def __repr__(self) -> str:
        return f"Annotation({self.start}, {self.end}, {self.label!r})"


class CharState(NamedTuple):
    """What is known of a character: the tokens that cover it, and its annotation."""

    char_ix: int
    tokens: tuple[int, ...] = ()
    anno_ix: int | None = None

    @property
    def token_ix(self) -> int | None:
        """The first token that covers it."""
        return self.tokens[0] if self.tokens else None

    @property
    def is_multitoken(self) -> bool:
        """Whether several tokens cover it."""
        return len(self.tokens) > 1


class EncodingVisualizer:
    """Shows how a text is encoded.

    Args:
        tokenizer: The tokenizer.
        default_to_notebook: Whether a call shows its result in a notebook instead of giving it.
        annotation_converter: Makes an `Annotation` of what is given as one.

    Raises:
        ImportError: `default_to_notebook` is set, but IPython is not installed.

    Example:
        >>> from piecework import Tokenizer, models, pre_tokenizers
        >>> from piecework.tools import Annotation, EncodingVisualizer
        >>> tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "hug": 1}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> show = EncodingVisualizer(tokenizer, default_to_notebook=False)
        >>> '<span class="token even-token">hug</span>' in show("hug me", annotations=[Annotation(0, 3, "verb")])
        True
    """

    def __init__(
        self,
        tokenizer: Tokenizer | BaseTokenizer,
        default_to_notebook: bool = True,
        annotation_converter: Callable[[Any], Annotation] | None = None,
    ) -> None:
        if default_to_notebook:
            _ipython()
        self.tokenizer = tokenizer
        self.default_to_notebook = default_to_notebook
        self.annotation_coverter = annotation_converter  # the reference's spelling

    def __call__(
        self, text: str, annotations: Sequence[Any] | None = None, default_to_notebook: bool | None = None
    ) -> str | None:
        """Show a text.

        Args:
            text: The text.
            annotations: Stretches of it with labels.
            default_to_notebook: For this call, whether to show the result instead of giving it.

        Returns:
            A page of HTML, or None if it was shown.
        """
        convert = self.annotation_coverter
        marked = [convert(a) if convert is not None else a for a in annotations or []]
        for at, annotation in enumerate(marked):
            if not all(hasattr(annotation, name) for name in ("start", "end", "label")):
                raise wrong_type(f"annotations[{at}]", "Annotation (or annotation_converter must make one)", annotation)
        html = self._page(text, self.tokenizer.encode(text), marked)
        if not (self.default_to_notebook if default_to_notebook is None else default_to_notebook):
            return html
        display, as_html = _ipython()
        display(as_html(html))
        return None

    @staticmethod
    def calculate_label_colors(annotations: Sequence[Annotation]) -> dict[str, str]:
        """A colour for each label; behind the 18th label they repeat."""
        labels = sorted({annotation.label for annotation in annotations})
        step = max(20, 255 // max(1, len(labels)))
        return {label: f"hsl({10 + step * i},32%,64%)" for i, label in enumerate(labels)}

    @staticmethod
    def consecutive_chars_to_html(consecutive_chars_list: Sequence[CharState], text: str, encoding: Encoding) -> str:
        """The box of characters that the same tokens cover."""
        return _box(consecutive_chars_list, text, encoding.tokens) if consecutive_chars_list else ""

    @classmethod
    def _page(cls, text: str, encoding: Encoding, annotations: Sequence[Annotation]) -> str:
        colors = cls.calculate_label_colors(annotations)
        states, tokens = _states(text, encoding, annotations), encoding.tokens
        children = []
        for anno_ix, group in groupby(states, key=lambda state: state.anno_ix):
            runs = [list(run) for _, run in groupby(group, key=lambda state: state.tokens)]
            boxes = "".join(_box(run, text, tokens) for run in runs)
            if anno_ix is not None:
                label = annotations[anno_ix].label
                style = f"--label:{colors[label]}"
                boxes = f'<span class="annotation" style="{style}" data-label="{escape(label)}">{boxes}</span>'
            children.append(boxes)
        return HTMLBody(children)


def _box(chars: Sequence[CharState], text: str, tokens: Sequence[str]) -> str:
    first = chars[0]
    start, end = first.char_ix, chars[-1].char_ix + 1
    classes, data = ["non-token"], ""
    if first.token_ix is not None:
        classes = ["token", "odd-token" if first.token_ix % 2 else "even-token"]
        if first.is_multitoken:
            classes.append("multi-token")
        token = tokens[first.token_ix]
        if _UNKNOWN.search(token):
            classes.append("special-token")
            data = f' data-stok="{escape(token)}"'
    return f'<span class="{" ".join(classes)}"{data}>{escape(text[start:end])}</span>'


def _states(text: str, encoding: Encoding, annotations: Sequence[Annotation]) -> list[CharState]:
    """What is known of each character."""
    tokens: list[list[int]] = [[] for _ in text]
    for token_ix, (start, end) in enumerate(encoding.offsets):
        for at in range(start, end):
            tokens[at].append(token_ix)
    marks: list[int | None] = [None] * len(text)
    for anno_ix, annotation in enumerate(annotations):
        for at in range(max(0, annotation.start), min(annotation.end, len(text))):
            marks[at] = anno_ix
    return [CharState(at, tuple(tokens[at]), marks[at]) for at in range(len(text))]


def HTMLBody(children: Sequence[str], css_styles: str = _STYLES) -> str:  # noqa: N802 - the reference's name
    """A page of HTML that needs nothing but itself."""
    return (
        f'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<style>\n{css_styles}</style>\n</head>\n'
        f'<body>\n<div class="tokenized-text" dir="auto">{"".join(children)}</div>\n</body>\n</html>\n'
    )


def _ipython() -> tuple[Callable[[Any], None], Callable[[str], Any]]:
    """What shows HTML in a notebook."""
    try:
        from IPython.core.display import HTML  # noqa: PLC0415 - only in notebooks
        from IPython.display import display  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "showing encodings in a notebook needs IPython: pip install ipython, or default_to_notebook=False"
        ) from error
    return display, HTML
