"""A sentence turned round is one memory; one whose roles changed is another, whatever the model says."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.history.minilm import MODEL
from dejavu.recall.memory.by_form import ends_otherwise
from dejavu.recall.memory.conflicts import pair_similarity, reversal_chance
from dejavu.recall.memory.memory_cache import MemoryCache
from dejavu.recall.memory.memory_records import MemoryRecord
from dejavu.recall.memory.relevance import packed
from dejavu.recall.memory.reversal import POSSIBLE, Likeness, repeats, reverses
from dejavu.recall.memory.similarity import SAME, similarity
from dejavu.recall.memory.turned import is_turned
from dejavu.recall.terms import listed

PAIRS = {
    half: {kind: [tuple(pair) for pair in pairs] for kind, pairs in kinds.items()}
    for half, kinds in tomllib.loads(Path(__file__).with_name("turned.toml").read_text()).items()
}


def of(kind: str) -> list[tuple[str, ...]]:
    return [pair[::way] for half in PAIRS.values() for pair in half[kind] for way in (1, -1)]


def alike(old: str, new: str, cosine: float = 0.99) -> Likeness:
    """Two texts that the model takes for one."""
    left, right = old.split(), new.split()
    return Likeness(cosine, left, right, [[1.0] * len(right)] * len(left))


@pytest.mark.parametrize(("old", "new"), of("turned"))
def test_a_sentence_turned_round_is_one_memory(old: str, new: str) -> None:
    assert similarity(old, new) >= SAME
    assert pair_similarity(old, new, 0.7, alike) >= SAME


@pytest.mark.parametrize(("old", "new"), of("roles"))
def test_who_does_what_to_whom_is_kept_apart(old: str, new: str) -> None:
    assert similarity(old, new) < SAME
    assert pair_similarity(old, new, 0.99, alike) < SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Backups are taken weekly", "We take backups weekly"),
        ("Write prices as integers", "Prices are written as integers"),
    ],
)
def test_who_does_it_may_be_left_out(old: str, new: str) -> None:
    assert similarity(old, new) >= SAME


def test_one_sentence_with_another_value_is_named_whatever_the_model_says() -> None:
    named = 0
    for old, new in of("value"):
        far = Likeness(0.5, old.split(), new.split(), [[0.3] * len(new.split())] * len(old.split()))
        assert repeats(old, new, far) < 0.5
        named += reverses(old, new, far) >= POSSIBLE
    assert named >= 46  # of 60


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We test on Linux", "We test on macOS"),
        ("Uploads are limited to 5 MB for guests", "Uploads are limited to 5 MB for members"),
        ("With Jest", "With Vitest"),
        ("We test with Jest", "We test with Jest and with a lot of patience"),
    ],
)
def test_where_it_holds_is_no_value(old: str, new: str) -> None:
    assert not ends_otherwise(old, new)


@pytest.mark.parametrize("vector", [[], [1.0, 0.0]])
@pytest.mark.parametrize(("old", "new"), of("masked"))
def test_hidden_secrets_replace_nothing(old: str, new: str, vector: list[float]) -> None:
    held = MemoryCache()
    space = MODEL if vector else ""
    older, newer = (
        MemoryRecord(
            id=text, text=text, created_at=1.0, updated_at=1.0, vector=packed(vector), space=space
        )
        for text in (old, new)
    )  # fmt: skip
    held.memories[older.id] = older
    held.relevance.add(older)
    assert reversal_chance(held, newer, older, vector) == 0.0


WORDS = st.lists(st.sampled_from(listed("is are was by the our a ann bob own owns owned in where")))


@given(WORDS, WORDS)
def test_turning_round_works_both_ways(one: list[str], other: list[str]) -> None:
    assert is_turned(one, other, (one, other)) == is_turned(other, one, (other, one))
