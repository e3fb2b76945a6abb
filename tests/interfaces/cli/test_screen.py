import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.sessions import start


def test_the_screen_of_a_running_session_without_its_secret(
    live: str, dejavu: Callable[..., Result]
) -> None:
    done = dejavu("screen", live)
    rows = done.out.splitlines()
    assert (done.code, rows[0], rows[-1]) == (0, "❯ why?", "  ? for shortcuts")
    assert rows[2].startswith("● Because of [redacted]")
    assert "\x1b" not in done.out
    styled = dejavu("screen", live, "--ansi").out
    assert "\x1b[0;1m●\x1b[0m" in styled
    document = dejavu("screen", live, "--json").json
    assert (document["columns"], document["lines"], document["state"]) == (60, 12, "idle")
    for output in (done.out, styled, str(document)):
        assert "cumulonimbus" not in output


def test_a_session_that_is_none_or_has_ended(dejavu: Callable[..., Result]) -> None:
    assert dejavu("screen", "nothing").code == 3
    start("20260101-000000-aaaa", "idle", live=False, name="x")
    done = dejavu("screen", "x")
    assert (done.code, "x has ended, and its screen with it" in done.err) == (3, True)
    assert "Errno" not in done.err


def test_a_session_that_has_just_started_is_waited_for(
    home: Path, dejavu: Callable[..., Result]
) -> None:
    run = [sys.executable, "-m", "dejavu.interfaces.run", "--detach", "--name", "early", "--"]
    subprocess.run([*run, "cat"], check=True, stdout=subprocess.DEVNULL, timeout=60)
    try:
        assert dejavu("screen", "early").code == 0
    finally:
        assert dejavu("stop", "early", "--timeout", "60").code == 0
