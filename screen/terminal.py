"""The terminal: bytes in, changes out, snapshots on demand.

Bytes may be cut anywhere. Never raises on any bytes, has no clock and touches nothing. Cost:
O(bytes) a feed; what is kept is bounded by the size of the screen and the history asked for.
"""

from codecs import utf_8_decode

from .changes import Changes
from .dump import dump, mode_sequences
from .grid import Grid
from .history import History
from .program_status import ProgramStatus
from .row import Row
from .snapshot import Snapshot

_BLOCK = 1 << 15  # bytes interpreted at a time, which bounds the list of tokens


class Terminal:
    """A terminal of `columns` by `lines` that remembers `history` lines.

    `graphemes` puts emoji of several characters in one cell, as most agents count them and
    xterm.js and tmux do not (see drawing.py).
    """

    __slots__ = ("_bytes", "_grid")

    def __init__(
        self,
        columns: int = 80,
        lines: int = 24,
        *,
        history: int = 10_000,
        graphemes: bool = False,
    ) -> None:
        self._grid = Grid(max(1, columns), max(1, lines), max(0, history))
        self._grid.clustering = self._grid.graphemes = graphemes
        self._bytes = b""  # the start of a character that the end of a feed cut

    @property
    def columns(self) -> int:
        """The width in columns."""
        return self._grid.columns

    @property
    def lines(self) -> int:
        """The height in rows."""
        return self._grid.lines

    @property
    def history(self) -> History:
        """The lines that left the top of the main screen, oldest first; live."""
        return History(self._grid)

    @property
    def synchronized(self) -> bool:
        """True inside an update (?2026): snapshots show the frame before it."""
        return self._grid.updating()

    @property
    def program_status(self) -> tuple[ProgramStatus, ...]:
        """What programs report of themselves (OSC 7501): records by id, the root's (`""`) first."""
        return self._grid.records.listing()

    def program_exited(self) -> None:
        """Forget what the program reported to be at: its process has ended."""
        self._grid.records.drop_transient()

    def private_mode(self, number: int) -> bool:
        """Whether a DEC private mode is set, such as 2004 (bracketed paste)."""
        return self._grid.mode(number, private=True) == 1

    @property
    def keyboard_flags(self) -> int:
        """The flags of kitty's keyboard protocol that the program pushed; 0 where it did not."""
        return self._grid.screen.keyboard[-1]

    @property
    def at_ground(self) -> bool:
        """Whether no sequence or character is under way: what follows can be read on its own."""
        return not self._bytes and self._grid.at_ground()

    def modes(self) -> bytes:
        """Bytes that put another terminal into the modes that the program has set here."""
        return mode_sequences(self._grid).encode()

    def feed(self, data: bytes) -> Changes:
        """Interpret bytes; what they changed."""
        grid = self._grid
        before = grid.rows.copy()
        for start in range(0, len(data), _BLOCK):
            block = self._bytes + data[start : start + _BLOCK]
            text, used = utf_8_decode(block, "replace", False)
            self._bytes = block[used:]
            grid.write(text)
            grid.compact()
        return self._changes(before)

    def _changes(self, before: list[Row]) -> Changes:
        grid = self._grid
        rows = grid.rows
        if len(before) == len(rows):
            changed = [i for i, row in enumerate(rows) if row is not before[i] and row != before[i]]
        else:
            changed = list(range(len(rows)))
        left, events = grid.end_feed()
        main = grid.main.rows
        return Changes(tuple(changed), events, left, main[0], grid.palette, grid.clusters)

    def resize(self, columns: int, lines: int) -> Changes:
        """Another size: the main screen and history reflow, the alternate screen is cut."""
        grid = self._grid
        before = grid.rows.copy()
        if (columns, lines) != (grid.columns, grid.lines):
            before = []
            grid.resize(max(1, columns), max(1, lines))
        return self._changes(before)

    def snapshot(self) -> Snapshot:
        """What is shown now; inside an update, the last complete frame."""
        grid = self._grid
        return grid.frame if grid.updating() and grid.frame else grid.capture()

    def dump(self, *, history: bool = True) -> bytes:
        """Bytes that make a fresh terminal of this size equal to this one, history included.

        An update under way (?2026) is written as if it had ended.
        """
        return dump(self._grid, history=history).encode("utf-8", "replace")

    def replies(self) -> bytes:
        """What a terminal would have answered since the last call; a wrapper never sends it."""
        answers, self._grid.replies = self._grid.replies, ""
        return answers.encode("utf-8", "replace")
