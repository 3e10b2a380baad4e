"""Requirements of whole documents of the common kinds, each made on the spot, with its number, text and places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from reportlab.platypus import Paragraph

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import ExtractOptions, Fault, check_requirements, extract_requirements
from echelon.domains.requirements.types import Modality, Requirement, Status
from tests.requirements.rendering import INDENTED, STYLES, grid, page_break, para, render, title

TALK = (
    "Organizations choose account types with care. Access can be granted by role or by attribute, and other attributes "
    "that may be considered include the time of day. These activities must be planned."
)


def of_file(path: Path) -> list[Requirement]:
    document = read_document(path)
    requirements = extract_requirements(document)
    assert {p.fault for p in check_requirements(document, requirements)} <= {Fault.REPEATED}
    return requirements


def of_pdf(tmp_path: Path, story: Sequence[Any], **options: Any) -> list[Requirement]:
    return of_file(render(tmp_path / "a.pdf", story, **options))


def of_text(tmp_path: Path, text: str, name: str = "a.txt") -> list[Requirement]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return of_file(tmp_path / name)


def texts(requirements: Sequence[Requirement]) -> list[tuple[str | None, str]]:
    return [(requirement.source_id, requirement.text) for requirement in requirements]


def bold(text: str) -> Paragraph:
    return Paragraph(f"<b>{text}</b>", STYLES["BodyText"])


# catalogues


def test_a_verification_standard_gives_its_numbered_rows_only(tmp_path: Path) -> None:
    lines = ["V1 Doors", "Doors matter. Every organization should think about doors and must know them."]
    for chapter in (1, 2, 3):
        lines += [f"V1.{chapter} Kind {chapter}", "Applications should strongly encourage users to lock them."]
        lines += ["# Description L1 L2 L3 CWE"]
        for number in range(1, 8):
            lines += [
                f"1.{chapter}.{number} Verify that lock {number} of kind {chapter} closes by itself after the",
                "reader has left. (C3)",
                " ✓ ✓ 284",
            ]
    lines += ["1.3.8 [DELETED, DUPLICATE OF 1.1.1]", "References", "Everybody must read the other standards."]
    lines += ["Appendix C: Things", "# Description L1 L2 L3 Since"]
    lines += [f"C.{number} Verify that thing {number} is closed. ✓ ✓ 4.0" for number in range(1, 8)]
    found = texts(of_text(tmp_path, "\n".join(lines)))
    assert found == [
        (f"1.{c}.{n}", f"Verify that lock {n} of kind {c} closes by itself after the reader has left.")
        for c in (1, 2, 3)
        for n in range(1, 8)
    ]


def test_a_printed_table_with_two_numbers_takes_the_code(tmp_path: Path) -> None:
    rows = [["#", "MSTG-ID", "Description", "L1", "L2"]]
    rows += [
        [f"1.{n}", f"MSTG-ARCH-{n}", f"Component {n} of the app is identified.", "x", "x" if n % 2 else ""]
        for n in range(1, 41)
    ]
    story = [title("V1: Architecture"), para("Apps should be built with care."), grid(rows, [30, 90, 270, 30, 30])]
    found = texts(of_pdf(tmp_path, story, header="Mobile Standard", footer=str))
    assert found == [(f"MSTG-ARCH-{n}", f"Component {n} of the app is identified.") for n in range(1, 41)]


def test_numbered_commands_with_discussions_and_a_mapping_table(tmp_path: Path) -> None:
    commands = [
        "Limit access to its users",
        "Control the flow of data",
        "Encrypt data on mobile devices",
        "Provide notices",
    ]
    story: list[Any] = [title("CHAPTER THREE", 1), para("The requirements must be read with care.")]
    expected = []
    for family in (1, 2, 3, 4):
        story += [title(f"3.{family} FAMILY {family}"), title("Basic Security Requirements", 3)]
        for number, command in enumerate(commands, 1):
            text = f"{command} of family {family}."
            expected.append((f"3.{family}.{number}", text))
            story += [
                Paragraph(f"<b>3.{family}.{number}</b> {text}", STYLES["BodyText"]),
                title("DISCUSSION", 5),
                para(TALK),
            ]
    story += [page_break(), title("APPENDIX D MAPPING TABLES", 1)]
    story += [
        grid([["SECURITY REQUIREMENTS", "CONTROLS"]] + [[f"{i} {t}", "AC-1 Policy"] for i, t in expected], [220, 200])
    ]
    found = of_pdf(tmp_path, story, header="SP 900-171", footer=lambda page: f"CHAPTER THREE PAGE {page}")
    assert texts(found) == expected
    assert {r.modality for r in found} == {Modality.OBLIGATION}


def test_a_control_catalogue_gives_statements_items_and_enhancements(tmp_path: Path) -> None:
    story: list[Any] = [para("Organizations should select the controls with care.")]
    for n in range(1, 9):
        story += [
            bold(f"AC-{n} POLICY NUMBER {n}"),
            para("Control:"),
            para(f"a. Develop and disseminate to [Assignment: roles {n}]:", INDENTED),
            para(f"1. A policy {n} that addresses purpose; and", INDENTED),
            para(f"2. Procedures {n} for it;", INDENTED),
            para(f"b. Designate an official {n} to manage it; and", INDENTED),
            para(f"c. Review policy {n} annually.", INDENTED),
            para(f"Discussion: {TALK}"),
            para("Related Controls: IA-1, PM-9."),
            para("Control Enhancements:"),
            para(f"(1) POLICY NUMBER {n} | AUTOMATED MANAGEMENT", INDENTED),
            para(f"Support the management of policy {n} by automated means.", INDENTED),
            para("Discussion: It must be automated with care.", INDENTED),
        ]
    found = texts(of_pdf(tmp_path, story))
    assert found[:5] == [
        ("AC-1 a) 1)", "Develop and disseminate to [Assignment: roles 1]: A policy 1 that addresses purpose"),
        ("AC-1 a) 2)", "Develop and disseminate to [Assignment: roles 1]: Procedures 1 for it"),
        ("AC-1 b)", "Designate an official 1 to manage it"),
        ("AC-1 c)", "Review policy 1 annually."),
        ("AC-1(1)", "Support the management of policy 1 by automated means."),
    ]
    assert len(found) == 40


def test_an_entry_that_the_document_repeats_is_taken_once(tmp_path: Path) -> None:
    lines = [f"REQ-{n}: The system shall show page {n} within a second." for n in range(1, 20)]
    found = of_text(tmp_path, "\n".join([*lines, "Summary of all entries", *lines]))
    assert [r.source_id for r in found] == [f"REQ-{n}" for n in range(1, 20)]


# specifications and standards


def test_a_software_specification(tmp_path: Path) -> None:
    lines = ["1 Introduction", "1.1 Purpose", "This document describes the system.", "3 Functions"]
    lines += [
        f"FR {n} - The system shall export report {n} to a file.\nRationale: users must be able to read it."
        for n in range(1, 6)
    ]
    lines += [
        "3.2.1 The system shall:",
        "a) record each access;",
        "b) keep the records for ten years; and",
        "c) show them.",
    ]
    assert texts(of_text(tmp_path, "\n".join(lines))) == [
        *[(f"FR {n}", f"The system shall export report {n} to a file.") for n in range(1, 6)],
        ("3.2.1 a)", "The system shall record each access"),
        ("3.2.1 b)", "The system shall keep the records for ten years"),
        ("3.2.1 c)", "The system shall show them."),
    ]


def test_clauses_of_a_standard_hold_one_requirement_a_sentence(tmp_path: Path) -> None:
    story = [
        title("4 Leadership", 1),
        title("4.1 General"),
        para("The organization shall know the issues that are relevant to it. They are many."),
        para("NOTE 1 The issues shall be considered."),
        para("4.1.1 The policy shall be documented. It shall be made known. It is a good thing to have."),
        para("4.1.2 The organization should train its people."),
        para("4.1.3 The organization may train others."),
        para("4.1.4 The policy must not be kept secret."),
        title("5 Terms and definitions", 1),
        para("audit: process that must be independent"),
    ]
    found = of_pdf(tmp_path, story)
    assert [(r.source_id, r.text, r.modality) for r in found] == [
        ("4.1", "The organization shall know the issues that are relevant to it.", Modality.OBLIGATION),
        ("4.1.1", "The policy shall be documented.", Modality.OBLIGATION),
        ("4.1.1", "It shall be made known.", Modality.OBLIGATION),
        ("4.1.2", "The organization should train its people.", Modality.RECOMMENDATION),
        ("4.1.3", "The organization may train others.", Modality.PERMISSION),
        ("4.1.4", "The policy must not be kept secret.", Modality.PROHIBITION),
    ]
    assert found[1].section == "4 Leadership > 4.1 General"


def test_german_clauses_lists_and_infinitives(tmp_path: Path) -> None:
    found = of_text(
        tmp_path,
        "5.1 Die Buchhaltung hat die Lesbarkeit der Unterlagen sicherzustellen.\n"
        "5.2 Der Eingang ist durch einen Beleg nachzuweisen.\n"
        "5.3 Ein gebuchter Beleg darf nicht gelöscht werden.\n"
        "5.4 Die Systemverantwortlichen müssen:\na) ein Löschkonzept führen;\nb) jede Löschung dokumentieren.\n"
        "5.5 Die Fachbereiche sollten ihre Fristen einmal im Jahr prüfen.\n"
        "Hinweis: Die Fristen müssen niemanden überraschen.\n",
    )
    assert [(r.source_id, r.modality.value) for r in found] == [
        ("5.1", "obligation"),
        ("5.2", "obligation"),
        ("5.3", "prohibition"),
        ("5.4 a)", "obligation"),
        ("5.4 b)", "obligation"),
        ("5.5", "recommendation"),
    ]
    assert {r.language for r in found} == {"de"}
    assert found[3].text == "Die Systemverantwortlichen müssen ein Löschkonzept führen"


def test_a_german_section_of_an_english_document_is_judged_in_german(tmp_path: Path) -> None:
    found = of_text(
        tmp_path,
        "1.1 The archive shall keep the boxes of the year for ten years.\n"
        "1.2 Nobody may take a box out of the archive.\n"
        "2.1 Das Kassenbuch ist zehn Jahre aufzubewahren.\n2.2 Das Archiv bleibt am Sonntag geschlossen.\n",
    )
    assert [(r.source_id, r.language) for r in found] == [("1.1", "en"), ("1.2", "en"), ("2.1", "de")]


def test_where_capitals_bind_small_words_do_not(tmp_path: Path) -> None:
    lines = [f"The client MUST send header {n} with its request. It should be obvious that it must." for n in range(25)]
    found = of_text(tmp_path, "\n\n".join(lines))
    assert [r.text for r in found] == [f"The client MUST send header {n} with its request." for n in range(25)]


def test_a_document_without_capitals_keeps_its_entries(tmp_path: Path) -> None:
    lines = []
    for n in range(1, 21):
        lines += [f"bes.7.{n} beschaffung sollte eine beschreibung des produkts {n} dokumentieren."]
        lines += ["die beschreibung bezeichnet in diesem zusammenhang den aufbau des produkts und kann lang sein."]
    story = [para(line) for line in lines]
    found = of_pdf(tmp_path, story)
    assert [r.source_id for r in found] == [f"bes.7.{n}" for n in range(1, 21)]
    assert found[0].text == "beschaffung sollte eine beschreibung des produkts 1 dokumentieren."


# prose


@pytest.mark.parametrize(
    ("sentence", "modality"),
    [
        ("The archive shall keep the boxes for ten years.", "obligation"),
        ("Boxes are to be closed before they are moved.", "obligation"),
        ("The head is required to name a deputy.", "obligation"),
        ("Ensure that every box has a label on it.", "obligation"),
        ("No reader may take a box home.", "prohibition"),
        ("The door must never be left open at night.", "prohibition"),
        ("Readers should return the boxes in the evening.", "recommendation"),
        ("The guard may open a box in case of fire.", "permission"),
        ("Visitors are permitted to take photographs.", "permission"),
        ("Das Archiv hat die Kartons zu verschließen.", "obligation"),
        ("Leser dürfen keine Kartons mitnehmen.", "prohibition"),
    ],
)
def test_sentences_that_bind(tmp_path: Path, sentence: str, modality: str) -> None:
    (found,) = of_text(tmp_path, f"{sentence}\n")
    assert found.text == sentence
    assert found.modality.value == modality


@pytest.mark.parametrize(
    "sentence",
    [
        "The archive has three rooms and two doors.",
        "Must the door be closed at night?",
        "For example, a reader must show a card.",
        "Because the rooms must be dry, there is a machine in each of them.",
        "The boxes may need to be moved when water comes in.",
        "Readers can find the boxes by their numbers.",
        "A copy is made without the need to open the box.",
        "Rules for boxes",
        "Ziel ist es, die Kartons zu schützen.",
    ],
)
def test_sentences_that_do_not(tmp_path: Path, sentence: str) -> None:
    assert of_text(tmp_path, f"{sentence}\n") == []


def test_can_allows_in_a_clause_of_a_document_whose_clauses_bind(tmp_path: Path) -> None:
    clauses = [f"2.{n} The guard shall close door {n} at night." for n in range(1, 7)]
    clauses += [
        "2.7 Boxes without labels can be thrown away.",
        "2.8 An exception cannot be granted for boxes of paper.",
    ]
    found = of_text(tmp_path, "\n".join(clauses))
    assert [(r.source_id, r.modality.value) for r in found[-2:]] == [("2.7", "permission"), ("2.8", "prohibition")]


# lists


def test_an_item_that_is_a_sentence_of_its_own_stands_alone(tmp_path: Path) -> None:
    found = of_text(
        tmp_path,
        "The following rules shall apply:\n- The door shall be closed at night.\n- all windows\n"
        "- Keys are kept by the guard.\n",
    )
    assert [r.text for r in found] == [
        "The door shall be closed at night.",
        "The following rules shall apply: all windows",
        "The following rules shall apply: Keys are kept by the guard.",
    ]


def test_an_item_without_subject_takes_it_from_above(tmp_path: Path) -> None:
    found = of_text(
        tmp_path, "The electronic picture of the reader:\n- shall be stored on the card;\n- may be printed on it.\n"
    )
    assert [r.text for r in found] == [
        "The electronic picture of the reader shall be stored on the card",
        "The electronic picture of the reader may be printed on it.",
    ]


def test_nested_items_join_all_that_leads_in(tmp_path: Path) -> None:
    found = of_text(tmp_path, "The box shall have:\na) a label with:\n- the year; and\n- the name;\nb) a lid.\n")
    assert [r.text for r in found] == [
        "The box shall have: a label with the year",
        "The box shall have: a label with the name",
        "The box shall have: a lid.",
    ]


def test_later_sentences_of_an_item_are_judged_by_themselves(tmp_path: Path) -> None:
    found = of_text(
        tmp_path,
        "The head shall do the following:\n- Name a deputy. The deputy is a clerk. The deputy must be trained.\n",
    )
    assert [r.text for r in found] == [
        "The head shall do the following: Name a deputy.",
        "The deputy must be trained.",
    ]


# citations


def test_a_requirement_over_a_page_break_has_a_citation_on_each_page(tmp_path: Path) -> None:
    from tests.support.documents import pdf_of

    pages = [
        "Records Policy\n1.1 The archive shall keep each box that it has received in the room that the register says, "
        "and\n1",
        "Records Policy\nmust not move it to another room without telling the people who keep the register.\n2",
        "Records Policy\n1.2 The door shall be locked.\n3",
    ]
    first = of_file(pdf_of(tmp_path / "a.pdf", pages))[0]
    assert [(c.page, c.quote.split()[0], c.quote.split()[-1]) for c in first.citations] == [
        (1, "The", "and"),
        (2, "must", "register."),
    ]


def test_a_quote_holds_no_table_marks_and_the_text_no_number(tmp_path: Path) -> None:
    lines = ["# Description L1 L2"] + [
        f"1.1.{n} Verify that lock {n} is closed by the guard at\n ✓ ✓ \nnight. ✓" for n in range(1, 20)
    ]
    for requirement in of_text(tmp_path, "\n".join(lines)):
        assert requirement.text[:6] == "Verify"
        assert all("✓" not in citation.quote for citation in requirement.citations)


def test_lead_in_and_item_are_cited_each(tmp_path: Path) -> None:
    (found,) = of_text(tmp_path, "3.1 The system shall:\na) record each access.\n")
    assert [c.quote for c in found.citations] == ["The system shall:", "record each access."]


def test_a_sentence_that_comes_again_is_marked(tmp_path: Path) -> None:
    found = of_text(
        tmp_path, "The door shall be locked at night.\n\nOther words.\n\nThe door shall be locked at night.\n"
    )
    assert [(r.status, r.duplicate_of) for r in found] == [(Status.ACCEPTED, None), (Status.DUPLICATE, "R-0001")]


# options and formats


def test_a_higher_bar_of_confidence_leaves_out_permissions(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "The guard may open the door.\n\nThe guard shall close the door.\n", encoding="utf-8"
    )
    document = read_document(tmp_path / "a.txt")
    found = extract_requirements(document, ExtractOptions(min_confidence=0.8))
    assert [r.text for r in found] == ["The guard shall close the door."]
    assert found[0].id == "R-0001"


def test_the_same_policy_in_four_formats_gives_the_same_requirements(tmp_path: Path) -> None:
    from tests.support.documents import docx_of

    rows = [["ID", "Requirement"], ["R-1", "The app stores keys safely."], ["R-2", "Users must change passwords."]]
    table = "\n".join(["| ID | Requirement |", "|---|---|", *[f"| {a} | {b} |" for a, b in rows[1:]]])
    markdown = f"# 1 Storage\n\nThe system shall:\n\n- encrypt the data;\n- log each access.\n\n{table}\n"
    html = (
        "<html><body><h1>1 Storage</h1><p>The system shall:</p><ul><li>encrypt the data;</li>"
        "<li>log each access.</li></ul><table>"
        + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows)
        + "</table></body></html>"
    )
    expected = [
        ("1", "The system shall encrypt the data"),
        ("1", "The system shall log each access."),
        ("R-1", "The app stores keys safely."),
        ("R-2", "Users must change passwords."),
    ]
    assert texts(of_text(tmp_path, markdown, "a.md")) == expected
    assert texts(of_text(tmp_path, html, "a.html")) == expected
    blocks = ["# 1 Storage", "The system shall:", "- encrypt the data;", "- log each access.", rows]
    assert texts(of_file(docx_of(tmp_path / "a.docx", blocks))) == expected


def test_a_document_without_requirements_gives_an_empty_list(tmp_path: Path) -> None:
    assert of_text(tmp_path, "The archive has three rooms.\n") == []
