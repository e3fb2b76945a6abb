"""The same set's views: cuts, panes, wraps and literals that break a secret in its own letters.

Data for `elsewhere.py`, under the rules of `layouts_of_encoders.py`.
"""

# ruff: noqa: E501 - a layout is one entry of a table, and reads best as one line

import json
import random
from collections.abc import Callable, Sequence

from benchmarks.redact.layouts import Drawing, Layout, Line
from benchmarks.redact.layouts_of_encoders import cut, fit, hexes

_STAMP = "2026-11-21T10:{:02}:07.{:07}Z "


def _compact(told: object) -> str:
    return json.dumps(told, separators=(",", ":"))


def _continued(line: Line, room: int, _rng: random.Random) -> Drawing:
    parts = cut(line.text.replace('"', ""), min(60, room - 14))
    rows = ["Content-Type: text/plain; charset=utf-8", "Content-Disposition: attachment;"]
    rows += [
        f' filename*{at}="{part}"' + (";" if at < len(parts) - 1 else "")
        for at, part in enumerate(parts)
    ]
    return Drawing(fit(rows, room), ((line.secret, 1),))


def _typed(line: Line, room: int, rng: random.Random) -> Drawing:
    """A recording of a terminal in which a person types, a key a row."""
    rows, at = ['{"version": 2, "width": 80, "height": 24, "timestamp": 1763719200}'], 1.0
    places: list[int] = []
    for char in line.text:
        at += rng.uniform(0.04, 0.3)
        places.append(len(rows))
        rows.append(json.dumps([round(at, 6), "o", char]))
    start = len(line.before) + 1
    form = "".join(rows[start : start + len(line.secret)])
    return Drawing(fit(rows, room), ((form, 1),))


def _lettered(
    show: Callable[[int, str], str], head: Sequence[str] = (), tail: Sequence[str] = ()
) -> Layout:
    """A letter a row."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        rows = [show(at, char) for at, char in enumerate(line.text)]
        start = len(line.before)
        form = "".join(rows[start : start + len(line.secret)])
        return Drawing(fit([*head, *rows, *tail], room), ((form, len(form) / len(line.secret)),))

    return draw


def _side_by_side(line: Line, room: int, rng: random.Random) -> Drawing:
    """Two panes of a multiplexer; the left one broke the line."""
    half = max(room // 2 - 1, 12)
    left = [*cut("$ cat notes.env", half), *cut(line.text, half), "$ "]
    right = [
        "  PID USER      %CPU COMMAND",
        "    1 root       0.0 init",
        " 8412 dev       97.3 node",
        " 8420 dev        3.1 vite",
        " 8533 dev        0.7 git",
    ]
    return Drawing(
        [
            f"{row:<{half}}│{rng.choice(right) if at else right[0]}"[:room]
            for at, row in enumerate(left)
        ],
        ((line.secret, 1),),
    )


def _preview(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A fuzzy finder's list with the file's text next to it."""
    half = room // 2
    inner = max(room - half - 4, 8)
    body = [part if not at else "↳ " + part for at, part in enumerate(cut(line.text, inner - 2))]
    names = [
        "  src/app.ts",
        "  src/env.ts",
        "▌ .env.local",
        "  README.md",
        "  5/482 ───────",
        "> env",
    ]
    rows = [f"{'':{half}}╭{'─' * (inner + 1)}╮"]
    for at in range(max(len(body), len(names))):
        name = names[at] if at < len(names) else ""
        rows.append(f"{name:{half}}│ {body[at] if at < len(body) else '':{inner}}│"[:room])
    return Drawing(rows, ((line.secret, 1),))


def _stamped(stamp: Callable[[int], str]) -> Layout:
    """A program that breaks at 80 columns, under a log that stamps each row."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        rows = [
            stamp(at) + part
            for at, part in enumerate(
                ["Run ./deploy.sh", *cut(line.text, rng.choice((40, 60, 80))), "done"]
            )
        ]
        return Drawing(fit(rows, room), ((line.secret, 1),))

    return draw


def _joined(
    before: Callable[[int], str], first: str, close: str, last: str, per: int = 22
) -> Layout:
    """A literal that the source's author split over rows."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        parts = cut(line.text, per + rng.randrange(6))
        rows = [
            before(at) + first + part + (close if at < len(parts) - 1 else last)
            for at, part in enumerate(parts)
        ]
        return Drawing(fit(rows, room), ((line.secret, 1),))

    return draw


def _short(show: Callable[[str, int], str], head: str = "", tail: str = "") -> Layout:
    """The secret alone, shortened by the program."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        return Drawing(fit([head + show(line.secret, room) + tail], room), ((line.secret, 1),))

    return draw


def _middle(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most // 2 - 2] + "..." + text[-most // 2 + 2 :]


def _guided(line: Line, room: int, rng: random.Random) -> Drawing:
    """An assertion's comparison: two lines, and marks where they differ."""
    at = rng.randrange(len(line.text))
    other = line.text[:at] + "#" + line.text[at + 1 :]
    rows = [
        "E       AssertionError: assert equal",
        f"E         - {other}",
        "E         ? " + " " * at + "^",
        f"E         + {line.text}",
        "E         ? " + " " * at + "^",
    ]
    return Drawing(fit(rows, room), ((line.secret, 1),))


def _peek(line: Line, _room: int) -> list[str]:
    return [
        f'  PV = 0x55ae562ce640 "{line.text}"\\0',
        f"  CUR = {len(line.text)}",
        f"  LEN = {len(line.text) + 2}",
    ]


def _wrapped_cell(line: Line, room: int) -> list[str]:
    """A client's table in its wrapped form: dots where a cell goes on."""
    parts = cut(line.text, inner := max(room - 14, 10))
    last = len(parts) - 1
    return [
        f" {7 if not at else '':>4} |{'.' if at else ' '}{part:{inner}}{'.' if at < last else ' '}"
        for at, part in enumerate(parts)
    ]


def _boxed_cell(line: Line, room: int) -> list[str]:
    parts = cut(line.text, inner := max(min(room - 16, 40), 8))
    return [f"│ {'note' if not at else '':6} ┆ {part:{inner}} │" for at, part in enumerate(parts)]


def _locals_box(line: Line, room: int) -> list[str]:
    inner = max(room - 4, 12)
    rows = ["│ │    row = " + part for part in cut(repr(line.text), inner - 14)][:1]
    rows += ["│ │          " + part for part in cut(repr(line.text), inner - 14)[1:]]
    return [f"{row:{room - 4}} │ │" for row in rows]


def _graph(line: Line, _room: int) -> list[str]:
    return [
        "| | @@ -3,2 +3,3 @@ services:",
        "| |    image: app",
        "| | +" + line.text,
        "| |  ports:",
    ]


def _plain(
    head: Sequence[str], show: Callable[[Line, int], Sequence[str]], tail: Sequence[str] = ()
) -> Layout:
    """The secret's own letters, broken by what the program puts between."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        return Drawing(fit([*head, *show(line, room), *tail], room), ((line.secret, 1),))

    return draw


OF_VIEWS: dict[str, Layout] = {
    "lldb vector": _lettered(lambda at, char: f"  [{at}] = '{char}'", ["(std::vector<char>) key = size=96 {"], ["}"]),
    "interceptty": _lettered(lambda _at, char: f"<   0x{ord(char):02x} ({char})"),
    "parameter continuations": _continued,
    "typed in a recording": _typed,
    "panes": _side_by_side,
    "fuzzy preview": _preview,
    "hosted CI log": _stamped(lambda at: _STAMP.format(at, at * 1371 % 9999999)),
    "compose prefix": _stamped(lambda _at: "payments-api-1  | "),
    "kubectl prefix": _stamped(lambda _at: "[pod/api-7d9c5b7c9f-x2lqv/api] "),
    "blame of a split literal": _joined(lambda at: f"^a1b2c3d{at % 10} (Jane Doe 2026-03-0{1 + at % 9} 10:00:00 +0100 {41 + at})     ", '"', '" +', '"'),
    "adjacent literals": _joined(lambda at: f"{12 + at:6}\t    ".expandtabs(8), '"', '"', '";'),
    "Erlang adjacent": _joined(lambda at: "    " if at else "{state,<<", '"', '"', '">>}'),
    "string gap": _joined(lambda at: "        \\" if at else 'note = "', "", "\\", '"'),
    "compared lines": _guided,
    "graph of a log": _plain(["| * commit 1f0c2b7", "| | Author: Jane Doe <jane@example.test>"], _graph),
    "word diff": _plain(["@@ -1,3 +1,3 @@"], lambda line, _room: [f"{line.before}[-changeme-]{{+{line.secret}+}}{line.after}"]),
    "conflict": _plain(["++<<<<<<< HEAD", " +host = db1"], lambda line, _room: ["++=======", "+ " + line.text], ["++>>>>>>> 4f1e2d3 (rotate)"]),
    "vim showbreak": _plain([], lambda line, room: [("     ↪ " if at else "   12  ") + part for at, part in enumerate(cut(line.text, room - 7))], ["   13  port = 80", "-- INSERT --"]),
    "emacs wrap": _plain([], lambda line, room: [part + "\\" if len(part) == room - 1 else part for part in cut(("a = 1; " * 40)[280 - max(room - 24, 0) :] + line.text, room - 1)], ["-UU-:----F1  notes.env      All L1     (Conf[Unix])"]),
    "nano cut": _plain(["  GNU nano 7.2                 notes.env"], lambda line, room: [(("a = 1; " * 40)[280 - max(room - 1 - len(line.before) - max(12, len(line.secret) * 2 // 3), 0) :] + line.text)[: room - 1] + ">"]),
    "box of wrapped cell": _plain(["┌────────┬────────┐", "│ key    ┆ value  │", "╞════════╪════════╡"], _boxed_cell, ["└────────┴────────┘"]),
    "wrapped psql": _plain(["  id  |  note", "------+--------"], _wrapped_cell, ["(1 row)"]),
    "locals of a trace": _plain(["│ ╭──────────── locals ─────────────╮ │"], _locals_box),
    "Perl peek": _plain(["SV = PV(0x55ae56290ea0) at 0x55ae562bee60", "  REFCNT = 1", "  FLAGS = (POK,IsCOW,pPOK)"], _peek),
    "environ of a process": _plain(["$ cat -v /proc/4711/environ"], lambda line, _room: [f"SHELL=/bin/bash^@PWD=/srv/app^@NOTE={line.text}^@LANG=C.UTF-8^@SHLVL=0^@"]),
    "log in JSON in JSON": _plain([], lambda line, _room: [_compact({"log": _compact({"level": "info", "msg": _compact({"row": line.text})}) + "\n", "stream": "stdout", "time": "2026-11-21T10:00:00.1Z"})]),
    "quoted for ssh": _plain([], lambda line, _room: [f"<10.0.0.7> SSH: EXEC ssh -C -o ControlMaster=auto 10.0.0.7 '/bin/sh -c '\"'\"'{line.before}{line.secret}{line.after} && sleep 0'\"'\"''"]),
    "plan of user data": _plain(["  # aws_instance.web will be updated in-place", '  ~ resource "aws_instance" "web" {', "      ~ user_data = <<-EOT"], lambda line, _room: ["            #!/bin/sh", "          + " + line.text], ["        EOT", "    }"]),
    "PowerShell list": _plain(["", "Name  : NOTE"], lambda line, room: [("        " if at else "Value : ") + part for at, part in enumerate(cut(line.text, room - 8))]),
    "calendar folded": _plain(["BEGIN:VEVENT", "UID:4711@example.test"], lambda line, _room: [" " + part if at else part for at, part in enumerate(cut("DESCRIPTION:" + line.text, 74))], ["END:VEVENT"]),
    "PHP trace": _short(lambda text, _room: f"'{text[:15]}...'", "#3 /srv/app/src/Mail.php(88): App\\Mail->open('smtp', ", ")"),
    "delve string": _short(lambda text, _room: f'"{text[:64]}"' if len(text) <= 64 else f'"{text[:64]}...+{len(text) - 64} more"', "main.cfg {Host: \"db\", Note: ", "}"),
    "cut in the middle": _short(lambda text, _room: _middle(text, 30), "E       assert None == '", "'"),
    "bytes of NSData": lambda line, room, _rng: Drawing(fit([f'  "note" => {{length = {len(line.secret)}, bytes = 0x{hexes(line.secret.encode()[:16], " ", 4)} ... {hexes(line.secret.encode()[-8:], " ", 4)} }}'], room), ((line.secret.encode()[:16].hex(), 2), (line.secret.encode()[-8:].hex(), 2))),
    "frame cell": _short(lambda text, _room: text if len(text) <= 50 else text[:47] + "...", "0  2026-11-21  "),
    "table of letters": _lettered(lambda at, char: f"│ {at:<7} │ '{char}'    │", ["┌─────────┬────────┐", "│ (index) │ Values │", "├─────────┼────────┤"], ["└─────────┴────────┘"]),
}  # fmt: skip
NAMELESS = {"PHP trace", "delve string", "cut in the middle", "bytes of NSData", "frame cell"}
