"""Makes captured text fit to be shown: the one filter before every display of ours.

The input is hostile: agents, tools and web pages wrote it. In the result no terminal, browser or
model finds an instruction that a person cannot see. Does no I/O. Cost: linear in the text; a clean
text costs one character-class search and is returned as it is.

* Gone: C0 but newline and tab, DEL, C1, and whole escape sequences (ECMA-48 CSI, two-character
  and nF escapes, and the control strings OSC, DCS, APC, PM, SOS with their payload).
* A control string that is never closed would make a terminal swallow the rest of the session. Here
  it takes its own line and no more: what follows was meant to be read, and is harmless as text.
  CAN, SUB, another escape or a C1 control abort it, as in a terminal.
* Made visible as `<U+202E>`: bidi controls, zero-width and other default-ignorable characters, tag
  characters, line and paragraph separators, lone surrogates.
* Kept: joiners, variation selectors and tags that spell an emoji (UTS #51 sequences), joiners
  between letters of the scripts that need them, variation selectors after ideographs.
"""

import re

from dejavu.model.late_pattern import late_pattern

__all__ = ["DROPPED", "sanitise"]

_CONTROL_STRING = (
    # Closed, or aborted by a control: the payload goes, over lines too (sixels, clipboards).
    # Not closed at all: the rest of the line goes.
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"
    r"(?:[^\x07\x18\x1a\x1b\x80-\x9f]*+(?=[\x07\x18\x1a\x1b\x80-\x9f])(?:\x1b\\|[\x07\x18\x1a\x9c])?"
    r"|[^\n\x07\x18\x1a\x1b\x80-\x9f]*+)"
)
_CSI = r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
_ESCAPE = r"\x1b(?:[ -/]++[0-~]?|[0-~])?"
_SINGLE = r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]++|[\x1b\x80-\x9f]"  # none in a run begins a sequence

_TAGS = dict(zip(range(0x61, 0x7B), range(0xE0061, 0xE007B), strict=True))
"""Letters, and the tag characters that spell them unseen."""
_EMOJI = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935"
    r"\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
# The three subdivision flags recommended for interchange; other tag runs could carry text.
_FLAG = "\U0001f3f4(?:gbeng|gbsct|gbwls)\U000e007f".translate(_TAGS)
_ATOM = rf"{_EMOJI}(?:[\ufe0e\ufe0f]|[\U0001f3fb-\U0001f3ff])?"
_CLUSTER = rf"{_FLAG}|{_ATOM}(?:\u200d{_ATOM})*+|[0-9#*]\ufe0f\u20e3?|\u3030\ufe0f"
_JOINING = r"\u0600-\u06ff\u0750-\u07bf\u08a0-\u0dff\u1000-\u109f\u1780-\u17ff\u1820-\u1878"
_JOINER = rf"(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
_IDEOGRAPH = (
    r"(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
)

_HIDDEN_SET = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)

_DIRTY = late_pattern(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_HIDDEN_SET}]")
DROPPED = late_pattern(rf"{_CONTROL_STRING}|{_CSI}|{_ESCAPE}|{_SINGLE}")
"""What is taken out without a trace: controls and escape sequences."""
_SCAN = late_pattern(
    rf"(?P<drop>{DROPPED.pattern})"
    rf"|(?P<keep>{_CLUSTER}|{_JOINER}|{_IDEOGRAPH})"
    rf"|[{_HIDDEN_SET}]"
)
_CUT_TAIL = late_pattern(rf"[{_HIDDEN_SET}]+\Z")
_BREAKS = str.maketrans("\n\t", "  ")


def sanitise(text: str, *, newlines: bool = True, limit: int | None = None) -> str:
    """Return the text without controls and escape sequences, hidden characters made visible.

    newlines: False turns newlines and tabs into spaces, for a text that must stay on one line.
    limit: at most so many characters (1 or more); a longer text is cut and ends in `…`.
    Idempotent for equal arguments; never raises on any `str`.
    """
    if _DIRTY.search(text) is not None:
        text = _SCAN.sub(_replacement, text)
    if not newlines:
        text = text.translate(_BREAKS)
    if limit is not None and len(text) > limit:
        text = _CUT_TAIL.sub("", text[: max(limit - 1, 0)]) + "…"
    return text


def _replacement(match: re.Match[str]) -> str:
    if match.lastgroup == "drop":
        return ""
    if match.lastgroup == "keep":
        return match[0]
    return f"<U+{ord(match[0]):04X}>"
