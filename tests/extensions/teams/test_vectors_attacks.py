"""Members attack the vectors of a team's archive, on a real server that has pgvector."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from tests.postgres import Server
from tests.team_rights import NUMBER, Site, conversation, made_site

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_team import Team

ZEROS = "[" + ",".join(["0"] * 384) + "]"


def vector(place: int, length: float = 1.0) -> str:
    """Along one axis."""
    return "[" + ",".join(str(length if n == place else 0) for n in range(384)) + "]"


def put(number: object, meaning: str, stop: int = 0) -> str:
    """Put one vector for the first turn of a conversation."""
    return f"select dejavu_put_vectors({number}, 'm', 0, '{{0}}', '{{0}}', '{{{stop}}}', array['{meaning}'], 5)"


def near(meaning: str) -> str:
    """Ask by a vector alone."""
    return (
        "select dejavu_recall_near(current_user, '{}', '{}', '{}', null, null, 9, 'm', "
        f"'{meaning}')::text"
    )


@pytest.fixture(scope="module")
def server(vector_server: Server) -> Server:
    """The server of this file has pgvector."""
    return vector_server


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        yield made


def number(site: Site, name: str) -> int:
    [(found,)] = site.psql("keeper", f"select {NUMBER.format(name)}")
    return int(str(found))


def told(site: Site, login: str, meaning: str) -> dict[str, Any]:
    [(answer,)] = site.psql(site.logins[login], near(meaning))
    found: dict[str, Any] = json.loads(str(answer))
    return found


def test_a_project_takes_vectors_along(site: Site) -> None:
    """A program up to schema 15 moves a conversation by its project alone, and so may psql."""
    own = number(site, "of writer")
    site.psql(site.logins["writer"], put(own, vector(1)))
    assert told(site, "reader", vector(1))["turns"]
    team = Team(site.url)
    team.set_private("closed/project", hidden=True)
    team.close()
    move = f"update dejavu_conversations set project = 'closed/project' where number = {own}"
    site.psql("keeper", move)
    assert told(site, "reader", vector(1))["turns"] == []
    assert site.psql("keeper", "select distinct hidden from dejavu_vectors") == [(True,)]


def test_no_vector_comes_first_for_every_question(site: Site) -> None:
    """Programs compare by products: a long one would, and one of zeros is near to nothing."""
    with Archive.open(site.url) as keeper:
        keeper.put(conversation("open", 1, "bob@box"))
    site.psql(site.logins["curator"], put(number(site, "open"), vector(2)))
    own = number(site, "of writer")
    site.psql(site.logins["writer"], put(own, vector(1, 60_000.0)))
    lengths = "select distinct round(public.l2_norm(meaning)::numeric, 3)::text from dejavu_vectors"
    assert site.psql("keeper", lengths) == [("1.000",)]
    assert told(site, "reader", vector(2))["passages"][0]["near"]
    for wrong in (ZEROS, "[1,2]", ZEROS.replace("0", "NaN"), ZEROS.replace("0", "Infinity")):
        with pytest.raises(psycopg.Error, match=r"zeros|dimensions|NaN|infinite"):
            site.psql(site.logins["writer"], put(own, wrong))


def test_no_row_of_a_writer_stops_others(site: Site) -> None:
    """Neither a number that is too large to reckon with, nor a passage that ends before it begins."""
    login, own, large = site.logins["writer"], number(site, "of writer"), 2**63 - 9
    site.psql(
        login,
        "insert into dejavu_conversations (number, id, workspace, instance, agent, native_id, title, prompt, "
        f"first_seq, turn_count, vectors) select {large}, 'large', workspace, instance, agent, '', '', '', 0, "
        f"1, vectors from dejavu_conversations where number = {own}; insert into dejavu_turns "
        f"(conversation, seq, month, workspace, role, vector) select {large}, 0, month, workspace, "
        f"role, vector from dejavu_turns where conversation = {own} and seq = 0",
    )
    site.psql(login, put(large, vector(3)))
    assert [turn["id"] for turn in told(site, "reader", vector(3))["turns"]] == ["large"]
    site.psql(login, put(own, vector(1), stop=-9))
    site.psql(site.logins["curator"], put(own, vector(1)))


def test_who_may_not_write_learns_nothing_of_vectors(site: Site) -> None:
    """Neither by an answer nor by an error whether a conversation is there, or has its vectors."""
    site.psql("keeper", put(number(site, "hidden"), vector(1)))
    for login in ("reader", "writer", "curator", "owner", "other"):
        answers: list[object] = []
        for one in (number(site, "hidden"), 987_654):
            with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
                site.psql(site.logins[login], put(one, vector(1)))
            asked = (
                f"select * from dejavu_vectors_held({one}, 'm')",
                f"select * from dejavu_vectors_wanted(array[{one}::bigint], array[9::bigint], 'm')",
            )
            rows = [site.psql(site.logins[login], statement) for statement in asked]
            answers.append((refused.value.diag.message_primary, rows))
        assert answers[0] == answers[1]
        assert told(site, login, vector(1))["turns"] == []


def test_a_move_waits_for_vectors(site: Site) -> None:
    """Or vectors of a conversation that moves meanwhile would stay where everyone reads."""
    own = number(site, "of writer")
    with psycopg.connect(site.url_of(site.logins["writer"])) as connection:
        connection.execute(put(own, vector(1)).encode())
        with pytest.raises(psycopg.errors.LockNotAvailable):
            site.psql(
                "keeper",
                "set local lock_timeout = 50; update dejavu_conversations set workspace = (select id from "
                f"dejavu_workspaces where name = '/secret') where number = {own}",
            )


def test_no_number_of_a_turn_stops_recall(site: Site) -> None:
    """Recall reads some turns more than those that answer, by their numbers."""
    own, last = number(site, "of writer"), 2**31 - 4
    some = f"from dejavu_turns where conversation = {own} and seq = 0"
    site.psql(
        site.logins["writer"],
        "insert into dejavu_turns (conversation, seq, month, workspace, role, vector) "
        f"select {own}, {last}, month, workspace, role, vector {some}; insert into dejavu_parts (conversation, "
        "seq, part, month, workspace, type, content, length) "
        f"select {own}, {last}, 0, month, workspace, 'text', 'zebra', 5 {some}",
    )
    recall = "dejavu_recall(current_user, '{zebra}', '{zebra}', '{1}', null, null, 9)"
    assert site.psql(site.logins["reader"], f"select {recall} -> 'counts'") == [([0.0],)]
    meaning = vector(1)
    at_end = put(own, meaning).replace(
        "'{0}', '{0}', '{0}'", f"'{{{last}}}', '{{0}}', '{{{last}}}'"
    )
    site.psql(site.logins["writer"], at_end)
    assert told(site, "reader", meaning)["turns"] == []
