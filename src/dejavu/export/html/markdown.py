"""An agent's markdown (CommonMark, tables, strikethrough) as `Markup`, with nothing active in it.

Raw HTML stays text. Links lead only to http, https or mailto and show their target; a picture is
never fetched, only named. Entities can spell what the sanitiser took out, so texts are sanitised
again after they were decoded. Headings start below the page's own.

O(text); the parser is linear on the inputs that trouble other parsers, and a text beyond `LONGEST`
or with a line beyond `_WIDEST` is no prose and is shown as it is.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType
from markupsafe import Markup

from dejavu.redact.sanitise import sanitise

from .code import PLAIN, Colours
from .markup import closing, join, opening, tag

LONGEST = 200_000
_WIDEST = 20_000
_LINKS = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f\\]+\Z", re.IGNORECASE)
_BARE = re.compile(r"https?://[^\s<>\"'`\\]*[^\s<>\"'`\\.,;:!?*)\]}]", re.IGNORECASE)
"""An address within a text; the punctuation of the sentence around it stays out."""
_BELOW = 3
"""The level of a text's highest heading: the page's title and the turn's stand above it."""


def as_html(content: str, colours: Colours = PLAIN, *, breaks: bool = False) -> Markup:
    """`content` rendered; `breaks` keeps the line ends of people and screens, `colours` writes code."""
    safe = sanitise(content)
    if len(safe) > LONGEST or any(len(line) > _WIDEST for line in safe.splitlines()):
        return tag("pre", safe, class_="wrap")
    parser = _parser(breaks)
    try:
        tokens = parser.parse(safe)
        levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
        env: dict[str, Any] = {
            "below": _BELOW - min(levels, default=1), "links": [], "colours": colours,
        }  # fmt: skip
        html = parser.renderer.render(tokens, parser.options, env)
        return Markup(html)  # noqa: S704 - `html=False`, and `_RULES` write what is left
    except (ValueError, IndexError, RecursionError):
        # A fault of the parser's on one text must not lose the page.
        return tag("p", safe, class_="plain")


def _lowered(heading: str, env: EnvType) -> str:
    return f"h{min(6, int(heading[1]) + env['below'])}"


def _alignment(cell: Token) -> str | None:
    style = cell.attrs.get("style")
    return style if style in ("text-align:left", "text-align:center", "text-align:right") else None


def _text(_renderer: Any, tokens: Sequence[Token], idx: int, _options: Any, env: EnvType) -> str:
    content = sanitise(tokens[idx].content)
    if env["links"]:
        return escape(content, quote=False)
    pieces: list[str] = []
    at = 0
    for address in _BARE.finditer(content):
        link = join([_anchor(address[0]), address[0], closing("a")])
        pieces += [content[at : address.start()], link]
        at = address.end()
    return join([*pieces, content[at:]])


def _heading_open(
    _renderer: Any, tokens: Sequence[Token], idx: int, _options: Any, env: EnvType
) -> str:
    return opening(_lowered(tokens[idx].tag, env))


def _heading_close(
    _renderer: Any, tokens: Sequence[Token], idx: int, _options: Any, env: EnvType
) -> str:
    return closing(_lowered(tokens[idx].tag, env)) + "\n"


def _table_open(_renderer: Any, *_: Any) -> str:
    scroller = opening("div", class_="scroll", tabindex="0", role="group", aria_label="Table")
    return scroller + opening("table")


def _table_close(_renderer: Any, *_: Any) -> str:
    return closing("table") + closing("div") + "\n"


def _th_open(_renderer: Any, tokens: Sequence[Token], idx: int, *_: Any) -> str:
    return opening("th", scope="col", style=_alignment(tokens[idx]))


def _td_open(_renderer: Any, tokens: Sequence[Token], idx: int, *_: Any) -> str:
    return opening("td", style=_alignment(tokens[idx]))


def _link_open(
    _renderer: Any, tokens: Sequence[Token], idx: int, _options: Any, env: EnvType
) -> str:
    url = str(tokens[idx].attrs.get("href", ""))
    linked = _LINKS.match(url) is not None
    env["links"].append("a" if linked else "span")
    return _anchor(url) if linked else opening("span", title=url)


def _link_close(
    _renderer: Any, _tokens: Sequence[Token], _idx: int, _options: Any, env: EnvType
) -> str:
    return closing(env["links"].pop())


def _anchor(url: str) -> Markup:
    return opening("a", href=url, title=url, rel="noopener noreferrer nofollow")


def _image(_renderer: Any, tokens: Sequence[Token], idx: int, *_: Any) -> str:
    token = tokens[idx]
    url = str(token.attrs.get("src", ""))
    named = token.content or ("picture" if url.startswith("data:") else url)
    return tag("span", f"[picture: {named}]", title=url[:200])


def _fence(_renderer: Any, tokens: Sequence[Token], idx: int, _options: Any, env: EnvType) -> str:
    language = next(iter(tokens[idx].info.split()), "")
    return _colours(env).code(tokens[idx].content, language)


def _code_block(
    _renderer: Any, tokens: Sequence[Token], idx: int, _options: Any, env: EnvType
) -> str:
    return _colours(env).code(tokens[idx].content)


def _colours(env: EnvType) -> Colours:
    colours: Colours = env["colours"]
    return colours


def _code_inline(_renderer: Any, tokens: Sequence[Token], idx: int, *_: Any) -> str:
    return tag("code", tokens[idx].content)


_RULES: dict[str, Callable[..., str]] = {
    "text": _text,
    "heading_open": _heading_open,
    "heading_close": _heading_close,
    "table_open": _table_open,
    "table_close": _table_close,
    "th_open": _th_open,
    "td_open": _td_open,
    "link_open": _link_open,
    "link_close": _link_close,
    "image": _image,
    "fence": _fence,
    "code_block": _code_block,
    "code_inline": _code_inline,
}
"""How each type of token is written; the rest the library writes, escaped."""


@cache
def _parser(breaks: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": breaks})
    parser.enable(["table", "strikethrough"])
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    # Which links are links is decided where they are written (`link_open`), so that what is none
    # still shows its text.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - its hook
    return parser
