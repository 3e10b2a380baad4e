"""find_tools: schemas on demand, in a stable order, and no tool that the role does not have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest

from echelon.agents.roster import roster
from echelon.crews.tool_sets import all_tools, take
from echelon.engine.context.cut import prompt_tokens, schema_tokens, text_tokens
from echelon.engine.toolbox import Arguments, Effect, Tool, Toolbox, inlined_schema
from echelon.errors import ModelFault
from echelon.service.service import Service
from echelon.store.records.events import PhaseEnded
from echelon.tools.discovery import MANY, MOST, NAME, find_tools_over, found, listing
from tests.support.events import of_kind
from tests.support.phases import play, tool
from tests.support.scripted import Reply, Seen, call, run_plain, service, willing


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("discovery")) as running:
        yield running


def by_overlap(query: str, texts: Sequence[str]) -> list[tuple[int, float]]:
    """A small rank function: how many words are shared."""
    words = set(query.lower().split())
    scores = [len(words & set(t.lower().replace("_", " ").replace(":", " ").split())) for t in texts]
    return sorted(enumerate(map(float, scores)), key=lambda pair: (-pair[1], pair[0]))


def many(count: int) -> list[Tool]:
    return [tool(f"tool_{n}", lambda text: f"did {text}") for n in range(count)]


def test_named_tools_come_first_and_the_others_by_rank() -> None:
    tools = take(["delete_file", "add_note", "list_todos", "add_accomplishment"])
    assert [t.name for t in found("keep a note, list_todos", tools, by_overlap)][:2] == ["list_todos", "add_note"]


def test_a_search_brings_at_most_five() -> None:
    assert len(found("tool", many(30), by_overlap)) == MOST
    assert found("anything", [], by_overlap) == []


def test_tools_are_found_by_meaning() -> None:
    tools = take(["delete_file", "add_note", "generate_workspace_summary", "file_exists", "list_todos"])
    assert found("remove a document", tools)[0].name == "delete_file"


def test_few_deferred_tools_have_a_line_with_words_many_only_their_names() -> None:
    few = take(["delete_file", "add_note"])
    assert listing(few).splitlines()[1:] == ["- delete_file: Delete a file", "- add_note: Keep a short note for later"]
    assert listing(many(MANY)).splitlines()[1:3] == ["tool_0", "tool_1"]
    assert listing([]) == ""


def script(seen: Seen) -> Reply:
    """Looks for tools twice, uses one, and submits."""
    moves = {
        1: call(NAME, need="tool_7 tool_3"), 2: call("tool_3", text="x"), 3: call(NAME, need="tool_3 tool_5"),
    }  # fmt: skip
    return moves.get(seen.number, call("submit_report", summary="ok"))


def test_schemas_arrive_on_demand_and_stay_in_the_order_of_their_arrival(jobs: Service) -> None:
    tools = many(30)
    played = play(jobs, script, tools, deferred=[t.name for t in tools])
    assert played.how == "submitted"
    offered = [Seen(r).tools for r in played.model.asked]
    assert offered[0] == ("submit_report", NAME)
    assert offered[1][:4] == ("submit_report", NAME, "tool_3", "tool_7")
    assert offered[2] == offered[1]
    assert offered[3][: len(offered[1])] == offered[1]
    assert "tool_5" in offered[3] and len(offered[3]) == len(set(offered[3]))
    assert all(r.messages[0] == played.model.asked[0].messages[0] for r in played.model.asked)


def test_what_a_search_answers_names_the_tools(jobs: Service) -> None:
    tools = many(3)
    played = play(jobs, script, tools, deferred=[t.name for t in tools])
    first = json.loads(Seen(played.model.asked[1]).results[0])
    assert first["ok"]
    assert first["data"]["tools"][0] == {"name": "tool_0", "description": "Do tool_0."}


def test_a_deferred_tool_works_when_it_is_called_by_its_name(jobs: Service) -> None:
    tools = many(5)
    moves: list[Reply] = [
        call("tool_4", text="x"),
        call("tool_4", text=["no", "text"]),
        call("submit_report", summary="ok"),
    ]
    played = play(jobs, lambda seen: moves[seen.number - 1], tools, deferred=[t.name for t in tools])
    good, bad = (json.loads(r) for r in Seen(played.model.asked[-1]).results)
    assert good["explanations"] == ["did x"]
    assert "The arguments of tool_4 do not fit" in bad["explanations"][0]


def test_a_tool_of_another_role_is_neither_found_nor_run(jobs: Service) -> None:
    moves: list[Reply] = [call(NAME, need="job_complete"), call("job_complete"), call("submit_report", summary="ok")]
    tools = many(2)
    played = play(jobs, lambda seen: moves[seen.number - 1], tools, deferred=["tool_0", "tool_1"])
    assert all("job_complete" not in Seen(r).tools for r in played.model.asked)
    assert "There is no tool 'job_complete'" in Seen(played.model.asked[-1]).results[1]


def test_without_deferred_tools_there_is_no_find_tools(jobs: Service) -> None:
    played = play(jobs, lambda seen: call("submit_report", summary="ok"), many(2))
    assert NAME not in Seen(played.model.asked[0]).tools


def test_finding_nothing_says_so() -> None:
    finder = find_tools_over([], by_overlap)
    with pytest.raises(ModelFault):
        finder.work(None, finder.arguments.model_validate({"need": "anything"}))  # type: ignore[arg-type]


# the roles


def test_every_tool_of_every_role_exists_and_its_submit_tool_is_sent_from_the_start() -> None:
    for role in roster().values():
        for phase, names in role.tools.items():
            assert len(take(names)) == len(names)
            ends = [n for n in names if n.startswith("submit_") or n == "job_complete"]
            assert ends and set(ends) <= set(role.core_of(phase)), (role.name, phase)
        everywhere = {n for names in role.tools.values() for n in names}
        assert set(role.deferred) <= everywhere


def test_the_first_prompt_of_every_phase_is_short(jobs: Service) -> None:
    result = run_plain(jobs, willing)
    assert result.state == "completed"
    firsts = {(e.role, e.phase): e.first_prompt_tokens for e in of_kind(jobs, result.job, PhaseEnded)}
    assert len(firsts) == 6
    assert max(firsts.values()) <= 2_500, firsts


def test_the_tools_of_every_phase_leave_room_for_the_task() -> None:
    for role in roster().values():
        for phase in role.tools:
            box = Toolbox(take(role.tools_in(phase)), role.core_of(phase))
            tokens = sum(map(schema_tokens, box.schemas())) + text_tokens(listing(box.deferred))
            assert tokens <= 1_900, (role.name, phase, tokens)


def test_sixty_tools_cost_a_tenth_of_their_schemas() -> None:
    from benchmarks.tool_tokens import sixty, tokens_deferred, tokens_sent

    tools = sixty()
    assert len(tools) == 60
    assert tokens_deferred(tools) <= 0.10 * tokens_sent(tools)


# schemas


class Odd(Arguments):
    title: str = ""
    flags: tuple[str, ...] = ()
    count: int = 3


def test_schemas_are_without_noise_but_keep_what_matters() -> None:
    schema = inlined_schema(Odd)
    assert schema["properties"] == {
        "title": {"type": "string"}, "flags": {"items": {"type": "string"}, "type": "array"},
        "count": {"default": 3, "type": "integer"},
    }  # fmt: skip
    assert "additionalProperties" not in json.dumps(schema)


def test_no_schema_holds_a_reference() -> None:
    for each in all_tools().values():
        text = json.dumps(each.schema.model_dump())
        assert "$ref" not in text and "$defs" not in text, each.name


def test_tools_that_read_are_known_to_read() -> None:
    box = Toolbox(take(["read_file", "write_file", "add_note"]))
    assert box.traits("read_file").reads and not box.traits("write_file").reads
    assert box.traits("add_note").decision == "text"
    assert box.traits("unknown").reads
    assert all_tools()["read_file"].effect is Effect.READ


def test_a_prompt_with_deferred_tools_is_smaller(jobs: Service) -> None:
    tools = many(30)
    names = [t.name for t in tools]
    end = lambda seen: call("submit_report", summary="ok")  # noqa: E731
    sizes = [prompt_tokens(play(jobs, end, tools, deferred=d).model.asked[0]) for d in ([], names)]
    assert sizes[1] < sizes[0] / 2
