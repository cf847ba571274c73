"""A look inside a tokenizer: a text through its stages, a training step by step, tokenizers side by side."""

from piecework.inspect.compare import Comparison, Measure, compare
from piecework.inspect.overlap import Overlap, overlap
from piecework.inspect.trace import Trace, TracedToken, trace

__all__ = ["Comparison", "Measure", "Overlap", "Trace", "TracedToken", "compare", "overlap", "trace"]
