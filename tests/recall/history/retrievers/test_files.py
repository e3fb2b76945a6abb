"""Files: what tools touched, by any end of its path."""

from dejavu.archive import Archive
from dejavu.recall import Recall


def test_a_file_by_its_end(told: Archive) -> None:
    recall = Recall(told, tiers=["files"])
    for query in ("src/net/retry.py", "look at retry.py", "net/retry.py please"):
        (hit, *_) = recall.search(query, floor=0.0)
        assert hit.seq == 2
    assert recall.search("docs/other/thing.md no", floor=0.0) == []
    assert recall.search("nothing named", floor=0.0) == []
