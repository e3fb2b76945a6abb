"""Regular expressions: what they find, how long they take, and what is said of a wrong one."""

import re
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.archive.search import expression as expressions
from dejavu.archive.search.expression import Expression
from dejavu.archive.search.query import as_term, split_expression
from dejavu.model import Conversation, InvalidValueError, Role, Text, ToolCall, Turn

PATTERNS = (
    r"timeout after \d+s", "colou?r red", "a+bc", "(x|yy)zed", "[abc]def*g", r"\bnet\.retry\b",
    "one|two", "ab{2,3}cd", r"x\/y", "[]x]end", "(a[)]b)tail", "^start.*stop$",
)  # fmt: skip


@given(st.data())
def test_every_match_holds_the_literals(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(PATTERNS))
    match = data.draw(st.from_regex(pattern, alphabet=st.characters(max_codepoint=126)))
    assume(re.search(pattern, match))
    assert all(text in match for text in Expression(pattern).literals)


def test_literals_are_found_where_there_are_some() -> None:
    assert Expression(r"timeout after \d+s").literals[0] == "timeout after "
    assert Expression("(x|yy)zed").literals == ("zed",)
    assert Expression("one|two").literals == ()
    assert Expression("retry", ignore_case=True).literals == ()


@pytest.fixture
def shelf(archive: Archive) -> Archive:
    call = ToolCall("1", "Bash", {"command": "curl --max-time 30 host/x"})
    for n in range(30):
        said = Text(f"It failed: timeout after {n}s in Net.retry")
        archive.put(
            Conversation(
                id=f"c{n:02}", agent="codex" if n % 2 else "amp", workspace="/w/api"
            ).with_turns(
                (
                    Turn(role=Role.USER, parts=(said,), at=float(n)),
                    Turn(role=Role.ASSISTANT, parts=(call,)),
                )
            )
        )
    return archive


@pytest.mark.parametrize("indexed", [True, False])
def test_what_is_found(shelf: Archive, indexed: bool) -> None:
    if indexed:
        shelf.update_index()

    def found(query: str) -> list[tuple[str, int]]:
        return [hit[:2] for hit in shelf.search(query, limit=100)]

    assert found(r"re:/timeout after 2\ds/") == [(f"c{n}", 0) for n in range(29, 19, -1)]
    assert found(r"/timeout after 2\ds/") == found(r"re:/timeout after 2\ds/")
    assert found(r"re:/TIMEOUT after 7s/i") == [("c07", 0)]
    assert len(found(r"re:/max-time \d+/ agent:amp in:api")) == 15
    assert found(r"re:/after 7s/ failed") == [("c07", 0)]
    assert found(r"re:/after 7s/ -failed") == []
    assert len(found(as_term("host/x"))) == 30
    hit = shelf.search(r"re:/after 7s/")[0]
    assert hit.excerpt[slice(*hit.marks[0])] == "after 7s"


def test_a_path_is_no_expression(shelf: Archive) -> None:
    assert split_expression("/usr/bin/")[0] is None
    assert split_expression("src/net.py a/b")[0] is None


@pytest.mark.parametrize(("query", "place"), [("re:/foo(/", 5), ("/ab[/", 4), (as_term("*x"), 1)])
def test_a_wrong_one_is_an_error_with_its_place(archive: Archive, query: str, place: int) -> None:
    with pytest.raises(InvalidValueError, match=f"at character {place}"):
        archive.search(query)


def test_one_that_never_ends_ends(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "PATIENCE", 0.6)
    monkeypatch.setattr(expressions, "_PIECE", 0.2)
    slow = tuple(Turn(role=Role.USER, parts=(Text("a" * 5000 + "!"),)) for _ in range(30))
    archive.put(Conversation(id="slow", agent="x").with_turns(slow))
    began = time.monotonic()
    result = archive.search("re:/(a|aa)+$/")
    assert time.monotonic() - began < 5
    assert list(result) == []
    assert "not searched" in result.notes[0]
