"""A browser in a throw-away home, driven by keys; its screen as text.

Whoever imports this is skipped where the library is missing.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.factories.archive import START, conversation

from dejavu.archive import Archive
from dejavu.model import Conversation, Part, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.providers import Home

pytest.importorskip("textual", reason="the browser needs the extra `tui` (Textual)")

SIZES = [(80, 24), (120, 40), (200, 60)]


def screen(app: Any) -> str:
    """What a person sees, line by line."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def settle(pilot: Any, filters: Callable[[], bool]) -> None:
    """Wait until something is so, at most twenty seconds of a busy machine."""
    for _ in range(400):
        await pilot.pause(0.05)
        if filters():
            return
    raise AssertionError("it never came to be:\n" + screen(pilot.app))


@asynccontextmanager
async def browsing(home: Path, size: tuple[int, int] = (120, 40)) -> AsyncGenerator[Any]:
    """A browser of the archive in `home`."""
    from dejavu.interfaces.tui.app import Browser

    app = Browser(Home(home, {}))
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        yield pilot


def run(task: Coroutine[Any, Any, None]) -> None:
    """Run one task of a person to its end."""
    asyncio.run(task)


def _part(n: int) -> tuple[Role, Part]:
    return (
        (Role.USER, Text(f"Question number {n}.")),
        (Role.ASSISTANT, ToolCall(f"c{n}", "Bash", {"command": f"count {n}"})),
        (Role.TOOL, ToolCallResponse(f"c{n - 1}", f"first {n}\nsecond\nthird")),
        (Role.ASSISTANT, Text(f"Answer **number {n}**.\n\n- one\n- two")),
    )[n % 4]


def long(count: int) -> Conversation:
    """A conversation of `count` turns: prompt, call, answer of a tool, answer."""
    turns = []
    for n in range(count):
        role, part = _part(n)
        turns.append(Turn(role=role, parts=(part,), at=START + 1000 + n))
    return conversation("long", "codex", "/work/long", START, *turns)


def put(home: Path, *conversations: Conversation) -> None:
    """Keep conversations in this home's archive."""
    with Archive.open(home / ".local/share/dejavu/archive") as archive, archive.indexing():
        for one in conversations:
            archive.put(one)
