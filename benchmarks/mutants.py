"""Break documents by a seed and read them: no crash, nothing that runs away, no garbage without a word.

    python benchmarks/mutants.py [--short] [--seed N] [--mutants N]

500 mutants of a PDF, a DOCX, an HTML page and a Markdown file (bytes flipped, cut out, doubled, moved; parts of the
archive replaced), and 40 bombs: small files that are expensive to read. Each is read and extracted in a process of its
own, with its time and memory taken. An outcome is `same` (the requirements of the original), `warned`, `refused`
(a ReadError), or one of the faults: `crash`, `slow` (more than 60 s), `large` (more than 1.5 GB), `garbage` (text that
cannot be made out, or less than half of the requirements, and no warning). One JSON line, and one for each fault.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

SECONDS, MEGABYTES = 60.0, 1500.0
PATIENCE = 5
"""How many times as long as its processor time an attempt may take on a busy machine."""
FAULTS = ("crash", "slow", "large", "garbage")
CLAUSES = [f"{n}.{m} The keeper of room {n} must check lamp {m} before the night." for n in range(1, 9) for m in (1, 2)]
LEAST = 0.5
"""Share of the original's requirements below which a mutant without a warning has lost them in silence. A mutant of
Markdown or HTML is another text: only what cannot be made out counts there."""


def originals(folder: Path) -> dict[str, Path]:
    """The documents that are broken, one of each format."""
    from docx import Document as new_docx
    from reportlab.pdfgen.canvas import Canvas

    folder.mkdir(parents=True, exist_ok=True)
    paths = {kind: folder / f"rules.{kind}" for kind in ("pdf", "docx", "html", "md")}
    canvas = Canvas(str(paths["pdf"]), invariant=1)
    made = new_docx()
    for start in range(0, len(CLAUSES), 4):
        for number, clause in enumerate(CLAUSES[start : start + 4]):
            canvas.drawString(72, 720 - 24 * number, clause)
            made.add_paragraph(clause)
        canvas.showPage()
    canvas.save()
    made.save(str(paths["docx"]))
    paths["html"].write_text("<html><body>" + "".join(f"<p>{clause}</p>\n" for clause in CLAUSES) + "</body></html>")
    paths["md"].write_text("# Rules\n\n" + "\n\n".join(CLAUSES) + "\n")
    return paths


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The same file with one to four things wrong with it."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, size = rng.randrange(len(out)), rng.choice((1, 2, 8, 64, 512))
        match rng.choice(("flip", "cut", "double", "zero", "swap", "digits")):
            case "flip":
                out[at] ^= 1 << rng.randrange(8)
            case "cut":
                del out[at : at + size]
            case "double":
                out[at:at] = out[at : at + size] * rng.choice((1, 20))
            case "zero":
                out[at : at + size] = bytes(min(size, len(out) - at))
            case "swap":
                other = rng.randrange(len(out))
                out[at : at + size], out[other : other + size] = out[other : other + size], out[at : at + size]
            case _:
                digits = [i for i in range(at, min(len(out), at + 4096)) if 48 <= out[i] <= 57]
                for i in digits[:3]:
                    out[i] = rng.randrange(48, 58)
        if not out:
            return b"x"
    return bytes(out)


def mutated_docx(data: bytes, rng: random.Random) -> bytes:
    """A DOCX broken as an archive, or in one of its parts."""
    if rng.random() < 0.4:
        return mutated(data, rng)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        broken = rng.choice([name for name in source.namelist() if name.startswith("word/")])
        for name in source.namelist():
            part = source.read(name)
            target.writestr(name, mutated(part, rng) if name == broken else part)
    return out.getvalue()


def docx_of(body: str, **parts: str) -> bytes:
    """A DOCX of this body and these other parts."""
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"<w:document {names}><w:body>{body}</w:body></w:document>")
        for name, part in parts.items():
            archive.writestr(f"word/{name}.xml", f"<w:{name} {names}>{part}</w:{name}>")
    return out.getvalue()


def zip_bomb(megabytes: int) -> bytes:
    """A DOCX whose body unpacks to so much white space."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        for _ in range(megabytes):
            part.write(b" " * 2**20)
    return out.getvalue()


def _cell(text: str, span: str) -> str:
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>'


def bombs() -> Iterator[tuple[str, Callable[[], bytes | str]]]:
    """(file name, maker) of the forty."""
    for size in (200_000, 2_000_000, 10_000_000):
        yield "word.txt", lambda size=size: "a" * size
        yield "dots.txt", lambda size=size: "1." * (size // 2)
        yield "spaces.txt", lambda size=size: "x" + " " * size + "y"
        yield "hyphens.txt", lambda size=size: "a-\n" * (size // 3)
        yield "numbers.txt", lambda size=size: "12345 " * (size // 6)
        yield "comments.html", lambda size=size: "<!--" * (size // 4)
        yield "open.html", lambda size=size: "<" * size
        yield "close.html", lambda size=size: "</" * (size // 2)
        yield "brackets.md", lambda size=size: "[" * size
        yield "stars.md", lambda size=size: "*a _b* c_ **" * (size // 12)
    yield "quotes.md", lambda: ">" * 2_000_000
    yield "ticks.md", lambda: "".join("`" * n + " " for n in range(1, 2_000))
    yield "deep.html", lambda: "<div>" * 500_000 + "The box must close."
    yield "span.docx", lambda: docx_of(f"<w:tbl><w:tr>{_cell('a', '9' * 12)}{_cell('b', '1')}</w:tr></w:tbl>")
    yield "zip1.docx", lambda: zip_bomb(500)
    yield "zip2.docx", lambda: zip_bomb(2_000)
    yield "nested.docx", lambda: docx_of("<w:sdt><w:sdtContent>" * 200 + "</w:sdtContent></w:sdt>" * 200)
    yield "tables.docx", lambda: docx_of("<w:tbl><w:tr><w:tc>" * 60 + "</w:tc></w:tr></w:tbl>" * 60)
    yield "laughs.docx", lambda: b"PK\x03\x04" + b"word/document.xml" * 1000
    yield (
        "circle.docx",
        lambda: docx_of(
            '<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>x must y</w:t></w:r></w:p>',
            styles='<w:style w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="A"/></w:style>',
        ),
    )


def attempt(path: Path) -> dict[str, object]:
    """What comes of one file, read in a copy of this process: the imports are paid once."""
    import echelon.domains.documents.reading
    import echelon.domains.requirements  # noqa: F401  (before the copy, so that it has them)

    answers, said = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(path, said)
    os.close(said)
    text = _heard(answers, SECONDS * PATIENCE)
    if text is None:
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    if text is None:
        return {"outcome": "slow", "seconds": SECONDS}
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return {"outcome": "slow", "seconds": SECONDS}
    try:
        found: dict[str, object] = json.loads(text)
    except ValueError:
        return {"outcome": "crash", "why": f"it ended with status {status}: {text[-200:]}"}
    found["seconds"] = round(used.ru_utime + used.ru_stime, 2)
    found["mb"] = max(_of(found, "mb"), round(used.ru_maxrss / 1024))
    if _of(found, "seconds") > SECONDS:
        found["outcome"] = "slow"
    elif _of(found, "mb") > MEGABYTES:
        found["outcome"] = "large"
    return found


def _answer(path: Path, to: int) -> NoReturn:
    """What the copy does: read, say what came of it, and end without what this process would do at its end."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS) + 1, int(SECONDS) + 2))
    try:
        text = json.dumps(read(path))
    except BaseException as error:  # whatever it is, it is the figure
        text = json.dumps({"outcome": "crash", "why": f"{type(error).__name__}: {error}"[:200]})
    with contextlib.suppress(OSError):
        os.write(to, text.encode())
    os._exit(0)


def _heard(answers: int, seconds: float) -> str | None:
    """All that comes through a pipe, None when that takes longer."""
    deadline, text = time.monotonic() + seconds, b""
    with open(answers, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if not (more := pipe.read(65536)):
                return text.decode("utf-8", "replace")
            text += more
    return None


def read(path: Path) -> dict[str, object]:
    """What `attempt` does with a file."""
    from echelon.domains.documents.legibility import Legibility
    from echelon.domains.documents.reading import read_document
    from echelon.domains.documents.types import ReadError
    from echelon.domains.requirements import check_requirements, extract_requirements

    said: dict[str, object]
    try:
        document = read_document(path)
        found = extract_requirements(document)
        wrong = [p for p in check_requirements(document, found) if "word for word" not in p]
        poor = any(Legibility.of(page.text).problem for page in document.pages)
        said = {"outcome": "read", "found": len(found), "warned": bool(document.warnings), "poor": poor}
        if wrong:
            said = {"outcome": "crash", "why": wrong[0]}
    except ReadError as error:
        said = {"outcome": "refused", "why": error.reason}
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said | {"mb": round(children.ru_maxrss / 1024)}


def judged(found: dict[str, object], kind: str, wanted: int) -> str:
    """The outcome of a mutant, held against the original."""
    if found["outcome"] != "read":
        return str(found["outcome"])
    if found["warned"]:
        return "warned"
    lost = kind in {"pdf", "docx"} and int(str(found["found"])) < LEAST * wanted
    return "garbage" if found["poor"] or lost else "same" if found["found"] == wanted else "other"


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--short", action="store_true")
    arguments.add_argument("--seed", type=int, default=20261122)
    arguments.add_argument("--mutants", type=int, default=0)
    given = arguments.parse_args()
    many = given.mutants or (24 if given.short else 500)
    counts: Counter[str] = Counter()
    slowest = largest = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = originals(folder / "originals")
        wanted = {kind: int(str(attempt(path)["found"])) for kind, path in paths.items()}
        rng = random.Random(given.seed)
        kinds = list(paths)
        for number in range(many):
            kind = kinds[number % len(kinds)]
            change = mutated_docx if kind == "docx" else mutated
            path = folder / f"mutant-{number}.{kind}"
            path.write_bytes(change(paths[kind].read_bytes(), rng))
            found = attempt(path)
            outcome = judged(found, kind, wanted[kind])
            counts[outcome] += 1
            slowest, largest = max(slowest, _of(found, "seconds")), max(largest, _of(found, "mb"))
            if outcome in FAULTS:
                print(json.dumps({"mutant": path.name, "outcome": outcome, **found}), file=sys.stderr)
            path.unlink()
        for number, (file, make) in enumerate(bombs()):
            if given.short and number % 8:
                continue
            path = folder / f"bomb-{number}-{file}"
            data = make()
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
            found = attempt(path)
            outcome = str(found["outcome"])
            counts[outcome if outcome in FAULTS else "bomb held"] += 1
            slowest, largest = max(slowest, _of(found, "seconds")), max(largest, _of(found, "mb"))
            if outcome in FAULTS:
                print(json.dumps({"bomb": path.name, **found}), file=sys.stderr)
            path.unlink()
    faults = sum(counts[fault] for fault in FAULTS)
    figures = {"slowest": round(slowest, 1), "largest_mb": round(largest)}
    print(json.dumps({"benchmark": "mutants", "seed": given.seed, **counts, "faults": faults, **figures}))
    return 1 if faults else 0


def _of(found: dict[str, object], name: str) -> float:
    return float(str(found.get(name, 0.0)))


if __name__ == "__main__":
    sys.exit(main())
