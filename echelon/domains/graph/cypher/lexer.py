"""Cypher cut into tokens, strictly: what two databases could read in two ways is refused, not guessed.

Source of the token rules: openCypher 9, "Lexical structure", and the Neo4j Cypher manual, chapters "Naming rules",
"Comments" and "Parsing" (a `\\uXXXX` outside a parameter is decoded by some servers before parsing).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum


class CypherRefusedError(Exception):
    """A query may not run; the message is one sentence that says why and what to do instead."""


class Kind(StrEnum):
    """What a token is."""

    WORD = "word"
    NAME = "name"  # in backticks
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `text` stands in the query; `value` is what a string says, or a name without its marks."""

    kind: Kind
    text: str
    value: str
    spaced: bool = field(default=False, compare=False)  # white space or a comment stands before it

    @property
    def keyword(self) -> str:
        """The word in capitals; empty for everything that cannot be a keyword."""
        return self.text.upper() if self.kind is Kind.WORD else ""


_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+)
  | (?P<comment>//[^\r\n]*|/\*.*?\*/)
  | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
  | (?P<name>`[^`\\]+`(?!`))
  | (?P<parameter>\$[A-Za-z_][A-Za-z0-9_]*)
  | (?P<number>(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|(?:[0-9]+(?:\.(?!\.)[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
               (?![A-Za-z0-9_]))
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<symbol>[-+*%^=<>()\[\]{}.,:;|!&?@~]|/(?!\*))
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def tokenize(query: str) -> list[Token]:
    """The tokens of `query`, without comments and white space.

    Raises CypherRefusedError for anything that is not plain Cypher: an escape of the form `\\uXXXX` anywhere, a string,
    comment or name that does not end, and letters outside ASCII that are in neither a string, a comment nor backticks.
    """
    if re.search(r"\\u", query, re.IGNORECASE):
        raise CypherRefusedError("unicode escapes are refused in a query; pass the text as a parameter")
    if "\x00" in query:
        raise CypherRefusedError("a query holds no NUL character")
    tokens: list[Token] = []
    position = 0
    spaced = False
    while position < len(query):
        match = _TOKEN.match(query, position)
        if match is None:
            raise CypherRefusedError(_complaint(query[position]))
        position = match.end()
        group, text = match.lastgroup or "", match.group()
        if group in {"space", "comment"}:
            spaced = True
            continue
        tokens.append(Token(Kind(group), text, _value(Kind(group), text), spaced))
        spaced = False
    return tokens


def _value(kind: Kind, text: str) -> str:
    if kind is Kind.STRING:
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1], flags=re.DOTALL)
    if kind is Kind.NAME:
        return text[1:-1]
    return text.removeprefix("$") if kind is Kind.PARAMETER else text


def _complaint(character: str) -> str:
    if character in "'\"":
        return "a string does not end; pass text as a parameter"
    if character == "/":
        return "a comment does not end"
    if character == "`":
        return "a name in backticks does not end, is empty, or holds a backtick or a backslash"
    if character.isdigit() or character == "$":
        return f"{character!r} starts neither a number nor a parameter name such as $name"
    return f"the character {character!a} is not Cypher here; put names with other letters in backticks"


def render(tokens: list[Token]) -> str:
    """The query that these tokens make: one blank for each white space or comment, and nothing else changed."""
    return "".join((" " if token.spaced else "") + token.text for token in tokens).strip()
