"""The review queue in whole jobs: what roles decide changes the result, and QA judges without knowing it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from echelon.crews.creator.playbook import as_ruled, creator
from echelon.crews.playbooks.view import View
from echelon.domains.documents.reading import read_document
from echelon.engine.messages import ToolCall
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store.records.events import Gated, TaskFailed
from echelon.tools.judging import REFUSED
from tests.support.documents import DOUBTFUL_POLICY
from tests.support.events import of_kind
from tests.support.scripted import Reply, Script, Seen, call, register, service

LEFT = "Old keys will only be seen"


@pytest.fixture
def jobs(tmp_path: Path) -> Any:
    (tmp_path / "policy.md").write_text(DOUBTFUL_POLICY, encoding="utf-8")
    with service(tmp_path) as jobs:
        yield jobs


def by_rule(seen: Seen) -> Reply:
    tool, arguments = creator(View(seen.request))
    return call(tool, **arguments)


def ran(jobs: Service, script: Script, request: str | None = None, **settings: Any) -> JobResult:
    register(lambda seen: script(seen) or by_rule(seen), "reviewer")
    source = jobs.environment.home.parent / "policy.md"
    more = {"requirements.review.share": 1, **{k.replace("__", "."): v for k, v in settings.items()}}
    return jobs.run(jobs.submit("creator", [source], request, "scripted/reviewer", more))


def delivered(result: JobResult) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((result.folder / "output" / "requirements.json").read_text(encoding="utf-8"))
    return value


def asked(seen: Seen, key: str) -> list[dict[str, Any]]:
    """The places of the prompt, each with the words that it shows."""
    places: list[dict[str, Any]] = seen.values.get(key) or []
    return [{**p, "shown": seen.task.partition(f"\n{p['id']} (")[2].partition("\nD-")[0]} for p in places]


def deciding(seen: Seen, name: str, key: str, ruling: str) -> Reply:
    """Decide the sentence that the rules left out in one way, and all else as the rules have it."""
    decisions = [
        {"id": p["id"], "ruling": ruling, "modality": "permission", "reason": f"they {ruling} it"}
        if f"[[{LEFT}" in p["shown"]
        else as_ruled(p)
        for p in asked(seen, key)
    ]
    return call(name, decisions=decisions)


def test_a_decision_changes_the_result_and_qa_judges_without_knowing_it(jobs: Service) -> None:
    told: list[str] = []
    looked: list[bool] = []

    def script(seen: Seen) -> Any:
        if seen.phase == "implement" and not seen.last_tool:
            return deciding(seen, "decide_doubts", "doubts", "accept")
        if seen.phase != "qa":
            return None
        told.append(seen.text)
        turn = seen.turn
        if turn in (0, 1, 4):
            looked.extend([bool(seen.last.get("ok"))] if turn else [])
            paths = {0: "output/requirements.json", 1: "requirements/decisions.json", 4: "output/requirements.json"}
            return call("read_file", path=paths[turn])
        if turn == 2:
            looked.append(bool(seen.last.get("ok")))
            return call("submit_verdict", passed=True)
        if turn == 3:
            looked.append(bool(seen.last.get("ok")))
            return deciding(seen, "judge_doubts", "judge", "accept")
        looked.append(bool(seen.last.get("ok")))
        return call("submit_verdict", passed=True)

    result = ran(jobs, script, requirements__review__sample=20)
    assert result.state == "completed", result.reason
    [new] = [r for r in delivered(result)["requirements"] if LEFT in r["text"]]
    assert (new["modality"], new["status"], new["review"]["ruling"]) == ("permission", "accepted", "accept")
    page = read_document(result.folder / "documents" / "policy.md").page(None).text
    assert all(page[c["start"] : c["end"]] == c["quote"] for c in new["citations"])
    assert looked == [False, False, False, True, True], (
        "result and decisions are hidden, and no verdict comes before the judging"
    )
    assert not any("they accept it" in text for text in told[:4])
    review = delivered(result)["review"]
    assert result.figures["doubtful_places_decided"] == review["doubtful_places_decided"] == review["read_twice"]
    assert review["agreed_at_once"] == 1


@pytest.mark.parametrize("says", [
    "The deliverables are missing.",
    "The task asks for requirements with their page and exact words, but the deliverables only specify the existence of a "
    "file named 'requirements/decisions.json'.",
])  # fmt: skip
def test_a_judge_that_repeats_what_is_no_finding_ends(jobs: Service, says: str) -> None:
    """A small QA said seven times of a file that was there that it is missing, and another what every such task is."""
    verdicts: list[bool] = []

    def script(seen: Seen) -> Any:
        if seen.phase != "qa" or by_rule(seen).name != "submit_verdict":  # type: ignore[union-attr]
            return None
        (asked,) = (tool.parameters for tool in seen.request.held if tool.name == "submit_verdict")
        verdicts.append(asked.get("anyOf", [asked])[-1]["properties"]["passed"]["const"])
        nothing = {"says": says, "about": "requirements/decisions.json"}
        return call("submit_verdict", passed=verdicts[-1], findings=[] if verdicts[-1] else [nothing])

    result = ran(jobs, script, prompts="guided", model_settings__tool_calls="json_schema")
    assert result.state == "completed", result.reason
    assert verdicts[: REFUSED + 1] == [False] * REFUSED + [True]


def test_a_finding_about_the_words_of_a_place_is_heard(jobs: Service) -> None:
    """Led or not: it names a word of the place that was decided, or its id."""
    for says in ("What is said of the archive only tells, it binds nobody.", "D-0001 was not read in its context."):

        def script(seen: Seen, says: str = says) -> Any:
            if seen.phase != "qa" or by_rule(seen).name != "submit_verdict":  # type: ignore[union-attr]
                return None
            return call(
                "submit_verdict", passed=False, findings=[{"says": says, "about": "requirements/decisions.json"}]
            )

        result = ran(jobs, script, prompts="guided", model_settings__tool_calls="json_schema")
        assert result.state != "completed"
        assert any(says in found for e in of_kind(jobs, result.job, TaskFailed) for found in e.findings)


@pytest.mark.parametrize("prompts", ["guided", "plain"])
def test_a_small_planner_that_names_its_list_of_todos_delivers_what_people_read(jobs: Service, prompts: str) -> None:
    """Advice is work whose file code knows, where code writes the results; an able planner names the file itself."""
    said: list[str] = []

    def script(seen: Seen) -> Any:
        if seen.phase == "assess" and not said:
            said.append("said")
            return call(
                "submit_assessment", trajectory="continue", reasons=["look"], advice="Look at the archive again."
            )
        if seen.phase == "plan" and seen.values["advice"]:
            if seen.last_tool == "todo_write":
                return call("submit_task", title="t", rationale="It was advised.", deliverables=["todos.yaml"])
            return call("todo_write", todos=["advice"])
        if seen.phase == "implement" and seen.todo is not None and "Look at the archive" in seen.todo[1]:
            return call("todo_complete") if seen.last_tool else call("read_file", path="output/requirements.md")
        return None

    result = ran(jobs, script, prompts=prompts)
    gated = [e.problems for e in of_kind(jobs, result.job, Gated)]
    assert any("todos.yaml" in p for problems in gated for p in problems) is (prompts == "plain"), gated
    assert result.state == "completed", result.reason


def test_what_they_cannot_agree_on_is_for_a_person_in_every_output(jobs: Service) -> None:
    objections: list[str] = []
    judging: list[str] = []

    def script(seen: Seen) -> Any:
        if seen.phase == "qa" and not seen.last_tool:
            judging.append(seen.task)
        if seen.phase == "implement" and not seen.last_tool:
            objections.append(seen.task)
            assert "INSTRUCTION: Call decide_doubts once, for D-" in seen.text, "the list names one call for all"
            return deciding(seen, "decide_doubts", "doubts", "accept")
        if seen.phase == "qa" and not seen.last_tool and asked(seen, "judge"):
            return deciding(seen, "judge_doubts", "judge", "reject")
        return None

    result = ran(jobs, script, requirements__review__sample=20)
    assert result.state == "completed", result.reason
    assert len(objections) == 2 and "Another reader, who did not know that, said reject" in objections[1]
    assert objections[1].count("\nD-") == 1, "only the contested place is decided once more"
    again = judging[-1]
    assert (
        "read twice" in again
        and "one said accept permission, you said reject permission, then accept permission" in again
    )
    assert 'requirements/decisions.json".' not in again, "what the two said is shown, so the file need not be opened"
    [entry] = [r for r in delivered(result)["requirements"] if LEFT in r["text"]]
    assert entry["review"]["for_person"] and result.figures["for_a_person"] == 1
    review = delivered(result)["review"]
    assert review["agreed_at_once"] < 1 and review["kappa"] < 1
    output = result.folder / "output"
    assert "1 for a person" in (output / "report.html").read_text(encoding="utf-8").partition("<main>")[0]
    for name in ("requirements.md", "requirements.csv", "requirements.reqif", "report.html", "summary.md"):
        assert "for a person" in (output / name).read_text(encoding="utf-8-sig"), name
    with zipfile.ZipFile(output / "requirements.xlsx") as book:
        assert any(b"for a person" in book.read(n) for n in book.namelist())


def test_who_yields_to_an_objection_changes_the_result(jobs: Service) -> None:
    def script(seen: Seen) -> Any:
        if seen.phase == "implement" and not seen.last_tool:
            places = seen.values["doubts"]
            return call("decide_doubts", decisions=[p.get("objection") or as_ruled(p) for p in places])
        if seen.phase == "qa" and not seen.last_tool and asked(seen, "judge"):
            return deciding(seen, "judge_doubts", "judge", "accept")
        return None

    result = ran(jobs, script, requirements__review__sample=20)
    assert result.state == "completed", result.reason
    assert any(LEFT in r["text"] for r in delivered(result)["requirements"])
    assert "for_a_person" not in result.figures


def test_words_that_qa_corrects_change_the_result(jobs: Service) -> None:
    """Both accept the place; that it is shorter only QA says, and who works takes that over."""
    shorter = "Old keys will only be seen by the archive"

    def script(seen: Seen) -> Any:
        if seen.phase == "implement" and not seen.last_tool:
            places: list[dict[str, Any]] = seen.values["doubts"]
            if any("objection" in p for p in places):
                return call("decide_doubts", decisions=[p["objection"] for p in places])
            return deciding(seen, "decide_doubts", "doubts", "accept")
        if seen.phase == "qa" and not seen.last_tool and asked(seen, "judge"):
            reply = deciding(seen, "judge_doubts", "judge", "accept")
            assert isinstance(reply, ToolCall)
            said: list[dict[str, Any]] = json.loads(reply.arguments)["decisions"]
            for one in said:
                one |= {"texts": [shorter]} if one["reason"] == "they accept it" else {}
            return call("judge_doubts", decisions=said)
        return None

    result = ran(jobs, script, requirements__review__sample=20)
    assert result.state == "completed", result.reason
    assert [r["text"] for r in delivered(result)["requirements"] if LEFT in r["text"]] == [shorter]


def test_a_sample_that_differs_makes_qa_judge_the_rest_of_the_task(jobs: Service) -> None:
    sizes: list[tuple[int, int]] = []
    shown: list[str] = []

    def script(seen: Seen) -> Any:
        if seen.phase == "implement" and not seen.last_tool:
            places: list[dict[str, Any]] = seen.values["doubts"]
            return call("decide_doubts", decisions=[p.get("objection") or wrong(p) for p in places])
        if seen.phase == "qa" and seen.last_tool == "judge_doubts":
            shown.append(" ".join(seen.last["explanations"]))
            data: Any = seen.last.get("data")
            more: list[dict[str, Any]] = data["judge"] if data else []
            if more:
                early = call("submit_verdict", passed=True)
                return early if len(shown) == 1 else call("judge_doubts", decisions=[as_ruled(p) for p in more])
        elif seen.phase == "qa" and seen.last_tool == "submit_verdict" and len(shown) == 1:
            more = list[dict[str, Any]](json.loads(seen.results[0])["data"]["judge"])
            sizes.append((len(asked(seen, "judge")), len(more)))
            return call("judge_doubts", decisions=[as_ruled(p) for p in more])
        return None

    def wrong(place: dict[str, Any]) -> dict[str, Any]:
        return as_ruled(place | {"taken": not place["taken"]})

    result = ran(jobs, script, requirements__review__sample=1)
    assert result.state == "completed", result.reason
    assert sizes and sizes[0][0] == 1 and sizes[0][1] >= 2, "one place was drawn, the others came after it differed"
    assert "judge the other" in shown[0] and "[[" in shown[0] and "they" not in shown[0]
    assert {r["source_id"] for r in delivered(result)["requirements"]} == {"1.1", "1.2", "4.1", "4.2", "4.3"}


def test_a_sample_that_agrees_leaves_the_rest_unread(jobs: Service) -> None:
    result = ran(jobs, by_rule, requirements__review__sample=1)
    assert result.state == "completed" and delivered(result)["review"]["read_twice"] == 1


def test_a_place_that_was_only_said_to_be_decided_is_sent_back(jobs: Service) -> None:
    tried: list[str] = []

    def script(seen: Seen) -> Any:
        if seen.phase != "implement" or len(tried) > 6:
            return None
        tried.append(seen.last_tool)
        if seen.todo is None:
            return call("submit_report", summary="All is decided.")
        return call("todo_complete") if seen.last_tool == "list_files" else call("list_files")

    result = ran(jobs, script, requirements__review__least=2, requirements__review__per_page=0)
    failed = of_kind(jobs, result.job, TaskFailed)
    assert result.state == "completed", result.reason
    assert any("is not decided" in f for event in failed for f in event.findings)
    assert result.figures["doubtful_places_decided"] == 2


def test_roles_are_asked_only_about_what_the_remit_wants(jobs: Service) -> None:
    shown: list[str] = []

    def script(seen: Seen) -> Any:
        if seen.phase == "implement":
            shown.append(seen.task)
        return None

    result = ran(jobs, script, request="only section 4")
    assert result.state == "completed", result.reason
    assert shown and not any("page 1, 1 Scope;" in text for text in shown)
    assert all("page 1, 4 Deletion;" in text for text in shown)
    assert {r["source_id"] for r in delivered(result)["requirements"]} == {"4.1", "4.2", "4.3"}


def test_profile_and_coverage_are_said_and_the_setting_overrides(jobs: Service) -> None:
    result = ran(jobs, by_rule)
    plain = delivered(result)["documents"][0]
    assert plain["profile"]["unit"] == "clauses" and plain["profile"]["reasons"]
    assert set(plain["coverage"]) >= {"sections_without", "pages_without", "left_out", "cut"}
    for name in ("summary.md", "report.html"):
        first = (result.folder / "output" / name).read_text(encoding="utf-8").partition("<main>")[0]
        assert "Read as clauses: " in first and plain["profile"]["reasons"][0].split(" like")[0] in first, name
        assert "Coverage: " in first, name
    forced = delivered(ran(jobs, by_rule, requirements__profile="sentences"))["documents"][0]
    assert forced["profile"]["unit"] == "sentences"
