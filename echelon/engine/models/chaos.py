"""A model that is broken on purpose, to prove that a job survives it.

`chaos(model, rates, seed)` wraps any model. Whether a call is broken, and how, depends on the seed and the number of
the call alone, so that a run can be repeated and a resumed job meets the same faults. By name:
`chaos/malformed=0.1,early_done=0.05,seed=7/openai/<name>`, or `chaos/all=0.1,seed=7/playbook/creator`.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from echelon.engine.messages import Answer, ModelRequest, ToolCall, ToolSchema
from echelon.engine.models.model import Factory, Model
from echelon.engine.models.retry import Retries, TransientFailure
from echelon.errors import UnknownName, UserError
from echelon.settings import Environment, ModelSettings

FAULTS = (
    "malformed", "list_arguments", "unknown_tool", "repeated", "empty", "early_done", "false_verdict", "failure",
    "slow", "over_long",
)  # fmt: skip
"""What can be broken; an answer has one fault at most."""
HARMS = ("spoil",)
"""What no check of the form sees: a worker that throws away what it has found. Only by name, never by `all`."""

SLOW_SECONDS = 0.05
OVER_LONG_CHARACTERS = 40_000
ENDS = ("submit_", "job_complete")


class ChaosModel:
    """`model` with faults. `rates` are shares of the calls, by fault; together at most 1."""

    def __init__(
        self,
        model: Model,
        rates: Mapping[str, float],
        seed: int,
        attempts: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name, self.broken = f"chaos/{model.name}", 0
        self._model, self._rates, self._seed, self._sleep = model, dict(rates), seed, sleep
        self._retries = Retries(self.name, attempts, 60.0, sleep=sleep)

    def fault(self, number: int) -> str | None:
        """The fault of call `number`, None for a call that is left alone."""
        draw = random.Random(f"{self._seed}:{number}").random()
        for name in (*FAULTS, *HARMS):
            draw -= self._rates.get(name, 0.0)
            if draw < 0:
                return name
        return None

    def answer(self, request: ModelRequest) -> Answer:
        """The answer of the wrapped model, broken or not."""
        fault = self.fault(request.number)
        self.broken += fault is not None
        if fault == "failure":
            return self._after_failure(request)
        if fault == "slow":
            self._sleep(SLOW_SECONDS)
        return _BREAK.get(fault or "", _unbroken)(request, self._model.answer(request))

    def _after_failure(self, request: ModelRequest) -> Answer:
        """The first try fails with 429 or 500, inside the layer that tries again; the second reaches the model."""
        pick = random.Random(f"{self._seed}:{request.number}:status")
        failures = [TransientFailure(f"the server answered with status {pick.choice((429, 500))}", retry_after=0.0)]

        def attempt() -> Answer:
            if failures:
                raise failures.pop()
            return self._model.answer(request)

        return self._retries.run(attempt)


def chaos(model: Model, rates: Mapping[str, float], seed: int) -> ChaosModel:
    """`model`, broken at `rates`. Raises UnknownName for a fault that does not exist, UserError for rates above 1."""
    _check(rates)
    return ChaosModel(model, rates, seed)


def _check(rates: Mapping[str, float]) -> None:
    for name in rates:
        if name not in (*FAULTS, *HARMS):
            raise UnknownName("fault", name, [*FAULTS, *HARMS, "all"])
    if not (all(rate >= 0 for rate in rates.values()) and sum(rates.values()) <= 1 + 1e-9):  # nan fits neither
        raise UserError("The rates of the faults are shares of the calls: none below 0, and together at most 1.")


def chaos_model(rest: str, settings: ModelSettings, environment: Environment, open_model: Factory) -> ChaosModel:
    """The model of `<fault>=<rate>,...,seed=<n>/<name of the model that is broken>`. Raises UserError."""
    faults, slash, inner = rest.partition("/")
    if not slash or not inner:
        raise UserError(f"'chaos/{rest}' names no model to break; write chaos/malformed=0.1,seed=7/playbook/creator.")
    rates, seed = parsed_rates(faults)
    _check(rates)
    return chaos(open_model(inner, settings, environment), rates, seed)


def parsed_rates(text: str) -> tuple[dict[str, float], int]:
    """Rates by fault and the seed (0 by default) of `malformed=0.1,seed=7`; `all=0.1` shares a rate out to all faults.

    Raises UserError for any other form.
    """
    rates: dict[str, float] = {}
    seed = 0
    for item in text.split(","):
        name, _, value = (part.strip() for part in item.partition("="))
        try:
            number = float(value)
            if name == "seed":
                seed = int(value)
        except ValueError:
            raise UserError(f"'{item}' is not of the form <fault>=<rate> or seed=<whole number>.") from None
        if name == "all":
            rates.update({fault: number / len(FAULTS) for fault in FAULTS})
        elif name != "seed":
            rates[name] = number
    return rates, seed


# the faults: from a request and a good answer to a broken one; where a fault does not apply, the answer stays as it is


def _unbroken(_: ModelRequest, answer: Answer) -> Answer:
    return answer


def _malformed(_: ModelRequest, answer: Answer) -> Answer:
    """Arguments that end too early."""
    return _changed(
        answer, lambda c: {"arguments": c.arguments[: max(1, len(c.arguments) * 2 // 3)].rstrip("}") or "{"}
    )


def _list_arguments(_: ModelRequest, answer: Answer) -> Answer:
    return _changed(answer, lambda c: {"arguments": f"[{c.arguments}]"})


def _unknown_tool(_: ModelRequest, answer: Answer) -> Answer:
    return _changed(answer, lambda c: {"name": f"{c.name}_now"})


def _changed(answer: Answer, change: Callable[[ToolCall], dict[str, str]]) -> Answer:
    return answer.model_copy(update={"calls": tuple(c.model_copy(update=change(c)) for c in answer.calls)})


def _repeated(request: ModelRequest, answer: Answer) -> Answer:
    """The calls of the previous answer again, as they stand in the prompt."""
    before = [m.calls for m in request.messages if m.role == "assistant" and m.calls]
    return answer.model_copy(update={"calls": before[-1]}) if before else answer


def _empty(_: ModelRequest, answer: Answer) -> Answer:
    return answer.model_copy(update={"text": "", "calls": ()})


def _over_long(_: ModelRequest, answer: Answer) -> Answer:
    """Words without end and no call, as a model gives that is cut off."""
    return answer.model_copy(update={"text": "and so on " * (OVER_LONG_CHARACTERS // 10), "calls": ()})


def _early_done(request: ModelRequest, answer: Answer) -> Answer:
    """The first tool that ends the phase, with the least that its schema asks for."""
    ends = [t for t in request.tools if t.name.startswith(ENDS)]
    if not ends:
        return answer
    return answer.model_copy(update={"calls": (minimal_call(ends[0]),)})


def _false_verdict(_: ModelRequest, answer: Answer) -> Answer:
    """QA's verdict turned round."""
    return answer.model_copy(update={"calls": tuple(_turned(c) for c in answer.calls)})


def _turned(call: ToolCall) -> ToolCall:
    if call.name != "submit_verdict":
        return call
    try:
        values = call.parsed()
    except ValueError:
        return call
    values["passed"] = not values.get("passed", True)
    values["findings"] = [] if values["passed"] else ["This does not look right."]
    return call.model_copy(update={"arguments": json.dumps(values, ensure_ascii=False)})


DECIDES = "decide_doubts"
THROWS_AWAY = "It tells of everyday habits in this house, and binds nobody."
"""A reason in words of its own: code carries no decision out that has none"""


def _spoil(_: ModelRequest, answer: Answer) -> Answer:
    """Of the places that a role decides, the first that it takes for a requirement is thrown away."""
    return answer.model_copy(update={"calls": tuple(_thrown_away(c) for c in answer.calls)})


def _thrown_away(call: ToolCall) -> ToolCall:
    if call.name != DECIDES:
        return call
    try:
        values = call.parsed()
        taken = next((d for d in values["decisions"] if d["ruling"] == "accept"), None)
    except (ValueError, KeyError, TypeError):
        return call
    if taken is None:
        return call
    taken.update(ruling="reject", reason=THROWS_AWAY)
    return call.model_copy(update={"arguments": json.dumps(values, ensure_ascii=False)})


_BREAK: dict[str, Callable[[ModelRequest, Answer], Answer]] = {
    "malformed": _malformed, "list_arguments": _list_arguments, "unknown_tool": _unknown_tool, "repeated": _repeated,
    "empty": _empty, "early_done": _early_done, "false_verdict": _false_verdict, "over_long": _over_long,
    "spoil": _spoil,
}  # fmt: skip


def minimal_call(tool: ToolSchema) -> ToolCall:
    """A call with the least arguments that the tool's schema allows: only what is required, as short as it may be."""
    return ToolCall(id="early", name=tool.name, arguments=json.dumps(minimal(tool.parameters), ensure_ascii=False))


def minimal(schema: Mapping[str, Any]) -> Any:
    """The smallest plausible value of a JSON Schema; lists have one item, since an empty one is seldom allowed."""
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if "anyOf" in schema:
        return minimal(schema["anyOf"][0])
    match schema.get("type"):
        case "object":
            return {name: minimal(schema["properties"][name]) for name in schema.get("required", [])}
        case "array":
            return [minimal(schema.get("items", {"type": "string"}))] * max(1, schema.get("minItems", 1))
        case "boolean":
            return True
        case "integer" | "number":
            return schema.get("maximum", max(1, schema.get("minimum", 1)))
        case "null":
            return None
        case _:
            return ("Everything is done. " * (schema.get("minLength", 1) // 20 + 1)).strip()
