"""The watcher as a program on a tmux server with puppets in its panes."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.factories.panes import (
    BLOCKED,
    IDLE,
    WORKING,
    Panes,
    dejavu_json,
    in_state,
    live,
    tour,
)
from tests.factories.waiting import until

from dejavu.extensions.panes.tmux import Tmux
from dejavu.model import NotFoundError
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.screen_server import look
from dejavu.sessions.send_input import InputRefusedError, press, type_into


def shown(pane: str) -> str:
    view = live(f"tmux:{pane}")
    if view is None:
        return ""
    try:
        return "\n".join(row.rstrip() for row in look(view.folder)["rows"])
    except NotFoundError:
        return ""


def test_a_pane_becomes_a_session_with_its_states(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE))
    panes.watch()
    view = in_state(f"tmux:{pane}", "idle")
    assert (view.session.agent, view.session.name) == ("demo", f"tmux:{pane}")
    panes.show("a", tour(BLOCKED)[len(tour(IDLE)) :])
    blocked = in_state(f"tmux:{pane}", "blocked")
    assert blocked.status.blocked is not None
    with pytest.raises(InputRefusedError):
        type_into(blocked, "no")
    row = dejavu_json("status", f"tmux:{pane}")
    assert (row["source"], row["state"], row["live"]) == (f"tmux:{pane}", "blocked", True)
    (listed,) = dejavu_json("panes", "--only", "tmux")["panes"]
    assert (listed["source"], listed["state"], listed["watched"]) == (
        f"tmux:{pane}",
        "blocked",
        True,
    )
    panes.tmux("kill-session", "-t", "a")
    until(lambda: sessions.find(view.session.id).state == "exited")
    assert dejavu_json("status", view.session.id)["finished_at"]


def test_text_is_typed_as_the_program_asked(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE))
    panes.watch()
    view = in_state(f"tmux:{pane}", "idle")
    type_into(view, "eins;\nzwei ünï -- #{host} \\; $(id)")
    until(lambda: panes.typed("a").endswith(b"\r"))
    text = "eins;\rzwei ünï -- #{host} \\; $(id)".encode()
    asked = b"\x1b[?2004h" in tour(IDLE)
    assert panes.typed("a") == (b"\x1b[200~" + text + b"\x1b[201~\r" if asked else text + b"\r")
    assert panes.tmux("list-buffers") == ""


def test_keys_are_pressed_in_a_pane(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE) + b"\x1b[?1h")
    panes.watch()
    view = in_state(f"tmux:{pane}", "idle")
    press(view, ["Escape", "Up", "C-c", "ü"], pause=0.05)
    until(lambda: panes.typed("a") == b"\x1b\x1bOA\x03" + "ü".encode())


def test_what_was_not_asked_for_is_not_bracketed(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE) + b"\x1b[?2004l")
    panes.watch()
    in_state(f"tmux:{pane}", "idle")
    type_into(sessions.find(f"tmux:{pane}"), "one\ntwo", enter=False)
    until(lambda: panes.typed("a"))
    assert panes.typed("a") == b"one\rtwo"


def test_a_character_cut_between_two_reads_is_whole(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", b"start ")
    panes.watch("--attach")
    until(lambda: "start" in shown(pane))
    for byte in "你好 ⚠️ é \\ ende".encode():
        panes.show("a", bytes((byte,)))
        time.sleep(0.005)
    until(lambda: "start 你好 ⚠️ é \\ ende" in shown(pane))


def test_a_resized_window_is_read_at_its_size(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", b"\r\n".join(b"line %d of a text" % n for n in range(60)))
    panes.watch()
    until(lambda: "line 59" in shown(pane))
    panes.tmux("resize-window", "-t", "a", "-x", "11", "-y", "7")

    def alike() -> bool:
        view = live(f"tmux:{pane}")
        printed = panes.tmux("capture-pane", "-p", "-t", pane)
        return view is not None and shown(pane).rstrip() == printed.rstrip()

    until(alike)
    panes.show("a", b"\r\nafter")
    until(lambda: "after" in shown(pane))
    assert alike()


def test_a_flood_hangs_nothing_and_the_end_is_right(panes: Panes) -> None:
    pane = panes.puppet("a")
    quiet = panes.puppet("b")
    panes.show("a", b"start")
    panes.show("b", tour(IDLE))
    panes.watch("--attach")
    in_state(f"tmux:{quiet}", "idle")
    block = b"".join(
        b"\x1b[3%dm%d \xe4\xbd\xa0 some text that is printed\r\n" % (n % 8, n) for n in range(3000)
    )
    began = time.monotonic()
    for _ in range(20):
        panes.show("a", block)
    panes.show("a", b"the very end")
    took = time.monotonic() - began
    panes.show("b", tour(BLOCKED)[len(tour(IDLE)) :])
    in_state(f"tmux:{quiet}", "blocked")
    until(lambda: "the very end" in shown(pane))
    printed = panes.tmux("capture-pane", "-p", "-t", pane)
    assert shown(pane).rstrip() == printed.rstrip()
    assert took < 60


def test_a_flood_delays_neither_the_others_nor_the_end(panes: Panes) -> None:
    quiet = panes.puppet("b")
    panes.show("b", tour(IDLE))
    flooding = panes.puppet("a")
    panes.tmux("new-window", "-d", "-t", "b", "yes", "nobody follows this one")
    watcher = panes.watch("--attach")
    in_state(f"tmux:{quiet}", "idle")
    until(lambda: live(f"tmux:{flooding}"))
    block = b"\x1b[31ma row that is printed again and again\r\n" * 5000
    for _ in range(20):
        panes.show("a", block)
    panes.show("b", tour(BLOCKED)[len(tour(IDLE)) :])
    shown_at = time.time()
    view = in_state(f"tmux:{quiet}", "blocked")
    assert view.status.since - shown_at < 15  # it took half a minute when all was read
    until(lambda: any("faster than it is read" in note for note in live_notes(flooding)))
    watcher.terminate()
    began = time.monotonic()
    assert watcher.wait(60) == 0
    assert time.monotonic() - began < 15
    until(lambda: panes.tmux("list-clients") == "")


def test_a_server_that_takes_no_client_is_looked_at(
    panes: Panes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = shutil.which("tmux"), tmp_path / "calls"
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin/tmux"
    shim.write_text(
        f'#!/bin/sh\ncase " $* " in *" -C "*) echo x >> {calls}; exit 1;; esac\nexec {real} "$@"\n'
    )
    shim.chmod(0o755)
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE))
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    panes.watch("--attach")
    in_state(f"tmux:{pane}", "idle")
    panes.show("a", tour(BLOCKED)[len(tour(IDLE)) :])
    in_state(f"tmux:{pane}", "blocked")
    assert 0 < calls.read_text().count("x") < 10


def test_a_pane_that_moves_to_another_session_and_back_is_read_once(panes: Panes) -> None:
    moving = panes.puppet("a")
    staying = panes.puppet("b")
    for session in "ab":
        panes.tmux("split-window", "-d", "-t", session, "sleep", "99")
    # tmux 3.3a crashes where a session comes or goes while a client connects. So all of them come
    # before the watcher, and each keeps a pane when the other one leaves.
    panes.tmux("new-session", "-d", "-s", "c", "-x", "100", "-y", "30", "sleep", "99")
    panes.watch("--attach")
    until(lambda: live(f"tmux:{moving}") and live(f"tmux:{staying}"))
    until(lambda: set(panes.tmux("list-clients", "-F", "#{session_name}").split()) >= {"a", "b"})
    for number, session in enumerate("bcb"):
        panes.tmux("join-pane", "-d", "-s", moving, "-t", f"{session}:0")
        time.sleep(0.7)  # the watcher is to have found it before it prints
        panes.show("a", b" %d in %s" % (number, session.encode()))
        printed = f"{number} in {session}"

        def alike(printed: str = printed) -> bool:
            screen = panes.tmux("capture-pane", "-p", "-t", moving)
            return printed in screen and shown(moving).rstrip() == screen.rstrip()

        until(alike)


def live_notes(pane: str) -> tuple[str, ...]:
    view = live(f"tmux:{pane}")
    return () if view is None else tuple(view.status.notes)


def test_panes_come_and_go_and_servers_too(panes: Panes) -> None:
    first = panes.puppet("a")
    panes.show("a", tour(IDLE))
    watcher = panes.watch()
    in_state(f"tmux:{first}", "idle")
    other = panes.puppet("c", server="work")
    panes.show("c", tour(WORKING))
    # It is a screen that says working, whatever its process does.
    in_state(f"tmux:work:{other}", "working")
    before = sessions.find(f"tmux:{first}").session
    panes.tmux("respawn-pane", "-k", "-t", first)
    until(lambda: (now := live(f"tmux:{first}")) and now.session.id != before.id)
    panes.show("a", tour(BLOCKED))
    in_state(f"tmux:{first}", "blocked")
    panes.kill_server()
    until(lambda: live(f"tmux:{first}") is None)
    again = panes.puppet("a")
    panes.show("a", tour(IDLE))
    in_state(f"tmux:{again}", "idle")
    assert live(f"tmux:work:{other}") is not None
    assert watcher.poll() is None


def test_a_killed_watcher_leaves_unknown(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE))
    watcher = panes.watch()
    view = in_state(f"tmux:{pane}", "idle")
    watcher.send_signal(signal.SIGKILL)
    watcher.wait(10)
    assert sessions.find(view.session.id).state == "unknown"
    until(lambda: time.time() - view.session.started_at > 6)  # an agent of some age was missed
    second = panes.watch()
    now = in_state(f"tmux:{pane}", "idle")
    assert now.session.id != view.session.id
    assert "was not watched" in dejavu_json("status", now.session.id)["notes"][0]
    second.terminate()
    second.wait(15)
    assert sessions.find(now.session.id).state == "unknown"
    until(lambda: panes.tmux("list-clients") == "")


def test_a_wrapped_agent_is_not_doubled(panes: Panes, tmp_path: Path) -> None:
    run = Path(os.sys.executable).parent / "dejavu-run"  # type: ignore[attr-defined]
    wrapped = panes.tmux(
        "new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "100", "-y", "30",
        f"{run} {panes.program} {tmp_path}/w",
    )  # fmt: skip
    os.mkfifo(tmp_path / "w.in")
    free = panes.puppet("a")
    panes.show("a", tour(IDLE))
    panes.watch()
    in_state(f"tmux:{free}", "idle")
    time.sleep(1.5)
    assert live(f"tmux:{wrapped}") is None
    assert len([view for view in sessions.find_all() if view.session.source]) == 1


def test_panes_are_looked_at_together_and_one_that_is_gone_takes_none_along(panes: Panes) -> None:
    for name in "abc":
        panes.puppet(name, lines=30 if name == "a" else 11)
        panes.show(name, name.encode() * 3)
    tmux = Tmux()
    (server,) = tmux.servers()
    found = tmux.panes(server)
    until(lambda: all(frame and frame.rows[0] for frame in tmux.frames(found)))
    together = tmux.frames(found)
    assert together == [tmux.frame(pane) for pane in found]  # nothing has scrolled
    assert [len(frame.rows) for frame in together if frame] == [30, 11, 11]
    panes.tmux("kill-session", "-t", "b")
    assert tmux.frames(found) == [together[0], None, together[2]]


def test_what_scrolled_away_before_is_told_once(panes: Panes) -> None:
    panes.puppet("a", lines=5)
    panes.show("a", b"\r\n".join(b"line %d" % n for n in range(9)) + b"\x1b[?1h\x1b[?25l")
    tmux = Tmux()
    (pane,) = tmux.panes(tmux.servers()[0])
    until(lambda: tmux.frame(pane).rows[-1] == "line 8")
    whole = tmux.frame(pane)
    assert (whole.history, whole.rows) == (
        ("line 0", "line 1", "line 2", "line 3"),
        ("line 4", "line 5", "line 6", "line 7", "line 8"),
    )
    assert (whole.application_cursor, whole.cursor_visible) == (True, False)
    assert tmux.frames([pane]) == [whole._replace(history=())]


def process_state(pid: int) -> str:
    """`T` for a process that is stopped, as ps tells it."""
    return subprocess.check_output(["ps", "-o", "stat=", "-p", str(pid)], text=True)


def test_a_suspended_watcher_lets_go_of_the_panes(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE))
    watcher = panes.watch("--attach")
    in_state(f"tmux:{pane}", "idle")
    until(lambda: panes.tmux("list-clients"))
    watcher.send_signal(signal.SIGTSTP)
    until(lambda: panes.tmux("list-clients") == "")
    # It lets go first and stops then; continued in between it would stop for good.
    until(lambda: process_state(watcher.pid).startswith("T"))
    panes.show("a", tour(BLOCKED)[len(tour(IDLE)) :])
    watcher.send_signal(signal.SIGCONT)
    in_state(f"tmux:{pane}", "blocked")


def test_two_watchers_are_one(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE))
    panes.watch()
    in_state(f"tmux:{pane}", "idle")
    command = [os.sys.executable, "-m", "dejavu.interfaces.cli", "panes", "--watch", "--line"]  # type: ignore[attr-defined]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as it:
        assert it.stdout is not None
        assert it.stdout.readline() == "1 idle\n"
        panes.show("a", tour(BLOCKED)[len(tour(IDLE)) :])
        assert it.stdout.readline() in ("1 blocked\n", "1 working\n")
        it.terminate()
    assert len([view for view in sessions.find_all() if view.live]) == 1
