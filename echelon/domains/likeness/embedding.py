"""Sentence vectors from the static word vectors in the wordllama wheel, without network.

The vectors and the tokenizer are read from the files of the wheel: `import wordllama` and its own loader take more than
a second and look for the tokenizer on the network first. The vectors are those of `WordLlama.load().embed(texts)`
(mean of the token vectors; the tests compare the two).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSIONS = 256
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_CHUNK = 2048


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of `texts`, shape (len(texts), 256), not normalised; an empty text has the zero vector.

    Raises FileNotFoundError when the installed wordllama wheel does not hold its weights.
    """
    tokenizer, table = _load()
    vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    for first in range(0, len(texts), _CHUNK):
        encoded = tokenizer.encode_batch_fast(list(texts[first : first + _CHUNK]), add_special_tokens=False)
        for row, tokens in enumerate(encoded, start=first):
            if tokens.ids:
                vectors[row] = table[tokens.ids].mean(axis=0)
    return vectors


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows of `vectors` scaled to length 1; zero rows stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return scaled


@lru_cache(maxsize=1)
def _load() -> tuple[Tokenizer, NDArray[np.float32]]:
    # safetensors says PathLike without of what.
    from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]
    from tokenizers import Tokenizer

    root = _wheel()
    tokenizer = Tokenizer.from_file(str(root / _TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, load_file(str(root / _WEIGHTS))["embedding.weight"].astype(np.float32)


def _wheel() -> Path:
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package wordllama is not installed")
    root = Path(spec.origin).parent
    for name in (_WEIGHTS, _TOKENIZER):
        if not (root / name).is_file():
            raise FileNotFoundError(f"the installed wordllama has no {name}: install wordllama>=0.4,<0.5")
    return root
