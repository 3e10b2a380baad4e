"""Summaries: when they are written, what they cost, and that nothing that matters is lost by them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.compaction import History, play_history
from echelon.engine.context.cut import prompt_tokens
from echelon.engine.toolbox import Effect
from echelon.service.service import Service
from tests.support.phases import Played, go_on, play, prepared, tool
from tests.support.scripted import Reply, Seen, call, service

WINDOW = {"context.compact_at_tokens": 1_500, "budget.calls_per_phase": 60}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("summary")) as running:
        yield running


def wordy(text: str) -> str:
    return f"{text}: " + " ".join(f"{text}-{n}" for n in range(60))


def long_phase(jobs: Service, summary: Reply, calls: int = 30) -> Played:
    """A phase whose results fill a small context; `summary` answers each request for a summary."""

    def script(seen: Seen) -> Reply:
        if not seen.tools:
            return summary
        done = seen.turn
        return call("look", text=f"shelf {done}") if done < calls else call("submit_report", summary="ok")

    return play(jobs, script, [tool("look", wordy, effect=Effect.READ)], overrides=WINDOW)


def summaries(played: Played) -> list[Seen]:
    return [Seen(r) for r in played.model.asked if not r.tools]


def test_a_summary_is_a_durable_step_of_its_own_and_costs_like_one(jobs: Service) -> None:
    played = long_phase(jobs, "Shelves were looked at; nothing was found.")
    assert played.how == "submitted"
    rows = [s for s in jobs.store.steps(played.job) if s.name == "summary"]
    assert rows and all(s.kind == "model" and s.prompt_tokens > 0 for s in rows)
    assert played.run.spent.model_calls == len(played.model.asked) == len(rows) + 31
    assert [r.number for r in played.model.asked] == list(range(1, len(played.model.asked) + 1))


def test_the_summary_takes_the_place_of_the_turns(jobs: Service) -> None:
    played = long_phase(jobs, "Shelves were looked at; nothing was found.")
    last = Seen(played.model.asked[-1])
    assert "of this phase, summarised:\nShelves were looked at; nothing was found." in last.text
    assert last.turn == 30
    assert last.task == "Do the work."


def test_what_is_summarised_is_shown_to_the_model_without_tools(jobs: Service) -> None:
    played = long_phase(jobs, "fine")
    first = summaries(played)[0]
    assert first.system.startswith("You summarise a part of a long piece of work")
    assert "Do the work." in first.task and 'look {"text": "shelf 0"}' in first.task
    assert prompt_tokens(first.request) < 1_500


def test_the_next_summary_builds_on_the_last(jobs: Service) -> None:
    played = long_phase(jobs, "The red shelf is empty.", calls=50)
    assert len(summaries(played)) >= 2
    assert "The red shelf is empty." in summaries(played)[1].task


@pytest.mark.parametrize("summary", ["", "   \n"])
def test_an_empty_summary_is_replaced_by_what_code_knows(jobs: Service, summary: str) -> None:
    played = long_phase(jobs, summary)
    assert "look" in Seen(played.model.asked[-1]).request.messages[2].content
    assert played.how == "submitted"


def test_a_summary_that_is_far_too_long_is_cut(jobs: Service) -> None:
    played = long_phase(jobs, "blah " * 20_000)
    assert max(prompt_tokens(r) for r in played.model.asked) < 3_500


def test_summaries_are_not_written_again_at_every_call(jobs: Service) -> None:
    played = long_phase(jobs, "fine")
    assert len(summaries(played)) <= 30 / 4


def test_a_long_prompt_without_old_turns_is_not_summarised(jobs: Service) -> None:
    played = play(jobs, lambda seen: call("submit_report", summary="ok"), task="Do this. " * 2_000, overrides=WINDOW)
    assert played.how == "submitted"
    assert summaries(played) == []


def test_compactions_are_events_with_what_was_lost(jobs: Service) -> None:
    history, compactions = play_history(jobs, 3)
    assert isinstance(history, History)
    assert compactions and all(c.turns and c.before > c.after > 0 for c in compactions)
    assert sum(sum(c.lost.values()) for c in compactions) > 0  # the model forgot, and code saw it
    assert history.checked > 100
    assert history.lost.total() == 0  # but in the prompts nothing was missing


def test_an_interrupted_phase_comes_to_the_same_prompts_and_summaries(jobs: Service) -> None:
    class PowerCut(BaseException):
        pass

    cuts = iter([PowerCut(), None])

    def script(seen: Seen) -> Reply:
        if not seen.tools:
            return f"Summary number {seen.number}."
        if interrupting and seen.turn == 22 and (cut := next(cuts)) is not None:
            return cut
        return call("look", text=f"shelf {seen.turn}") if seen.turn < 30 else call("submit_report", summary="ok")

    looking = [tool("look", wordy, effect=Effect.READ)]
    interrupting = False
    whole = play(jobs, script, looking, overrides=WINDOW)
    interrupting = True
    cut = prepared(jobs, script, looking, overrides=WINDOW)
    with pytest.raises(PowerCut):
        go_on(cut)
    before = len(cut.model.asked)
    go_on(cut)
    assert cut.model.asked[: before - 1] + cut.model.asked[before:] == whole.model.asked
    assert cut.dialogue.compactions == whole.dialogue.compactions and len(whole.dialogue.compactions) > 1
    assert cut.run.spent.prompt_tokens == whole.run.spent.prompt_tokens
