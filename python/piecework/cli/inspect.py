"""`piecework inspect`: the stages of one text as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from piecework.cli._source import TokenizerPath, load_tokenizer

if TYPE_CHECKING:
    from piecework import Encoding, Tokenizer


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _row(table: Table, *cells: object) -> None:
    # As Text, so that brackets in a token are not taken for markup.
    table.add_row(*(Text(str(cell)) for cell in cells))


def _stretches(tokenizer: Tokenizer, text: str, encoding: Encoding) -> list[str]:
    """The text between added tokens: what each stage sees apart."""
    added = tokenizer.get_added_tokens_decoder()
    cuts = [0]
    for token_id, (start, end), special in zip(
        encoding.ids, encoding.offsets, encoding.special_tokens_mask, strict=True
    ):
        if token_id in added and not special:
            cuts += [start, end]
    cuts.append(len(text))
    stretches = [text[start:end] for start, end in zip(cuts[::2], cuts[1::2], strict=True)]
    return [stretch for stretch in stretches if stretch]


def inspect(
    text: Annotated[str, typer.Argument(help="The text.", show_default=False)],
    tokenizer: TokenizerPath,
    special_tokens: Annotated[bool, typer.Option(help="Add the special tokens of the post-processor.")] = True,
) -> None:
    """Show what each stage makes of a text: normalized text, pretokens, tokens with ids and spans."""
    handle = load_tokenizer(tokenizer)
    encoding = handle.encode(text, add_special_tokens=special_tokens)
    console = Console(highlight=False)

    stages = _table("stages", "text", "normalized", "pretokens")
    for stretch in _stretches(handle, text, encoding):
        normalized = handle.normalizer.normalize_str(stretch) if handle.normalizer else stretch
        pretokens = (
            [p for p, _ in handle.pre_tokenizer.pre_tokenize_str(normalized)] if handle.pre_tokenizer else [normalized]
        )
        _row(stages, repr(stretch), repr(normalized), " | ".join(pretokens))
    console.print(stages)

    tokens = _table("tokens", "id", "token", "span", "text", "word", "special")
    columns = (encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, encoding.special_tokens_mask)
    for token_id, token, (start, end), word, special in zip(*columns, strict=True):
        shown = "" if word is None else word
        _row(tokens, token_id, token, f"{start}-{end}", repr(text[start:end]), shown, "yes" if special else "")
    console.print(tokens)

    decoded = handle.decode(encoding.ids)
    console.print(Text(f"decoded: {decoded!r}"))
