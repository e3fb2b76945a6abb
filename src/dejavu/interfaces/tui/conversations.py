"""The list of conversations: by day, or below their projects, instances or agents.

Summaries are read in pages, as far as one scrolls, turns never. Listing places reads every summary
once, in a thread. O(rows scrolled past).
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Resize
from textual.worker import get_current_worker

from dejavu.config import clock
from dejavu.model import Conversation
from dejavu.model.plural import counted

from .archive_reader import ArchiveReader, Filters, OriginCount
from .formatting import day_or_time, last_moment, safe, short_path, title_of
from .outline import ConversationRow, Day, Group, Outline
from .rows import Rows
from .tabs import TABS, tab_at, titled


class Conversations(Rows):
    """The list on the left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", "Select", show=False),
        Binding("right,l", "unfold(True)", "Open", show=False),
        Binding("left,h", "unfold(False)", "Close", show=False),
        Binding("right_square_bracket", "tab(1)", "Next list", show=False),
        Binding("left_square_bracket", "tab(-1)", "Previous list", show=False),
    ]

    def __init__(self, reader: ArchiveReader, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._reader = reader
        self._outline = Outline(self._scan)
        self._origins: list[OriginCount] | None = None
        self.filters: Filters = {}
        self.selected: dict[str, None] = {}
        self.active = 0
        self._complete()

    def _scan(self, filters: Filters) -> Iterator[Conversation]:
        return self._reader.summaries(filters)

    # -- what is listed

    def show(self, *, tab: int | None = None, filters: Filters | None = None) -> None:
        """List from the beginning: another tab, another filter, or what came in since."""
        self.active = self.active if tab is None else tab % len(TABS)
        self.filters = self.filters if filters is None else filters
        self._origins = None
        self._fill()
        self.cursor = 0
        self.scroll_to(y=0, animate=False)
        with self.prevent(self.Moved):
            self.stand(0)

    def refresh_rows(self) -> None:
        """What came in since, while the reader stays where they are."""
        if self.active:
            return
        before, line = self._outline.rows, self.top(self.cursor) - int(self.scroll_y)
        at_beginning = self.scroll_y <= 1  # a heading may have been scrolled past
        here = before[self.cursor] if self.cursor < len(before) else None
        self._outline.by_day(self.filters, clock.now(), at_least=self.cursor + 1)
        self.resized()
        if self.cursor >= self.length():  # the last ones were deleted
            with self.prevent(self.Moved):
                self.cursor = 0
                self.stand(self.length() - 1, -1)
        if not self.length():
            self._complete()
            return
        index = self._outline.find(here.summary.id) if isinstance(here, ConversationRow) else None
        with self.prevent(self.Moved):
            self.stand(self.cursor if index is None else index)
        # At its beginning the list shows what is new, as long as the cursor stays in view.
        hidden = self.top(self.cursor + 1) - self.scrollable_content_region.height
        y = max(0, hidden) if at_beginning else self.top(self.cursor) - line
        self.scroll_to(y=y, animate=False)
        self._complete()

    def _fill(self) -> None:
        kind = TABS[self.active].kind
        if not kind:
            self._outline.by_day(self.filters, clock.now())
        elif self._origins is None:
            self._outline.by_origin(kind, self.filters, (), clock.now())
            self._look()
        else:
            inside = [
                entry
                for entry in self._origins
                if all(getattr(entry, field) == name for field, name in self.filters.items())
            ]
            self._outline.by_origin(kind, self.filters, inside, clock.now())
        self._complete()
        self.resized()

    @work(thread=True, exclusive=True, group="places")
    def _look(self) -> None:
        origins = self._reader.origins()
        if not get_current_worker().is_cancelled:
            self.app.call_from_thread(self._show_origins, origins)

    def _show_origins(self, origins: list[OriginCount]) -> None:
        self._origins = origins
        self._fill()
        with self.prevent(self.Moved):
            self.stand(0)

    def _complete(self) -> None:
        """The border: which tab, which filter, how many."""
        self.border_title = titled(self.active, self.size.width - 6 if self.size.width else 99)
        count, more = self._outline.total()
        groups = sum(isinstance(row, Group) and not row.depth for row in self._outline.rows)
        if self.active and not groups:
            total = "counting" if self._origins is None else "none"
        elif self.active:
            total = f"{groups:,}"
        else:
            total = f"{count:,}{'+' if more else ''}" if count else "none"
        only = " · ".join(short_path(name) for name in self.filters.values())
        self.border_subtitle = Content(f"only {only} · {total}" if only else total)

    # -- rows

    def summary(self, index: int) -> Conversation | None:
        """The conversation of a row, if it is one."""
        row = self._outline.rows[index]
        return row.summary if isinstance(row, ConversationRow) else None

    def length(self) -> int:
        """Rows loaded so far."""
        return len(self._outline.rows)

    def top(self, index: int) -> int:
        """The first line of a row."""
        return self._outline.top(index)

    def at(self, line: int) -> int:
        """The row that a line is of."""
        return self._outline.at(line)

    def selectable(self, index: int) -> bool:
        """Headings are passed over."""
        return isinstance(self._outline.rows[index], ConversationRow | Group)

    def approach(self, index: int) -> None:
        """Load another page when its beginning is near."""
        if self._outline.approach(index):
            self._complete()
            self.resized()

    def row(self, index: int, width: int) -> list[Text]:
        """A heading, a place with its count, or a conversation's title and facts."""
        row = self._outline.rows[index]
        lead = " " * (1 + 2 * row.depth)
        if isinstance(row, ConversationRow) and row.summary.id in self.selected:
            lead = f"{lead[:-1]}✓"
        if isinstance(row, Day):
            return [Text.assemble(lead, (row.label, self.look("heading")))]
        if isinstance(row, Group):
            return [self._group(row, lead, width)]
        return (
            self._conversation_lines(row.summary, lead, width)
            if isinstance(row, ConversationRow)
            else []
        )

    def _group(self, group: Group, lead: str, width: int) -> Text:
        kind = group.filters[-1][0]
        name = short_path(group.name) if kind == "project" else safe(group.name, 60) or "-"
        count = f"{group.conversations:,} "
        text = Text.assemble(f"{lead}{'▾' if group.opened else '▸'} ", (name, self.look("strong")))
        above = safe(group.name, 300).rpartition("/")[0] if kind == "project" else ""
        if above:
            text.append(f"  {above}", self.look("dim"))
        text.truncate(max(4, width - len(count) - 1), overflow="ellipsis", pad=True)
        return text.append(" ").append(count, self.look("dim"))

    def _conversation_lines(self, summary: Conversation, lead: str, width: int) -> list[Text]:
        dim = self.look("dim")
        when = day_or_time(last_moment(summary), clock.now())
        title = Text(title_of(summary), end="", no_wrap=True)
        room = width - len(lead) - len(when) - 2
        title.truncate(max(4, room), overflow="ellipsis", pad=True)
        shared = {kind for kind in self._known() if kind}
        facts = [
            *([] if "agent" in shared else [safe(summary.agent, 20)]),
            *([] if "project" in shared else [short_path(summary.place)]),
            *([] if summary.instance == "local" else [safe(summary.instance, 20)]),
            counted(summary.turn_count, "turn"),
        ]
        return [
            Text.assemble(lead, title, " ", (when, dim)),
            Text.assemble(" " * len(lead), (" · ".join(facts), dim)),
        ]

    def _known(self) -> tuple[str, ...]:
        """What every row says already, by its tab or the filter."""
        return (TABS[self.active].kind, *self.filters)

    # -- keys and mouse

    def action_select(self) -> None:
        """Select the conversation under the cursor, or take it back, and go on."""
        if self.cursor < self.length() and (summary := self.summary(self.cursor)) is not None:
            if summary.id in self.selected:
                del self.selected[summary.id]
            else:
                self.selected[summary.id] = None
            self.refresh()
            self.action_move(1)

    def action_tab(self, by: int) -> None:
        """The next or previous list."""
        self.show(tab=self.active + by)

    def action_unfold(self, opened: bool) -> None:
        """Open the place under the cursor; or close it, or go to the one it is below of."""
        row = self._outline.rows[self.cursor] if self.cursor < self.length() else None
        if isinstance(row, Group) and row.opened is not opened:
            self._toggle(self.cursor)
        elif not opened and (above := self._outline.parent(self.cursor)) is not None:
            self.stand(above)

    def _toggle(self, index: int) -> None:
        self._outline.toggle(index)
        self._complete()
        self.resized()

    def action_choose(self) -> None:
        """Read the conversation under the cursor, or open the place."""
        if self.cursor < self.length() and self.summary(self.cursor) is None:
            self._toggle(self.cursor)
        else:
            super().action_choose()

    def on_click(self, event: Click) -> None:
        """A name in the border opens its list."""
        if event.y:
            super().on_click(event)
        else:
            tab = tab_at(event.x - 3, self.active, self.size.width - 6)
            if tab != self.active:
                self.show(tab=tab)

    def on_resize(self, _event: Resize) -> None:
        """The names of the tabs may not fit any more."""
        self._complete()
