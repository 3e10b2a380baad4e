"""Words of a tool's definition that speak to the model instead of saying what the tool does.

A definition is text of a stranger that stands in a prompt. Who only describes a tool has no need of the forms below:
orders to the model, talk of people who must not know, other tools, secrets, hidden or packed text. Who has is refused;
a person who wants the tool all the same describes it in the settings, and nothing of the server's words is shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MOST_BLANKS = 40
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_SELECTORS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))

_I = re.IGNORECASE
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("it tells to set instructions aside", re.compile(
        r"\b(ignor\w*|disregard|forget|overrid\w+|bypass|vergiss|missachte)\b.{0,60}"
        r"\b(instruction|rule|prompt|polic|guideline|restriction|direction|anweisung|regel|vorgabe)", _I | re.S)),
    ("it speaks of people who must not know", re.compile(
        r"\b(do not|don'?t|never|without|not to|must not|should not|avoid|nicht|ohne)\b.{0,40}"
        r"\b(tell\w*|mention\w*|inform\w*|reveal\w*|show\w*|notify\w*|ask\w*|warn\w*|disclos\w*|alert\w*|report\w*|sagen"
        r"|erwähn\w*|verrat\w*|frag\w*)\b.{0,40}\b(user|person|human|anyone|anybody|nobody|operator|owner|customer|nutzer"
        r"|benutzer|mensch\w*)", _I | re.S)),
    ("it speaks of keeping something secret", re.compile(r"\b(silently|secretly|covertly|quietly|heimlich|"
        r"(keep|stay)\w* (this|it) (secret|hidden|confidential))\b", _I)),
    ("it orders calls of other tools", re.compile(
        r"\b(before|after|instead of|prior to|whenever|each time|every time|when)\b.{0,30}\b(you )?"
        r"(us(e|ing)|call(ing)?|invok(e|ing)|run(ning)?)\b.{0,25}\b(tool|function)", _I | re.S)),
    ("it gives orders to the model", re.compile(
        r"\b(you (must|should|have to|need to|are|will|shall)|always|must (first|always)|first,? you)\b.{0,30}"
        r"\b(call|read|send|includ|pass|us(e|ing)\b|run|execut|invok|open|copy|forward|an? (ai|assistant|agent|model)|"
        r"now|allowed|obey|follow)", _I | re.S)),
    ("it addresses the model", re.compile(
        r"\b(assistant|language model|llm|ai model|ai agent|system prompt|chain of thought|jailbreak|developer mode|"
        r"(conversation|chat|message) history|(previous|earlier|prior) (messages?|conversation|tool (results?|calls?)))\b",
        _I)),
    ("it names places of secrets", re.compile(
        r"(~/|\.ssh\b|id_rsa|id_ed25519|/etc/(passwd|shadow)|\.env\b|\.aws\b|\.netrc|\.kube\b|mcp\.json|"
        r"\b(api|private|access|secret)[ _-]?keys?\b|\bpasswords?\b|\bcredentials?\b|\benvironment variables?\b|"
        r"\bpasswort|\bzugangsdaten)", _I)),
    ("it says where to send something", re.compile(
        r"\b(send|post|forward|upload|bcc|cc|submit|transmit|exfiltrat\w*|deliver|report|copy|copied|redirect)\b"
        r".{0,80}(https?://|\S+@\S+\.\w+)", _I | re.S)),
    ("it holds marks of a prompt", re.compile(
        r"(</?\s*(important|system|instructions?|secret|hidden|admin|assistant|user|tool\w*|prompt|critical|note)\b[^>]*>|"
        r"\[/?(inst|system)\]|<\|[^|>]*\|>|^\s*#{1,6}\s*(system|instructions?|important)\b|<!--|!\[|\b(system|assistant)\s*:)",
        _I | re.M)),
    ("it speaks for other tools", re.compile(
        r"\b(replaces?|supersedes?|deprecat\w+|instead of|in place of|rather than|prefer this)\b.{0,50}\btools?\b",
        _I | re.S)),
    ("it claims an approval", re.compile(
        r"\b(pre-?approved|already (approved|authori[sz]ed|confirmed)|no (approval|confirmation) (is )?(needed|required)|"
        r"without (confirmation|approval))\b", _I)),
    ("it holds packed text", re.compile(r"[A-Za-z0-9+/]{60,}={0,2}|(?:\\u[0-9a-f]{4}){8,}|(?:%[0-9a-f]{2}){12,}|"
        r"\b(data|javascript):\S", _I)),
)  # fmt: skip


def found(text: str, names: Iterable[str] = ()) -> list[str]:
    """What is wrong with a text, one clause each. `names` are tools of others, which it has no cause to name."""
    wrong = [says for says, form in _FORMS if form.search(text)]
    wrong += ["it holds characters that are not seen"] if any(map(_is_unseen, text)) else []
    wrong += ["it mixes alphabets in a word"] if any(map(_is_mixed, text.split())) else []
    wrong += ["it hides text behind blanks"] if re.search(rf"\s{{{MOST_BLANKS},}}", text) else []
    named = sorted(name for name in names if "_" in name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    return wrong + ([f"it names {named[0]}, a tool of another"] if named else [])


def _is_unseen(character: str) -> bool:
    if character in "\n\t":
        return False
    number = ord(character)
    return unicodedata.category(character) in _UNSEEN or any(low <= number <= high for low, high in _SELECTORS)


def _is_mixed(word: str) -> bool:
    """Whether a word has Latin letters beside Greek or Cyrillic ones that look like them."""
    alphabets = {unicodedata.name(c, "").split(" ")[0] for c in word if c.isalpha() and not c.isascii()}
    return bool(alphabets & {"CYRILLIC", "GREEK"}) and any(c.isascii() and c.isalpha() for c in word)
