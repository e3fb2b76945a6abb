"""A golden case from a session as it runs: wrapper, observer and socket are the real ones."""

import tomllib
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.sessions import start
from tests.golden import Case


def test_a_case_that_the_golden_tests_take(
    live: str, dejavu: Callable[..., Result], tmp_path: Path, home: Path
) -> None:
    result = dejavu("capture-screen", live, "quiet", "--into", str(tmp_path), "--json")
    folder = tmp_path / "demo" / "quiet"
    assert (result.code, result.json["folder"]) == (0, str(folder))
    assert result.json["states"] == ["idle", "exited"]
    about = tomllib.loads((folder / "case.toml").read_text())
    assert {"agent": "demo", "size": "60x12", "state": "idle"}.items() <= about.items()
    assert {"version", "date", "why"} <= set(about)
    case = Case(folder)
    assert case.actual() == case.expected()
    assert (folder / "screen.txt").read_text().startswith("❯ why?\n\n● Because of")
    for place in (tmp_path, home):
        written = [path.read_bytes() for path in place.rglob("*") if path.is_file()]
        assert written
        assert not any(b"cumulonimbus" in data for data in written)
    again = dejavu("capture-screen", live, "quiet", "--into", str(tmp_path))
    assert (again.code, "--overwrite" in again.err) == (1, True)
    over = dejavu("capture-screen", live, "quiet", "--into", str(tmp_path), "--overwrite")
    assert (over.code, over.out) == (0, f"{folder}\n")


def test_names_are_plain_and_sessions_alive(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    start("20260101-000000-aaaa", "idle", live=False)
    assert dejavu("capture-screen", "2026", "../up", "--into", str(tmp_path)).code == 2
    assert dejavu("capture-screen", "2026", "x", "--into", str(tmp_path)).code == 3
    start("20260102-000000-aaaa", "idle")  # its observer is gone
    assert dejavu("capture-screen", "20260102", "x", "--into", str(tmp_path)).code == 3
    assert list(tmp_path.glob("demo")) == []
