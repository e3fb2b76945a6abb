"""The observer's decisions, event by event; the program around it is tested with the wrapper."""

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.capsule import Exit, Gap, Header, Output, Resize
from dejavu.model import Conversation, RawDelta, Role, Text, Turn, Vector
from dejavu.providers import PROVIDERS, Home, Source
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer import session_log_follower
from dejavu.sessions.observer.observer import SessionObserver
from dejavu.sessions.observer.session_log_follower import SessionLogFollower
from dejavu.sessions.observer.stream import StreamFollower

_IDLE = (
    "\x1b[2J\x1b[H❯ why?\r\n\r\n● Because.\r\n\r\n"
    + "─" * 60
    + "\r\n❯ \r\n"
    + "─" * 60
    + "\r\n  ? for shortcuts"
)

_KEY = "sk-ant-api03-" + "A1b2C3d4E5f6G7h8" * 5 + "-abcdefAA"

_CLAUDE = _IDLE  # Claude Code draws the same prompt, answer and box


def _begin(agent: str = "demo", **changes: Any) -> tuple[SessionObserver, Path]:
    session = sessions.SessionHeader(
        id=sessions.new_session_id(time.time()),
        agent=agent, argv=[agent], workspace="/work/x", instance="", name="n",
        wrapper_pid=1, wrapper_started=1, started_at=time.time() - 1, screen=False,
    )  # fmt: skip
    if "argv" in changes:
        session = session._replace(argv=changes["argv"])
    folder = sessions.create(session)
    header = {
        **session._asdict(),
        "folder": str(folder),
        "screen": None,
        "mode": "headless",
        "pid": 7,
        "columns": 60,
        "lines": 12,
        **changes,
    }
    observer = SessionObserver()
    observer.event(Header(header))
    return observer, folder


def _draw(observer: SessionObserver, text: str) -> None:
    at = time.time()
    observer.event(Output(at, text.encode()))
    for _ in range(50):
        if observer.due is None:
            break
        at = max(at, observer.due)
        observer.tick(at)
        if at > time.time() + 5:
            break


def test_status_follows_the_screen(home: Path) -> None:
    observer, folder = _begin()
    assert sessions.read_json(folder / "session.json")["agent_pid"] == 7
    _draw(observer, _IDLE)
    assert sessions.read_json(folder / "status.json")["state"] == "idle"
    observer.event(Exit(time.time(), 3))
    observer.finish()
    ended = sessions.read_json(folder / "status.json")
    assert (ended["state"], ended["exit_status"], ended["kept"]) == ("exited", 3, "none")


def _report(state: str, message: str = "") -> str:
    text = base64.b64encode(message.encode()).decode()
    return f"\x1b]7501;state={state}:msg={text}\x1b\\"


def test_the_agents_own_report_decides_and_is_redacted(home: Path) -> None:
    observer, folder = _begin()
    _draw(observer, _IDLE + _report("working", f"Running curl -H 'x-api-key: {_KEY}'"))
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["rule"]) == ("working", "program-status")
    assert status["message"].startswith("Running curl")
    _draw(observer, _report("blocked:kind=permission", f"approve Bash: echo {_KEY}"))
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["blocked"]["kind"]) == ("blocked", "permission")
    assert status["blocked"]["question"].startswith("approve Bash: echo [redacted")
    assert _KEY not in (folder / "status.json").read_text()
    _draw(observer, _report("done") + "\x1b]7501;id=a:state=working\x1b\\")
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["blocked"]) == ("idle", None)
    assert status["pending"] == [{"kind": "task", "count": 1}]
    assert _KEY not in (folder / "status.json").read_text()


def test_the_conversation_is_told_from_its_first_turn(home: Path) -> None:
    observer, folder = _begin(agent="claude")
    path = claude_session(home, "why?")
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    path.write_text(path.read_text().replace("2026-11-21T10:00", later))
    _draw(observer, _CLAUDE)
    status = sessions.read_json(folder / "status.json")
    assert status["state"] == "idle"
    assert status["conversation"] is not None
    assert observer.finish()["conversation"] == status["conversation"]


def test_without_consent_the_last_word_names_the_way_in(home: Path) -> None:
    observer, _ = _begin()
    _draw(observer, _IDLE)
    report = observer.finish()
    assert report["kept"] == "none"
    assert any("--screen" in note for note in report["notes"])
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert list(archive.scan()) == []


def test_with_consent_the_turns_are_kept(home: Path) -> None:
    observer, _ = _begin(screen=True)
    _draw(observer, _IDLE)
    observer.event(Exit(time.time(), 0))
    report = observer.finish()
    assert report["kept"] == "screen"
    assert ["said once" in note for note in report["notes"]] == [True]
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        whole = archive.get(report["conversation"])
    assert [(turn.role, turn.text) for turn in whole.turns] == [
        (Role.USER, "why?"), (Role.ASSISTANT, "Because."),
    ]  # fmt: skip
    assert whole.instance == "local"


def test_no_screen_text_reaches_the_state_folder(home: Path) -> None:
    observer, _ = _begin(screen=True)
    _draw(observer, _IDLE.replace("Because", "Xylophone"))
    observer.finish()
    state = home / ".local/state"
    assert not any(b"Xylophone" in path.read_bytes() for path in state.rglob("*") if path.is_file())


def test_the_agents_own_trace_comes_first(home: Path) -> None:
    observer, _ = _begin(agent="claude", screen=True)
    path = claude_session(home, "why?")
    text = path.read_text().replace(
        "2026-11-21T10:00", time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    )
    path.write_text(text)
    report = observer.finish()
    assert report["kept"] == "native"
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert archive.get(report["conversation"]).turn_count == 2


def test_a_killed_wrapper_leaves_what_was_seen(home: Path) -> None:
    observer, _ = _begin(screen=True)
    _draw(observer, _IDLE)
    assert observer.finish()["kept"] == "screen"  # no Exit ever came


def test_gaps_and_resizes_are_survived_and_told(home: Path) -> None:
    observer, _ = _begin()
    observer.event(Resize(time.time(), 80, 24))
    observer.event(Gap(time.time(), 4096))
    _draw(observer, "\x1b[2J\x1b[Hx")
    assert any("4096 bytes" in note for note in observer.finish()["notes"])


def test_broken_settings_do_not_stop_it(home: Path) -> None:
    folder = home / ".config/dejavu"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("nonsense = 1\n")
    observer, _ = _begin()
    _draw(observer, _IDLE)
    assert any("config.toml" in note for note in observer.finish()["notes"])


def test_a_reader_that_fails_is_put_away(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    observer, folder = _begin(screen=True)

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("dejavu.scrapers.SessionReader.output", fail)
    _draw(observer, "x")
    assert sessions.read_json(folder / "status.json")["state"] == "unknown"
    assert observer.finish()["kept"] == "none"


def test_an_archive_that_fails_is_told_not_raised(home: Path) -> None:
    data = home / ".local/share/dejavu"
    data.mkdir(parents=True, mode=0o700)
    (data / "archive").write_text("a file where the folder should be")
    observer, _ = _begin(screen=True)
    _draw(observer, _IDLE)
    report = observer.finish()
    assert any("capture" in note for note in report["notes"])


def test_a_trace_that_comes_late_supersedes_what_the_screen_gave(home: Path) -> None:
    observer, _ = _begin(agent="claude", screen=True)
    _draw(observer, _CLAUDE)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert [head.vectors for head in archive.scan()] == [(Vector.SCREEN,)]
    path = claude_session(home, "why?")
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    path.write_text(path.read_text().replace("2026-11-21T10:00", later))
    assert observer.finish()["kept"] == "native"
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert [head.vectors for head in archive.scan()] == [(Vector.NATIVE,)]


_WORKING = _IDLE.replace("● Because.", "✻ Pondering… (3s · esc to interrupt)")


def _state(folder: Path) -> str:
    return sessions.find(folder.name)._replace(live=True).state


def test_idle_after_work_is_done_and_idle_from_the_start_is_not(home: Path) -> None:
    observer, folder = _begin()
    _draw(observer, _IDLE)
    assert _state(folder) == "idle"
    _draw(observer, _WORKING)
    assert _state(folder) == "working"
    _draw(observer, _IDLE)
    assert _state(folder) == "done"
    observer.finish()


def test_it_tells_whether_pastes_are_wanted(home: Path) -> None:
    observer, folder = _begin()

    def wanted() -> bool:
        return bool(sessions.read_json(folder / "status.json")["bracketed_paste"])

    assert not wanted()
    observer.event(Output(time.time(), b"\x1b[?2004h"))
    assert wanted()
    observer.event(Output(time.time(), b"\x1b[?20"))
    observer.event(Output(time.time(), b"04l"))
    _draw(observer, _IDLE)  # told at the next change of state at the latest
    assert not wanted()
    observer.finish()


def test_the_operators_command_hears_of_every_change(home: Path) -> None:
    config, heard = home / ".config/dejavu", home / "heard"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(f'[hooks]\non_change = "cat >> {heard}"\n')
    observer, folder = _begin()
    observer.event(Exit(time.time(), 3))
    observer.finish()
    observer.close()
    told = [json.loads(line) for line in heard.read_text().splitlines()]
    assert [(one["session"], one["state"], one["exit_status"]) for one in told] == [
        (folder.name, "exited", 3)
    ]


def test_the_picture_of_the_screen_is_redacted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "cumulonimbus-4711-xyz")
    observer, _ = _begin()
    _draw(observer, _IDLE.replace("Because", "It is cumulonimbus-4711-xyz"))
    shown = observer.picture()
    observer.finish()
    assert (shown["agent"], shown["state"], shown["columns"]) == ("demo", "idle", 60)
    assert "❯ why?" in shown["rows"][0]
    assert "cumulonimbus" not in json.dumps(shown)


def test_a_key_in_the_arguments_reaches_no_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "cumulonimbus-4711-xyz")
    argv = ["demo", "--token", "cumulonimbus-4711-xyz", "--key=sk-ant-api03-" + "Zx9" * 31 + "AA"]
    observer, folder = _begin(argv=argv)
    words = sessions.read_json(folder / "session.json")["argv"]
    assert (words[:2], len(words)) == (["demo", "--token"], 4)
    observer.event(Exit(time.time(), 0))
    observer.finish()
    state = home / ".local/state"
    contents = b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())
    assert b"cumulonimbus" not in contents
    assert b"Zx9Zx9" not in contents


_RECORDS = [
    {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": "/work/x", "model": "m"},
    {"type": "assistant", "session_id": "s-1", "message": {
        "id": "m1", "role": "assistant", "content": [{"type": "text", "text": "Hi!"}]}},
]  # fmt: skip


def _print(observer: SessionObserver, *, native: bool, home: Path) -> None:
    for number, record in enumerate(_RECORDS, 1):
        observer.event(Output(time.time(), json.dumps(record).encode() + b"\n"))
        observer.tick(time.time() + 20 * number)
    if native:
        later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
        path = claude_session(home, "why?")
        path.write_text(path.read_text().replace("2026-11-21T10:00", later))


def test_a_headless_stream_is_archived_while_it_runs(home: Path) -> None:
    observer, _ = _begin(agent="claude", mode="direct", argv=["claude", "-p", "hello"])
    _print(observer, native=False, home=home)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        (summary,) = archive.scan()
        assert [turn.text for turn in archive.get(summary.id).turns] == ["hello", "Hi!"]
    assert observer.finish()["kept"] == "stream"


def test_a_stream_of_which_the_log_came_late_stands_beside_it(home: Path) -> None:
    observer, _ = _begin(agent="claude", mode="direct", argv=["claude", "-p", "hello"])
    _print(observer, native=True, home=home)
    report = observer.finish()
    assert report["kept"] == "native"
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert {summary.vectors for summary in archive.scan()} == {
            (Vector.NATIVE,), (Vector.STREAM,),
        }  # fmt: skip
        assert archive.verify().clean


def test_a_stream_beside_its_log_is_not_written(home: Path) -> None:
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    path = claude_session(home, "why?")
    path.write_text(path.read_text().replace("2026-11-21T10:00", later))
    observer, _ = _begin(agent="claude", mode="direct", argv=["claude", "-p", "hello"])
    _print(observer, native=False, home=home)
    assert observer.finish()["kept"] == "native"
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert [summary.vectors for summary in archive.scan()] == [(Vector.NATIVE,)]


def test_without_a_screen_there_is_no_picture(home: Path) -> None:
    observer, _ = _begin(mode="direct")
    assert "error" in observer.picture()
    observer.finish()


def test_hooks_are_believed_over_the_screen(home: Path) -> None:
    observer, folder = _begin()
    _draw(observer, _IDLE)
    now = time.time()
    said = {"state": "blocked", "source": "hook", "at": now, "expires_at": now + 60}
    sessions.write_json(folder / "structured.json", said)
    observer.tick(now + 1)
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["rule"], status["detail"]) == ("blocked", "signal", "hook")


def test_where_the_trace_fails_what_hooks_told_is_the_session(home: Path) -> None:
    observer, folder = _begin(screen=True)
    head = Conversation(id="h" * 16, agent="demo", native_id="h-1")
    asked = Turn(role=Role.USER, parts=(Text("why?"),), vector=Vector.HOOK)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(head.with_turns((asked,)))
    sessions.write_json(folder / "structured.json", {"conversation": head.id})
    _draw(observer, _IDLE)
    report = observer.finish()
    assert report["conversation"] == head.id
    assert report["kept"].startswith("hook")
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        (held,) = archive.scan()
        assert [turn.text for turn in archive.get(held.id).turns][:1] == ["why?"]


class _BrokenProvider:
    """Raises `error` where it is asked to: while it discovers, follows or parses."""

    agent: ClassVar[str] = "claude"

    def __init__(self, real: Any, where: str, error: Exception) -> None:
        self._real, self._where, self._error = real, where, error

    def discover(self, home: Home) -> Iterator[Source]:
        yield from self._real.discover(home)
        if self._where == "discover":
            raise self._error

    def follow(self, source: Source, cursor: bytes | None) -> Iterator[RawDelta]:
        if self._where == "follow":
            raise self._error
        return self._real.follow(source, cursor)

    def parser(self, *args: Any, **options: Any) -> Any:
        if self._where == "parser":
            raise self._error
        return self._real.parser(*args, **options)


@pytest.mark.parametrize("where", ["discover", "follow", "parser"])
@pytest.mark.parametrize("error", [ValueError("odd"), RecursionError("deep"), MemoryError()])
def test_nothing_that_a_provider_raises_ends_the_observer(
    home: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: Exception
) -> None:
    broken = _BrokenProvider(PROVIDERS["claude"], where, error)
    monkeypatch.setattr(session_log_follower, "PROVIDERS", {"claude": broken})
    observer, folder = _begin(agent="claude", screen=True)
    claude_session(home, "why?")
    _draw(observer, _CLAUDE)
    for _ in range(2):
        observer.event(Output(time.time(), b"\x07"))
        observer.tick(time.time() + 60)
    kind = type(error).__name__
    counted = {name: count for name, count in observer.faults.counts.items() if kind in name}
    assert list(counted.values()) == [observer.faults.counts.total()]
    assert observer.faults.counts.total() >= 2
    assert sessions.read_json(folder / "status.json")["state"] == "idle"
    observer.event(Exit(time.time(), 0))
    report = observer.finish()
    assert report["kept"] != "none"
    assert sum(kind in note for note in report["notes"]) == 1


def test_a_parser_that_fails_on_a_stream_does_not_end_the_observer(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    observer, folder = _begin(agent="claude", mode="direct")
    monkeypatch.setattr(StreamFollower, "feed", fail)
    for _ in range(3):
        observer.event(Output(time.time(), b"{}\n"))
    assert observer.faults.counts.total() == 3
    observer.event(Exit(time.time(), 4))
    assert sum("RecursionError" in note for note in observer.finish()["notes"]) == 1
    assert sessions.read_json(folder / "status.json")["exit_status"] == 4


def test_a_duty_that_fails_unexpectedly_is_tried_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise ValueError("odd")

    observer, _ = _begin(agent="claude")
    with monkeypatch.context() as patch:
        patch.setattr(SessionLogFollower, "look", fail)
        observer.event(Output(time.time(), b"x"))
        observer.tick(time.time() + 60)
        assert observer.faults.counts == {"capture failed: ValueError": 1}
        assert observer.due is not None
    claude_session(home, "why?")
    observer.tick(time.time() + 120)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert len(list(archive.scan())) == 1


def test_a_status_file_that_nests_too_deep_does_not_end_the_observer(home: Path) -> None:
    observer, folder = _begin(agent="claude")
    (folder / "structured.json").write_text("[" * 200_000)
    observer.tick(time.time())
    observer.tick(time.time() + 1)
    assert observer.faults.counts == {"the status of hooks failed: RecursionError": 1}
