"""The server compares meanings: a member without an index finds what was said in other words."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from tests.postgres import Server
from tests.team_rights import Site, made_site

from dejavu.archive import Archive
from dejavu.archive.maintenance.backup import restore
from dejavu.extensions.teams.postgres_reader import PostgresReader, Rows
from dejavu.extensions.teams.postgres_retention import release_statement
from dejavu.extensions.teams.postgres_team import Team
from dejavu.extensions.teams.postgres_vectors import as_text
from dejavu.model import Conversation, Role, Text, Turn
from dejavu.recall import Recall, inject
from dejavu.recall.update_indexes import update_indexes

np: Any = pytest.importorskip("numpy", reason="needs the semantic extra's numpy")

CONCEPTS = (
    "car vehicle automobile", "start starts ignite ignites", "frost freezes cold", "battery accumulator",
    "money price cost", "socket plug outlet", "cellar basement", "paint colour varnish",
    "boat ship vessel", "anchor mooring",
)  # fmt: skip
CAR = "the automobile ignites badly when it freezes, so the accumulator was replaced"
ASKED = "why does my car not start in frost?"


def meaning(text: str) -> list[float]:
    """A vector that tells concepts, whatever the words."""
    row = np.random.default_rng(crc32(text.encode())).normal(size=384) * 0.001
    for word in text.lower().replace("?", " ").replace(",", " ").split():
        for number, concept in enumerate(CONCEPTS):
            if word in concept.split():
                row[number * 30 : number * 30 + 30] += 1.0
    return [float(number) for number in row / np.linalg.norm(row)]


def talk(
    name: str, prompt: str, answer: str, workspace: str = "/w", instance: str = "bob@box"
) -> Conversation:
    at = 1.7e9 + random.Random(name).randrange(10**7)
    turns = (
        Turn(role=Role.USER, parts=(Text(prompt),), at=at),
        Turn(role=Role.ASSISTANT, parts=(Text(answer),), at=at + 1),
    )
    return Conversation(
        id=name, agent="x", native_id=name, workspace=workspace, instance=instance
    ).with_turns(turns)


def recall(archive: Archive, **more: Any) -> Recall:
    return Recall(archive, embed=meaning, space="concepts", **more)


@pytest.fixture(scope="module")
def server(vector_server: Server) -> Server:
    """The server of this file has pgvector."""
    return vector_server


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        with Archive.open(url) as archive:
            archive.put(talk("mended", "the engine again", CAR))
            archive.put(talk("boats", "which anchor?", "the vessel has two moorings of iron"))
            for n in range(20):
                archive.put(
                    talk(f"noise {n}", f"run number {n}", "the varnish of the basement is dry")
                )
            recall(archive).embed_pending()
        yield made


def test_other_words_find_it_without_an_index(site: Site) -> None:
    with site.archive(site.logins["reader"]) as archive:
        found = recall(archive)
        hit = found.search(ASKED)[0]
        assert (hit.conversation, hit.sure, "embedding" in hit.tiers) == ("mended", True, True)
        assert CAR in hit.answer
        assert recall(archive, without=["embedding"]).search(ASKED) == []
        assert not [hit for hit in found.search("how deep is the ocean near Java?") if hit.sure]
        assert CAR in inject(archive, ASKED, session="s", workspace="/w", recall=found)
        assert not list(archive.root.iterdir())


def test_it_answers_as_vectors_on_this_machine_do(site: Site) -> None:
    with Archive.open(site.url) as archive:
        there = recall(archive).search(ASKED)[0]
        update_indexes(archive, asked=True)
        recall(archive).embed_pending()
        assert (archive.root / "vectors").exists()  # it has an index of its own, too
        here = recall(archive).search(ASKED)[0]
    assert (there.event, there.sure) == (here.event, here.sure)
    assert there.confidence == pytest.approx(here.confidence, abs=0.15)
    assert there.evidence.margin == pytest.approx(here.evidence.margin, abs=0.05)


def test_it_is_one_statement(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with site.archive(site.logins["reader"]) as archive:
        real, asked = PostgresReader.rows, list[str]()

        def rows(
            reader: PostgresReader, statement: str | bytes, values: tuple[Any, ...] = ()
        ) -> Rows:
            asked.append(str(statement))
            return real(reader, statement, values)

        monkeypatch.setattr(PostgresReader, "rows", rows)
        assert recall(archive).search(ASKED)
        assert len(asked) == 1


def test_members_make_the_vectors_of_what_they_may_write(site: Site) -> None:
    def made() -> set[object]:
        return {
            name
            for (name,) in site.psql(
                "keeper",
                "select distinct c.id from dejavu_vectors v "
                "join dejavu_conversations c on c.number = v.conversation",
            )
        }

    before = made()
    assert {"mended", "of writer", "hidden"} <= before
    with Archive.open(site.url) as keeper:
        keeper.put(talk("bobs", "which ship?", "the boat"))
    with site.archive(site.logins["writer"]) as archive:
        archive.put(talk("mine", "which plug?", "the outlet of the cellar", instance="writer@box"))
        assert recall(archive).embed_pending() == 1
        assert made() == before | {"mine"}
        assert recall(archive).embed_pending() == 0
        assert {path.name for path in archive.root.iterdir()} <= {
            "shared-vectors",
            "shared-vectors.lock",
        }
    with site.archive(site.logins["reader"]) as archive:
        assert recall(archive).embed_pending() == 0
    with site.archive(site.logins["curator"]) as archive:
        assert recall(archive).embed_pending() == 1
        assert made() == before | {"mine", "bobs"}
        assert recall(archive).search("does it have a socket?")[0].conversation == "mine"


def test_vectors_of_another_length_stay_on_the_machine(site: Site) -> None:
    before = site.psql("keeper", "select count(*) from dejavu_vectors")
    with Archive.open(site.url) as archive:
        short = Recall(archive, embed=lambda text: [float(len(text)), 1.0], space="lengths")
        assert short.embed_pending() > 0
        assert (archive.root / "vectors").exists()
        assert short.search("automobile")[0].conversation == "mended"
    assert site.psql("keeper", "select count(*) from dejavu_vectors") == before


def test_vectors_follow_their_conversation(site: Site) -> None:
    def rows(name: str) -> list[tuple[object, ...]]:
        return site.psql(
            "keeper",
            "select v.seq, v.stop, v.hidden, w.name from dejavu_vectors v join dejavu_workspaces w "
            "on w.id = v.workspace join dejavu_conversations c on c.number = v.conversation "
            f"where c.id = '{name}'",
        )

    with Archive.open(site.url) as archive:
        assert rows("mended") == [(0, 1, False, "/w")]
        archive.put(talk("mended", "the engine again", CAR, workspace="/secret"))
        assert rows("mended") == [(0, 1, True, "/secret")]
        archive.put(talk("mended", "paint it", "which colour?"))
        recall(archive).embed_pending()
        assert rows("mended") == [(0, 1, False, "/w")]
        assert recall(archive).search(ASKED) == [] or not recall(archive).search(ASKED)[0].sure
        team = Team(site.url)
        team.set_private("/w", hidden=True)
        assert rows("boats")[0][2] is True
        team.set_private("/w", hidden=False)
        assert rows("boats")[0][2] is False
        team.close()
        archive.maintenance.delete(("boats",))
        assert site.psql("keeper", "select count(*) from dejavu_vectors") == [(
            site.psql("keeper", "select count(*) from dejavu_vectors v join dejavu_conversations c "
                      "on c.number = v.conversation")[0][0],
        )]  # fmt: skip


def test_hidden_vectors_change_nothing(site: Site, server: Server) -> None:
    ask = (
        "select dejavu_recall_near(current_user, '{}', '{}', '{}', null, null, 9, 'concepts', "
        f"'{as_text(meaning(ASKED))}')::text"
    )

    def told(login: str) -> Any:
        return json.loads(str(site.psql(site.logins[login], ask)[0][0]))

    before = {login: told(login) for login in ("reader", "writer", "curator", "owner", "other")}
    assert before["reader"]["passages"]
    assert "passages" not in before["other"]
    with Archive.open(site.url) as keeper:
        for n in range(80):
            keeper.put(talk(f"secret {n}", f"engine {n}", f"{CAR}, case {n}", "/secret"))
        recall(keeper).embed_pending()
        assert "/secret" in {hit.workspace for hit in recall(keeper).search(ASKED, limit=30)}
    assert {login: told(login) for login in before} == before
    for login in before:
        with site.archive(site.logins[login]) as archive:
            for place in (None, "/secret"):
                found = recall(archive).search(ASKED, workspace=place)
                assert "/secret" not in {hit.workspace for hit in found}


def test_no_login_gets_at_vectors(site: Site) -> None:
    vector = as_text(meaning("x"))
    number = "(select number from dejavu_conversations where id = 'others')"
    with Archive.open(site.url) as keeper:
        [(others,)] = site.psql("keeper", f"select {number}")
        assert keeper.backend.compares_meanings  # type: ignore[attr-defined] - a server's
    put = f"dejavu_put_vectors({others}, 'm', 0, '{{0}}', '{{0}}', '{{1}}', array['{vector}'], 1)"
    for login, statement in {
        "reader": "select * from dejavu_vectors",
        "owner": "select * from dejavu_vectors_made",
        "curator": "delete from dejavu_vectors",
        "writer": f"select {put}",
        "stranger": f"select {put}",
        "other": f"select * from dejavu_near_each(array[1], 'concepts', '{vector}', 9)",
    }.items():
        with pytest.raises(Exception, match=r"permission denied|may not|does not exist"):
            site.psql(site.logins[login], statement)
    for call in (
        f"dejavu_recall_near('keeper', '{{}}', '{{}}', '{{}}', null, null, 9, 'concepts', '{vector}')",
        f"dejavu_near(true, array[1], '{{}}', 'concepts', '{vector}', 9)",
        f"dejavu_near_shared(array[1], 'concepts', '{vector}', 9)",
    ):
        with pytest.raises(Exception, match=r"is not keeper|permission denied"):
            site.psql(site.logins["reader"], f"select {call}")
    held = f"select * from dejavu_vectors_held({others}, 'concepts')"
    assert site.psql(site.logins["reader"], held) == []
    assert len(site.psql(site.logins["curator"], held)) == 2
    site.psql(site.logins["curator"], f"select {put}")


def test_the_index_finds_enough_in_a_small_part(site: Site, server: Server) -> None:
    """One of 50 workspaces, far from the question: the index is looked through until there are enough."""
    rows = np.random.default_rng(1).normal(size=(1_000, 384))
    rows[::50] -= 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    import psycopg

    with (
        psycopg.connect(site.url) as connection,
        connection.cursor() as cursor,
        cursor.copy(
            b"copy dejavu_vectors (conversation, seq, piece, stop, month, workspace, hidden, model, meaning) "
            b"from stdin"
        ) as copy,
    ):
        for n, row in enumerate(rows):
            copy.write_row(
                (10_000 + n, 0, 0, 1, "2024-01-01", 500 + n % 50, False, "m", as_text(row))
            )
    asked = as_text(np.ones(384) / 384**0.5)
    shared = f"dejavu_near_shared(array[500], 'm', '{asked}', 20)"
    found = site.psql("keeper", f"select conversation from {shared}")
    each = f"dejavu_near_each(array[500], 'm', '{asked}', 20)"
    [(exact,)] = site.psql("keeper", f"select conversations from {each}")
    assert {number for (number,) in found} == {*exact}  # type: ignore[misc] - an array
    assert len(found) == 20


def test_a_restored_archive_gets_its_vectors_again(site: Site, tmp_path: Path) -> None:
    with Archive.open(site.url) as archive:
        archive.maintenance.backup(tmp_path / "backup")
    team = Team(site.url)
    team.apply(release_statement("kept", None))
    team.close()
    restore(tmp_path / "backup", site.url)
    with Archive.open(site.url) as archive:
        assert site.psql("keeper", "select count(*) from dejavu_vectors") == [(0,)]
        assert recall(archive).search(ASKED) == []
        assert recall(archive).embed_pending() >= 22
        assert recall(archive).search(ASKED)[0].conversation == "mended"


def test_init_tells_it_and_runs_again(site: Site) -> None:
    team = Team(site.url)
    assert team.status().meanings
    before = site.psql("keeper", "select count(*) from dejavu_vectors")
    team.init()
    team.close()
    assert site.psql("keeper", "select count(*) from dejavu_vectors") == before
