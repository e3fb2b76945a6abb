import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.surfaces.conftest import Result


def _cast(path: Path, *events: tuple[float, str, str], title: str = "demo") -> Path:
    head = {"version": 2, "width": 60, "height": 12, "title": title}
    path.write_text("\n".join(json.dumps(row) for row in (head, *events)) + "\n")
    return path


def test_contract_shape(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    cast = _cast(tmp_path / "a.cast", (0.1, "o", "hello\r\n"), (0.5, "r", "70x20"))
    shown = dejavu("replay", str(cast), "--agent", "demo", "--json").json
    assert set(shown) >= {"agent", "columns", "lines", "status", "turns", "history", "gaps"}
    assert (shown["agent"], shown["columns"], shown["lines"]) == ("demo", 70, 20)
    assert shown["status"][-1]["state"] == "exited"


def test_a_bad_line_is_named_and_the_rest_is_read(
    dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    cast = _cast(tmp_path / "a.cast", (0.1, "o", "x"))
    cast.write_text(cast.read_text() + "[1.0, broken\n" + '[2.0, "o", "y"]\n')
    result = dejavu("replay", str(cast), "--json")
    assert result.code == 0
    assert "line 3" in result.err


def test_raw_bytes_need_no_header(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.write_bytes(b"\x1b[1mhi\x1b[m\xff\r\n" * 50)
    shown = dejavu("replay", str(raw), "--size", "40x10", "--json").json
    assert (shown["columns"], shown["lines"], shown["history"]) == (40, 10, 41)


@pytest.mark.parametrize("size", ["x", "0x5", "80x", "-1x3"])
def test_bad_sizes_are_usage_errors(
    dejavu: Callable[..., Result], tmp_path: Path, size: str
) -> None:
    cast = _cast(tmp_path / "a.cast")
    assert dejavu("replay", str(cast), f"--size={size}").code == 2


def test_a_missing_file_is_a_usage_error(dejavu: Callable[..., Result]) -> None:
    assert dejavu("replay", "nowhere.cast").code == 2


@pytest.mark.shared
def test_all_seven_prompts_of_the_tour_in_order(
    dejavu: Callable[..., Result], shared: Path
) -> None:
    run = shared / "data" / "recordings" / "claude" / "tour-120x40"
    shown = dejavu("replay", str(run / "session.cast"), "--agent", "claude", "--json").json
    prompts = [turn["parts"][0]["content"] for turn in shown["turns"] if turn["role"] == "user"]
    truth = json.loads((run / "truth.json").read_text())
    assert prompts == [turn["user"] for turn in truth["turns"]]
