"""Redaction: secrets in captured text become `[redacted:<rule>:<hmac8>]`.

`Redactor` masks texts, screen rows and streams; `secret_values` picks the secrets out of an
environment; `RULES` is the table. Works on text, does no I/O. The vendors' tables hold data only: a
new vendor is a line there.
"""

from typing import TYPE_CHECKING

from dejavu import names_on_first_use

if TYPE_CHECKING:
    from .engine import RULES, Redactor, UnjudgedError
    from .known_secrets import secret_values
    from .rule import Rule
    from .stream import RedactedLines

_MODULES = {
    "RULES": ".engine",
    "RedactedLines": ".stream",
    "Redactor": ".engine",
    "Rule": ".rule",
    "UnjudgedError": ".engine",
    "secret_values": ".known_secrets",
}

__all__ = ["RULES", "RedactedLines", "Redactor", "Rule", "UnjudgedError", "secret_values"]


# Loaded on first use: the rule tables take milliseconds, most displays want `sanitise` only.
__getattr__ = names_on_first_use(__name__, _MODULES)
