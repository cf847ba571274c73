"""Tools to look at encodings."""

from __future__ import annotations

from piecework.tools.visualizer import Annotation, EncodingVisualizer

__all__ = ["Annotation", "EncodingVisualizer"]
