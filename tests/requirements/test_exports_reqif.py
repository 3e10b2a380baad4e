"""ReqIF: valid by the schema of the standard, and the library that tools use reads it back."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from reqif.models.reqif_spec_object import ReqIFSpecObject
from reqif.parser import ReqIFParser
from reqif.reqif_bundle import ReqIFBundle

from echelon.domains.documents.types import Document
from echelon.domains.requirements.comparing.keys import unique_names
from echelon.domains.requirements.exports import write_reqif
from echelon.domains.requirements.exports.cells import xml_safe
from echelon.domains.requirements.types import Requirement
from tests.support.requirement_makers import NASTY, cite, document, requirement, requirement_sets, sample

Set = tuple[list[Requirement], list[Document]]
shared_folder = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def parse(path: Path) -> ReqIFBundle:
    bundle = ReqIFParser.parse(str(path))
    assert not bundle.exceptions
    return bundle


def squeeze(text: str) -> str:
    """White space is the reader's business: a line break is a blank to it."""
    return "".join(xml_safe(text).split())


def text_of(spec_object: ReqIFSpecObject, name: str) -> str:
    attribute = spec_object.attribute_map.get(f"attribute-{name}")
    if attribute is None:
        return ""
    value = attribute.value_stripped_xhtml if attribute.value_stripped_xhtml is not None else attribute.value
    return html.unescape(re.sub(r"</?div[^>]*>|<br[^>]*>", " ", str(value)))


def outline(bundle: ReqIFBundle) -> list[tuple[int, str]]:
    """(level, chapter name or requirement id) of all specifications, in order."""
    found = []
    for specification in bundle.core_content.req_if_content.specifications:
        found.append((0, specification.long_name))
        for node in bundle.iterate_specification_hierarchy(specification):
            target = bundle.get_spec_object_by_ref(node.spec_object)
            found.append((node.level, text_of(target, "chapter-name") or text_of(target, "foreign-id")))
    return found


def validate(path: Path) -> subprocess.CompletedProcess[str]:
    """By the library's own command, with the schema of the standard."""
    program = "import warnings; warnings.simplefilter('ignore'); from reqif.cli.main import main; main()"
    command = [sys.executable, "-c", program, "validate", "--use-reqif-schema", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_sample_is_valid_by_the_schema(tmp_path: Path) -> None:
    requirements, policy = sample()
    repeated = requirements[3].model_copy(update={"id": "R-9999", "duplicate_of": "R-0001"})
    write_reqif([*requirements, repeated], [policy], tmp_path / "a.reqif")
    done = validate(tmp_path / "a.reqif")
    assert "0 errors, 0 schema issues found, 0 semantic issues" in done.stdout, done.stdout + done.stderr


def test_odd_characters_are_valid_by_the_schema(tmp_path: Path) -> None:
    texts = [text for text in NASTY if text.strip()]
    requirements = [requirement(n, text, section=text, source_id=text) for n, text in enumerate(texts, start=1)]
    write_reqif(requirements, [], tmp_path / "a.reqif")
    done = validate(tmp_path / "a.reqif")
    assert "0 errors, 0 schema issues found, 0 semantic issues" in done.stdout, done.stdout + done.stderr


def test_no_requirements_are_valid_too(tmp_path: Path) -> None:
    write_reqif([], [], tmp_path / "a.reqif")
    done = validate(tmp_path / "a.reqif")
    assert "0 errors, 0 schema issues found, 0 semantic issues" in done.stdout, done.stdout + done.stderr


def test_hierarchy_follows_documents_and_sections(tmp_path: Path) -> None:
    first, second = document("one two three", file="a.pdf"), document("four", file="b.pdf")
    requirements = [
        requirement(1, section="1 Scope", citations=(cite(first, 1, "one"),)),
        requirement(2, section="2 Duties > 2.1 Staff", citations=(cite(first, 1, "two"),)),
        requirement(3, section="2 Duties", citations=(cite(first, 1, "three"),)),
        requirement(4, citations=(cite(second, 1, "four"),)),
        requirement(5),
    ]
    write_reqif(requirements, [first, second], tmp_path / "a.reqif")
    assert outline(parse(tmp_path / "a.reqif")) == [
        (0, "a.pdf"),
        (1, "1 Scope"),
        (2, "R-0001"),
        (1, "2 Duties"),
        (2, "R-0003"),
        (2, "2.1 Staff"),
        (3, "R-0002"),
        (0, "b.pdf"),
        (1, "R-0004"),
        (0, "Without a document"),
        (1, "R-0005"),
    ]


def test_a_duplicate_points_to_what_it_repeats(tmp_path: Path) -> None:
    requirements = [requirement(1), requirement(2, duplicate_of="R-0001"), requirement(3, duplicate_of="R-0099")]
    write_reqif(requirements, [], tmp_path / "a.reqif")
    relations = parse(tmp_path / "a.reqif").core_content.req_if_content.spec_relations
    first, second, _ = unique_names(requirements, "requirement")
    assert [(one.source, one.target) for one in relations] == [(second, first)]


def test_modality_and_status_are_enumerations(tmp_path: Path) -> None:
    write_reqif([requirement(modality="prohibition", status="candidate")], [], tmp_path / "a.reqif")
    bundle = parse(tmp_path / "a.reqif")
    (one,) = bundle.core_content.req_if_content.spec_objects
    assert one.attribute_map["attribute-modality"].value == ["modality-prohibition"]
    assert one.attribute_map["attribute-status"].value == ["status-candidate"]
    assert one.attribute_map["attribute-confidence"].value == "90"


@shared_folder
@given(requirement_sets())
def test_the_library_reads_back_what_went_in(tmp_path: Path, given_set: Set) -> None:
    requirements, documents = given_set
    write_reqif(requirements, documents, tmp_path / "a.reqif")
    bundle = parse(tmp_path / "a.reqif")
    objects = {one.identifier: one for one in bundle.core_content.req_if_content.spec_objects}
    names = unique_names(requirements, "requirement")
    assert len(set(objects)) == len(bundle.core_content.req_if_content.spec_objects)
    for wanted, name in zip(requirements, names, strict=True):
        found = objects[name]
        assert squeeze(text_of(found, "text")) == squeeze(wanted.text)
        assert squeeze(text_of(found, "source_id")) == squeeze(wanted.source_id or "")
        assert squeeze(text_of(found, "subject")) == squeeze(wanted.subject or "")
    placed = [name for level, name in outline(bundle) if level and re.fullmatch(r"R-\d{4}", name)]
    assert set(placed) >= {wanted.id for wanted in requirements}


def identifiers(path: Path) -> set[str]:
    """Identifiers of all that one file holds, without the definitions that all files share."""
    text = path.read_text(encoding="utf-8")
    return set(
        re.findall(
            r'<(?:SPEC-OBJECT|SPEC-HIERARCHY|SPECIFICATION|SPEC-RELATION|REQ-IF-HEADER) IDENTIFIER="([^"]+)"', text
        )
    )


def test_identifiers_are_unique_over_documents_and_jobs_and_stay(tmp_path: Path) -> None:
    first, second = document("one", file="a.pdf"), document("one", file="b.pdf")
    when = datetime(2031, 3, 1, 12, 30, tzinfo=UTC)
    alone = [requirement(1, "one", section="1 Scope", citations=(cite(first, 1, "one"),))]
    other = [requirement(1, "one", section="1 Scope", citations=(cite(second, 1, "one"),))]
    both = [other[0], alone[0].model_copy(update={"id": "R-0002"})]
    for name, requirements in {"a": alone, "b": other, "ab": both}.items():
        write_reqif(requirements, [first, second], tmp_path / f"{name}.reqif", when)
    a, b, ab = (identifiers(tmp_path / f"{name}.reqif") for name in ("a", "b", "ab"))
    assert len(a) == 6 and not a & b
    # The header is that of the file; everything else has the name that it had alone.
    assert len(ab) == 11 and len((a | b) - ab) == 2
    text = (tmp_path / "a.reqif").read_text(encoding="utf-8")
    assert '<SPEC-OBJECT IDENTIFIER="' in text and 'LAST-CHANGE="2031-03-01T12:30:00.000+00:00"' in text
    assert "1970" not in text and "REAL" not in text


def test_ids_must_be_unique(tmp_path: Path) -> None:
    path = tmp_path / "a.reqif"
    path.write_text("old")
    with pytest.raises(ValueError, match="must be unique in ReqIF: R-0002"):
        write_reqif([requirement(1), requirement(2), requirement(2)], [], path)
    assert path.read_text() == "old"
