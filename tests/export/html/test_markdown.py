import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.html.code import Colours
from dejavu.export.html.markdown import LONGEST, as_html

ALLOWED = {
    "p",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "code",
    "em",
    "strong",
    "s",
    "a",
    "span",
    "br",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "div",
}
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert name in {
                "href",
                "title",
                "rel",
                "class",
                "style",
                "start",
                "scope",
                "tabindex",
                "role",
                "aria-label",
            }, name
            if name == "href":
                assert value is not None
                assert re.match(r"(?i)https?://|mailto:", value), value
                self.links.append(value)
            if name == "style":
                assert value in ("text-align:left", "text-align:center", "text-align:right")
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("br", "hr")  # as the library writes them

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert not HIDDEN.search(data)


def _checked(content: str) -> _Seen:
    seen = _Seen()
    seen.feed(as_html(content))
    seen.close()
    assert seen.open == []
    return seen


PIECES = [
    "[a](",
    "![",
    "](",
    ")",
    "<",
    ">",
    "<b>",
    "</p>",
    "`",
    "```",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "1. ",
    "# ",
    "|",
    "|-|",
    "*",
    "**",
    "~~",
    "&#x202e;",
    "&lt;",
    "&#27;",
    "javascript:",
    "JaVaScRiPt:",
    "http://x.y",
    "data:image/png;base64,AA",
    "mailto:a@b",
    "\\",
    '"',
    "'",
    "\t",
    "[r]: ",
    "\u202e",
    "\x1b[31m",
    "<http://[",
    "<https://x.y>",
    "vbscript:",
    "&Tab;",
    "word",
    "\udc80",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join))
def test_whatever_is_written_only_quiet_markup_comes_out(content: str) -> None:
    _checked(content)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "java&Tab;script:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/x",
        "src/net/retry.py",
        "#t1",
        "&#106;avascript:x",
        "http:evil",
        "intent://x",
        "\\javascript:x",
    ],
)
def test_only_web_and_mail_addresses_are_links(url: str) -> None:
    html = as_html(f"[shown](<{url}>)")
    assert "<a" not in html
    assert "shown" in html


@pytest.mark.parametrize("url", ["https://a.b/c?d=e&f", "http://a.b", "mailto:a@b.c"])
def test_links_show_where_they_lead(url: str) -> None:
    html = as_html(f"[shown]({url})")
    assert _checked(f"[shown]({url})").links == [url]
    assert f'title="{url.replace("&", "&amp;")}"' in html
    assert "noopener noreferrer" in html


@pytest.mark.parametrize(
    ("content", "links"),
    [
        ("see https://a.b/c, and (http://d.e).", ["https://a.b/c", "http://d.e"]),
        ("**https://a.b/x_(y)?q=1&r=<2>**", ["https://a.b/x_(y)?q=1&r="]),
        ("[https://shown.example](https://meant.example)", ["https://meant.example"]),
        ("`https://code.example` ftp://no.example xhttps://", []),
        ("https://a.b/\u202egpj.exe", ["https://a.b/"]),
    ],
)
def test_bare_addresses_are_links_without_the_sentence_around_them(
    content: str, links: list[str]
) -> None:
    assert _checked(content).links == links


def test_pictures_are_named_not_fetched() -> None:
    html = as_html("![cat](https://x.y/cat.png) ![](data:image/svg+xml;base64,AAAA)")
    assert "<img" not in html
    assert "[picture: cat]" in html
    assert "[picture: picture]" in html


def test_entities_cannot_bring_back_what_was_taken_out() -> None:
    html = as_html("a &#x202e; b &#27;[31m c `&#x202e;` [t](https://x.y '&#x202e;')")
    assert not HIDDEN.search(html)
    assert "&lt;U+202E&gt;" in html


def test_raw_html_is_text() -> None:
    assert "&lt;script&gt;" in as_html("<script>alert(1)</script>\n\n<b>x</b>")


@pytest.mark.parametrize(
    ("content", "tags"),
    [
        ("# a\n## b", ["h3", "h4"]),
        ("## a\n### b", ["h3", "h4"]),
        ("###### a", ["h3"]),
        ("text\n\n#### a\n# b", ["h6", "h3"]),
    ],
)
def test_headings_start_below_the_turns_own(content: str, tags: list[str]) -> None:
    assert re.findall(r"<(h\d)>", as_html(content)) == tags


def test_line_ends_are_kept_where_people_meant_them() -> None:
    assert "<br" in as_html("a\nb", breaks=True)
    assert "<br" not in as_html("a\nb")


def test_diffs_in_fences_are_coloured() -> None:
    assert 'class="add"' in as_html("```diff\n+a\n```")
    assert 'class="language-py"' in as_html("```py x\na\n```")
    assert "class" not in as_html('```"><script>\na\n```')
    assert 'class="c-keyword"' in as_html("```py\nreturn 1\n```", Colours(100))


@pytest.mark.parametrize(
    "content",
    ["x" * 1_000_000, "> " * 10_000 + "deep", "[" * 150_000, "*a " * 50_000, "a\n" * 200_000],
)
def test_monstrous_texts_come_out_whole(content: str) -> None:
    html = as_html(content)
    _checked(content)
    if len(content) > LONGEST:
        assert len(html) >= len(content)
