"""An agent's markdown as `Html`, and nothing it could smuggle in.

Takes text as agents write it (CommonMark with tables and strikethrough); gives `Html`. Raw HTML
stays text. A link is one only to http, https or mailto and shows where it leads; a picture is
never fetched, only named. Entities can spell what the sanitiser took out, so texts are sanitised
again after they were decoded. Headings start below the page's own.

Costs O(text); the parser is linear on the inputs that trouble other parsers, and a text beyond
`LONGEST` or with a line beyond `_WIDEST` is no prose and is shown as it stands.
"""

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from dejavu.record.sanitise import sanitise

from .diff import as_change, is_diff
from .markup import Html, closing, opening, tag

LONGEST = 200_000
_WIDEST = 20_000
_LINKS = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f\\]+\Z", re.IGNORECASE)
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_TOP = 2
"""Levels above an agent's first heading: the page's title and the turn's."""


def as_html(content: str, *, breaks: bool = False) -> Html:
    """`content` rendered; `breaks` keeps the line ends of people and screens."""
    safe = sanitise(content)
    if len(safe) > LONGEST or any(len(line) > _WIDEST for line in safe.splitlines()):
        return tag("pre", safe, class_="wrap")
    try:
        return Html(_parser(breaks).render(safe))
    except (ValueError, IndexError, RecursionError):
        # A fault of the parser's on one text must not lose the page.
        return tag("p", safe, class_="plain")


def plain(content: str) -> Html:
    """`content` as it stands, with its line ends."""
    return tag("p", content, class_="plain")


@cache
def _parser(breaks: bool) -> MarkdownIt:
    parser = MarkdownIt(
        "commonmark", {"html": False, "breaks": breaks}, renderer_cls=_Renderer
    ).enable(["table", "strikethrough"])
    # Which links are links is decided where they are written (`link_open`), so that what is none
    # still shows its text.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - its hook
    return parser


class _Renderer(RendererHTML):
    """Writes the parser's tokens; each rule is named by the token's type."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return escape(sanitise(tokens[idx].content), quote=False)

    def heading_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return opening(_lowered(tokens[idx].tag))

    def heading_close(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return closing(_lowered(tokens[idx].tag)) + "\n"

    def table_open(self, *_: Any) -> str:
        return opening("div", class_="scroll", tabindex="0", role="region", aria_label="Table") + (
            opening("table")
        )

    def table_close(self, *_: Any) -> str:
        return closing("table") + closing("div") + "\n"

    def th_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return opening("th", scope="col", style=_alignment(tokens[idx]))

    def td_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return opening("td", style=_alignment(tokens[idx]))

    def link_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        url = str(tokens[idx].attrs.get("href", ""))
        if _LINKS.match(url) is None:
            return opening("span", title=url)
        return opening("a", href=url, title=url, rel="noopener noreferrer nofollow")

    def link_close(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        depth = 0
        for token in reversed(tokens[:idx]):
            depth += (token.type == "link_close") - (token.type == "link_open")
            if depth < 0:
                url = str(token.attrs.get("href", ""))
                return closing("a" if _LINKS.match(url) else "span")
        return ""

    def image(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        token = tokens[idx]
        url = str(token.attrs.get("src", ""))
        named = token.content or ("picture" if url.startswith("data:") else url)
        return tag("span", f"[picture: {named}]", title=url[:200])

    def fence(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        language = tokens[idx].info.strip().split(maxsplit=1)[0] if tokens[idx].info.strip() else ""
        return code(tokens[idx].content, language)

    def code_block(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return code(tokens[idx].content)

    def code_inline(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return tag("code", tokens[idx].content)


def code(content: str, language: str = "") -> Html:
    """A block of code; a diff comes out in colour."""
    if language.lower() in ("diff", "patch") or is_diff(content):
        return as_change(content).html
    named = language if _LANGUAGE.fullmatch(language) else None
    body = tag("code", content, class_=named and f"language-{named}")
    return tag("pre", body, tabindex="0" if scrolls(content) else None)


def scrolls(content: str) -> bool:
    """Whether a block of it may scroll on a phone, and so must be reachable by keyboard."""
    lines = content.splitlines()
    return len(lines) > 20 or any(len(line) > 42 for line in lines)


def _lowered(heading: str) -> str:
    return f"h{min(6, int(heading[1]) + _TOP)}"


def _alignment(cell: Token) -> str | None:
    style = cell.attrs.get("style")
    return style if style in ("text-align:left", "text-align:center", "text-align:right") else None
