"""The form of a finding: what was looked at, how it is, and the cure if it is not well."""

from enum import StrEnum
from typing import Any

import msgspec


class Grade(StrEnum):
    """How it is. Only `BAD` makes the doctor's exit code 1."""

    GOOD = "good"
    NOTE = "note"
    BAD = "bad"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One finding. `facts` are for machines, `told` and `cure` for people."""

    subject: str
    grade: Grade
    told: str
    cure: str = ""
    facts: dict[str, Any] = {}
