from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.factories.archive import Result

from dejavu.archive.access import open_archive
from dejavu.config.files import read_json
from dejavu.config.paths import state_home
from dejavu.model import Conversation
from dejavu.recall.rationale import Rationale


def test_named_conversations_go_and_no_other(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    gone, kept = archived
    done = dejavu("delete", gone.id[:8], "-y")
    assert (done.code, done.out) == (0, f"{gone.id}\n")
    assert done.err == (
        "1 conversation deleted\n`dejavu delete --undo` undoes this until `dejavu archive compact`\n"
    )
    assert [row["id"] for row in dejavu("list", "--json").rows] == [kept.id]
    assert dejavu("show", gone.id).code == 3
    assert "clear" not in dejavu("search", "clear", "--json").out.replace('"clear"', "")


def test_several_at_once_and_a_name_twice(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    done = dejavu("delete", archived[0].id, archived[1].id, archived[0].id, "--yes", "--json")
    assert set(done.json["conversations"]) == {one.id for one in archived}
    assert dejavu("list", "--json").rows == []


def test_a_dry_run_deletes_nothing(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    done = dejavu("delete", "last", "--dry-run")
    assert (done.out, done.err) == (f"{archived[0].id}\n", "1 conversation would be deleted\n")
    assert len(dejavu("list", "--json").rows) == 2


def test_without_a_terminal_it_asks_for_yes(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    done = dejavu("delete", "last")
    assert done.code == 2
    assert "add --yes, or --dry-run to look" in done.err
    assert len(dejavu("list", "--json").rows) == 2


@pytest.mark.parametrize(("answer", "code", "left"), [("n", 130, 2), ("", 130, 2), ("y", 0, 1)])
def test_it_names_what_goes_and_asks(
    dejavu: Callable[..., Result],
    archived: list[Conversation],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    code: int,
    left: int,
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdin.readline", lambda: f"{answer}\n")
    done = dejavu("delete", archived[1].id)
    assert done.code == code
    assert "claude  4 turns  Why does retry_budget run dry?" in done.err
    assert "Delete 1 conversation from the archive? [y/N]" in done.err
    assert len(dejavu("list", "--json").rows) == left


def test_an_unknown_one_deletes_nothing(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("delete", archived[0].id, "nothing", "-y").code == 3
    assert len(dejavu("list", "--json").rows) == 2


def test_it_comes_back_until_the_archive_is_compacted(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    before = dejavu("list", "--json").rows
    dejavu("delete", archived[0].id, "-y")
    dejavu("delete", archived[1].id, "-y")
    assert dejavu("delete", "--undo").out == f"{archived[1].id}\n"
    assert dejavu("delete", "--undo", archived[0].id[:6], "--json").json == {
        "restored": [archived[0].id]
    }
    assert dejavu("list", "--json").rows == before
    assert dejavu("delete", "--undo").code == 3
    dejavu("delete", archived[0].id, "-y")
    assert dejavu("archive", "compact").code == 0
    assert dejavu("delete", "--undo").code == 3


def test_for_good_it_does_not_come_back(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    done = dejavu("delete", archived[0].id, "--for-good", "-y")
    assert done.err == "1 conversation deleted for good\n"
    assert dejavu("delete", "--undo").code == 3
    assert dejavu("delete").code == 2


@pytest.mark.parametrize("compact", [False, True])
def test_what_was_written_about_a_conversation_goes_with_it(
    dejavu: Callable[..., Result],
    archived: list[Conversation],
    session: Callable[..., Path],
    compact: bool,
) -> None:
    gone, kept = archived
    state = state_home()
    for number, one in enumerate(archived):
        session(f"20260101-000000-000{number}", "working", conversation=one.id, draft="x")
    assert dejavu("desk", "save").code == 0
    with open_archive(write=True) as archive:
        for one in archived:
            why = Rationale(
                conversation=one.id, seq=0, text="why", by="extract", at=1.0, fingerprint="f"
            )
            key = one.id.encode() + b"\0" * 8
            archive.namespace("rationale").put(key, msgspec.msgpack.encode(why))
    if compact:
        dejavu("delete", gone.id, "-y")
        with open_archive() as archive:
            assert len(list(archive.namespace("rationale").items())) == 2  # it can come back
        assert dejavu("archive", "compact").code == 0
    else:
        dejavu("delete", gone.id, "-y", "--for-good")
    with open_archive() as archive:
        left = [key for key, _ in archive.namespace("rationale").items()]
    assert left == [kept.id.encode() + b"\0" * 8]
    (noted,) = read_json(state / "desk.json")["sessions"]
    assert noted["status"]["conversation"] == kept.id


def test_what_was_deleted_is_listed(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("delete", "--list").err == "nothing that was deleted can come back\n"
    gone = archived[0]
    dejavu("delete", gone.id, "-y")
    [row] = dejavu("delete", "--list", "--json").json["deleted"]
    assert (row["id"], row["agent"], row["turns"]) == (gone.id, gone.agent, gone.turn_count)
    shown = dejavu("delete", "--list")
    assert shown.out.startswith(f"{gone.id}  deleted ")
    assert "`dejavu delete --undo ID` brings one back" in shown.err
    dejavu("delete", "--undo")
    assert dejavu("delete", "--list").out == ""
