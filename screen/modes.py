"""Modes: what SM and RM, DECSET and DECRST switch, the two screens among them, and resets.

Modes that only concern input (mouse, paste, keypad) are
remembered for DECRQM and do nothing else.
"""

from .attributes import DEFAULT
from .cursor import CursorMovement
from .drawing import GRAPHEME_MODE
from .state import Screen
from .tables import modes

# pyte keeps private modes shifted by five bits, to tell them from the others.
_AUTOWRAP, _ORIGIN, _CURSOR = modes.DECAWM >> 5, modes.DECOM >> 5, modes.DECTCEM >> 5
_SYNCHRONIZED = 2026
_ALTERNATE = (47, 1047, 1049)
_SAVE_CURSOR = 1048
# Modes of input and look: mouse, focus, paste, keys, blinking, colour-scheme reports.
PASSIVE = frozenset(
    {1, 5, 9, 12, 45, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004, 2031}
)
_KEYBOARD_DEPTH = 16
_INSERT, _NEWLINE = modes.IRM, modes.LNM


class Modes(CursorMovement):
    """Everything that switches a mode."""

    __slots__ = ()

    def set_mode(self, *numbers: int, private: bool = False) -> None:
        """SM, or DECSET when private."""
        self.switch(numbers, True, private)

    def reset_mode(self, *numbers: int, private: bool = False) -> None:
        """RM, or DECRST when private."""
        self.switch(numbers, False, private)

    def set_private_mode(self, *numbers: int) -> None:
        """DECSET."""
        self.switch(numbers, True, private=True)

    def reset_private_mode(self, *numbers: int) -> None:
        """DECRST."""
        self.switch(numbers, False, private=True)

    def switch(self, numbers: tuple[int, ...], on: bool, private: bool) -> None:
        """Set or reset modes in the order given; unknown ones do nothing."""
        for mode in numbers:
            if private:
                self.switch_private_mode(mode, on)
            elif mode == _INSERT:
                self.insert = on
                self.update_fast_path()
            elif mode == _NEWLINE:
                self.newline = on

    def switch_private_mode(self, mode: int, on: bool) -> None:
        """Set or reset one DEC private mode."""
        if mode == _SYNCHRONIZED:
            self.frame = self.capture() if on else None
        elif mode == _CURSOR:
            self.cursor_visible = on
        elif mode == _AUTOWRAP:
            self.autowrap = on
            self.update_fast_path()
        elif mode == _ORIGIN:
            self.origin = on
            self.move_to(0, 0)
        elif mode in _ALTERNATE:
            self._switch_screen(on, with_cursor=mode == 1049)
        elif mode == _SAVE_CURSOR:
            if on:
                self.save_cursor()
            else:
                self.restore_cursor()
        elif mode == GRAPHEME_MODE:
            self.graphemes = on and self.clustering
        elif mode in PASSIVE:
            (self.modes.add if on else self.modes.discard)(mode)

    def mode(self, number: int, private: bool) -> int:
        """DECRQM's answer for a mode: 0 not recognised, 1 set, 2 reset."""
        if private and number in PASSIVE:
            return 1 if number in self.modes else 2
        if not private:
            states = {_INSERT: self.insert, _NEWLINE: self.newline}
        else:
            alternate = self.screen is self.alternate
            states = {
                _AUTOWRAP: self.autowrap,
                _ORIGIN: self.origin,
                _CURSOR: self.cursor_visible,
                _SYNCHRONIZED: self.frame is not None,
                **dict.fromkeys(_ALTERNATE, alternate),
            }
        return 0 if number not in states else 1 if states[number] else 2

    # ---------------------------------------------------------------------------- two screens

    def _switch_screen(self, to_alternate: bool, with_cursor: bool) -> None:
        """47, 1047, 1049: the alternate screen is always entered blank; 1049 saves the cursor."""
        if with_cursor and to_alternate:
            self.save_cursor()
        if to_alternate and self.screen is self.main:
            self.main.y = self.y
            blank = Screen(self.lines)
            blank.saved = self.alternate.saved
            self.alternate = blank
            self.activate(blank)
            self.rows[:] = [self.blank_row()] * self.lines
        elif not to_alternate and self.screen is self.alternate:
            self.activate(self.main)
        if with_cursor and not to_alternate:
            self.restore_cursor()

    # -------------------------------------------------------------------------------- charsets

    def define_charset(self, code: str, mode: str = "(") -> None:
        """SCS: `mode` is the intermediate, ( ) * + for G0 to G3; unknown sets are ASCII."""
        slot = "()*+".find(mode)
        if slot >= 0:
            sets = self.charsets
            self.charsets = sets[:slot] + (code if code in "0A" else "B") + sets[slot + 1 :]
            self.update_fast_path()

    def shift(self, slot: int) -> None:
        """SI, SO, LS2, LS3: which of G0 to G3 text is drawn with."""
        self.charset = slot
        self.update_fast_path()

    def shift_out(self) -> None:
        """SO."""
        self.shift(1)

    def shift_in(self) -> None:
        """SI."""
        self.shift(0)

    # ---------------------------------------------------------------------------------- resets

    def reset(self) -> None:
        """RIS: as at power-on; the history goes too."""
        self.clear_history()
        self.hard_reset()

    def soft_reset(self) -> None:
        """DECSTR: modes, margins, style, charsets and the saved cursor; the text stays."""
        self.soft_reset_state()
        self.frame = None
        self.top, self.bottom = self.screen.top, self.screen.bottom = 0, self.lines - 1
        self.screen.saved = type(self.screen.saved)()

    def alignment_display(self) -> None:
        """DECALN: the screen full of E, the cursor home."""
        row = ("E" * self.columns, DEFAULT * self.columns, 0)
        self.rows[:] = [row] * self.lines
        self.move_to(0, 0)

    # ------------------------------------------------------------- keyboard protocol, cursor look

    def push_keyboard(self, flags: int = 0) -> None:
        """CSI > flags u (kitty)."""
        stack = self.screen.keyboard
        stack.append(flags)
        del stack[1 : max(1, len(stack) - _KEYBOARD_DEPTH)]

    def pop_keyboard(self, count: int = 1) -> None:
        """CSI < count u (kitty)."""
        stack = self.screen.keyboard
        del stack[max(1, len(stack) - (count or 1)) :]

    def set_keyboard(self, flags: int = 0, how: int = 1) -> None:
        """CSI = flags ; how u (kitty): 1 replaces, 2 adds, 3 takes away."""
        stack = self.screen.keyboard
        old = stack[-1]
        stack[-1] = {2: old | flags, 3: old & ~flags}.get(how, flags)

    def set_cursor_shape(self, shape: int = 0) -> None:
        """DECSCUSR."""
        self.cursor_shape = shape
