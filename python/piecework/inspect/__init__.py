"""A look inside a tokenizer: a text through its stages, a training step by step, tokenizers side by side."""

from piecework.inspect.compare import Comparison, Measure, compare
from piecework.inspect.overlap import Overlap, overlap
from piecework.inspect.replay import MergeRound
from piecework.inspect.trace import Trace, TracedToken, trace
from piecework.inspect.training import TrainTrace, train_trace

__all__ = [
    "Comparison",
    "Measure",
    "MergeRound",
    "Overlap",
    "Trace",
    "TracedToken",
    "TrainTrace",
    "compare",
    "overlap",
    "trace",
    "train_trace",
]
