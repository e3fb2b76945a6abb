"""How other programs draw a line with a secret in it: encoded, cut, hidden, interleaved, dumped.

Data for `elsewhere.py`; nothing here knows the redactor. A layout takes a line and the room it
has, and returns rows. Rules are tuned on these; `layouts_heldout*.py` has those that judge.
"""

import base64
import random
from collections.abc import Callable, Iterable
from typing import NamedTuple

__all__ = [
    "NAMELESS",
    "TUNING",
    "Drawing",
    "Layout",
    "Line",
    "begin_alone",
    "chunks",
    "dump",
    "plain",
    "prose",
    "shown",
]


class Line(NamedTuple):
    """A line of text around a secret."""

    before: str
    secret: str
    after: str

    @property
    def text(self) -> str:
        """The whole line."""
        return self.before + self.secret + self.after


class Drawing(NamedTuple):
    """Rows, and how the secret can be read in them: (what is drawn, characters of it for one)."""

    rows: list[str]
    forms: tuple[tuple[str, float], ...] = ()


Layout = Callable[[Line, int, random.Random], Drawing]
_WORDS = [
    "the",
    "build",
    "ran",
    "and",
    "then",
    "it",
    "read",
    "every",
    "file",
    "of",
    "the",
    "ring",
    "before",
    "a",
    "retry",
    "was",
    "due",
    "again",
]


def prose(rng: random.Random, size: int) -> str:
    text = ""
    while len(text) < size:
        text += " ".join(rng.sample(_WORDS, 6)) + " "
    return text[:size].ljust(size)


def chunks(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def plain(rows: Iterable[str], line: Line) -> Drawing:
    return Drawing([*rows], ((line.secret, 1),))


# Encoded or escaped


def _escaped(escape: Callable[[str], str], quote: str = "") -> Layout:
    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        hidden = "".join(map(escape, line.secret))
        text = f"{quote}{line.before}{hidden}{line.after}{quote}"
        return Drawing(chunks(text, room), ((hidden, len(escape("a"))),))

    return draw


def _encoded(encode: Callable[[bytes], bytes], lead: str, *, whole: bool) -> Layout:
    """Base64 and its like: of the whole line, or of the secret alone behind a name."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        hidden = encode((line.text if whole else line.secret).encode()).decode()
        if not whole:
            return Drawing(chunks(lead + hidden, room), ((hidden, 4 / 3),))
        start, end = len(line.before), len(line.before) + len(line.secret)
        shown = hidden[-(-start * 4 // 3) : end * 4 // 3]
        return Drawing([lead, *chunks(hidden, min(76, room))], ((shown, 4 / 3),))

    return draw


def _quoted_printable(line: Line, room: int, _rng: random.Random) -> Drawing:
    rows = chunks(line.text.replace("=", "=3D"), min(room, 76) - 1)
    return plain([row + "=" for row in rows[:-1]] + rows[-1:], line)


def _quoted_printable_whole(line: Line, room: int, _rng: random.Random) -> Drawing:
    hidden = "".join(f"={ord(char):02X}" for char in line.secret)
    per = (min(room, 76) - 1) // 3 * 3
    rows = chunks(line.before.replace("=", "=3D"), per) + chunks(hidden, per)
    return Drawing([row + "=" for row in rows[:-1]] + rows[-1:], ((hidden, 3),))


# Cut at either end


def _chopped(mark: str, left: str = "") -> Layout:
    """A pager that chops long lines: the right is missing, or scrolled sideways the left."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        shown = rng.randint(12, max(12, min(len(line.secret) - 1, room - 2)))
        if rng.random() < 0.5 or not left:
            head = (prose(rng, room) + " " + line.before)[-(room - shown - len(mark)) :]
            row = head + line.secret[:shown] + mark
        else:
            row = left + line.secret[-shown:] + line.after + " " + prose(rng, room)
        rows = [prose(rng, room)[: room - rng.randint(0, 9)] for _ in range(3)]
        return plain([rows[0], row[:room], *rows[1:]], line)

    return draw


def _end_alone(*leads: str, close: str = "") -> Layout:
    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        size = rng.randint(8, max(8, min(24, len(line.secret) // 2)))
        row = f"{line.before}{rng.choice(leads)}{line.secret[-size:]}{close}"
        return plain(chunks(row, room), line)

    return draw


def begin_alone(mark: str) -> Layout:
    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        size = rng.randint(10, max(10, len(line.secret) * 2 // 3))
        return plain(chunks(f"{line.before}{line.secret[:size]}{mark}{line.after}", room), line)

    return draw


# Hidden in the middle


def _hidden(*fills: str) -> Layout:
    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        most = max(8, min(20, (len(line.secret) - 4) // 2))
        head, tail = (rng.randint(4, most) for _ in range(2))
        fill = rng.choice(fills)
        if len(fill) == 1:
            fill *= rng.choice((3, 4, 8, len(line.secret)))
        row = f"{line.before}{line.secret[:head]}{fill}{line.secret[-tail:]}{line.after}"
        return plain(chunks(row, room), line)

    return draw


# Interleaved with other columns


def _columns(count: int, gap: str) -> Layout:
    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        width = max((room - len(gap) * (count - 1)) // count, 12)
        nth = rng.randrange(count)
        cells = [chunks(prose(rng, width * 9), width) for _ in range(count)]
        lead = prose(rng, rng.randrange(width))
        cells[nth] = chunks(f"{lead} {line.text} {prose(rng, width)}", width)
        rows = zip(*([f"{cell:{width}}" for cell in (column + [""] * 40)[:40]] for column in cells),
                   strict=True)  # fmt: skip
        return plain([row for parts in rows if (row := gap.join(parts).rstrip())], line)

    return draw


def _beside(glyphs: str, size: int) -> Layout:
    """Something drawn at the right of every row: a minimap, a scroll bar."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        width = room - size - 1
        rows = chunks(f"{prose(rng, rng.randrange(width))} {line.text} and after", width)
        rows = [prose(rng, width), *rows, prose(rng, width)]
        return plain(
            [f"{row:{width}} {''.join(rng.choices(glyphs, k=size))}" for row in rows], line
        )

    return draw


def _glyph(glyphs: tuple[str, ...], *, before: bool = False) -> Layout:
    """A sign after each row that goes on below, or before each that goes on from above."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        glyph = rng.choice(glyphs)
        width = rng.randint(max(room // 3, 16), room - len(glyph))
        rows = chunks(f"{prose(rng, rng.randrange(width))} {line.text}", width)
        if before:
            return plain([rows[0], *(glyph + row for row in rows[1:])], line)
        return plain([*(row + glyph for row in rows[:-1]), rows[-1]], line)

    return draw


def _stamped(line: Line, room: int, rng: random.Random) -> Drawing:
    """A time before every row, as `ts` writes."""
    rows = chunks(f"{prose(rng, 30)} {line.text} and after", max(room - 16, 16))
    return plain([f"Nov 21 10:00:{n:02} {row}" for n, row in enumerate(rows)], line)


# Split by a program's own marks


def _psql(edges: tuple[str, str], bar: str) -> Layout:
    """A wrapped table of psql: a mark at the end of a broken cell, and before its rest."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        width = rng.randint(12, max(12, min(40, room - 24)))
        cells = chunks(line.text, width)
        rows = [f"  id  {bar} {'value':^{width}} ", f"------+{'-' * (width + 2)}"]
        for n, cell in enumerate(cells):
            left = edges[1] if n else " "
            right = edges[0] if n < len(cells) - 1 else " "
            rows.append(
                f" {'' if n else rng.randrange(1000, 9999):4} {bar}{left}{cell:{width}}{right}"
            )
        return plain([*rows, f" {7:4} {bar} {'plain':{width}} ", "(2 rows)"], line)

    return draw


def _editor(right: str, left: str) -> Layout:
    """An editor that shows a part of a long line: cut at the right, and scrolled."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        width = rng.randint(max(20, room // 2), room)
        start = rng.randint(0, max(len(line.before) + len(line.secret) - 12, 1))
        part = line.text[start:]
        if start:
            part = left + part[len(left) :]
        if len(part) > width:
            part = part[: width - len(right)] + right
        return plain(["  GNU nano 7.2   notes.txt", "", prose(rng, 30), part, "", "^G Help"], line)

    return draw


def _word_diff(old: tuple[str, str], new: tuple[str, str]) -> Layout:
    """A diff by words: what went, what came, between what stayed of the secret."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        secret = line.secret
        first = rng.randint(1, len(secret) - 2)
        last = rng.randint(first + 1, len(secret) - 1)
        other = "".join(rng.choices("abcdefghijkmnpqrstuvwxyz23456789", k=last - first))
        middle = f"{old[0]}{other}{old[1]}{new[0]}{secret[first:last]}{new[1]}"
        row = f"{line.before}{secret[:first]}{middle}{secret[last:]}{line.after}"
        if rng.random() < 0.4:
            row = f"{line.before}{old[0]}{other}{old[1]}{new[0]}{secret}{new[1]}{line.after}"
        return plain(chunks(row, room), line)

    return draw


# Over source lines


def _literals(head: str, each: str, last: str, tail: str = "", *, first: str = "") -> Layout:
    """String literals that a language joins: templates with {} for each piece."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        size = rng.randint(9, max(10, min(32, room - 24)))
        if len(line.secret) <= size:
            size = max(len(line.secret) // 2, 4)
        parts = chunks(line.secret, size)
        rows = [(first or each).format(parts[0]), *(each.format(part) for part in parts[1:-1])]
        rows.append(last.format(parts[-1]))
        return plain([row for row in (head, *rows, tail) if row], line)

    return draw


def _folded(head: str, indent: str, *, each: str = "{}") -> Layout:
    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        width = rng.randint(16, max(17, min(60, room - len(indent) - 2)))
        rows = chunks(line.secret, width)
        rows = [each.format(row) for row in rows[:-1]] + rows[-1:]
        return plain([head, *(indent + row for row in rows), "next: plain words"], line)

    return draw


# Dumped


def dump(row: Callable[[int, bytes], str], per: int, byte: str = "{:02x}") -> Layout:
    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        data = (line.text + "\n").encode()
        size = per
        while size > 2 and len(row(0, b"x" * size)) > room:
            size -= 2
        rows = [row(at, data[at : at + size]) for at in range(0, len(data), size)]
        form = "".join(map(byte.format, line.secret.encode()))
        return Drawing(rows, ((form, len(byte.format(0))), (line.secret, 1)))

    return draw


def shown(data: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)


def _xxd(at: int, data: bytes) -> str:
    return f"{at:08x}: {' '.join(chunks(data.hex(), 4)):39}  {shown(data)}"


def _hexdump(at: int, data: bytes) -> str:
    text = " ".join(chunks(data[:8].hex(), 2)) + "  " + " ".join(chunks(data[8:].hex(), 2))
    return f"{at:08x}  {text:48}  |{shown(data)}|"


def _od_hex(at: int, data: bytes) -> str:
    return f"{at:07o} {' '.join(chunks(data.hex(), 2)):47}  >{shown(data)}<"


def _od_chars(at: int, data: bytes) -> str:
    return f"{at:07o} " + "".join(
        f"  {chr(byte) if byte > 32 else chr(92) + 'n':>2}" for byte in data
    )


def _od_names(at: int, data: bytes) -> str:
    names = {10: "nl", 32: "sp"}
    return f"{at:07o} " + "".join(f" {names.get(byte, chr(byte)):>3}" for byte in data)


def _wireshark(at: int, data: bytes) -> str:
    return f"{at:04x}   {' '.join(chunks(data.hex(), 2)):47}   {shown(data)}"


def _hex_only(_at: int, data: bytes) -> str:
    return data.hex()


def _c_array(_at: int, data: bytes) -> str:
    return "  " + " ".join(f"0x{byte:02x}," for byte in data)


TUNING: dict[str, Layout] = {
    "base64 of the line": _encoded(base64.b64encode, "$ base64 < .env", whole=True),
    "\\u escapes": _escaped(lambda char: f"\\u{ord(char):04x}", '"'),
    "% escapes": _escaped(lambda char: f"%{ord(char):02X}"),
    "quoted-printable": _quoted_printable,
    "less -S": _chopped(">", "<"),
    "cut by ...": begin_alone("..."),
    "end alone": _end_alone("...", "…", "ends with ", "****"),
    "**** in the middle": _hidden("*"),
    "... in the middle": _hidden("...", "…"),
    "two columns": _columns(2, "   "),
    "minimap": _beside("⠁⠃⠇⡇⣇⣿⣶⠶ ", 10),
    "a glyph after each row": _glyph(("↩", " ↵", "⏎", " ⤶", "\\")),
    "psql wrapped": _psql((".", "."), "|"),
    "psql newlines": _psql(("+", " "), "|"),
    "nano": _editor(">", "<"),
    "word-diff": _word_diff(("[-", "-]"), ("{+", "+}")),
    "Python literals": _literals("KEY = (", '    "{}"', '    "{}"', ")"),
    "JavaScript literals": _literals("", "  '{}' +", "  '{}';", first="const key = '{}' +"),
    "YAML >-": _folded("key: >-", "  "),
    "xxd": dump(_xxd, 16),
    "hexdump -C": dump(_hexdump, 16),
    "od -c": dump(_od_chars, 16),
    "ASCII minimap": _beside("_-=.:' ", 8),
    "cut by (truncated)": begin_alone(" (truncated)"),
    "chopped without a mark": _chopped(""),
    "cut by [+n chars]": begin_alone(" [+24 chars]"),
    "od -a": dump(_od_names, 16),
    "a spark line": _beside("▁▂▃▅▇ ", 9),
    "cut by bytes omitted": begin_alone("<... 32 bytes omitted ...>"),
    "cut by ellipsis and count": begin_alone("… (32 more)"),
    "base64url in JSON": _encoded(base64.urlsafe_b64encode, '{"data": "', whole=False),
    "base64 in a manifest": _encoded(base64.b64encode, "  value: ", whole=False),
    "\\x escapes": _escaped(lambda char: f"\\x{ord(char):02x}", "'"),
    "octal escapes": _escaped(lambda char: f"\\{ord(char):03o}", "$'"),
    "HTML entities": _escaped(lambda char: f"&#{ord(char):03};"),
    "\\u{} escapes": _escaped(lambda char: f"\\u{{{ord(char):x}}}", "`"),
    "quoted-printable, every letter": _quoted_printable_whole,
    "chopped by …": _chopped("…", "…"),
    "chopped by $": _chopped("$", "$"),
    "cut by [...]": begin_alone("[...]"),
    "cut by ..": begin_alone(".."),
    "end alone, named": _end_alone("ending in ", "last characters: ", "suffix ", "(…", close=")"),
    "•••• in the middle": _hidden("•", "●"),
    "xxxx in the middle": _hidden("x", "X", "#"),
    "words in the middle": _hidden("[hidden]", "<snip>", "[MASKED]", "<redacted>"),
    "blocks in the middle": _hidden("█", "▒", "░"),
    "three columns": _columns(3, "  "),
    "columns with a bar": _columns(2, " | "),
    "a scroll bar": _beside("█░", 1),
    "other glyphs after each row": _glyph(("»", " ¶", "→", " ⮐", " ⏷", "~")),
    "a mark before each row": _glyph(("↪ ", "+++ ", "» ", "│ ", ">> "), before=True),
    "a time before each row": _stamped,
    "psql old-ascii": _psql((" ", ":"), "|"),
    "psql unicode": _psql(("…", "…"), "│"),
    "psql carriage returns": _psql(("↵", " "), "│"),
    "emacs": _editor("$", "$"),
    "vim's listchars": _editor("›", "‹"),
    "critic markup": _word_diff(("{--", "--}"), ("{++", "++}")),
    "tags of a diff": _word_diff(("<del>", "</del>"), ("<ins>", "</ins>")),
    "Lua literals": _literals("", '  .. "{}"', '  .. "{}"', first='key = "{}"'),
    "Visual Basic literals": _literals("", '    "{}" & _', '    "{}"', first='key = "{}" & _'),
    "appended": _literals("", 'sb.append("{}");', 'sb.append("{}");', "return sb.toString();"),
    "shell +=": _literals("", 'key+="{}"', 'key+="{}"', first='key="{}"'),
    "a list to join": _literals("parts = [", '  "{}",', '  "{}",', '].join("")'),
    "concat!": _literals("const KEY: &str = concat!(", '    "{}",', '    "{}"', ");"),
    "YAML |": _folded("key: |", "    "),
    "TOML \\": _folded('key = """\\', "  ", each="{}\\"),
    "properties \\": _folded("key=\\", "    ", each="{}\\"),
    "od -t x1z": dump(_od_hex, 16),
    "packet bytes": dump(_wireshark, 16),
    "xxd -p": dump(_hex_only, 30),
    "a C array": dump(_c_array, 12, "0x{:02x}"),
}  # fmt: skip
NAMELESS = {
    "Python literals", "JavaScript literals", "YAML >-", "base64url in JSON", "base64 in a manifest",
    "Lua literals", "Visual Basic literals", "appended", "shell +=", "a list to join", "concat!",
    "YAML |", "TOML \\", "properties \\",
}  # fmt: skip
"""Layouts that show the secret without its name: what only a name tells is not drawn in them."""
