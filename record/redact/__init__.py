"""Redaction: secrets in captured text become `[redacted:<rule>:<hmac8>]`.

`Redactor` masks texts, screen rows and streams; `secret_values` picks the secrets out of an
environment; `RULES` is the table. Takes and gives text, does no I/O. The vendors' tables hold data
only: a new vendor is a line there.
"""

from .engine import RULES, Redactor
from .known import secret_values
from .rule import Rule
from .stream import RedactedLines

__all__ = ["RULES", "RedactedLines", "Redactor", "Rule", "secret_values"]
