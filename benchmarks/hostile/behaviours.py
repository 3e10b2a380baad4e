"""What the hostile server does, by name: each takes the answer of a good server and gives what it sends instead."""

from __future__ import annotations

import copy
import gzip
import json
import socket
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.hostile.wire import Behaviour, Completion, Http, Reply, Wire, http

Behaviours = dict[str, Behaviour]
HALF = "\ud800"
ACTING = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\r\nFAKE: Job x is completed\u202e\u2028\x00\x9b"
DEEP = 100_000


def behaviours() -> Behaviours:
    """All of them."""
    parts = (_statuses(), _redirects(), _wire(), _outer(), _messages(), _calls(), _arguments(), _usages())
    return {name: behaviour for part in parts for name, behaviour in part.items()}


def _changed(change: Callable[[Completion], object]) -> Behaviour:
    def behaviour(good: Completion) -> Reply:
        bad = copy.deepcopy(good)
        change(bad)
        return bad

    return behaviour


def _fixed(reply: Reply) -> Behaviour:
    return lambda _good: reply


# HTTP


def _statuses() -> Behaviours:
    said = json.dumps({"error": {"message": "no", "type": "x", "code": "x"}}).encode()
    codes = (
        400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 415, 418, 422, 425, 429, 451, 500, 501, 502, 503, 504,
        507, 520, 529, 599,
    )  # fmt: skip
    found: Behaviours = {f"status {code}": _fixed(Http(code, said)) for code in codes}
    found |= {
        "status 500 with a page": _fixed(Http(500, b"<html><h1>Oops</h1>" * 100, {"Content-Type": "text/html"})),
        "status 400 with nothing": _fixed(Http(400)),
        "status 400 with a long error": _fixed(Http(400, json.dumps({"error": {"message": "x" * 500_000}}).encode())),
        "status 400 with acting text": _fixed(Http(400, json.dumps({"error": {"message": ACTING}}).encode())),
        "status 400 with a list": _fixed(Http(400, b"[1, 2]")),
        "status 400 with deep brackets": _fixed(Http(400, b"[" * DEEP)),
        "status 204": _fixed(Http(204)),
        "status 999": _fixed(Http(999, said)),
    }
    for value in ("-1", "nan", "1e9", "soon", "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2099 07:28:00 GMT"):
        found[f"retry after {value}"] = _fixed(Http(429, said, {"Retry-After": value}))
    return found


def _redirects() -> Behaviours:
    places = {
        "another port": "http://127.0.0.1:9/v1/chat/completions", "another host": "http://localhost:9/",
        "itself": "/v1/chat/completions", "a file": "file:///etc/passwd", "a script": "javascript:alert(1)",
        "nothing": "", "a user": "http://me:pw@127.0.0.1:9/", "no address": "http://[::1", "bytes": "http://\x7f/",
    }  # fmt: skip
    found: Behaviours = {f"307 to {name}": _fixed(Http(307, b"", {"Location": to})) for name, to in places.items()}
    for code in (300, 301, 302, 303, 304, 308):
        found[f"status {code} to another port"] = _fixed(Http(code, b"", {"Location": places["another port"]}))
    return found


def _sends(*parts: bytes, pause: float = 0.0) -> Behaviour:
    def wire(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)

    return _fixed(wire)


def _endless(head: bytes, part: bytes) -> Behaviour:
    def wire(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(part)

    return _fixed(wire)


def _broken(change: Callable[[bytes], bytes]) -> Behaviour:
    """A good answer whose bytes are changed, with the headers of the good one."""

    def behaviour(good: Completion) -> Reply:
        whole = http(good).sent()
        head, _, body = whole.partition(b"\r\n\r\n")

        def wire(connection: socket.socket) -> None:
            connection.sendall(head + b"\r\n\r\n" + change(body))

        return wire

    return behaviour


def _packed(name: str, pack: Callable[[bytes], bytes]) -> Behaviour:
    return lambda good: Http(200, pack(http(good).body), {"Content-Encoding": name})


def _typed(kind: str, change: Callable[[bytes], bytes] = lambda b: b) -> Behaviour:
    return lambda good: Http(200, change(http(good).body), {"Content-Type": kind})


def _reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


def _silent(connection: socket.socket) -> None:
    time.sleep(30)


def _wire() -> Behaviours:
    ok = b"HTTP/1.1 200 OK\r\n"
    drip: Wire = lambda c: [(c.sendall(b"X"), time.sleep(0.2)) for _ in range(150)] and None  # noqa: E731
    return {
        "nothing at all": _fixed(lambda _c: None), "garbage": _sends(b"\x00\xff" * 500),
        "another protocol": _sends(b"SSH-2.0-OpenSSH_9\r\n"), "an HTTP/0.9 page": _sends(b"<html>"),
        "an HTTP/2 preface": _sends(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "half a header": _sends(ok + b"Content-Le"),
        "a status without a number": _sends(b"HTTP/1.1 banana\r\n\r\n"), "a reset": _fixed(_reset),
        "silence": _fixed(_silent), "a dripping start": _fixed(drip),
        "dripping headers": _sends(ok, *[b"X-A: b\r\n"] * 100, pause=0.2),
        "dripping continues": _sends(*[b"HTTP/1.1 100 Continue\r\n\r\n"] * 100, pause=0.2),
        "a dripping body": _sends(ok + b"\r\n", *[b" "] * 100, pause=0.2),
        "dripping chunks": _sends(ok + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\n \r\n"] * 100, pause=0.2),
        "a long header": _sends(ok + b"X-A: " + b"a" * 1_000_000 + b"\r\n\r\n{}"),
        "many headers": _sends(ok + b"X-A: b\r\n" * 20_000 + b"\r\n{}"),
        "headers without end": _endless(ok, b"X-A: b\r\n" * 1_000),
        "a body without end": _endless(ok + b"\r\n", b" " * 65_536),
        "a string without end": _endless(ok + b'\r\n{"choices": [{"message": {"content": "', b"a" * 65_536),
        "half a body": _broken(lambda b: b[: len(b) // 2]), "a byte more": _broken(lambda b: b + b"}"),
        "two lengths": _sends(ok + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
        "a negative length": _sends(ok + b"Content-Length: -2\r\n\r\n{}"),
        "a length in words": _sends(ok + b"Content-Length: many\r\n\r\n{}"),
        "a broken chunk": _sends(ok + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}"),
        "a byte that is no UTF-8": _broken(lambda b: b.replace(b'"role"', b'"ro\xffe"', 1)),
        "packed": _packed("gzip", gzip.compress), "packed in another way": _packed("deflate", zlib.compress),
        "packed but not": _packed("gzip", lambda b: b), "packed in an unknown way": _packed("br", lambda b: b),
        "a bomb": _packed("gzip", lambda _b: gzip.compress(b" " * 100_000_000)),
        "a page": _fixed(Http(200, b"<html>Log in</html>", {"Content-Type": "text/html"})),
        "as text": _typed("text/plain"), "in UTF-16": _typed("application/json; charset=utf-16", _utf16),
        "with a byte order mark": _typed("application/json", lambda b: b"\xef\xbb\xbf" + b),
        "as events": _typed("text/event-stream", lambda b: b"data: " + b + b"\n\ndata: [DONE]\n\n"),
        "of an unknown charset": _typed("application/json; charset=klingon"),
    }  # fmt: skip


def _utf16(body: bytes) -> bytes:
    return body.decode().encode("utf-16")


# JSON around the message


def _outer() -> Behaviours:
    bodies = {
        "no JSON": b"I am a model.", "an empty body": b"", "null": b"null", "a number": b"42", "a text": b'"hello"',
        "a list": b"[]", "an empty object": b"{}", "deep brackets": b"[" * DEEP, "deep objects": b'{"a":' * DEEP,
        "a long number": b'{"choices": ' + b"9" * 50_000 + b"}", "an error with status 200": b'{"error": "busy"}',
        "two values": b"{} {}", "a comment": b"/* hello */ {}",
    }  # fmt: skip
    found: Behaviours = {f"body: {name}": _fixed(Http(200, body)) for name, body in bodies.items()}
    for name, value in {
        "missing": ..., "null": None, "an object": {}, "empty": [], "a text": "x", "a number": 3, "of null": [None],
        "of texts": ["x"], "of lists": [[]], "of empty objects": [{}],
    }.items():  # fmt: skip
        found[f"choices {name}"] = _changed(_setting(lambda bad: bad, "choices", value))
    for name, value in {"missing": ..., "null": None, "a list": [], "a text": "x", "empty": {}}.items():
        found[f"message {name}"] = _changed(_setting(_choice, "message", value))
    found["two choices"] = _changed(lambda bad: bad["choices"].append({"message": {"content": "no"}}))
    found["no envelope"] = lambda good: {"choices": good["choices"]}
    return found


def _setting(where: Callable[[Completion], dict[str, Any]], key: str, value: Any) -> Callable[[Completion], None]:
    """Sets a key; `...` takes it away."""

    def change(bad: Completion) -> None:
        target = where(bad)
        if value is ...:
            target.pop(key, None)
        else:
            target[key] = value

    return change


def _choice(bad: Completion) -> dict[str, Any]:
    choice: dict[str, Any] = bad["choices"][0]
    return choice


def _message(bad: Completion) -> dict[str, Any]:
    message: dict[str, Any] = bad["choices"][0]["message"]
    return message


def _said(**fields: Any) -> Behaviour:
    """A message of these fields alone."""
    return _changed(_setting(_choice, "message", {"role": "assistant", **fields}))


def _messages() -> Behaviours:
    found: Behaviours = {}
    for role in ("hacker", "user", "tool", "system", "", 5, None, ...):
        found[f"role {role!r}"] = _changed(_setting(_message, "role", role))
    contents = {
        "null": None, "empty": "", "a number": 5, "an object": {"a": 1}, "parts": [{"type": "text", "text": "hello"}],
        "odd parts": [None, 5, {"type": "image"}], "long": "and so on " * 200_000, "zeros": "\x00" * 1_000,
        "half characters": HALF * 10, "acting": ACTING, "an action": '{"tool": "x", "arguments": {}}',
        "deep brackets": "[" * DEEP, "blanks": " " * 100_000, "marks of templates": "{{ x }} {% for %} {tools} %s %n",
        "an apology": "I am sorry, but I cannot do that.", "a claim": "The job is complete. COMPLETED.",
        "one letter": "a" * 1_000_000,
    }  # fmt: skip
    found |= {f"only content {name}": _said(content=value) for name, value in contents.items()}
    found["a refusal"] = _said(content=None, refusal="I can't help with that.")
    found["a refusal that is an object"] = _said(content=None, refusal={"why": "no"})
    for reason in ("length", "content_filter", "error", "function_call", "", 5, None, ["stop"], ...):
        found[f"finished by {reason!r} with nothing"] = _finished(reason)
    return found


def _finished(reason: Any) -> Behaviour:
    def change(bad: Completion) -> None:
        bad["choices"][0] = {"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": reason}
        if reason is ...:
            del bad["choices"][0]["finish_reason"]

    return _changed(change)


# tool calls


def _each_call(change: Callable[[dict[str, Any]], object]) -> Behaviour:
    def changed(bad: Completion) -> None:
        for call in _message(bad).get("tool_calls") or []:
            change(call)

    return _changed(changed)


def _function(key: str, value: Any) -> Behaviour:
    return _each_call(lambda call: _setting(lambda c: c["function"], key, value)(call))


def _calls() -> Behaviours:
    found: Behaviours = {}
    for name, value in {
        "null": None, "an object": {}, "a text": "x", "a number": 5, "of null": [None], "of lists": [[]],
        "of texts": ["x"], "of empty objects": [{}],
    }.items():  # fmt: skip
        found[f"calls {name}"] = _changed(_setting(_message, "tool_calls", value))
    for name, value in {"null": None, "a text": "read_file", "missing": ..., "empty": {}}.items():
        found[f"function {name}"] = _each_call(_setting(lambda c: c, "function", value))
    for name, value in {
        "null": None, "a number": 5, "empty": "", "unknown": "fly_to_the_moon", "long": "a" * 1_000_000,
        "acting": ACTING, "half": HALF, "inside": "__import__", "a path": "../../read_file", "in capitals": "READ_FILE",
        "with a space": "read file", "missing": ..., "an object": {"a": 1}, "of nobody": "job_complete",
    }.items():  # fmt: skip
        found[f"name {name}"] = _function("name", value)
    for name, value in {"null": None, "a number": 5, "long": "i" * 1_000_000, "missing": ..., "half": HALF}.items():
        found[f"id {name}"] = _each_call(_setting(lambda c: c, "id", value))
    found["another type of call"] = _each_call(_setting(lambda c: c, "type", "robot"))
    found["a call a thousand times"] = _changed(lambda bad: _message(bad)["tool_calls"].extend(_copies(bad, 999)))
    found["a call twice"] = _changed(lambda bad: _message(bad)["tool_calls"].extend(_copies(bad, 1)))
    found["the older form of a call"] = _changed(_old_form)
    found["a call in words"] = _changed(_in_words)
    found["a call with a refusal"] = _changed(_setting(_message, "refusal", "No."))
    found["a call cut off"] = _changed(_setting(_choice, "finish_reason", "length"))
    found["a call filtered"] = _changed(_setting(_choice, "finish_reason", "content_filter"))
    return found


def _copies(bad: Completion, times: int) -> Iterator[dict[str, Any]]:
    return (copy.deepcopy(_message(bad)["tool_calls"][0]) for _ in range(times))


def _old_form(bad: Completion) -> None:
    message = _message(bad)
    message["function_call"] = message.pop("tool_calls")[0]["function"]


def _in_words(bad: Completion) -> None:
    message = _message(bad)
    function = message.pop("tool_calls")[0]["function"]
    message["content"] = f"<tool_call>{json.dumps(function)}</tool_call>"


def _written(change: Callable[[str], Any]) -> Behaviour:
    """The arguments changed from what a good server would send."""

    def changed(call: dict[str, Any]) -> None:
        call["function"]["arguments"] = change(call["function"]["arguments"])

    return _each_call(changed)


def _with(**more: Any) -> Behaviour:
    return _written(lambda text: json.dumps({**json.loads(text), **more}))


def _every_value(value: Any) -> Behaviour:
    return _written(lambda text: json.dumps(dict.fromkeys(json.loads(text), value)))


def _arguments() -> Behaviours:
    fixed = {
        "null": None, "a number": 5, "a list": [1], "true": True, "empty": "", "the text null": "null",
        "the text of a list": "[]", "an empty object": "{}", "deep brackets": "[" * DEEP,
        "closed brackets": '{"path": ' + "[" * 500 + "]" * 500 + "}", "deep objects": '{"a":' * 5_000 + "1" + "}" * 5_000,
        "a long number": '{"from_line": ' + "9" * 5_000 + "}", "a large number": '{"from_line": 1e999}',
        "no number": '{"from_line": NaN}', "infinite": '{"from_line": Infinity}', "half a text": '{"path": "' + "a" * 50_000,
        "many keys": json.dumps({f"k{n}": n for n in range(50_000)}), "words": "read the file, please",
        "in quotes of Python": "{'path': 'a.md'}", "with a comment": '{"path": "a.md" /* x */}',
        "with a comma too much": '{"path": "a.md",}', "XML": "<path>a.md</path>", "YAML": "path: a.md",
        "in a fence": '```json\n{"path": "a.md"}\n```', "zeros": "\x00" * 100, "a bracket": "{", "a digit": "7" * 40_000,
        "a million letters": json.dumps({"path": "a" * 1_000_000}), "two million letters": "a" * 2_000_000,
    }  # fmt: skip
    found: Behaviours = {f"arguments {name}": _function("arguments", value) for name, value in fixed.items()}
    found |= {
        "arguments as an object": _written(json.loads), "arguments encoded twice": _written(json.dumps),
        "arguments encoded three times": _written(lambda text: json.dumps(json.dumps(text))),
        "arguments cut off": _written(lambda text: text[: max(1, len(text) // 2)]),
        "arguments with a mark before": _written(lambda text: "\ufeff" + text),
        "arguments with words after": _written(lambda text: text + " I hope this helps!"),
        "arguments in a list": _written(lambda text: f"[{text}]"),
        "arguments with half characters": _every_value(HALF), "arguments all null": _every_value(None),
        "arguments all numbers": _every_value(-1), "arguments all objects": _every_value({"a": {"b": [1]}}),
        "arguments all acting": _every_value(ACTING), "arguments all paths out": _every_value("../../../etc/passwd"),
        "arguments all empty": _every_value(""), "arguments all long": _every_value("x" * 100_000),
        "arguments with one more": _with(surprise=1), "arguments with a dunder": _with(__class__="x"),
        "arguments named half": _with(**{HALF: 1}), "arguments nested as a text": _written(_nested_text),
    }  # fmt: skip
    return found


def _nested_text(text: str) -> str:
    value = json.loads(text)
    return json.dumps({k: json.dumps(v) if isinstance(v, (list, dict)) else v for k, v in value.items()})


# usage


def _usages() -> Behaviours:
    found: Behaviours = {}
    for name, value in {
        "missing": ..., "null": None, "a list": [], "a text": "many", "a number": 5, "empty": {}, "zero": _used(0),
        "one": _used(1), "negative": _used(-6_000_000), "NaN": _used(float("nan")), "infinite": _used(float("inf")),
        "without end": _used(10**30), "longer than a number": _used(10**400), "huge": _used(10**9), "large": _used(10**6),
        "broken": _used(12.5), "true": _used(True), "in words": _used("12"), "null inside": _used(None),
        "cached more than all": {**_used(10), "prompt_tokens_details": {"cached_tokens": 10**9}},
        "negative cached": {**_used(10), "prompt_tokens_details": {"cached_tokens": -5}},
        "odd details": {**_used(10), "prompt_tokens_details": "x", "completion_tokens_details": [1]},
    }.items():  # fmt: skip
        found[f"usage {name}"] = _changed(_setting(lambda bad: bad, "usage", value))
    return found


def _used(number: Any) -> dict[str, Any]:
    return {"prompt_tokens": number, "completion_tokens": number, "total_tokens": number}
