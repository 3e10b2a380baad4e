"""What roles of the coder job are shown: the planner facts, the Implementor the places and how to work, QA the change."""

from __future__ import annotations

from collections.abc import Sequence

from echelon.crews.coder import looking, tree
from echelon.crews.coder.proving import proof
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace

DIFF, DIFF_GUIDED = 8_000, 2_500
"""Characters of the change that a prompt shows."""
CODE = 2
"""Places whose code the Implementor is shown."""
HOW = """How to work on the repository (paths are relative to it, such as {example}):
- read_code shows a file with line numbers, search_code finds lines, list_code finds files.
- edit_code replaces lines, create_code writes a new file; the other tools are for moving, deleting, patches and commands.
- run_tests runs the tests on a copy. Proven means: a test fails without the change and passes with it, and no other fails.
- Tests that stand there stay as they are; a new test goes into a test file. Settings of the test runner are not touched.
- output/changes.patch is written by code from what you change.
Do the CURRENT todo with a tool, then call todo_complete."""
HOW_GUIDED = """Change the code with edit_code: path (such as {example}), old (the lines as they stand, no numbers), new.
Then call run_tests. When they pass, call todo_complete. Tests stay as they are."""

HOW_SEARCHED = """Call search_repair once: it tries small changes until the failing tests pass, and says what it found.
Then call todo_complete."""


def facts(run: Run, workspace: Workspace) -> tuple[str, ...]:
    """What code sees before a task is planned: the tests, the places, the change so far and what it proves."""
    before = proof.run_before(run, workspace)
    out = looking.tests_said(before)
    if places := looking.place_lines(looking.places_of(workspace)):
        out.append(f"likely places: {'; '.join(places)}")
    changed = tree.changed_paths(workspace, tree.base_of(workspace))
    if changed:
        after = proof.run_after(run, workspace)
        proven = proof.proven_by(before, after)
        out.append(f"changed so far: {', '.join(changed[:20])}")
        out.append(f"tests after the change: {after.report.sentence()}")
        out.append(f"fails without the change and passes with it: {', '.join(proven[:5]) or 'no test'}")
    else:
        out.append("nothing in the repository was changed yet")
    return tuple(out)


def brief(run: Run, workspace: Workspace, works: Sequence[str]) -> str:
    """What the Implementor works with; for a task that only searches nothing but that, and that only where it is led."""
    if only_searches(works):
        return HOW_SEARCHED if run.config.is_guided else ""
    guided, places = run.config.is_guided, looking.places_of(workspace)
    example = next(iter(p.path for p in places.files), "src/app.py")
    parts = [(HOW_GUIDED if guided else HOW).format(example=f"'{example}'"), *_state(run, workspace)]
    if lines := looking.place_lines(places, 1 if guided else looking.NAMED):
        parts.append("Likely places, best first:\n" + "\n".join(f"- {line}" for line in lines))
    code = [looking.code_of(workspace, place) for place in places.functions[: 1 if guided else CODE]]
    parts += [f"As it stands, {text}" for text in dict.fromkeys(code) if text]
    return "\n\n".join(parts)


def only_searches(works: Sequence[str]) -> bool:
    """Whether a task is nothing but the search for a change by trial."""
    return list(works) == ["repair"]


def _state(run: Run, workspace: Workspace) -> list[str]:
    """The tests as they are now, and the first failure in full."""
    if tree.changed_paths(workspace, tree.base_of(workspace)):
        now, says = proof.run_after(run, workspace), "Tests with the change so far"
    else:
        now, says = proof.run_before(run, workspace), "Tests as they are"
    if not now.ran:
        return ["The repository has no tests: the change must bring one that fails without it."]
    failure = looking.first_failure(now)
    return [f"{says}: {now.report.sentence()}."] + ([f"First failure: {failure}"] if failure else [])


def change(run: Run, workspace: Workspace) -> str:
    """The change as QA is shown it: what tests say before and after, what proves it, and the diff."""
    before, patch = proof.run_before(run, workspace), tree.diff(workspace)
    if not patch:
        return "Nothing in the repository was changed."
    after = proof.run_after(run, workspace)
    most = DIFF_GUIDED if run.config.is_guided else DIFF
    cut = "" if len(patch) <= most else f"\n[{len(patch) - most} characters more in output/changes.patch]"
    lines = [
        f"Tests before the change: {before.report.sentence() if before.ran else 'there were none'}.",
        f"Tests with it: {after.report.sentence()}.",
        f"Fails without it and passes with it: {', '.join(proof.proven_by(before, after)[:5]) or 'no test'}.",
        "Does the change do what was asked for, for every value and not only for those of the tests, and nothing else?",
        "The change, from the sources as they were:",
    ]
    return "\n".join([*lines, patch[:most] + cut])
