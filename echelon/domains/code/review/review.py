"""All findings of a change."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from echelon.domains.code.map.languages import find_tests, language_of
from echelon.domains.code.review.findings import FileChange, Finding, changes_between
from echelon.domains.code.review.hidden_values import values_elsewhere
from echelon.domains.code.review.leftovers import leftover_findings
from echelon.domains.code.review.meddling import meddling, meddling_elsewhere, shadowing
from echelon.domains.code.review.runner_rules import runner_findings
from echelon.domains.code.review.shapes import Renames, defined_names
from echelon.domains.code.review.source_rules import source_findings, table_findings, test_literals
from echelon.domains.code.review.test_rules import test_findings


def review(
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    *,
    request: str = "",
    expected: Collection[str] = (),
    ran: Collection[str] = (),
    data: Collection[str] = (),
) -> list[Finding]:
    """What is wrong with the change from `before` to `after` (path to content), in order of the paths.

    `expected` are the files that the task is about; with it, a change of any other existing file is a finding. `ran` are
    files in which tests were found, `data` files that only tests opened, when they were run before.
    """
    changes = changes_between(before, after)
    tests = find_tests([*before, *after]) | {path for path in ran if path in before or path in after}
    folders = {path.rpartition("/")[0] for path in tests} - {""}
    old, new = _texts(before), _texts(after)
    renames = Renames(
        gone=defined_names(old, tests) - defined_names(new, tests),
        came=defined_names(new, tests) - defined_names(old, tests),
    )
    literals = test_literals(text for path, text in new.items() if path in tests)
    named = "\n".join(
        line for c in changes if c.path not in tests for _, line in c.added_lines() if c.path.endswith(".py")
    )
    said = "\n".join(data_.decode("utf-8", "replace") for path, data_ in after.items() if path in tests)
    out: list[Finding] = []
    for change in changes:
        if _is_data_of_tests(change, old, tests) or (change.path in data and _is_read_by_tests(change, old, tests)):
            says = "what tests hold results against was changed; put it back."
            out.append(Finding(path=change.path, line=1, rule="changed-test-data", says=says))
        if _is_test(change.path, tests, folders):
            out += test_findings(change, renames)
            out += [each for each in leftover_findings(change, request + " print") if each.rule != "secret"]
        else:
            if change.path.endswith(".py"):
                out += (
                    [*source_findings(change, literals, request), *meddling(change)] if change.after is not None else []
                )
            elif change.after is not None:
                out += table_findings(change, literals, request, named)
                if language_of(change.path):
                    out += [*values_elsewhere(change, said, request), *meddling_elsewhere(change)]
            out += leftover_findings(change, request)
            out += _unrelated(change, expected)
        out += [*runner_findings(change), *shadowing(change.path, before)]
    return sorted(dict.fromkeys(out), key=lambda each: (each.path, each.line))


def _is_test(path: str, tests: frozenset[str], folders: set[str]) -> bool:
    """A test, or data that lies in a folder of tests."""
    return path in tests or any(path.startswith(f"{folder}/") for folder in folders if _is_folder_of_tests(folder))


_DATA_FOLDERS = frozenset(
    {"fixtures", "testdata", "test_data", "golden", "goldens", "snapshots", "__snapshots__", "expected"}
)


def _is_data_of_tests(change: FileChange, texts: Mapping[str, str], tests: Collection[str]) -> bool:
    """Whether an existing file that is no code belongs to the tests: by its folder, or as only they name it."""
    if change.before is None or change.path.endswith((".py", ".md", ".rst")) or change.path in tests:
        return False
    *folders, name = change.path.split("/")
    if not _DATA_FOLDERS.isdisjoint(folders):
        return True
    naming = {path for path, text in texts.items() if name in text}
    return bool(naming) and naming <= set(tests)


def _is_read_by_tests(change: FileChange, texts: Mapping[str, str], tests: Collection[str]) -> bool:
    """Whether an existing file that tests opened is theirs alone: no source names its folder, or it without one."""
    if change.before is None or change.path.endswith((".py", ".md", ".rst", ".toml", ".cfg")):
        return False
    folder, _, name = change.path.rpartition("/")
    word = re.compile(rf"\b{re.escape(folder.rpartition('/')[2] or name.partition('.')[0])}\b")
    return not any(word.search(text) for path, text in texts.items() if path not in tests)


def _is_folder_of_tests(folder: str) -> bool:
    return any(part in ("test", "tests", "testing", "__tests__") for part in folder.split("/"))


def _unrelated(change: FileChange, expected: Collection[str]) -> Sequence[Finding]:
    if not expected or change.before is None or change.path in expected:
        return []
    says = "this file has nothing to do with the task; put it back, or name it in the plan."
    return [Finding(path=change.path, line=0, rule="unrelated", says=says)]


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: data.decode("utf-8", "replace") for path, data in files.items() if path.endswith(".py")}
