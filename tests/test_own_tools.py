"""Tools of a user's own: in ./tools and in packages, given to roles by the settings, and loaded only when named."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from echelon.crews.tool_sets import all_tools
from echelon.errors import UserError
from echelon.own_tools import found, tools_of
from echelon.service.own_tools import with_own_tools
from echelon.service.service import CONFIGS, Service
from echelon.settings import JobConfig, load_config
from tests.support.scripted import Reply, Seen, call, register, service, willing

EXAMPLE = Path(__file__).parents[1] / "examples" / "own_tool"
HEAD = "from echelon.engine.messages import ToolResult\nfrom echelon.engine.toolbox import Arguments, Effect, Tool\n"
MADE = HEAD + "TOOL = Tool({name!r}, 'x', Arguments, lambda c, a: ToolResult(ok=True), Effect.{effect}{more})\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example's folder, started in."""
    folder = tmp_path / "here"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as there:
        yield there


@pytest.fixture
def installed(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example's package, as an installer leaves it; returns the folder that it is installed in."""
    site = tmp_path / "site"
    shutil.copytree(here / "package" / "word_tools", site / "word_tools")
    project = tomllib.loads((here / "package" / "pyproject.toml").read_text())["project"]
    offered = "\n".join(f"{k} = {v}" for k, v in project["entry-points"]["echelon.tools"].items())
    dist = site / "word_tools-1.0.dist-info"
    dist.mkdir()
    (dist / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    (dist / "entry_points.txt").write_text(f"[echelon.tools]\n{offered}\n")
    monkeypatch.syspath_prepend(str(site))
    return site


def given(name: str, role: str = "implementor", **more: Any) -> JobConfig:
    return load_config(CONFIGS, "plain", {f"tools.{role}.core": [name], **more})


def test_the_example_runs_with_both_tools(here: Path, installed: Path, jobs: Service, tmp_path: Path) -> None:
    seen_by: dict[str, set[str]] = {}

    def script(seen: Seen) -> Reply:
        seen_by.setdefault(seen.role, set()).update({"count_words", "longest_word"} & set(seen.tools))
        if seen.phase == "implement" and seen.todo is None and "words" not in str(seen.last.get("data")):
            if seen.last_tool != "longest_word":
                return call("longest_word", text="a long sentence of few words")
            return call("count_words", path="output/result-1.md")
        return willing(seen)

    model = register(script, "counted")
    source = tmp_path / "wishes.md"
    source.write_text("# Wishes\n\nWrite two results.\n")
    overrides = {"tools.implementor.core": ["count_words", "longest_word"]}
    job = jobs.submit("counted.yaml", [source], "Write the results.", "scripted/counted", overrides)
    done = jobs.run(job)
    assert done.state == "completed", done.reason
    results = [m.content for request in model.asked for m in request.messages if m.role == "tool"]
    assert any("The longest word is 'sentence'." in text for text in results)
    assert any("output/result-1.md has" in text and '"words": 35' in text for text in results), results[-3:]
    assert seen_by["Implementor"] == {"count_words", "longest_word"}
    assert (seen_by["QA"], seen_by["TaskPlanner"]) == ({"count_words"}, set())
    kept = JobConfig.model_validate(jobs.store.job(job).config.config).own_tools
    assert kept == {"count_words": str(here / "tools" / "count_words.py"), "longest_word": "word_tools:LONGEST_WORD"}


def test_only_what_is_named_is_loaded(here: Path) -> None:
    (here / "tools" / "other.py").write_text("raise SystemExit('loaded')\n")
    (here / "tools" / "read_file.py").write_text("raise SystemExit('loaded')\n")
    assert set(with_own_tools(given("count_words")).own_tools) == {"count_words"}
    assert with_own_tools(given("read_file")).own_tools == {}, "none stands in for one of ours"
    place = {"read_file": str(here / "tools" / "read_file.py")}
    assert with_own_tools(given("read_file", own_tools=place)).own_tools == {}
    assert "read_file" in all_tools()


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("mine", "x = 1\n", "holds no tool 'mine'"),
        ("mine", MADE.format(name="another", effect="READ", more=""), "holds no tool 'mine'"),
        ("mine", "import nothing_like_that\n", "cannot be used: ModuleNotFoundError: No module named"),
        ("mine", "TOOL = (\n", "cannot be used: SyntaxError"),
        ("mine", MADE.format(name="mine", effect="READ", more=", ends=True"), "ends no phase"),
        ("mine", MADE.format(name="mine", effect="READ", more=", apply=print"), "changes no state"),
        ("mine", MADE.format(name="mine", effect="READ", more=", in_step=False"), "works and returns"),
        ("submit_mine", MADE.format(name="submit_mine", effect="READ", more=""), "no name of a gate"),
        ("todo_mine", MADE.format(name="todo_mine", effect="READ", more=""), "no name of a gate"),
        ("mine__too", MADE.format(name="mine__too", effect="READ", more=""), "no name of a gate"),
    ],
)
def test_what_is_wrong_with_it_is_one_sentence(here: Path, jobs: Service, name: str, text: str, says: str) -> None:
    (here / "tools" / f"{name}.py").write_text(text)
    (here / "a.md").write_text("# A\n\nText.\n")
    register({}, "test")
    with pytest.raises(UserError, match=says) as caught:
        jobs.submit("plain", [here / "a.md"], None, "scripted/test", {"tools.implementor.core": [name]})
    assert str(caught.value).count("\n") == 0
    assert not jobs.has_store or not jobs.store.all_jobs()


@pytest.mark.parametrize("effect", ["READ", "IDEMPOTENT", "ONCE"])
@pytest.mark.parametrize("role", ["qa", "assessor", "task_planner", "scope_agent", "implementor"])
def test_who_only_looks_gets_no_tool_that_does_more(here: Path, role: str, effect: str) -> None:
    (here / "tools" / "mine.py").write_text(MADE.format(name="mine", effect=effect, more=""))
    if effect == "READ" or role == "implementor":
        assert "mine" in with_own_tools(given("mine", role)).own_tools
    else:
        with pytest.raises(UserError, match=f"The role '{role}' only reads"):
            with_own_tools(given("mine", role))


def test_a_file_that_was_changed_is_read_anew_and_one_that_is_gone_is_said(here: Path) -> None:
    path = here / "tools" / "mine.py"
    path.write_text(MADE.format(name="mine", effect="READ", more=""))
    places = with_own_tools(given("mine")).own_tools
    assert tools_of(places)["mine"] is tools_of(places)["mine"]
    path.write_text(MADE.format(name="mine", effect="ONCE", more=""))
    assert tools_of(places)["mine"].effect == "once"
    path.unlink()
    with pytest.raises(UserError, match=r"'mine' is not in .* any more"):
        tools_of(places)


def test_two_packages_with_one_name_are_none(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("longest_word") == "word_tools:LONGEST_WORD"
    other = tmp_path / "other" / "more_words-1.0.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: more-words\nVersion: 1.0\n")
    (other / "entry_points.txt").write_text("[echelon.tools]\nlongest_word = more_words:IT\n")
    monkeypatch.syspath_prepend(str(other.parent))
    with pytest.raises(UserError, match="Several packages offer a tool 'longest_word'"):
        found("longest_word")


def test_a_folder_stands_before_a_package_and_strange_names_are_none(installed: Path, here: Path) -> None:
    (here / "tools" / "longest_word.py").write_text(MADE.format(name="longest_word", effect="READ", more=""))
    assert found("longest_word") == str(here / "tools" / "longest_word.py")
    assert [found(name) for name in ("../count_words", "nobody_has_it", "a b", "")] == [None] * 4
