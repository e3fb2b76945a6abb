"""The observer's decisions, event by event; the program around it is tested with the wrapper."""

import base64
import json
import time
from pathlib import Path

import pytest
from tests.factories.session_files import claude_session
from tests.sessions.observer.wrapped import CLAUDE, IDLE, KEY, begin, draw, state

from dejavu.archive import Archive
from dejavu.capsule import Exit, Gap, Keys, Output, Resize
from dejavu.model import Role, Vector
from dejavu.sessions import session_store as sessions


def test_status_follows_the_screen(home: Path) -> None:
    observer, folder = begin()
    assert sessions.read_json(folder / "session.json")["agent_pid"] == 7
    draw(observer, IDLE)
    assert sessions.read_json(folder / "status.json")["state"] == "idle"
    observer.event(Exit(time.time(), 3))
    observer.finish()
    ended = sessions.read_json(folder / "status.json")
    assert (ended["state"], ended["exit_status"], ended["kept"]) == ("exited", 3, "none")


def _report(state: str, message: str = "") -> str:
    text = base64.b64encode(message.encode()).decode()
    return f"\x1b]7501;state={state}:msg={text}\x1b\\"


def test_the_agents_own_report_decides_and_is_redacted(home: Path) -> None:
    observer, folder = begin()
    draw(observer, IDLE + _report("working", f"Running curl -H 'x-api-key: {KEY}'"))
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["rule"]) == ("working", "program-status")
    assert status["message"].startswith("Running curl")
    draw(observer, _report("blocked:kind=permission", f"approve Bash: echo {KEY}"))
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["blocked"]["kind"]) == ("blocked", "permission")
    assert status["blocked"]["question"].startswith("approve Bash: echo [redacted")
    assert KEY not in (folder / "status.json").read_text()
    draw(observer, _report("done") + "\x1b]7501;id=a:state=working\x1b\\")
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["blocked"]) == ("idle", None)
    assert status["pending"] == [{"kind": "task", "count": 1, "names": ["a"]}]
    assert KEY not in (folder / "status.json").read_text()


def test_the_conversation_is_told_from_its_first_turn(home: Path) -> None:
    observer, folder = begin(agent="claude")
    path = claude_session(home, "why?")
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    path.write_text(path.read_text().replace("2026-11-21T10:00", later))
    draw(observer, CLAUDE)
    status = sessions.read_json(folder / "status.json")
    assert status["state"] == "idle"
    assert status["conversation"] is not None
    assert observer.finish()["conversation"] == status["conversation"]


def test_what_the_agent_writes_behind_its_last_drawing_is_archived(home: Path) -> None:
    observer, folder = begin(agent="claude")
    path = claude_session(home, "why?")
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    prompt, *answer = path.read_text().replace("2026-11-21T10:00", later).splitlines(True)
    path.write_text(prompt)
    drawn = at = time.time()
    observer.event(Output(at, CLAUDE.encode()))
    turns: list[int] = []
    while observer.due is not None and observer.due < drawn + 30:
        at = max(at, observer.due)
        observer.tick(at)
        if (facts := sessions.read_json(folder / "status.json").get("facts")) is not None:
            turns.append(facts["turns"])
            path.write_text(prompt + "".join(answer))
    assert (turns[0], turns[-1]) == (1, 2)
    assert at < drawn + 6  # and then it rests


def test_without_consent_the_last_word_names_the_way_in(home: Path) -> None:
    observer, _ = begin()
    draw(observer, IDLE)
    report = observer.finish()
    assert report["kept"] == "none"
    assert any("--screen" in note for note in report["notes"])
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert list(archive.scan()) == []


def test_with_consent_the_turns_are_kept(home: Path) -> None:
    observer, _ = begin(screen=True)
    draw(observer, IDLE)
    observer.event(Exit(time.time(), 0))
    report = observer.finish()
    assert report["kept"] == "screen"
    assert ["scripted session" in note for note in report["notes"]] == [True]
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        whole = archive.get(report["conversation"])
    assert [(turn.role, turn.text) for turn in whole.turns] == [
        (Role.USER, "why?"), (Role.ASSISTANT, "Because."),
    ]  # fmt: skip
    assert whole.instance == "local"


@pytest.mark.parametrize("consent", [True, False])
def test_keys_reach_no_file_but_as_the_text_of_a_prompt(home: Path, *, consent: bool) -> None:
    observer, _ = begin(screen=consent)
    observer.event(Keys(time.time(), b"quite unseen words\rwhy?\r"))
    draw(observer, IDLE)
    observer.finish()
    files = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert not any(b"unseen words" in data for data in files)


def test_no_screen_text_reaches_the_state_folder(home: Path) -> None:
    observer, _ = begin(screen=True)
    draw(observer, IDLE.replace("Because", "Xylophone"))
    observer.finish()
    state = home / ".local/state"
    assert not any(b"Xylophone" in path.read_bytes() for path in state.rglob("*") if path.is_file())


def test_the_agents_own_trace_comes_first(home: Path) -> None:
    observer, _ = begin(agent="claude", screen=True)
    path = claude_session(home, "why?")
    text = path.read_text().replace(
        "2026-11-21T10:00", time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    )
    path.write_text(text)
    report = observer.finish()
    assert report["kept"] == "native"
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert archive.get(report["conversation"]).turn_count == 2


def test_gaps_and_resizes_are_survived_and_told(home: Path) -> None:
    observer, _ = begin()
    observer.event(Resize(time.time(), 80, 24))
    observer.event(Gap(time.time(), 4096))
    draw(observer, "\x1b[2J\x1b[Hx")
    assert any("4096 bytes" in note for note in observer.finish()["notes"])


def test_a_trace_that_comes_late_supersedes_what_the_screen_gave(home: Path) -> None:
    observer, _ = begin(agent="claude", screen=True)
    draw(observer, CLAUDE)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert [head.vectors for head in archive.scan()] == [(Vector.SCREEN,)]
    path = claude_session(home, "why?")
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    path.write_text(path.read_text().replace("2026-11-21T10:00", later))
    assert observer.finish()["kept"] == "native"
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert [head.vectors for head in archive.scan()] == [(Vector.NATIVE,)]


_WORKING = IDLE.replace("● Because.", "✻ Pondering… (3s · esc to interrupt)")


def test_idle_after_work_is_done_and_idle_from_the_start_is_not(home: Path) -> None:
    observer, folder = begin()
    draw(observer, IDLE)
    assert state(folder) == "idle"
    draw(observer, _WORKING)
    assert state(folder) == "working"
    draw(observer, IDLE)
    assert state(folder) == "done"
    observer.finish()


def test_it_tells_whether_pastes_are_wanted(home: Path) -> None:
    observer, folder = begin()

    def wanted() -> bool:
        return bool(sessions.read_json(folder / "status.json")["bracketed_paste"])

    assert not wanted()
    observer.event(Output(time.time(), b"\x1b[?2004h"))
    assert wanted()
    observer.event(Output(time.time(), b"\x1b[?20"))
    observer.event(Output(time.time(), b"04l"))
    draw(observer, IDLE)  # told at the next change of state at the latest
    assert not wanted()
    observer.finish()


def test_the_operators_command_hears_of_every_change(home: Path) -> None:
    config, heard = home / ".config/dejavu", home / "heard"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(f'[hooks]\non_change = "cat >> {heard}"\n')
    observer, folder = begin()
    observer.event(Exit(time.time(), 3))
    observer.finish()
    observer.close()
    told = [json.loads(line) for line in heard.read_text().splitlines()]
    assert [(one["session"], one["state"], one["exit_status"]) for one in told] == [
        (folder.name, "exited", 3)
    ]


def test_the_picture_of_the_screen_is_redacted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "cumulonimbus-4711-xyz")
    observer, _ = begin()
    draw(observer, IDLE.replace("Because", "It is cumulonimbus-4711-xyz"))
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
    observer, folder = begin(argv=argv)
    words = sessions.read_json(folder / "session.json")["argv"]
    assert (words[:2], len(words)) == (["demo", "--token"], 4)
    observer.event(Exit(time.time(), 0))
    observer.finish()
    state = home / ".local/state"
    contents = b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())
    assert b"cumulonimbus" not in contents
    assert b"Zx9Zx9" not in contents


def test_without_a_screen_there_is_no_picture(home: Path) -> None:
    observer, _ = begin(mode="direct")
    assert "error" in observer.picture()
    observer.finish()


def test_hooks_are_believed_over_the_screen(home: Path) -> None:
    observer, folder = begin()
    draw(observer, IDLE)
    now = time.time()
    said = {"state": "blocked", "source": "hook", "at": now}
    sessions.write_json(folder / "structured.json", said)
    observer.tick(now + 1)
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["rule"], status["detail"]) == ("blocked", "signal", "hook")
