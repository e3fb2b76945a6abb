"""The plan of `undelete` on a terminal: its lines, the question, and `--folder OLD=NEW`.

Tested in: tests/interfaces/cli/test_resume.py
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from dejavu.model import InvalidValueError
from dejavu.services.undelete.plan import Plan

from .output import confirm, one_line
from .stdio import ExitError

_DIGITS = 12  # of a digest, for people


def mapped(pairs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`OLD=NEW` as pairs of absolute folders.

    Raises:
        InvalidValueError: one has no `=`, or is not absolute.
    """
    found: list[tuple[str, str]] = []
    for pair in pairs:
        old, _, new = pair.partition("=")
        new = str(Path(new).expanduser()) if new else ""
        if not (old.startswith("/") and new.startswith("/")):
            raise InvalidValueError(f"--folder {pair!r}: use OLD=NEW, both absolute")
        found.append((old.rstrip("/") or "/", new.rstrip("/") or "/"))
    return tuple(found)


def check_answer(*, yes: bool, count: int) -> None:
    """Ask whether to go ahead.

    Raises:
        InvalidValueError: there is no terminal to ask on.
        ExitError: the answer is no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidValueError("no terminal to ask on: add --yes, or --dry-run to look")
    if not confirm(f"Make {count} change{'s' if count > 1 else ''}?"):
        raise ExitError(130)


def print_plan(plan: Plan) -> None:
    """The plan, a line a step; of a file that differs both."""
    for step in plan.steps:
        where = one_line(str(step.path)) if step.path else ""
        detail = f"{step.size} bytes" if step.size else ""
        words = ", ".join(filter(None, (detail, one_line(step.what))))
        print(f"{step.state:8} {where}{'  ' if where and words else ''}{words}")
        if step.state == "differs" and step.differs_at is not None:
            print(f"         archived  {step.size:>10} bytes  sha256 {step.digest[:_DIGITS]}")
            print(
                f"         there     {step.size_there or 0:>10} bytes  "
                f"sha256 {step.digest_there[:_DIGITS]}  first difference at byte {step.differs_at}"
            )
