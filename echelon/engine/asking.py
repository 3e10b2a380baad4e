"""One paid model call: reserved, made once, counted, charged.

What a call cost is counted here: the prompt and the answer in tokens, at the price that is known. What a server reports
may only raise that. A request whose answer was lost (a kill, a time-out, an answer that nobody can read) is charged
with all that it may have cost, and is not made again where the budget has no room for it.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from echelon.engine import prompts
from echelon.engine.budget import Amounts
from echelon.engine.context.cut import prompt_tokens, text_tokens
from echelon.engine.messages import Answer, Message, ModelRequest, Usage
from echelon.engine.models.chain import names_in
from echelon.engine.models.model import Model
from echelon.engine.models.tally import Tally, counting
from echelon.engine.run import Run, Where
from echelon.engine.tracing import Told
from echelon.engine.words import speaking
from echelon.errors import LimitReached
from echelon.settings import ModelSettings
from echelon.tokens import cost_of


def ask(run: Run, model: Model, request: ModelRequest, name: str, where: Where) -> Answer:
    """The answer to `request`, a durable step called `name`.

    Raises LimitReached when it does not fit into the budget, ModelUnavailable when there is no answer to be had.
    """
    needed = most_of(request, model.name, run.config.model_settings)
    path = run.trace_path(run.number + 1, name).with_suffix(".tries")
    tally = Tally(path, lambda lost: run.budget.check(times(needed, lost)) if lost else None)

    number = run.number + 1

    def work() -> dict[str, Any]:
        prompts.keep(run, request, number)
        try:
            with counting(tally), speaking(run.job):
                answer = counted(model.answer(request), request, model.name, run.config.model_settings)
        except LimitReached as limit:
            return {"ok": False, "limit": limit.as_dict(), "usage": lost(needed, tally.count).model_dump()}
        usage = with_lost(answer.usage, lost(needed, max(0, tally.count - 1)))
        by = answer.model or model.name
        return answer.model_copy(update={"usage": usage, "model": by}).model_dump(mode="json")

    asked = sha256(f"{model.name}\n{request.model_dump_json()}".encode()).hexdigest()
    with run.budget.reserve(needed):
        recorded = run.step("model", name, work, asked, where, _told(request, model.name))
    path.unlink(missing_ok=True)
    if "limit" in recorded:
        run.charge(Usage.model_validate(recorded["usage"]))
        raise LimitReached(**recorded["limit"])
    answer = Answer.model_validate(recorded)
    run.charge(answer.usage)
    return answer


def _told(request: ModelRequest, model: str) -> Told:
    """What a trace says of a call."""
    provider, _, name = model.rpartition("/")
    values = {
        "gen_ai.provider.name": provider or "echelon", "gen_ai.request.model": name,
        "gen_ai.request.max_tokens": request.max_output_tokens,
        **({} if request.temperature is None else {"gen_ai.request.temperature": request.temperature}),
    }  # fmt: skip
    return Told(values, lambda: {"gen_ai.input.messages": json.dumps([_said(m) for m in request.messages])})


def _said(message: Message) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"type": "text", "content": message.content}] if message.content else []
    parts += [{"type": "tool_call", "id": c.id, "name": c.name, "arguments": c.arguments} for c in message.calls]
    return {"role": message.role, "parts": parts}


def most_of(request: ModelRequest, model: str, settings: ModelSettings) -> Amounts:
    """The most that a call can take: the prompt, the longest answer, and both at their price where it is known."""
    prompt, longest = prompt_tokens(request), request.max_output_tokens
    dearest = max(cost_of(name, settings, prompt, longest) for name in names_in(model) or (model,))
    return Amounts(model_calls=1, tokens=prompt + longest, cost=dearest)


def counted(answer: Answer, request: ModelRequest, model: str, settings: ModelSettings) -> Answer:
    """The answer with what it cost at least: what is counted here, or what was reported where that is more."""
    said = text_tokens(answer.text) + sum(text_tokens(c.name) + text_tokens(c.arguments) for c in answer.calls)
    reported = answer.usage
    prompt = max(reported.prompt_tokens, prompt_tokens(request))
    completion = max(reported.completion_tokens, said)
    cost = max(reported.cost, cost_of(answer.model or model, settings, prompt, completion, reported.cached_tokens))
    usage = reported.model_copy(update={"prompt_tokens": prompt, "completion_tokens": completion, "cost": cost})
    return answer.model_copy(update={"usage": usage})


def lost(needed: Amounts, calls: int) -> Usage:
    """What `calls` requests without an answer may have cost. Their tokens count as prompt and answer together."""
    return Usage(calls=calls, prompt_tokens=needed.tokens * calls, cost=needed.cost * calls)


def with_lost(usage: Usage, gone: Usage) -> Usage:
    """Both together."""
    return usage.model_copy(
        update={
            "calls": usage.calls + gone.calls,
            "prompt_tokens": usage.prompt_tokens + gone.prompt_tokens,
            "cost": usage.cost + gone.cost,
        }
    )


def times(needed: Amounts, calls: int) -> Amounts:
    """What so many calls take."""
    return Amounts(model_calls=calls * needed.model_calls, tokens=calls * needed.tokens, cost=calls * needed.cost)
