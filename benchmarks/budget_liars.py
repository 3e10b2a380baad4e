"""Ceilings against servers that report nonsense and answers that get lost: `python benchmarks/budget_liars.py [--short]`.

Each run asks until its ceiling stops it, of a server that reports nothing, 0, less than nothing, or far too much, sends
what nobody can read, or answers a process that is gone. Overshoot is measured at the server: requests that arrived, and
tokens that went in and out. Bars: 0 calls, and at most the tokens of one call.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.hostile.wire import Completion, HostileServer, Http, Reply
from echelon.engine import durable
from echelon.engine.asking import ask, most_of
from echelon.engine.messages import Answer, Message, ModelRequest
from echelon.engine.models.langchain import openai_model
from echelon.engine.run import Run, Where
from echelon.errors import Halted, LimitReached, ModelUnavailable
from echelon.service.service import Service
from echelon.settings import Environment
from echelon.store.records.jobs import Settings
from echelon.tokens import count_tokens
from tests.support.scripted import service

REQUEST = ModelRequest(messages=(Message(role="user", content="Tell me more of it. " * 30),), max_output_tokens=120)
PRICE = 10.0
MOST_ASKED = 60
USAGES: dict[str, Any] = {
    "missing": None, "zero": 0, "negative": -5_000_000, "no number": float("nan"), "too long": 10**30, "one": 1,
    "huge": 40_000, "in words": "12", "of 64 bits": 2**63, "true": True, "a list": [7], "infinite": float("inf"),
    "half": 12.5, "an object": {"total": 1},
}  # fmt: skip
DETAILS: dict[str, Any] = {
    "all cached": {"cached_tokens": 10**9}, "less than nothing cached": {"cached_tokens": -(10**9)}, "no details": "none",
}  # fmt: skip
"""With honest numbers, what is said of a part of them."""
LOST: dict[str, Reply] = {
    "unreadable": Http(200, b'{"choices": ['), "packed": Http(200, b"\x1f\x8b", {"Content-Encoding": "gzip"}),
    "no choices": Http(200, b'{"choices": [], "usage": {"prompt_tokens": 0}}'),
}  # fmt: skip
"""Answers that may have been paid and are lost. One that says itself that nothing was done (503, a redirect) is free."""
CUT_OFF = "cut off"


class Killed(BaseException):
    """A kill, as the process itself sees it: nothing after it runs."""


class Liar:
    """A server's ways in one run; `tokens` is what really went in and out."""

    def __init__(self, seed: int) -> None:
        self._random, self.tokens, self.way = random.Random(seed), 0, ""

    def brain(self, _body: dict[str, Any]) -> Completion:
        """The next answer, with a usage that may be a lie."""
        self.way = self._random.choice([*USAGES, *DETAILS, *LOST, CUT_OFF, "honest"])
        text = "word " * self._random.randint(1, 100)
        prompt, said = count_tokens(REQUEST.messages[0].content), count_tokens(text)
        self.tokens += prompt + said
        good: Completion = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        if self.way != "missing":
            number = USAGES.get(self.way, said)
            good["usage"] = {"prompt_tokens": number if self.way in USAGES else prompt, "completion_tokens": number}
        if self.way in DETAILS:
            good["usage"]["prompt_tokens_details"] = DETAILS[self.way]
        return good

    def behaviour(self, good: Completion) -> Reply:
        """What is sent."""
        return LOST.get(self.way, good)


class Asking:
    """A job that asks until it may not, and goes on after every interruption."""

    def __init__(self, jobs: Service, number: int, liar: Liar, address: str, ceiling: dict[str, Any]) -> None:
        prices = {"model_settings.input_price": PRICE, "model_settings.output_price": PRICE}
        self.jobs, self.job, self.liar = jobs, f"liar-{number}", liar
        settings = {**prices, "model_settings.attempts": 2, **ceiling}
        self.config = jobs.configuration("plain", "playbook/creator", settings)
        self.folder = jobs.environment.home / "jobs" / self.job
        jobs.store.add_job(self.job, "plain", "", Settings(), str(self.folder))
        environment = Environment({"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": address})
        self.model = openai_model("liar", self.config.model_settings, environment, lambda _: None)
        self.name = self.model.name
        self.stopped = False

    def answer(self, request: ModelRequest) -> Answer:
        """The model's answer, unless the process is killed before it is written down."""
        found = self.model.answer(request)
        if self.liar.way == CUT_OFF:
            raise Halted(Killed())
        return found

    def work(self) -> None:
        """Ask until the ceiling, through any number of interruptions."""
        durable.launch(self.jobs.store, self._body)
        for _ in range(MOST_ASKED * 3):
            try:
                durable.run(self.job, 1, {})
                return
            except (ModelUnavailable, Killed):
                continue

    def _body(self, job: str, _segment: int, _given: dict[str, Any]) -> dict[str, Any]:
        run = Run(job, self.folder, self.config, self.jobs.store, self.jobs.environment)
        try:
            for _ in range(MOST_ASKED):
                ask(run, self, REQUEST, "model", Where())
        except LimitReached:
            self.stopped = True
        return {}


def overshoot(jobs: Service, number: int) -> tuple[str, float, float, bool]:
    """(ceiling, calls beyond it, calls' worth of tokens beyond it, whether it stopped the run)."""
    rng = random.Random(f"ceiling {number}")
    needed = most_of(REQUEST, "openai/liar", jobs.configuration("plain", "playbook/creator", None).model_settings)
    calls = rng.randint(2, 12)
    ceiling: dict[str, Any] = [
        {"budget.model_calls": calls}, {"budget.tokens": calls * needed.tokens},
        {"budget.cost": calls * needed.tokens * PRICE / 1e6},
    ][number % 3]  # fmt: skip
    liar = Liar(number)
    server = HostileServer(liar.brain, liar.behaviour, every=1)
    with server.running() as address:
        asking = Asking(jobs, number, liar, address, ceiling)
        asking.work()
    ((limit, most),) = ceiling.items()
    if limit == "budget.model_calls":
        return limit, max(0, server.requests - most), 0.0, asking.stopped
    tokens = most if limit == "budget.tokens" else most * 1e6 / PRICE
    return limit, 0.0, max(0.0, liar.tokens - tokens) / needed.tokens, asking.stopped


def main(arguments: list[str]) -> int:
    """All runs; 30 with --short."""
    runs = 30 if "--short" in arguments else 300
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        found = [overshoot(jobs, number) for number in range(runs)]
    figure = {
        "benchmark": "budget liars", "runs": runs, "stopped by the ceiling": sum(f[3] for f in found),
        "calls beyond": max(f[1] for f in found), "calls' tokens beyond": round(max(f[2] for f in found), 3),
        "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip
    print(json.dumps(figure))
    return 0 if all(f[1] == 0 and f[2] <= 1 for f in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
