"""One test a promise of the memories: durable, seen at once, forgotten for good, kept in chains."""

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.model import ConfigError, NotFoundError
from dejavu.recall import Memory


def texts(found: list) -> list[str]:  # type: ignore[type-arg]
    return [one.text for one in found]


def test_a_memory_is_recalled_at_once(memory: Memory) -> None:
    kept = memory.remember("always check wrangler.toml before deploying", source="agent-1")
    assert (kept.confidence, kept.source, memory.size) == (0.5, "agent-1", 1)
    memory.remember("use npm run test before pushing code")
    (best, *_) = memory.recall("deploying to production")
    assert best.text == kept.text
    assert best.score == round(0.7 * best.relevance + 0.3 * best.confidence, 4)
    assert memory.recall("quantum physics experiments") == []
    assert memory.recall("wrangler deploy")[0].score > 0.5


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "x" * 20_001])
def test_empty_or_endless_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(ValueError, match="a memory"):
        memory.remember(text)
    assert memory.size == 0


def test_a_typo_still_finds_it(memory: Memory) -> None:
    memory.remember("the retention window is ninety days")
    assert memory.recall("what is the retentoin window?")


def test_the_same_said_again_is_skipped(memory: Memory) -> None:
    first = memory.remember("check wrangler.toml before deploying")
    assert memory.remember("check wrangler.toml before deploying").id == first.id
    assert memory.remember("  Check wrangler.toml before deploying. ").id == first.id
    assert memory.size == 1
    assert memory.remember("use tabs, not spaces").id != memory.remember("use spaces, not tabs").id


def test_a_contradiction_supersedes_and_keeps_the_chain(memory: Memory) -> None:
    first = memory.remember("The API listens on port 8080")
    memory.confirm(first)
    second = memory.remember("The API listens on port 9090")
    third = memory.remember("The API listens on port 7070")
    assert second.supersedes == (first.id,)
    old = memory.get(first.id)
    assert (old.superseded_by, old.confidence) == (second.id, 0.18)
    assert texts(memory.recall("which port does the API listen on?")) == [third.text]
    everything = memory.recall("which port does the API listen on?", superseded=True)
    assert everything[0].text == third.text
    assert len(everything) == 3
    assert [one.id for one in memory.history(second)] == [first.id, second.id, third.id]
    assert texts(memory.list(superseded=False)) == [third.text]


def test_paraphrases_and_other_scopes_stand_beside_each_other(memory: Memory) -> None:
    memory.remember("We use pytest for tests")
    memory.remember("Our tests use pytest")
    memory.remember("The API listens on port 8080", workspace="/a")
    memory.remember("The API listens on port 9090", workspace="/b")
    assert all(one.superseded_by is None for one in memory.list())
    assert texts(memory.recall("API port", workspace="/a")) == ["The API listens on port 8080"]


def test_all_that_is_contradicted_is_superseded(memory: Memory) -> None:
    one = memory.remember("We use npm for installing packages", source="a")
    two = memory.remember("Packages are installed with npm in CI too")
    three = memory.remember("We no longer use npm for installing packages, use pnpm")
    assert one.id in three.supersedes
    assert memory.get(one.id).superseded_by == three.id
    assert two.id


def test_confidence_moves_within_its_bounds(memory: Memory) -> None:
    kept = memory.remember("confidence moves")
    assert memory.confirm(kept.id)
    assert memory.get(kept.id).confidence == 0.6
    assert memory.reject(kept)
    assert memory.get(kept.id).confidence == 0.45
    for _ in range(20):
        memory.confirm(kept.id)
    assert memory.get(kept.id).confidence == 1.0
    for _ in range(30):
        memory.reject(kept.id)
    assert memory.get(kept.id).confidence == 0.01
    assert memory.confirm("nobody") is memory.reject("nobody") is memory.forget("nobody") is False


@given(steps=st.lists(st.booleans(), max_size=25))
def test_confidence_is_always_three_decimals(
    steps: list[bool], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Archive.open(tmp_path_factory.mktemp("a") / "archive") as archive:
        memory = Memory(archive)
        kept, expected = memory.remember("a fact"), 0.5
        for step in steps[:8]:
            (memory.confirm if step else memory.reject)(kept)
            expected = round(min(1.0, max(0.01, expected + (0.1 if step else -0.15))), 3)
        assert memory.get(kept.id).confidence == expected


def test_forgetting_is_for_good(memory: Memory, archive: Archive) -> None:
    kept = memory.remember("the zebra passphrase is swordfish")
    memory.recall("zebra")
    assert memory.forget(kept.id)
    assert memory.recall("zebra passphrase") == []
    assert memory.list() == []
    with pytest.raises(NotFoundError):
        memory.get(kept.id)
    held = b"".join(key + value for key, value in archive.namespace("memories").items())
    assert b"swordfish" not in held
    assert kept.id.encode() in held
    assert [(one.operation, one.id) for one in memory.audit()] == [
        ("remember", kept.id),
        ("forget", kept.id),
    ]


def test_forgetting_the_newer_brings_back_the_older(memory: Memory, archive: Archive) -> None:
    old = memory.remember("The API listens on port 8080")
    memory.confirm(old)
    other = Memory(archive)
    new = memory.remember("The API listens on port 9090")
    assert other.get(old.id).superseded_by == new.id
    memory.forget(new)
    assert texts(memory.recall("API port")) == [old.text]
    assert texts(other.recall("API port")) == [old.text]
    assert (other.get(old.id).superseded_by, other.get(old.id).confidence) == (None, 0.6)
    assert [(one.operation, one.id) for one in memory.audit()][-2:] == [
        ("forget", new.id),
        ("revive", old.id),
    ]
    assert memory.remember(old.text).id == old.id
    assert [one.id for one in memory.history(old)] == [old.id]


@given(order=st.permutations(range(5)))
def test_the_newest_that_is_left_holds(
    order: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Archive.open(tmp_path_factory.mktemp("a") / "archive") as archive:
        memory = Memory(archive)
        left = [memory.remember(f"The API listens on port {n}0{n}0") for n in range(1, 6)]
        for one in [left[at] for at in order]:
            memory.forget(one)
            left.remove(one)
            assert texts(memory.list(superseded=False)) == texts(left[-1:])


def test_the_older_sentence_said_again_takes_its_place_back(memory: Memory) -> None:
    old = memory.remember("The API listens on port 8080")
    new = memory.remember("The API listens on port 9090")
    again = memory.remember(old.text)
    assert again.supersedes == (new.id,)
    assert texts(memory.recall("API port")) == [old.text]
    memory.forget(again)
    assert texts(memory.recall("API port")) == [new.text]


def test_every_recall_is_logged_without_texts(memory: Memory, archive: Archive) -> None:
    kept = memory.remember("log test memory about deploying")
    memory.recall("deploying")
    memory.recall("nothing at all like it")
    memory.recall("deploying", log=False)
    newest, oldest = memory.recall_log()
    assert (newest.context, newest.results) == ("nothing at all like it", ())
    assert (oldest.context, oldest.results[0].id) == ("deploying", kept.id)
    assert 0 < oldest.results[0].score <= 1
    assert len(memory.recall_log(limit=1)) == 1
    assert not any(kept.text.encode() in v for _, v in archive.namespace("memories").items(b"l"))


def test_limit_threshold_and_confidence(memory: Memory) -> None:
    for number in range(10):
        memory.remember(f"memory about testing approach number {number}")
    assert len(memory.recall("testing approach", limit=3)) == 3
    assert memory.recall("testing approach", limit=0) == []
    assert memory.recall("testing zebra", threshold=0.99) == []
    low = memory.list()[0]
    memory.reject(low)
    memory.reject(low)
    found = memory.recall("testing approach", limit=20, min_confidence=0.4)
    assert low.id not in {one.id for one in found}
    assert len(found) == 9


def test_list_is_newest_first_and_paged(memory: Memory) -> None:
    for word in ("alpha cats", "beta dogs", "gamma birds", "delta fish"):
        memory.remember(f"{word} are here")
    assert [one.text.split()[0] for one in memory.list(limit=2)] == ["delta", "gamma"]
    assert [one.text.split()[0] for one in memory.list(limit=2, offset=2)] == ["beta", "alpha"]


def test_learn_is_remember_and_ids_may_be_cut(memory: Memory) -> None:
    kept = memory.learn("a fact to learn")
    assert memory.get(kept.id[:-3]).id == kept.id
    with pytest.raises(NotFoundError):
        memory.get("")


def test_another_process_sees_it_at_once(root: Path, archive: Archive, memory: Memory) -> None:
    mine = memory.remember("this process says the sky is blue")
    script = (
        "import sys; from dejavu.archive import Archive; from dejavu.recall import Memory\n"
        "with Archive.open(sys.argv[1]) as a:\n"
        "    m = Memory(a); assert m.recall('sky blue'); m.remember('the sea is green')\n"
        "    m.forget(sys.argv[2])\n"
    )
    subprocess.run([sys.executable, "-c", script, str(root), mine.id], check=True, timeout=60)
    assert memory.recall("sky blue") == []
    assert texts(memory.recall("green sea")) == ["the sea is green"]


def test_it_outlives_kill_9(root: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from dejavu.archive import Archive; from dejavu.recall import Memory\n"
        "m = Memory(Archive.open(sys.argv[1]))\n"
        "m.remember('the answer is forty-two'); m.recall('answer')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(root)], check=False, timeout=60)
    assert done.returncode == -9
    with Archive.open(root) as archive:
        memory = Memory(archive)
        assert texts(memory.recall("what is the answer?")) == ["the answer is forty-two"]
        assert len(memory.recall_log()) == 2


def test_threads_lose_nothing(memory: Memory) -> None:
    def learn(name: str) -> None:
        for number in range(8):
            memory.remember(f"{name} noted item{name}{number} of its own")

    threads = [threading.Thread(target=learn, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.size == 24


def test_memories_of_before_get_their_vectors(archive: Archive) -> None:
    words = Memory(archive)
    kept = words.remember("The office opens at nine", workspace="/w")
    words.remember("Tabs, not spaces")

    def embed(text: str) -> list[float]:
        return [1.0, 0.1] if "nine" in text or "mornings" in text else [0.0, 1.0]

    memory = Memory(archive, embed=embed, space="one")
    assert memory.recall("when are mornings busy") == [], "no vector yet, no word in common"
    assert [memory.embed_pending(1), memory.embed_pending(), memory.embed_pending()] == [1, 1, 0]
    (found,) = memory.recall("when are mornings busy")
    assert found.id == kept.id
    assert memory.get(kept.id).workspace == "/w"
    assert memory.get(kept.id).confidence == kept.confidence
    another = Memory(archive, embed=lambda _: [1.0, 0.0, 0.0], space="two")
    assert another.embed_pending() == 2, "another model makes its own"
    assert words.embed_pending() == 0
    words.forget(kept.id)
    assert all(one.id != kept.id for one in another.recall("mornings"))


def test_an_embedding_of_ones_own(archive: Archive) -> None:
    space = {"car": [1.0, 0.0, 0.1], "automobile": [0.99, 0.1, 0.1], "fish": [0.0, 1.0, 0.0]}

    def embed(text: str) -> list[float]:
        return next((vector for word, vector in space.items() if word in text), [0.0, 0.0, 1.0])

    memory = Memory(archive, embed=embed)
    car = memory.remember("the car is red")
    memory.remember("the fish is wet")
    assert memory.recall("automobile", limit=1)[0].id == car.id
    assert memory.remember("an automobile, crimson").id == car.id  # its double, says the space
    assert memory.forget(car)
    assert memory.recall("automobile") == []
    assert Memory(archive).recall("fish")[0].text == "the fish is wet"


def test_a_read_only_archive_answers_without_a_log(root: Path, memory: Memory) -> None:
    memory.remember("read only facts are facts")
    with Archive.open(root, readonly=True) as archive:
        assert Memory(archive).recall("read only facts")
    assert memory.recall_log() == []


def test_a_deja_local_file_is_taken_over_once(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "deja.db"
    database = sqlite3.connect(file)
    database.execute(
        "CREATE TABLE memories "
        "(id TEXT, text TEXT, confidence REAL, created_at TEXT, supersedes TEXT)"
    )
    database.executemany(
        "INSERT INTO memories VALUES (?,?,?,?,?)",
        [
            ("1", "tests run with bun", 0.15, "2026-01-01T00:00:00Z", None),
            ("2", "tests run with vitest", 0.7, "2026-02-01T00:00:00Z", "1"),
        ],
    )
    database.commit()
    database.close()
    assert memory.import_deja_local(file) == 2
    assert memory.import_deja_local(file) == 0
    new, old = memory.list()
    assert (new.text, new.confidence, old.superseded_by) == ("tests run with vitest", 0.7, new.id)
    assert new.supersedes == (old.id,)
    assert new.created_at == 1769904000.0
    assert texts(memory.recall("what do tests run with?")) == ["tests run with vitest"]


@pytest.mark.parametrize(
    "vector", [[], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0], [1.0, 0.0, 0.0]]
)
def test_what_is_no_vector_of_the_same_model_is_refused(
    archive: Archive, vector: list[float]
) -> None:
    Memory(archive, embed=lambda _: [1.0, 0.0]).remember("tabs, not spaces")
    odd = Memory(archive, embed=lambda _: vector)
    with pytest.raises(ConfigError, match="embedding gave"):
        odd.remember("spaces, not tabs")
    with pytest.raises(ConfigError, match="embedding gave"):
        odd.recall("tabs")
    assert odd.size == 1


def test_a_lone_surrogate_is_stored_as_a_replacement_character(memory: Memory) -> None:
    assert memory.remember("before \ud800 after").text == "before \ufffd after"
    assert memory.remember("a \U0001f600 b").text == "a \U0001f600 b"


def test_an_empty_id_is_said_to_be_empty(memory: Memory) -> None:
    memory.remember("one")
    with pytest.raises(NotFoundError, match="MEMORY is empty"):
        memory.get("")


def test_a_memory_holds_in_all_folders_of_its_project(archive: Archive) -> None:
    projects = {"/a": "acme/shop", "/b": "acme/shop", "/c": "acme/other"}
    memory = Memory(archive, project_of=lambda folder: projects.get(folder, ""))
    memory.remember("The port is 8080", workspace="/a")
    for folder, count in (("/a", 1), ("/b", 1), ("/c", 0), ("/d", 0)):
        assert len(memory.recall("which port", workspace=folder)) == count
        assert len(memory.list(workspace=folder)) == count
    memory.remember("The port is 9090", workspace="/b")  # replaces it in both
    assert [one.text for one in memory.recall("which port", workspace="/a")] == ["The port is 9090"]
