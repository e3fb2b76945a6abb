from dejavu.recall import Recall
from dejavu.record import Conversation
from dejavu.surfaces.compose import open_archive
from dejavu.surfaces.indexing import bring_up_to_date


def test_what_was_archived_can_be_recalled(archived: list[Conversation]) -> None:
    with open_archive(write=True) as archive:
        assert bring_up_to_date(archive) > 0
        assert bring_up_to_date(archive) == 0
        hits = Recall(archive).search("why does the retry budget run dry")
    assert hits[0].conversation == archived[1].id
