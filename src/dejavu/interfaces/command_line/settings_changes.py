"""Show changes of agents' settings line by line, make them, and say what became of each file.

What `init`, `init --upgrade` and `uninstall` share. It plans no change: that is `integrations`.

Tested in: tests/interfaces/command_line/test_upgrade.py
"""

from collections.abc import Callable

from dejavu.integrations.changes import Change
from dejavu.model import ConfigError
from dejavu.redact.sanitise import sanitise

from .output import one_line, print_note, style
from .stdio import ExitError


def show(planned: list[Change], *, diffs: bool = True) -> None:
    """What would be done, file by file; without `diffs` only what is left alone."""
    for change in planned:
        where = f"{change.agent}: {change.what} in {change.path}"
        if change.refused:
            print_note(f"left alone: {one_line(str(change.path))}: {one_line(change.refused)}")
        elif change.needed and diffs:
            print(style(one_line(where), "1"))
            for row in change.diff().split("\n")[2:-1]:
                code = {"+": "32", "-": "31"}.get(row[:1], "2")
                print(style(sanitise(row, newlines=False), code))


def apply_changes(wanted: list[Change], act: Callable[[Change], None]) -> None:
    """Make the changes and say of each what was done; one that fails does not stop the others."""
    failed = False
    for change in wanted:
        try:
            act(change)
        except (ConfigError, OSError) as error:
            print_note(
                f"not changed: {one_line(str(change.path))}: {one_line(_reason(error, change))}"
            )
            failed = True
        else:
            if change.needed:
                print(f"{_outcome(change):8} {one_line(str(change.path))}")
    if failed:
        raise ExitError(1)


def _reason(error: Exception, change: Change) -> str:
    """What failed, and where, if that is another file (of ours)."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    elsewhere = error.filename not in (None, str(change.path))
    return error.strerror + (f" ({error.filename})" if elsewhere else "")


def _outcome(change: Change) -> str:
    """What became of the file: one that has its first bytes again was restored."""
    if change.planned is None:
        return "deleted"
    if change.current is None:
        return "wrote"
    return "restored" if change.planned == change.original else "changed"
