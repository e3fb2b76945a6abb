"""What a terminal remembers: rows, cursor, margins, modes. The layers above are its verbs.

A row is an immutable triple `(cells, attributes, flags)`: two strings of one length with one
character a column, and whether the row continues the one above it (see row.py). The strings may
be shorter than the screen: what is missing was never written, or was erased with no colour. As
rows are immutable, a snapshot is a tuple of them, a row has changed when it is another object,
and history keeps the very rows that left the screen.

The layers, each a subclass of the one before and each in its own file: `State`, `Editing`,
`Drawing`, `Graphemes`, `CursorMovement`, `Modes`, `DeviceReports`, `StringSequences`, `Resize`,
`Grid`. They are one object cut into files, not a hierarchy of types: a control function is a plain
method call on slots at hand. With collaborators every draw, wrap and erase would go through one
more attribute look-up and call, in the loop that all bytes go through. Public methods are control
functions under pyte's names, so a stock `pyte.Stream` can drive a `Grid`; counts of 0 mean 1, as on
the wire.

`SynchronizedUpdate` (DEC mode 2026) says when an update that was never closed is over, judged by the
text a program wrote since it opened it: is it still painting? Real terminals end a forgotten update by
a timer. Here there is no clock, so an update is over when the program does what no painter does in
mid-frame: it asks, rings, names the window, edits by insertion or tabs, or goes over the screen again
and again. In our recordings of agents some 7,000 updates hold only what is allowed here, and go back
up the screen four times at most. Cost: O(length), and only when a snapshot is asked for inside one.
"""

import re
from collections import deque
from collections.abc import Callable

from .attributes import DEFAULT, Palette
from .changes import Event
from .program_status import StatusRecords
from .row import BLANK, EMPTY, Clusters, Row
from .snapshot import RowTexts, Snapshot

PASSES = 8  # times a frame may go back up the screen
SIZE = 1 << 20  # characters a frame may take

_POSITION = re.compile(r"\x1b\[([0-9]*)[;0-9]*[Hf]")
_PAINTING = re.compile(
    r"(?:[^\x00-\x1f\x7f]++|[\r\n]"  # text and new lines
    r"|\x1b\[[0-9;:]*+[A-DGHJKXdfmr]"  # positions, erasures, style, margins
    r"|\x1b\[\?(?:25|2026)[hl]|\x1b\[[0-9]*+ q"  # the cursor's look
    r"|\x1b\](?:8|12|112|133)[;\x07\x1b][^\x07\x1b]*+\x07?|\x1bM|\x1b\\)*+"
)


class SynchronizedUpdate:
    """The text of an update under way, judged only when someone wants to know."""

    __slots__ = ("_passes", "_row", "_size", "_unread")

    def __init__(self) -> None:
        self._passes = self._row = self._size = 0
        self._unread: list[str] = []

    def append(self, text: str) -> None:
        """More of the program's text; an update opened in it restarts the account."""
        opening = text.rfind("2026h")
        if opening >= 0:
            self._passes = self._row = self._size = 0
            self._unread = [text[opening + 5 :]]
        elif self._size <= SIZE:
            self._unread.append(text)
        self._size += len(text)

    def is_open(self) -> bool:
        """Whether all of it is the painting of one frame."""
        text = "".join(self._unread)
        self._unread = []
        for position in _POSITION.finditer(text):
            row = int(position[1][:5] or 1)
            self._passes += row < self._row
            self._row = row
        if self._size > SIZE or not _PAINTING.fullmatch(text):
            self._passes = PASSES + 1  # and so it stays
        return self._passes <= PASSES


TAB_WIDTH = 8
REPLIES_LIMIT = 1 << 16  # characters kept until they are collected
SCROLLED_LIMIT = 1 << 17  # lines one feed reports; nine bytes (REP) can scroll a whole screen off


class SavedCursor:
    """What DECSC saves: cursor, style, charsets and origin mode. One slot a screen."""

    __slots__ = ("charset", "charsets", "origin", "style", "x", "y")

    def __init__(self) -> None:
        self.x = self.y = self.style = self.charset = 0
        self.charsets = "BBBB"
        self.origin = False


class Screen:
    """What each of the two screens, main and alternate, has for itself."""

    __slots__ = ("bottom", "keyboard", "rows", "saved", "top", "y")

    def __init__(self, lines: int) -> None:
        self.rows: list[Row] = [BLANK] * lines
        self.top, self.bottom = 0, lines - 1
        self.y = 0  # the cursor's row when the other screen was entered
        self.saved = SavedCursor()
        self.keyboard: list[int] = [0]  # kitty keyboard flags, the last is in force


class State:
    """The fields. `x` may be `columns`: the line is full and the next character wraps."""

    __slots__ = (
        "alternate",
        "autowrap",
        "bottom",
        "charset",
        "charsets",
        "clustering",
        "clusters",
        "columns",
        "cursor_shape",
        "cursor_visible",
        "events",
        "fast_path",
        "frame",
        "graphemes",
        "history",
        "insert",
        "last",
        "lines",
        "main",
        "modes",
        "newline",
        "notification",
        "origin",
        "palette",
        "pen",
        "records",
        "replies",
        "rows",
        "screen",
        "scrolled",
        "style",
        "tabs",
        "texts",
        "title",
        "titles",
        "top",
        "update",
        "wiped_rows",
        "x",
        "y",
    )

    def __init__(self, columns: int, lines: int, history: int) -> None:
        self.columns, self.lines = columns, lines
        self.palette, self.clusters = Palette(), Clusters()
        self.texts = RowTexts()  # of the snapshots, which share it
        self.history: deque[Row] = deque(maxlen=history)
        self.scrolled: list[Row] = []  # rows that left the main screen in this feed ...
        self.wiped_rows = 0  # ... of which so many are no longer to go to history
        self.events: list[Event] = []
        self.replies = ""
        self.update = SynchronizedUpdate()
        self.clustering = self.graphemes = False  # see drawing.py
        self.records = StatusRecords()  # see program_status.py
        self.hard_reset()

    def hard_reset(self) -> None:
        """Everything RIS resets: all but size, history, and what is owed to the caller."""
        self.main, self.alternate = Screen(self.lines), Screen(self.lines)
        self.activate(self.main)
        self.x: int = 0
        self.y: int = 0
        self.tabs = set(range(TAB_WIDTH, self.columns, TAB_WIDTH))
        self.title = ""
        self.titles: list[str] = []
        self.notification = ""  # the pieces of one (OSC 99) so far
        self.records.clear()
        self.frame: Snapshot | None = None  # shown while an update is under way (?2026)
        self.soft_reset_state()

    def soft_reset_state(self) -> None:
        """What DECSTR resets as well: modes, style and charsets."""
        self.style, self.pen = 0, self.palette.intern(0)
        self.modes: set[int] = set()  # the DEC private modes that only DECRQM asks for
        self.insert = self.newline = self.origin = False
        self.autowrap = self.cursor_visible = True
        self.cursor_shape = 0
        self.charset, self.charsets = 0, "BBBB"
        self.last = ""  # what REP repeats: the cells just drawn, "" after any control
        self.fast_path = True  # nothing prevents drawing straight into the row

    def activate(self, screen: Screen) -> None:
        """Make a screen the active one; its rows and margins are at hand as fields of ours."""
        self.screen = screen
        self.rows, self.top, self.bottom = screen.rows, screen.top, screen.bottom

    def update_fast_path(self) -> None:
        """Set `fast_path` after a change of insert mode, autowrap or charset."""
        self.fast_path = self.autowrap and not self.insert and self.charsets[self.charset] == "B"

    def reply(self, answer: str) -> None:
        """An answer to the program; past the bound it is dropped."""
        if len(self.replies) < REPLIES_LIMIT:
            self.replies += answer

    def updating(self) -> bool:
        """Whether an update (?2026) is under way, and not just one that was never closed."""
        return self.frame is not None and self.update.is_open()

    def capture(self) -> Snapshot:
        """The screen as it is now: O(lines), no text is made until someone reads it."""
        return Snapshot(
            self.columns,
            tuple(self.rows),
            self.palette,
            self.clusters,
            cursor=(self.y, min(self.x, self.columns - 1)),
            cursor_visible=self.cursor_visible,
            title=self.title,
            alternate=self.screen is self.alternate,
            texts=self.texts,
        )

    def end_feed(self) -> tuple[list[Row], tuple[Event, ...]]:
        """End of a feed: history gets what scrolled off; the rows and events of this feed."""
        left, events = self.scrolled, tuple(self.events)
        if left:
            self.history.extend(left[self.wiped_rows :] if self.wiped_rows else left)
            self.scrolled = []
        if events:
            self.events = []
        self.wiped_rows = 0
        return left, events

    def compact(self) -> None:
        """Between blocks: make room in the tables before the next block could fill them.

        What no row uses goes. Where the lines that left the screen fill a table by themselves, the
        older ones lose their styles (or marks): text and bounded memory matter more than the
        colours of long ago. Cost: O(cells), once in thousands of new styles.
        """
        excess = len(self.scrolled) - SCROLLED_LIMIT
        if excess > 0:
            self.history.extend(self.scrolled[self.wiped_rows : excess])
            del self.scrolled[:excess]
            self.wiped_rows = max(0, self.wiped_rows - excess)
        if self.palette.nearly_full:
            used = self._used(
                {self.pen}, lambda row: row[1], self.palette.capacity, _without_styles
            )
            self.palette = self.palette.retain(used)
        if self.clusters.nearly_full:
            texts = self.clusters.texts

            def without_marks(row: Row) -> Row:
                return "".join([texts.get(cell, cell)[0] for cell in row[0]]), row[1], row[2]

            used = self._used(
                {EMPTY, *self.last}, lambda row: row[0], self.clusters.capacity, without_marks
            )
            self.clusters = self.clusters.retain(used)

    def _used(
        self, used: set[str], part: Callable[[Row], str], room: int, simplify: Callable[[Row], Row]
    ) -> set[str]:
        """The characters in a part of all rows; past lines that use more than `room` are faded."""
        for row in (*self.main.rows, *self.alternate.rows):
            used.update(part(row))
        past = [*self.history, *self.scrolled]
        older, in_history = len(past), len(self.history)
        while older and len(used) <= room:
            older -= 1
            used.update(part(past[older]))
        if older:
            past[:older] = map(simplify, past[:older])
            self.history = deque(past[:in_history], maxlen=self.history.maxlen)
            self.scrolled = past[in_history:]
        return used


def _without_styles(row: Row) -> Row:
    return row[0], DEFAULT * len(row[1]), row[2]
