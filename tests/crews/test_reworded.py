"""The words of a prompt are no protocol: with every heading put in other words a playbook still completes its job."""

from __future__ import annotations

import re
from pathlib import Path

from echelon.tasks.prompts import FOLDER
from tests.support.scripted import service

SAMPLE = Path(__file__).parents[2] / "knowledge" / "records-retention-policy-2pages.pdf"
_WORDS = re.compile(r"[A-Za-z]{3,}")


def reworded(text: str) -> str:
    """A template with every word of its own turned round; what Jinja reads stays."""
    parts = re.split(r"(\{\{.*?\}\}|\{%.*?%\})", text, flags=re.DOTALL)
    return "".join(p if p.startswith("{") else _WORDS.sub(lambda m: m[0][::-1], p) for p in parts)


def test_a_playbook_completes_its_job_with_prompts_in_other_words(tmp_path: Path) -> None:
    for path in FOLDER.glob("*.md"):
        (tmp_path / path.name).write_text(reworded(path.read_text(encoding="utf-8")), encoding="utf-8")
    with service(tmp_path) as jobs:
        job = jobs.submit("creator", [SAMPLE], overrides={"prompt_folder": str(tmp_path)})
        result = jobs.run(job)
        handed_on = jobs.run(jobs.submit("validator", [], overrides={"prompt_folder": str(tmp_path)}))
    assert (result.state, handed_on.state) == ("completed", "completed")
    assert result.figures["requirements"] > 5
