"""The bars of the extraction on real documents; skipped where the data is not beside this project."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from benchmarks import extraction as bench
from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import check_requirements, extract_requirements

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ["records-retention-policy", "records-retention-policy-2pages"]

needs_asvs = pytest.mark.skipif(
    not (bench.ASVS.exists() and bench.SCORER.exists()), reason="ASVS and the scorer are not there"
)
needs_fips = pytest.mark.skipif(not bench.FIPS.exists(), reason="FIPS 201-2 is not there")
needs_bsi = pytest.mark.skipif(not bench.BSI.exists(), reason="the German catalogue is not there")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_policy(name: str) -> None:
    gold = json.loads((ROOT / f"knowledge/{name}.gold.json").read_text(encoding="utf-8"))
    document = read_document(ROOT / f"knowledge/{name}.pdf")
    found = extract_requirements(document)
    assert check_requirements(document, found) == []
    wanted = {(bench.squeeze(entry["id"] or ""), bench.squeeze(entry["text"])) for entry in gold}
    given = {(bench.squeeze(r.source_id or ""), bench.squeeze(r.text)) for r in found}
    score = bench.f1(len(wanted & given), len(given - wanted), len(wanted - given))
    assert score["f1"] >= 0.95, sorted(wanted ^ given)
    modality = {bench.squeeze(entry["text"]): entry["modality"] for entry in gold}
    told = [(r.modality.value, modality[bench.squeeze(r.text)]) for r in found if bench.squeeze(r.text) in modality]
    assert sum(a == b for a, b in told) >= 0.97 * len(told)


@needs_asvs
def test_asvs() -> None:
    if importlib.util.find_spec("rapidfuzz") is None:
        pytest.skip("the scorer needs rapidfuzz")
    score = bench.measure_asvs(misses=0)
    assert score["f1"] >= 0.97
    assert score["id_accuracy"] >= 0.99
    assert score["verbatim"] == score["on_page"] == 1.0
    assert score["invented"] == 0


@needs_fips
def test_fips_201_2_on_both_halves() -> None:
    for score in bench.measure_fips(misses=0):
        assert score["f1"] >= 0.90, score


@needs_fips
def test_the_labels_fit_their_document_and_are_balanced() -> None:
    labels = bench.fips_labels(bench.fips())
    assert len(labels) == 120
    for split in ("development", "held_out"):
        kinds = [label["label"] for label in labels if label["split"] == split]
        assert (kinds.count("requirement"), kinds.count("other")) == (30, 30)


@needs_bsi
@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("small", [False, True])
def test_german_statements_come_out_and_guidance_does_not(numbered: bool, small: bool) -> None:
    assert bench.measure_bsi(misses=0, numbered=numbered, small=small)["f1"] >= 0.95
