from collections.abc import Callable

import pytest
from tests.factories.archive import Result

from dejavu.model import Conversation


def test_named_conversations_go_and_no_other(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    gone, kept = archived
    done = dejavu("delete", gone.id[:8], "-y")
    assert (done.code, done.out, done.err) == (0, f"{gone.id}\n", "1 conversation deleted\n")
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
    assert "Delete 1 conversation from the archive for good? [y/N]" in done.err
    assert len(dejavu("list", "--json").rows) == left


def test_an_unknown_one_deletes_nothing(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("delete", archived[0].id, "nothing", "-y").code == 3
    assert len(dejavu("list", "--json").rows) == 2
