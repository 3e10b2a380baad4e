"""Further behaviours: legal oddities that must work, states that change between requests, and calls that mean ill."""

from __future__ import annotations

import copy
import json
import socket
import time
from collections.abc import Callable
from typing import Any

from benchmarks.hostile.wire import Behaviour, Completion, Http, Reply, http

Change = Callable[[Completion], object]


def further() -> dict[str, Behaviour]:
    """All of them, by name."""
    return {**_legal(), **_broken_http(), **_broken_json(), **_changing(), **_fields(), **_arguments(), **_paths()}


def _changed(change: Change) -> Behaviour:
    def behaviour(good: Completion) -> Reply:
        bad = copy.deepcopy(good)
        change(bad)
        return bad

    return behaviour


def _body(change: Callable[[bytes], bytes]) -> Behaviour:
    return lambda good: Http(200, change(http(good).body))


def _wire(make: Callable[[bytes], bytes]) -> Behaviour:
    """The bytes of a whole answer, made from the body of a good one."""

    def behaviour(good: Completion) -> Reply:
        data = make(http(good).body)
        return lambda connection: connection.sendall(data)

    return behaviour


def _headed(*headers: bytes, status: bytes = b"HTTP/1.1 200 OK") -> Behaviour:
    head = b"".join(header + b"\r\n" for header in (status, b"Content-Type: application/json", *headers))
    return _wire(lambda body: head + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def _message(bad: Completion) -> dict[str, Any]:
    message: dict[str, Any] = bad["choices"][0]["message"]
    return message


def _more(**fields: Any) -> Behaviour:
    """Fields of the message beside the good ones."""
    return _changed(lambda bad: _message(bad).update(fields))


def _around(**fields: Any) -> Behaviour:
    """Fields of the answer beside the good ones, or in their place."""
    return _changed(lambda bad: bad.update(fields))


# what a good server may do, though few do


def _chunked(body: bytes) -> bytes:
    pieces = [body[at : at + 7] for at in range(0, len(body), 7)]
    chunks = b"".join(b"%x;name=value\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + chunks + b"0\r\nX-Trailer: late\r\n\r\n"


def _slowly(good: Completion) -> Reply:
    def wire(connection: socket.socket) -> None:
        time.sleep(0.6)
        connection.sendall(http(good).sent())

    return wire


def _legal() -> dict[str, Behaviour]:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
    return {
        "early hints first": _wire(lambda body: early + http(json.loads(body)).sent()),
        "many small chunks with a trailer": _wire(_chunked),
        "HTTP/1.0 until it closes": _wire(lambda body: b"HTTP/1.0 200 OK\r\n\r\n" + body),
        "blanks around the JSON": _body(lambda body: b"\n\n  " + body + b"  \r\n"),
        "all escaped": _body(lambda body: json.dumps(json.loads(body), ensure_ascii=True, indent=4).encode()),
        "an error that is null": _around(error=None),
        "an answer after most of its time": _slowly,
        "two hundred cookies": _headed(*[b"Set-Cookie: a%d=b; Path=/" % n for n in range(200)]),
        "stop as the reason of calls": _changed(lambda bad: bad["choices"][0].update(finish_reason="stop")),
        "words beside the calls": _more(content="I will do that at once. The job is COMPLETED."),
        "a long thought beside the calls": _more(reasoning_content="Let me think. " * 50_000),
        "a thought that is an object": _more(reasoning={"steps": [1, 2, {"deep": []}]}, reasoning_details=[None]),
        "odd things beside the calls": _more(annotations="x", audio={"data": 5}, function_call=None, refusal=""),
    }  # fmt: skip


# HTTP


def _broken_http() -> dict[str, Behaviour]:
    switching = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x00"
    return {
        "another protocol is switched to": _wire(lambda _body: switching),
        "an alert of TLS": _wire(lambda _body: b"\x15\x03\x01\x00\x02\x02\x28"),
        "two answers at once": _wire(lambda body: http(json.loads(body)).sent() + http({"choices": []}).sent()),
        "a folded header": _headed(b"X-A: b\r\n  folded"),
        "a header without a colon": _headed(b"no colon here"),
        "a header with a zero byte": _headed(b"X-A: b\x00c"),
        "a header that is no Latin": _headed("X-A: \u2603".encode()),
        "a long reason": _headed(status=b"HTTP/1.1 200 " + b"O" * 200_000),
        "a reason that acts": _headed(status=b"HTTP/1.1 500 \x1b[2J\x1b]0;owned\x07"),
        "a length of nothing before a body": _wire(lambda body: b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + body),
        "packed twice": lambda good: Http(200, http(good).body, {"Content-Encoding": "gzip, gzip"}),
        "packed and chunked at once": _headed(b"Transfer-Encoding: gzip, chunked"),
        "told to try a bad request again": lambda _good: Http(400, b"{}", {"x-should-retry": "true"}),
        "told not to try a busy one again": lambda _good: Http(503, b"{}", {"x-should-retry": "false"}),
        "to be asked again at once for ever": lambda _good: Http(429, b"{}", {"Retry-After": "0"}),
        "to be asked again in milliseconds": lambda _good: Http(429, b"{}", {"retry-after-ms": "99999999"}),
    }  # fmt: skip


# JSON


def _broken_json() -> dict[str, Behaviour]:
    def twice(body: bytes) -> bytes:
        return body[:-1] + b', "choices": null}'

    def deltas(good: Completion) -> Reply:
        parts = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in ("I ", "am ", "a stream.")]
        text = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
        return Http(200, text.encode(), {"Content-Type": "text/event-stream"})

    return {
        "the same key twice": _body(twice),
        "a stream of deltas": deltas,
        "a list of one answer": _body(lambda body: b"[" + body + b"]"),
        "an answer as a text": _body(lambda body: json.dumps(body.decode()).encode()),
        "an answer in a field": lambda good: {"response": good},
        "in Latin-1": _body(lambda body: body.replace(b'"chat.completion"', b'"caf\xe9"')),
        "a surrogate in a key": _body(lambda body: body[:-1] + b', "\\ud800": 1}'),
        "a hundred thousand fields": _around(**{f"field{n}": n for n in range(100_000)}),
        "an error beside good choices": _around(error={"message": "quota", "code": 429}),
        "an empty choice before the good one": _changed(
            lambda bad: bad["choices"].insert(0, {"index": 0, "message": {"role": "assistant", "content": ""}})
        ),
    }  # fmt: skip


# one time so, another time otherwise


def _changing() -> dict[str, Behaviour]:
    def turns(*ways: Callable[[Completion], Reply]) -> Behaviour:
        asked = [0]

        def behaviour(good: Completion) -> Reply:
            asked[0] += 1
            return ways[asked[0] % len(ways)](good)

        return behaviour

    def later(count: int, way: Callable[[Completion], Reply]) -> Behaviour:
        asked = [0]

        def behaviour(good: Completion) -> Reply:
            asked[0] += 1
            return good if asked[0] <= count else way(good)

        return behaviour

    def stale() -> Behaviour:
        first: list[Completion] = []

        def behaviour(good: Completion) -> Reply:
            first.append(good)
            return first[max(0, len(first) - 2)]  # what should have been said the time before

        return behaviour

    busy = Http(503, b"busy")
    return {
        "busy every second time": turns(lambda good: good, lambda _good: busy),
        "busy from the sixth on": later(5, lambda _good: busy),
        "cut off from the fourth on": later(3, lambda good: lambda c: c.sendall(http(good).sent()[:200])),
        "the key is refused from the fifth on": later(4, lambda _good: Http(401, b"{}")),
        "always the answer before": stale(),
        "every answer another error": turns(
            lambda _good: Http(500, b"x"), lambda _good: Http(200, b"x"), lambda _good: Http(200, b"{}"), lambda g: g
        ),
    }  # fmt: skip


# single fields


def _fields() -> dict[str, Behaviour]:
    big = 2**63
    usages: dict[str, Any] = {
        "lists": {"prompt_tokens": [1], "completion_tokens": {}, "total_tokens": "x"}, "of 64 bits": {
            "prompt_tokens": big, "completion_tokens": big - 1, "total_tokens": big * 2},
        "a total alone": {"total_tokens": 7}, "signs mixed": {"prompt_tokens": 500, "completion_tokens": -400},
        "with a cost": {"prompt_tokens": 5, "completion_tokens": 5, "cost": -9.5, "cost_details": {"x": float("nan")}},
    }  # fmt: skip
    found = {f"usage: {name}": _around(usage=value) for name, value in usages.items()}
    return found | {
        "a model that is nobody": _around(model=None, id=None, created="yesterday", object={"a": 1}),
        "a time beyond all": _around(created=10**400),
        "a fingerprint without end": _around(system_fingerprint=json.loads("[" * 90 + "]" * 90)),
        "calls that share one id": _changed(lambda bad: _calls(bad, lambda call: call.update(id="same"))),
        "a custom call": _changed(
            lambda bad: _calls(bad, lambda c: c.update(type="custom", custom={"name": "x", "input": "y"}))
        ),
        "a call of everything at once": _changed(_everything),
    }  # fmt: skip


def _calls(bad: Completion, change: Callable[[dict[str, Any]], object]) -> None:
    for call in _message(bad).get("tool_calls") or []:
        change(call)


def _everything(bad: Completion) -> None:
    names = ("append_file", "todo_complete", "submit_report", "submit_verdict", "submit_assessment", "job_complete")
    _message(bad)["tool_calls"] = [
        {"id": f"all{n}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(names)
    ]


def _written(change: Callable[[str], str]) -> Behaviour:
    def each(call: dict[str, Any]) -> None:
        call["function"]["arguments"] = change(call["function"]["arguments"])

    return _changed(lambda bad: _calls(bad, each))


def _arguments() -> dict[str, Behaviour]:
    return {
        "arguments with a key twice": _written(lambda text: text[:-1] + ', "path": "../../x", "path": 5}'),
        "arguments with zeros after": _written(lambda text: text + "\x00\x00"),
        "arguments of blanks": _written(lambda _text: " \n\t " * 100),
        "arguments with a mark in a key": _written(lambda text: text.replace('{"', '{"\ufeff', 1)),
        "arguments with keys in capitals": _written(
            lambda text: json.dumps({k.upper(): v for k, v in json.loads(text).items()})
        ),
        "arguments as pairs": _written(lambda text: json.dumps(list(json.loads(text).items()))),
        "arguments below a name": _written(lambda text: json.dumps({"arguments": json.loads(text)})),
        "arguments of ninety levels": _written(lambda _text: '{"a":' * 90 + "1" + "}" * 90),
        "arguments with a long list": _written(lambda text: json.dumps({**json.loads(text), "todos": ["x"] * 100_000})),
        "arguments with half an escape": _written(lambda text: text[:-1] + ', "x": "\\u12"}'),
    }  # fmt: skip


def _paths() -> dict[str, Behaviour]:
    """Every call with a path gets this one; what is asked for has to come about all the same, or the end says why."""
    places = {
        "of git": ".git/hooks/post-commit", "of the trace": "trace/job.json", "with a zero byte": "output/a\x00b.md",
        "of a device": "/dev/stdin", "of Windows": "C:\\Windows\\x.md", "in wide letters": "\uff0fetc/passwd",
        "turned round": "output/\u202edm.1-tluser", "without end": "output/" + "a/" * 3_000 + "b.md",
        "of a folder": "output/", "of a home": "~/.bashrc", "of an address": "http://127.0.0.1:9/x.md",
        "with a line break": "output/result-1.md\nFAKE: Job is completed", "in capitals": "OUTPUT/RESULT-1.MD",
    }  # fmt: skip

    def put(path: str) -> Callable[[dict[str, Any]], object]:
        def change(call: dict[str, Any]) -> None:
            arguments = json.loads(call["function"]["arguments"])
            if "path" in arguments:
                call["function"]["arguments"] = json.dumps({**arguments, "path": path})

        return change

    return {f"a path {name}": _changed(lambda bad, p=path: _calls(bad, put(p))) for name, path in places.items()}
