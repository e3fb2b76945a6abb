import os
import sys
from pathlib import Path

from tests.factories.waiting import until
from tests.interfaces.tui.driving import browsing, long, put, run, screen, settle
from tests.sessions.test_answer import ASKS

from dejavu.sessions import session_store as sessions
from dejavu.sessions.start_session import start
from dejavu.sessions.stop_session import stop


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


def test_a_question_is_shown_whole_and_answered_by_its_number(home: Path, tmp_path: Path) -> None:
    put(home, long(4))
    program = tmp_path / "demo"
    program.write_text(f"#!{sys.executable}\n{ASKS}")
    program.chmod(0o755)
    log = tmp_path / "log"
    view = start([str(program), str(log)], name="asks", size="80x24")
    try:
        until(lambda: sessions.find("asks").status.blocked)

        async def task() -> None:
            async with browsing(home) as pilot:
                await settle(pilot, lambda: "Do you want to" in screen(pilot.app))
                pilot.app.query_one("#live").focus()
                await pilot.press("a")
                await settle(pilot, lambda: "rm -r build" in screen(pilot.app))
                await settle(pilot, lambda: "Enter to confirm" in screen(pilot.app))
                await pilot.press("9", "2")
                await settle(pilot, lambda: "Answered: Yes, and do not ask" in screen(pilot.app))
                await pilot.press("escape")
                await settle(pilot, lambda: "Answered" not in screen(pilot.app))

        run(task())
        assert log.read_text() == "Yes, and do not ask again\n"
    finally:
        stop(view, timeout=5, kill=True)
