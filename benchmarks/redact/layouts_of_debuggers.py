"""How debuggers, databases and logs draw a secret, in layouts that judged once and are tuned on now.

Data for `elsewhere.py`. `OF_DEBUGGERS` maps a name to a layout; `NAMELESS` names those that may lose the
secret's name.
"""

# ruff: noqa: E501 - a layout is one entry of a table, and reads best as one line

import base64
import json
import random

from benchmarks.redact.layouts import Drawing, Layout, Line, chunks, plain, prose
from benchmarks.redact.layouts_of_programs import as_fields, in_rows, wrapped

__all__ = ["NAMELESS", "OF_DEBUGGERS"]

_ENDLESS = 1 << 20
_QUOTED = "'\\"


def _named(line: Line) -> tuple[str, str]:
    """The name and the value that `as_fields` would put in a template."""
    name, value = as_fields("<N>\n<V>")(line, _ENDLESS, random.Random(0)).rows
    return name, value


def _hard(text: str, room: int, line: Line, *forms: str) -> Drawing:
    """One long row that the terminal breaks; the secret is read in the forms."""
    sized = tuple((form, len(form) / len(line.secret)) for form in forms)
    return Drawing(chunks(text, room), sized or ((line.secret, 1),))


# Rows that a program breaks itself


def _gitlab(line: Line, room: int, rng: random.Random) -> Drawing:
    """GitLab's job log with timestamps: `01O` begins a line, `01O+` continues it."""
    rows: list[tuple[str, str, str]] = []
    for n, piece in enumerate(chunks(line.text, max(room - 32, 12))):
        stamp = f"2026-11-27T08:12:03.{113_000 + n * 977 + rng.randrange(900):06}Z 01O"
        rows.append((stamp + ("+" if n else " "), piece, ""))
    return in_rows(line, rows)


def _rich_handler(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Python's `rich.logging.RichHandler`: time and level before, the file at the right of the first row."""
    width = max(room - 33, 12)
    pieces = chunks(line.text, width)
    return in_rows(
        line,
        [
            (" " * 20 if n else "[08:12:03] INFO     ", piece,
             "" if n else " " * (width - len(piece)) + " config.py:31")
            for n, piece in enumerate(pieces)
        ],
    )  # fmt: skip


def _whiptail(line: Line, room: int, _rng: random.Random) -> Drawing:
    """`whiptail --msgbox`: a box with a title in its frame and a button."""
    width = max(min(room - 4, 72), 20)
    parts = [("│ ", piece, " " * (width - len(piece)) + " │") for piece in chunks(line.text, width)]
    empty = f"│{' ' * (width + 2)}│"
    head = "┌" + "┤ Setup ├".center(width + 2, "─") + "┐"
    foot = f"{empty}\n│{'<Ok>':^{width + 2}}│\n{empty}\n└{'─' * (width + 2)}┘"
    return in_rows(line, parts, head, foot)


def _difftastic(line: Line, room: int, rng: random.Random) -> Drawing:
    """`difft`: the old line in a left column, the new one wrapped in a right one, `..` where it goes on."""
    left = room // 2 - 4
    number = rng.randrange(10, 99)
    old = chunks(f"{line.before}placeholder{line.after}", left)
    new = chunks(line.text, max(room - left - 8, 10))
    old += [""] * (len(new) - len(old))
    rows = [
        (f"{'..' if n else number} {cell:{left}}  {'..' if n else number} ", piece, "")
        for n, (cell, piece) in enumerate(zip(old, new, strict=False))
    ]
    return in_rows(line, rows, "--- .env --- Text")


def _nmap_sign(char: str) -> str:
    """A character as nmap's fingerprints escape it."""
    if char.isalnum():
        return char
    return "\\x20" if char == " " else f"\\{char}"


def _nmap(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A fingerprint by nmap of a service that it does not know: escaped, in rows that begin with `SF:`."""
    before, secret, after = ("".join(map(_nmap_sign, part)) for part in line)
    lead = f'Port8080-TCP:V=7.94%I=7%D=11/27%Time=69281A03%P=x86_64-pc-linux-gnu%r(GetRequest,{len(line.text):X},"HTTP/1\\.0\\x20200\\x20OK\\r\\n\\r\\n'
    whole = Line(lead + before, secret, after + '");')
    pieces = chunks(whole.text, min(room, 74) - 3)
    return in_rows(whole, [("SF:" if n else "SF-", piece, "") for n, piece in enumerate(pieces)])


def _tex(line: Line, room: int, rng: random.Random) -> Drawing:
    """TeX's log about a box that is too wide: broken at column 79 with no mark."""
    at = rng.randrange(10, 900)
    head = f"Overfull \\hbox ({rng.uniform(9, 300):.5f}pt too wide) in paragraph at lines {at}--{at + 2}"
    rows = chunks(f"[]\\T1/cmtt/m/n/10 {line.text}", min(room, 79))
    return plain([*chunks(head, room), *rows, " []", ""], line)


def _stdout_lines(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Ansible's `stdout_lines`: each row of a command's output is a string of a JSON array."""
    pieces = chunks(line.text, max(room - 14, 12))
    rows = [json.dumps(piece, ensure_ascii=False) for piece in pieces]
    rows = [f"        {row}{'' if n == len(rows) - 1 else ','}" for n, row in enumerate(rows)]
    forms = in_rows(line, [('"', piece, '",') for piece in pieces]).forms
    shown = [part for row in rows for part in chunks(row, room)]
    return Drawing(['    "stdout_lines": [', *shown, "    ]"], forms)


# Fields


def _php_serialized(line: Line, room: int, _rng: random.Random) -> Drawing:
    """PHP's `serialize()`, as a session file or WordPress's table `wp_options` has it."""
    name, value = _named(line)
    text = f'a:3:{{s:4:"mode";s:3:"dev";s:{len(name)}:"{name}";s:{len(value.encode())}:"{value}";s:5:"tries";i:3;}}'
    return _hard(text, room, line)


def _step_functions(line: Line, room: int, _rng: random.Random) -> Drawing:
    """`aws stepfunctions get-execution-history`: JSON in a string of JSON in a string of JSON."""
    name, value = _named(line)
    body = json.dumps({"mode": "dev", name: value}, separators=(",", ":"))
    output = json.dumps({"statusCode": 200, "body": body}, separators=(",", ":"))
    event = {"id": 7, "type": "LambdaFunctionSucceeded", "output": output}
    secret = line.secret
    for _ in range(3):
        secret = json.dumps(secret)[1:-1]
    return _hard(json.dumps(event), room, line, line.secret, secret)


# Bytes and characters


def _gdb_characters(line: Line, room: int, _rng: random.Random) -> Drawing:
    """What gdb prints of an array of `unsigned char`: each code with its character, wrapped between elements."""
    signs = [f"{ord(one)} '{chr(92) if one in _QUOTED else ''}{one}'" for one in line.text]
    rows = ["$3 = {"]
    for n, sign in enumerate(signs):
        sign += "}" if n == len(signs) - 1 else ", "
        if len((rows[-1] + sign).rstrip()) > room:
            rows.append("  ")
        rows[-1] += sign
    begin = len(line.before)
    form = ", ".join(signs[begin : begin + len(line.secret)])
    return Drawing([row.rstrip() for row in rows], ((form, len(form) / len(line.secret)),))


def _gdb_words(line: Line, room: int, rng: random.Random) -> Drawing:
    """Memory by gdb's `x/16xw`: words of four bytes, the lowest byte last."""
    data = line.text.encode()
    data += b"\0" * (-len(data) % 16)
    words = [
        f"0x{int.from_bytes(data[at : at + 4], 'little'):08x}" for at in range(0, len(data), 4)
    ]
    base = 0x7FFFFFFFE000 + rng.randrange(0, 4096, 16)
    rows: list[str] = []
    for at in range(0, len(words), 4):
        rows += chunks(f"{base + at * 4:#x}:  {'  '.join(words[at : at + 4])}", room)
    begin = len(line.before.encode())
    first, last = -(-begin // 4), (begin + len(line.secret.encode())) // 4
    form = "  ".join(words[first:last])
    return Drawing(rows, ((form, len(form) / max((last - first) * 4, 1)),))


def _borg_paper(line: Line, _room: int, rng: random.Random) -> Drawing:
    """`borg key export --paper`: hexadecimal groups of three bytes with a number and a checksum a row."""
    data = line.text.encode()
    rows = ["To restore key use borg key import", "--paper /path/to/repo", "", "BORG PAPER KEY v1"]
    rows.append(f"id: {-(-len(data) // 18)} / {rng.getrandbits(24):06x} - {rng.getrandbits(8):02x}")
    for n, at in enumerate(range(0, len(data), 18), 1):
        groups = " ".join(chunks(data[at : at + 18].hex(), 6))
        rows.append(f"{n:>2}: {groups} - {rng.getrandbits(8):02x}")
    return Drawing(rows, ((line.secret.encode().hex(), 2),))


def _journal_bytes(line: Line, room: int, _rng: random.Random) -> Drawing:
    """`journalctl -o json`: a message with colours is no text, so its bytes are listed."""
    codes = ",".join(map(str, f"\x1b[36m{line.text}\x1b[0m".encode()))
    form = ",".join(map(str, line.secret.encode()))
    text = (
        f'{{"_PID":"4711","PRIORITY":"6","MESSAGE":[{codes}],"_COMM":"app","_TRANSPORT":"stdout"}}'
    )
    return _hard(text, room, line, form)


def _encoded_words(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A folded mail header (RFC 2047): each row is base64 of its own."""
    size = min(room - 13, 60) // 4 * 3
    begin, end = len(line.before.encode()), len((line.before + line.secret).encode())
    data = line.text.encode()
    rows, form = ["Subject:"], ""
    for at in range(0, len(data), size):
        word = base64.b64encode(data[at : at + size]).decode()
        rows.append(f" =?UTF-8?B?{word}?=")
        first, last = max(begin - at, 0), min(end - at, size)
        if last > first:
            seen = word[-(-first * 4 // 3) : last * 4 // 3]
            form += f"?= =?UTF-8?B?{seen}" if form else seen
    return Drawing(rows, ((form, len(form) / len(line.secret)),))


def _swaks(line: Line, room: int, _rng: random.Random) -> Drawing:
    """`swaks --auth PLAIN`: the user's name and the secret, parted by zeros, in base64."""
    text = base64.b64encode(b"\0ada\0" + line.secret.encode()).decode()
    form = text[-(-5 * 4 // 3) : (5 + len(line.secret.encode())) * 4 // 3]
    sent = chunks(f" -> AUTH PLAIN {text}", room)
    rows = ["<-  250 AUTH PLAIN LOGIN", *sent, "<-  235 2.7.0 Authentication successful"]
    return Drawing(rows, ((form, 4 / 3),))


def _zig(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Zig's `{any}` prints a string of a struct as its bytes."""
    name, value = _named(line)
    field = name if name.isidentifier() else f'@"{name}"'
    codes = ", ".join(map(str, value.encode()))
    text = f"info: main.Config{{ .mode = {{ 100, 101, 118 }}, .{field} = {{ {codes} }}, .retries = 3 }}"
    return _hard(text, room, line, ", ".join(map(str, line.secret.encode())))


# A part


def _delve(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Delve prints 64 bytes of a string, and how many more there are."""
    rest = len(line.text) - 64
    shown = json.dumps(line.text[:64])[:-1] + (f"...+{rest} more" if rest > 0 else "") + '"'
    return plain(["(dlv) print cfg.Line", *chunks(shown, room), "(dlv) next"], line)


def _julia(line: Line, room: int, _rng: random.Random) -> Drawing:
    """Julia's REPL leaves out the middle of a long string in a dictionary, and says how many bytes."""
    size = max(min(len(line.text) * 7 // 10, room - 32), 12)
    head = (size + 1) // 2
    middle = len(line.text) - size
    parts = (json.dumps(part) for part in (line.text[:head], line.text[head - size :]))
    row = '  "line" => ' + f" ⋯ {middle} bytes ⋯ ".join(parts)
    rows = ["julia> cfg", "Dict{String, String} with 2 entries:", '  "mode" => "dev"']
    return plain([*rows, *chunks(row, room)], line)


def _pandas(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A pandas DataFrame: cells of at most 50 characters, at the right of their column."""
    width = max(min(50, room - 12), 12)
    cell = line.text if len(line.text) <= width else line.text[: width - 3] + "..."
    rows = (("", "name", "value"), ("0", "mode", "dev"), ("1", "line", cell), ("2", "tries", "3"))
    return plain([f"{a:1}  {b:>5}  {c:>{width}}" for a, b, c in rows], line)


def _visidata(line: Line, room: int, rng: random.Random) -> Drawing:
    """VisiData: a sheet with a key column, cells cut by an ellipsis, and a status row."""
    width = max(room - 24, 12)
    cells = ["dev", line.text, prose(rng, width + 9), "3"]
    rows = [f" {'id':>4} ║ {'value':{width}} │ {'kind':8} ║"]
    for cell in cells:
        shown = cell if len(cell) <= width else cell[: width - 1] + "…"
        rows.append(f" {rng.randrange(1000, 9999)} ║ {shown:{width}} │ {'text':8} ║")
    return plain([*rows, "1› settings|  # quitguard"], line)


def _choose_buffer(line: Line, room: int, rng: random.Random) -> Drawing:
    """The list of tmux's `choose-buffer`: a buffer a row, cut at the window's edge with no mark."""
    texts = [prose(rng, 30), line.text, "make test", prose(rng, 90)]
    rows = [
        f"({n})  buffer{9 - n}: 08:1{n} ({len(text)} bytes) {text}"[:room]
        for n, text in enumerate(texts)
    ]
    return plain([*rows, "─" * (room - 4)], line)


def _registers(line: Line, room: int, rng: random.Random) -> Drawing:
    """Vim's `:registers`: line ends as `^J`, cut at the window's edge with no mark."""
    texts = {'""': f"MODE=dev^J{line.text}^J", '"0': prose(rng, 40), '"+': line.text, '".': "dd"}
    rows = [f"  l  {name}   {text}"[:room] for name, text in texts.items()]
    return plain([":registers", "Type Name Content", *rows, "Press ENTER or type command"], line)


def _recovery_key(line: Line, room: int, _rng: random.Random) -> Drawing:
    """`systemd-cryptenroll --recovery-key`: groups of eight with dashes on a screen to copy from."""
    shown = chunks("-".join(chunks(line.secret, 8)), room - 7)
    rows = [f"       {row}" if n else f"    🔐 {row}" for n, row in enumerate(shown)]
    head = chunks("A secret recovery key has been generated for this volume:", room)
    foot = chunks("Please save this secret recovery key at a secure location.", room)
    return plain([*head, "", *rows, "", *foot], line)


OF_DEBUGGERS: dict[str, Layout] = {
    # rows that a program breaks itself
    "GitLab job log": _gitlab, "RichHandler": _rich_handler, "whiptail": _whiptail, "difftastic": _difftastic,
    "nmap fingerprint": _nmap, "TeX log": _tex, "stdout_lines": _stdout_lines,
    "Helix soft wrap": wrapped("   12   ", "        ↪ "),
    "Vagrant": wrapped("    default: ", "    default: ", head="==> default: Running provisioner: shell..."),
    # fields
    "PHP serialize": _php_serialized, "Step Functions": _step_functions,
    "bash -x": as_fields("+ . ./.env\n++ <N>=<V>\n+ [[ -n <V> ]]\n+ export <N>\n+ ./deploy.sh web"),
    "redis-cli HGETALL": as_fields('127.0.0.1:6379> HGETALL cfg:app\n1) "mode"\n2) "dev"\n3) "<N>"\n4) "<V>"'),
    "etcdctl fields": as_fields('"Key" : "<N>"\n"CreateRevision" : 12\n"ModRevision" : 12\n"Version" : 1\n"Value" : "<V>"\n"Lease" : 0'),
    "gron": as_fields('json.env[0].name = "MODE";\njson.env[0].value = "dev";\njson.env[1].name = "<N>";\njson.env[1].value = "<V>";'),
    "protoc --decode_raw": as_fields('1 {\n  1: "mode"\n  2: "dev"\n}\n1 {\n  1: "<N>"\n  2: "<V>"\n}\n2: 4711'),
    ".NET debug view": as_fields("Logging:\n  Default=Information (JsonConfigurationProvider for 'appsettings.json' (Optional))\n<N>=<V> (EnvironmentVariablesConfigurationProvider Prefix: '')"),
    "Spring actuator": as_fields('{"name":"systemEnvironment","properties":{"MODE":{"value":"dev"},"<N>":{"value":"<V>","origin":"System Environment Property \\"<N>\\""}}}'),
    "Postgres DETAIL": as_fields('ERROR:  duplicate key value violates unique constraint "settings_key"\nDETAIL:  Key (<N>)=(<V>) already exists.'),
    "MySQL duplicate entry": as_fields("ERROR 1062 (23000) at line 12: Duplicate entry '<V>' for key 'settings.<N>'"),
    "rsyslog": as_fields("Nov 27 08:12:03 web app[31]: config:#012  MODE=dev#012  <N>=<V>#012  LANG=C"),
    "less without -R": as_fields("ESC[90m08:12:03ESC[0m ESC[32mINFESC[0m config ESC[36m<N>=ESC[0m<V>ESC[0m ESC[36mmode=ESC[0mdev"),
    "BuildKit excerpt": as_fields("Dockerfile:12\n--------------------\n  11 |     ARG MODE=dev\n  12 | >>> ENV <N>=<V>\n  13 |     RUN npm ci\n--------------------\nERROR: failed to solve: process did not complete"),
    "kubectl diff": as_fields("@@ -31,7 +31,7 @@\n         - name: <N>\n-          value: placeholder\n+          value: <V>\n         image: app:dev"),
    "ngrep byline": as_fields("T 10.0.0.4:51234 -> 10.0.0.9:80 [AP] #4\nGET /run HTTP/1.1.\nHost: web.\n<N>: <V>.\nAccept: */*.\n."),
    "OCaml toplevel": as_fields('- : config = {mode = "dev"; <N> = "<V>"; retries = 3}'),
    # bytes and characters
    "gdb characters": _gdb_characters, "gdb x/16xw": _gdb_words, "borg paper key": _borg_paper,
    "journal of bytes": _journal_bytes, "encoded words": _encoded_words, "swaks AUTH PLAIN": _swaks, "Zig {any}": _zig,
    # a part
    "Delve": _delve, "Julia": _julia, "pandas": _pandas, "VisiData": _visidata,
    "tmux choose-buffer": _choose_buffer, "Vim registers": _registers, "cryptenroll": _recovery_key,
}  # fmt: skip
"""Each name says the program; the functions' docstrings say what it prints."""

NAMELESS = {"swaks AUTH PLAIN", "cryptenroll"}
