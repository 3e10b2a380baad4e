"""The one way of text to the terminal: nothing that a model, a document or a file name holds acts there."""

from __future__ import annotations

import sys
from typing import TextIO

from echelon.shown import visible_lines


def show(text: object, stream: TextIO | None = None) -> None:
    """Print text or JSON with everything visible; its own line breaks stay, so fields come through `visible` before."""
    print(visible_lines(text), file=stream or sys.stdout, flush=True)
