"""What watching leaves on a tmux server: nothing that its user could see."""

import os
import re
import shlex
import time
from pathlib import Path

import pytest
from tests.extensions.panes.test_watcher import shown
from tests.factories.panes import (
    BLOCKED,
    IDLE,
    WORKING,
    Panes,
    in_state,
    tour,
)
from tests.factories.waiting import until

from dejavu.extensions.panes.tmux import is_safe
from dejavu.sessions import session_store as sessions
from dejavu.sessions.send_input import type_into


def everything(panes: Panes, server: str) -> str:
    """All that a server's user could see or has set, layouts without their checksums."""
    commands = (
        ("list-panes -a -F '#{pane_index} #{pane_width}x#{pane_height} #{cursor_x},#{cursor_y} "
        "#{pane_mode} #{pane_pipe} #{pane_synchronized} #{history_size} #{alternate_on} "
        "#{pane_title}'"),
        ("list-windows -a -F '#{session_name} #{window_name} #{window_width}x#{window_height} "
        "#{window_layout} #{window_flags} #{window_linked_sessions}'"),
        "list-buffers", "list-keys", "show-environment -t a", "show-hooks -g", "show-hooks -t a",
        "show-options -g", "show-options -s", "show-options -gw", "show-options -t a",
        "show-options -w -t a", "show-options -p -t a",
        "capture-pane -e -p -S - -t a", "capture-pane -e -p -S - -t b.0",
    )  # fmt: skip
    words = [word for line in commands for word in (*shlex.split(line), ";")]
    return re.sub(r"[0-9a-f]{4},(?=\d+x)", "", panes.tmux(*words[:-1], server=server))


def test_a_watched_server_is_what_one_is_that_nobody_watches(panes: Panes) -> None:
    alone = str(panes.sockets / "alone")  # not where a watcher looks
    for server, prefix in (("default", "watched"), (alone, "alone")):
        for name in ("a", "b"):
            os.mkfifo(panes.folder / f"{prefix}-{name}.in")
            panes.tmux(
                "new-session", "-d", "-s", name, "-x", "100", "-y", "30",
                str(panes.program), str(panes.folder / f"{prefix}-{name}"), server=server,
            )  # fmt: skip
        panes.tmux("split-window", "-h", "-d", "-t", "b", "sleep 100", server=server)
        panes.tmux("new-window", "-d", "-n", "other", "-t", "a", "sleep 100", server=server)
    pane = panes.tmux("display-message", "-p", "-t", "a", "#{pane_id}")
    watcher = panes.watch("--attach")
    for stage, state in ((IDLE, "idle"), (BLOCKED, "blocked")):
        start = tour(IDLE) if stage == BLOCKED else b""
        for name in ("watched-a", "watched-b", "alone-a", "alone-b"):
            panes.show(name, tour(stage)[len(start) :])
        in_state(f"tmux:{pane}", state)
        time.sleep(0.5)
        assert everything(panes, "default") == everything(panes, alone)
    watcher.terminate()
    watcher.wait(15)
    assert everything(panes, "default") == everything(panes, alone)
    assert panes.typed("watched-a") == panes.typed("watched-b") == b""


def test_a_hook_of_the_users_is_not_run(panes: Panes, tmp_path: Path) -> None:
    pane = panes.puppet("a")
    mark = tmp_path / "hooked"
    panes.tmux("set-hook", "-g", "client-attached", f"run-shell 'touch {mark}'")
    panes.show("a", tour(IDLE))
    panes.watch("--attach")
    in_state(f"tmux:{pane}", "idle")
    panes.show("a", tour(BLOCKED)[len(tour(IDLE)) :])
    in_state(f"tmux:{pane}", "blocked")
    until(lambda: panes.tmux("list-clients") == "")
    assert not mark.exists()
    type_into(sessions.find(f"tmux:{pane}"), "1", force=True)
    until(lambda: panes.typed("a") == b"1\r")


def test_without_attaching_nobody_is_attached(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE))
    panes.watch("--no-attach")
    in_state(f"tmux:{pane}", "idle")
    panes.show("a", tour(WORKING)[len(tour(IDLE)) :])
    in_state(f"tmux:{pane}", "working")
    panes.tmux("resize-window", "-t", "a", "-x", "70", "-y", "20")
    until(lambda: len(shown(pane).split("\n")) == 20)
    assert panes.tmux("display-message", "-p", "-t", "a", "#{session_last_attached}") == ""


def test_a_tmux_that_can_crash_by_it_is_not_attached_to(panes: Panes) -> None:
    pane = panes.puppet("a")
    panes.show("a", tour(IDLE))
    panes.watch()
    in_state(f"tmux:{pane}", "idle")
    attached = panes.tmux("display-message", "-p", "-t", "a", "#{session_last_attached}") != ""
    assert attached is is_safe(panes.tmux("display-message", "-p", "#{version}"))


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ("3.7", True), ("3.7c", True), ("3.10", True), ("4.0", True), ("3.6b", False),
        ("3.3a", False), ("2.9a", False), ("next-3.7", False), ("3.7-rc", False),
        ("openbsd-7.8", False), ("master", False), ("", False),
    ],
)  # fmt: skip
def test_only_a_release_that_is_known_to_be_safe_is_attached_to(version: str, safe: bool) -> None:
    assert is_safe(version) is safe
