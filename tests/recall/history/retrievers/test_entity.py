"""Entity: rare names count, names that stand everywhere are dropped and told."""

from tests.recall.conftest import USER, session

from dejavu.archive import Archive
from dejavu.recall import Recall


def test_a_name_that_stands_everywhere_names_nothing(archive: Archive) -> None:
    for number in range(60):
        archive.put(session(f"s{number}", (USER, f"look at common_name and rare_{number}x item")))
    answer = Recall(archive, tiers=["entity"]).ask("common_name rare_7x", floor=0.0)
    assert [hit.excerpt for hit in answer.hits] == ["look at common_name and rare_7x item"]
    assert answer.notes == ("common_name",)
