"""Names of keys as the bytes a terminal sends for them, and back.

`Enter`, `Up`, `F5`, `a`, with `Ctrl+`, `Alt+` and `Shift+` before them, in any case. The bytes are
xterm's; where the program asked for it, application cursor keys (DECCKM) and kitty's keyboard
protocol (flags 1, 8 and 16; releases and alternate keys are not sent). O(length).
"""

import difflib
import re
from collections.abc import Iterator

_CURSOR = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F"}
_EDITING = {"Insert": 2, "Delete": 3, "PageUp": 5, "PageDown": 6}
_FUNCTION = {"F1": "P", "F2": "Q", "F3": "R", "F4": "S"}
_LATER = {"F5": 15, "F6": 17, "F7": 18, "F8": 19, "F9": 20, "F10": 21, "F11": 23, "F12": 24}
_PLAIN = {"Enter": "\r", "Tab": "\t", "Backspace": "\x7f", "Escape": "\x1b", "Space": " "}
_ALIASES = {
    "esc": "Escape",
    "return": "Enter",
    "del": "Delete",
    "pgup": "PageUp",
    "pgdn": "PageDown",
    "bs": "Backspace",
    "ins": "Insert",
}
NAMES = [*_PLAIN, *_CURSOR, *_EDITING, *_FUNCTION, *_LATER]
_BY_LOWER = {name.lower(): name for name in NAMES} | _ALIASES
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}
_SHIFT, _ALT, _CTRL = 1, 2, 4
PASTE_BEGIN, PASTE_END = "\x1b[200~", "\x1b[201~"


def encode(key: str, *, application: bool = False, kitty: int = 0) -> bytes:
    """Return what a terminal sends for `key`.

    `application`: whether DECCKM is set; `kitty`: the keyboard flags in force.
    Raise ValueError for a key that has no name, or that no terminal can send.
    """
    modifiers, name = _parse(key)
    parameter = 1 + modifiers
    if name in _CURSOR or name in _FUNCTION:
        final = _CURSOR.get(name) or _FUNCTION[name]
        if modifiers:
            return f"\x1b[1;{parameter}{final}".encode()
        return f"\x1b{'O' if application or name in _FUNCTION else '['}{final}".encode()
    if name in _EDITING or name in _LATER:
        number = _EDITING.get(name) or _LATER[name]
        return f"\x1b[{number}{f';{parameter}' if modifiers else ''}~".encode()
    if kitty & 8 and (len(name) == 1 or name in _PLAIN):
        return _report_all(_PLAIN.get(name, name), modifiers, kitty)
    if kitty & 1 and (name == "Escape" or modifiers & (_CTRL | _ALT) or name in _PLAIN):
        code = ord(_PLAIN.get(name, name.lower()))
        if modifiers or name == "Escape":
            return f"\x1b[{code}{f';{parameter}' if modifiers else ''}u".encode()
    if name == "Tab" and modifiers & _SHIFT:
        return b"\x1b[Z"
    text = _PLAIN.get(name, name)
    if modifiers & _CTRL:
        text = _control(name, key)
    if modifiers & _SHIFT and name not in _PLAIN:
        text = text.upper()
    return ("\x1b" * bool(modifiers & _ALT) + text).encode()


def encode_text(text: str, *, kitty: int = 0) -> bytes:
    """Return what a terminal sends while a user types `text`; a newline is Enter."""
    text = text.replace("\r\n", "\n").replace("\n", "\r")
    if not kitty & 8:
        return text.encode()
    return b"".join(_report_all(character, 0, kitty) for character in text)


def _report_all(character: str, modifiers: int, kitty: int) -> bytes:
    """A character under kitty's flag 8 ("report all keys as escape codes"), with flag 16 its text."""
    lower = character.lower() if len(character.lower()) == 1 else character
    if modifiers & _CTRL:  # Ctrl+Q is written so, and no Shift is meant
        character = lower
    if modifiers & _SHIFT and len(character.upper()) == 1:
        character = character.upper()
    modifiers |= _SHIFT if character != lower else 0
    shown = kitty & 16 and character.isprintable() and not modifiers & (_CTRL | _ALT)
    fields = [str(ord(lower)), str(1 + modifiers) if modifiers else ""]
    fields += [str(ord(character))] if shown else []
    return f"\x1b[{';'.join(fields).rstrip(';')}u".encode()


def _parse(key: str) -> tuple[int, str]:
    """The modifiers of `key` and its canonical name, or its one character."""
    modifiers, rest = 0, key
    while len(rest) > 1 and "+" in rest[1:]:
        prefix, _, after = rest.partition("+")
        if prefix.lower() not in _MODIFIERS or not after:
            break
        modifiers |= _MODIFIERS[prefix.lower()]
        rest = after
    name = _BY_LOWER.get(rest.lower(), rest)
    if len(name) != 1 and name not in NAMES:
        near = difflib.get_close_matches(rest.lower(), _BY_LOWER, n=1)
        hint = (
            f"did you mean {_BY_LOWER[near[0]]!r}?"
            if near
            else f"there are {', '.join(NAMES)} and single characters"
        )
        raise ValueError(f"{key!r} is no key; {hint}")
    return modifiers, name


def _control(name: str, key: str) -> str:
    if name == "Backspace":
        return "\x08"
    if name == "Space":
        return "\0"
    if name in _PLAIN:
        return _PLAIN[name]
    if name == "?":
        return "\x7f"
    code = ord(name.upper())
    if not 0x40 <= code < 0x60:
        raise ValueError(f"{key!r} has no control character: terminals send none for it")
    return chr(code & 0x1F)


def paste(text: str, *, bracketed: bool) -> bytes:
    """Return `text` as a paste: newlines as carriage returns, between marks where asked for.

    The end mark inside the text is dropped, as terminals do: nothing typed leaves the paste.
    """
    body = text.replace("\r\n", "\n").replace("\n", "\r")
    if not bracketed:
        return body.encode()
    return f"{PASTE_BEGIN}{body.replace(PASTE_END, '')}{PASTE_END}".encode()


def click(row: int, column: int, *, button: int = 0, pressed: bool = True) -> bytes:
    """Return a mouse report (SGR, mode 1006) for a cell counted from 0."""
    return f"\x1b[<{button};{column + 1};{row + 1}{'M' if pressed else 'm'}".encode()


def click_x10(row: int, column: int, *, button: int = 0) -> bytes:
    """Return the older mouse report, press and release, for programs that did not set mode 1006."""
    cell = bytes((33 + min(column, 222), 33 + min(row, 222)))
    press = b"\x1b[M" + bytes((32 + button,)) + cell
    return press if button >= 64 else press + b"\x1b[M#" + cell


# ------------------------------------------------------------------------------------ decoding

_SEQUENCE = re.compile(
    r"\x1b\[200~(?P<paste>.*?)\x1b\[201~"
    r"|(?P<reply>\x1b\[\??[\d;]*(?:R|c|\$y)|\x1b\[>[\d;]*c|\x1b\[\?[\d;]*[un]|\x1b\[0n|\x1b\[8;\d+;\d+t"
    r"|\x1b[\]P_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[IO])"
    r"|(?P<mouse>\x1b\[<[\d;]+[Mm]|\x1b\[M...)"
    r"|(?P<key>\x1b?\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])|\x1b[^\x1b]|[\x00-\x1f\x7f])"
    r"|(?P<escape>\x1b)|(?P<text>[^\x00-\x1f\x7f]+)",
    re.DOTALL,
)


def _names() -> dict[bytes, str]:
    table: dict[bytes, str] = {}
    letters = [*"abcdefghijklmnopqrstuvwxyz", *"@[\\]^_"]
    for prefix in ("", "Shift+", "Alt+", "Ctrl+", "Ctrl+Shift+", "Ctrl+Alt+"):
        for name in [*NAMES, *letters]:
            for application, kitty in ((False, 0), (True, 0), (False, 1)):
                data = encode(prefix + name, application=application, kitty=kitty)
                table.setdefault(data, prefix + name)
    return table


def decode(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a user's terminal sent: ("press", name), ("type", text) or ("paste", text).

    Answers to a program's queries are ("reply", bytes), mouse reports ("mouse", bytes), and keys
    without a name ("send", bytes).
    """
    names = _names()
    for match in _SEQUENCE.finditer(text):
        kind, value = match.lastgroup or "text", match[0]
        if kind == "paste":
            yield "paste", match["paste"].replace("\r", "\n")
        elif kind in ("reply", "mouse", "text"):
            yield ("type" if kind == "text" else kind), value
        elif name := names.get(value.encode()):
            yield "press", name
        else:
            yield "send", value
