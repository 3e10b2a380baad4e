"""Traces of whole jobs, as a collector of the tests' own receives them."""

from __future__ import annotations

from pathlib import Path

from echelon.engine.redact import Redactor
from echelon.engine.tracing import CONTENTS, ENDPOINT, TRACES_ENDPOINT, NoTrace, begin
from echelon.settings import Environment
from tests.support.otlp import Receiver, receiver
from tests.support.scripted import Seen, run_plain, service, submit_plain, willing

SECRET = "a-key-of-nobody-42"


def by_id(taken: Receiver) -> dict[str, str]:
    return {s.id: s.name for s in taken.spans}


def test_a_job_is_a_tree_of_spans_without_contents(tmp_path: Path) -> None:
    with receiver() as taken, service(tmp_path, **{ENDPOINT: taken.url}) as jobs:
        done = run_plain(jobs, {})
    assert done.state == "completed"
    (root,) = taken.named("job")
    names = by_id(taken)
    assert root.name == "job plain" and root.parent == "" and not root.links
    assert root.attributes["echelon.job"] == done.job and root.attributes["echelon.job.state"] == "completed"
    assert {s.trace for s in taken.spans} == {root.trace}
    chats, tools = taken.named("chat"), taken.named("execute_tool")
    ledger = {(s.kind, s.number) for s in done.ledger if s.kind != "code"}
    assert {("model", s.attributes["echelon.step"]) for s in chats} | {
        ("tool", s.attributes["echelon.step"]) for s in tools
    } == ledger
    for span in (*chats, *tools):
        assert names[span.parent].startswith("invoke_agent ")
        assert root.began <= span.began <= span.ended <= root.ended
    rounds = {names[s.parent] for s in taken.named("invoke_agent Implementor")}
    assert rounds == {"round 1", "round 2"}
    assert {names[s.parent] for s in taken.named("round")} == {"milestone 1"}
    assert {names[s.parent] for s in taken.named("milestone")} == {"job plain"}
    first = min(chats, key=lambda s: s.began).attributes
    assert first["gen_ai.operation.name"] == "chat" and first["gen_ai.request.model"] == "test"
    assert first["gen_ai.provider.name"] == "scripted" and first["gen_ai.usage.input_tokens"] > 0
    assert first["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert sum(s.attributes["gen_ai.usage.input_tokens"] for s in chats) == done.spent["prompt_tokens"]
    assert {s.attributes["gen_ai.tool.name"] for s in tools} >= {"append_file", "todo_complete", "submit_report"}
    assert not [
        k for s in taken.spans for k in s.attributes if "messages" in k or k.endswith((".arguments", ".result"))
    ]
    assert {r["service.name"] for r in taken.resources} == {"echelon"}


def test_contents_are_told_when_asked_for_and_hold_no_secret(tmp_path: Path) -> None:
    settings = {CONTENTS: "true", "SHOP_TOKEN": SECRET}
    with receiver() as taken, service(tmp_path, **{ENDPOINT: taken.url, **settings}) as jobs:
        run_plain(jobs, {}, text=f"Write two results about {SECRET}.\n")
    said = "".join(str(s.attributes) for s in taken.spans)
    assert "gen_ai.input.messages" in said and "gen_ai.tool.call.arguments" in said and "write part 1" in said
    assert SECRET not in said


def test_a_resume_links_to_the_trace_that_it_continues_and_repeats_no_span(tmp_path: Path) -> None:
    broken = [True]

    def once_broken(seen: Seen) -> object:
        if seen.turn == 3 and broken:
            broken.clear()
            raise KeyboardInterrupt  # the process is told to end
        return willing(seen)

    with receiver() as taken, service(tmp_path, **{ENDPOINT: taken.url}) as jobs:
        job = submit_plain(jobs, {"implement": once_broken})  # type: ignore[dict-item]
        try:
            jobs.run(job)
        except BaseException as error:
            assert not isinstance(error, AssertionError)
        assert jobs.run(jobs.resume(job)).state == "completed"
    first, second = sorted(taken.named("job"), key=lambda s: s.began)
    assert first.is_error and not second.is_error
    assert second.trace != first.trace and second.links == [(first.trace, first.id)]
    steps = [s.attributes["echelon.step"] for s in taken.spans if "echelon.step" in s.attributes and not s.is_error]
    assert len(steps) == len(set(steps)), "a replayed step has no span"


def test_a_job_does_not_mind_a_collector_that_is_away_or_silent(tmp_path: Path) -> None:
    with service(tmp_path / "a", **{ENDPOINT: "http://127.0.0.1:9"}) as jobs:
        assert run_plain(jobs, {}).state == "completed"
    with (
        receiver(answers=False) as taken,
        service(tmp_path / "b", **{TRACES_ENDPOINT: f"{taken.url}/v1/traces"}) as jobs,
    ):
        assert run_plain(jobs, {}).state == "completed"


def test_nothing_is_traced_where_no_collector_is_named(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        assert isinstance(begin(Environment({}), jobs.store, "j", "plain", Redactor({})), NoTrace)
