"""Rules for keys in base64: of a PEM file, of DER without a header, and of any vendor's token.

The beginning of an encoded text is known where the beginning of the text is. Data, made from the
vendors' tables. Cost: constant for an attempt.
"""

import base64
import binascii
import re
from collections.abc import Iterable

from dejavu.model.late_pattern import late_pattern

from .generic_rules import PEM_BODY
from .rule import Rule

__all__ = ["encoded_rules"]

_SHORTEST_PREFIX = 4  # characters of a token's prefix: five and a third in base64
_TOKEN = re.compile(rb"[\x20-\x7e\s]+")
_BODY = r"[A-Za-z0-9+/]{20,4096}+={0,2}"
_PEM = r"[A-Za-z0-9+/]{40,65536}+(?:(?:\\{1,4}[nr]|\s){1,8}[A-Za-z0-9+/]{16,128}+){0,400}+={0,2}"
_DER = (
    "MIIBOg", "MIIBOw", "MIICW", "MIICX", "MIICd", "MIIEo", "MIIEp", "MIIEv", "MIIG4", "MIIG5", "MIIJJ",
    "MIIJK", "MIIJQ", "MIIJR", "MIGHAgEA", "MIG2AgEA", "MHcCAQEEI", "MC4CAQAw", "b3BlbnNzaC1rZXktdjEA",
)  # fmt: skip


def _start(prefix: str) -> str:
    """Return what base64 of every text with this prefix begins with."""
    return base64.b64encode(prefix.encode()).decode().rstrip("=")[: len(prefix) * 8 // 6]


def _is_private(match: re.Match[str]) -> bool:
    return b"PRIVATE KEY" in _decoded(match[0][:60])


def _is_text(match: re.Match[str]) -> bool:
    """Whether what is encoded is a text: chance gives no forty printable characters."""
    return _TOKEN.fullmatch(_decoded(match[0])) is not None


def _decoded(text: str) -> bytes:
    text = text.rstrip("=")
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def encoded_rules(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules for base64 of keys, and of the tokens of these rules."""
    prefixes = {
        anchor
        for rule in rules
        if rule.random and not rule.lookbehind
        for anchor in rule.anchors
        if len(anchor) >= _SHORTEST_PREFIX
    }
    return (
        Rule(
            "private-key-b64", "", (_start("-----BEGIN "),),
            late_pattern(_start("-----BEGIN ") + _PEM),
            "", "base64 of RFC 7468", validator=_is_private,
        ),
        Rule(
            "private-key-der", "", _DER,
            late_pattern(
                r"(?:MII[A-Za-z0-9+/]{2,4}(?:IBADANBgkqhkiG9w0BAQEFAASC|IBAAK[BC])|MIG[H2]AgEAM|MHcCAQEEI"
                rf"|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjEA)[A-Za-z0-9+/=]{{16,}}+(?:{PEM_BODY})*+"
            ),
            "", "RFC 5208, RFC 5915, RFC 8017; OpenSSH PROTOCOL.key",
        ),
        Rule(
            "token-b64", "", tuple(sorted({_start(prefix) for prefix in prefixes})), late_pattern(_BODY),
            "", "base64 of a vendor's token", validator=_is_text,
        ),
    )  # fmt: skip
