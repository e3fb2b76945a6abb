"""`dejavu gc`: delete unreachable records; with `--compact` give the disk its space back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive

from .output import print_json, print_left_behind

if TYPE_CHECKING:
    import typer

    from .options import Json


def command(
    compact: Annotated[
        bool, typer.Option("--compact", help="Rewrite the archive without its free pages.")
    ] = False,
    json: Json = False,
) -> None:
    """Free unused space in the archive."""
    with open_archive(write=True) as archive:
        done = archive.gc(compact=compact)
    print_left_behind(done.left)
    figures = {name: value for name, value in done._asdict().items() if name != "left"}
    if json:
        print_json({**figures, "left": [str(copy.path) for copy in done.left]})
    else:
        print(", ".join(f"{value} {name.replace('_', ' ')}" for name, value in figures.items()))
