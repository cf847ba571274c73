"""The numbers that a model gives, whatever library they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def as_array(logits: Any) -> NDArray[Any]:
    """An array of floating-point numbers: tensors are brought here from where they are, half types are widened."""
    if hasattr(logits, "detach"):  # torch
        logits = logits.detach().cpu()
        if logits.element_size() < 4:
            logits = logits.float()
        logits = logits.numpy()
    elif isinstance(logits, (list, tuple)) and logits and hasattr(logits[0], "detach"):
        return np.stack([as_array(row) for row in logits])
    array: NDArray[Any] = np.asarray(logits)
    if array.dtype.itemsize < 4 or array.dtype.kind not in "fV":
        array = array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    return array


def softmax(logits: NDArray[Any]) -> NDArray[Any]:
    """Probabilities over the last axis."""
    powers: NDArray[Any] = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities: NDArray[Any] = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities
