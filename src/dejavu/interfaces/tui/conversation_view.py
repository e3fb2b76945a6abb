"""One conversation, turn by turn: a virtual list whose turns are loaded and drawn when shown.

Keeps a few windows of turns and the lines of a few hundred. When the true height of a turn becomes
known (`turn_layout`), what the reader looks at stays where it is. Scrolling costs O(turns shown)
drawing and O(turns) additions.
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from re import Pattern
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Resize
from textual.geometry import Size
from textual.strip import Strip

from dejavu.export.highlight import KINDS
from dejavu.model import Conversation, Role, Turn
from dejavu.model.plural import counted

from .finding_pane import Fetch
from .formatting import moment_text, safe, short_path, title_of
from .motions import MotionPane
from .turn_layout import TurnLayout

_WINDOW = 64
_WINDOWS = 8
_DRAWN = 400
_GUTTER = 2
_STYLES = ("user", "assistant", "call", "dim", "block", "error", "screen", "added", "removed",
           "at", "code", "found", *(f"code-{kind}" for kind in KINDS))  # fmt: skip

if TYPE_CHECKING:
    from .turn_view import (  # draws markdown: loaded with the first conversation
        RenderOptions,
        TurnView,
    )


class ConversationView(MotionPane):
    """The conversation on the right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "turn(1)", "Turn", key_display="j/k"),
        Binding("k,p", "turn(-1)", "Previous turn", show=False),
        Binding("right_square_bracket", "prompt(1)", "Next prompt", show=False),
        Binding("left_square_bracket", "prompt(-1)", "Previous prompt", show=False),
        Binding("enter,space", "unfold", "Unfold", key_display="⏎"),
        Binding("f", "unfold_all", "Unfold all", show=False),
        Binding("ctrl+f", "scroll_pages(1)", "Page down", show=False),
        Binding("ctrl+b", "scroll_pages(-1)", "Page up", show=False),
        Binding("ctrl+d", "scroll_pages(0.5)", "Half a page down", show=False),
        Binding("ctrl+u", "scroll_pages(-0.5)", "Half a page up", show=False),
        Binding("home,g", "edge(0)", "First turn", show=False),
        Binding("end,G", "edge(-1)", "Last turn", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "conversation--gutter", *(f"conversation--{name}" for name in _STYLES)
    }  # fmt: skip
    DEFAULT_CSS = """
    ConversationView {
        & > .conversation--gutter { color: $accent; }
        & > .conversation--user { color: $accent; text-style: bold; }
        & > .conversation--assistant { color: $success; text-style: bold; }
        & > .conversation--call { text-style: bold; }
        & > .conversation--dim { color: $dim; }
        & > .conversation--code { color: $accent; text-style: bold; }
        & > .conversation--error { color: $error; }
        & > .conversation--screen { color: $warning; }
        & > .conversation--added { color: $success; }
        & > .conversation--removed { color: $error; }
        & > .conversation--at { color: $accent; }
        & > .conversation--code-keyword { color: $accent; }
        & > .conversation--code-string { color: $success; }
        & > .conversation--code-comment { color: $dim; text-style: italic; }
        & > .conversation--code-number { color: $warning; }
        & > .conversation--code-name { text-style: bold; }
        & > .conversation--found { color: $warning; text-style: bold underline; }
    }
    ConversationView:ansi > .conversation--dim { text-style: dim; }
    """

    def __init__(self, fetch: Fetch, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.fetch = fetch
        self._unfolded: set[int] = set()
        self._all = False
        self._windows: dict[int, Sequence[Turn]] = {}
        self._drawn: dict[int, list[Strip]] = {}
        self._turn_layout = TurnLayout()
        self._view: TurnView | None = None
        self._settling = False

    def show(
        self, summary: Conversation, seq: int = 0, pattern: Pattern[str] | None = None
    ) -> None:
        """Show a conversation from turn `seq` on; `found` is highlighted."""
        if self.summary is None or self.summary.id != summary.id:
            self._unfolded, self._all = set(), False
        self.pattern = pattern
        self._set_titles(summary)
        self._windows.clear()
        self.current = max(0, min(seq, summary.turn_count - 1))
        self.redraw()

    def grow(self, summary: Conversation) -> None:
        """The same conversation, as it is now: the place stays; who is at the end follows."""
        if self.summary is None or summary.id != self.summary.id or summary == self.summary:
            return
        following = len(self._turn_layout) and self.scroll_y >= self.max_scroll_y
        same = summary.turn_count >= self.summary.turn_count
        self._set_titles(summary)
        self._windows.clear()
        self._drawn.clear()
        if not same or not len(self._turn_layout):
            self.current = max(0, min(self.current, summary.turn_count - 1))
            self.redraw()
            return
        self._turn_layout.grow(summary.turn_count)
        self._measured()
        if following:
            self.action_edge(-1)
        else:
            self._settle()

    def _set_titles(self, summary: Conversation) -> None:
        """The border: what it is called; where, when and how much."""
        self.summary = summary
        self.border_title = Content(title_of(summary))
        facts = [safe(summary.agent, 20), short_path(summary.place), safe(summary.instance, 20)]
        facts += [moment_text(summary.started_at), counted(summary.turn_count, "turn")]
        self.border_subtitle = Content(" · ".join(fact for fact in facts if fact))

    def turn(self, seq: int) -> Turn | None:
        """A turn, loaded with its window; None where the archive has it no more."""
        first = seq - seq % _WINDOW
        if first not in self._windows and self.summary is not None:
            while len(self._windows) >= _WINDOWS:
                del self._windows[next(iter(self._windows))]
            self._windows[first] = self.fetch(self.summary.id, first, first + _WINDOW)
        window = self._windows.get(first, ())
        return window[seq - first] if seq - first < len(window) else None

    def _options(self) -> "RenderOptions":
        from .turn_view import RenderOptions

        styles = {
            name: self.get_component_rich_style(f"conversation--{name}", partial=True)
            for name in _STYLES
        }
        width = max(20, self.scrollable_content_region.width - _GUTTER)
        return RenderOptions(width, styles, self._all, self.pattern)

    def redraw(self) -> None:
        """Everything again, from the current turn on."""
        if self.summary is None or not self.size.width:
            return
        from .turn_view import TurnView

        self._view = TurnView(self.summary.agent, self._options())
        self._drawn.clear()
        self._turn_layout = TurnLayout(self.summary.turn_count)
        self._measured()
        self._reveal(self.current)

    def _measured(self) -> None:
        self._turn_layout.measure()
        self.virtual_size = Size(0, self._turn_layout.lines)

    def _lines(self, seq: int) -> list[Strip]:
        """The lines of a turn, drawn if they are not."""
        if seq not in self._drawn and self._view is not None:
            while len(self._drawn) >= _DRAWN:
                del self._drawn[next(iter(self._drawn))]
            turn = self.turn(seq)
            lines = [] if turn is None else self._view.lines(turn, unfolded=seq in self._unfolded)
            self._drawn[seq] = lines
        return self._drawn.get(seq, [])

    def _settle(self, anchor: int | None = None) -> None:
        """Draw what is to be seen and a screen around it; the anchor's place does not change."""
        if self._settling or not len(self._turn_layout):
            return
        self._settling = True
        try:
            height = max(1, self.scrollable_content_region.height)
            y = self.scroll_y
            shown = range(self._turn_layout.at(y), self._turn_layout.at(y + height) + 1)
            if anchor is None:
                anchor = next((seq for seq in shown if seq in self._drawn), shown.start)
            offset = y - self._turn_layout.top(anchor)
            changed = self._draw_from(shown.start, 2 * height)
            changed |= self._draw_before(shown.start, height)
            if changed:
                self._measured()
                self.scroll_to(
                    y=self._turn_layout.top(anchor) + offset,
                    animate=False,
                    immediate=True,
                    force=True,
                )
        finally:
            self._settling = False
        self.refresh()

    def _draw_from(self, seq: int, room: int) -> bool:
        changed = False
        while room > 0 and seq < len(self._turn_layout):
            changed |= self._draw(seq)
            room -= self._turn_layout.height(seq)
            seq += 1
        return changed

    def _draw_before(self, seq: int, room: int) -> bool:
        changed = False
        while room > 0 and seq > 0:
            seq -= 1
            changed |= self._draw(seq)
            room -= self._turn_layout.height(seq)
        return changed

    def _draw(self, seq: int) -> bool:
        """Draw a turn; True if its height is not what was thought."""
        return self._turn_layout.set_height(seq, len(self._lines(seq)))

    def _reveal(self, seq: int) -> None:
        """Bring the beginning of a turn to the top of the screen."""
        if not len(self._turn_layout):
            self.refresh()
            return
        height = max(1, self.scrollable_content_region.height)
        if self._draw_from(seq, 2 * height) | self._draw_before(seq, height):
            self._measured()
        self.scroll_to(y=self._turn_layout.top(seq), animate=False, immediate=True, force=True)
        self._settle()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw what comes into view; the current turn stays among the visible ones."""
        super().watch_scroll_y(old_value, new_value)
        self._settle()
        height = self.scrollable_content_region.height
        if len(self._turn_layout) and not self._settling:
            low, high = (
                self._turn_layout.at(self.scroll_y),
                self._turn_layout.at(self.scroll_y + height - 1),
            )
            self.current = max(low, min(self.current, high))

    def on_resize(self, _event: Resize) -> None:
        """Another width is another drawing."""
        self.redraw()

    def notify_style_update(self) -> None:
        """A theme changed: colours are in the lines."""
        super().notify_style_update()
        if self.is_mounted and self._view is not None:
            self.redraw()

    def render_line(self, y: int) -> Strip:
        """One line of what is on the screen."""
        width = self.scrollable_content_region.width
        base = self.rich_style
        line = y + self.scroll_offset.y
        if not len(self._turn_layout) or line >= self._turn_layout.lines:
            return Strip.blank(width, base)
        seq = self._turn_layout.at(line)
        lines, inner = self._lines(seq), line - self._turn_layout.top(seq)
        body = lines[inner] if inner < len(lines) else Strip([])
        # The blank line before a turn belongs to none.
        own = inner < len(lines) and (inner > 0 or bool(body.text))
        here = own and seq == self.current and self.has_focus
        style = self.get_component_rich_style("conversation--gutter", partial=True)
        strip = Strip([Segment("▌ " if here else "  ", style), *body])
        return strip.adjust_cell_length(width).apply_style(base)

    def on_focus(self) -> None:
        """The current turn is shown with the focus only."""
        self.refresh()

    def on_blur(self) -> None:
        """As above; a number that was typed is forgotten."""
        self.take_count()
        self.refresh()

    def action_turn(self, by: int) -> None:
        """Go to another turn; it is brought to the top unless all of it is in view."""
        by *= self.take_count() or 1
        if len(self._turn_layout):
            self.go(max(0, min(self.current + by, len(self._turn_layout) - 1)))

    def go(self, seq: int) -> None:
        """Make `seq` the current turn and show it."""
        height = self.scrollable_content_region.height
        top, bottom = self._turn_layout.top(seq), self._turn_layout.top(seq + 1)
        is_visible = (
            seq in self._drawn and self.scroll_y <= top and bottom <= self.scroll_y + height
        )
        if not is_visible:
            self._reveal(seq)
        self.current = seq
        self.refresh()

    def action_prompt(self, by: int) -> None:
        """Go to the next or previous thing a person said."""
        left, seq, found = self.take_count() or 1, self.current + by, None
        while left and 0 <= seq < len(self._turn_layout):
            turn = self.turn(seq)
            if turn is not None and turn.role is Role.USER and turn.text.strip():
                left, found = left - 1, seq
            seq += by
        if found is not None:
            self.go(found)

    def reveal_found(self, seq: int, *, folded: bool) -> None:
        """Go to a turn that was found, opened where what was found is folded away."""
        if folded and seq not in self._unfolded:
            self._unfolded.add(seq)
            self._drawn.pop(seq, None)
        self.go(seq)

    def action_edge(self, seq: int) -> None:
        """Go to the first turn, or the last; with a count to that turn, counted from 1."""
        count, turns = self.take_count(), len(self._turn_layout)
        if turns:
            self.jump(min(count, turns) - 1 if count else seq % turns)
            if seq and not count:
                self.scroll_end(animate=False, immediate=True, force=True)
                self.current = len(self._turn_layout) - 1

    def action_scroll_pages(self, by: float) -> None:
        """Scroll `by` screens down."""
        by *= self.take_count() or 1
        lines = int(by * max(2, self.scrollable_content_region.height))
        self.scroll_relative(y=lines, animate=False, immediate=True)

    def action_unfold(self) -> None:
        """Open or close what is folded in the current turn."""
        if len(self._turn_layout):
            self._unfolded ^= {self.current}
            self._drawn.pop(self.current, None)
            seq = self.current
            self._settle(anchor=seq)
            self.current = seq

    def action_unfold_all(self) -> None:
        """Open or close everything folded."""
        self._all = not self._all
        self._unfolded.clear()
        self.redraw()

    def on_click(self, event: Click) -> None:
        """A click makes a turn the current one; another opens what is folded in it."""
        at = event.get_content_offset(self)
        if (
            at is None
            or not len(self._turn_layout)
            or at.y + self.scroll_offset.y >= self._turn_layout.lines
        ):
            return
        seq = self._turn_layout.at(at.y + self.scroll_offset.y)
        if seq == self.current and event.chain != 2:
            self.action_unfold()
        self.current = seq
        self.refresh()
