"""What an extraction cannot vouch for is said: profile, coverage, doubtful places."""

from __future__ import annotations

from pathlib import Path

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements.coverage import DoubtKind, Examination, examine
from echelon.domains.requirements.structure.profile import Unit

THINGS = ("door", "gate", "key", "lamp", "shelf", "box")
ENTRIES = "\n\n".join(f"### KEY-{n}\n\nThe porter must oil the {t}." for n, t in enumerate(THINGS, 1))


def of_text(tmp_path: Path, text: str) -> Examination:
    (tmp_path / "x.md").write_text(text, encoding="utf-8")
    return examine(read_document(tmp_path / "x.md"))


def test_nothing_to_say_of_a_document_that_is_all_entries(tmp_path: Path) -> None:
    seen = of_text(tmp_path, ENTRIES)
    assert (seen.profile.unit, seen.profile.certain) == (Unit.ENTRIES, True)
    assert (seen.warnings(), seen.doubts) == ((), ())


def test_what_binds_outside_of_the_entries_is_named(tmp_path: Path) -> None:
    seen = of_text(tmp_path, f"## Kitchen\n\nThe cook shall clean the pots of the kitchen.\n\n## Keys\n\n{ENTRIES}\n")
    assert [(d.kind, d.section, d.text) for d in seen.doubts] == [
        (DoubtKind.LEFT_OUT, "Kitchen", "The cook shall clean the pots of the kitchen.")
    ]
    assert (seen.coverage.left_out, seen.coverage.sections_without) == (1, ("Kitchen",))
    assert seen.warnings() == ("1 sections have sentences that bind and no requirement, 1 sentences",)


def test_attributes_that_bind_by_their_words_are_named_as_cut(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"### KEY-{n}\n\nThe porter must oil the {t}.\n\n- Rationale: The {t} must not squeak."
        for n, t in enumerate(THINGS)
    )
    seen = of_text(tmp_path, text)
    assert seen.coverage.cut == len(THINGS)
    assert {doubt.kind for doubt in seen.doubts} == {DoubtKind.CUT}


def test_a_close_call_and_a_lead_in_are_named(tmp_path: Path) -> None:
    seen = of_text(
        tmp_path, "The porter may leave the house early.\n\nThe porter shall:\n\n- close the door;\n- open the gate.\n"
    )
    kinds = [doubt.kind for doubt in seen.doubts]
    assert kinds == [DoubtKind.CLOSE_CALL, DoubtKind.LEAD_IN, DoubtKind.LEAD_IN]


def test_a_language_that_is_not_read_is_named_and_nothing_else(tmp_path: Path) -> None:
    seen = of_text(
        tmp_path, "Le service doit vérifier que la porte est fermée et que les clés sont dans la boîte. " * 20
    )
    assert seen.coverage.language == "French"
    assert seen.warnings() == ("the document is in French, which is not read: nothing was looked for",)
