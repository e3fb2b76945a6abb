"""How languages, logs and bars draw a secret, in layouts that judged once and are tuned on now.

Data for `elsewhere.py`. `OF_LANGUAGES` maps a name to a layout; `NAMELESS` names those that may lose the
secret's name.
"""

# ruff: noqa: E501 - a layout is one entry of a table, and reads best as one line

import json
import random
from urllib.parse import quote

from benchmarks.redact.layouts import Drawing, Layout, Line, chunks, plain, prose
from benchmarks.redact.layouts_of_programs import as_fields, cut, in_rows, listed, wrapped

__all__ = ["NAMELESS", "OF_LANGUAGES"]


def _crossed(line: Line, room: int, rng: random.Random) -> Drawing:
    """Output of two jobs that take turns: each row has its job's name before it."""
    names = ("api", "db ")
    rows: list[tuple[str, str, str]] = []
    for n, piece in enumerate(chunks(line.text, max(room - 12, 16))):
        rows.append((f"{names[0]} | ", piece, ""))
        if n % 2:
            rows.append((f"{names[1]} | ready {rng.randrange(99)}", "", ""))
    return in_rows(line, rows)


def _poster(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A poster: the line centred over rows of the same width, with a frame of stars."""
    width = max(room - 8, 16)
    top = "*" * (width + 4)
    return in_rows(
        line,
        [("* ", piece, " " * (width - len(piece)) + " *") for piece in chunks(line.text, width)],
        top,
        top,
    )


def _json_lines_of_characters(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A JSON array of characters, as a tokenizer prints it."""
    text = json.dumps(list(line.text))
    shown = json.dumps(list(line.secret))[1:-1]
    return Drawing(list(chunks(text, room)), ((shown, len(shown) / len(line.secret)),))


def _diff_of_values(line: Line, room: int, _rng: random.Random) -> Drawing:
    """An assertion that marks each character that differs below the line."""
    rows: list[str] = []
    for piece in chunks(line.text, max(room - 4, 16)):
        rows += [f"E - {piece}", f"E ? {'^' * min(len(piece), 12)}"]
    return plain(rows, line)


def _url_in_log(line: Line, room: int, _rng: random.Random) -> Drawing:
    """The line as one parameter of a query."""
    hidden = quote(line.secret, safe="")
    text = f'10.0.0.4 - - [27/Nov/2026:08:12:03 +0000] "GET /run?line={quote(line.before, safe="")}{hidden}{quote(line.after, safe="")} HTTP/1.1" 200 12'
    return Drawing(
        list(chunks(text, room)), ((hidden, len(hidden) / len(line.secret)), (line.secret, 1))
    )


def _progress(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A progress bar behind what is read, which takes the end of each row."""
    width = max(room - 18, 16)
    pieces = chunks(line.text, width)
    return in_rows(
        line,
        [
            ("", piece, " " * (width - len(piece)) + f" ━━━━╸──── {n * 7 % 100:>3}%")
            for n, piece in enumerate(pieces)
        ],
    )


def _stacked(line: Line, room: int, rng: random.Random) -> Drawing:
    """A table whose last column wraps, with other cells in the first row alone."""
    width = max(room - 26, 14)
    pieces = chunks(line.text, width)
    lead = f"{rng.randrange(1 << 28):07x}  web-{rng.randrange(9)}     "
    return in_rows(
        line,
        [
            (lead if not n else " " * len(lead), piece, "  Up" if not n else "")
            for n, piece in enumerate(pieces)
        ],
    )


def _tally(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A ruler of columns above each row, as punched cards have."""
    width = max(room - 2, 20)
    rows: list[tuple[str, str, str]] = []
    for piece in chunks(line.text, width):
        rows += [("", "", "....5...10...15...20"[: len(piece)]), ("", piece, "")]
    return in_rows(line, rows)


OF_LANGUAGES: dict[str, Layout] = {
    # rows that a program breaks itself
    "docker compose": _crossed, "poster": _poster, "progress bar": _progress, "docker ps": _stacked, "ruler": _tally,
    "Perl heredoc": wrapped("my $x = q{", "", "", last="};"),
    "Python traceback locals": wrapped("    line       = '", "                 '", "'"),
    "Tcl": wrapped("set line {", "          ", " \\"),
    "COBOL": wrapped("       VALUE \"", "      -    \"", ""),
    "VB": wrapped("Line = \"", "       \"", "\" & _", last="\""),
    "MATLAB": wrapped("s = ['", "     '", "' ...", last="'];"),
    "R str": wrapped(" chr \"", "     \"", "\"| __truncated__"),
    "IRC": wrapped("08:12 <@build> ", "08:12 <@build> "),
    "GDB continued": wrapped("$1 = \"", "     \"", "\"...,"),
    "Erlang": wrapped("<<\"", "  \"", "\"", last="\">>"),
    "git log --graph": wrapped("| * | ", "| | | "),
    "iOS log": wrapped("default\t08:12:03.113\tapp[31]\t", "default\t08:12:03.114\tapp[31]\t"),
    "Gherkin doc string": wrapped("      | ", "      | ", " |", last=" |"),
    # fields
    "Terraform plan": as_fields('  + resource "app_setting" "x" {\n      + name  = "web"\n      + <N> = "<V>"\n    }'),
    "Ansible": as_fields('ok: [web-1] => {\n    "msg": "<N>=<V>"\n}'),
    "PowerShell Format-List": as_fields("Name  : web\n<N> : <V>\nPath  : C:\\srv"),
    "phpinfo": as_fields("PHP Variables\n\n$_ENV['<N>'] => <V>\n$_ENV['LANG'] => C"),
    "Rails log": as_fields('  Parameters: {"utf8"=>"✓", "<N>"=>"<V>", "commit"=>"Save"}'),
    "Go struct": as_fields("main.Config{Mode:\"dev\", <N>:\"<V>\", Retries:3}"),
    "Nix": as_fields("  environment.variables = {\n    <N> = \"<V>\";\n  };"),
    "C preprocessor": as_fields('#define <N> "<V>"'),
    "fish": as_fields("set -gx <N> <V>"),
    "SQL row": as_fields("INSERT INTO settings (name, value) VALUES ('<N>', '<V>');"),
    "query in a log": _url_in_log,
    # bytes and characters
    "JSON characters": _json_lines_of_characters,
    "Ruby bytes": listed(str, ", ", "=> [", "]", 18),
    "Haskell": listed(lambda one: f"\\{one}", "", "line = \"", "\"", 14),
    "Kotlin": listed(lambda one: f"0x{one:02x}.toByte()", ", ", "byteArrayOf(", ")", 4),
    "VBScript": listed(lambda one: f"Chr({one})", " & ", "s = _", "", 6),
    "Intel syntax": listed(lambda one: f"{one:02X}h", ", ", "line db ", "", 10),
    "Unicode points": listed(lambda one: f"U+{one:04X}", " ", "codepoints:", "", 9),
    "HTML hex": listed(lambda one: f"&#x{one:x};", "", "<p>", "</p>", 12),
    "binary": listed(lambda one: f"{one:08b}", " ", "bits", "", 6),
    # a part
    "diff of values": _diff_of_values,
    "chip": cut("⟩", keep=0.7, lead="env ⟨"),
    "elided by count": cut("<+12>", keep=0.6, lead="recv "),
    "trimmed": cut(" [trimmed]", keep=0.7, lead="body: "),
    "middle by dashes": cut("-----8<-----", keep=0.6, side="middle"),
    "start by dots": cut("(...) ", keep=0.6, side="start"),
    "notification": cut(" ⏎…", keep=0.5, lead="● "),
    "prose after it": lambda line, room, rng: plain([*chunks(line.text, room), prose(rng, room - 3)], line),
}  # fmt: skip

NAMELESS = {"start by dots", "diff of values"}
