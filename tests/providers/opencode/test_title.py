"""What stores have in common."""

from dejavu.providers.opencode.parts import title


def test_titles_that_every_session_begins_with_are_none() -> None:
    assert title({"title": "New session - 2026"}) == ""
    assert title({"title": "Frogs"}) == "Frogs"
