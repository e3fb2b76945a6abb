"""The shape of a terminal's byte stream, as one expression.

Takes decoded text; gives tokens. A token is up to five things in the order they came:
`(csi, sgr, text, controls, other)`: a control sequence (without its introducer), the SGR run
after it, narrow text, control characters, and anything else: wide text, marks, escape and string
sequences, control sequences with controls inside. Most of what agents write fits one token a
styled word. The expression backtracks nowhere, so the cost is O(length).
"""

import re

from .widths import MARKS, NARROW, PRIVATE, WIDE

# Controls a terminal obeys in the middle of a sequence; CAN, SUB and ESC end it instead.
_C0 = "\x00-\x17\x19\x1c-\x1f\x7f"
_PARAMETERS = f"[{_C0} -?]*+"
_STRING = {"]": "[^\x07\x18\x1a\x1b]*+", "PX^_": "[^\x18\x1a\x1b]*+"}

TOKEN = re.compile(
    r"(?:\x1b\[([0-?]*+[ -/]*+[@-ln-~]|[<-?][0-?]*+[ -/]*+m|[0-?]*+[ -/]++m))?+"
    r"((?:\x1b\[[0-9:;]*+m)*+)"
    f"([{NARROW}]*+)"
    "([\x00-\x1a\x1c-\x1f\x7f-\x9f]*+)"
    f"([{WIDE}]++|[{MARKS}]++|[{PRIVATE}]++"
    # A control sequence that is not as the first two groups have it: something is in its midst.
    rf"|\x1b\[[0-?]*+[ -/]*+(?![@-~]){_PARAMETERS}[^\x18\x1a\x1b]?+"
    rf"|\x1b(?!\[)[{_C0}]*+(?:\[{_PARAMETERS}[^\x18\x1a\x1b]?+"
    rf"|\]{_STRING[']']}[\x07\x18\x1a]?+"
    rf"|[PX^_]{_STRING['PX^_']}[\x18\x1a]?+"
    rf"|[{_C0} -/]*+[^\x18\x1a\x1b]?+))?+"
)

# An escape sequence that the end of the input cut short.
UNFINISHED = re.compile(
    f"\x1b[{_C0}]*+(?:\\[{_PARAMETERS}|\\]{_STRING[']']}|[PX^_]{_STRING['PX^_']}|[{_C0} -/]*+)"
)
STRING_START = re.compile(f"\x1b[{_C0}]*+([]PX^_])")
STRING_END = {
    "]": re.compile("[\x07\x18\x1a\x1b]"),
    "P": re.compile("[\x18\x1a\x1b]"),
}
C0 = "".join(map(chr, {*range(0x20), 0x7F} - {0x18, 0x1A, 0x1B}))
NOT_C0 = re.compile(f"[^{_C0}]+")
CONTROL_SEQUENCE = re.compile(r"([<-?]?)([0-9:;]*)([ -/]*)([@-~])")

SEQUENCE_LIMIT = 1024  # characters of a control sequence; a longer one is ignored
STRING_LIMIT = 1 << 20  # characters of a string sequence; a longer one is swallowed and ignored
