"""Taking secrets out of what is kept or shown: results of steps, events, errors.

A secret is the value of an environment variable whose name says so, or a text in a well-known form: a bearer token, an
API key, a private key, a password in a URL. Prose about passwords and bearers is none: documents stay word for word.
What takes a secret's place says what stood there, so that a log stays readable.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")

LEAST = 8
"""Characters of a value from which it is taken for a secret: 'any text will do' keys of local servers are shorter."""
_NAME = re.compile(r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT)(_|$)", re.IGNORECASE)
_URL_PASSWORD = re.compile(
    r"(?P<before>\b[a-z][a-z0-9+.-]*://[^\s/:@\"']*:)(?P<password>[^\s/@\"']+)(?=@)", re.IGNORECASE
)
_SETTING = r"(?:api[_-]?key|password|passwd|secret|access[_-]?token)"
_FORMS = (
    (re.compile(r"(?i)(?P<before>\bbearer\s+)(?=\S*\d)[a-z0-9._~+/-]{12,}=*"), "token"),
    (re.compile(rf"(?i)(?P<before>\b{_SETTING}=[\"']?)(?=\S*\d)[^\s\"',;&]{{8,}}"), "secret"),
    (re.compile(r"(?P<before>)\bsk-[A-Za-z0-9_-]{16,}"), "key"),
    (re.compile(r"(?P<before>)\btvly-[A-Za-z0-9_-]{16,}"), "key"),
    (re.compile(r"(?P<before>)\b(?:gh[pousr]|glpat|xox[abprs])[_-][A-Za-z0-9_-]{16,}"), "token"),
    (re.compile(r"(?P<before>)\bAKIA[0-9A-Z]{16}\b"), "key"),
    (re.compile(r"(?P<before>)\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"), "token"),
    (re.compile(r"(?P<before>)-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*KEY-----|\Z)"), "key"),
)  # fmt: skip


class Redactor:
    """Redacts with the secrets of one environment. Pure and deterministic: the same text gives the same text."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        environment = os.environ if values is None else values
        named = {(value, name) for name, value in environment.items() if _NAME.search(name) and _is_secret(value)}
        named |= {(json.dumps(value)[1:-1], name) for value, name in named}  # as it stands in the arguments of a call
        self._named = sorted(named, key=lambda pair: (-len(pair[0]), pair))  # a longer secret may contain a shorter one

    def text(self, text: str) -> str:
        """`text` without secrets."""
        for value, name in self._named:
            if value in text:
                text = text.replace(value, f"[{name}]")
        text = _URL_PASSWORD.sub(r"\g<before>[password]", text)
        for form, what in _FORMS:
            text = form.sub(rf"\g<before>[{what}]", text)
        return text

    def data(self, value: T) -> T:
        """JSON data without secrets; keys stay as they are."""
        return self._data(value)  # type: ignore[no-any-return]

    def _data(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self._data(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._data(inner) for inner in value]
        return value


def _is_secret(value: str) -> bool:
    is_path = value.startswith(("/", "./", "~"))
    return len(value) >= LEAST and not value.isdigit() and not is_path
