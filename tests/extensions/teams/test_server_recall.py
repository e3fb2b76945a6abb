"""A member without an index: the server finds the exchanges, the search judges them as its own."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.far import Far
from tests.postgres import Server
from tests.team_rights import Site, made_site

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_backend import PostgresBackend
from dejavu.extensions.teams.postgres_reader import PostgresReader, Rows
from dejavu.model import Conversation, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.recall import Memory, Recall, inject
from dejavu.recall.update_indexes import update_indexes

TOPICS = {
    "walrus": "the walrus cache keeps its tusks in a ring buffer because a list was too slow",
    "turnstile": "the turnstile service retries five times, then opens the circuit breaker",
    "mulberry": "mulberry migrations run in one transaction so that a failure leaves nothing",
    "quokka": "the quokka scheduler sorts by deadline and breaks ties by the name of the queue",
    "saffron": "saffron exports are written next to the target and renamed when they are whole",
    "glacier": "glacier snapshots are taken at night since the disks are idle then",
}
QUESTIONS = {
    "walrus": "why does the walrus cache use a ring buffer?",
    "turnstile": "how often does the turnstile service retry?",
    "mulberry": "why do mulberry migrations run in one transaction?",
    "quokka": "how does the quokka scheduler break ties between queues?",
    "saffron": "how are saffron exports written?",
    "glacier": "when are glacier snapshots taken, and why?",
}
PROJECT = "github.com/acme/shop"


def session(
    name: str, prompt: str, answer: str, workspace: str = "/srv/shop", project: str = ""
) -> Conversation:
    chance = random.Random(name)
    start = 1.7e9 + chance.randrange(10**7)
    turns: list[Turn] = []
    for said, told in (
        ("look around first", "there is a README"),
        (prompt, answer),
        ("thanks", "you are welcome"),
    ):
        turns += (
            Turn(role=Role.USER, parts=(Text(said),), at=start + len(turns)),
            Turn(
                role=Role.ASSISTANT, at=start + len(turns) + 1,
                parts=(ToolCall("1", "bash", {"command": f"rg {name} src/{name}/core.py"}), Text(told)),
            ),
            Turn(
                role=Role.TOOL, at=start + len(turns) + 2,
                parts=(ToolCallResponse("1", f"src/{name}/core.py: 12"),),
            ),
        )  # fmt: skip
    return Conversation(
        id=f"c-{name}-{workspace.replace('/', '')}", agent="x", native_id=name, workspace=workspace,
        instance="ann@box", project=project,
    ).with_turns(tuple(turns))  # fmt: skip


def fill(archive: Archive) -> None:
    for topic, told in TOPICS.items():
        archive.put(session(topic, f"what about the {topic}?", told))
        for n in range(5):
            archive.put(session(f"{topic}{n}", f"run the tests again, {n}", "all of them passed"))


@pytest.fixture
def filled(url: str) -> Iterator[Archive]:
    with Archive.open(url) as archive:
        fill(archive)
        yield archive


def test_recall_needs_no_index(filled: Archive) -> None:
    recall = Recall(filled)
    for topic, question in QUESTIONS.items():
        answer = recall.ask(question)
        best = answer.hits[0]
        assert best.conversation.startswith(f"c-{topic}-"), question
        assert TOPICS[topic] in best.answer
        assert best.sure
        assert answer.behind == 0
    assert recall.ask("is there a zebra in the zoo of Ulm?").sure == []
    assert not list(filled.root.iterdir())


def test_recall_answers_as_an_index_would(filled: Archive, url: str) -> None:
    with Archive.open(f"{url}&application_name=x") as other:
        update_indexes(other, asked=True)
        there, here = Recall(filled), Recall(other)
        for question in QUESTIONS.values():
            first, second = there.ask(question), here.ask(question)
            assert first.hits[0].event == second.hits[0].event
            assert first.hits[0].sure == second.hits[0].sure
            assert abs(first.hits[0].confidence - second.hits[0].confidence) < 0.35


def test_an_index_is_made_for_who_asks_alone(filled: Archive) -> None:
    recall = Recall(filled)
    assert recall.catch_up() == recall.pending(10) == update_indexes(filled) == 0
    assert list(recall.catching_up()) == []
    with filled.indexing():
        filled.put(session("late", "what about the penguin?", "penguins are for later"))
    assert filled.search("penguins")[0].conversation.startswith("c-late")
    assert filled.search("path:src/walrus")
    assert not list(filled.root.iterdir())
    assert update_indexes(filled, asked=True) > 0
    assert {path.name for path in filled.root.iterdir()} >= {"recall", "search"}
    assert recall.search("penguins later?")[0].conversation.startswith("c-late")
    filled.put(session("later", "what about the osprey?", "ospreys come after the penguins"))
    assert recall.pending(100) > 0  # what is kept is followed
    assert recall.ask("what about ospreys?").hits[0].conversation.startswith("c-later")


def test_a_project_is_looked_in_as_a_whole(url: str) -> None:
    with Archive.open(url) as archive:
        ours = "the bobbin is wound twice"
        archive.put(
            session(
                "here", "what about the shuttle?", "shuttles are wood", "/home/ann/shop", PROJECT
            )
        )
        archive.put(session("there", "what about the bobbin?", ours, "/home/bob/shop", PROJECT))
        archive.put(
            session("else", "what about the bobbin?", "ask the bobbin maker", "/home/bob/other")
        )
        recall = Recall(archive)
        question = "how is the bobbin wound?"
        for folder in ("/home/ann/shop", "/home/ann/shop/src/loom", "/home/bob/shop"):
            found = recall.search(question, workspace=folder)
            assert {hit.workspace for hit in found} <= {"/home/ann/shop", "/home/bob/shop"}
            assert ours in found[0].answer
        assert recall.project_of("/home/ann/shop") == ""  # no folder of this machine
        here = Recall(archive, project_of=lambda _: f"{PROJECT}/loom")
        assert here.project_of(str(Path.cwd())) == PROJECT
        assert ours in here.search(question, workspace=str(Path.cwd()))[0].answer
        alone = recall.search(question, workspace="/home/bob/other")
        assert {hit.workspace for hit in alone} == {"/home/bob/other"}
        assert recall.search(question, workspace="/nowhere") == []
        assert len({hit.workspace for hit in recall.search(question)}) >= 2


def test_a_prompt_gets_what_the_server_finds(filled: Archive) -> None:
    block = inject(filled, QUESTIONS["walrus"], session="s1", workspace="/srv/shop")
    assert TOPICS["walrus"] in block
    assert inject(filled, QUESTIONS["walrus"], session="walrus", workspace="/srv/shop") == ""
    assert inject(filled, "what is the capital of France?", workspace="/srv/shop") == ""
    assert not list(filled.root.iterdir())


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        yield made


def test_rights_come_before_words(site: Site) -> None:
    with Archive.open(site.url) as keeper:
        keeper.put(session("secret", "what about the walrus?", TOPICS["walrus"], "/secret"))
        keeper.put(session("open", "what about the quokka?", TOPICS["quokka"], "/w"))
        assert Recall(keeper).search(QUESTIONS["walrus"])[0].workspace == "/secret"
    for rank in ("reader", "writer", "curator", "owner"):
        with site.archive(site.logins[rank]) as archive:
            for place in (None, "/secret", "/secret/below"):
                found = Recall(archive).search(QUESTIONS["walrus"], workspace=place)
                assert not [hit for hit in found if hit.workspace == "/secret"]
                assert TOPICS["walrus"] not in inject(archive, QUESTIONS["walrus"], workspace=place)
            assert not archive.search("tusks")
            assert archive.search("quokka")
            assert Recall(archive).search(QUESTIONS["quokka"])[0].workspace == "/w"
            assert not archive.search("path:src/secret")
            assert not archive.search("in:/secret")
    with site.archive(site.logins["reader"]) as archive:
        assert archive.counts().by_workspace == {"/w": 6}
    with site.archive(site.logins["other"]) as archive:
        assert archive.counts().conversations == 0
        assert Recall(archive).search(QUESTIONS["quokka"]) == []
        assert not archive.search("quokka")
    none = ", null" * 5
    for call in (
        f"dejavu_find('keeper', '[{{}}]', null, '{{}}'{none}, true, null, null, null, 9)",
        "dejavu_recall('keeper', '{a}', '{a}', '{1}', null, null, 9)",
        "dejavu_used('keeper', null, null, null, true, null, null, null, '{0}', '{0}', '{0}', true, true)",
        "dejavu_scope(current_user, null, false)",
    ):
        with pytest.raises(Exception, match=r"is not keeper|permission denied"):
            site.psql(site.logins["reader"], f"select * from {call}")


def test_without_pgvector_vectors_stay_on_each_machine(site: Site) -> None:
    pytest.importorskip("numpy", reason="needs the semantic extra's numpy")
    with Archive.open(site.url) as archive:
        assert not PostgresBackend.compares_meanings.fget(archive.backend)  # type: ignore[attr-defined] - a property
        recall = Recall(archive, embed=lambda text: [float(len(text)), 1.0], space="lengths")
        assert recall.embed_pending() > 0
        assert {path.name for path in archive.root.iterdir()} == {"vectors", "vectors.lock"}


def test_at_a_distance_it_is_one_statement(
    server: Server, filled: Archive, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Far(server, 0.08)
    backend = PostgresBackend(proxy.url(url.rpartition("%3D")[2]), create=False)
    backend.users = 1
    with Archive(backend) as archive:
        list(archive.scan(limit=1))  # connects
        real, asked = PostgresReader.rows, list[str]()

        def rows(
            reader: PostgresReader, statement: str | bytes, values: tuple[Any, ...] = ()
        ) -> Rows:
            asked.append(str(statement))
            return real(reader, statement, values)

        monkeypatch.setattr(PostgresReader, "rows", rows)
        assert archive.counts().conversations == 36
        assert len(asked) == 1
        trips: dict[str, list[int]] = {"search": [], "recall": [], "injection": []}
        memory = Memory(archive)
        memory.recall("warm", log=False)
        for question in QUESTIONS.values():
            recall = Recall(archive)
            for name, work in {
                "search": lambda q=question: archive.search(q, side=False),
                "recall": lambda q=question, r=recall: r.search(q),
                "injection": lambda q=question, r=recall: inject(
                    archive, q, session="s", workspace="/srv/shop", recall=r, memory=memory
                ),
            }.items():  # fmt: skip
                asked.clear()
                assert work()
                trips[name].append(len(asked))
        # What is off, what was given, and memories; the exchanges; whose session they are.
        assert trips == {"search": [1] * 6, "recall": [1] * 6, "injection": [3] * 6}
    proxy.close()


@given(text=st.text(max_size=60))
def test_any_question_is_answered(hypothesis_archive: Archive, text: str) -> None:
    Recall(hypothesis_archive).search(text)
    hypothesis_archive.search(text)


@pytest.fixture(scope="module")
def hypothesis_archive(
    server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Archive]:
    url = server.url(schema=server.new_schema())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEJAVU_DATA_HOME", str(Path(tmp_path_factory.mktemp("data"))))
        with Archive.open(url) as archive:
            archive.put(session("walrus", "what about the walrus?", TOPICS["walrus"]))
            yield archive
