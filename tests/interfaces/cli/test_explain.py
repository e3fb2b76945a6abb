import json
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result

_SCREEN = "\n".join(["● Done.", "", "─" * 40, "❯ ", "─" * 40, "  ? for shortcuts"])


def test_contract_shape_of_a_text_screen(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "screen.txt"
    path.write_text(_SCREEN)
    shown = dejavu("explain", str(path), "--agent", "demo", "--json").json
    assert (shown["agent"], shown["state"]) == ("demo", "idle")
    assert {"name", "top", "bottom", "left", "right"} <= set(shown["regions"][0])
    assert shown["evaluated"]
    assert isinstance(shown["rule"], str)


def test_raw_bytes_are_drawn_first(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "screen.raw"
    path.write_bytes(b"\x1b[2J\x1b[H" + _SCREEN.replace("\n", "\r\n").encode())
    assert (
        dejavu("explain", str(path), "--agent", "demo", "--size", "40x12", "--json").json["state"]
        == "idle"
    )


def test_nothing_recognised_is_unknown(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "screen.txt"
    path.write_text("just some prose about a spinner, esc to interrupt\n")
    assert dejavu("explain", str(path), "--agent", "claude", "--json").json["state"] == "unknown"
    assert "unknown" in dejavu("explain", str(path), "--agent", "claude").out


def test_a_missing_file_is_a_usage_error(dejavu: Callable[..., Result]) -> None:
    assert dejavu("explain", "nowhere.txt").code == 2


def test_a_recording_is_read_at_a_moment(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    cast = tmp_path / "a.cast"
    ask, idle = (
        "Do you want to run make?\r\n❯ 1. Yes\r\n  2. No\r\n",
        _SCREEN.replace("\n", "\r\n"),
    )
    lines = [{"version": 2, "width": 40, "height": 12}, [1.0, "o", ask],
             [5.0, "o", "\x1b[2J\x1b[H" + idle], [9.0, "o", "\x1b[2J\x1b[H$ "]]  # fmt: skip
    cast.write_text("\n".join(map(json.dumps, lines)))

    def state(*options: str) -> str:
        return str(dejavu("explain", str(cast), "-a", "demo", "--json", *options).json["state"])

    assert [state("--at", at) for at in ("2", "5", "8.9")] == ["blocked", "idle", "idle"]
    assert state() == state("--at", "99") == "unknown"
    assert "--at SECONDS" in dejavu("explain", str(cast), "-a", "demo").err
    assert "--at" not in dejavu("explain", str(cast), "-a", "demo", "--at", "2").err
    screen = tmp_path / "screen.txt"
    screen.write_text(_SCREEN)
    assert dejavu("explain", str(screen), "--at", "2").code == 2  # it has no times
    assert dejavu("explain", str(cast), "--at", "-1").code == 2


def test_what_is_asked_and_what_is_pending(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    file = tmp_path / "screen.txt"
    file.write_text("Do you want to run make?\n❯ 1. Yes\n  2. No\n")
    told = dejavu("explain", str(file), "--agent", "demo", "--json").json
    assert (told["state"], told["pending"]) == ("blocked", [])
    assert told["blocked"] == {
        "kind": "permission", "question": "Do you want to run make?",
        "choices": ["Yes", "No"], "default": "Yes", "resets_at": None,
        "subject": "Do you want to run make?", "keys": [], "takes_text": False, "across": False,
        "first": 1, "more": False,
    }  # fmt: skip
    assert "❯ Yes" in dejavu("explain", str(file), "--agent", "demo").out
