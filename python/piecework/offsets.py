"""Enumerations of what spans refer to and count, and of what happens to delimiters."""

from __future__ import annotations

from enum import Enum

__all__ = ["OffsetReferential", "OffsetType", "SplitDelimiterBehavior"]


class OffsetReferential(Enum):
    """Which text spans refer to.

    Example:
        >>> from piecework import OffsetReferential
        >>> OffsetReferential("normalized")
        <OffsetReferential.NORMALIZED: 'normalized'>
    """

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(Enum):
    """What spans count.

    Example:
        >>> from piecework import OffsetType
        >>> OffsetType("byte")
        <OffsetType.BYTE: 'byte'>
    """

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(Enum):
    """What happens to what a text is cut at.

    Example:
        >>> from piecework import SplitDelimiterBehavior
        >>> [behavior.value for behavior in SplitDelimiterBehavior][:2]
        ['removed', 'isolated']
    """

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"
