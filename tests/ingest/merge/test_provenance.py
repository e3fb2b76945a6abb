from pathlib import Path

import pytest
from tests.ingest.merge.test_arbitrate import ANSWER, AT, ID, Session

from dejavu.archive import Archive
from dejavu.ingest.merge.arbitrate import merge_vectors
from dejavu.ingest.merge.provenance import describe_counts, disagreements, sources_of


def test_every_source_is_named_the_best_first(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        session = Session(archive, tmp_path)
        session.wire("Why?")
        session.hooks(("Why?", "Something else."), at=AT)
        session.file(("Why?", ANSWER))
        assert disagreements(archive, ID) == {}
        merge_vectors(archive, ID)
        told = sources_of(archive, ID)
        assert [(one["vector"], one["name"]) for one in told] == [
            ("native", str(session.path)), ("hook", "hook:s-1"), ("wire", "wire:r"),
        ]  # fmt: skip
        assert all(one["bytes"] == archive.sources.raw_length(one["key"]) > 0 for one in told)
        assert disagreements(archive, ID) == {"hook": {"differs answer": 1}}


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"lacked answer": 2, "lacked reasoning": 3}, "only source of 2 answers, 3 reasoning"),
        ({"lacked exchange": 1, "differs call": 1}, "only source of 1 exchange; differs in 1 call"),
        ({}, ""),
    ],
)
def test_counts_are_told_in_words(counts: dict[str, int], words: str) -> None:
    assert describe_counts(counts) == words
