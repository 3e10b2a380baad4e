"""Measure reading and extraction; one JSON line a figure.

    python -m benchmarks.extraction [asvs] [fips] [bsi] [speed] [--misses N]

The data is looked for in `../shared` beside this project; what is missing is skipped and says so. FIPS 201-2 is
measured on the labels in tests/requirements/fips_201_2_labels.csv: a labelled sentence counts as found when the
citations of the requirements cover at least half of its letters.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import Document
from echelon.domains.requirements import extract, extract_requirements
from echelon.domains.requirements.structure import build
from echelon.domains.requirements.types import Requirement

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
ASVS = SHARED / "data/asvs/asvs-4.0.3-en.pdf"
FIPS = SHARED / "data/nist/NIST.FIPS.201-2.pdf"
BSI = SHARED / "data/bsi/BSI-Stand-der-Technik-Kernel-catalog.json"
SCORER = SHARED / "score/requirements.py"
LABELS = ROOT / "tests/requirements/fips_201_2_labels.csv"


def squeeze(text: str) -> str:
    """Letters and digits only, lower case: what must agree between two ways to extract the same text."""
    return re.sub(r"[^0-9a-zäöüß]+", "", unicodedata.normalize("NFKC", text).lower())


def as_json(document: Document, requirements: Iterable[Requirement]) -> dict[str, Any]:
    """The shape of output/requirements.json."""
    return {
        "schema_version": 1,
        "documents": [{"file": document.file, "sha256": document.sha256, "pages": len(document.pages)}],
        "requirements": [requirement.model_dump(mode="json") for requirement in requirements],
    }


def measure_asvs(misses: int) -> dict[str, Any]:
    """The scorer's figures for the whole standard."""
    document = read_document(ASVS)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "requirements.json"
        out.write_text(json.dumps(as_json(document, extract_requirements(document))), encoding="utf-8")
        gold = ASVS.with_suffix(".csv")
        command = [
            sys.executable,
            str(SCORER),
            str(out),
            str(gold),
            "--pdf",
            str(ASVS),
            "--json",
            "--misses",
            str(misses),
        ]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    print(run.stderr, end="", file=sys.stderr)
    return dict(json.loads(run.stdout))


def covered(document: Document, requirements: Iterable[Requirement]) -> dict[int, set[int]]:
    """For each page the offsets that a citation covers."""
    places: dict[int, set[int]] = {page.number: set() for page in document.pages}
    for requirement in requirements:
        for citation in requirement.citations:
            places[citation.page].update(range(citation.start, citation.end))
    return places


def fips_labels(document: Document) -> list[dict[str, Any]]:
    """The labelled sentences with their offsets. Raises ValueError when a label does not fit the document."""
    labels = []
    with LABELS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = document.page(int(row["page"])).text
            for start in [m.start() for m in re.finditer(re.escape(squeeze(row["anchor"])), squeeze(text))]:
                places = [i for i, c in enumerate(text) for _ in squeeze(c)][start : start + int(row["letters"])]
                sentence = squeeze(text)[start : start + int(row["letters"])]
                if hashlib.sha256(sentence.encode()).hexdigest() == row["sha256"]:
                    labels.append({**row, "page": int(row["page"]), "places": places})
                    break
            else:
                raise ValueError(f"page {row['page']}: no sentence begins with {row['anchor']!r}")
    return labels


@cache
def fips() -> Document:
    """FIPS 201-2, which is read once."""
    return read_document(FIPS)


def measure_fips(misses: int) -> list[dict[str, Any]]:
    """Precision, recall and F1 on the labelled sentences, for each half."""
    document = fips()
    places = covered(document, extract_requirements(document))
    counts: dict[str, Counter[str]] = {"development": Counter(), "held_out": Counter()}
    for label in fips_labels(document):
        inside = sum(place in places[label["page"]] for place in label["places"])
        found = inside >= 0.5 * len(label["places"])
        wanted = label["label"] == "requirement"
        outcome = ("hit" if wanted else "wrong") if found else ("missed" if wanted else "left")
        counts[label["split"]][outcome] += 1
        if misses and outcome in {"wrong", "missed"} and label["split"] == "development":
            print(f"{outcome.upper()} p{label['page']} {label['anchor']}", file=sys.stderr)
    return [{"split": split, **f1(c["hit"], c["wrong"], c["missed"])} for split, c in counts.items()]


def f1(hit: int, wrong: int, missed: int) -> dict[str, Any]:
    """Precision, recall and F1 from counts."""
    precision, recall = hit / max(1, hit + wrong), hit / max(1, hit + missed)
    score = 2 * precision * recall / max(1e-9, precision + recall)
    return {
        "hit": hit,
        "wrong": wrong,
        "missed": missed,
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "f1": round(score, 3),
    }


@cache
def bsi_sentences() -> list[tuple[str, str, str]]:
    """(id, statement, guidance) of every control of the German catalogue, with the names of parameters put in."""
    controls: list[tuple[str, str, str]] = []

    def walk(group: dict[str, Any]) -> None:
        for control in group.get("controls", []):
            names = {p["id"]: p.get("label", "") for p in control.get("params", [])}
            prose = {p["name"]: _filled(p.get("prose", ""), names) for p in control.get("parts", [])}
            if prose.get("statement"):
                controls.append((control["id"], prose["statement"], prose.get("guidance", "")))
            walk(control)
        for inner in group.get("groups", []):
            walk(inner)

    walk(json.loads(BSI.read_text(encoding="utf-8"))["catalog"])
    return controls


def _filled(prose: str, names: dict[str, str]) -> str:
    return " ".join(re.sub(r"\{\{ insert: param, ([^ }]+) \}\}", lambda m: names.get(m[1], "…"), prose).split())


def render(path: Path, paragraphs: Iterable[tuple[str, str]]) -> None:
    """Write paragraphs (style, text) to a PDF; style is `h` for a heading or `p`."""
    from xml.sax.saxutils import escape

    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer

    styles = getSampleStyleSheet()
    story: list[Any] = []
    for style, text in paragraphs:
        story += [Paragraph(escape(text), styles["Heading2" if style == "h" else "BodyText"]), Spacer(1, 4)]
    SimpleDocTemplate(str(path), pagesize=A4, invariant=1).build(story)


@cache
def bsi(numbered: bool) -> Document:
    """The German catalogue rendered to a PDF, with or without the numbers of its statements."""
    lines: list[tuple[str, str]] = []
    for name, statement, guidance in bsi_sentences():
        lines.append(("p", f"{name} {statement}" if numbered else statement))
        if guidance:
            lines.append(("p", guidance))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "katalog.pdf"
        render(path, lines)
        return read_document(path)


def in_small_letters(document: Document) -> Document:
    """The same pages, as if set without capitals."""
    pages = tuple(page.model_copy(update={"text": page.text.lower()}) for page in document.pages)
    sha256 = hashlib.sha256("".join(page.text for page in pages).encode()).hexdigest()
    return document.model_copy(update={"pages": pages, "sha256": sha256})


def measure_bsi(misses: int, numbered: bool, small: bool = False) -> dict[str, Any]:
    """F1 of the statements of the German catalogue, with or without their numbers and capitals."""
    document = in_small_letters(bsi(numbered)) if small else bsi(numbered)
    found = [squeeze(r.text) for r in extract_requirements(document)]
    left = Counter(squeeze(statement) for _, statement, _ in bsi_sentences())
    hit = 0
    for text in found:
        if left[text] > 0:
            left[text] -= 1
            hit += 1
        elif misses > 0:
            misses -= 1
            print("EXTRA ", text[:150], file=sys.stderr)
    for text in [t for t, n in left.items() if n > 0][: max(0, misses)]:
        print("MISSED", text[:150], file=sys.stderr)
    return {"numbered": numbered, "small_letters": small, **f1(hit, len(found) - hit, sum(left.values()))}


def measure_speed() -> dict[str, Any]:
    """Pages a second for reading and extraction together (best of three, by the clock and by processor time of this
    process, which other programs on the machine do not slow), and the largest memory of this process."""
    clock = processor = 0.0
    for _ in range(3):
        # What was kept from the run before would not be computed again.
        build.build_structure_cached.cache_clear()
        extract.extract_cached.cache_clear()
        begun, used = time.perf_counter(), time.process_time()
        document = read_document(ASVS)
        extract_requirements(document)
        clock = max(clock, len(document.pages) / (time.perf_counter() - begun))
        processor = max(processor, len(document.pages) / (time.process_time() - used))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "pages_per_second": round(clock, 1),
        "pages_per_processor_second": round(processor, 1),
        "memory_mb": round(memory),
    }


def main() -> int:
    """Run the measurements that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["asvs", "fips", "bsi", "speed"])
    parser.add_argument("--misses", type=int, default=0)
    options = parser.parse_args()
    needs = {"asvs": ASVS, "fips": FIPS, "bsi": BSI, "speed": ASVS}
    for what in options.what:
        if not needs[what].exists():
            print(json.dumps({"what": what, "skipped": f"{needs[what].name} is not there"}))
            continue
        results: list[dict[str, Any]] = []
        if what == "asvs":
            results = [measure_asvs(options.misses)]
        elif what == "fips":
            results = measure_fips(options.misses)
        elif what == "bsi":
            kinds = [(numbered, small) for numbered in (True, False) for small in (False, True)]
            results = [measure_bsi(options.misses, numbered, small) for numbered, small in kinds]
        else:
            results = [measure_speed()]
        for result in results:
            print(json.dumps({"what": what, **result}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
