"""Texts in disguise: letters of other scripts, signs that nobody sees, words in Base64. They are read as what they show."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u115f\u1160\u3164\u2800]")
_STRUCK = re.compile("[\u0334-\u0338]")
_LIKE = str.maketrans("АВЕКМНОРСТХаеорсухѕіјΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEKMHOPCTXaeopcyxsijABEZHIKMNOPTYXo")
"""Letters of Cyrillic and Greek that look like Latin ones."""
_WORD = re.compile(r"[^\W\d_]+")
_APART = re.compile(r"^(\W*)((?:[^\W\d_] ){2,}[^\W\d_])(\W*)$", re.MULTILINE)
_BASE64 = re.compile(r"^[A-Za-z0-9+/]+={0,2}$")
_ENCODING_IS_ASKED_FOR = re.compile(r"base ?64|\b(?:en|de)cod\w*|kodier\w*", re.IGNORECASE)
LEAST_ENCODED = 60
"""Signs from which a text may be one in Base64."""


def plain(text: str) -> str:
    """A text as it looks: in one form of each letter, without what nobody sees, and letters that stand apart as words."""
    seen = unicodedata.normalize("NFKC", _STRUCK.sub("", _UNSEEN.sub("", text)))
    if not seen.isascii() and any(map(_is_mixed, _WORD.findall(seen))):
        seen = _WORD.sub(lambda m: _latin(m.group()), seen)
    return _APART.sub(lambda m: m[1] + m[2].replace(" ", "") + m[3], seen)


def _is_mixed(word: str) -> bool:
    """Whether some letters of a word are Latin and all others look like it: then others of the text may be, too."""
    return any(c.isascii() for c in word) and _latin(word) != word


def _latin(word: str) -> str:
    """The word in Latin letters, where each of its letters is one or looks like one."""
    turned = word.translate(_LIKE)
    return turned if all(c.isascii() or unicodedata.name(c, "").startswith("LATIN") for c in turned) else word


def decoded(text: str) -> str:
    """What a text in Base64 says; '' for any other. Headings do not count."""
    signs = "".join("".join(line.split()) for line in text.splitlines() if not line.startswith("#"))
    if len(signs) < LEAST_ENCODED or not _BASE64.match(signs) or signs.lower() == signs or signs.upper() == signs:
        return ""
    try:
        said = base64.b64decode(signs, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return said if all(c.isprintable() or c.isspace() for c in said) else ""


def may_be_encoded(request: str) -> bool:
    """Whether a request speaks of encoding."""
    return _ENCODING_IS_ASKED_FOR.search(request) is not None
