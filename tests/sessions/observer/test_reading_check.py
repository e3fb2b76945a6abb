"""The self-check of a wrapped session: its screen beside the agent's own session log."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from tests.factories.session_files import claude_session
from tests.sessions.observer.wrapped import KEY, begin, draw

from dejavu.archive import Archive
from dejavu.capsule import Exit, Output
from dejavu.model import turn_to_dict
from dejavu.scrapers import default_packs
from dejavu.scrapers.self_check import Agreement
from dejavu.sessions import session_store as sessions
from dejavu.sessions.aligned_screens import FILE
from dejavu.sessions.aligned_screens import load as load_aligned
from dejavu.sessions.reading_scores import add, load
from dejavu.sessions.serialize import session_to_dict

_BOX = "─" * 60 + "\r\n❯ \r\n" + "─" * 60 + "\r\n  ? for shortcuts"
_PROMPTS = [f"What is the number {n} good for?" for n in range(4)]


def _screen(user: str = "❯", text: str = "●") -> str:
    turns = "".join(f"{user} {p}\r\n\r\n{text} re: {p}\r\n\r\n" for p in _PROMPTS)
    return "\x1b[2J\x1b[H" + turns + _BOX


def _run(home: Path, drawn: str, **options: Any) -> dict[str, Any]:
    """One session of Claude Code that draws this; what its status says at its end."""
    observer, folder = begin(agent="claude", lines=40, **options)
    path = claude_session(home, *_PROMPTS, name=f"s{time.time_ns()}")
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    path.write_text(path.read_text().replace("2026-11-21T10:00", later))
    draw(observer, drawn)
    observer.event(Exit(time.time(), 0))
    observer.finish()
    view = sessions.load(folder)
    assert view is not None
    return session_to_dict(view)


@pytest.mark.parametrize("options", [{}, {"screen": True}])
def test_a_session_that_reads_like_its_log_scores_full(home: Path, options: dict[str, Any]) -> None:
    reading = _run(home, _screen(), **options)["reading"]
    assert (reading["score"], reading["turns"], reading["version"]) == (1.0, 8, "2.1.330")
    assert reading["since"].endswith("Z")
    assert not reading["low"]


def test_a_release_that_draws_otherwise_is_marked_low(home: Path) -> None:
    first = _run(home, _screen("▶▶", "◇◇"), screen=True)
    assert first["reading"]["low"]
    assert first["reading"]["score"] < 0.9
    # The next session knows from its beginning: nothing but blocked is believed.
    observer, folder = begin(agent="claude", lines=40, screen=True)
    draw(observer, _screen())
    status = json.loads((folder / "status.json").read_text())
    assert (status["state"], status["reading"]["low"]) == ("unknown", True)
    observer.event(Exit(time.time(), 0))
    report = observer.finish()
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        whole = archive.get(report["conversation"])
    assert {turn_to_dict(turn).get("reading") for turn in whole.turns} == {"low"}


def test_a_release_newer_than_its_rules_is_idle_only_when_it_lasts(home: Path) -> None:
    observer, _ = begin(agent="claude", lines=40)
    path = claude_session(home, *_PROMPTS, name=f"s{time.time_ns()}")
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    path.write_text(path.read_text().replace("2026-11-21T10:00", later).replace("2.1.330", "9.0.0"))
    draw(observer, _screen())
    reader = observer._screen.reader
    assert reader is not None
    assert reader._tracker.is_pack_old
    observer.event(Exit(time.time(), 0))
    observer.finish()


def test_a_low_reading_still_says_blocked(home: Path) -> None:
    digest = default_packs()["claude"].digest
    add("claude", "2.1.330", (60, 40), digest, Agreement(20, 2.0), time.time())
    observer, folder = begin(agent="claude", lines=40)
    dialog = (
        "─" * 60 + "\r\n Bash command\r\n\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n"
    )
    draw(observer, f"\x1b[2J\x1b[H❯ why?\r\n\r\n{dialog}\r\n Esc to cancel · Tab to amend")
    assert json.loads((folder / "status.json").read_text())["state"] == "blocked"


@pytest.mark.parametrize(("right", "state"), [(6.0, "idle"), (3.0, "unknown")])
def test_states_that_were_right_are_believed_of_a_low_version(
    home: Path, right: float, state: str
) -> None:
    digest = default_packs()["claude"].digest
    agreement = Agreement(20, 2.0, {"trace": (6.0, right)})
    add("claude", "2.1.330", (60, 40), digest, agreement, time.time())
    observer, folder = begin(agent="claude", lines=40)
    draw(observer, _screen())
    status = json.loads((folder / "status.json").read_text())
    assert (status["state"], status["reading"]["low"]) == (state, True)


def test_nothing_that_was_drawn_is_written(home: Path) -> None:
    _run(home, _screen().replace("good for", "xylophone"))
    assert load(0.9)[0].agreement.turns
    state = home / ".local/state"
    assert not any(b"xylophone" in p.read_bytes() for p in state.rglob("*") if p.is_file())


@pytest.mark.parametrize("screen", [True, False])
def test_screens_to_learn_from_are_kept_redacted_and_only_with_consent(
    home: Path, screen: bool
) -> None:
    observer, folder = begin(agent="claude", lines=40, screen=screen)
    now = float(int(time.time()))  # as the file's moments, which are whole seconds
    path = claude_session(home, *_PROMPTS)
    path.write_text(
        path.read_text().replace("2026-11-21T10:00", time.strftime("%Y-%m-%dT%H:%M", time.gmtime(now)))
        .replace(":00.000Z", time.strftime(":%S.000Z", time.gmtime(now)))
    )  # fmt: skip
    path.write_text("\n".join(path.read_text().splitlines()[:2]) + "\n")
    drawn = _screen("▶▶", "◇◇") + f"\r\n  {KEY}"
    observer.event(Output(now + 4, drawn.encode()))
    for pause in (4.1, 4.5, 5.0):
        observer.tick(now + pause)
    observer.event(Exit(now + 5.1, 0))
    observer.finish()
    file = folder / FILE
    assert file.exists() is screen
    if screen:
        assert file.stat().st_mode & 0o777 == 0o600
        assert KEY not in file.read_text()
        (session,) = load_aligned("claude")
        assert [entry.state for entry in session.screens] == ["idle"]
        rows = [row.rstrip() for row in session.screens[0].snapshot.rows]
        assert "◇◇ re: What is the number 0 good for?" in rows
