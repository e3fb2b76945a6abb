"""What the index is asked, and in which order it answers."""

from pathlib import Path

import pytest

from dejavu.archive.search.index import SMALL_HEAP, SearchIndex
from dejavu.archive.search.query import parse
from dejavu.archive.search.query_plan import SearchPlan
from dejavu.model import Conversation, Role, Text, Turn

SAID = ("the cat", "the dog and the cat", "a bird", "the the the", "cat cat cat cat dog")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    index = SearchIndex(Path(tmp_path_factory.mktemp("retrieval")) / "i", b"x" * 16)
    writer = index.writer(SMALL_HEAP)
    assert writer is not None
    summary = Conversation(id="a", agent="x", ended_at=50.0)
    turns = [
        Turn(seq=n, role=Role.USER, parts=(Text(text),), at=None if n == 2 else float(n))
        for n, text in enumerate(SAID)
    ]
    with writer:
        writer.add(9, summary, turns)
        writer.commit(1)
    return index


def seqs(index: SearchIndex, text: str, count: int = 10, offset: int = 0) -> list[int]:
    places = SearchPlan(index, index.searcher(), parse(text)).places(count, offset)
    assert all(place.conversation == 9 for place in places)
    return [place.seq for place in places]


def test_rarer_and_more_counts_more(made: SearchIndex) -> None:
    assert seqs(made, "dog cat")[:2] == [4, 1]
    assert seqs(made, "bird") == [2]
    assert seqs(made, "unicorn") == []


def test_pages_follow_one_another(made: SearchIndex) -> None:
    whole = seqs(made, "cat")
    assert seqs(made, "cat", 1) + seqs(made, "cat", 1, 1) + seqs(made, "cat", 5, 2) == whole


def test_without_words_by_date_and_a_turn_without_one_takes_its_conversation_s(
    made: SearchIndex,
) -> None:
    assert seqs(made, "") == [2, 4, 3, 1, 0]
    assert seqs(made, "since:1970-01-01T00:00:03Z") == [2, 4, 3]
    assert seqs(made, "-cat") == [2, 3]


def test_a_common_word_alone_is_still_found(
    made: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dejavu.archive.search import query_plan as retrieval

    monkeypatch.setattr(retrieval, "_FEW", 0)
    monkeypatch.setattr(retrieval, "_COMMON", 0.3)
    assert set(seqs(made, "the")) == {0, 1, 3}
    assert seqs(made, "the bird") == [2]
    assert set(seqs(made, "the unicorn")) == {0, 1, 3}
    searcher = made.searcher()
    assert SearchPlan(made, searcher, parse("the bird")).incomplete
    assert not SearchPlan(made, searcher, parse("bird")).incomplete
    whole = SearchPlan(made, searcher, parse("the bird"), thorough=True)
    assert {place.seq for place in whole.places(10, 0)} == {0, 1, 2, 3}


def test_phrases_must_and_words_may(made: SearchIndex) -> None:
    assert seqs(made, '"the cat"') == [0, 1]
    assert seqs(made, '"the cat" dog') == [1]
    assert seqs(made, '"the cat" -dog') == [0]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    """300 turns, one a second; every third says `retry`, each a word of its own."""
    index = SearchIndex(Path(tmp_path_factory.mktemp("many")) / "i", b"x" * 16)
    writer = index.writer(SMALL_HEAP)
    assert writer is not None
    texts = ["retry " * (n % 7) + f"word{n:03} other" for n in range(300)]
    turns = [
        Turn(seq=n, role=Role.USER, parts=(Text(text),), at=float(n))
        for n, text in enumerate(texts)
    ]
    with writer:
        writer.add(9, Conversation(id="a", agent="x"), turns)
        writer.commit(1)
    return index


@pytest.mark.parametrize("since", [0, 20, 150, 270, 299, 400])
def test_moments_choose_among_the_ranked_whatever_share_they_have(
    many: SearchIndex, monkeypatch: pytest.MonkeyPatch, since: int
) -> None:
    from dejavu.archive.search import query_plan as retrieval

    text = f"retry since:1970-01-01T00:{since // 60:02}:{since % 60:02}Z"
    guessed = [*seqs(many, text, 20), *seqs(many, text, 30, 20)]
    assert all(seq >= since and seq % 7 for seq in guessed)
    monkeypatch.setattr(retrieval, "_GUESSED", 0)
    assert guessed == [*seqs(many, text, 20), *seqs(many, text, 30, 20)]


def test_of_many_words_that_begin_so_the_frequent_count_until_asked_thoroughly(
    many: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dejavu.archive.search import query_plan as retrieval

    query = parse("word*")
    some = SearchPlan(many, many.searcher(), query)
    assert len(some.places(300, 0)) == retrieval._BEGINNINGS
    assert some.incomplete
    every = SearchPlan(many, many.searcher(), query, thorough=True)
    assert len(every.places(300, 0)) == 300
    assert not every.incomplete
    monkeypatch.setattr(retrieval, "_FEW", 0)
    assert len(seqs(many, "ret*", 300)) == len([n for n in range(300) if n % 7])


def test_nothing_begins_so(many: SearchIndex) -> None:
    assert seqs(many, "zzz*") == []
    assert seqs(many, "zzz* since:1970-01-01") == []
    assert seqs(many, "zzz* agent:x") == []
