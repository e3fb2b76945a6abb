"""Which control function a sequence calls: the tables, in the standards' own letters.

Parameters are read as vte and tmux
read them: at most 32, of 16 bits, sub-parameters (after a colon) ignored outside SGR.
Cost: O(length), once for each different sequence (`Grid` remembers).
"""

from collections.abc import Callable
from typing import Any

from .attributes import PARAMETERS, number
from .osc import StringSequences
from .tokens import CONTROL_SEQUENCE, SEQUENCE_LIMIT

Call = tuple[Callable[..., None], tuple[Any, ...]]


def _nothing(_: StringSequences) -> None:
    """For what a screen does not show."""


NOTHING: Call = (_nothing, ())
_ALL = PARAMETERS

# Prefix + intermediates + final: (function, how many parameters it takes).
_CSI: dict[str, tuple[Callable[..., None], int]] = {
    "@": (StringSequences.insert_characters, 1),  # ICH
    "A": (StringSequences.cursor_up, 1),  # CUU
    "B": (StringSequences.cursor_down, 1),  # CUD
    "C": (StringSequences.cursor_forward, 1),  # CUF
    "D": (StringSequences.cursor_back, 1),  # CUB
    "E": (StringSequences.cursor_down1, 1),  # CNL
    "F": (StringSequences.cursor_up1, 1),  # CPL
    "G": (StringSequences.cursor_to_column, 1),  # CHA
    "H": (StringSequences.cursor_position, 2),  # CUP
    "I": (StringSequences.tab_forward, 1),  # CHT
    "J": (StringSequences.erase_in_display, 1),  # ED
    "K": (StringSequences.erase_in_line, 1),  # EL
    "L": (StringSequences.insert_lines, 1),  # IL
    "M": (StringSequences.delete_lines, 1),  # DL
    "P": (StringSequences.delete_characters, 1),  # DCH
    "S": (StringSequences.scroll_up, 1),  # SU
    "T": (StringSequences.scroll_down, 1),  # SD
    "X": (StringSequences.erase_characters, 1),  # ECH
    "Z": (StringSequences.tab_back, 1),  # CBT
    "`": (StringSequences.cursor_to_column, 1),  # HPA
    "a": (StringSequences.cursor_forward, 1),  # HPR
    "b": (StringSequences.repeat, 1),  # REP
    "c": (StringSequences.report_device_attributes, 1),  # DA1
    "d": (StringSequences.cursor_to_line, 1),  # VPA
    "e": (StringSequences.cursor_down, 1),  # VPR
    "f": (StringSequences.cursor_position, 2),  # HVP
    "g": (StringSequences.clear_tab_stop, 1),  # TBC
    "h": (StringSequences.set_mode, _ALL),  # SM
    "l": (StringSequences.reset_mode, _ALL),  # RM
    "n": (StringSequences.report_device_status, 1),  # DSR
    "r": (StringSequences.set_margins, 2),  # DECSTBM
    "s": (StringSequences.save_cursor, 0),  # SCOSC
    "t": (StringSequences.window_operation, 2),  # XTWINOPS
    "u": (StringSequences.restore_cursor, 0),  # SCORC
    "?J": (StringSequences.erase_in_display, 1),  # DECSED, nothing being protected
    "?K": (StringSequences.erase_in_line, 1),  # DECSEL
    "?h": (StringSequences.set_private_mode, _ALL),  # DECSET
    "?l": (StringSequences.reset_private_mode, _ALL),  # DECRST
    "?n": (StringSequences.report_private_status, 1),  # DECDSR
    "?u": (StringSequences.report_keyboard, 0),  # kitty keyboard
    "=u": (StringSequences.set_keyboard, 2),
    ">u": (StringSequences.push_keyboard, 1),
    "<u": (StringSequences.pop_keyboard, 1),
    ">c": (StringSequences.report_secondary_attributes, 1),  # DA2
    "=c": (StringSequences.report_tertiary_attributes, 1),  # DA3
    ">q": (StringSequences.report_version, 1),  # XTVERSION
    "!p": (StringSequences.soft_reset, 0),  # DECSTR
    "$p": (StringSequences.report_mode, 1),  # DECRQM
    "?$p": (StringSequences.report_private_mode, 1),
    " q": (StringSequences.set_cursor_shape, 1),  # DECSCUSR
    " @": (StringSequences.scroll_left, 1),  # SL
    " A": (StringSequences.scroll_right, 1),  # SR
    "'}": (StringSequences.insert_columns, 1),  # DECIC
    "'~": (StringSequences.delete_columns, 1),  # DECDC
}

_ESC: dict[str, Call] = {
    "7": (StringSequences.save_cursor, ()),  # DECSC
    "8": (StringSequences.restore_cursor, ()),  # DECRC
    "D": (StringSequences.index, ()),  # IND
    "E": (StringSequences.cursor_to_next_line, ()),  # NEL
    "H": (StringSequences.set_tab_stop, ()),  # HTS
    "M": (StringSequences.reverse_index, ()),  # RI
    "c": (StringSequences.reset, ()),  # RIS
    "n": (StringSequences.shift, (2,)),  # LS2
    "o": (StringSequences.shift, (3,)),  # LS3
    "#8": (StringSequences.alignment_display, ()),  # DECALN
}

CONTROLS: dict[str, Call] = {  # as in `pyte.Stream.basic`
    "\a": (StringSequences.bell, ()),
    "\b": (StringSequences.backspace, ()),
    "\t": (StringSequences.tab, ()),
    "\n": (StringSequences.linefeed, ()),
    "\v": (StringSequences.linefeed, ()),
    "\f": (StringSequences.linefeed, ()),
    "\r": (StringSequences.carriage_return, ()),
    "\x0e": (StringSequences.shift_out, ()),
    "\x0f": (StringSequences.shift_in, ()),
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
        return StringSequences.define_charset, (body[1], body[0])  # SCS
    return _ESC.get(body, NOTHING)
