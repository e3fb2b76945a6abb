"""What a terminal answers when a program asks: kept until `replies()` collects it.

The answers are those of a VT220-class, truecolour, xterm-like terminal. The wrapper
never sends them (the real terminal answers); a headless run may. Cost: O(1) a query.
"""

from .drawing import GRAPHEME_MODE
from .modes import Modes
from .tables import graphics

NAME = "dejavu"
_FOREGROUND, _BACKGROUND = "rgb:e5e5/e5e5/e5e5", "rgb:0000/0000/0000"
# Capabilities XTGETTCAP is asked for by agents' toolkits.
_CAPABILITIES = {"TN": "xterm-256color", "Co": "256", "colors": "256", "RGB": "8/8/8", "Tc": ""}


def _rgb(index: int) -> str:
    """The XParseColor form of a palette index."""
    color = graphics.FG_BG_256[index]
    return "rgb:" + "/".join(color[at : at + 2] * 2 for at in (0, 2, 4))


class DeviceReports(Modes):
    """Everything that answers."""

    __slots__ = ()
    DEVICE_ATTRIBUTES = "\x1b[?1;2c"  # a VT100 with AVO, as xterm.js and tmux say

    def report_device_attributes(self, mode: int = 0, private: bool = False) -> None:
        """DA1."""
        if mode == 0 and not private:
            self.reply(self.DEVICE_ATTRIBUTES)

    def report_secondary_attributes(self, mode: int = 0) -> None:
        """DA2."""
        if mode == 0:
            self.reply("\x1b[>0;276;0c")

    def report_tertiary_attributes(self, mode: int = 0) -> None:
        """DA3: a unit id."""
        if mode == 0:
            self.reply("\x1bP!|00000000\x1b\\")

    def report_device_status(self, mode: int = 0, private: bool = False) -> None:
        """DSR 5 (all is well), CPR (6), DECXCPR (?6), and the colour scheme (?996)."""
        row = self.y + 1 - (self.top if self.origin else 0)
        position = f"{row};{min(self.x, self.columns - 1) + 1}"
        if mode == 5 and not private:
            self.reply("\x1b[0n")
        elif mode == 6:
            self.reply(f"\x1b[{'?' if private else ''}{position}R")
        elif mode == 996 and private:
            self.reply("\x1b[?997;1n")

    def report_private_status(self, mode: int = 0) -> None:
        """DSR with the ? prefix."""
        self.report_device_status(mode, private=True)

    def report_mode(self, number: int = 0) -> None:
        """DECRQM for an ANSI mode."""
        self.reply(f"\x1b[{number};{self.mode(number, private=False)}$y")

    def report_private_mode(self, number: int = 0) -> None:
        """DECRQM for a DEC private mode."""
        if number == GRAPHEME_MODE:  # who hears that we do not know it counts cell by cell
            self.graphemes = False
        self.reply(f"\x1b[?{number};{self.mode(number, private=True)}$y")

    def report_version(self, mode: int = 0) -> None:
        """XTVERSION."""
        if mode == 0:
            self.reply(f"\x1bP>|{NAME}\x1b\\")

    def report_keyboard(self) -> None:
        """CSI ? u (kitty): the flags in force."""
        self.reply(f"\x1b[?{self.screen.keyboard[-1]}u")

    def window_operation(self, operation: int = 0, which: int = 0) -> None:
        """XTWINOPS: 18 the size in characters, 22 and 23 keep and bring back the title."""
        if operation == 18:
            self.reply(f"\x1b[8;{self.lines};{self.columns}t")
        elif operation == 22 and which in (0, 2):
            self.titles = [*self.titles[-9:], self.title]
        elif operation == 23 and which in (0, 2) and self.titles:
            self.set_title(self.titles.pop())

    def set_title(self, text: str) -> None:
        """OSC 0 and 2."""
        raise NotImplementedError

    # -------------------------------------------------------------------- asked in OSC and DCS

    def report_color(self, number: int, index: int = -1) -> None:
        """OSC 4, 10, 11, 12 with `?`: a colour of the palette, or of text, ground and cursor."""
        if number == 4:
            self.reply(f"\x1b]4;{index};{_rgb(index)}\x1b\\")
        else:
            self.reply(f"\x1b]{number};{_BACKGROUND if number == 11 else _FOREGROUND}\x1b\\")

    def report_capabilities(self, names: str) -> None:
        """XTGETTCAP: names in hexadecimal, `;` between them; one answer each."""
        for encoded in names.split(";")[:16]:
            try:
                name = bytes.fromhex(encoded).decode()
            except ValueError:
                name = ""
            if name in _CAPABILITIES:
                value = _CAPABILITIES[name].encode().hex().upper()
                self.reply(f"\x1bP1+r{encoded}{'=' if value else ''}{value}\x1b\\")
            else:
                self.reply(f"\x1bP0+r{encoded[:64]}\x1b\\")

    def report_setting(self, setting: str) -> None:
        """DECRQSS: margins, cursor shape and style are known."""
        settings = {
            "r": f"{self.top + 1};{self.bottom + 1}r",
            " q": f"{self.cursor_shape} q",
            "m": f"{self.palette.sgr(self.style)}m",
        }
        answer = settings.get(setting)
        self.reply(f"\x1bP1$r{answer}\x1b\\" if answer else "\x1bP0$r\x1b\\")
