"""The models behind the door: one method, `answer`, from a request to an answer."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from echelon.engine.errors import ModelUnavailable, UnknownName, UserError
from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, Usage
from echelon.engine.settings import Environment, ModelSettings
from echelon.engine.tokens import price

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage


class Model(Protocol):
    """Anything that answers. `name` is what configurations call it."""

    name: str

    def answer(self, request: ModelRequest) -> Answer:
        """One answer. Raises ModelUnavailable when there is none to be had."""
        ...


class LangChainModel:
    """Any LangChain chat model that can bind tools."""

    def __init__(self, name: str, chat: BaseChatModel, settings: ModelSettings) -> None:
        self.name, self._chat, self._settings = name, chat, settings

    def answer(self, request: ModelRequest) -> Answer:
        chat: Any = self._chat
        if request.tools and self._settings.tool_calls == "json_schema":
            chat = chat.bind(response_format=_action_format(request))
        elif request.tools:
            chat = chat.bind_tools([{"type": "function", "function": t.model_dump()} for t in request.tools])
        json_actions = self._settings.tool_calls == "json_schema"
        reply = _retrying(
            lambda: chat.invoke([_langchain(m, json_actions) for m in request.messages]), self.name, self._settings
        )
        answer = _from_langchain(reply, self.name, self._settings)
        return _from_action(answer) if json_actions and request.tools else answer


def openai_model(name: str, settings: ModelSettings, environment: Environment) -> LangChainModel:
    """`name` on OpenAI or, with OPENAI_BASE_URL, on any compatible server. Raises UserError without a key."""
    key = environment.get("OPENAI_API_KEY")
    if key is None:
        raise UserError(
            f"Model 'openai/{name}' needs OPENAI_API_KEY (any text will do for a local server with OPENAI_BASE_URL); "
            "without a key use --model playbook."
        )
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    chat = ChatOpenAI(
        model=name,
        api_key=SecretStr(key),
        base_url=environment.get("OPENAI_BASE_URL"),
        timeout=settings.timeout,
        temperature=settings.temperature,
        max_completion_tokens=settings.max_output_tokens,
        max_retries=0,  # the door retries: one layer
    )
    return LangChainModel(f"openai/{name}", chat, settings)


class ReplayModel:
    """Answers from a recorded job: the n-th call of this job gets the n-th answer of that one."""

    def __init__(self, name: str, answers: list[Answer]) -> None:
        self.name, self._answers = name, answers

    def answer(self, request: ModelRequest) -> Answer:
        if not 0 < request.number <= len(self._answers):
            raise ModelUnavailable(self.name, "the recorded job has no answer for this call; the two runs differ")
        return self._answers[request.number - 1]


Factory = Callable[[str, ModelSettings, Environment], Model]
_FACTORIES: dict[str, Factory] = {"openai": openai_model}


def register_model(scheme: str, factory: Factory) -> None:
    """Make `scheme` or `scheme/<name>` a model name; `factory` gets what follows the slash (or '')."""
    _FACTORIES[scheme] = factory


def open_model(spec: str, settings: ModelSettings, environment: Environment) -> Model:
    """The model that `spec` names. Raises UserError for a name that is not known."""
    scheme, _, name = spec.replace(":", "/", 1).partition("/")
    if scheme not in _FACTORIES or (scheme == "openai" and not name):
        raise UnknownName("model", spec, [*sorted(set(_FACTORIES) - {"openai"}), "openai/<name>"])
    return _FACTORIES[scheme](name, settings, environment)


def _retrying(call: Callable[[], Any], name: str, settings: ModelSettings) -> Any:
    """`call()` with waits that double, jitter, and the server's own Retry-After where it names one."""
    import openai

    for attempt in range(1, settings.attempts + 1):
        try:
            return call()
        except (openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError) as error:
            if attempt == settings.attempts or getattr(error, "code", None) == "insufficient_quota":
                raise ModelUnavailable(name, _reason(error), attempt) from error
            time.sleep(_wait(error, attempt))
        except openai.APIError as error:
            raise ModelUnavailable(name, _reason(error), attempt) from error
    raise AssertionError("unreachable")


def _wait(error: Exception, attempt: int) -> float:
    response = getattr(error, "response", None)
    asked = response.headers.get("retry-after", "") if response is not None else ""
    try:
        return min(float(asked), 120.0)
    except ValueError:
        return min(0.5 * 2 ** (attempt - 1), 30.0) * random.uniform(0.75, 1.25)


def _reason(error: Exception) -> str:
    import openai

    if isinstance(error, openai.APITimeoutError):
        return (
            "it did not answer in time; is the server overloaded, or the time limit (model_settings.timeout) too short?"
        )
    if isinstance(error, openai.APIConnectionError):
        return "the server cannot be reached; check OPENAI_BASE_URL and the network"
    if isinstance(error, openai.AuthenticationError):
        return "the server refuses the key; check OPENAI_API_KEY"
    if isinstance(error, openai.NotFoundError):
        return "the server does not know this model"
    status = getattr(error, "status_code", None)
    return f"the server answered with status {status}" if status else "the server's answer cannot be read"


def _langchain(message: Message, json_actions: bool) -> BaseMessage:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    if message.role == "system":
        return SystemMessage(message.content)
    if message.role == "user":
        return HumanMessage(message.content)
    if message.role == "tool":
        if json_actions:
            return HumanMessage(f"Result of {message.name}:\n{message.content}")
        return ToolMessage(message.content, tool_call_id=message.call_id or "", name=message.name)
    if json_actions:
        calls = [
            json.dumps({"tool": c.name, "arguments": _lenient(c.arguments)}, ensure_ascii=False) for c in message.calls
        ]
        return AIMessage("\n".join(filter(None, [message.content if not calls else "", *calls])))
    good = [{"id": c.id, "name": c.name, "args": a} for c in message.calls if (a := _lenient(c.arguments)) is not None]
    bad = [
        {"id": c.id, "name": c.name, "args": c.arguments, "error": ""}
        for c in message.calls
        if _lenient(c.arguments) is None
    ]
    return AIMessage(content=message.content, tool_calls=good, invalid_tool_calls=bad)  # type: ignore[arg-type]


def _lenient(arguments: str) -> dict[str, Any] | None:
    try:
        value = json.loads(arguments or "{}")
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _from_langchain(reply: AIMessage, name: str, settings: ModelSettings) -> Answer:
    calls = [
        ToolCall(id=c["id"] or "", name=c["name"], arguments=json.dumps(c["args"], ensure_ascii=False))
        for c in reply.tool_calls
    ]
    calls += [
        ToolCall(id=c["id"] or "", name=c["name"] or "", arguments=c["args"] or "") for c in reply.invalid_tool_calls
    ]
    used: Any = reply.usage_metadata or {}
    prompt, completion = used.get("input_tokens", 0), used.get("output_tokens", 0)
    cached = (used.get("input_token_details") or {}).get("cache_read", 0) or 0
    usage = Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=cached,
        cost=_cost(name, prompt, completion, cached, settings),
    )
    return Answer(text=str(reply.text), calls=tuple(calls), usage=usage)


def _cost(name: str, prompt: int, completion: int, cached: int, settings: ModelSettings) -> float:
    if settings.input_price is not None or settings.output_price is not None:
        return (prompt * (settings.input_price or 0) + completion * (settings.output_price or 0)) / 1_000_000
    return price(name.partition("/")[2], prompt, completion, cached) or 0.0


def _action_format(request: ModelRequest) -> dict[str, Any]:
    """One schema-constrained action: exactly one of the tools, with arguments of its own schema."""
    actions = [
        {
            "type": "object",
            "properties": {"tool": {"const": t.name}, "arguments": t.parameters},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for t in request.tools
    ]
    schema = actions[0] if len(actions) == 1 else {"anyOf": actions}
    return {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}


def _from_action(answer: Answer) -> Answer:
    """Read the action out of a JSON answer; text that is none stays text, and the door asks again."""
    try:
        action = json.loads(answer.text)
    except json.JSONDecodeError:
        return answer
    if not isinstance(action, dict) or not isinstance(action.get("tool"), str):
        return answer
    call = ToolCall(
        id="action", name=action["tool"], arguments=json.dumps(action.get("arguments", {}), ensure_ascii=False)
    )
    return answer.model_copy(update={"text": "", "calls": (call,)})
