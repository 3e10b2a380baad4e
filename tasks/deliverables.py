"""Is a file a result? What code can tell of it without a model: there, filled, no copy of what was given, its shape."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.tasks.contracts import Check, Finding
from echelon.tasks.excuses import excuse
from echelon.tasks.slots import open_slot
from echelon.tasks.texts.copies import copied
from echelon.tasks.texts.placeholders import emptiness, spoken
from echelon.tasks.texts.shapes import unshaped

BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    ".pdf": (b"%PDF-",), ".docx": (b"PK\x03\x04",), ".xlsx": (b"PK\x03\x04",), ".pptx": (b"PK\x03\x04",),
    ".odt": (b"PK\x03\x04",), ".zip": (b"PK\x03\x04",), ".png": (b"\x89PNG",), ".jpg": (b"\xff\xd8",),
    ".jpeg": (b"\xff\xd8",), ".gif": (b"GIF8",), ".gz": (b"\x1f\x8b",),
}  # fmt: skip
"""How files of these formats begin; a text of such a name is none of them."""
ENDINGS = {".pdf": b"%%EOF", ".png": b"IEND", ".gif": b";", ".jpg": b"\xff\xd9", ".jpeg": b"\xff\xd9"}
"""What stands towards their end."""
_KNOWN = (
    "md|markdown|txt|text|rst|adoc|json|jsonl|ndjson|csv|tsv|yaml|yml|html|htm|xml|svg|pdf|docx|xlsx|pptx|odt|zip|png|jpg|jpeg|gif"
    "|py|sql|toml|ini|tex|ics|js|ts|sh|patch|diff"
)
_NAMED = re.compile(rf"\boutput/(?! )[^\n\"'`<>|;:*?,()\[\]]{{0,160}}?\.(?:{_KNOWN})(?!\w)", re.IGNORECASE)
_SENTENCE = re.compile(
    r" (?:and|or|in|to|the|an?|with|as|is|are|from|into|for|then|of|und|oder|mit|die|der|das|in|nach|aus) "
)
_SAMPLE = 4096


def problems_of(
    workspace: Workspace, path: str, given: Iterable[str], check: Check | None = None, request: str = ""
) -> list[Finding]:
    """What is wrong with a deliverable; empty when code finds nothing. `given` are texts that a result must not equal."""
    if workspace.sha256(path) is None:
        return [Finding(says=f"'{path}' was promised and is not there", about=path, code="missing")]
    says = _of_bytes(workspace, path)
    if not says and is_text(workspace, path):
        try:
            says = _of_text(path, workspace.read(path), given, check, request)
        except ModelFault as fault:
            return [Finding(says=str(fault)[:400], about=path, code="unreadable")]
    return [Finding(says=f"'{path}' {says}"[:400], about=path, code="file")] if says else []


def _of_text(path: str, text: str, given: Iterable[str], check: Check | None, request: str) -> str:
    if says := emptiness(path, text, request):
        return says
    if copied(spoken(path, text), given, request):
        return "is a copy of what was given"
    if said := excuse(path, text, given, request):
        return f"holds no result, only what is said in place of one: '{said[:60]}'"
    if slot := open_slot(path, text, given, request):
        return f"leaves a place for somebody else to fill in: '{slot[:60]}'; write what belongs there, or leave it out"
    return unshaped(path, text, check) if check is not None else ""


def _of_bytes(workspace: Workspace, path: str) -> str:
    real = workspace.path(path)
    if not real.stat().st_size:
        return "is empty"
    suffix = PurePosixPath(path.lower()).suffix
    with real.open("rb") as file:
        begins = file.read(16)
    is_right = suffix not in BEGINNINGS or (begins.startswith(BEGINNINGS[suffix]) and _ends_well(real, suffix))
    if not is_right:
        return f"is no {suffix.removeprefix('.').upper()} file"
    return "holds characters that nobody can read" if suffix not in BEGINNINGS and _has_nought(real) else ""


def _ends_well(real: Path, suffix: str) -> bool:
    """Whether a file goes on as its format does: a beginning alone is none of it."""
    if begins_zip(suffix):
        return zipfile.is_zipfile(real)
    with real.open("rb") as file:
        file.seek(max(0, real.stat().st_size - _SAMPLE))
        ends = file.read()
    return suffix not in ENDINGS or ENDINGS[suffix] in ends


def begins_zip(suffix: str) -> bool:
    """Whether files of this format are archives."""
    return BEGINNINGS[suffix] == (b"PK\x03\x04",)


def _has_nought(real: Path) -> bool:
    """Whether a text has a character that makes it unreadable as one: then no role can open it."""
    with real.open("rb") as file:
        sample = file.read(_SAMPLE * 16)
    if b"\0" not in sample:
        return False
    try:
        sample.replace(b"\0", b"").decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(sample) - 64 and len(sample) == _SAMPLE * 16
    return sample.count(b"\0") * 3 < len(sample)  # more of them: another encoding


def is_text(workspace: Workspace, path: str) -> bool:
    """Whether a role can read a file: its bytes are a text in UTF-8, whatever its name ends with."""
    try:
        with workspace.path(path).open("rb") as file:
            sample = file.read(_SAMPLE)
    except (OSError, ModelFault):
        return False
    if b"\0" in sample or PurePosixPath(path.lower()).suffix in BEGINNINGS:
        return False
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(sample) == _SAMPLE and error.start >= _SAMPLE - 4  # a character that the sample cut
    return True


def named_in(texts: Iterable[str]) -> list[str]:
    """Results that texts name by their path ("output/list.md"), each once, in order."""
    found = dict.fromkeys(m.group() for text in texts for m in _NAMED.finditer(text))
    return [path for path in found if not _SENTENCE.search(path)]


def stands_for(path: str, named: str) -> bool:
    """Whether a result is what `named` speaks of: the same file, or one of its name in another form or folder."""
    stems = (PurePosixPath(p).stem.casefold() for p in (path, named))
    return path == named or len(set(stems)) == 1
