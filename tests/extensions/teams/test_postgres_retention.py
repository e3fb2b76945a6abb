"""Legal hold and retention: what is held cannot be deleted by anybody, and is kept as it was."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.postgres import Server
from tests.team_rights import NUMBER, RANGE, Site, conversation, key, made_site

from dejavu.archive import Archive
from dejavu.archive.maintenance import backup
from dejavu.extensions.teams.postgres_retention import (
    hold_statement,
    release_statement,
    retention_statement,
)
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import ArchiveError, InvalidValueError, LegalHoldError, NotFoundError
from dejavu.services.prune_turns import Selection, prune_turns

KEPT = NUMBER.format("kept")


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        yield made


@pytest.fixture
def team(site: Site) -> Iterator[Team]:
    team = Team(site.url)
    yield team
    team.close()


@pytest.mark.parametrize(
    "statement",
    [
        "delete from dejavu_conversations where id = 'kept'",
        f"delete from dejavu_records where key = {key('summaries', 'kept')}",
        "truncate dejavu_records",
        "truncate dejavu_conversations",
        "truncate dejavu_held_records",
        "truncate dejavu_holds",
    ],
)
def test_even_the_owner_of_the_tables_is_refused(site: Site, statement: str) -> None:
    with pytest.raises(psycopg.Error, match="under legal hold: the case of 2026") as refused:
        site.psql("keeper", statement)
    assert refused.value.sqlstate == "DV001"


def test_prune_goes_on_around_what_is_held(site: Site) -> None:
    with Archive.open(site.url) as archive:
        for dry_run in (True, False):
            done = archive.maintenance.prune(workspace="/w", dry_run=dry_run)
            assert "others" in done.conversations
            assert [(one.conversation, one.reason) for one in done.held] == [
                ("kept", "the case of 2026")
            ]
        assert archive.get("kept").turn_count == 2
        assert archive.maintenance.verify().faults == []
        with pytest.raises(NotFoundError):
            archive.get("others")


def test_what_is_held_still_grows_and_is_kept_as_it_was(site: Site, team: Team) -> None:
    kept = "select action, value from dejavu_held_records where conversation = " + KEPT
    [[block]] = site.psql("keeper", f"select value from dejavu_records {RANGE.format(KEPT)}")
    with Archive.open(site.url) as archive:
        archive.put(conversation("kept", 5, "bob@box"))
        assert archive.get("kept").turn_count == 5
    rows = site.psql("keeper", kept)
    assert block in [value for _, value in rows]
    site.psql("keeper", f"delete from dejavu_records {RANGE.format(KEPT)}")
    assert "delete" in [action for action, _ in site.psql("keeper", kept)]
    team.apply(release_statement("kept", None))
    assert site.psql("keeper", kept) == []
    assert team.status().holds == ()


def test_a_workspace_is_held_with_what_comes_later(site: Site, team: Team) -> None:
    team.apply(hold_statement(None, "/w", "all of it"))
    with Archive.open(site.url) as archive:
        archive.put(conversation("late", 1, "bob@box"))
        done = archive.maintenance.prune(workspace="/w")
        assert done.conversations == ()
        assert {one.conversation for one in done.held} >= {"late", "others", "kept"}
        team.apply(release_statement(None, "/w"))
        assert {one.conversation for one in archive.maintenance.prune(workspace="/w").held} == {
            "kept"
        }


def test_holds_are_told_audited_and_need_an_owner(site: Site, team: Team) -> None:
    team.apply(hold_statement("oth", None, "a\n  second   case"))  # by a beginning of its id
    team.apply(retention_statement("/w", 400))
    team.apply(retention_statement(None, 900))
    status = team.status()
    assert [(hold.conversation, hold.reason) for hold in status.holds] == [
        ("kept", "the case of 2026"), ("others", "a second case"),
    ]  # fmt: skip
    assert [tuple(one) for one in status.retention] == [("/w", 400), (None, 900)]
    actions = {(line.action, line.object) for line in team.audit(50)}
    assert actions >= {
        ("hold", "kept"), ("hold", "others"), ("set retention", "/w"),
        ("set retention", "every workspace"),
    }  # fmt: skip
    curator = Team(site.url_of(site.logins["curator"]))
    reader = Team(site.url_of(site.logins["reader"]))
    try:
        assert len(curator.status().holds) == 2
        assert reader.status().holds == ()
        assert len(reader.status().retention) == 2
        with pytest.raises(ArchiveError, match="may not end a hold"):
            curator.apply(release_statement("kept", None))
    finally:
        curator.close()
        reader.close()


def test_what_is_unknown_or_empty_is_refused(team: Team) -> None:
    for statement in (
        hold_statement("nothing", None, "why"), hold_statement(None, "/nowhere", "why"),
        release_statement("others", None), retention_statement("/nowhere", 30),
    ):  # fmt: skip
        with pytest.raises(NotFoundError):
            team.apply(statement)
    with pytest.raises(InvalidValueError):
        hold_statement("kept", None, "  ")


def test_init_run_again_keeps_holds(site: Site, team: Team) -> None:
    team.init()
    assert [hold.conversation for hold in team.status().holds] == ["kept"]
    with pytest.raises(psycopg.Error, match="under legal hold"):
        site.psql("keeper", "delete from dejavu_conversations where id = 'kept'")


def test_turns_of_what_is_held_are_not_taken_out(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DEJAVU_STATE_HOME", str(tmp_path))
    with Archive.open(site.url) as archive:
        with pytest.raises(LegalHoldError, match="the case of 2026"):
            prune_turns(archive, Selection(archive.get("kept"), {0}))
        assert archive.get("kept").turns[0].text == "kept 0"


def test_no_backup_is_put_in_the_place_of_what_is_held(site: Site, tmp_path: Path) -> None:
    with Archive.open(site.url) as archive:
        archive.maintenance.backup(tmp_path / "backup")
        archive.put(conversation("since", 1, "bob@box"))
    with pytest.raises(LegalHoldError, match="the case of 2026"):
        backup.restore(tmp_path / "backup", site.url)
    with Archive.open(site.url) as archive:
        assert archive.get("since").turn_count == 1
        assert archive.get("kept").turn_count == 2
        assert archive.maintenance.verify().faults == []
