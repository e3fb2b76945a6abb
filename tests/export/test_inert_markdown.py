"""Nothing active is left, and what is not active stays as it was."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dejavu.export.inert_markdown import inert
from dejavu.export.markdown import as_markdown
from dejavu.model import Conversation, Reasoning, Role, Text, ToolCallResponse, Turn


def active(text: str) -> list[str]:
    """What a reader that renders everything would make of it, beyond text and plain links."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True
    found, tokens = [], parser.parse(text)
    while tokens:
        token = tokens.pop()
        tokens += token.children or []
        if token.type in ("html_block", "html_inline", "image"):
            found.append(token.type)
        href = str(token.attrs.get("href", "")).lower()
        if ":" in href.partition("/")[0] and not href.startswith(("http:", "https:", "mailto:")):
            found.append(href)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "plain **bold** [link](https://example.org/a?b=(c)) <https://example.org> a < b",
        "[there](docs/a.md) and [here](#part) and [mail](mailto:a@example.org)",
        "`<img src=x>` and ``a ` <b>`` and a[0](1)",
        "```html\n<img src=x onerror=alert(1)>\n```",
        "    <script>indented code</script>",
        "- item\n\n  ```\n  ![x](javascript:1)\n  ```",
        "[ref]: https://example.org\n\nsee [ref]",
    ],
)
def test_what_is_not_active_stays(text: str) -> None:
    assert inert(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("a <b>c</b>", "a &lt;b>c&lt;/b>"),
        ("![pixel](https://evil.example/p.png)", "&#33;[pixel](https://evil.example/p.png)"),
        ("[x](javascript:alert(1))", "[x]&#40;javascript:alert(1))"),
        ("[x](<JavaScript:alert(1)>)", "[x]&#40;&lt;JavaScript:alert(1)>)"),
        ("[x](java&#115;cript:alert(1))", "[x]&#40;java&#115;cript:alert(1))"),
        ("[x]: data:text/html,y\n\n[x]", "[x]&#58; data:text/html,y\n\n[x]"),
        ("`<i>` <i>", "`<i>` &lt;i>"),
    ],
)
def test_what_is_active_is_shown(text: str, shown: str) -> None:
    assert active(text)
    assert inert(text) == shown
    assert active(shown) == []


PIECES = st.sampled_from(
    ["<img src=x>", "<div>", "</div>", "<!--", "-->", "<script>", "![a](b)", "[a](javascript:1)",
     "[a]: ", "[a]", "javascript:1", "data:x", "<javascript:1>", "`", "``", "```", "~~~", "\n",
     "\n\n", "    ", "- ", "> ", "\\", "&#58;", "&lt;", "(", ")", "<", ">", "a", " ", "|", "http://x"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join))
@example("<div>\n```\n</div>\n\n```\n<img src=x>\n```")
def test_nothing_active_is_left_of_anything(text: str) -> None:
    assert active(inert(text)) == []
    parts = (Text(text), Reasoning(text), ToolCallResponse("1", "<img src=x>"), Text("<b>"))
    turns = (Turn(role=Role.ASSISTANT, parts=parts),)
    page = as_markdown(Conversation(id="x", agent="<b>", title=text).with_turns(turns))
    assert active(page) == []


def test_a_fence_left_open_takes_in_nothing_of_the_next_turn() -> None:
    assert inert("```\nx") == "```\nx\n```"
    assert inert("~~~~sh\nx\n~~~") == "~~~~sh\nx\n~~~\n~~~~"
    assert inert("```\nx\n```\n") == "```\nx\n```\n"


def test_a_text_that_is_no_prose_is_fenced() -> None:
    assert inert("<b>" * 100_000).startswith("```\n<b>")
