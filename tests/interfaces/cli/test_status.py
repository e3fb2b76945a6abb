import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.sessions import start

from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.spool import save_lines, spool_folder
from dejavu.model import Vector
from dejavu.sessions import session_store as sessions


def test_attention_first(dejavu: Callable[..., Result], home: Path) -> None:
    for number, state in enumerate(["idle", "working", "blocked", "error"]):
        start(f"20260101-00000{number}-aaaa", state)
    states = [row["state"] for row in dejavu("status", "--json").rows]
    assert states == ["blocked", "error", "working", "idle"]


def test_one_session_by_name(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "blocked", name="blue", rule="dialog")
    row = dejavu("status", "blue", "--json").json
    assert (row["session"], row["state"], row["rule"]) == (
        "20260101-000000-aaaa",
        "blocked",
        "dialog",
    )
    assert dejavu("status", "green").code == 3


def test_what_is_asked_and_what_runs_behind_stand_on_the_line(
    dejavu: Callable[..., Result], home: Path
) -> None:
    asked = {"kind": "permission", "question": "Run \x1b[31mthis?", "choices": ["Yes", "No"]}
    behind = ({"kind": "shell", "count": 1},)
    start("20260101-000000-aaaa", "blocked", blocked=asked, pending=behind)
    out = dejavu("status").out
    assert "this? · 1 shell" in out
    assert "\x1b[31m" not in out
    told = dejavu("status", "2026", "--json").json
    assert told["blocked"] == asked
    assert told["pending"] == [{**one, "names": []} for one in behind]


def test_an_ended_session_has_exited(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working", live=False)
    assert dejavu("status", "--json").rows[0]["state"] == "exited"


def test_watch_of_one_session_ends_with_it(home: Path) -> None:
    folder = start("20260101-000000-aaaa", "working")
    command = [
        sys.executable,
        "-m",
        "dejavu.interfaces.cli",
        "status",
        "2026",
        "--watch",
        "--jsonl",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        states = [json.loads(watch.stdout.readline())["state"]]
        sessions.set_status(folder, sessions.Status(state="idle", since=3.0))
        states.append(json.loads(watch.stdout.readline())["state"])
        known = sessions.read_json(folder / "session.json")
        sessions.write_json(folder / "session.json", {**known, "wrapper_started": 1})
        states.append(json.loads(watch.stdout.readline())["state"])
        assert watch.wait(30) == 0
    assert states == ["working", "idle", "exited"]


def test_nothing_ran_yet(dejavu: Callable[..., Result]) -> None:
    result = dejavu("status")
    assert result.code == 0
    assert "dejavu-run" in result.err


def test_done_is_told_until_somebody_looks(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "idle", finished_at=2.0)
    assert [row["state"] for row in dejavu("status", "--json").rows] == ["done"]
    assert [row["state"] for row in dejavu("status", "--json").rows] == ["done"]
    assert dejavu("status", "2026", "--json").json["state"] == "done"
    assert dejavu("status", "2026", "--json").json["state"] == "idle"


def test_the_one_worst_state(dejavu: Callable[..., Result], home: Path) -> None:
    assert dejavu("status", "--summary", "--json").json["worst"] is None
    for number, state in enumerate(["working", "error", "working"]):
        start(f"20260101-00000{number}-aaaa", state)
    rolled = dejavu("status", "--summary", "--json").json
    assert rolled == {
        "worst": "error",
        "sessions": ["20260101-000001-aaaa"],
        "counts": {"error": 1, "working": 2},
    }
    assert dejavu("status", "--summary").out == "error: 1 error, 2 working\n"


def test_what_waits_in_the_spool_is_said_until_sync_stores_it(
    dejavu: Callable[..., Result], home: Path
) -> None:
    assert "spool" not in dejavu("status").err
    channel = Channel(Vector.OTLP, pushed_source("claude", "otlp:s", "local"))
    save_lines(spool_folder(), channel, [b"{}\n"])
    assert "1 in the spool, the oldest for 0s" in dejavu("status").err
    assert dejavu("sync").code == 0
    assert "spool" not in dejavu("status").err
    assert not list(spool_folder().iterdir())
