"""Pictures of the browser by task and size, as SVG: drawn from one made-up archive at one moment.

    make tui-pictures                      write them all anew; refuses under CI
    python -m tests.interfaces.tui.pictures  the same

Takes an empty folder; gives the text of a picture. The clock, the zone, the archive and the
sessions are fixed, so the same Textual and Rich draw the same bytes; `VERSIONS` names those that
did.
"""

import asyncio
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

from rich.console import Console
from tests.interfaces.tui.demo import NOW, fill, histories
from tests.interfaces.tui.driving import SIZES, browsing, screen, settle

GOLDENS = Path(__file__).with_name("pictures")
VERSIONS = GOLDENS / "drawn-by.txt"
# Rich's own form loads fonts from the network; a picture needs none.
_FORM = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
text {{ font: {char_height}px "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  white-space: pre; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})"
  clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
{matrix}
</g>
</svg>
"""

Task = tuple[tuple[str, ...], str]

TASKS: dict[str, Task] = {
    "open": ((), "blocked"),
    "read": (("down", "enter"), "never called"),
    "unfold": (("down", "enter", "j", "j", "j", "enter"), "▾ Edit"),
    "search": (("slash", *"budget"), "I have a plan"),
    "projects": (("2", "right", "down"), "Last 7 days"),
    "resume": (("down", "enter", "R"), "codex resume"),
    "keys": (("question_mark",), "Keys"),
}
"""What somebody does: the keys, and what is on the screen once it is done."""

FIRST_RUN: Task = ((), "These agents have histories here")


def svg(app: Any) -> str:
    """The screen as a picture."""
    width, height = app.size
    console = Console(
        width=width, height=height, file=io.StringIO(), force_terminal=True,
        color_system="truecolor", record=True, legacy_windows=False, safe_box=False,
    )  # fmt: skip
    console.print(app.screen._compositor.render_update(full=True))
    drawn = console.export_svg(title="dejavu", code_format=_FORM, unique_id="t")
    return "\n".join(line.rstrip() for line in drawn.replace("><", ">\n<").splitlines()) + "\n"


@contextmanager
def still(home: Path) -> Iterator[None]:
    """One home, one zone and one moment for all that is drawn."""
    variables = {
        "HOME": str(home), "TZ": "UTC", "TERM": "xterm-256color", "COLORTERM": "truecolor",
        "PATH": "/nonexistent",  # no agent is installed, wherever this is drawn
    }  # fmt: skip
    with (
        mock.patch.dict(os.environ, variables, clear=True),
        mock.patch("dejavu.config.clock.now", return_value=NOW),
    ):
        time.tzset()
        yield
    time.tzset()


async def _drawn(home: Path, size: tuple[int, int], task: Task) -> str:
    keys, shown = task
    async with browsing(home, size) as pilot:
        pilot.app.query_one("#search").cursor_blink = False
        await pilot.press(*keys)
        await settle(pilot, lambda: shown in screen(pilot.app))
        await pilot.pause(0.4)
        return svg(pilot.app)


async def _first_run(home: Path, size: tuple[int, int]) -> str:
    async with browsing(home, size) as pilot:
        await settle(pilot, lambda: FIRST_RUN[1] in screen(pilot.app))
        await pilot.pause(0.2)
        return svg(pilot.app)


def draw(name: str, size: tuple[int, int], home: Path) -> str:
    """The picture of a task, drawn in an empty home."""
    with still(home):
        if name == "first-run":
            histories(home)
            return asyncio.run(_first_run(home, size))
        fill(home)
        return asyncio.run(_drawn(home, size, TASKS[name]))


def every() -> list[tuple[str, tuple[int, int]]]:
    """All pictures."""
    return [(name, size) for name in [*TASKS, "first-run"] for size in SIZES]


def path(name: str, size: tuple[int, int]) -> Path:
    """Where a picture is kept."""
    return GOLDENS / f"{name}-{size[0]}x{size[1]}.svg"


def drawn_by() -> str:
    """The libraries that draw here."""
    return f"textual {version('textual')}, rich {version('rich')}\n"


def main(tell: Callable[[str], object] = sys.stdout.write) -> int:
    """Write all pictures; gives the exit code."""
    if os.environ.get("CI"):
        tell("pictures are not rewritten under CI\n")
        return 1
    GOLDENS.mkdir(exist_ok=True)
    for name, size in every():
        # The path is drawn where it is told: it must always be the same.
        with tempfile.TemporaryDirectory() as scratch:
            home = Path(scratch) / "home"
            home.mkdir(mode=0o700)
            new = draw(name, size, home)
        kept = path(name, size)
        if not kept.exists() or kept.read_text("utf-8") != new:
            kept.write_text(new, "utf-8")
            tell(f"{kept.name}: written, {len(new):,} bytes\n")
    VERSIONS.write_text(drawn_by())
    return 0


if __name__ == "__main__":
    sys.exit(main())
