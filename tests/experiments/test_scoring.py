"""The checks of a trial: what each of them passes, refuses, and does not know."""

from __future__ import annotations

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from echelon.domains.code.running.fence import FenceKind, FenceState, fence_state
from echelon.errors import UserError
from echelon.experiments.definition.checks import Check, RubricCheck
from echelon.experiments.definition.load import Task
from echelon.experiments.scoring.finished import Finished, laid_out
from echelon.experiments.scoring.ready import ready
from echelon.experiments.scoring.requirements import Stated, match
from echelon.experiments.scoring.rubric import Asked, Judged, agreement, labels_of
from echelon.experiments.scoring.score import Grade, grade
from echelon.files import write_atomically

CHECK: TypeAdapter[Check] = TypeAdapter(Check)
fenced = pytest.mark.skipif(fence_state().kind is FenceKind.NONE, reason="no fence on this machine")


def check(**says: Any) -> Check:
    return CHECK.validate_python(says)


class Place:
    """A job that has ended and the task that it was for."""

    def __init__(self, folder: Path) -> None:
        self.task, self.job = folder / "task", folder / "job"
        self.task.mkdir()
        (self.job / "output").mkdir(parents=True)

    def delivers(self, name: str, text: str) -> Place:
        (self.job / "output" / name).write_text(text)
        return self

    def has(self, name: str, text: str) -> Place:
        (self.task / name).write_text(text)
        return self

    def graded(self, *checks: Check, inputs: tuple[Path, ...] = ()) -> Grade:
        with laid_out(self.job, self.task, inputs, "completed") as trial:
            return grade(checks, trial, judge)

    def passes(self, **says: Any) -> bool | None:
        return self.graded(check(**says)).success


def judge(asked: Asked) -> Judged:
    """Good is what says 'good'; a text that says 'away' finds no server."""
    if "away" in asked.text:
        raise ValueError("the server is away")
    return Judged(float("good" in asked.text), "because", 0.002)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    yield Place(tmp_path)


def test_a_command_passes_by_its_exit_code(place: Place) -> None:
    place.delivers("a.txt", "42")
    assert place.passes(kind="command", run=["grep", "-q", "42", "a.txt"]) is True
    assert place.passes(kind="command", run=["grep", "-q", "43", "{output}/a.txt"]) is False
    assert place.passes(kind="command", run=["{task}/none"]) is None, "a grader that cannot be run knows nothing"


def test_a_command_may_say_a_score(place: Place) -> None:
    code = 'print("graded"); print(\'{"score": 0.25}\'); raise SystemExit(1)'
    found = place.graded(check(kind="command", run=["{python}", "-c", code]))
    assert (found.success, found.score) == (False, 0.25)


def test_a_command_is_bounded_in_processor_time_and_memory_and_not_in_wall_time(place: Place) -> None:
    spin = check(kind="command", run=["{python}", "-c", "while True: pass"], cpu_seconds=1)
    eat = check(kind="command", run=["{python}", "-c", "x = bytearray(900_000_000)"], memory_megabytes=300)
    wait = check(kind="command", run=["{python}", "-c", "import time; time.sleep(1.5)"], cpu_seconds=1)
    assert [place.graded(c).success for c in (spin, eat, wait)] == [False, False, True]


def test_a_command_sees_no_key_and_touches_no_job(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    place.delivers("a.txt", "kept")
    code = "import os, pathlib; pathlib.Path('a.txt').unlink(); raise SystemExit('OPENAI_API_KEY' in os.environ)"
    assert place.passes(kind="command", run=["{python}", "-c", code]) is True
    assert (place.job / "output/a.txt").read_text() == "kept"


@fenced
def test_a_command_that_runs_what_a_job_wrote_gets_out_nowhere(place: Place, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key")
    place.has("expected.txt", "42").delivers(
        "program.py",
        "import pathlib, socket, sys\n"
        "found = [p for p in sys.argv[1:] if pathlib.Path(p).exists()]\n"
        "try:\n    socket.create_connection(('127.0.0.1', int(sys.argv[2])), 1)\n    found.append('net')\n"
        "except OSError: pass\n"
        "for p in (sys.argv[1], sys.argv[3]):\n"
        "    try: pathlib.Path(p).write_text('42')\n    except OSError: pass\n"
        "pathlib.Path('here.txt').write_text('x')\n"
        "print(found); raise SystemExit(bool(found[1:] or not found))\n",
    )
    expected = place.task / "expected.txt"
    with socket.create_server(("127.0.0.1", 0)) as server:
        reach = [str(server.getsockname()[1]), str(secret)]
        run = ["{python}", "program.py", str(expected), *reach]
        assert place.passes(kind="command", run=run) is True, "it reads what the grader gives it, and nothing else"
        assert place.passes(kind="command", run=run, fence="none") is False
    assert secret.read_text() == "42", "without a fence it wrote it"


def test_a_grader_is_refused_where_nothing_can_fence_it_in(place: Place) -> None:
    task, bare = Task("t1", place.task, "plain", "", (), "t1", (), {}), FenceState(FenceKind.NONE, why="no bubblewrap")
    with pytest.raises(UserError, match="Task 't1': the check 'command' runs what a job wrote") as raised:
        ready(check(kind="command", run=["true"]), task, bare)
    assert "fence: none" in str(raised.value) and "\n" not in str(raised.value)
    ready(check(kind="command", run=["true"], fence="none"), task, bare)
    ready(check(kind="junit", file="r.xml"), task, bare)


def test_an_unchanged_file_is_no_repair(place: Place, tmp_path: Path) -> None:
    source = tmp_path / "gcd.py"
    source.write_text("def gcd(): ...\n")
    mend = check(kind="command", run=["true"], must_change=["gcd.py"])
    place.delivers("gcd.py", source.read_text())
    found = place.graded(mend, inputs=(source,))
    assert found.success is False and "unchanged" in found.checks[0].says
    place.delivers("gcd.py", "def gcd(): return 1\n")
    assert place.graded(mend, inputs=(source,)).success is True


def test_a_file_of_an_input_folder_has_to_change_where_the_job_works_on_it(place: Place, tmp_path: Path) -> None:
    source = tmp_path / "repository"
    (source / "lib").mkdir(parents=True)
    (source / "lib" / "gcd.py").write_text("def gcd(): ...\n")
    shutil.copytree(source, place.job / "repository")
    mend = check(kind="command", run=["true"], must_change=["repository/lib/gcd.py"])
    found = place.graded(mend, inputs=(source,))
    assert found.success is False and "repository/lib/gcd.py is unchanged" in found.checks[0].says
    (place.job / "repository" / "lib" / "gcd.py").write_text("def gcd(): return 1\n")
    assert place.graded(mend, inputs=(source,)).success is True


JUNIT = '<testsuite><testcase classname="a" name="x"/><testcase classname="a" name="y">{}</testcase></testsuite>'


@pytest.mark.parametrize(
    ("inner", "passes", "score"),
    [("", True, 1.0), ("<failure/>", False, 0.5), ("<error/>", False, 0.5), ("<skipped/>", True, 1.0)],
)
def test_junit_results(place: Place, inner: str, passes: bool, score: float) -> None:
    place.delivers("r.xml", JUNIT.format(inner))
    found = place.graded(check(kind="junit", file="r.xml"))
    assert (found.success, found.score) == (passes, score)


def test_junit_without_a_test_or_a_file_is_no_success(place: Place) -> None:
    place.delivers("empty.xml", "<testsuite/>").delivers("bad.xml", "<testsuite")
    assert [place.passes(kind="junit", file=f) for f in ("empty.xml", "bad.xml", "none.xml")] == [False, False, False]


def test_a_junit_file_that_the_job_wrote_itself_does_not_count_for_the_command(place: Place) -> None:
    place.delivers("r.xml", JUNIT.format(""))
    assert place.passes(kind="junit", file="r.xml", run=["true"]) is False


def delivered(*texts: str, status: str = "accepted") -> str:
    return json.dumps({"requirements": [{"text": t, "status": status, "citations": [{"page": 1}]} for t in texts]})


GOLD = ["The clerk must keep the register.", "Nobody may burn a file.", "Keys should be counted daily."]


def test_requirements_against_gold(place: Place) -> None:
    place.has("gold.json", json.dumps([{"text": t, "page": 1} for t in GOLD]))
    place.delivers("requirements.json", delivered(*GOLD))
    assert place.passes(kind="requirements", gold="gold.json", at_least=1.0) is True
    place.delivers("requirements.json", delivered(*GOLD[:2], "Something else entirely is said here."))
    found = place.graded(check(kind="requirements", gold="gold.json", at_least=0.9))
    assert found.success is False and found.score == pytest.approx(2 / 3)
    place.delivers("requirements.json", "[")
    assert place.passes(kind="requirements", gold="gold.json") is False
    assert place.passes(kind="requirements", gold="none.json") is None


def test_repetitions_and_rejected_ones_are_no_finds() -> None:
    found = [Stated(GOLD[0], 1), Stated(GOLD[0], 1)]
    assert match(found, [Stated(GOLD[0], 1)]).matches == 1
    assert match([Stated(GOLD[0], 2)], [Stated(GOLD[0], 1)], pages=True).matches == 0
    assert match([], []).f1 == 1.0


def test_files(place: Place) -> None:
    place.has("expected.txt", "a\nb\n").delivers("got.txt", "a\nc\n").delivers("same.txt", "a\nb\n")
    found = place.graded(check(kind="same_file", file="got.txt", expected="expected.txt"))
    assert found.success is False and "line 2" in found.checks[0].says
    assert place.passes(kind="same_file", file="same.txt", expected="expected.txt") is True
    assert place.passes(kind="same_file", file="none.txt", expected="expected.txt") is False
    assert place.passes(kind="same_file", file="same.txt", expected="none.txt") is None


def test_json_schema(place: Place) -> None:
    place.has("s.json", json.dumps({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}))
    place.delivers("good.json", '{"n": 1}').delivers("bad.json", '{"n": "x"}').delivers("no.json", "{")
    assert [
        place.passes(kind="json_schema", file=f, schema="s.json") for f in ("good.json", "bad.json", "no.json")
    ] == [True, False, False]
    assert "$.n" in place.graded(check(kind="json_schema", file="bad.json", schema="s.json")).checks[0].says


@pytest.mark.parametrize(
    ("value", "success", "score"),
    [
        ("True", True, 1.0),
        ("0.7", False, 0.7),
        ("(True, 0.7)", True, 0.7),
        ("None", None, None),
        ("3", None, None),
        ("1/0", None, None),
    ],
)
def test_python_functions(place: Place, value: str, success: bool | None, score: float | None) -> None:
    place.has("scorer.py", f"def grade(trial):\n    assert trial.state == 'completed'\n    return {value}\n")
    found = place.graded(check(kind="python", function="scorer:grade"))
    assert (found.success, found.score) == (success, score)


def test_two_tasks_may_have_scorers_of_the_same_name(tmp_path: Path) -> None:
    for name, value in (("one", True), ("two", False)):
        (tmp_path / name).mkdir()
        place = Place(tmp_path / name).has("scorer.py", f"def grade(trial):\n    return {value}\n")
        assert place.passes(kind="python", function="scorer:grade") is value


def test_a_rubric_asks_the_judge(place: Place) -> None:
    rubric: dict[str, Any] = {"kind": "rubric", "rubric": "It is good.", "file": "a.md", "model": "m"}
    place.delivers("a.md", "this is good")
    found = place.graded(check(**rubric))
    assert (found.success, found.cost) == (True, 0.002)
    assert place.delivers("a.md", "this is bad").passes(**rubric) is False
    assert place.delivers("a.md", "away").passes(**rubric) is None
    assert place.passes(**{**rubric, "file": "none.md"}) is False


def test_a_judge_is_compared_with_people(tmp_path: Path) -> None:
    rows = [{"text": f"good {n}", "passed": n < 9} for n in range(10)] + [
        {"text": f"bad {n}", "passed": False} for n in range(10)
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    given = RubricCheck(kind="rubric", rubric="r", file="f", model="m", labels="", at_least=0.5)
    found = agreement(given, labels_of(tmp_path / "labels.jsonl"), judge)
    assert found.n == 20 and found.kappa == pytest.approx(0.9)


def test_one_failed_check_decides_and_one_that_is_not_known_leaves_it_open(place: Place) -> None:
    good = check(kind="command", run=["true"])
    bad = check(kind="command", run=["false"])
    unknown = check(kind="command", run=["no-such-program"])
    assert place.graded(good, good).success is True
    assert place.graded(good, bad, unknown).success is False
    assert place.graded(good, unknown).success is None
    assert place.graded(good, bad).score == 0.5 and place.graded(good, unknown).score is None


def test_grading_follows_no_link_out_of_the_job(place: Place, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("42")
    (place.job / "output" / "a.txt").symlink_to(tmp_path / "secret.txt")
    (place.delivers("b.txt", "own").job / "output" / "c.txt").symlink_to("b.txt")
    with laid_out(place.job, place.task) as trial:
        assert isinstance(trial, Finished) and not (trial.output / "a.txt").exists()
        assert (trial.output / "c.txt").read_text() == "own"


def test_each_task_has_the_scorer_of_its_own_folder_whatever_its_name(tmp_path: Path) -> None:
    for name, says in (("t1", True), ("t2", False), ("t3", True)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same_name.py").write_text(f"def grade(trial):\n    return {says}\n")
    siblings = [tmp_path / name for name in ("t1", "t2", "t3", "t1")]
    found: list[bool | None] = []
    for folder in siblings:
        with laid_out(folder / "job", folder, (), "completed") as trial:
            found.append(grade([check(kind="python", function="same_name:grade")], trial).success)
    assert found == [True, False, True, True]


def test_a_folder_of_the_users_own_with_the_name_of_the_record_is_laid_out(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for folder in (place.job / "trace", place.job / "repository" / "trace", place.job / "repository" / ".git"):
        folder.mkdir(parents=True)
        (folder / "a.partial").write_text("a")
    with laid_out(place.job, place.task) as trial:
        found = sorted(str(p.relative_to(trial.workspace)) for p in trial.workspace.rglob("*.partial"))
        assert found == ["repository/trace/a.partial"]


def test_a_job_that_still_writes_its_record_is_laid_out_nevertheless(tmp_path: Path) -> None:
    place = Place(tmp_path).delivers("list.md", "good")
    record, stop = place.job / "trace" / "job.json", threading.Event()

    def keeps_writing() -> None:
        while not stop.is_set():
            write_atomically(record, "{}")

    writer = threading.Thread(target=keeps_writing)
    writer.start()
    try:
        for _ in range(100):
            with laid_out(place.job, place.task) as trial:
                assert (trial.output / "list.md").read_text() == "good"
                assert not (trial.workspace / "trace").exists()
    finally:
        stop.set()
        writer.join()
