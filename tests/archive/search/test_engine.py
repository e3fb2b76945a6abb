"""Search finds what is there, nothing that is gone, and never raises on a query."""

import random
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.model import Conversation, Role, Text, ToolCall, ToolCallResponse, Turn


def conversation(name: str, *texts: str, **fields: object) -> Conversation:
    given = {"agent": "claude", "workspace": "/w", **fields}
    turns = tuple(
        Turn(role=(Role.USER, Role.ASSISTANT)[n % 2], parts=(Text(text),), at=100.0 + n)
        for n, text in enumerate(texts)
    )
    return Conversation(id=name, **given).with_turns(turns)  # type: ignore[arg-type]


def found(archive: Archive, query: str, **wanted: object) -> list[tuple[str, int]]:
    return [(hit.conversation, hit.seq) for hit in archive.search(query, **wanted)]  # type: ignore[arg-type]


@pytest.fixture
def filled(archive: Archive) -> Archive:
    archive.put(
        conversation(
            "a", "please fix src/net/retry.py", "I changed RetryBudget.tick", "and retry_budget too"
        )
    )
    archive.put(
        conversation("b", "what is a ring buffer?", "a queue", agent="codex", workspace="/v")
    )
    return archive


@pytest.mark.parametrize("query", ["src/net/retry.py", "RetryBudget.tick", "retry_budget"])
def test_identifiers_and_paths_find_one_another(filled: Archive, query: str) -> None:
    assert set(found(filled, query)) == {("a", 0), ("a", 1), ("a", 2)}


def test_the_identifier_itself_comes_first(filled: Archive) -> None:
    assert found(filled, "src/net/retry.py")[0] == ("a", 0)
    assert found(filled, "RetryBudget.tick")[0] == ("a", 1)


def test_a_hit_says_where_and_why(filled: Archive) -> None:
    (hit,) = filled.search("ring")
    assert (hit.conversation, hit.seq, hit.role, hit.at, hit.agent) == (
        "b",
        0,
        "user",
        100.0,
        "codex",
    )
    assert [hit.excerpt[a:b] for a, b in hit.marks] == ["ring"]
    assert hit.score > 0


def test_half_a_character_does_no_harm(archive: Archive) -> None:
    archive.put(conversation("a", "cut \ud83d here", workspace="/odd\udcff"))
    assert found(archive, "here") == found(archive, "cut", workspace="/odd\udcff") == [("a", 0)]
    assert found(archive, "t \ud83d h", exact=True) == [("a", 0)]


def test_phrases_prefixes_negatives_and_filters(filled: Archive) -> None:
    assert found(filled, '"ring buffer"') == [("b", 0)]
    assert found(filled, '"buffer ring"') == []
    assert found(filled, "buf*") == [("b", 0)]
    assert found(filled, "retry -budget") == [("a", 0)]
    assert set(found(filled, "retry role:user")) == {("a", 0), ("a", 2)}
    assert found(filled, "retry", role="assistant") == [("a", 1)]
    assert found(filled, "a", workspace="/v", agent="codex", limit=1)
    assert found(filled, "retry", workspace="/v") == found(filled, "retry", agent="codex") == []
    assert found(filled, "retry", since=102.0) == [("a", 2)]
    assert found(filled, "retry", until=100.0) == [("a", 0)]
    assert found(filled, "agent:codex", agent="claude") == []
    assert len(found(filled, "retry", limit=2)) == 2
    assert found(filled, "retry", limit=0) == []


def test_a_common_word_counts_where_the_rarer_has_too_little(
    filled: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dejavu.archive.search import query_plan as retrieval

    monkeypatch.setattr(retrieval, "_FEW", 0)
    monkeypatch.setattr(retrieval, "_COMMON", 0.2)
    monkeypatch.setattr(retrieval, "_COMMON_FILTERED", 0.2)
    assert found(filled, "ring retry", limit=1) == [("b", 0)]
    assert set(found(filled, "ring retry")) == {("b", 0), ("a", 0), ("a", 1), ("a", 2)}
    assert set(found(filled, "ring retry", agent="claude")) == {("a", 0), ("a", 1), ("a", 2)}


def test_without_words_the_newest_that_fit(filled: Archive) -> None:
    assert found(filled, "agent:codex") == [("b", 1), ("b", 0)]
    assert found(filled, "", limit=1) == [("a", 2)]


def test_tools_and_their_files(archive: Archive) -> None:
    archive.update_index()  # a server looks at more of what tools gave
    turns = (
        Turn(
            role=Role.ASSISTANT, parts=(ToolCall("1", "Edit", {"file_path": "src/net/retry.py"}),)
        ),
        Turn(
            role=Role.TOOL,
            parts=(ToolCallResponse("1", "x " * 900 + " needle at the middle " + "x " * 900),),
        ),
        Turn(role=Role.ASSISTANT, parts=(Text("see src/net/retry.py"),)),
    )
    archive.put(Conversation(id="c", agent="x").with_turns(turns))
    assert found(archive, "path:net/retry.py") == found(archive, "tool:edit") == [("c", 0)]
    assert found(archive, "retry", tool="Edit") == found(archive, "retry", path="net") == [("c", 0)]
    assert found(archive, "needle") == []
    assert found(archive, "needle at", exact=True) == [("c", 1)]
    assert found(archive, "retry", exact=True, tool="edit") == [("c", 0)]


def test_exact_is_any_substring_newest_first(filled: Archive) -> None:
    filled.put(conversation("c", 'odd "quoted\\ \t text\nwith ends', started_at=500.0))
    assert found(filled, "uoted\\ \t text\nwi", exact=True) == [("c", 0)]
    assert found(filled, "etry", exact=True) == [("a", 2), ("a", 1), ("a", 0)]
    assert found(filled, "budget.tick", exact=True) == []
    assert found(filled, "etry", exact=True, role="user", limit=1) == [("a", 2)]
    (hit,) = filled.search("Budget.t", exact=True)
    assert [hit.excerpt[a:b] for a, b in hit.marks] == ["Budget.t"]
    assert found(filled, "", exact=True) == []


def test_what_was_replaced_never_shows(filled: Archive) -> None:
    assert found(filled, "queue") == [("b", 1)]
    filled.put(conversation("b", "what is a ring buffer?", "a tree", agent="codex", workspace="/v"))
    assert found(filled, "queue") == []
    assert found(filled, "tree") == [("b", 1)]
    assert found(filled, "ring") == [("b", 0)]


def test_a_conversation_that_moved_is_found_in_its_new_place(filled: Archive) -> None:
    assert found(filled, "ring", workspace="/v") == [("b", 0)]
    moved = Conversation(id="b", agent="codex", workspace="/new")
    more = [Turn(role=Role.USER, parts=(Text("thanks"),))]
    filled.commit(Batch(updates=[TurnUpdate(moved, 2, more)]))
    assert found(filled, "ring", workspace="/v") == []
    assert found(filled, "ring", workspace="/new") == [("b", 0)]
    assert found(filled, "thanks") == [("b", 2)]


def test_another_process_reads_what_the_first_indexed(filled: Archive, root: Path) -> None:
    filled.update_index()
    with Archive.open(root, readonly=True) as other:
        assert found(other, "ring") == [("b", 0)]


def test_a_reader_may_bring_the_index_up(root: Path) -> None:
    with Archive.open(root) as archive:
        archive.put(conversation("a", "hello"))
    with Archive.open(root, readonly=True) as other:
        assert found(other, "hello") == found(other, "hello", exact=True) == [("a", 0)]


@pytest.mark.parametrize("damage", ["meta.json", "all", "gone"])
def test_a_damaged_index_is_made_anew(root: Path, damage: str) -> None:
    with Archive.open(root) as archive:
        archive.put(conversation("a", "hello there"))
        assert found(archive, "hello") == [("a", 0)]
    for path in (root / "search").iterdir():
        if damage == "gone":
            path.unlink()
        elif damage in ("all", path.name):
            path.write_bytes(b"rubbish")
    with Archive.open(root) as archive:
        assert found(archive, "hello") == [("a", 0)]


def test_an_index_of_another_archive_is_not_believed(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for place, text in ((root, "hello"), (other, "goodbye")):
        with Archive.open(place) as archive:
            archive.put(conversation("a", text))
            archive.update_index()
    shutil.rmtree(root / "search")
    (other / "search").rename(root / "search")
    with Archive.open(root) as archive:
        assert found(archive, "goodbye") == []
        assert found(archive, "hello") == [("a", 0)]


def test_index_files_are_private(filled: Archive) -> None:
    filled.update_index()
    folders = [filled.root / "search", filled.root / "search" / "exact"]
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}
    files = [path for folder in folders for path in folder.iterdir() if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_feeding_while_importing_is_the_same_as_catching_up(root: Path, tmp_path: Path) -> None:
    vocabulary = [f"word{n}" for n in range(30)]
    chance = random.Random(5)
    with Archive.open(root) as fed, Archive.open(tmp_path / "other") as caught:
        with fed.indexing():
            for step in range(40):
                name = f"c{chance.randrange(4)}"
                texts = [
                    " ".join(chance.choices(vocabulary, k=4)) for _ in range(chance.randrange(4))
                ]
                fields = {"workspace": f"/{chance.randrange(2)}"}
                turns = conversation(name, *texts).turns
                for archive in (fed, caught):
                    count = (
                        archive.summary(name).turn_count if step > 8 and name in ids(archive) else 0
                    )
                    summary = Conversation(id=name, agent="x", **fields)
                    archive.commit(Batch(updates=[TurnUpdate(summary, count // 2, turns)]))
                if step == 20:
                    assert fed.search("word1") is not None
                    caught.update_index()
        for word in vocabulary:
            for place in ("/0", "/1"):
                mine = found(fed, word, workspace=place, limit=200)
                assert len(mine) == len(set(mine))
                assert sorted(mine) == sorted(found(caught, word, workspace=place, limit=200))
                truth = [
                    (c.id, turn.seq)
                    for c in fed.scan(workspace=place)
                    for turn in fed.turns(c.id)
                    if word in turn.text.split()
                ]
                assert sorted(mine) == sorted(truth)


def test_feeding_reads_nothing_of_the_log_but_what_others_wrote(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[object] = []
    read = type(archive.backend).read
    monkeypatch.setattr(
        type(archive.backend), "read", lambda self, look: reads.append(look) or read(self, look)
    )
    updates = [
        TurnUpdate(one, 0, one.turns) for one in (conversation(f"c{n}", "hello") for n in range(60))
    ]
    with archive.indexing():
        reads.clear()
        archive.commit(Batch(updates=updates))
        assert len(reads) < len(updates)
    assert len(found(archive, "hello", limit=100)) == 60


def ids(archive: Archive) -> set[str]:
    return {c.id for c in archive.scan()}


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    archive = Archive.open(tmp_path_factory.mktemp("search") / "archive")
    archive.put(conversation("a", "alpha beta", "gamma * ( delta"))
    return archive


@settings(max_examples=150)
@given(
    st.text(st.characters(exclude_categories=()), max_size=60)
    | st.text('"*-:() role:ab', max_size=30)
)
def test_no_query_raises(settled: Archive, query: str) -> None:
    assert len(settled.search(query, limit=5)) <= 5
    assert len(settled.search(query, limit=5, exact=True)) <= 5


def test_words_far_into_a_long_text_are_found(archive: Archive) -> None:
    """Wherever they stand, and the phrase across the seam of two documents, too."""
    archive.update_index()  # a server keeps the beginning
    filler = "lorem ipsum dolor " * 50_000
    text = f"{filler}quarry {filler}the stone bridge {filler}zeppelin"
    archive.put(
        Conversation(id="long", agent="a").with_turns((Turn(role=Role.USER, parts=(Text(text),)),))
    )
    for query in ("quarry", "zeppelin", '"stone bridge"', "zepp*"):
        (hit,) = archive.search(query)
        assert hit.conversation == "long"
        assert hit.marks or query.endswith("*")
    seam = "a" * 20 + " "
    cut = seam * (1_048_576 // len(seam)) + "first second " + seam * 3
    archive.put(
        Conversation(id="seam", agent="a").with_turns((Turn(role=Role.USER, parts=(Text(cut),)),))
    )
    assert [hit.conversation for hit in archive.search('"first second"')] == ["seam"]
    archive.maintenance.prune(agent="a")
    assert archive.search("zeppelin") == []


def test_accents_neither_hide_nor_are_needed(archive: Archive) -> None:
    archive.update_index()  # a server knows accents, and no ligatures
    archive.put(conversation("c", "Das Café in der Straße", "cafe\u0301 again", "a cafe, too"))
    for query in ("café", "cafe", "CAFÉ", "cafe\u0301"):
        assert {seq for _, seq in found(archive, query)} == {0, 1, 2}, query
    assert found(archive, "strasse") == [("c", 0)]
    (hit,) = archive.search('"cafe in der"')
    assert hit.excerpt[slice(*hit.marks[0])] == "Café"


def test_what_is_rare_is_not_taken_for_a_mistake(filled: Archive) -> None:
    assert filled.search("budget").notes == []
    for query in ("xyzzy", "a1b2c3d4", "rng"):
        assert filled.search(query).notes == [], query
    result = filled.search('"ring bufer"')
    assert ([hit.conversation for hit in result], len(result.notes)) == (["b"], 1)


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("ring after:bogus", "after:bogus names no time"),
        ("ring before:", "before: names nothing"),
        ("role:nobody ring", "role:nobody is no role"),
        ("role:asistant ring", "did you mean assistant?"),
        ("agent:cluade ring", "did you mean claude?"),
        ("in:nowhere ring", "in:nowhere is not a folder"),
        ("ring after:2d before:5d", "nothing can match"),
    ],
)
def test_a_filter_that_names_nothing_says_so(filled: Archive, query: str, note: str) -> None:
    assert any(note in sentence for sentence in filled.search(query).notes)


def test_an_end_that_several_workspaces_have_is_answered_with_longer_ones(archive: Archive) -> None:
    for parent in ("one", "two", "three", "four"):
        archive.put(conversation(parent, "a ring", workspace=f"/srv/{parent}/api"))
    (note,) = archive.search("in:api ring").notes
    assert (
        note
        == "in:api fits several workspaces; say in:four/api or in:one/api or in:three/api and 1 more"
    )
    assert len(archive.search("in:one/api ring")) == 1
