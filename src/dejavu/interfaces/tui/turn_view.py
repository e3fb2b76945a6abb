"""A turn as lines of a terminal: prose as markdown, calls and reasoning folded, changes in colour.

Strips are no wider than asked for, and sanitised after rendering. O(text), at most `_MARKDOWN`
characters of markdown and `_MOST` lines a part; the rest is counted.
"""

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import NamedTuple

from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text as RichText
from rich.theme import Theme
from textual.strip import Strip

from dejavu.export.changes import change_of, is_diff, line_kind
from dejavu.export.highlight import KINDS, pieces
from dejavu.export.parts import call_blocks, call_summary, label_and_body
from dejavu.model import Part, Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn, Vector
from dejavu.model.plural import counted
from dejavu.redact.sanitise import sanitise

from .formatting import moment_text, safe
from .markdown_view import QuietMarkdown

_MARKDOWN = 20_000
_MOST = 1_000
_MARK = {Role.USER: "❯", Role.ASSISTANT: "●", Role.TOOL: "└", Role.SYSTEM: "·"}
_INDENT = 2
_BADGE = 15
"""Cells of a time and a badge, and a space before them."""
_DIFF = {"file": "dim", "at": "at", "add": "added", "del": "removed"}
"""Styles of the lines of a diff by their kind."""
_MARKDOWN_STYLES = {
    "markdown.h1": "bold underline", "markdown.h2": "bold underline", "markdown.h3": "bold",
    "markdown.h4": "bold", "markdown.h5": "italic", "markdown.h6": "italic",
    "markdown.code_block": "none",
    "markdown.link": "underline", "markdown.item.bullet": "bold",
    "markdown.item.number": "bold",
}  # fmt: skip


class RenderOptions(NamedTuple):
    """How to draw: `width` in cells, and `styles` by the names that `conversation_view` lists.

    `unfolded` opens everything folded, `highlight` is marked.
    """

    width: int
    styles: Mapping[str, Style]
    unfolded: bool = False
    highlight: re.Pattern[str] | None = None


class TurnView:
    """Draws turns of one agent's conversation at one width."""

    def __init__(self, agent: str, options: RenderOptions) -> None:
        self._agent = safe(agent, 40)
        self._options = options
        self._room = max(8, options.width - _INDENT)
        self._kept_free = 0
        self._console = Console(
            file=StringIO(),
            width=self._room,
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
            theme=Theme(_markdown_styles(options.styles)),
            _environ={},
        )

    def lines(self, turn: Turn, *, unfolded: bool = False) -> list[Strip]:
        """All lines of a turn; the first carries who spoke, when, and how we know."""
        wide = unfolded or self._options.unfolded
        spoken = any(isinstance(part, Text) and part.content.strip() for part in turn.parts)
        body: list[Strip] = []
        for part in turn.parts:
            # Where nothing is said, the badge is on the first line of what was done.
            self._kept_free = 0 if spoken or body else _BADGE
            body += self._part(part, turn, wide)
        lead: list[Strip] = []
        # Steps between (calls, what tools said) follow one another closely, like a log.
        if spoken or not body:
            lead = [Strip([]), self._heading(turn)]
        elif body:
            first, body = body[0], body[1:]
            lead = [self._beside(list(first), turn)]
        return [self._fitted(strip) for strip in (*lead, *body)]

    def _style(self, name: str) -> Style:
        return self._options.styles.get(name, Style.null())

    def _fitted(self, strip: Strip) -> Strip:
        return strip.crop(0, self._options.width)

    def _heading(self, turn: Turn) -> Strip:
        name = {Role.USER: "You", Role.ASSISTANT: self._agent}.get(turn.role, str(turn.role))
        style = self._style("user" if turn.role is Role.USER else "assistant")
        start = [Segment(f"{_MARK[turn.role]} {name}", style)]
        if turn.model:
            start.append(Segment(f"  {safe(turn.model, 30)}", self._style("dim")))
        return self._beside(start, turn)

    def _beside(self, start: list[Segment], turn: Turn) -> Strip:
        """A line with the time, and the source where it is not the session file, at its right end."""
        label = "" if turn.vector is Vector.NATIVE else f" {turn.vector.label}"
        badge = Segment(label, self._style("screen" if turn.vector is Vector.SCREEN else "dim"))
        when = Segment(moment_text(turn.at, "%H:%M"), self._style("dim"))
        room = self._options.width - when.cell_length - badge.cell_length - 1
        return Strip([*Strip(start).adjust_cell_length(max(0, room)), Segment(" "), when, badge])

    def _part(self, part: Part, turn: Turn, wide: bool) -> Iterator[Strip]:
        match part:
            case Text(content=content):
                yield from self._prose(content, plain=_plain(turn))
            case ToolCall():
                yield from self._call(part, wide)
            case ToolCallResponse():
                yield from self._response(part, wide)
            case _:
                yield from self._aside(part, wide)

    def _prose(self, content: str, *, plain: bool) -> Iterator[Strip]:
        text = sanitise(content.strip("\n"))
        if not text.strip():
            return
        if plain or len(text) > _MARKDOWN:
            yield from self._rendered(RichText(text))
            return
        try:
            yield from _closer(list(self._rendered(QuietMarkdown(text))))
        except (RecursionError, ValueError, KeyError, IndexError):
            # Markdown no renderer can take is still text a person can read.
            yield from self._rendered(RichText(text))

    def _call(self, call: ToolCall, wide: bool) -> Iterator[Strip]:
        change = change_of(call.arguments)
        counts = f" (+{change.added} -{change.removed})" if change is not None else ""
        sign = "▾" if wide else "▸"
        name, _, gist = call_summary(call).partition(": ")
        yield self._line(
            (f"{sign} {safe(name, 60)}", "call"), (f"  {safe(gist)}", ""), (counts, "dim")
        )
        if wide and change is not None:
            yield from self._block("\n".join(change.lines), diff=True)
        elif wide:
            for block in call_blocks(call):
                yield from self._block(block.content, language=block.language)

    def _response(self, part: ToolCallResponse, wide: bool) -> Iterator[Strip]:
        body = label_and_body(part)[1].strip("\n")
        lines = body.count("\n") + 1
        first = safe(body.lstrip().partition("\n")[0]) or "(nothing)"
        more = f"  +{counted(lines - 1, 'line')}" if lines > 1 else ""
        style = "error" if part.is_error else "dim"
        yield self._line(("└ " + ("failed: " if part.is_error else ""), style), (first, style),
                         (more, "dim"))  # fmt: skip
        if wide and (lines > 1 or len(first) + 4 > self._room):
            yield from self._block(body, diff=is_diff(body))

    def _aside(self, part: Part, wide: bool) -> Iterator[Strip]:
        label, body = label_and_body(part)
        lines = body.strip().splitlines()
        gist = lines[0] if lines and not isinstance(part, Reasoning) else ""
        if isinstance(part, Reasoning):
            label, gist = "thinking", " ".join(lines[:2])
        sign = "▾" if wide else "▸"
        yield self._line((f"{sign} {safe(label, 60)}", "dim"), (f"  {safe(gist)}", "dim"))
        if wide and body.strip():
            yield from self._block(body)

    def _line(self, *pieces: tuple[str, str]) -> Strip:
        """One line, the second piece cut so that what follows it is seen."""
        text = RichText(" " * _INDENT, end="", no_wrap=True)
        after = sum(len(piece_text) for piece_text, _ in pieces[2:])
        for at, (piece_text, style) in enumerate(pieces):
            piece = RichText(piece_text, self._style(style), end="")
            if at == 1:
                room = self._options.width - text.cell_len - after - self._kept_free
                piece.truncate(max(4, room), overflow="ellipsis")
            text.append_text(piece)
        return Strip(self._highlighted(list(text.render(self._console))))

    def _block(self, body: str, *, language: str = "", diff: bool = False) -> Iterator[Strip]:
        """Text as it is, a bar at its left; changes and code in colour, a change's signs kept."""
        lines = sanitise(body[: _MOST * 400]).expandtabs(4).splitlines()
        for text in self._coloured(lines[:_MOST], language, diff=diff):
            for strip in self._rendered(text, self._room - 2):
                bar = [Segment(" " * _INDENT), Segment("│ ", self._style("dim"))]
                yield Strip([*bar, *list(strip)[1:]])
        if len(lines) > _MOST or len(body) > _MOST * 400:
            yield self._line(
                ("… ", "dim"), (f"{len(lines) - _MOST:,} more lines: o opens all", "dim")
            )

    def _coloured(self, lines: list[str], language: str, *, diff: bool) -> Iterator[RichText]:
        """The lines of a block, each in its colours."""
        if diff:
            for line in lines:
                style = self._style(_DIFF.get(line_kind(line), "block"))
                yield RichText(line, style, end="")
            return
        whole = RichText(style=self._style("block"), end="")
        for kind, text in pieces("\n".join(lines), language):
            whole.append(text, self._style(f"code-{kind}") if kind else None)
        yield from whole.split(allow_blank=True)

    def _rendered(self, what: RenderableType, width: int | None = None) -> Iterator[Strip]:
        options = self._console.options.update(width=width or self._room, height=None)
        for line in self._console.render_lines(what, options, pad=False):
            # Entities may have spelled new controls: nothing is drawn that was not looked at here.
            clean = [
                Segment(sanitise(segment.text, newlines=False), _unlinked(segment.style))
                for segment in line
                if not segment.control
            ]
            yield Strip([Segment(" " * _INDENT), *self._highlighted(clean)])

    def _highlighted(self, line: list[Segment]) -> list[Segment]:
        if self._options.highlight is None:
            return line
        text = RichText.assemble(*((s.text, s.style or "") for s in line), end="")
        if not text.highlight_regex(self._options.highlight, self._style("found")):
            return line
        return list(text.render(self._console))


def _markdown_styles(styles: Mapping[str, Style]) -> dict[str, str | Style]:
    """Return Rich's names of markdown's styles, in the colours of the theme."""
    dim = styles.get("dim", Style.null())
    return {
        **_MARKDOWN_STYLES,
        **{f"code.{kind}": styles.get(f"code-{kind}", Style.null()) for kind in KINDS},
        "markdown.code": styles.get("code", Style.null()),
        "markdown.link_url": Style(underline=True) + dim,
        "markdown.block_quote": Style(italic=True) + dim,
    }


def _closer(lines: list[Strip]) -> Iterator[Strip]:
    """No blank lines at the ends, and one at most between."""
    blank, begun = False, False
    for line in lines:
        if not line.text.strip():
            blank = begun
            continue
        if blank:
            yield Strip([])
        blank, begun = False, True
        yield line


def _plain(turn: Turn) -> bool:
    """People's prompts and screen text are not markdown: their lines stay as they are."""
    return turn.role is not Role.ASSISTANT or turn.vector is Vector.SCREEN


def _unlinked(style: Style | None) -> Style | None:
    return style.update_link(None) if style is not None and style.link else style
