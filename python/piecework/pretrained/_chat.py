"""Conversations as texts."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from piecework.errors import SettingError
from piecework.pretrained import _control_tokens, _strategies, _templates
from piecework.pretrained._calling import Calling
from piecework.pretrained._pad import pad
from piecework.pretrained._tool_schema import schema_of

if TYPE_CHECKING:
    from piecework.pretrained.batch_encoding import BatchEncoding

_REASONING = ("reasoning_content", "thinking", "reasoning")
"""Names that models have for what is thought before an answer; a message that has one gets the first two."""

_MARK = "\ue000CONTINUED\ue001 "
"""Put behind a message that is to be continued, to find its end. The blank tells whether the template trims."""


class Chat(Calling):
    """Chat templates."""

    def apply_chat_template(
        self,
        conversation: Any,
        tools: list[Any] | None = None,
        documents: list[dict[str, str]] | None = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: bool = True,
        sanitize_control_tokens: bool = False,
        padding: bool | str = False,
        truncation: bool | str | None = False,
        max_length: int | None = None,
        return_tensors: Any = None,
        return_dict: bool = True,
        return_assistant_tokens_mask: bool = False,
        tokenizer_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """A conversation as its model wants it, encoded.

        The template runs in a sandbox (extra `chat`): it sees plain data, and can neither call what is not meant for
        it nor make texts without end.

        Args:
            conversation: A list of messages, dicts with `role` and `content`; or a list of such lists.
            tools: What the model may call: functions with annotations and a docstring, or descriptions in JSON schema.
            documents: Texts to draw on, dicts with `title` and `text`.
            chat_template: A template, or the name of one that the tokenizer has; by default its own.
            add_generation_prompt: Whether to end with what begins an answer.
            continue_final_message: Whether the last message is left open, to be continued; or the field that is.
            tokenize: Whether to encode the text, or to give it back.
            sanitize_control_tokens: Whether control tokens in messages, tools and documents are encoded as plain text,
                so that nobody can forge the marks of the template. The result has no encodings.
            padding: As in the call.
            truncation: As in the call.
            max_length: As in the call.
            return_tensors: As in the call.
            return_dict: Whether to give all columns, or ids alone.
            return_assistant_tokens_mask: Whether to add the column `assistant_masks`: 1 for tokens of
                `{% generation %}` blocks.
            tokenizer_kwargs: More arguments of the call.
            **kwargs: More variables of the template.

        Raises:
            TemplateError: The template fails; the error has the line and the reason.
            ValueError: Arguments contradict each other, or there is no template.
        """
        if return_assistant_tokens_mask and not (return_dict and tokenize):
            raise SettingError("return_assistant_tokens_mask goes with return_dict=True and tokenize=True")
        if continue_final_message and (add_generation_prompt or return_assistant_tokens_mask):
            raise SettingError(
                "continue_final_message leaves the last message open, so it goes with neither add_generation_prompt "
                "nor return_assistant_tokens_mask"
            )
        template = self.get_chat_template(chat_template, tools)
        if isinstance(conversation, (list, tuple)) and not conversation:
            raise ValueError("`conversation` is empty, expected at least one message")
        first = conversation[0] if isinstance(conversation, (list, tuple)) else None
        is_batch = isinstance(first, (list, tuple)) or hasattr(first, "messages")
        given = {
            **kwargs,
            "tools": None if tools is None else [_tool(tool) for tool in tools],
            "documents": _documents(documents),
        }
        controls: tuple[str, ...] = ()
        if sanitize_control_tokens:
            if not tokenize or return_assistant_tokens_mask:
                raise SettingError("sanitize_control_tokens goes with tokenize=True, and without assistant masks")
            controls = _control_tokens.control_tokens(self, template)
            given = _control_tokens.marked(given, controls)
        variables = {**self.special_tokens_map, **given, "add_generation_prompt": add_generation_prompt}
        texts, spans = [], []
        for chat in conversation if is_batch else [conversation]:
            messages = _messages(chat)
            if sanitize_control_tokens:
                messages = _control_tokens.mark(messages, controls)
            if continue_final_message:
                field = continue_final_message if isinstance(continue_final_message, str) else "content"
                texts.append(_open_ended(template, messages, field, variables))
                continue
            text, marked = _templates.render(template, messages=messages, **variables)
            texts.append(text)
            spans.append(marked)
        if not tokenize:
            return texts if is_batch else texts[0]
        options = {"padding": padding, "truncation": truncation, "max_length": max_length, **(tokenizer_kwargs or {})}
        if sanitize_control_tokens:
            batch = self._sanitized(texts, options, return_tensors, is_batch=is_batch)
            return batch if return_dict else batch["input_ids"]
        batch = self(
            texts if is_batch else texts[0], add_special_tokens=False, return_tensors=return_tensors, **options
        )
        if return_assistant_tokens_mask:
            masks = _assistant_masks(batch, spans)
            batch["assistant_masks"] = masks if is_batch or return_tensors else masks[0]
            batch.convert_to_tensors(return_tensors)
        return batch if return_dict else batch["input_ids"]

    def _sanitized(
        self, texts: list[str], options: dict[str, Any], return_tensors: Any, *, is_batch: bool
    ) -> BatchEncoding:
        """The columns of conversations with marked control tokens."""
        names = ("padding", "truncation", "max_length", "pad_to_multiple_of")
        strategies = _strategies.resolve(self, *(options.get(name) for name in names))
        rows = [_control_tokens.encode(self, text) for text in texts]
        if strategies.truncation != "do_not_truncate" and strategies.max_length is not None:
            most = strategies.max_length
            rows = [row[:most] if self.truncation_side == "right" else row[max(len(row) - most, 0) :] for row in rows]
        return pad(
            self,
            {"input_ids": rows if is_batch or return_tensors else rows[0]},
            strategies,
            options.get("pad_to_multiple_of"),
            options.get("padding_side"),
            options.get("return_attention_mask"),
            return_tensors,
        )

    def encode_message_with_chat_template(
        self, message: dict[str, str], conversation_history: list[dict[str, str]] | None = None, **kwargs: Any
    ) -> list[int]:
        """The ids that a message adds to a conversation.

        Args:
            message: The message.
            conversation_history: The messages before it.
            **kwargs: Arguments of `apply_chat_template`.
        """
        if "add_generation_prompt" in kwargs:
            raise ValueError("add_generation_prompt does not go with a message: it begins the next one")
        options = {**kwargs, "tokenize": True, "return_dict": False}
        history = conversation_history or []
        ids: list[int] = self.apply_chat_template([*history, message], **options)
        before: list[int] = self.apply_chat_template(history, **options) if history else []
        same = next(
            (i for i, (a, b) in enumerate(zip(ids, before, strict=False)) if a != b), min(len(ids), len(before))
        )
        return ids[same:]

    def get_chat_template(self, chat_template: str | None = None, tools: list[Any] | None = None) -> str:
        """The template that a conversation would be rendered with.

        Args:
            chat_template: A template, or the name of one that the tokenizer has.
            tools: Where there are tools and no name, a template `tool_use` goes before `default`.

        Raises:
            ValueError: There is none.
        """
        if not isinstance(chat_template, (str, type(None))):
            raise TypeError(f"`chat_template` must be str, not {type(chat_template).__name__}")
        own = self.chat_template
        if isinstance(own, dict):
            if chat_template is not None:
                return own.get(chat_template, chat_template)
            for name in ("tool_use", "default") if tools is not None else ("default",):
                if name in own:
                    return own[name]
            raise ValueError(
                f"there is no default chat template, expected the name of one of `{'`, `'.join(sorted(own))}`"
            )
        template = own if chat_template is None else chat_template
        if template is None:
            raise ValueError("the tokenizer has no chat template: set tokenizer.chat_template, or give one")
        return template


# ---------------------------------------------------------------------------------------------------------------------
# What goes into a template


def _tool(tool: Any) -> Any:
    if isinstance(tool, Mapping):
        return dict(tool)
    if inspect.isfunction(tool) or inspect.ismethod(tool):
        return schema_of(tool)
    raise TypeError(f"a tool must be a function or a JSON schema (dict), not {type(tool).__name__}")


def _documents(documents: Any) -> Any:
    for i, document in enumerate(documents or ()):
        if not isinstance(document, Mapping):
            raise TypeError(f"`documents[{i}]` must be a dict with `title` and `text`, not {type(document).__name__}")
    return documents


def _messages(chat: Any) -> list[dict[str, Any]]:
    """The messages of a conversation as dicts of their own, without fields that are None."""
    messages = []
    chat = getattr(chat, "messages", chat)
    if isinstance(chat, (str, Mapping)) or not isinstance(chat, Iterable):
        raise TypeError(f"`conversation` must be a list of messages, not {type(chat).__name__}")
    for i, given in enumerate(chat):
        is_data = dataclasses.is_dataclass(given) or callable(getattr(given, "model_dump", None))
        message = _templates.plain(given) if isinstance(given, Mapping) or is_data else None
        if not isinstance(message, dict):
            raise TypeError(f"message {i} must be a dict with `role` and `content`, not {type(given).__name__}")
        message = {name: value for name, value in message.items() if value is not None}
        thought = next((message[name] for name in _REASONING if name in message), None)
        if thought is not None:
            message = {"thinking": thought, **message, "reasoning_content": thought}
        messages.append(message)
    return messages


def _open_ended(template: str, messages: list[dict[str, Any]], field: str, variables: dict[str, Any]) -> str:
    """A conversation whose last message is not closed: rendered with a mark behind it, and cut there."""
    last = messages[-1] if messages else {}
    final = last.get(field)
    if final is None:
        raise ValueError(f"the last message has no `{field}` to continue")
    fields = [name for name in _REASONING if last.get(name) == final] if field in _REASONING else [field]
    if not any(name in template for name in fields):
        raise ValueError(f"the chat template has no `{field}` that could be continued")
    if isinstance(final, list):
        block = next((b for b in reversed(final) if isinstance(b, dict) and "text" in b), None)
        if block is None:
            raise ValueError("the last message has no text to continue")
        final = block["text"]
        block["text"] = final + _MARK
    else:
        last.update(dict.fromkeys(fields, final + _MARK))
    text, _ = _templates.render(template, messages=messages, **variables)
    at = text.rfind(_MARK.strip())
    if at < 0 or final.strip() not in text:
        raise ValueError("the last message does not appear in what the chat template makes, so it cannot be continued")
    # A template that trims messages has trimmed the mark too; then the text in front of it is trimmed as well.
    return text[:at] if text.startswith(_MARK, at) else text[:at].rstrip()


# ---------------------------------------------------------------------------------------------------------------------
# What comes out


def _assistant_masks(batch: BatchEncoding, spans: list[list[tuple[int, int]]]) -> list[list[int]]:
    """1 for tokens that overlap with a span, else 0; the spans of each row are in order."""
    masks = []
    for row, marked in zip(batch.encodings or (), spans, strict=True):
        mask, at = [0] * len(row), 0
        for token, (start, end) in enumerate(row.offsets):
            while at < len(marked) and start >= marked[at][1]:
                at += 1
            if at == len(marked):
                break
            mask[token] = int(end > marked[at][0])
        masks.append(mask)
    return masks
