"""Which control function a sequence calls: the tables, in the standards' own letters.

Takes a sequence's text; gives the function and its arguments. Parameters are read as vte and tmux
read them: at most 32, of 16 bits, sub-parameters (after a colon) ignored outside SGR.
Cost: O(length), once for each different sequence (`Grid` remembers).
"""

from collections.abc import Callable
from typing import Any

from .attributes import PARAMETERS, number
from .osc import Strings
from .tokens import CONTROL_SEQUENCE, SEQUENCE_LIMIT

Call = tuple[Callable[..., None], tuple[Any, ...]]


def _nothing(_: Strings) -> None:
    """For what a screen does not show."""


NOTHING: Call = (_nothing, ())
_ALL = PARAMETERS

# Prefix + intermediates + final: (function, how many parameters it takes).
_CSI: dict[str, tuple[Callable[..., None], int]] = {
    "@": (Strings.insert_characters, 1),  # ICH
    "A": (Strings.cursor_up, 1),  # CUU
    "B": (Strings.cursor_down, 1),  # CUD
    "C": (Strings.cursor_forward, 1),  # CUF
    "D": (Strings.cursor_back, 1),  # CUB
    "E": (Strings.cursor_down1, 1),  # CNL
    "F": (Strings.cursor_up1, 1),  # CPL
    "G": (Strings.cursor_to_column, 1),  # CHA
    "H": (Strings.cursor_position, 2),  # CUP
    "I": (Strings.tab_forward, 1),  # CHT
    "J": (Strings.erase_in_display, 1),  # ED
    "K": (Strings.erase_in_line, 1),  # EL
    "L": (Strings.insert_lines, 1),  # IL
    "M": (Strings.delete_lines, 1),  # DL
    "P": (Strings.delete_characters, 1),  # DCH
    "S": (Strings.pan_up, 1),  # SU
    "T": (Strings.pan_down, 1),  # SD
    "X": (Strings.erase_characters, 1),  # ECH
    "Z": (Strings.tab_back, 1),  # CBT
    "`": (Strings.cursor_to_column, 1),  # HPA
    "a": (Strings.cursor_forward, 1),  # HPR
    "b": (Strings.repeat, 1),  # REP
    "c": (Strings.report_device_attributes, 1),  # DA1
    "d": (Strings.cursor_to_line, 1),  # VPA
    "e": (Strings.cursor_down, 1),  # VPR
    "f": (Strings.cursor_position, 2),  # HVP
    "g": (Strings.clear_tab_stop, 1),  # TBC
    "h": (Strings.set_mode, _ALL),  # SM
    "l": (Strings.reset_mode, _ALL),  # RM
    "n": (Strings.report_device_status, 1),  # DSR
    "r": (Strings.set_margins, 2),  # DECSTBM
    "s": (Strings.save_cursor, 0),  # SCOSC
    "t": (Strings.window_operation, 2),  # XTWINOPS
    "u": (Strings.restore_cursor, 0),  # SCORC
    "?J": (Strings.erase_in_display, 1),  # DECSED, nothing being protected
    "?K": (Strings.erase_in_line, 1),  # DECSEL
    "?h": (Strings.set_private_mode, _ALL),  # DECSET
    "?l": (Strings.reset_private_mode, _ALL),  # DECRST
    "?n": (Strings.report_private_status, 1),  # DECDSR
    "?u": (Strings.report_keyboard, 0),  # kitty keyboard
    "=u": (Strings.set_keyboard, 2),
    ">u": (Strings.push_keyboard, 1),
    "<u": (Strings.pop_keyboard, 1),
    ">c": (Strings.report_secondary_attributes, 1),  # DA2
    "=c": (Strings.report_tertiary_attributes, 1),  # DA3
    ">q": (Strings.report_version, 1),  # XTVERSION
    "!p": (Strings.soft_reset, 0),  # DECSTR
    "$p": (Strings.report_mode, 1),  # DECRQM
    "?$p": (Strings.report_private_mode, 1),
    " q": (Strings.set_cursor_shape, 1),  # DECSCUSR
    " @": (Strings.scroll_left, 1),  # SL
    " A": (Strings.scroll_right, 1),  # SR
    "'}": (Strings.insert_columns, 1),  # DECIC
    "'~": (Strings.delete_columns, 1),  # DECDC
}

_ESC: dict[str, Call] = {
    "7": (Strings.save_cursor, ()),  # DECSC
    "8": (Strings.restore_cursor, ()),  # DECRC
    "D": (Strings.index, ()),  # IND
    "E": (Strings.cursor_to_next_line, ()),  # NEL
    "H": (Strings.set_tab_stop, ()),  # HTS
    "M": (Strings.reverse_index, ()),  # RI
    "c": (Strings.reset, ()),  # RIS
    "n": (Strings.shift, (2,)),  # LS2
    "o": (Strings.shift, (3,)),  # LS3
    "#8": (Strings.alignment_display, ()),  # DECALN
}

CONTROLS: dict[str, Call] = {
    "\x07": (Strings.bell, ()),  # BEL
    "\x08": (Strings.backspace, ()),  # BS
    "\x09": (Strings.tab, ()),  # HT
    "\x0a": (Strings.linefeed, ()),  # LF
    "\x0b": (Strings.linefeed, ()),  # VT
    "\x0c": (Strings.linefeed, ()),  # FF
    "\x0d": (Strings.carriage_return, ()),  # CR
    "\x0e": (Strings.shift_out, ()),  # SO
    "\x0f": (Strings.shift_in, ()),  # SI
}


def control_sequence(body: str) -> Call | None:
    """What a control sequence without its introducer calls; None where it is not well formed."""
    match = CONTROL_SEQUENCE.fullmatch(body)
    if not match:
        return None
    prefix, parameters, intermediates, final = match.groups()
    function, arity = _CSI.get(prefix + intermediates + final, (_nothing, 0))
    if not parameters or not arity or len(body) > SEQUENCE_LIMIT:
        return (function, ()) if len(body) <= SEQUENCE_LIMIT else NOTHING
    values = parameters.split(";")[:arity]
    return function, tuple([number(value.partition(":")[0]) for value in values])


def escape_sequence(body: str) -> Call:
    """What an escape sequence (without ESC, controls already out) calls."""
    if len(body) == 2 and body[0] in "()*+":
        return Strings.define_charset, (body[1], body[0])  # SCS
    return _ESC.get(body, NOTHING)
