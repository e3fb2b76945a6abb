"""`dejavu secrets mask`: apply today's rules to stored screen turns, with --native to all text."""

from __future__ import annotations

from typing import Annotated

from ..command_line.parameters import Option
from .redact import mask_stored


def command(
    native: Annotated[
        bool, Option("--native", help="Also agents' own text in the archive.")
    ] = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would change, change nothing.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask (--native).")] = False,
) -> None:  # fmt: skip
    """Mask secrets in stored turns.

    Stored screen turns are masked by the current rules. --native also masks, in agents' own text, every
    secret that `dejavu secrets list` shows. That is for good: a later sync doesn't bring it back.
    """
    mask_stored(dry_run=dry_run, native=native, yes=yes)
