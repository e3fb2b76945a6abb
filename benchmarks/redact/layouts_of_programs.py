"""How daily programs draw a secret, in layouts that judged twice and are tuned on now.

Data for `elsewhere.py`. `OF_PROGRAMS` maps a name to a layout; `NAMELESS` names those that may lose the
secret's name.
"""

# ruff: noqa: E501 - a layout is one entry of a table, and reads best as one line

import base64
import json
import random
import re
from collections.abc import Callable, Iterable

from benchmarks.redact.layouts import Drawing, Layout, Line, chunks, plain, prose
from benchmarks.redact.redactor import unbroken

__all__ = ["NAMELESS", "OF_PROGRAMS", "as_fields", "cut", "in_rows", "listed", "wrapped"]

Part = tuple[str, str, str]
"""What is drawn before a piece, the piece, what is drawn after it."""


def in_rows(line: Line, parts: Iterable[Part], head: str = "", foot: str = "") -> Drawing:
    """Pieces of the line, one a row. Read across the rows, the secret has the rows' signs in it."""
    begin, end = len(line.before), len(line.before) + len(line.secret)
    at, across = 0, ""
    lines: list[str] = head.splitlines()
    for before, piece, after in parts:
        until = at + len(piece)
        across += before if begin < at < end else ""
        across += piece[max(begin - at, 0) : max(end - at, 0)]
        across += after if begin < until < end else ""
        lines.append(before + piece + after)
        at = until
    lines += foot.splitlines()
    return Drawing(lines, ((line.secret, 1), (across, len(across) / len(line.secret))))


def wrapped(
    first: str, rest: str, end: str = "", *, head: str = "", foot: str = "", last: str = ""
) -> Layout:
    """A long line broken into rows: a lead for the first and one for the others, a sign at the end."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        size = max(room - max(len(first), len(rest)) - len(end), 12)
        pieces = chunks(line.text, size)
        rows = [
            (rest if n else first, piece, end if n < len(pieces) - 1 else last)
            for n, piece in enumerate(pieces)
        ]
        return in_rows(line, rows, head, foot)

    return draw


def _in_json(before: str, after: str) -> Layout:
    """A string of a long JSON line that the terminal breaks hard."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        a, b, c = (json.dumps(part)[1:-1] for part in line)
        whole = Line(before + a, b, c + after)
        return in_rows(whole, [("", piece, "") for piece in chunks(whole.text, room)])

    return draw


def _assigned(line: Line) -> tuple[str, str]:
    """The name that the secret is given to, and the secret; else a plain name and the whole line.

    A name that tells nothing without the rest of its line is none.
    """
    found = re.search(r"([A-Za-z_][A-Za-z0-9_.-]{2,})[\"']?\s?[=:]\s?[\"']?$", line.before)
    if found is not None:
        start = len(found[1]) + 3
        told = f'{found[1]}: "{line.secret}"'
        if unbroken(("", told, start, start + len(line.secret))):
            return found[1], line.secret
    return "value", line.text


def as_fields(template: str) -> Layout:
    """The name and the value where a program puts them; a row that is too long is broken hard."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        name, value = _assigned(line)
        rows = template.replace("<N>", name).replace("<V>", value).split("\n")
        return plain([piece for row in rows for piece in chunks(row, room) or [""]], line)

    return draw


def listed(form: Callable[[int], str], gap: str, head: str, foot: str, per: int) -> Layout:
    """The bytes of the line as numbers in rows."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        numbers = [form(one) for one in line.text.encode()]
        fit = max(min(per, (room - 8) // (len(form(255)) + len(gap))), 2)
        rows = [
            "    " + gap.join(numbers[at : at + fit]) + gap.rstrip()
            for at in range(0, len(numbers), fit)
        ]
        skip = len(line.before.encode())
        drawn = "".join(numbers[skip : skip + len(line.secret.encode())])
        return Drawing([head, *rows, foot], ((drawn, len(drawn) / len(line.secret)),))

    return draw


def _coded(template: str, code: Callable[[bytes], bytes], width: int = 0) -> Layout:
    """The line encoded, in one value or in rows of `width`."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        text = code(line.text.encode()).decode()
        rows = chunks(text, width or room) if width else [text]
        whole = template.replace("<V>", "\n".join(rows)).split("\n")
        form = code(line.secret.encode()).decode()
        shown = [piece for row in whole for piece in chunks(row, room) or [""]]
        return Drawing(shown, ((form, len(form) / len(line.secret)), (line.secret, 1)))

    return draw


def cut(mark: str, *, keep: float, lead: str = "", side: str = "end") -> Layout:
    """A value of which only a part is shown, with a mark where the rest was."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        size = max(int(len(line.secret) * keep), 10)
        if side == "end":
            text = line.before + line.secret[:size] + mark
        elif side == "start":
            text = mark + line.secret[-size:] + line.after
        else:
            half = size // 2
            text = line.before + line.secret[:half] + mark + line.secret[-half:] + line.after
        return Drawing(list(chunks(lead + text, room)), ((line.secret, 1),))

    return draw


def _side_by_side(left: int, bar: str) -> Layout:
    """Prose in a left pane, the line wrapped in a right one."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        width = max(room - left - len(bar), 16)
        pieces = chunks(line.text, width)
        return in_rows(line, [(prose(rng, left) + bar, piece, "") for piece in pieces])

    return draw


def _right_pane(bar: str, tail: int) -> Layout:
    """The line wrapped in a left pane, something else in a right one."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        width = max(room - tail - len(bar), 16)
        pieces = chunks(line.text, width)
        rows = [
            ("", piece, " " * (width - len(piece)) + bar + prose(rng, tail)) for piece in pieces
        ]
        return in_rows(line, rows)

    return draw


def _stepped(line: Line, room: int, rng: random.Random) -> Drawing:
    """A logger that puts a time and a level before each row that it breaks itself."""
    clock = rng.randrange(86400)
    rows: list[Part] = []
    for n, piece in enumerate(chunks(line.text, max(room - 32, 16))):
        at = clock + n
        rows.append(
            (
                f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.{rng.randrange(1000):03} DEBUG http ",
                piece,
                "",
            )
        )
    return in_rows(line, rows)


def _gutter(line: Line, room: int, rng: random.Random) -> Drawing:
    """An editor's gutter: a number, a sign of the fold, and no number where a line goes on."""
    number = rng.randrange(10, 900)
    pieces = chunks(line.text, max(room - 10, 16))
    return in_rows(
        line,
        [
            (f"{number:>5} ▾ │ " if not n else "      ↳ │ ", piece, "")
            for n, piece in enumerate(pieces)
        ],
    )


def _ruby_dump(line: Line, room: int, _rng: random.Random) -> Drawing:
    """`irb` prints a long string as literals joined by a backslash."""
    pieces = chunks(line.text, max(room - 12, 16))
    return in_rows(
        line,
        [
            ('   "' if n else '=> "', piece, '" \\' if n < len(pieces) - 1 else '"')
            for n, piece in enumerate(pieces)
        ],
    )


def _go_concat(line: Line, room: int, _rng: random.Random) -> Drawing:
    pieces = chunks(line.text, max(room - 16, 16))
    return in_rows(
        line,
        [
            ("\t\t`", piece, "` +" if n < len(pieces) - 1 else "`,")
            for n, piece in enumerate(pieces)
        ],
        head="\tconst blob = (",
    )


def _matrix(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Numpy shows an array of characters."""
    signs = [f"'{one}'" for one in line.text]
    fit = max((room - 8) // 4, 2)
    rows = ["[" + " ".join(signs[at : at + fit]) for at in range(0, len(signs), fit)]
    rows[-1] += "]"
    drawn = " ".join(f"'{one}'" for one in line.secret)
    return Drawing(rows, ((drawn, len(drawn) / len(line.secret)),))


def _vertical(line: Line, _room: int, _rng: random.Random) -> Drawing:
    """A tail in hexadecimal groups of four bytes with their characters behind a bar, as `hd -e` does."""
    data = (line.text + "\n").encode()
    rows: list[str] = []
    for at in range(0, len(data), 12):
        part = data[at : at + 12]
        groups = "  ".join(part[n : n + 4].hex().upper() for n in range(0, len(part), 4))
        shown = "".join(chr(one) if 32 <= one < 127 else "·" for one in part)
        rows.append(f"0x{at:06X} │ {groups:<28} │ {shown}")
    form = line.secret.encode().hex().upper()
    return Drawing(rows, ((form, 2), (line.secret, 1)))


def _binary_pairs(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Wireshark's follow-stream view: offset, pairs, text, with two spaces in the middle."""
    data = line.text.encode()
    rows: list[str] = []
    per = 4 if room < 60 else 8 if room < 96 else 16
    for at in range(0, len(data), per):
        part = data[at : at + per]
        left, right = part[: per // 2].hex(" "), part[per // 2 :].hex(" ")
        shown = "".join(chr(one) if 32 <= one < 127 else "." for one in part)
        rows.append(f"    {at:08X}  {left}  {right}".ljust(22 + per * 3) + shown)
    form = line.secret.encode().hex()
    return Drawing(rows, ((form, 2), (line.secret, 1)))


def _rot(line: Line, room: int, _rng: random.Random) -> Drawing:
    """One character a cell in a table that a screen reader shows."""
    cells = [f" {one} " for one in line.text]
    fit = max((room - 2) // 4, 4)
    rows = ["|" + "|".join(cells[at : at + fit]) + "|" for at in range(0, len(cells), fit)]
    drawn = " | ".join(line.secret)
    return Drawing(rows, ((drawn, len(drawn) / len(line.secret)),))


def _yaml_folded(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A double-quoted YAML scalar with escaped line ends."""
    pieces = chunks(line.text.replace('"', '\\"'), max(room - 8, 16))
    whole = Line(line.before.replace('"', '\\"'), line.secret, line.after.replace('"', '\\"'))
    return in_rows(
        whole,
        [
            ('data: "' if not n else "      \\", piece, "\\" if n < len(pieces) - 1 else '"')
            for n, piece in enumerate(pieces)
        ],
    )


def _status_bar(line: Line, room: int, rng: random.Random) -> Drawing:
    """A pane's title that is too long, cut by an angle mark; other rows around it."""
    title = f"[{rng.randrange(9)}] {line.text}"
    shown = title[: room - 14] + "› 12:41 ⎈ dev"
    return Drawing([prose(rng, room - 4), shown, prose(rng, room - 8)], ((line.secret, 1),))


OF_PROGRAMS: dict[str, Layout] = {
    # rows that a program breaks itself
    "structured log": _stepped,
    "editor gutter": _gutter,
    "irb": _ruby_dump,
    "Go raw strings": _go_concat,
    "YAML escaped line ends": _yaml_folded,
    "dmesg -H": wrapped("[Nov27 08:12] ", "[  +0.000003] "),
    "mail quote": wrapped("> > ", "> > "),
    "LaTeX listing": wrapped("  12  ", "      ", "\\hookleftarrow"),
    "Jupyter stderr": wrapped("      1 │ ", "        │ ", " ↩"),
    "MUD prefix": wrapped("│ stdout │ ", "│        │ ", " │"),
    "sql*plus": wrapped("VALUE  ", "       ", "-"),
    "docker build plain": wrapped("#12 0.412 ", "#12 0.412 "),
    "gradle": wrapped("> Task :run FAILED | ", "  ............... | "),
    "telnet transcript": wrapped("S: 250-", "S: 250-", head="C: EHLO client.example.test"),
    "FORTRAN cards": wrapped("      DATA S /'", "     &", "&", last="'/"),
    # values in fields
    "crictl inspect": as_fields('  "envs": [\n    {\n      "key": "<N>",\n      "value": "<V>"\n    }\n  ]'),
    "systemctl show": as_fields("Id=web.service\nEnvironment=MODE=dev <N>=<V> LANG=C\nFragmentPath=/etc/systemd/system/web.service"),
    "ps eww": as_fields("  4711 pts/2    Sl+    0:03 node server.js MODE=dev <N>=<V> HOME=/srv PATH=/usr/bin"),
    "Xcode build settings": as_fields("    export <N>\\=<V>\n    export PRODUCT_NAME\\=Shop"),
    "Vault table": as_fields("Key             Value\n---             -----\nlease_duration  768h\n<N>           <V>"),
    "gcloud describe": as_fields("spec:\n  template:\n    containers:\n    - env:\n      - name: <N>\n        value: <V>"),
    "Java properties dump": as_fields("-- listing properties --\nuser.dir=/srv\n<N>=<V>\nfile.separator=/"),
    "HAR header": as_fields('{"name": "<N>", "value": "<V>"},'),
    "Python repr of env": as_fields("environ({'LANG': 'C.UTF-8', '<N>': '<V>', 'PWD': '/srv'})"),
    "Elm record": as_fields('{ mode = "dev", <N> = "<V>", retries = 3 }'),
    "nginx debug": as_fields('2026/11/27 08:12:03 [debug] 31#31: *7 http script var: "<V>" for $<N>'),
    "XML attribute": as_fields('  <add key="<N>" value="<V>" lockItem="true" />'),
    "EDN": as_fields("{:mode :dev, :<N> \"<V>\", :retries 3}"),
    "SOAP fault": _in_json('{"level":"error","msg":"fault","request":"<Envelope><Body><run line=\\"', '\\"/></Body></Envelope>","took":12}'),
    "CloudWatch insight": _in_json('{"@timestamp":"2026-11-27 08:12:03.113","@message":"START RequestId ', '","@logStream":"2026/11/27/[$LATEST]"}'),
    # bytes as numbers
    "Java bytes": listed(lambda one: str(one - 256 if one > 127 else one), ", ", "[", "]", 16),
    "Rust bytes": listed(str, ", ", "    data: [", "    ]", 1),
    "Lisp codes": listed(str, " ", "(setq blob '(", "))", 14),
    "C octal array": listed(lambda one: f"0{one:03o}", ", ", "static const char blob[] = {", "};", 10),
    "Verilog words": listed(lambda one: f"8'h{one:02X}", ", ", "initial begin rom = '{", "}; end", 8),
    "assembler": listed(lambda one: f"0x{one:02x}", ",", "blob:   .byte", "        .size blob, .-blob", 8),
    "HL7 hex": _coded("OBX|1|ED|<V>|||F", lambda data: data.hex().upper().encode()),
    "numpy characters": _matrix,
    "cells": _rot,
    # dumps and codes
    "grouped dump": _vertical,
    "followed stream": _binary_pairs,
    "ascii85": _coded("<~<V>~>", base64.a85encode, 60),
    "base32": _coded("secret-blob: <V>", base64.b32encode, 56),
    "MIME base64": _coded("Content-Transfer-Encoding: base64\n\n<V>\n--b1--", base64.b64encode, 76),
    "base64 in a shell line": _coded("echo <V> | base64 -d > .env", base64.b64encode),
    "JWT-like cookie": _coded("set-cookie: state=<V>; Path=/; HttpOnly", lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")),
    "CSS escapes": _coded("content: \"<V>\";", lambda data: "".join(f"\\{one:04x} " for one in data).encode()),
    "SQL char()": _coded("SELECT <V>;", lambda data: "||".join(f"CHAR({one})" for one in data).encode()),
    # only a part is seen
    "k9s cut": cut("…", keep=0.6, lead="default  web-0  "),
    "Postgres log cut": cut("<cut>", keep=0.7, lead="LOG:  statement: "),
    "spinner line": cut("⠋", keep=0.5, lead="running "),
    "left cut": cut("«", keep=0.6, side="start"),
    "breadcrumb": cut(" ⋯ ", keep=0.6, side="middle"),
    "pager at a column": cut(">>", keep=0.8),
    "tooltip": cut(" (more)", keep=0.7, lead="ⓘ "),
    "pane title": _status_bar,
    # columns
    "prose on the left": _side_by_side(24, " ║ "),
    "a tree on the left": _side_by_side(14, "▏"),
    "a log on the right": _right_pane(" ┆ ", 20),
}  # fmt: skip

NAMELESS = {"left cut", "pane title", "sql*plus"}
