"""What the coder job delivers: the patch, a summary, a report for reading."""

from __future__ import annotations

import html

from echelon.crews.coder import tree
from echelon.crews.coder.branch import NAME, make_branch
from echelon.crews.coder.looking import places_of
from echelon.crews.coder.proving import proof
from echelon.crews.coder.searching import search_told
from echelon.domains.code.running.report import Comparison, compare
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically

PATCH, SUMMARY, REPORT = "output/changes.patch", "output/summary.md", "output/report.html"
FILES = (PATCH, SUMMARY, REPORT)
MOST_NAMED = 10


def write(run: Run, workspace: Workspace) -> None:
    """Write the results as things stand, and the branch in the clone. Runs again without harm."""
    patch = tree.diff(workspace)
    if patch:
        write_atomically(workspace.root / PATCH, patch)
    else:
        (workspace.root / PATCH).unlink(missing_ok=True)
    text = _summary(run, workspace)
    write_atomically(workspace.root / SUMMARY, text)
    write_atomically(workspace.root / REPORT, _page(text, patch))
    make_branch(workspace, run.job)


def clear(workspace: Workspace) -> None:
    """Take away what speaks of a change that is not there any more."""
    for path in FILES:
        (workspace.root / path).unlink(missing_ok=True)


def is_current(workspace: Workspace) -> bool:
    """Whether the patch is there and says what was changed."""
    file = workspace.root / PATCH
    return file.is_file() and file.read_text(encoding="utf-8") == tree.diff(workspace)


def _summary(run: Run, workspace: Workspace) -> str:
    changed = tree.changed_paths(workspace, tree.base_of(workspace))
    request = (workspace.root / "instructions.md").read_text(encoding="utf-8").partition("\n")[2].strip()
    lines = [f"# Summary of {run.job}", "", "## Asked for", "", request, ""]
    lines += ["## Changed", "", *(f"- {path}" for path in changed[:50])] if changed else ["Nothing was changed.", ""]
    search = search_told(workspace)
    if search is not None:
        lines += ["", search.says]
    lines += ["", "## Proof", "", *_proof(run, workspace, bool(changed))]
    lines += ["", "## Left", "", *_left(run, workspace, bool(changed)), "", "## Places", "", *_places(workspace)]
    if changed:
        lines += [
            "",
            f"`git apply` takes changes.patch; the branch {NAME.format(job=run.job)} is in the clone beside it.",
        ]
    return "\n".join(lines) + "\n"


def _proof(run: Run, workspace: Workspace, is_changed: bool) -> list[str]:
    if not (workspace.root / proof.BEFORE).is_file():
        return ["The tests were not run."]
    before = proof.run_before(run, workspace)
    lines = [f"- before: {before.report.sentence() if before.ran else 'the repository has no tests'}"]
    if is_changed:
        after = proof.run_after(run, workspace)
        found: Comparison = compare(before.report, after.report)
        proven = proof.proven_by(before, after)
        failed = set(before.report.failed)
        lines.append(f"- after: {after.report.sentence()}")
        lines += [f"- passes now, failed before: {name}" for name in proven if name in failed][:MOST_NAMED]
        lines += [f"- fails without the change: {name}" for name in proven if name not in failed][:MOST_NAMED]
        lines += [f"- known failure, as before: {name}" for name in found.still_failing[:MOST_NAMED]]
    return lines


def _left(run: Run, workspace: Workspace, is_changed: bool) -> list[str]:
    if not is_changed:
        return ["- The request itself: no change was made."]
    left = [f"- {fault}" for fault in proof.faults(run, workspace)]
    search = search_told(workspace)
    if search is not None and search.path:
        left.append("- The change was found by search and is proven by the tests alone: read it before you merge it.")
    return left or ["- Nothing that code could see."]


def _places(workspace: Workspace) -> list[str]:
    places = places_of(workspace)
    return [f"- {p.path}:{p.first} {p.name} ({'; '.join(p.reasons[:2])})" for p in places.functions[:5]] or ["- none"]


_STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto}"
    "pre{background:#f6f6f6;padding:1em;overflow:auto}.a{color:#060}.d{color:#900}"
)


def _page(summary: str, patch: str) -> str:
    colours = {"+": "a", "-": "d"}
    lines = [
        f'<span class="{colours[line[:1]]}">{html.escape(line)}</span>' if line[:1] in colours else html.escape(line)
        for line in patch.splitlines()
    ]
    body = "\n".join(lines) or "Nothing was changed."
    return (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Change</title><style>{_STYLE}</style>'
        f"<pre>{html.escape(summary)}</pre><h2>Change</h2><pre>{body}</pre></html>\n"
    )
