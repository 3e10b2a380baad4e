"""LangChain chat models behind the door: requests out, answers in, with what servers get wrong put right."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolSchema, Usage
from echelon.engine.models.actions import action_format, action_text, described, read_action
from echelon.engine.models.deadline import bounded_client
from echelon.engine.models.retry import Retries
from echelon.errors import UserError
from echelon.settings import Environment, ModelSettings
from echelon.tokens import cost_of, price

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

OPENAI = "https://api.openai.com/v1"
RAW_CALLS = "raw_tool_calls"
"""Where the answer of an OpenAI-compatible server keeps its tool calls as they came."""


class LangChainModel:
    """Any LangChain chat model that can bind tools. `secrets` stand in no error; `sleep` waits between tries."""

    def __init__(
        self,
        name: str,
        chat: BaseChatModel,
        settings: ModelSettings,
        secrets: Sequence[str] = (),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name, self._chat, self._settings = name, chat, settings
        self._retries = Retries(name, settings.attempts, settings.timeout, secrets, sleep)

    def answer(self, request: ModelRequest) -> Answer:
        """One answer. Raises ModelUnavailable (ContextTooLong for a prompt that does not fit) when there is none."""
        chat: Any = self._chat
        as_json = bool(request.tools) and self._settings.tool_calls == "json_schema"
        if as_json:
            # not as `response_format`: the SDK would parse the answer, and raise on one that was cut off
            chat = chat.bind(extra_body={"response_format": action_format(_choice(request))})
        elif request.tools:
            chat = chat.bind_tools([{"type": "function", "function": t.model_dump()} for t in request.tools])
        messages = _with_tools_described(request) if as_json else request.messages
        sent = [_langchain(m) for m in _merged([_flat(m) if as_json else m for m in messages])]
        answer = _answer(self._retries.run(lambda: chat.invoke(sent)), self.name, self._settings)
        return read_action(answer) if as_json else answer


def openai_model(
    name: str, settings: ModelSettings, environment: Environment, sleep: Callable[[float], None] = time.sleep
) -> LangChainModel:
    """`name` on OpenAI or, with OPENAI_BASE_URL, on any compatible server. Raises UserError without a key."""
    key, address = environment.get("OPENAI_API_KEY"), environment.get("OPENAI_BASE_URL") or OPENAI
    if key is None:
        raise UserError(
            f"Model 'openai/{name}' needs OPENAI_API_KEY (any text will do for a local server with OPENAI_BASE_URL); "
            "without a key use --model playbook."
        )
    if not address.startswith(("http://", "https://")):
        raise UserError(f"OPENAI_BASE_URL must start with http:// or https://, such as {OPENAI}; it is '{address}'.")
    return LangChainModel(f"openai/{name}", _chat_openai(name, key, address, settings), settings, (key,), sleep)


def _chat_openai(name: str, key: str, address: str, settings: ModelSettings) -> BaseChatModel:
    from langchain_core.outputs import ChatResult
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    class Chat(ChatOpenAI):
        """Keeps tool calls as the server sent them: LangChain's own reading fails on a list as arguments."""

        def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
            readable = hasattr(response, "model_dump")
            plain = response.model_dump(warnings=False) if readable else response
            kept = _taken_calls(plain) if isinstance(plain, dict) else []
            result = super()._create_chat_result(plain, generation_info)
            if kept and result.generations:
                result.generations[0].message.additional_kwargs[RAW_CALLS] = kept
            return result

    return Chat(
        model=name,
        api_key=SecretStr(key),
        base_url=address,
        timeout=settings.timeout,
        http_client=bounded_client(settings.timeout),
        temperature=settings.temperature,
        max_completion_tokens=settings.max_output_tokens,
        max_retries=0,  # `Retries` is the one layer
    )


def _taken_calls(response: dict[str, Any]) -> list[dict[str, str]]:
    """The tool calls of the first choice, which are taken out of it."""
    choices = response.get("choices") or [{}]
    raw = (choices[0].get("message") or {}).pop("tool_calls", None) or []
    functions = [(call, call.get("function") or {}) for call in raw if isinstance(call, dict)]
    return [
        {"id": str(call.get("id") or ""), "name": str(f.get("name") or ""), "arguments": _text(f.get("arguments"))}
        for call, f in functions
    ]


def _text(arguments: Any) -> str:
    """Arguments as text; some servers send the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _answer(reply: AIMessage, name: str, settings: ModelSettings) -> Answer:
    raw = reply.additional_kwargs.get(RAW_CALLS)
    calls = [ToolCall(**c) for c in raw] if raw is not None else _parsed_calls(reply)
    cut = reply.response_metadata.get("finish_reason") == "length"
    return Answer(text=str(reply.text), calls=tuple(calls), usage=_usage(reply, name, settings), cut=cut)


def _parsed_calls(reply: AIMessage) -> list[ToolCall]:
    good = [ToolCall(id=c["id"] or "", name=c["name"], arguments=_text(c["args"])) for c in reply.tool_calls]
    bad = [
        ToolCall(id=c["id"] or "", name=c["name"] or "", arguments=c["args"] or "") for c in reply.invalid_tool_calls
    ]
    return good + bad


def _usage(reply: AIMessage, name: str, settings: ModelSettings) -> Usage:
    used: Any = reply.usage_metadata or {}
    prompt, completion = used.get("input_tokens", 0), used.get("output_tokens", 0)
    cached = (used.get("input_token_details") or {}).get("cache_read", 0) or 0
    cost = cost_of(name, settings, prompt, completion, cached)
    return Usage(prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached, cost=cost)


def price_warning(spec: str, settings: ModelSettings) -> str | None:
    """What to tell the user when calls of `spec` will be counted as free because nobody knows their price."""
    scheme, _, name = spec.partition("/")
    if scheme != "openai" or settings.input_price is not None or settings.output_price is not None:
        return None
    if price(name, 1, 1) is not None:
        return None
    return (
        f"The price of '{spec}' is not known, so its cost counts as 0 and budget.cost does not bound it; "
        "set model_settings.input_price and model_settings.output_price (dollars per million tokens)."
    )


# messages


def _choice(request: ModelRequest) -> Sequence[ToolSchema]:
    """The tools that may come next. The others stay described in the prompt, whose prefix the server has computed."""
    return [t for t in request.tools if t.name not in request.barred] or request.tools


def _with_tools_described(request: ModelRequest) -> list[Message]:
    """The messages with the tools in words at the end of the system message, which stays the same all phase long."""
    words = described(request.tools)
    first, *rest = request.messages
    if first.role != "system":
        return [Message(role="system", content=words), first, *rest]
    return [first.model_copy(update={"content": f"{first.content.rstrip()}\n\n{words}"}), *rest]


def _flat(message: Message) -> Message:
    """A message without tool calls: the call as the JSON that the model wrote, the result as words of the user."""
    if message.role == "tool":
        return Message(role="user", content=f"Result of {message.name}:\n{message.content}")
    if not message.calls:
        return message
    return Message(role="assistant", content="\n".join(action_text(c) for c in message.calls))


def _merged(messages: Sequence[Message]) -> list[Message]:
    """Neighbouring messages of the user as one: the templates of many small models refuse two in a row."""
    out: list[Message] = []
    for m in messages:
        if out and m.role == out[-1].role == "user":
            out[-1] = Message(role="user", content=f"{out[-1].content.rstrip()}\n\n{m.content}")
        else:
            out.append(m)
    return out


def _langchain(message: Message) -> BaseMessage:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    match message.role:
        case "system":
            return SystemMessage(message.content)
        case "user":
            return HumanMessage(message.content)
        case "tool":
            return ToolMessage(message.content, tool_call_id=message.call_id or "", name=message.name)
        case "assistant":
            calls = [{"id": c.id, "name": c.name or "unnamed", "args": _object(c)} for c in message.calls]
            # servers refuse a message without anything in it
            return AIMessage(content=message.content or ("" if calls else "(no answer)"), tool_calls=calls)


def _object(call: ToolCall) -> dict[str, Any]:
    """Arguments for the history, where servers accept an object only; what was none is shown to the model in one."""
    try:
        return call.parsed()
    except ValueError:
        return {"unreadable": call.arguments}
