"""A look inside a tokenizer: a text through its stages, a training step by step, tokenizers side by side."""

from piecework.inspect.trace import Trace, TracedToken, trace

__all__ = ["Trace", "TracedToken", "trace"]
