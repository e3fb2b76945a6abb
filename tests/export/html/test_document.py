import msgspec

from dejavu.export.html import as_html
from dejavu.export.html.document import HEAD_BYTES, document, fingerprint, is_current
from dejavu.export.html.markup import tag
from dejavu.model import Conversation, Role, Text, Turn

HEAD = Conversation(id="abc", agent="amp", title="t", captured_at=5.0).with_turns(
    (Turn(role=Role.USER, parts=(Text("hello"),)),)
)


def _beginning(conversation: Conversation, revision: int = 0) -> bytes:
    return "".join(as_html(conversation, revision=revision)).encode()[:HEAD_BYTES]


def test_a_page_knows_the_conversation_it_shows() -> None:
    page = _beginning(HEAD, 7)
    without_turns = msgspec.structs.replace(HEAD, turns=())
    assert is_current(page, without_turns, 7)
    assert not is_current(page, without_turns, 8)


def test_any_change_of_the_head_makes_a_page_stale() -> None:
    page = _beginning(HEAD)
    for change in ({"turn_count": 2}, {"captured_at": 6.0}, {"title": "u"}, {"ended_at": 9.0}):
        assert not is_current(page, msgspec.structs.replace(HEAD, **change))


def test_a_text_in_the_page_cannot_pass_for_the_mark() -> None:
    forged = f'content="{fingerprint(HEAD)}"'
    other = msgspec.structs.replace(HEAD, id="other", title=forged)
    page = "".join(as_html(other))
    assert not is_current(page.encode(), HEAD)


def test_the_policy_comes_before_anything_it_governs() -> None:
    page = "".join(document("t", [tag("p", "x")]))
    policy = page.index("default-src &#39;none&#39;; style-src")
    assert policy < page.index("<style>")
    assert policy < page.index("<link")
    assert "<script" not in page
    assert page.startswith("<!doctype html>\n<html lang")


def test_a_title_is_escaped() -> None:
    assert "<title>&lt;/title&gt;&lt;script&gt;</title>" in "".join(
        document("</title><script>", [])
    )
