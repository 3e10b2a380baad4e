"""Taking secrets out of what is kept or shown: results of steps, events, errors.

A secret is the value of an environment variable whose name says so, the password in an address that a variable holds,
or a text in a well-known form: a bearer token, an API key, a private key, a password in a URL. Prose about passwords
and bearers is none: documents stay word for word. What takes a secret's place says what stood there.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import unquote

from echelon.addresses import passwords_of, without_password
from echelon.json_text import is_object, is_sequence

T = TypeVar("T")

WHOLE_WORD_BELOW = 8
"""Characters below which a secret is taken out only where it stands as a word of its own."""
REMEMBERED = 1_024
"""Texts whose redacted form is kept at hand."""
LEAST = 4
"""Characters of the shortest secret that is looked for; a shorter one is taken out where its name stands before it."""
ANY_TEXT = {
    "any", "anything", "none", "null", "empty", "dummy", "local", "test", "unused", "ollama", "lm-studio", "vllm",
    "llama", "not-needed", "no-key", "sk-no-key-required", "true", "false",
}  # fmt: skip
"""What people write where a local server wants any key at all: words of documents, and no secrets."""
_NAME = re.compile(
    r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PW|PIN|CREDENTIALS?|PAT)(_|$)", re.IGNORECASE
)
_NO_SECRETS = {"PWD", "OLDPWD"}
_PLACE = re.compile(r"(\.{1,2}|~|/(home|root|Users|etc|var|usr|opt|tmp|run|mnt|srv|app|data|secrets))/\S*")
_SETTING = r"(?:api[_-]?key|password|passwd|secret|access[_-]?token)"
_TOKENS = ("ghp", "gho", "ghu", "ghs", "ghr", "glpat", "xoxa", "xoxb", "xoxp", "xoxr", "xoxs")
_FORMS = (
    (("bearer",), re.compile(r"(?i)(?P<before>\bbearer\s+)(?=\S*\d)[a-z0-9._~+/-]{12,}=*"), "token"),
    (("=",), re.compile(rf"(?i)(?P<before>\b{_SETTING}=[\"']?)(?=\S*\d)[^\s\"',;&]{{8,}}"), "secret"),
    (("sk-",), re.compile(r"(?P<before>)\bsk-[A-Za-z0-9_-]{16,}"), "key"),
    (("tvly-",), re.compile(r"(?P<before>)\btvly-[A-Za-z0-9_-]{16,}"), "key"),
    (_TOKENS, re.compile(rf"(?P<before>)\b(?:{'|'.join(_TOKENS)})[_-][A-Za-z0-9_-]{{16,}}"), "token"),
    (("akia",), re.compile(r"(?P<before>)\bAKIA[0-9A-Z]{16}\b"), "key"),
    (("eyj",), re.compile(r"(?P<before>)\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"), "token"),
    (("-----begin ",), re.compile(
        r"(?P<before>)-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*KEY-----|\Z)"
    ), "key"),
)  # fmt: skip
"""(what one of must stand in the text in lower case, form, what it is). To search for all forms takes a millisecond for
each page of a prompt, and hardly any text has one. No letter with a second lower case (i, k, s) of those without case."""


class Redactor:
    """Redacts with the secrets of one environment. Pure and deterministic: the same text gives the same text."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        environment = os.environ if values is None else values
        named = {pair for name, value in environment.items() for pair in _secrets(name, value)}
        named |= {(json.dumps(value)[1:-1], name) for value, name in named}  # as it stands in the arguments of a call
        longest_first = sorted(named, key=lambda pair: (-len(pair[0]), pair))  # a longer one may contain a shorter one
        self._named = [(_pattern(value, name), value, name) for value, name in longest_first]

        self._known: dict[str, str] = {}
        self._known_json: dict[str, str] = {}

    def text(self, text: str) -> str:
        """`text` without secrets. The same texts come again and again: most of a prompt was in the last one too."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            known = self._known[text] = self._redacted(text)
        return known

    def _redacted(self, text: str) -> str:
        for pattern, value, name in self._named:
            if value in text:
                text = pattern.sub(lambda _, name=name: f"[{name}]", text)  # type: ignore[misc]
        text = without_password(text)
        lower = text.lower()
        for signs, form, what in _FORMS:
            if any(sign in lower for sign in signs):
                text = form.sub(rf"\g<before>[{what}]", text)
        return text

    def data(self, value: T) -> T:
        """JSON data without secrets; keys stay as they are."""
        return self._data(value)  # type: ignore[no-any-return]

    def json(self, text: str) -> str:
        """A JSON text without secrets; keys stay as they are. Remembered, as `text` does."""
        known = self._known_json.get(text)
        if known is None:
            if len(self._known_json) >= REMEMBERED:
                self._known_json.clear()
            known = self._known_json[text] = json.dumps(self.data(json.loads(text)), ensure_ascii=False)
        return known

    def _data(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if is_object(value):
            return {key: self._data(inner) for key, inner in value.items()}
        if is_sequence(value):
            return [self._data(inner) for inner in value]
        return value


def _secrets(name: str, value: str) -> Iterator[tuple[str, str]]:
    """(secret, name of what takes its place) of one variable."""
    if passwords := passwords_of(value):
        texts = {text for p in passwords for text in (p, unquote(p), *_tails(p))}
        yield from ((text, f"{name}: password") for text in texts if _is_secret(text))
    elif _NAME.search(name) and name.upper() not in _NO_SECRETS and _is_secret(value) and not _PLACE.fullmatch(value):
        yield value, name


def _tails(password: str) -> list[str]:
    """What stands behind each @: a driver takes it for the host, and says so."""
    parts = password.split("@")
    return ["@".join(parts[n:]) for n in range(1, len(parts))]


def _is_secret(value: str) -> bool:
    return bool(value.strip()) and value.lower() not in ANY_TEXT


def _pattern(value: str, name: str) -> re.Pattern[str]:
    escaped = re.escape(value)
    if len(value) >= WHOLE_WORD_BELOW:
        return re.compile(escaped)
    word = rf"(?<!\w){escaped}(?!\w)"
    if len(value) >= LEAST:
        return re.compile(word)
    return re.compile(rf"(?<={re.escape(name)}=){escaped}(?!\w)|(?<={re.escape(name)}: ){escaped}(?!\w)")
