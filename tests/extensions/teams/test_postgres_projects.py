"""Rights, retention and holds by project: the same project on several machines is one."""

from collections.abc import Iterator

import msgspec
import pytest
from tests.postgres import Server
from tests.team_rights import Site, conversation, made_site, tried

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.extensions.teams import postgres_migrations as migrations
from dejavu.extensions.teams import postgres_relations as relations
from dejavu.extensions.teams import postgres_schema as schema
from dejavu.extensions.teams.postgres_retention import (
    hold_statement,
    release_statement,
    retention_statement,
)
from dejavu.extensions.teams.postgres_team import Team, upgrade
from dejavu.model import ArchiveError, Conversation, NotFoundError

PAYROLL = "github.com/acme/payroll"


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        yield made


@pytest.fixture
def team(site: Site) -> Iterator[Team]:
    team = Team(site.url)
    yield team
    team.close()


def of(
    name: str, project: str, instance: str = "bob@box", workspace: str = "/home/bob/payroll"
) -> Conversation:
    return msgspec.structs.replace(conversation(name, 2, instance, workspace), project=project)


def seen(site: Site, rank: str) -> set[object]:
    """What a login sees, by every way that there is."""
    login = site.logins[rank]
    by_psql = {one for (one,) in site.psql(login, "select id from dejavu_conversations")}
    by_turns = {
        one for (one,) in site.psql(login, "select distinct conversation from dejavu.turns")
    }
    with site.archive(login) as archive:
        by_program = {one.id for one in archive.scan(side=True)}
    assert by_psql == by_turns == by_program
    return by_psql


def test_a_private_project_is_private_on_every_machine(site: Site, team: Team) -> None:
    with Archive.open(site.url) as keeper:
        keeper.put(of("bobs", PAYROLL))
        keeper.put(of("eves", PAYROLL, "eve@laptop", "/srv/payroll"))
        keeper.put(of("inside", f"{PAYROLL}/api", "eve@laptop", "/srv/payroll/api"))
        keeper.put(of("another", "github.com/acme/payrolls", "eve@laptop", "/srv/other"))
    assert seen(site, "reader") >= {"bobs", "eves", "inside", "another"}
    team.set_private(PAYROLL, hidden=True)
    for rank in ("reader", "writer", "curator", "owner"):
        assert seen(site, rank).isdisjoint({"bobs", "eves", "inside"})
        assert "another" in seen(site, rank)
    team.grant(site.logins["other"], "reader", PAYROLL)
    assert seen(site, "other") == {"bobs", "eves", "inside"}
    with site.archive(site.logins["other"]) as archive:
        assert {hit.conversation for hit in archive.search("eves")} == {"eves"}
    with Archive.open(site.url) as keeper:  # what comes later, on a machine that no one had seen
        keeper.put(of("later", PAYROLL, "carol@ci", "/builds/7/payroll"))
        keeper.put(of("deeper", f"{PAYROLL}/web", "carol@ci", "/builds/7/payroll/web"))
    assert seen(site, "other") == {"bobs", "eves", "inside", "later", "deeper"}
    assert "later" not in seen(site, "reader")
    team.set_private(PAYROLL, hidden=False)
    assert seen(site, "reader") >= {"bobs", "eves", "inside", "later", "deeper"}


def test_two_projects_in_one_folder_are_two(site: Site, team: Team) -> None:
    """Containers all call it /workspace."""
    with Archive.open(site.url) as keeper:
        keeper.put(of("secret one", PAYROLL, workspace="/workspace"))
        keeper.put(of("open one", "github.com/acme/shop", workspace="/workspace"))
        keeper.put(of("of none", "", workspace="/workspace"))
    team.set_private(PAYROLL, hidden=True)
    assert seen(site, "reader") >= {"open one", "of none"}
    assert "secret one" not in seen(site, "reader")
    with Archive.open(site.url) as keeper:
        assert keeper.counts().by_workspace["/workspace"] == 3
    team.grant(site.logins["other"], "reader", "/workspace")  # a folder is all of its projects
    assert seen(site, "other") == {"open one", "of none"}  # but a private one


def test_a_writer_of_a_project_writes_there_and_nowhere_else(site: Site, team: Team) -> None:
    team.set_private(PAYROLL, hidden=True)
    login, machine = site.logins["other"], "other@box"
    with site.archive(login) as archive, pytest.raises(ArchiveError):
        archive.put(of("mine", PAYROLL, machine, "/home/other/payroll"))
    team.grant(login, "writer", PAYROLL)
    with site.archive(login) as archive:
        archive.put(of("mine", PAYROLL, machine, "/home/other/payroll"))
        archive.put(
            msgspec.structs.replace(
                conversation("mine", 5, machine, "/home/other/payroll"), project=PAYROLL
            )
        )
        archive.commit(Batch({"m": [RawDelta(0, b"raw")]}, (), {}, {}, {"m": ["mine"]}))
        assert list(archive.sources.raw("m")) == [b"raw"]
        with pytest.raises(ArchiveError, match="may not make the workspace"):
            archive.put(of("elsewhere", "github.com/acme/shop", machine, "/home/other/shop"))
    with site.archive(site.logins["writer"]) as archive:
        with pytest.raises(ArchiveError, match="payroll"):
            archive.put(of("intruder", PAYROLL, "writer@box", "/home/writer/payroll"))
        # Nor does one's own conversation move there, or a colleague's out of it.
        archive.put(of("mover", "", "writer@box", "/home/writer/payroll"))
        with pytest.raises(ArchiveError):
            archive.put(of("mover", PAYROLL, "writer@box", "/home/writer/payroll"))
    assert seen(site, "other") == {"mine"}


def test_the_words_of_one_member_move_no_one_elses(site: Site, team: Team) -> None:
    team.set_private(PAYROLL, hidden=True)
    team.grant(site.logins["writer"], "writer", PAYROLL)
    with Archive.open(site.url) as keeper:
        keeper.put(of("shared", "github.com/acme/shop", workspace="/srv/one"))
        keeper.put(of("hidden too", PAYROLL, workspace="/srv/one"))
    with site.archive(site.logins["writer"]) as archive:
        archive.put(of("w1", PAYROLL, "writer@box", "/srv/one"))
        archive.put(of("w2", "github.com/acme/shop", "writer@box", "/srv/one"))
    assert seen(site, "reader") >= {"shared", "w2"}
    assert seen(site, "reader").isdisjoint({"hidden too", "w1"})
    for statement in (
        "update dejavu_conversations set project = 'github.com/acme/shop' where id = 'hidden too'",
        "select dejavu_project('x')", "select dejavu_named_place('x')",
        "select dejavu_place_workspaces(null)", "insert into dejavu_settings values ('closed', 'false')",
        "update dejavu_workspaces set follows = '{}', private = false",
    ):  # fmt: skip
        assert tried(site, site.logins["writer"], statement) != "", statement


def test_a_project_comes_before_a_folder(site: Site, team: Team) -> None:
    team.set_private("/vault", hidden=True)
    team.set_private(PAYROLL, hidden=True)
    with Archive.open(site.url) as keeper:
        keeper.put(of("of the project", PAYROLL, workspace="/vault/payroll"))
        keeper.put(of("of the folder", "github.com/acme/shop", workspace="/vault/shop"))
    team.grant(site.logins["other"], "reader", "/vault")
    assert seen(site, "other") == {"of the folder"}
    team.grant(site.logins["other"], "none", "/vault")
    team.grant(site.logins["other"], "reader", PAYROLL)
    assert seen(site, "other") == {"of the project"}
    team.set_private("/vault", hidden=False)
    assert "of the folder" in seen(site, "reader")
    assert "of the project" not in seen(site, "reader")
    assert (
        "inside a private"
        in tried(site, "keeper", f"select dejavu_set_private('{PAYROLL}/api', false)")
    )  # fmt: skip


def test_a_hold_on_a_project_covers_every_machine(site: Site, team: Team) -> None:
    with Archive.open(site.url) as keeper:
        keeper.put(of("bobs", PAYROLL))
        keeper.put(of("inside", f"{PAYROLL}/api", "eve@laptop", "/srv/payroll/api"))
        team.apply(hold_statement(None, PAYROLL, "the audit of 2026"))
        keeper.put(of("later", PAYROLL, "carol@ci", "/builds/7"))
        keeper.put(of("bobs", "github.com/acme/renamed"))  # continues, and stays where it is held
        done = keeper.maintenance.prune(only=("bobs", "inside", "later"))
        assert done.conversations == ()
        assert {one.reason for one in done.held} == {"the audit of 2026"}
        team.apply(release_statement(None, PAYROLL))
        assert len(keeper.maintenance.prune(only=("bobs", "inside", "later")).conversations) == 3


def test_retention_of_a_folder_comes_before_its_projects(site: Site, team: Team) -> None:
    with Archive.open(site.url) as keeper:
        keeper.put(of("bobs", PAYROLL))
        keeper.put(of("inside", f"{PAYROLL}/api", "eve@laptop", "/srv/payroll/api"))
        keeper.put(of("short", PAYROLL, "eve@laptop", "/srv/payroll"))
        keeper.put(of("elsewhere", "", workspace="/srv/none"))
    team.apply(retention_statement(None, 30_000))
    assert team.due() == []
    team.apply(retention_statement(PAYROLL, 400))
    assert {(one.conversation, one.place, one.days) for one in team.due()} == {
        ("bobs", PAYROLL, 400), ("inside", PAYROLL, 400), ("short", PAYROLL, 400),
    }  # fmt: skip
    team.apply(retention_statement("/srv/payroll", 20_000))
    team.apply(retention_statement(f"{PAYROLL}/api", 300))
    assert {(one.conversation, one.days) for one in team.due()} == {("bobs", 400), ("inside", 300)}
    by_curator = Team(site.url_of(site.logins["curator"]))
    assert len(by_curator.due()) == 2
    by_curator.close()


def test_new_projects_are_closed_until_an_owner_shares_them(site: Site, team: Team) -> None:
    writer, other, owner = (site.logins[rank] for rank in ("writer", "other", "owner"))
    with site.archive(writer) as archive:
        archive.put(of("before", "github.com/acme/old", "writer@box", "/home/writer/old"))
    team.init(closed=True)
    assert team.status().closed
    team.grant(other, "writer", None)
    with site.archive(writer) as archive:
        archive.put(of("first", PAYROLL, "writer@box", "/home/writer/payroll"))
        archive.put(of("again", PAYROLL, "writer@box", "/home/writer/payroll"))
        archive.put(of("old too", "github.com/acme/old", "writer@box", "/home/writer/old"))
        archive.put(of("of none", "", "writer@box", "/tmp"))
    with site.archive(other) as archive:
        with pytest.raises(ArchiveError, match="may not make the workspace"):
            archive.put(of("second", PAYROLL, "other@box", "/home/other/payroll"))
        archive.put(of("of none either", "", "other@box", "/tmp"))
        with pytest.raises(ArchiveError):  # no one takes another's own
            archive.put(of("eve", f"~{writer}", "writer@box", "/tmp"))
    assert seen(site, "other").isdisjoint({"first", "again", "of none"})
    assert seen(site, "other") >= {"before", "old too", "of none either"}
    assert seen(site, "writer") >= {"first", "again", "old too", "of none"}
    assert "first" not in seen(site, "owner")
    assert tried(site, other, f"select dejavu_set_private('{PAYROLL}', false)") != ""
    by_owner = Team(site.url_of(owner))
    by_owner.set_private(PAYROLL, hidden=False)
    by_owner.grant(other, "reader", f"~{writer}")
    by_owner.close()
    assert seen(site, "other") >= {"first", "again", "of none"}
    with site.archive(other) as archive:
        archive.put(of("second", PAYROLL, "other@box", "/home/other/payroll"))
    team.init()  # says nothing of it, and so changes nothing
    assert team.status().closed
    team.init(closed=False)
    with site.archive(writer) as archive:
        archive.put(of("open", "github.com/acme/new", "writer@box", "/home/writer/new"))
    assert "open" in seen(site, "other")
    assert not team.status().closed


def test_a_project_that_is_called_by_its_path(site: Site, team: Team) -> None:
    """A repository without a remote."""
    path, writer = "/home/writer/scratch", site.logins["writer"]
    team.init(closed=True)
    with site.archive(writer) as archive:
        archive.put(of("mine", path, "writer@box", path))
    assert "mine" in seen(site, "writer")
    assert "mine" not in seen(site, "reader")
    team.grant(writer, "none", path)
    assert "mine" not in seen(site, "writer")
    team.grant(writer, "writer", path)
    team.set_private(path, hidden=False)
    assert "mine" in seen(site, "reader")


def test_a_login_has_no_right_of_an_earlier_one_of_its_name(site: Site, team: Team) -> None:
    name = f"gone_{site.schema}"
    with Archive.open(site.url) as keeper:
        keeper.put(of("secret", PAYROLL))
    team.set_private(PAYROLL, hidden=True)

    def rights() -> list[object]:
        statement = f"select rank from {site.schema}.dejavu_members where role = '{name}'"
        return [rank for (rank,) in site.psql("keeper", statement)]

    team.invite(name, "reader", None, None)
    team.grant(name, "reader", PAYROLL)
    site.server.run(f'drop role "{name}"')
    assert len(rights()) == 2
    team.invite(name, "reader", None, None)
    assert len(rights()) == 1  # in the archive; none in the project
    team.grant(name, "reader", PAYROLL)
    team.grant(name, "none", None)  # everywhere
    assert not rights()
    team.grant(name, "reader", None)
    site.server.run(f'drop role "{name}"')
    with pytest.raises(NotFoundError, match="there is no login"):
        team.grant(name, "reader", None)
    team.grant(name, "none", None)
    assert not rights()


def as_before(patch: pytest.MonkeyPatch) -> None:
    """Make and write archives as a program of schema 15 does."""
    every = migrations.steps
    patch.setattr(migrations, "NEWEST", 15)
    patch.setattr(schema, "NEWEST", 15)
    patch.setattr(migrations, "steps", lambda since: [one for one in every(since) if one[0] <= 15])
    patch.setattr(migrations, "make_views", lambda *_: False)
    patch.setattr(relations, "WITH_PROJECTS", 99)


def places(server: Server, url: str) -> dict[object, tuple[object, object]]:
    """The folder and the project of each conversation's place."""
    name = url.rpartition("%3D")[2]
    rows = server.run(
        f"select c.id, w.name, w.project from {name}.dejavu_conversations c "
        f"join {name}.dejavu_workspaces w on w.id = c.workspace"
    )
    for table in ("turns", "parts"):
        moved = (
            f"select * from {name}.dejavu_{table} t join {name}.dejavu_conversations c "
            "on c.number = t.conversation where t.workspace <> c.workspace"
        )
        assert server.run(moved) == []
    wrong = f"{name}.dejavu_place_of_key(key)"
    [(count,)] = server.run(
        f"select count(*) from {name}.dejavu_records where workspace is distinct from {wrong}"
    )
    assert count == 0
    return {one: (folder, project) for one, folder, project in rows}


FILLED = {
    "of one": ("/home/bob/payroll", PAYROLL), "of one too": ("/home/bob/payroll", PAYROLL),
    "before names": ("/home/bob/payroll", ""), "shop": ("/workspace", "github.com/acme/shop"),
    "shop too": ("/workspace", "github.com/acme/shop"), "blog": ("/workspace", "github.com/acme/blog"),
    "of none": ("/workspace", ""), "alone": ("/srv/none", ""),
}  # fmt: skip


def test_archives_of_before_are_migrated(server: Server, url: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        as_before(patch)
        with Archive.open(url) as archive:
            for name, (folder, project) in FILLED.items():
                archive.put(of(name, project, workspace=folder))
                archive.commit(Batch({name: [RawDelta(0, b"raw")]}, (), {}, {}, {name: [name]}))
        name = url.rpartition("%3D")[2]
        server.run(
            f"insert into {name}.dejavu_members (role, workspace, rank) select 'someone', id, 2 "
            f"from {name}.dejavu_workspaces where name = '/workspace'"
        )
        before = places(server, url)
        assert len({one for one, _ in before.values()}) == 3
    assert upgrade(url, dry_run=False).reached == 15
    found = {one: (folder, project or "") for one, (folder, project) in places(server, url).items()}
    assert found == {**FILLED, "before names": ("/home/bob/payroll", PAYROLL)}
    rights = server.run(
        f"select w.name, w.project from {name}.dejavu_members m "
        f"join {name}.dejavu_workspaces w on w.id = m.workspace"
    )
    assert rights == [("/workspace", None)]  # of the folder with all of its projects
    covered = server.run(
        f"select c.id from {name}.dejavu_conversations c "
        f"join {name}.dejavu_workspaces w on w.id = c.workspace, "
        f"{name}.dejavu_members m where m.workspace = w.id or m.workspace = any (w.follows)"
    )
    assert {one for (one,) in covered} == {"shop", "shop too", "blog", "of none"}
    team = Team(url)
    team.init()
    team.close()
    with Archive.open(url) as archive:
        archive.put(of("of one", PAYROLL))
        archive.put(of("before names", "", workspace="/home/bob/payroll"))
        assert archive.maintenance.verify().faults == []
    assert {one: (f, p or "") for one, (f, p) in places(server, url).items()} == found


def test_a_program_of_before_writes_where_rights_go_by_project(site: Site, team: Team) -> None:
    team.set_private(PAYROLL, hidden=True)
    login = site.logins["other"]
    team.grant(login, "writer", None)
    team.grant(site.logins["curator"], "writer", PAYROLL)
    with pytest.MonkeyPatch.context() as patch:
        as_before(patch)
        with site.archive(site.logins["curator"]) as archive:
            archive.put(of("hidden there", PAYROLL, "curator@box", "/home/curator/payroll"))
            for count in (2, 4):
                made = conversation("hidden there", count, "curator@box", "/home/curator/payroll")
                archive.put(msgspec.structs.replace(made, project=PAYROLL))
            archive.commit(Batch({"m": [RawDelta(0, b"raw")]}, (), {}, {}, {"m": ["hidden there"]}))
            archive.put(of("named later", "", "curator@box", "/home/curator/late"))
            archive.put(of("named later", PAYROLL, "curator@box", "/home/curator/late"))
            archive.put(of("open there", "github.com/acme/shop", "curator@box", "/workspace"))
            assert archive.get("hidden there").turn_count == 4
        with site.archive(login) as archive:
            with pytest.raises(ArchiveError):
                archive.put(of("intruder", PAYROLL, "other@box", "/home/other/payroll"))
            archive.put(of("welcome", "github.com/acme/shop", "other@box", "/home/other/shop"))
    assert seen(site, "reader") >= {"open there", "welcome"}
    assert seen(site, "reader").isdisjoint({"hidden there", "named later", "intruder"})
    assert seen(site, "curator") >= {"hidden there", "named later"}
    found = places(site.server, site.url)
    assert found["hidden there"] == ("/home/curator/payroll", PAYROLL)
    assert found["named later"] == ("/home/curator/late", PAYROLL)
    with site.archive(site.logins["curator"]) as archive:  # and a newer one continues it
        archive.put(of("hidden there", PAYROLL, "curator@box", "/home/curator/payroll"))
        assert list(archive.sources.raw("m")) == [b"raw"]
    with Archive.open(site.url) as keeper:
        assert keeper.maintenance.verify().faults == []
