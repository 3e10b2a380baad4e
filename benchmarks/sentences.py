"""Sentence judgement: German catalogue by halves, English speed, one JSON line each.

    python benchmarks/sentences.py

German: each statement of the catalogue in `../shared/data/bsi` is a requirement, each sentence of its guidance is not.
The rules were written on the groups named in `WRITTEN_ON`; the other groups are the held-out half. English figures on
documents left out come from `benchmarks/train_classifier.py measure`; here only the speed is measured, model loaded.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from echelon.domains.requirements import classify_sentences
from echelon.domains.requirements.types import Modality

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
CATALOGUE = DATA / "bsi" / "BSI-Stand-der-Technik-Kernel-catalog.json"
PURE = DATA / "pure" / "PURE_train.csv"
WRITTEN_ON = frozenset({"ASST", "BER", "DET", "GEB", "NOT", "PERS", "DLS"})
SLOT = {"MUSS": Modality.OBLIGATION, "SOLLTE": Modality.RECOMMENDATION, "KANN": Modality.PERMISSION}

Statement = tuple[str, Modality]


def controls(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for control in node.get("controls", []):
        yield control
        yield from controls(control)
    for group in node.get("groups", []):
        yield from controls(group)


def catalogue(held_out: bool) -> tuple[list[Statement], list[str]]:
    """(statements with the catalogue's modal slot, sentences of the guidance) of one half."""
    groups = json.loads(CATALOGUE.read_text(encoding="utf-8"))["catalog"]["groups"]
    statements: list[Statement] = []
    guidance: list[str] = []
    for group in groups:
        if (group["id"] not in WRITTEN_ON) != held_out:
            continue
        for control in controls(group):
            for part in control["parts"]:
                text = _filled(part["prose"], control)
                if part["name"] == "statement":
                    modal = next(prop["value"] for prop in part["props"] if prop["name"] == "modal_verb")
                    statements.append((text, SLOT[modal]))
                else:
                    guidance += _sentences(text)
    return statements, guidance


def _filled(prose: str, control: dict[str, Any]) -> str:
    """The text with the labels of its parameters in their places, as a reader sees it."""
    labels = {param["id"].lower(): param.get("label", "") for param in control.get("params", [])}
    return re.sub(r"\{\{\s*insert:\s*param,\s*([^}\s]+)\s*\}\}", lambda m: labels.get(m[1].lower(), ""), prose)


def _sentences(text: str) -> list[str]:
    ends = r"(?<=[.!?])(?<!z\.B\.)(?<!d\.h\.)(?<!bzw\.)(?<!z\.)(?<!B\.)\s+(?=[A-ZÄÖÜ„(])"
    return [sentence.strip() for sentence in re.split(ends, text) if sentence.strip()]


def measure_german(held_out: bool, lower: bool) -> dict[str, Any]:
    statements, guidance = catalogue(held_out)
    case = str.lower if lower else str
    labels = classify_sentences([case(text) for text, _ in statements])
    false = sum(label.is_requirement for label in classify_sentences([case(text) for text in guidance]))
    hit = sum(label.is_requirement for label in labels)
    slot = sum(label.modality is modal for label, (_, modal) in zip(labels, statements, strict=True))
    return {
        "set": "german catalogue, " + ("held-out half" if held_out else "half the rules were written on"),
        "lower_case": lower,
        "statements": len(statements),
        "guidance_sentences": len(guidance),
        "precision": round(hit / max(1, hit + false), 3),
        "recall": round(hit / len(statements), 3),
        "f1": round(2 * hit / (len(statements) + hit + false), 3),
        "modal_slot": round(slot / len(statements), 3),
    }


def measure_speed() -> dict[str, Any]:
    with PURE.open(encoding="utf-8-sig") as file:
        sentences = [row["Requirement"] for row in csv.DictReader(file)]
    classify_sentences(sentences[:1])
    wall, processor = time.perf_counter(), time.process_time()
    classify_sentences(sentences)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return {
        "set": "speed, English",
        "sentences": len(sentences),
        "per_second": round(len(sentences) / wall),
        "per_second_of_processor_time": round(len(sentences) / processor),
    }


def main() -> int:
    if not CATALOGUE.is_file() or not PURE.is_file():
        print("the development data is missing: the project does not ship it", file=sys.stderr)
        return 2
    for held_out in (False, True):
        for lower in (False, True):
            print(json.dumps(measure_german(held_out, lower)))
    print(json.dumps(measure_speed()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
