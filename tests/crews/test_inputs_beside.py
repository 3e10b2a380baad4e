"""Short inputs of a plain job beside each other: every line once, as the same, as another wording, or as one's own."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.plain.beside import beside
from echelon.crews.plain.job_type import SAID, UNSAID
from tests.support.scripted import Reply, Script, Seen, call, passing, register, service, willing

MARCH = (
    "# Plan of March\n\n- The meeting is on Monday in room 4.\n- Maria brings the projector.\n- We order 20 chairs.\n"
)
APRIL = "# Plan of April\n\n- Maria brings  the projector.\n- The meeting is on Tuesday in room 7.\n- Bring a cake.\n"
WORDS = st.sampled_from(
    ["we", "order", "twenty", "chairs", "for", "the", "meeting", "on", "monday", "in", "room", "four"]
)
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), max_size=6).map("\n".join)


def test_lines_are_the_same_in_all_differ_or_stand_in_one_alone() -> None:
    assert beside({"march.md": MARCH, "april.md": APRIL}).splitlines()[1:] == [
        "- the same in all: Maria brings the projector.",
        "- differs: march.md: The meeting is on Monday in room 4. | april.md: The meeting is on Tuesday in room 7.",
        "- only in march.md: We order 20 chairs.",
        "- only in april.md: Bring a cake.",
    ]


def test_three_texts_are_compared_together() -> None:
    said = beside({n: f"The rent is {n} euros a month.\nWe pay on the first." for n in ("800", "900", "950")})
    assert "- the same in all: We pay on the first." in said
    assert said.count("- differs:") == 1 and said.count("The rent is") == 3


def test_texts_without_anything_in_common_are_not_compared() -> None:
    assert beside({"a": "Bake the bread at noon.", "b": "Die Katze schläft."}) == ""
    assert beside({"a": MARCH}) == "" and beside({}) == "" and beside({"a": "", "b": ""}) == ""


@given(st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md"]), TEXTS, min_size=2))
def test_no_line_is_made_up_or_said_of_the_wrong_text(texts: dict[str, str]) -> None:
    rows = [row for row in beside(texts).splitlines()[1:] if not row.startswith("- the same in all: ")]
    for row in rows:
        named = row.removeprefix("- differs: ").removeprefix("- only in ").split(" | ")
        assert len({part.partition(": ")[0] for part in named}) == len(named)
        for part in named:
            name, _, line = part.partition(": ")
            assert line in [" ".join(own.split()) for own in texts[name].splitlines()]
    assert len(rows) == len(set(rows))


def test_guided_roles_of_a_plain_job_are_told_and_others_are_not(tmp_path: Path) -> None:
    told: dict[bool, list[str]] = {True: [], False: []}

    def script(seen: Seen) -> Reply:
        told["The inputs line by line" in seen.task].append(seen.phase)
        return passing(seen) if seen.phase == "qa" else willing(seen)

    for name, text in (("march.md", MARCH), ("april.md", APRIL)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with service(tmp_path) as jobs:
        register(script)
        files = [tmp_path / "march.md", tmp_path / "april.md"]
        jobs.run(jobs.submit("plain", files, "Say what differs.", "scripted/test", {"prompts": "guided"}))
        assert {"scope", "plan", "implement", "qa"} <= set(told[True]) and not told[False]
        jobs.run(jobs.submit("plain", files, "Say what differs.", "scripted/test"))
        assert {"scope", "plan", "implement", "qa"} <= set(told[False])


def test_qa_is_told_whether_every_figure_is_there(tmp_path: Path) -> None:
    shown: list[str] = []

    def script(answer: str) -> Script:
        def play(seen: Seen) -> Reply:
            if seen.phase == "qa":
                shown.append(seen.task)
                return passing(seen)
            if seen.phase == "implement" and seen.todo is not None and seen.turn == 0:
                return call("write_file", path="output/result.md", text=answer)
            return willing(seen)

        return play

    (tmp_path / "march.md").write_text(MARCH, encoding="utf-8")
    with service(tmp_path) as jobs:
        for answer in ("Chairs for March: 20, and the room is number 4.\n", "Room number 4 is where they meet.\n"):
            register(script(answer))
            files = [tmp_path / "march.md"]
            jobs.run(
                jobs.submit("plain", files, "Say which room and how many.", "scripted/test", {"prompts": "guided"})
            )
    assert all((SAID in text) != (UNSAID in text) for text in shown)
    assert any(SAID in text for text in shown) and any(f"{UNSAID}\n- We order 20 chairs." in text for text in shown)
