import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.ingest import final_sync as final_module
from dejavu.interfaces.doctor import archive as archive_checks
from dejavu.interfaces.doctor.archive import archive
from dejavu.interfaces.doctor.finding import Finding, Severity
from dejavu.providers import PROVIDERS, RawDelta, Source


def test_what_agents_kept_is_read_once(dejavu: Callable[..., Result], home: Path) -> None:
    claude_session(home, "one", "two")
    first = dejavu("sync", "--json").json
    assert len(first["conversations"]) == 1
    again = dejavu("sync", "--json").json
    assert (again["read"], again["bytes"], again["conversations"]) == (0, 0, [])
    shown = dejavu("show", "last", "--json").json
    assert [turn["parts"][0]["content"] for turn in shown["turns"]] == [
        "one",
        "re: one",
        "two",
        "re: two",
    ]
    assert shown["vectors"] == ["native"]


def recall_index() -> Finding:
    (found,) = [finding for finding in archive() if finding.subject == "recall index"]
    return found


def test_after_more_than_a_hook_takes_in_recall_is_ready(
    dejavu: Callable[..., Result], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dejavu.recall.history.index.MAX_INDEX_LAG", 3)
    tolerance = archive_checks._TOLERANCES["recall index"]._replace(turns=3)
    monkeypatch.setitem(archive_checks._TOLERANCES, "recall index", tolerance)
    claude_session(home, "one")
    dejavu("sync")
    assert not (home / ".local/share/dejavu/archive/recall").exists()
    claude_session(home, "a", "b", "c", name="s2")
    with monkeypatch.context() as before:  # as one that was interrupted there
        before.setattr("dejavu.recall.update_indexes.update_indexes", lambda _: 0)
        dejavu("sync")
    assert recall_index().severity is Severity.WARNING
    assert "prompts get no history" in recall_index().message
    claude_session(home, "d", name="s3")
    assert "being prepared" in dejavu("sync").err
    assert recall_index().severity is Severity.OK


def test_growth_is_appended(dejavu: Callable[..., Result], home: Path) -> None:
    path = claude_session(home, "one")
    dejavu("sync")
    size = path.stat().st_size
    claude_session(home, "one", "two")
    grown = dejavu("sync", "--json").json
    assert grown["bytes"] == path.stat().st_size - size
    assert dejavu("show", "last", "--json").json["turn_count"] == 4


def test_a_purged_source_stays_archived(dejavu: Callable[..., Result], home: Path) -> None:
    path = claude_session(home, "one")
    dejavu("sync")
    path.unlink()
    dejavu("sync")
    assert dejavu("show", "last", "--json").json["turn_count"] == 2
    raw = dejavu("export", "last", "-f", "json")
    assert raw.code == 0


def test_another_home_is_another_instance(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    box = tmp_path / "box-1"
    claude_session(home, "one")
    claude_session(box, "one in the box")
    dejavu("sync")
    dejavu("sync", "--home", str(box))
    heads = dejavu("list", "--json").rows
    assert {head["instance"] for head in heads} == {"local", "box-1"}
    assert len({head["id"] for head in heads}) == 2


def test_final_fails_when_something_was_left(
    dejavu: Callable[..., Result], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = claude_session(home, "one", name="bad"), claude_session(home, "two", name="good")
    honest = PROVIDERS["claude"].follow

    def refuse(source: Source, since: bytes | None = None) -> Iterator[RawDelta]:
        if source.path == bad:
            raise PermissionError(13, "Permission denied", str(bad))
        return honest(source, since)

    monkeypatch.setattr(final_module, "PATIENCE", 0.3)
    monkeypatch.setattr(type(PROVIDERS["claude"]), "follow", lambda _self, *given: refuse(*given))
    result = dejavu("sync", "--final")
    assert result.code == 1
    assert str(bad) in result.err
    assert [head["native_id"] for head in dejavu("list", "--json").rows] == [good.stem]


def test_unknown_agents_are_usage_errors(dejavu: Callable[..., Result]) -> None:
    assert dejavu("sync", "--agent", "nobody").code == 2


@pytest.mark.parametrize("pause", [0.0, 1.0])
def test_a_watch_ends_as_it_is_told(
    home: Path, dejavu: Callable[..., Result], pause: float
) -> None:
    claude_session(home, "one")
    command = [sys.executable, "-m", "dejavu.interfaces.cli", "sync", "--watch"]
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 0)):
        claude_session(home, "one", name=f"told-{code}")
        # A shell's background job would hand on an ignored SIGINT.
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as watch:
            assert watch.stdout is not None
            try:
                assert watch.stdout.readline()
                time.sleep(pause)  # as it imports, or as it waits for changes
                watch.send_signal(number)
                assert watch.wait(30) == code
            finally:
                watch.kill()
    assert len(dejavu("list", "--json").rows) == 3


def test_a_home_without_sessions_says_what_to_do(dejavu: Callable[..., Result], home: Path) -> None:
    assert "`dejavu-run AGENT` captures as you work" in dejavu("sync").err


def test_a_home_that_never_synced_gets_one_note(dejavu: Callable[..., Result], home: Path) -> None:
    told = dejavu("list").err
    assert "`dejavu sync`" in told
    assert len(told.splitlines()) == 1


def test_a_home_without_session_files_is_named(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    told = dejavu("sync", "--home", str(tmp_path / "bare"), "--machine", "laptop")
    assert (told.code, f"no agent's session files are in {tmp_path / 'bare'};" in told.err) == (
        0,
        True,
    )
    assert "no agent keeps session files here yet" in dejavu("sync").err
