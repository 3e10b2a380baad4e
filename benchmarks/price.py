"""What a creator job costs with a model that does what its prompts say: calls and prompt tokens a page, and F1.

    python -m benchmarks.price [--short]

The model is the playbook behind an OpenAI-compatible server, one tool call an answer; the document is ASVS 4.0.3 of
`../shared` (`--short`: the sample policy). The figures are those of the ledger, which `echelon cost` adds up. Prints one
JSON line; exits with 1 when a bar does not hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.oracle import text_sets
from tests.support.chat_server import ChatServer
from tests.support.scripted import service
from tests.support.served_playbook import Scripted

CALLS, TOKENS = 0.35, 1_500
"""Bars: model calls and prompt tokens a page."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="the sample policy, without bars")
    given = parser.parse_args()
    name = "policy" if given.short else "asvs"
    gold = next(text_sets([name]), None)
    if gold is None:
        print(json.dumps({"benchmark": "price", "skipped": "the document is not there"}))
        return 0
    answers = Scripted(0, ())
    with (
        tempfile.TemporaryDirectory() as folder,
        ChatServer(answers) as server,
        service(Path(folder), OPENAI_API_KEY="any", OPENAI_BASE_URL=server.base_url) as jobs,
    ):
        done = jobs.run(jobs.submit("creator", [gold.path], model="openai/local"))
        value = json.loads((done.folder / "output" / "requirements.json").read_text(encoding="utf-8"))
    pages = len(gold.document.pages)
    spent = done.spent
    calls, tokens = spent["model_calls"] / pages, spent["prompt_tokens"] / pages
    figures = {
        "benchmark": "price", "set": name, "state": str(done.state), "pages": pages, "calls": spent["model_calls"],
        "prompt_tokens": spent["prompt_tokens"], "calls_a_page": round(calls, 3), "bar_calls": CALLS,
        "prompt_tokens_a_page": round(tokens), "bar_tokens": TOKENS,
        "f1": round(gold.f1([r["text"] for r in value["requirements"]]), 4), "review": value.get("review"),
    }  # fmt: skip
    print(json.dumps(figures))
    return 0 if given.short or (done.state == "completed" and calls <= CALLS and tokens <= TOKENS) else 1


if __name__ == "__main__":
    sys.exit(main())
