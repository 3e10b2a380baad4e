"""Workbooks as files that are the same for the same content."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

CORE = "docProps/core.xml"
"""The member of a workbook that says when it was made and saved"""
_EARLIEST = (1980, 1, 1, 0, 0, 0)


def without_times(workbook: bytes, core: Callable[[bytes], bytes]) -> bytes:
    """The same archive without the times of its members; `core` takes those that openpyxl writes out of `CORE`."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            content = core(content) if name == CORE else content
            target.writestr(zipfile.ZipInfo(name, _EARLIEST), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
