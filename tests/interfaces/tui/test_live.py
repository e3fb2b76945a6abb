import os
from pathlib import Path

from tests.interfaces.tui.driving import browsing, long, put, run, screen, settle

from dejavu.sessions import session_store as sessions


def _start(conversation: str | None = None) -> Path:
    pid = os.getpid()
    started = sessions.process_started(pid)
    assert started is not None
    folder = sessions.create(
        sessions.SessionHeader("20260101-000000-aaaa", "codex", ["codex"], "/work/long\x1b[2J", "local",
                         "", pid, started, 1.0, False)
    )  # fmt: skip
    sessions.set_status(folder, sessions.Status(state="working", conversation=conversation))
    return folder


def test_states_change_by_themselves_and_lead_to_the_conversation(home: Path) -> None:
    one = long(40)
    put(home, one)
    folder = _start(one.id)

    async def task() -> None:
        async with browsing(home) as pilot:
            await settle(pilot, lambda: "↻ working" in screen(pilot.app))
            sessions.set_status(folder, sessions.Status(state="blocked", conversation=one.id))
            await settle(pilot, lambda: "? blocked" in screen(pilot.app))
            pilot.app.query_one("#live").focus()
            await pilot.press("enter")
            await settle(pilot, lambda: "Answer number 39." in screen(pilot.app))
            assert "\x1b" not in screen(pilot.app)
            sessions.write_json(
                folder / "session.json",
                {**sessions.read_json(folder / "session.json"), "wrapper_started": 1},
            )
            await settle(pilot, lambda: "blocked" not in screen(pilot.app))

    run(task())
