"""Entries and profiles: what the unit of a requirement is, and why; each rule with what it must not catch."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.candidates import Finder
from echelon.domains.requirements.structure.profile import Profile, Unit
from echelon.domains.requirements.types import Requirement


def found(tmp_path: Path, text: str, name: str = "x.md") -> list[Requirement]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return extract_requirements(read_document(tmp_path / name))


def profile(tmp_path: Path, text: str, wanted: Unit | None = None) -> Profile:
    (tmp_path / "p.md").write_text(text, encoding="utf-8")
    return Finder(read_document(tmp_path / "p.md"), wanted).profile


def pairs(requirements: list[Requirement]) -> list[tuple[str | None, str]]:
    return [(r.source_id, r.text) for r in requirements]


THINGS = ("door", "gate", "key", "lamp", "shelf", "box")


def titled(n: int, thing: str) -> str:
    return f"""#### HOUSE-{n} The {thing}

The porter SHALL check the {thing} daily. A {thing} is old.

- Rationale: A {thing} that nobody checks must be replaced.
- Verification: Test
"""


def test_an_identifier_in_a_title_makes_an_entry_without_its_attributes(tmp_path: Path) -> None:
    text = "# Rules\n\nThis text should be read.\n\n" + "\n".join(titled(n, t) for n, t in enumerate(THINGS, 1))
    assert pairs(found(tmp_path, text)) == [
        (f"HOUSE-{n}", f"The porter SHALL check the {t} daily. A {t} is old.") for n, t in enumerate(THINGS, 1)
    ]
    chosen = profile(tmp_path, text)
    assert (chosen.unit, chosen.alone, chosen.certain) == (Unit.ENTRIES, True, True)
    assert "6 identifiers in titles" in chosen.reasons[0]


def test_names_with_a_number_in_titles_are_no_entries(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"## {name}\n\nThis is an old form of the house." for name in ("RFC-1149", "ISO-9001", "EN-1090", "DIN-476")
    )
    assert found(tmp_path, text + "\n\n## Use\n\nThe porter shall use the newest one.\n")[0].source_id is None
    assert profile(tmp_path, text).unit is Unit.SENTENCES


def test_an_identifier_in_a_line_of_its_own_up_to_the_end_mark(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"**H_{n} - Pflege: {t}**\n\nFalls etwas\n\n- alt,\n- kaputt ist,\n\nMUSS der Pförtner es tauschen ({t}). [<=]\n\n"
        "Eine Anmerkung dazu, die niemanden bindet."
        for n, t in enumerate(THINGS, 1)
    )
    assert pairs(found(tmp_path, text)) == [
        (f"H_{n}", f"Falls etwas alt, kaputt ist, MUSS der Pförtner es tauschen ({t}).")
        for n, t in enumerate(THINGS, 1)
    ]


def test_an_identifier_glued_to_its_key_word(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"<div>KEY_{n:02}<span>SHALL</span></div>\n\nThe porter SHALL oil the {t}.\n\n*Note: oil must be fresh.*"
        for n, t in enumerate(THINGS, 1)
    )
    text += "\n\n<div>KEY_07</div>\n\nEmpty\n"
    assert pairs(found(tmp_path, text)) == [
        (f"KEY_{n:02}", f"The porter SHALL oil the {t}.") for n, t in enumerate(THINGS, 1)
    ]


def test_what_follows_the_binding_paragraph_of_an_entry_is_commentary(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"### KEY-{n}\n\nThe porter must do the following with the {t}:\n\n- oil it\n- close it\n\nOil is in the cellar."
        for n, t in enumerate(THINGS, 1)
    )
    assert pairs(found(tmp_path, text))[0] == (
        "KEY-1",
        "The porter must do the following with the door: oil it close it",
    )


@pytest.mark.parametrize("title", ["## Deleted requirements", "## Entfallene Anforderungen"])
def test_deleted_entries_are_left_out(tmp_path: Path, title: str) -> None:
    kept = "\n\n".join(f"### KEY-{n}\n\nThe porter must oil the {t}." for n, t in enumerate(THINGS, 1))
    gone = f"{title}\n\n### KEY-7\n\nThe porter must oil the old gate.\n\n### KEY-8\n\nThe porter must close it."
    assert [r.source_id for r in found(tmp_path, f"## Keys\n\n{kept}\n\n{gone}\n")] == [f"KEY-{n}" for n in range(1, 7)]


def test_cards_give_the_field_with_the_requirement(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"| Kennung | PF{n} – {t} |\n|---|---|\n| Priorität | hoch |\n| Beschreibung | Der Pförtner muss es ölen: {t}. |\n"
        f"| Begründung | Sonst muss der Wirt es tun ({t}). |"
        for n, t in enumerate(THINGS, 1)
    )
    assert pairs(found(tmp_path, text)) == [
        (f"PF{n}", f"Der Pförtner muss es ölen: {t}.") for n, t in enumerate(THINGS, 1)
    ]


def test_one_column_tables_with_an_identifier_as_title(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"| Requirement: P-{n}{n} |\n|---|\n| target: house keyword: MUST |\n| The porter MUST oil the {t}. |"
        for n, t in enumerate(THINGS, 1)
    )
    assert pairs(found(tmp_path, text)) == [
        (f"P-{n}{n}", f"The porter MUST oil the {t}.") for n, t in enumerate(THINGS, 1)
    ]


def test_a_list_of_fields_with_an_identifier_above_the_text(tmp_path: Path) -> None:
    text = "House\n=====\n\n" + "\n".join(
        f".. req::\n    :id: P-{n}{n}\n    :target: house\n    :keyword: MUST\n\n    The porter **MUST** oil the {t}.\n"
        for n, t in enumerate(THINGS, 1)
    )
    assert pairs(found(tmp_path, text, "x.rst")) == [
        (f"P-{n}{n}", f"The porter MUST oil the {t}.") for n, t in enumerate(THINGS, 1)
    ]


def test_numbered_criteria_bind_without_a_modal_word(tmp_path: Path) -> None:
    html = "<html><body><h2>Doors</h2>" + "".join(
        f"<h3>Success Criterion 1.{n}.1 The {t}</h3><p>AA</p><p>Each {t} has a name that says its purpose.</p>"
        f'<p class="note">A {t} may have two names.</p>'
        for n, t in enumerate(THINGS, 1)
    )
    assert pairs(found(tmp_path, html + "</body></html>", "x.html")) == [
        (f"1.{n}.1", f"Each {t} has a name that says its purpose.") for n, t in enumerate(THINGS, 1)
    ]
    plain = html.replace("Success Criterion", "Chapter")
    assert found(tmp_path, plain + "</body></html>", "y.html") == []


def test_bullets_that_each_bind_are_each_a_requirement_with_the_number_above(tmp_path: Path) -> None:
    text = "# Haus\n\n" + "\n\n".join(
        f"## HAUS.1.A{n} {t} (B)\n\n- Die Pforte MUSS geprüft werden ({t}).\n- Sie SOLLTE geölt werden.\n"
        "- Das Konzept SOLLTE mindestens folgende Punkte umfassen:\n    - Anzahl der Türen,\n    - Zahl der Schlüssel.\n"
        for n, t in enumerate(THINGS, 1)
    )
    first = pairs(found(tmp_path, text))[:3]
    assert first == [
        ("HAUS.1.A1", "Die Pforte MUSS geprüft werden (door)."),
        ("HAUS.1.A1", "Sie SOLLTE geölt werden."),
        ("HAUS.1.A1", "Das Konzept SOLLTE mindestens folgende Punkte umfassen:"),
    ]
    assert profile(tmp_path, text).unit is Unit.SENTENCES


def test_entries_never_silence_more_than_they_hold(tmp_path: Path) -> None:
    entries = "\n\n".join(f"### KEY-{n}\n\nThe porter must oil the {t}." for n, t in enumerate(THINGS, 1))
    prose = " ".join(f"The cook shall clean pot {n} of the kitchen." for n in range(1, 9))
    all_of_it = found(tmp_path, f"{entries}\n\n## Kitchen\n\n{prose}\n")
    assert len(all_of_it) == len(THINGS) + 8
    few = found(tmp_path, f"{entries}\n\n## Kitchen\n\nThe cook shall clean the pots of the kitchen.\n")
    assert len(few) == len(THINGS)


def test_a_catalogue_that_would_silence_more_than_it_holds_is_none(tmp_path: Path) -> None:
    contents = "\n\n".join(f"**3.{n}.1** Abschnitt der Nummer {n}." for n in range(1, 17))
    prose = " ".join(f"Der Koch muss Topf {n} der Küche putzen." for n in range(1, 31))
    assert len(found(tmp_path, f"{contents}\n\n## Küche\n\n{prose}\n")) == 30


def test_the_setting_overrides_the_choice(tmp_path: Path) -> None:
    text = "\n".join(titled(n, t) for n, t in enumerate(THINGS, 1))
    chosen = profile(tmp_path, text, Unit.SENTENCES)
    assert (chosen.unit, chosen.entries, chosen.reasons) == (Unit.SENTENCES, (), ("sentences was asked for",))


def test_a_document_in_another_language_gives_nothing(tmp_path: Path) -> None:
    french = "Le service doit vérifier que la porte est fermée et que les clés sont dans la boîte. " * 20
    assert found(tmp_path, french + "The log may be kept. Users should lock it.\n", "x.txt") == []


def test_key_words_are_explained_by_no_requirement(tmp_path: Path) -> None:
    rules = " ".join(f"The porter MUST oil door {n}." for n in range(30))
    words = 'The key words "MUST", "SHOULD" and "MAY" are to be interpreted as in the house rules.'
    text = f"{words}\n\n{rules} It MAY have oil.\n"
    assert [r.text for r in found(tmp_path, text)][-1] == "It MAY have oil."
    assert len(found(tmp_path, text)) == 31


def test_a_numbered_section_on_authority_binds_and_front_matter_does_not(tmp_path: Path) -> None:
    front = "# Authority\n\nNothing in this text shall be taken to bind others."
    text = f"{front}\n\n# 2.1 Authority\n\nThe porter shall have the key.\n"
    assert pairs(found(tmp_path, text)) == [("2.1", "The porter shall have the key.")]
