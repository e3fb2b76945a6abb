"""The shape of a terminal's byte stream, as one expression.

It reads decoded text with no sequence cut short at its end. A token is up to five
things in the order they came, each a string that may be empty:

    csi       a control sequence without its introducer: anything after CSI but plain SGR
    sgr       a run of SGR sequences
    text      narrow text
    controls  a run of control characters
    other     text that is not all narrow, or an escape or string sequence

Most of what agents write is one token a styled word. Nothing backtracks: the cost is O(length).
"""

import re

from .tables import MIXED, PLAIN

# Controls a terminal obeys in the middle of a sequence; CAN, SUB and ESC end it instead.
_C0 = "\x00-\x17\x19\x1c-\x1f\x7f"
_END = "\x18\x1a\x1b"
_OSC = f"[^\x07{_END}]*+"
_DCS = f"[^{_END}]*+"

# Regular sequences first. Then what a real terminal makes of the others: controls inside are
# obeyed, a character that is not ASCII or one of _END aborts (at the end of the text it is an ESC,
# the start of a sequence that is held back).
_CONTROL_SEQUENCE = (
    rf"[0-?]*+(?:[@-ln-~]|[^\x00-\x7f]|[{_C0} -/][{_C0} -?]*+[^{_END}]?+|(?=[{_END}])|\Z)"
)
_ESCAPE_SEQUENCE = (
    rf"\x1b(?!\[)[{_C0}]*+"
    rf"(?:\[[{_C0} -?]*+[^{_END}]?+|\]{_OSC}[\x07\x18\x1a]?+|[PX^_]{_DCS}[\x18\x1a]?+"
    rf"|[{_C0} -/]*+[^{_END}]?+)"
)

TOKEN = re.compile(
    rf"(?:\x1b\[({_CONTROL_SEQUENCE})|)"
    r"((?:\x1b\[[0-?]*+m)*+)"
    rf"([{PLAIN}]*+)"
    r"([\x00-\x1a\x1c-\x1f\x7f-\x9f]*+)"
    rf"([{MIXED}][{MIXED}]*+|{_ESCAPE_SEQUENCE}|)"
)

# A sequence that the end of the input cut short.
UNFINISHED = re.compile(rf"\x1b[{_C0}]*+(?:\[[{_C0} -?]*+|\]{_OSC}|[PX^_]{_DCS}|[{_C0} -/]*+)")
STRING_START = re.compile(rf"\x1b[{_C0}]*+([]PX^_])")
OSC_END = re.compile(f"[\x07{_END}]")
DCS_END = re.compile(f"[{_END}]")

C0 = "".join(map(chr, {*range(0x20), 0x7F} - {0x18, 0x1A, 0x1B}))
NOT_C0 = re.compile(f"[^{_C0}]+")
CONTROL_SEQUENCE = re.compile(r"([<-?]?)([0-9:;]*)([ -/]*)([@-~])")

SEQUENCE_LIMIT = 1024  # characters of a control sequence; a longer one is ignored
STRING_LIMIT = 1 << 20  # characters of a string sequence; a longer one is swallowed and ignored
