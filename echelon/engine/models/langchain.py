"""LangChain chat models behind the door: requests out, answers in, with what servers get wrong put right."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from echelon.addresses import without_password
from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolSchema, Usage
from echelon.engine.models.actions import action_format, action_text, described, read_action
from echelon.engine.models.completion import Completion, arguments_text, read_completion
from echelon.engine.models.deadline import bounded_client
from echelon.engine.models.providers.names import PROVIDERS
from echelon.engine.models.retry import Retries
from echelon.engine.models.streaming import EVENTS, assembled
from echelon.engine.words import Hearer, hearer
from echelon.errors import UserError
from echelon.settings import Environment, ModelSettings
from echelon.tokens import cost_of, price

if TYPE_CHECKING:
    import httpx
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.outputs import ChatResult
    from langchain_openai import ChatOpenAI

OPENAI = "https://api.openai.com/v1"
READ = "completion"
"""Where the message of an OpenAI-compatible server keeps what was read of its answer."""


class LangChainModel:
    """Any LangChain chat model that can bind tools. `secrets` stand in no error; `sleep` waits between tries; `longest` is
    what the chat model calls the tokens of an answer."""

    def __init__(
        self,
        name: str,
        chat: BaseChatModel,
        settings: ModelSettings,
        secrets: Sequence[str] = (),
        sleep: Callable[[float], None] = time.sleep,
        longest: str = "max_completion_tokens",
    ) -> None:
        self.name, self._chat, self._settings, self._longest = name, chat, settings, longest
        self._retries = Retries(name, settings.attempts, settings.timeout, secrets, pays=True, sleep=sleep)

    def answer(self, request: ModelRequest) -> Answer:
        """One answer. Raises ModelUnavailable (ContextTooLong for a prompt that does not fit) when there is none."""
        chat: Any = self._chat
        as_json = bool(request.tools) and self._settings.tool_calls == "json_schema"
        if as_json:
            # not as `response_format`: the SDK would parse the answer, and raise on one that was cut off
            chat = chat.bind(extra_body={"response_format": action_format(_choice(request))})
        elif request.tools:
            chat = chat.bind_tools([{"type": "function", "function": t.model_dump()} for t in request.tools])
        if request.max_output_tokens > self._settings.max_output_tokens:
            chat = chat.bind(**{self._longest: request.max_output_tokens})
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
    environment.check_together("OPENAI_BASE_URL")
    if not address.startswith(("http://", "https://")):
        shown = without_password(address)
        raise UserError(f"OPENAI_BASE_URL must start with http:// or https://, such as {OPENAI}; it is '{shown}'.")
    return LangChainModel(f"openai/{name}", _chat_openai(name, key, address, settings), settings, (key,), sleep)


def _chat_openai(name: str, key: str, address: str, settings: ModelSettings) -> BaseChatModel:
    from pydantic import SecretStr

    return _chat_class()(
        model=name,
        api_key=SecretStr(key),
        base_url=address,
        timeout=settings.timeout,
        http_client=bounded_client(settings.timeout),
        http_async_client=_never_awaited(),
        temperature=settings.temperature,
        reasoning_effort=settings.reasoning_effort,
        max_completion_tokens=settings.max_output_tokens,
        max_retries=0,  # `Retries` is the one layer
    )


@functools.cache
def _never_awaited() -> httpx.AsyncClient:
    """Reaches nothing. Without one langchain-openai makes its own for every model, and reads all certificates for it."""
    import httpx

    return httpx.AsyncClient(transport=httpx.AsyncBaseTransport(), trust_env=False)


@functools.cache
def _chat_class() -> type[ChatOpenAI]:
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_openai import ChatOpenAI

    class Chat(ChatOpenAI):
        """Reads answers by itself: LangChain's and the SDK's own reading fail on what servers get wrong."""

        def _generate(
            self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **more: Any
        ) -> ChatResult:
            # langchain-openai says dict without of what.
            payload: dict[str, Any] = self._get_request_payload(  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
                messages, stop=stop, **more
            )
            heard = hearer()
            content = self._whole(payload) if heard is None else self._in_pieces(payload, heard)
            assert self.max_tokens is not None
            read = read_completion(content, self.max_tokens)
            return ChatResult(generations=[ChatGeneration(message=AIMessage("", additional_kwargs={READ: read}))])

        def _whole(self, payload: dict[str, Any]) -> bytes:
            content: bytes = self.client.with_raw_response.create(**payload).http_response.content
            return content

        def _in_pieces(self, payload: dict[str, Any], heard: Hearer) -> bytes:
            """The same, streamed; a server that does not stream sends it whole all the same."""
            asked = {**payload, "stream": True, "stream_options": {"include_usage": True}}
            with self.client.with_streaming_response.create(**asked) as response:
                if EVENTS not in response.headers.get("content-type", ""):
                    whole: bytes = response.read()
                    return whole
                return assembled(response.iter_lines(), heard)

    return Chat


def _answer(reply: AIMessage, name: str, settings: ModelSettings) -> Answer:
    read = reply.additional_kwargs.get(READ) or Completion(
        text=str(reply.text), calls=tuple(_parsed_calls(reply)), usage=_usage(reply),
        cut=reply.response_metadata.get("finish_reason") == "length",
    )  # fmt: skip
    used = read.usage
    cost = cost_of(name, settings, used.prompt_tokens, used.completion_tokens, used.cached_tokens)
    paid = used.model_copy(update={"cost": cost})
    return Answer(text=read.text, calls=read.calls, usage=paid, cut=read.cut, fault=read.fault)


def _parsed_calls(reply: AIMessage) -> list[ToolCall]:
    good = [ToolCall(id=c["id"] or "", name=c["name"], arguments=arguments_text(c["args"])) for c in reply.tool_calls]
    bad = [
        ToolCall(id=c["id"] or "", name=c["name"] or "", arguments=c["args"] or "") for c in reply.invalid_tool_calls
    ]
    return good + bad


def _usage(reply: AIMessage) -> Usage:
    used: Any = reply.usage_metadata or {}
    details: dict[str, Any] = used.get("input_token_details") or {}
    cached = details.get("cache_read", 0)
    counts = {"prompt_tokens": used.get("input_tokens", 0), "completion_tokens": used.get("output_tokens", 0)}
    more: dict[str, Any] = used.get("output_token_details") or {}
    return Usage.model_validate({**counts, "cached_tokens": cached, "thinking_tokens": more.get("reasoning", 0)})


def price_warning(spec: str, settings: ModelSettings) -> str | None:
    """What to tell the user when calls of `spec` will be counted as free because nobody knows their price."""
    scheme, _, name = spec.partition("/")
    if scheme not in ("openai", *PROVIDERS) or settings.input_price is not None or settings.output_price is not None:
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
    held = {t.name: t for t in request.held}
    return [held.get(t.name, t) for t in request.tools if t.name not in request.barred] or request.tools


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
