"""Markdown that can be opened anywhere: no HTML, no image, no link but to http, https or mailto.

Agents and the web pages they read write markdown too. Where a text holds something active, it is
spelled so that a reader shows it as text; code stays as it is. Whatever the rewriting does, the
result is parsed again as CommonMark (HTML allowed), and a text that is still active after a few
rounds is fenced. Costs O(text) a round; a text without the characters in question is not parsed.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_ROUNDS = 4
_LONGEST = 200_000
"""Characters that are parsed; a longer text is no prose, and is fenced."""
_SUSPECT = re.compile(r"<[A-Za-z/!?]|\]\(|!\[|\]:|```|~~~")
_TAG = re.compile(r"<(?=[A-Za-z/!?])(?!(?:https?://|mailto:)[^\s<>\\]*>)", re.IGNORECASE)
_TARGET = re.compile(r"\](\(|:)(?=(\s{0,9}<?[^\s>)]{0,80}))")
"""What may be the beginning of a link's target, or of a definition's. Bounded, for texts of `](`."""
_ALLOWED = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_RUN = re.compile(r"`+")


def inert(text: str) -> str:
    """Return sanitised markdown with nothing active in it."""
    if not _SUSPECT.search(text):
        return text
    rewritten = text
    for _ in range(_ROUNDS):
        tokens, active = _parsed(rewritten)
        if tokens is None:
            break
        if not active:
            return _closed(rewritten)
        rewritten = _rewrite(rewritten, tokens)
    return fenced(text)


def is_inert(text: str) -> bool:
    """Whether nothing in a text is active: inert texts next to each other may be, in a list say."""
    return not _SUSPECT.search(text) or not _parsed(text)[1]


def _parsed(text: str) -> tuple[list[Token] | None, bool]:
    """Return the tokens of a text (None where it cannot be parsed) and whether any is active."""
    if len(text) > _LONGEST:
        return None, True
    env: dict[str, Any] = {}
    try:
        tokens = _parser().parse(text, env)
    except (ValueError, IndexError, RecursionError):
        return None, True  # a fault of the parser's on one text must not lose the export
    # A definition that nothing here refers to may be referred to elsewhere in the page.
    targets = [str(link["href"]) for link in env.get("references", {}).values()]
    targets_allowed = all(_is_allowed(target) for target in targets)
    return tokens, not targets_allowed or any(_is_active(token) for token in _flat(tokens))


def inert_line(text: str) -> str:
    """Return a line (of a heading, a list) with nothing active in it, code spans included."""
    return _spell(text)


def fenced(text: str) -> str:
    """Return text in a fence longer than any run of backticks inside, so that none can close it."""
    longest = max((len(run) for run in _RUN.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _closed(text: str) -> str:
    """Return text with its last fence closed: what follows in the page must not end up in it."""
    last = _parser().parse(f"{text}\n\n.")[-1]
    return f"{text}\n{last.markup}" if last.type == "fence" else text


def _is_allowed(target: str) -> bool:
    """Whether a link may lead there: to the web, by mail, or to a place without a scheme."""
    return _ALLOWED.match(target) is not None or ":" not in target.partition("/")[0]


def _is_active(token: Token) -> bool:
    if token.type == "link_open":
        return not _is_allowed(str(token.attrs.get("href", "")))
    return token.type in ("html_block", "html_inline", "image")


def _flat(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or ())


def _rewrite(text: str, tokens: list[Token]) -> str:
    """Return the text with what is active spelled as text, outside of blocks and spans of code."""
    code = {
        number
        for token in tokens
        if token.type in ("fence", "code_block") and token.map is not None
        for number in range(*token.map)
    }
    lines = text.split("\n")
    blocks: list[tuple[bool, list[str]]] = []
    for number, line in enumerate(lines):
        is_code = number in code
        if blocks and blocks[-1][0] == is_code:
            blocks[-1][1].append(line)
        else:
            blocks.append((is_code, [line]))
    return "\n".join(
        "\n".join(block) if is_code else _outside_spans("\n".join(block))
        for is_code, block in blocks
    )


def _outside_spans(text: str) -> str:
    """Return prose with everything rewritten but its code spans. O(text)."""
    runs = list(_RUN.finditer(text))
    later: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        later.setdefault(len(runs[number][0]), []).append(number)
    pieces: list[str] = []
    start = number = 0
    while number < len(runs):
        same = later[len(runs[number][0])]
        while same and same[-1] <= number:
            same.pop()
        closing = same[-1] if same else None
        if closing is None or "\n\n" in text[runs[number].end() : runs[closing].start()]:
            number += 1
            continue
        pieces.append(_spell(text[start : runs[number].start()]))
        pieces.append(text[runs[number].start() : runs[closing].end()])
        start, number = runs[closing].end(), closing + 1
    return "".join([*pieces, _spell(text[start:])])


def _spell(prose: str) -> str:
    def target(match: re.Match[str]) -> str:
        if _is_allowed(match[2].lstrip(" \t\n<")) and not set("&\\%") & set(
            match[2].partition("/")[0]
        ):
            return match[0]
        return "]&#40;" if match[1] == "(" else "]&#58;"

    return _TARGET.sub(target, _TAG.sub("&lt;", prose.replace("![", "&#33;[")))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True})
    parser.enable(["table", "strikethrough"])
    # Others' readers may follow what this library would not.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - its hook
    return parser
