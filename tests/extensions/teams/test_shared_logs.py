"""A session log that holds conversations of two private projects: who reads its raw, and who its turns."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.drills.test_teams import Member
from tests.postgres import Server
from tests.team_rights import Site, conversation, made_site

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.extensions.teams.postgres_team import Team, upgrade
from dejavu.ingest.reparse import reparse
from dejavu.interfaces.export_formats import Form, write
from dejavu.model import (
    ArchiveError,
    Conversation,
    Extension,
    HiddenTurnsError,
    NotFoundError,
    Reasoning,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    TurnUpdate,
    Usage,
)

IN_SECRET, IN_VAULT = "reader", "writer"
"""The members of the two private projects; an owner of both is `owner`."""
RAW = b"".join(b'{"a line": %d, "of": "the log"}\n' % n for n in range(3_000))
PARTS = (
    Text(RAW[:2_000].decode()), Reasoning("as it was\nthought"), ToolCall("c1", "Bash", {"command": "ls"}),
    ToolCallResponse("c1", [{"a": 1}], is_error=True), ToolCallResponse("c2", "plain"),
    Extension("x.note", {"b": [2]}),
)  # fmt: skip


@pytest.fixture
def site(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Site]:
    """A team with a log of two private projects, each with one member."""
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path))
    with made_site(server, server.url(schema=server.new_schema())) as made:
        updates = [
            TurnUpdate(
                msgspec.structs.replace(conversation(name, 1, "bob@box", place), turns=()), 0,
                (Turn(role=Role.ASSISTANT, parts=parts, spans=(Span(0, 2_000),), at=1.7e9, model="m",
                      usage=Usage(input_tokens=7), meta={"finish_reason": "stop"}, native_id="n"),),
                "the log",
            )
            for name, place, parts in (
                ("of secret", "/secret", PARTS),
                ("of vault", "/vault", (Text(RAW[:70_000].decode()),)),
            )
        ]  # fmt: skip
        with Archive.open(made.url) as keeper:
            keeper.commit(Batch({"the log": [RawDelta(0, RAW)]}, updates))
        team = Team(made.url)
        team.set_private("/vault", hidden=True)
        for login, place in ((IN_SECRET, "/secret"), (IN_VAULT, "/vault")):
            team.invite(made.logins[login], "reader", place, None)
        for place in ("/secret", "/vault"):
            team.invite(made.logins["owner"], "reader", place, None)
        team.close()
        yield made


def raw_read(site: Site) -> dict[str, bool]:
    """Whether each member reads the log over psql: all of its rows and views agree."""
    number = site.server.run(
        f"select number from {site.schema}.dejavu_sources where name = 'the log'"
    )[0][0]
    chunks = f"key between '\\x52'::bytea || int8send({number}) and '\\x52'::bytea || int8send({number} + 1)"
    asked = (
        f"select count(*) from dejavu_records where {chunks}",
        f"select count(*) from dejavu_sources where number = {number}",
        "select count(*) from dejavu.sources where name = 'the log'",
        "select count(*) from dejavu.raw_chunks where name = 'the log'",
    )
    read: dict[str, bool] = {}
    for login in (IN_SECRET, IN_VAULT, "owner", "curator"):
        counts = [site.psql(site.logins[login], one)[0][0] for one in asked]
        assert len({count == 0 for count in counts}) == 1, (login, counts)
        read[login] = counts[0] != 0
    return read


def decide(site: Site, place: str, *, hidden: bool) -> None:
    team = Team(site.url)
    team.set_private(place, hidden=hidden)
    team.close()


NEITHER = {IN_SECRET: False, IN_VAULT: False, "owner": True, "curator": False}


def test_its_raw_takes_a_right_in_each_project(site: Site) -> None:
    assert raw_read(site) == NEITHER
    with Archive.open(site.url) as keeper:
        assert b"".join(keeper.sources.raw("the log")) == RAW
        assert keeper.maintenance.verify().clean
    decide(site, "/secret", hidden=False)
    assert raw_read(site) == {IN_SECRET: False, IN_VAULT: True, "owner": True, "curator": False}
    decide(site, "/vault", hidden=False)
    assert raw_read(site) == dict.fromkeys(NEITHER, True)
    decide(site, "/vault", hidden=True)
    assert raw_read(site) == {IN_SECRET: False, IN_VAULT: True, "owner": True, "curator": False}
    decide(site, "/secret", hidden=True)
    assert raw_read(site)[IN_SECRET] is False


def test_members_read_their_own_turns_and_are_told_of_the_raw(site: Site) -> None:
    with Archive.open(site.url) as keeper:
        whole = keeper.get("of secret")
    with site.archive(site.logins[IN_SECRET]) as archive:
        [turn] = archive.get("of secret").turns
        assert turn == msgspec.structs.replace(whole.turns[0], spans=())
        with pytest.raises(NotFoundError):
            archive.get("of vault")
        for refused in (
            lambda: list(write(Form.RAW, archive, archive.get("of secret"))),
            lambda: archive.sources.refuse_hidden("of secret"),
        ):
            with pytest.raises(
                HiddenTurnsError, match=r"of secret: .* shared with a project that is hidden"
            ):
                refused()
        assert archive.maintenance.verify().hidden == ["of secret"]
        with pytest.raises(NotFoundError):
            list(archive.sources.raw("the log"))
    with site.archive(site.logins[IN_VAULT]) as archive:
        [turn] = archive.get("of vault").turns
        assert turn.text.startswith(RAW[:65_536].decode())
        assert turn.text.endswith(
            "[4,464 more characters are in a session log that is shared with a hidden project]"
        )
        report = reparse(archive)
        assert [name for name, why in report.failed if "is hidden from this login" in why] == [
            "of vault"
        ]


def test_a_deleted_conversation_keeps_its_log_closed(site: Site) -> None:
    """Its bytes are in the log as long as the other one needs it."""
    with Archive.open(site.url) as keeper:
        assert keeper.maintenance.delete(("of vault",)).conversations == ("of vault",)
        keeper.put(conversation("later", 1, "bob@box", "/secret"))
        keeper.commit(Batch({}, (), {}, {}, {"the log": ["later"]}))
    assert raw_read(site) == NEITHER
    decide(site, "/vault", hidden=False)
    decide(site, "/vault", hidden=True)
    assert raw_read(site)[IN_SECRET] is False


def test_an_upgrade_places_what_is_there_again(site: Site) -> None:
    """As schema 18 left it, and as a program of schema 18 adds to it afterwards."""
    schema = site.schema
    site.server.run(
        f"set search_path to {schema}; alter table dejavu_sources disable trigger dejavu_guard; "
        "update dejavu_sources set places = null; alter table dejavu_sources enable trigger dejavu_guard; "
        "update dejavu_records set workspace = null where get_byte(key, 0) in (80, 82, 83); "
        f"comment on table dejavu_records is 'dejavu schema 7 readers 7 reached 18'; reset search_path"
    )
    assert raw_read(site)[IN_SECRET] is True  # what was wrong
    upgrade(site.url, dry_run=False)
    assert raw_read(site) == NEITHER
    site.server.run(
        f"set search_path to {schema}; set dejavu.program = 18; "
        "insert into dejavu_links select number, 'others' from dejavu_sources where name = 'the log'; "
        "reset search_path; reset dejavu.program"
    )
    assert raw_read(site) == NEITHER


def test_the_program_says_who_may(site: Site, tmp_path: Path) -> None:
    """A member of one project and a reader of the rest, at their own terminal."""
    member = Member(tmp_path / "home", site.url_of(site.logins[IN_SECRET]))
    assert json.loads(member.run("show", "of secret", "--json"))["turns"][0]["model"] == "m"
    for command in (("export", "of secret", "--format", "raw"), ("undelete", "of secret", "-y")):
        assert "shared with a project that is hidden from this login" in member.run(
            *command, code=4
        )
    for command in (("delete", "others", "-y"), ("archive", "prune", "-w", "/w", "-y")):
        said = member.run(*command, code=4)
        assert "may only read the archive" in said, said
        assert "permission denied" not in said


def test_a_reader_changes_nothing(site: Site) -> None:
    with site.archive(site.logins["reader"]) as archive:
        for change in (
            lambda: archive.maintenance.delete(("others",)),
            lambda: archive.maintenance.prune(only=("others",)),
            lambda: archive.put(Conversation(id="new", agent="x")),
        ):
            with pytest.raises(
                ArchiveError, match=r"may only read the archive .* a curator all; an owner"
            ):
                change()
