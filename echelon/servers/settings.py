"""Which MCP servers a job may use: where each is, which of its tools, who has them, and what each of them does."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

TAKEN = ("submit", "todo", "echelon", "list", "find", "job")
"""Names that no server can have: the hierarchy knows tools of its own by such beginnings."""
JOINT = "__"
"""Between the name of a server and that of a tool, as roles see it. No tool of ours has it in its name."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Approved(_Section):
    """A tool as a person approved it: the hash of its whole definition, and what of it roles are shown."""

    sha256: str
    description: str
    parameters: dict[str, Any]


class ServerTool(_Section):
    """One tool of a server."""

    effect: Literal["read", "idempotent", "once"] = Field(
        "once",
        description="what calling it twice does: read (nothing), idempotent (the same again), once (must not happen "
        "twice). What the server says of it counts for nothing",
    )
    description: str = Field(
        "", max_length=1_000, description="words of your own for the roles; then none of the server's are shown"
    )
    after: tuple[str, ...] = Field((), description="tools that must have succeeded in the same phase before")


def _nothing_said(value: Any) -> Any:
    """`get_ticket:` without anything behind it is a tool with the default settings."""
    return {} if value is None else value


class Server(_Section):
    """One MCP server, over standard input and output or over HTTP."""

    command: tuple[str, ...] = Field((), description="program and arguments; it gets no variable that is not named")
    url: str = Field("", description="address of a server over streamable HTTP, in place of a command")
    environment: tuple[str, ...] = Field((), description="names of variables that the command gets; else it has none")
    headers: dict[str, str] = Field(
        default_factory=dict, description="header -> name of the variable that holds its value, such as Authorization"
    )
    roles: tuple[str, ...] = Field(("implementor",), description="who has the tools")
    tools: dict[str, Annotated[ServerTool, BeforeValidator(_nothing_said)]] = Field(
        min_length=1, description="the tools that are used, by the names that the server has for them"
    )
    deferred: bool = Field(False, description="whether their schemas arrive only through find_tools")
    seconds: float = Field(60, gt=0, le=3_600, description="time to connect, and again for the answer of a call")
    kilobytes: int = Field(64, ge=1, le=4_096, description="of an answer that are kept; the rest is cut off")
    approved: dict[str, Approved] = Field(
        default_factory=dict, description="filled in when the job is submitted: what a person approved"
    )

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("a server has either a command or a url")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError("url must start with http:// or https://")
        if self.url and self.environment:
            raise ValueError("environment is for a command; a url has headers")
        if self.command and self.headers:
            raise ValueError("headers are for a url; a command has environment")
        if self.headers and self.url.startswith("http://") and not _is_here(self.url):
            raise ValueError("headers would go over the network in the clear; use https://")
        return self

    @property
    def place(self) -> str:
        """Where it is, on one line: what was approved of another place is not approved of this one."""
        return self.url or " ".join(self.command)


def _is_here(url: str) -> bool:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def _named(servers: dict[str, Server]) -> dict[str, Server]:
    for name in servers:
        if not (name.isascii() and name.isalnum() and name.islower() and len(name) <= 20) or name in TAKEN:
            raise ValueError(f"'{name[:40]}' is no name for a server: up to 20 small letters and digits, none of ours")
    return servers


Servers = Annotated[dict[str, Server], AfterValidator(_named)]
"""Servers by their names, which stand before the names of their tools."""


def full_name(server: str, tool: str) -> str:
    """The name of a server's tool as roles and models see it."""
    return f"{server}{JOINT}{tool}"
