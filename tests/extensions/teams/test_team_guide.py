"""The guide's way of letting a group in and of taking leave of a member, word for word as it is printed."""

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.drills.test_teams import Member
from tests.postgres import Server
from tests.team_rights import conversation

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import NotFoundError

GUIDE = (Path(__file__).parents[3] / "docs" / "guides" / "teams.md").read_text("utf-8")


def printed(heading: str) -> tuple[list[str], list[str]]:
    """The statements and the commands that the guide prints below a heading in bold."""
    section = GUIDE.partition(f"**{heading}**")[2].partition("\n**")[0]
    blocks = re.findall(r"```sql\n(.*?)```", section, re.DOTALL)
    statements = [one.strip() for block in blocks for one in block.split(";") if one.strip()]
    return statements, re.findall(r"^    dejavu (.*)$", section, re.MULTILINE)


class Names:
    """The guide's names, made this test's own: roles are those of the whole server."""

    def __init__(self) -> None:
        self._end = secrets.token_hex(4)

    def of(self, text: str) -> str:
        return re.sub(r"\b(dan|eve|shop_team)\b(?!@)", rf"\1_{self._end}", text)


@pytest.fixture
def names(server: Server) -> Iterator[Names]:
    names = Names()
    yield names
    for role in map(names.of, ("dan", "eve", "shop_team")):
        if server.run(f"select 1 from pg_roles where rolname = '{role}'"):
            server.run(f"drop owned by {role}; drop role {role}")


def test_a_group_comes_and_a_member_leaves(
    server: Server, names: Names, url: str, tmp_path: Path
) -> None:
    with Archive.open(url) as archive:
        archive.put(conversation("first", 1, "keeper@box"))
    team = Team(url)
    team.init()
    team.close()
    keeper = Member(tmp_path / "keeper", url)
    statements, commands = printed("Many at once.")
    for statement in statements:
        server.run(names.of(statement))
    for command in commands:
        keeper.run(*names.of(command).split())
    theirs = url.replace("//keeper@", f"//{names.of('dan')}@")
    dan = Member(tmp_path / "dan", theirs)
    dan.talk("how does the walrus sleep?")
    dan.run("sync")
    assert "walrus" in dan.run("list")

    statements, commands = printed("Someone leaves.")
    assert len(statements) == 4
    keeper.run(*names.of(commands[0]).split())
    server.run(names.of(statements[0]))
    assert "refuses this login" in dan.run("list", code=4)
    for statement in statements[1:]:
        server.run(names.of(statement))
    assert "refuses this login" in dan.run("list", code=4)
    with Archive.open(url) as archive:
        [left] = [one.id for one in archive.scan() if one.id != "first"]
    curator = names.of("eve")
    team = Team(url)
    team.grant(curator, "curator", None)
    team.close()
    with psycopg.connect(url.replace("//keeper@", f"//{curator}@")) as connection:
        connection.execute(b"select 1")
    eve = Member(tmp_path / "eve", url.replace("//keeper@", f"//{curator}@"))
    eve.run("delete", left, "-y")
    with Archive.open(url) as archive, pytest.raises(NotFoundError):
        archive.get(left)
