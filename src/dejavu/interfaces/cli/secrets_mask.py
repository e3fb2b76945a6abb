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

    Screen turns are masked by today's rules. With --native every secret that `dejavu secrets list`
    names is masked in agents' own text too, for good; it does not come back with the next sync.
    """
    mask_stored(dry_run=dry_run, native=native, yes=yes)
