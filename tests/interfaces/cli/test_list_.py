import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from tests.factories.archive import START, Result, conversation

from dejavu.archive import Batch
from dejavu.archive.access import open_archive
from dejavu.extensions.testing import TerminalFixture
from dejavu.model import AT_END, Conversation, TurnUpdate, to_iso


def test_newest_first_in_the_contracts_shape(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    heads = dejavu("list", "--json").rows
    assert [head["id"] for head in heads] == [whole.id for whole in archived]
    assert {
        "id", "workspace", "instance", "agent", "native_id", "title", "started_at", "ended_at",
        "captured_at", "turn_count", "vectors", "parent", "source",
    } <= set(heads[0])  # fmt: skip
    assert heads[1]["started_at"] == to_iso(START)
    assert heads[0]["vectors"] == ["screen"]


def test_filters(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    amp, claude = (whole.id for whole in archived)

    def ids(*arguments: str) -> list[str]:
        return [head["id"] for head in dejavu("list", "--json", *arguments).rows]

    assert ids("--agent", "claude") == [claude]
    assert ids("--workspace", "/work/other") == [amp]
    assert ids("--workspace", "retry") == [claude]
    assert ids("--limit", "1") == [amp]
    assert ids("--limit", "1", "--offset", "1") == [claude]
    assert ids("--until", to_iso(START + 50) or "") == [claude]
    assert ids("--since", to_iso(START + 50) or "") == [amp]


def test_one_project(
    dejavu: Callable[..., Result], archived: list[Conversation], home: Path
) -> None:
    amp, claude = archived
    with open_archive(write=True) as archive:
        named = msgspec.structs.replace(archive.summary(amp.id), project="github.com/acme/shop")
        archive.commit(Batch(updates=[TurnUpdate(named, AT_END, ())]))
    for name in ("github.com/acme/shop", "acme/shop", "Shop"):
        assert [row["id"] for row in dejavu("list", "--project", name, "--json").rows] == [amp.id]
        hits = dejavu("search", f"project:{name}", "--json").json["hits"]
        assert {hit["conversation"] for hit in hits} == {amp.id}
    assert dejavu("list", "--project", "hop", "--json").rows == []
    assert (
        "project:shops has no conversations; did you mean shop?"
        in dejavu("search", "project:shops x").err
    )
    listed = dejavu("list", "--project", "shop").out
    assert claude.id not in listed
    assert " shop " in listed  # and not the clone's folder
    assert [row["id"] for row in dejavu("list", "--project", "retry", "--json").rows] == [claude.id]


def test_titles_cannot_act_on_the_terminal(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    out = dejavu("list").out
    assert archived[0].id in out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_an_unknown_workspace_is_a_usage_error(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    result = dejavu("list", "--workspace", "nowhere")
    assert result.code == 2
    assert "nowhere" in result.err


def test_before_anything_was_captured(dejavu: Callable[..., Result]) -> None:
    result = dejavu("list", "--json")
    assert (result.code, result.json) == (0, {"conversations": [], "next": None})
    assert "dejavu sync" in result.err


def test_jsonl(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    assert len(dejavu("list", "--jsonl").out.splitlines()) == 2


def test_a_moment_that_is_none_is_named_before_anything_is_opened(
    dejavu: Callable[..., Result], home: Path
) -> None:
    for command in (["list"], ["search", "x"]):
        result = dejavu(*command, "--since", "32d2")
        assert result.code == 2
        assert "32d2" in result.err
        assert "archive" not in result.err


def test_a_name_that_fits_several_workspaces_names_them(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    with open_archive(write=True) as archive:
        for number in range(7):
            archive.put(conversation(f"w{number}", "claude", f"/w/{number}/api", START))
    done = dejavu("list", "--workspace", "api")
    assert done.code == 2
    assert "'api' fits 7 workspaces: /w/0/api, " in done.err
    assert "/w/4/api and 2 more; name one of them\n" in done.err


def test_a_terminal_has_a_heading_and_ages_within_its_width(
    terminal: TerminalFixture, home: Path, archived: list[Conversation]
) -> None:
    for columns in (60, 80, 140):
        app = terminal(
            [sys.executable, "-m", "dejavu", "list"], env={"HOME": str(home)}, size=(columns, 20)
        )
        assert app.wait_exit() == 0
        heading, *rows = [row for row in app.screen.text.splitlines() if row.strip()]
        assert heading.split()[:2] == ["ID", "WHEN"]
        assert [row.split()[0] for row in rows] == [whole.id for whole in archived]
        assert rows[1].index("Why does") == heading.index("TITLE")


def test_a_long_list_is_paged(
    terminal: TerminalFixture, home: Path, archived: list[Conversation]
) -> None:
    with open_archive(write=True) as archive:
        for number in range(30):
            archive.put(conversation(f"w{number}", "claude", f"/w/{number}/api", START))
    app = terminal(
        [sys.executable, "-m", "dejavu", "list"],
        env={"HOME": str(home), "PAGER": "sed s/^/paged:/"},
    )
    assert app.wait_exit() == 0
    assert "paged:" in app.screen.text


def test_words_are_looked_for_in_titles(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert [row["id"] for row in dejavu("list", "WHY", "retry_budget", "--json").rows] == [
        one.id for one in archived if "retry_budget" in one.title
    ]
    assert dejavu("list", "zebra").err.startswith("no conversation's title has 'zebra';")


def test_an_archive_without_conversations_says_so(dejavu: Callable[..., Result]) -> None:
    dejavu("sync")
    with open_archive(write=True):
        assert "the archive has no conversations; `dejavu sync`" in dejavu("list").err
