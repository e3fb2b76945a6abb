"""What each endpoint answers; over HTTP they are asked in test_app.py."""

from pathlib import Path

from dejavu.extensions.web import endpoints as api
from dejavu.model import Conversation

_EVERYTHING = dict.fromkeys(["workspace", "instance", "agent", "since", "until"])


def test_the_archive_read_only(archived: list[Conversation]) -> None:
    heads = api.list_conversations(**_EVERYTHING, limit=50, offset=0)
    assert [head["agent"] for head in heads] == ["amp", "claude"]
    assert len(api.list_conversations(**_EVERYTHING, limit=1, offset=1)) == 1
    shown = api.show_conversation("last", provenance=False)
    assert (shown["id"], len(shown["turns"])) == (archived[0].id, 2)
    hits = api.search("tick", **_EVERYTHING, role=None, exact=False, limit=5)["hits"]
    assert hits
    assert {hit["conversation"] for hit in hits} == {archived[1].id}


def test_without_an_archive_there_is_nothing_and_none_is_made(home: Path) -> None:
    assert api.list_conversations(**_EVERYTHING, limit=5, offset=0) == []
    answer = api.search("x", **_EVERYTHING, role=None, exact=False, limit=5)
    assert (answer["hits"], answer["behind"]) == ([], 0)
    assert not (home / ".local/share/dejavu/archive").exists()


def test_names_are_unique() -> None:
    assert len({endpoint.name for endpoint in api.ENDPOINTS}) == len(api.ENDPOINTS)
