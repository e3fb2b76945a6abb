"""The same set's views: tables, wraps, editors, cuts and dumps that part a secret's letters.

Data for `elsewhere.py`, under the rules of `layouts_heldout.py`.
"""

# ruff: noqa: E501 - a row of a program reads best as one line

import json
import pprint
import random
import re
import textwrap
from collections.abc import Callable, Sequence

from benchmarks.redact.layouts import Drawing, Layout, Line
from benchmarks.redact.layouts_heldout import as_read, broken, cut, filled, named

Table = Callable[[str, str, int], list[str]]


# Tables: name, value and room to rows


def _table(show: Table) -> Layout:
    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        return as_read(show(*named(line), room), room, line)

    return draw


def _cells(edge: str, name: str, value: str, room: int, most: int = 60) -> list[str]:
    """A row of a table, its cells broken inside."""
    first = min(len(name), 16)
    second = max(min(room - first - 7, most), 10)
    names, values = cut(name, first), cut(value, second)
    count = max(len(names), len(values))
    names, values = (part + [""] * (count - len(part)) for part in (names, values))
    return [
        f"{edge} {a:{first}} {edge} {b:{second}} {edge}" for a, b in zip(names, values, strict=True)
    ]


def _ruled(marks: str, rows: Sequence[str]) -> str:
    """A rule that fits a row of cells: its left, line, crossing and right."""
    left, along, crossing, right = marks
    parts = re.split(r"[│|┆]", rows[0])[1:-1]
    return left + crossing.join(along * len(part) for part in parts) + right


def _tabulate(name: str, value: str, room: int) -> list[str]:
    rows = _cells("|", name, value, room, 32)
    edge = _ruled("+-++", rows)
    return [edge, *rows, edge]


def _nushell(name: str, value: str, room: int) -> list[str]:
    rows = _cells("│", name, value, room, 48)
    return [_ruled("╭─┬╮", rows), *rows, _ruled("╰─┴╯", rows)]


def _openstack(name: str, value: str, _room: int) -> list[str]:
    field = max(len(name), 10)
    rows = [f"| {key:{field}} | {told} |" for key, told in ((name, value), ("updated_at", "2026-11-21T10:00:01".ljust(len(value))))]  # fmt: skip
    return [_ruled("+-++", rows[:1]), *rows, _ruled("+-++", rows[:1])]


def _duckdb(name: str, value: str, room: int) -> list[str]:
    """The middle of a long value is left out, as the box renderer does."""
    width = max(min(room - len(name) - 9, 40), 12)
    told = value if len(value) <= width else value[: width - 1] + "…"
    rows = [f"│ {name} │ {told:{width}} │"]
    return [_ruled("┌─┬┐", rows), *rows, _ruled("└─┴┘", rows)]


def _typer(name: str, value: str, room: int) -> list[str]:
    """Help in a box, the default in its last column."""
    inner = max(room - 36, 10)
    told = [
        *textwrap.wrap(f"[env var: {name}]", inner),
        *textwrap.wrap(f"[default: {value}]", inner),
    ]
    rows = [
        f"│ {'--key' if not at else '':8} {'TEXT' if not at else '':6}  {part:{room - 21}} │"
        for at, part in enumerate(told)
    ]
    return ["╭─ Options " + "─" * (room - 12) + "╮", *rows, "╰" + "─" * (room - 2) + "╯"]


def _argparse(name: str, value: str, room: int) -> list[str]:
    told = textwrap.wrap(f"value of {name} (default: {value})", max(room - 26, 11))
    return ["options:", "  -h, --help            show this help message and exit", "  --key KEY             " + told[0], *(" " * 24 + part for part in told[1:])]  # fmt: skip


# Wraps and panes


def _fold(size: int) -> Layout:
    """A screen so narrow that every line breaks."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        rows = [filled(row, line, rng) for row in ("⟨env⟩", "⟨text⟩", "⟨env⟩")]
        return as_read(broken(rows, min(size, room)), room, line)

    return draw


def _sed_list(line: Line, room: int, _rng: random.Random) -> Drawing:
    """`sed -n l` ends a broken row by a backslash and a line by a dollar."""
    rows = cut(line.text.replace("\\", "\\\\"), min(69, room - 1))
    return as_read([*(row + "\\" for row in rows[:-1]), rows[-1] + "$"], room, line)


def _typed(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A command in a narrow pane, with a status line below and a border at its right."""
    inner = max(room // 2 - 1, 12)
    rows = [*cut("dev@ci:/srv/app$ " + line.text, inner), "dev@ci:/srv/app$"]
    side = ["PASS test/ring.test.ts", "PASS test/retry.test.ts", "", "Tests: 41 passed", ""]
    rows = [f"{row:{inner}}│{side[at % 5][: room - inner - 1]}" for at, row in enumerate(rows)]
    return as_read(rows, room, line)


def _icdiff(line: Line, room: int, rng: random.Random) -> Drawing:
    """Two files next to each other, broken at half of the width."""
    half = max((room - 1) // 2, 12)
    old = cut(filled("⟨name⟩=changeme", line, rng), half)
    new = cut(line.text, half)
    old += [""] * (len(new) - len(old))
    pairs = zip(old, new + [""] * (len(old) - len(new)), strict=True)
    rows = [f"{'.env.old':{half}} {'.env':{half}}"[:room], *(f"{a:{half}} {b}" for a, b in pairs)]
    return as_read(rows, room, line)


def _vimdiff(line: Line, room: int, rng: random.Random) -> Drawing:
    """Two windows that do not wrap: the right of a long line is not drawn."""
    half = max((room - 1) // 2, 12)
    lead = line.before[-(half - 14) :]
    told = [
        filled("  ⟨env⟩", line, rng),
        f"  {lead}{line.secret}{line.after}",
        filled("  ⟨env⟩", line, rng),
    ]
    rows = [f"{a[:half]:{half}}│{b[:half]}" for a, b in zip([told[0], "  " + "-" * half, told[2]], told, strict=True)]  # fmt: skip
    return as_read([*rows, f"{'.env.old':{half}} {'.env [+]':{half}}"[:room]], room, line)


def _floating(line: Line, room: int, rng: random.Random) -> Drawing:
    """A window of help that floats over wrapped text and hides a part of each row."""
    rows = cut(" ".join(filled(row, line, rng) for row in ("⟨env⟩", "⟨text⟩", "⟨env⟩")), room)
    size = room // 3
    at = rng.randrange(4, room - size - 9)
    help_rows = ["╭" + "─" * (size - 2) + "╮", "│" + "(variable)".ljust(size - 2)[: size - 2] + "│", "╰" + "─" * (size - 2) + "╯"]  # fmt: skip
    first = rng.randrange(max(len(rows) - 2, 1))
    for nth, help_row in enumerate(help_rows):
        if first + nth < len(rows):
            row = rows[first + nth].ljust(at + size)
            rows[first + nth] = row[:at] + help_row + row[at + size :]
    return as_read(rows, room, line)


def _quickfix(line: Line, room: int, rng: random.Random) -> Drawing:
    return as_read([filled(row, line, rng) for row in (".env|12 col 1| ⟨env⟩", ".env|14 col 1| ⟨text⟩", "~", "[Quickfix List] :vimgrep /KEY/ .env*")], room, line)  # fmt: skip


# Cut at either end, or in the middle


def _shell_cut(head: str, show: Callable[[Line, int], str], tail: str = "") -> Layout:
    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        size = rng.randint(10, max(10, len(line.secret) - 4))
        return as_read([filled(head, line, rng), show(line, size), *filter(None, [tail])], room, line)  # fmt: skip

    return draw


def _hunk_header(line: Line, room: int, rng: random.Random) -> Drawing:
    """Git shows 80 bytes of the line that it takes for a function's head."""
    told = (line.before[-60:].lstrip() + line.secret + line.after)[:80]
    return as_read(["--- a/settings.sh", "+++ b/settings.sh", f"@@ -14,6 +14,7 @@ {told}", filled(" ⟨env⟩", line, rng), "+PORT=8081"], room, line)  # fmt: skip


def _compared(line: Line, room: int, rng: random.Random) -> Drawing:
    """JUnit puts what differs in brackets and shows 20 characters around it."""
    secret = line.secret
    first = rng.randint(1, len(secret) - 2)
    last = rng.randint(first + 1, len(secret) - 1)
    before = secret[:first] if first <= 20 else "..." + secret[first - 20 : first]
    after = secret[last:] if len(secret) - last <= 20 else secret[last : last + 20] + "..."
    row = f"org.junit.ComparisonFailure: {named(line)[0]} expected:<{before}[changed]{after}> but was:<{before}[{secret[first:last]}]{after}>"
    return as_read([row, "\tat org.junit.Assert.assertEquals(Assert.java:117)", "\tat com.example.ring.ConfigTest.readsEnv(ConfigTest.java:41)"], room, line)  # fmt: skip


def _loguru(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Values under the code that used them, of 128 characters at most."""
    name, value = named(line)
    told = repr(value)
    told = told if len(told) <= 128 else told[:125] + "..."
    return as_read(['  File "/srv/app/main.py", line 14, in connect', f"    client = Client({name})", f"             │      └ {told}", "             └ <class 'app.client.Client'>"], room, line)  # fmt: skip


def _viewer(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A JSON viewer that shows a row of each value."""
    name, value = named(line)
    row = f'      {name}: "{value}"'
    row = row if len(row) <= room else row[: room - 1] + "…"
    return as_read(["  ▽ api:", "    ▽ env:", row, '      TZ: "UTC"', "    port: 8080"], room, line)


# Letter by letter, and in pieces


def _letters(show: Callable[[int, str], str], before: str, after: str, sep: str = "\n", *, most: int = 0) -> Layout:  # fmt: skip
    """Every letter apart; `most` of them, where the program leaves out the rest."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        told = [show(at, char) for at, char in enumerate(line.text)]
        start = len(line.before)
        form = "".join(told[start : start + len(line.secret)])
        if most and len(told) > most:
            told[most:] = [f"\n  ... {len(told) - most} more items"]
        rows = (before + sep.join(told) + after).split("\n")
        return Drawing(broken(rows, room), ((form, len(form) / len(line.secret)),))

    return draw


def _pieces(text: str, rng: random.Random) -> list[str]:
    parts: list[str] = []
    while text:
        parts.append(text[: rng.randint(2, 5)])
        text = text[len(parts[-1]) :]
    return parts


def _in_pieces(show: Callable[[str], str], before: str, after: str, sep: str = "\n") -> Layout:
    """Pieces of a few letters, each in an object of its own."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        lead, inside, rest = (
            [show(part) for part in _pieces(text, rng)]
            for text in (line.before, line.secret, line.after)
        )
        rows = (before + sep.join([*lead, *inside, *rest]) + after).split("\n")
        return Drawing(broken(rows, room), ((sep.join(inside), 1), (line.secret, 1)))

    return draw


def _send_keys(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A driver's log names the text twice: whole, and as a list of letters."""
    told = json.dumps({"text": line.secret, "value": [*line.secret]})
    row = f"DEBUG:selenium.webdriver.remote.remote_connection:POST http://localhost:52731/session/1f0c2b7d/element/f.3A1/value {told}"
    return as_read([row], room, line)


def _chunked(line: Line, room: int, rng: random.Random) -> Drawing:
    """The chunks of a raw answer, each under its size."""
    rows, at = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", ""], 0
    text = filled('{"note":"⟨line⟩"}', line, rng)
    while at < len(text):
        part = text[at : at + rng.randrange(12, 48)]
        rows += [f"{len(part):x}", part]
        at += len(part)
    return as_read([*rows, "0", ""], room, line)


def _pretty_bytes(line: Line, room: int, _rng: random.Random) -> Drawing:
    rows = pprint.pformat({"body": line.text.encode(), "size": len(line.text)}, width=min(room, 72))
    return as_read(rows.split("\n"), room, line)


# Dumped as bytes


def _dump(show: Callable[[int, bytes], str], head: Sequence[str] = (), digits: Callable[[bytes], str] = bytes.hex,
          *, per: int = 16) -> Layout:  # fmt: skip
    """Rows of so many bytes."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        data = line.text.encode() + b"\n"
        rows = [show(at, data[at : at + per]) for at in range(0, len(data), per)]
        form = digits(line.secret.encode())
        forms = ((form, len(form) / len(line.secret)), (line.secret, 1))
        return Drawing(broken([*head, *rows], room), forms)

    return draw


def _seen(data: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)


def _upper(data: bytes) -> str:
    return data.hex(" ").upper()


def _pairs(data: bytes, size: int, sep: str = " ") -> str:
    return sep.join(data[at : at + size].hex(" ") for at in range(0, len(data), size))


def _decimal(data: bytes) -> str:
    return "".join(map(str, data))


def _little(data: bytes) -> str:
    return " ".join(data[at : at + 4][::-1].hex().rjust(8) for at in range(0, len(data), 4))


_SCALE = "     " + "  ".join(f"{digit:x}" for digit in range(16)) + "    0123456789abcdef"
_OFFSETS = " ".join(f"{digit:02X}" for digit in range(16))
HELDOUT_VIEWS: dict[str, Layout] = {
    "tabulate": _table(_tabulate), "nushell table": _table(_nushell), "openstack": _table(_openstack), "DuckDB": _table(_duckdb),
    "typer help": _table(_typer), "argparse help": _table(_argparse),
    "fold -w 40": _fold(40), "phone terminal": _fold(33), "sed -n l": _sed_list, "narrow pane": _typed, "icdiff": _icdiff,
    "vimdiff": _vimdiff, "floating window": _floating, "vim quickfix": _quickfix,
    "head -c": _shell_cut("$ head -c 200 .env", lambda line, size: line.before + line.secret[:size] + "$ "),
    "tail -c": _shell_cut("$ tail -c 120 .env", lambda line, size: line.secret[-size:] + line.after, "$ "),
    "cut -c": _shell_cut("$ cut -c1-64 .env", lambda line, size: line.before + line.secret[:size], "PORT=8080"),
    "shell substring": _shell_cut('$ echo "${⟨name⟩:0:24}...${⟨name⟩: -12}"', lambda line, _size: line.secret[:24] + "..." + line.secret[-12:]),
    "grep -o": _shell_cut("$ grep -o '.\\{0,30\\}⟨name⟩.\\{0,40\\}' bundle.js", lambda line, size: "return fetch(u,{h:" + line.before + line.secret[:size]),
    "hunk header": _hunk_header, "ComparisonFailure": _compared, "loguru diagnose": _loguru, "jless": _viewer,
    "chai": _shell_cut("  1) config reads ⟨name⟩:", lambda line, _size: f"     AssertionError: expected '{line.secret[:37]}{'…' if len(line.secret) > 37 else ''}' to equal 'changeme'"),
    "ltrace": _shell_cut("getenv(\"HOME\")                                  = \"/root\"", lambda line, _size: f'setenv("{named(line)[0]}", "{named(line)[1][:32]}"{"..." if len(named(line)[1]) > 32 else ""}, 1) = 0'),
    "print_r": _letters(lambda at, char: f"    [{at}] => {char}", "Array\n(\n", "\n)"),
    "UTF-16 in cat -v": _letters(lambda _at, char: char + "^@", "$ cat -v notes.txt\nM-^?M-~", "", ""),
    "typed array": _letters(lambda at, char: ("" if at % 12 else "\n ") + f"{ord(char):>4},", "> new TextEncoder().encode(line)\nUint8Array(96) [", "\n]", "", most=100),
    "Scala bytes": _letters(lambda _at, char: str(ord(char)), "scala> line.getBytes\nval res0: Array[Byte] = Array(", ")", ", "),
    "Oracle DUMP": _letters(lambda _at, char: str(ord(char)), "SQL> SELECT DUMP(note) FROM notes;\n\nDUMP(NOTE)\n--------------------------------\nTyp=1 Len=96: ", "", ","),
    "streamed answer": _in_pieces(lambda part: f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': part}}]}, separators=(',', ':'))}\n", "$ curl -N localhost:8000/v1/chat/completions -d @ask.json\n", "\ndata: [DONE]"),
    "tokens": _in_pieces(repr, ">>> tokenizer.tokenize(line)\n[", "]", ", "),
    "send keys": _send_keys, "chunked": _chunked, "pprint of bytes": _pretty_bytes,
    "Format-Hex": _dump(lambda at, row: f"{at:016X} {_upper(row):47} {_seen(row)}", ["   Label: String (System.String) <2B7C1F0E>", "", "          Offset Bytes                                           Ascii", f"                 {_OFFSETS}", f"          ------ {'-' * 47} -----"]),
    "nushell binary": _dump(lambda at, row: f"{at:08x}:   {_pairs(row, 4, '  '):51}   {_seen(row)}", ["Length: 96 (0x60) bytes | printable whitespace ascii_other non_ascii"]),
    "hexl": _dump(lambda at, row: f"{at:08x}: {' '.join(cut(row.hex(), 4)):39}  {_seen(row)}", ["87654321  0011 2233 4455 6677 8899 aabb ccdd eeff  0123456789abcdef"]),
    "xxd -e": _dump(lambda at, row: f"{at:08x}: {_little(row):35}   {_seen(row)}"),
    "od -tu1": _dump(lambda _at, row: "".join(f"{byte:>4}" for byte in row), ["$ od -An -v -tu1 note.txt"], _decimal),
    "i2cdump": _dump(lambda at, row: f"{at % 256:02x}: {row.hex(' '):47}    {_seen(row)}", [_SCALE]),
    "snmpwalk": _dump(lambda at, row: ("" if at else "SNMPv2-SMI::enterprises.9.1.4 = Hex-STRING: ") + _upper(row) + " "),
    "smart card": _dump(lambda _at, row: f"{_upper(row):47} {_seen(row)}", ["Received (SW1=0x90, SW2=0x00):"]),
}  # fmt: skip
NAMELESS = {"tail -c", "shell substring", "chai", "vimdiff", "send keys"}
