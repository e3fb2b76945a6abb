"""Whether a value assigned to a secret's name is a secret, not code, a path or a placeholder.

Pure string checks on at most 128 characters; no entropy. Errs towards leaving code readable:
what is a variable, a call, a path, words or a placeholder is not a secret.
"""

import re

from dejavu.model.late_pattern import late_pattern

__all__ = ["is_named_harmless", "is_plausible_secret", "is_short_password"]

_SHORTEST = 12
_MIXED = late_pattern(r"(?=[^0-9]*[0-9])[^A-Za-z]*[A-Za-z]")
_INTERPOLATED = late_pattern(r"\$\{|\{\{|\$\(|%\(|#\{|://|…|\.\.\.|^(?:\$|<|%[sdr{<]|\{|\[)")
_CODE = late_pattern(
    r"::|->|=>|\(|\)|\]|\[|\{|\}|={2,3}(?=[^=])|!=|\+=(?=.)|^(?:%|@|~|\*|&|!)|^(?:process|os|self|this|cls|config|settings|env|secrets|args|ctx|"
    r"request|req|res|response|data|options|opts|params)\."
)
_PATH = late_pattern(r"^(?:[A-Za-z]:\\|\.{0,2}/|~/)(?:[\w.@-]+/)+[\w.@-]*$")
_PLACEHOLDER = late_pattern(
    r"example|placeholder|change.?me|your.?|xxxx|\*\*\*|redacted|dummy|sample|replace|todo|"
    r"insert|default|undefined|null|none|hidden|masked|12345678|abcdefgh|test.?(?:key|token|pass)",
    re.IGNORECASE,
)
_DIGEST = late_pattern(r"^(?:sha[0-9]{1,3}|md5|blake2[bs]?|crc32|h1)[:-]", re.IGNORECASE)
_UUID = late_pattern(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
# A word of code or prose, with a small number at its end, or a number: python3, v2, 2026.
_WORDLIKE = late_pattern(r"[A-Za-z]*[0-9]{0,2}|[0-9]{1,20}|v[0-9]+[a-z]?|[0-9]{2}T[0-9]{2}")
_PIECES = late_pattern(r"[-_./:@+=#?%~^]+")
# "cache_key", "next_page_token", "public_key", "token_hash": named like secrets, and are none.
_HARMLESS_OWNER = late_pattern(
    r"(?:hash|digest|checksum|integrity|fingerprint|public|publishable|cache|primary|foreign|sort|"
    r"partition|idempotency|page|next|prev|continuation|sync|pagination|cursor|csrf|xsrf|sha|etag|"
    r"max|min|input|output|total|completion|prompt|object|blob|commit|tree|pub|host|known|site|"
    r"trace|span|request|message|msg|row|index|map|hot|short|anon|measurement)(?:[_ .-]?key)?[_ .-]?$",
    re.IGNORECASE,
)
# What a value next to an id may be called, and is no secret then: a digest, a revision, another id.
_HARMLESS_NAME = late_pattern(
    r"(?:sha-?[0-9]{0,3}|md5|commit|revision|rev|tree|blob|parent|index|digest|checksum|integrity|hash|etag|"
    r"fingerprint|thumbprint|canonical|trace|span|request|session|message|user|uuid|guid|version|image|layer|\bid|_id|Id|ID|arn)"
    r"[\"'`]{0,2}[ \t]{0,4}[:=@ ][ \t]{0,4}[\"'`]?(?:[a-z0-9]{2,8}:)?$",
)
_SYMBOL = late_pattern(r"[!@#$%^&*?]")
_ALIKE = 6


def is_plausible_secret(value: str, *, key: str, before: str, quoted: bool) -> bool:
    """Whether `value`, assigned to a name with the keyword `key`, is to be masked.

    before: up to 24 characters in front of the keyword; quoted: a quote opened the value.
    """
    value = value.rstrip(".,;:)]}>")
    if len(value) < _SHORTEST or len(set(value)) < _ALIKE:
        return False
    if not _MIXED.match(value):
        return False
    if _INTERPOLATED.search(value) or (not quoted and _CODE.search(value)):
        return False
    if _DIGEST.match(value) or _PLACEHOLDER.search(value):
        return False
    if _HARMLESS_OWNER.search(before) or _PATH.match(value):
        return False
    if _UUID.fullmatch(value):
        # Sessions, requests and messages are numbered by UUID; passwords and API keys rarely, but
        # then it is the name that tells.
        setting = key.isupper() and before.endswith("_")
        return setting or key.lower() not in {"token", "cookie", "credential", "_key"}
    if quoted and _SYMBOL.search(value):
        return True
    return not all(_WORDLIKE.fullmatch(piece) for piece in _PIECES.split(value))


def is_named_harmless(before: str) -> bool:
    """Whether the text in front of a value names it as what is no secret: a digest, an id."""
    return _HARMLESS_NAME.search(before) is not None


_SHORTEST_PASSWORD = 6
_ATTRIBUTE = late_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_TYPE = late_pattern(
    r"(?:str|string|bytes|text|varchar\d*|char\d*|secretstr|optional|int\d*)\b", re.IGNORECASE
)


def is_short_password(value: str, *, setting: bool, quoted: bool) -> bool:
    """Whether `value`, assigned to a name that says password, is one, however short.

    setting: the name is written as settings are (`DB_PASSWORD`); quoted: a quote opened the value.
    Needs a digit or a sign besides letters: a bare word is a default, a type or a placeholder.
    """
    value = value.rstrip(".,;:)]}")
    if len(value) < _SHORTEST_PASSWORD or len(set(value)) < 4:
        return False
    if _INTERPOLATED.search(value) or _PLACEHOLDER.search(value) or _PATH.match(value):
        return False
    if not quoted and (_CODE.search(value) or _ATTRIBUTE.fullmatch(value) or _TYPE.match(value)):
        return False
    letters = any(map(str.isalpha, value))
    digits, signs = any(map(str.isdigit, value)), bool(_SYMBOL.search(value))
    if not letters or not (digits or signs):
        return False
    return setting or signs or not all(_WORDLIKE.fullmatch(part) for part in _PIECES.split(value))
