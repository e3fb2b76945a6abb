"""What each endpoint answers; over HTTP they are asked in test_app.py."""

from pathlib import Path

import pytest

from dejavu.extensions.web import endpoints as api
from dejavu.model import Conversation, InvalidValueError

_EVERYTHING = dict.fromkeys(["workspace", "instance", "agent", "since", "until", "starred", "tag"])


def test_the_archive_read_only(archived: list[Conversation]) -> None:
    heads = api.list_conversations(**_EVERYTHING, limit=50, offset=0)
    assert [head["agent"] for head in heads] == ["amp", "claude"]
    assert len(api.list_conversations(**_EVERYTHING, limit=1, offset=1)) == 1
    shown = api.show_conversation("last", provenance=False)
    assert (shown["id"], len(shown["turns"])) == (archived[0].id, 2)
    hits = api.search("tick", **_EVERYTHING, role=None, exact=False, limit=5)["hits"]
    assert hits
    assert {hit["conversation"] for hit in hits} == {archived[1].id}


def test_marks_are_set_listed_and_searched(archived: list[Conversation]) -> None:
    kept = {"starred": None, "add": None, "remove": None, "title": None}
    one = archived[1].id
    head = api.mark_conversation(one, **{**kept, "starred": True, "add": ["Bug"], "title": "Ring"})
    assert (head["starred"], head["tags"], head["title"]) == (True, ["bug"], "Ring")
    for wanted in ({"starred": "true"}, {"tag": "bug"}, {"starred": "true", "tag": "#bug"}):
        heads = api.list_conversations(**{**_EVERYTHING, **wanted}, limit=50, offset=0)
        assert [head["id"] for head in heads] == [one], wanted
    others = api.list_conversations(**{**_EVERYTHING, "starred": "false"}, limit=50, offset=0)
    assert one not in [head["id"] for head in others]
    assert not api.search(
        "tick", **{**_EVERYTHING, "tag": "none"}, role=None, exact=False, limit=5
    )["hits"]
    head = api.mark_conversation(one, **{**kept, "starred": False, "remove": ["bug"], "title": ""})
    assert (head["starred"], head["tags"], head["title"]) == (False, [], archived[1].title)


def test_a_tag_that_is_refused_changes_nothing(archived: list[Conversation]) -> None:
    with pytest.raises(InvalidValueError):
        api.mark_conversation(
            archived[0].id, starred=True, add=["two words"], remove=None, title="New"
        )
    head = api.show_conversation(archived[0].id, provenance=False)
    assert (head["starred"], head["title"]) == (False, archived[0].title)


def test_a_star_is_true_or_false(archived: list[Conversation]) -> None:
    with pytest.raises(InvalidValueError, match="not true or false"):
        api.list_conversations(**{**_EVERYTHING, "starred": "maybe"}, limit=5, offset=0)


def test_without_an_archive_there_is_nothing_and_none_is_made(home: Path) -> None:
    assert api.list_conversations(**_EVERYTHING, limit=5, offset=0) == []
    answer = api.search("x", **_EVERYTHING, role=None, exact=False, limit=5)
    assert (answer["hits"], answer["behind"]) == ([], 0)
    assert not (home / ".local/share/dejavu/archive").exists()


def test_names_are_unique() -> None:
    assert len({endpoint.name for endpoint in api.ENDPOINTS}) == len(api.ENDPOINTS)
