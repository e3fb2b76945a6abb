"""A finding of the doctor: what was checked, how bad it is, and the fix."""

from enum import StrEnum
from typing import Any

import msgspec


class Severity(StrEnum):
    """How bad it is. Only `ERROR` makes the doctor's exit code 1."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


_ALIASES = {Severity.OK: "good", Severity.WARNING: "note", Severity.ERROR: "bad"}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One finding. `facts` are for programs, `message` and `fix` for people."""

    subject: str
    severity: Severity
    message: str
    fix: str = ""
    facts: dict[str, Any] = {}

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON; `grade`, `told` and `cure` are deprecated names of before 0.2."""
        aliases = {"grade": _ALIASES[self.severity], "told": self.message, "cure": self.fix}
        return {**msgspec.to_builtins(self), **aliases}


def worst_first(findings: list[Finding]) -> list[Finding]:
    """Errors, then warnings, then what is well; within each in the order of the checks."""
    order = (Severity.ERROR, Severity.WARNING, Severity.OK)
    return sorted(findings, key=lambda finding: order.index(finding.severity))
