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


def test_what_is_asked_and_what_is_pending(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    file = tmp_path / "screen.txt"
    file.write_text("Do you want to run make?\n❯ 1. Yes\n  2. No\n")
    told = dejavu("explain", str(file), "--agent", "demo", "--json").json
    assert (told["state"], told["pending"]) == ("blocked", [])
    assert told["blocked"] == {
        "kind": "permission", "question": "Do you want to run make?",
        "choices": ["Yes", "No"], "default": "Yes", "resets_at": None,
        "subject": "Do you want to run make?", "keys": [], "takes_text": False, "across": False,
    }  # fmt: skip
    assert "❯ Yes" in dejavu("explain", str(file), "--agent", "demo").out
