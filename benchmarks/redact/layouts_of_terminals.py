"""Layouts of terminals and tools of daily work: pagers, logs, databases, dumps, bytes as numbers.

Data for `elsewhere.py`. They judged the rules once, and rules are tuned on them since;
`layouts_heldout*.py` has those that judge now.
"""

# ruff: noqa: E501 - a layout is one entry of a table, and reads best as one line

import base64
import json
import random
import re
from collections.abc import Callable, Iterable

from benchmarks.redact.layouts import Drawing, Layout, Line, chunks, plain, prose, shown

__all__ = ["NAMELESS", "OF_TERMINALS"]

Row = tuple[str, str, str]
"""What a program puts before a piece of the text, the piece, and what it puts after it."""


def _laid(line: Line, rows: Iterable[Row], head: str = "", foot: str = "") -> Drawing:
    """Rows in pieces. The secret can be read in each piece, and across what parts the pieces."""
    start, at, drawn, across = len(line.before), 0, "", ""
    end = start + len(line.secret)
    for lead, piece, tail in rows:
        until = at + len(piece)
        drawn += lead + piece + tail + "\n"
        across += lead if start < at < end else ""
        across += piece[max(start - at, 0) : max(end - at, 0)]
        across += tail if start < until < end else ""
        at = until
    lines = [row for part in (head, drawn, foot) for row in part.splitlines()]
    return Drawing(lines, ((line.secret, 1), (across, len(across) / len(line.secret))))


def _named(line: Line) -> tuple[str, str]:
    """The name that a secret is given to, and the secret; the whole line where no name is given."""
    if match := re.search(r"([A-Za-z_][A-Za-z0-9_.-]{2,})[\"']?\s?[=:]\s?[\"']?$", line.before):
        return match[1], line.secret
    return "line", line.text


def _broken(
    lead: Callable[[random.Random], str], rest: str = "", tail: str = "", head: str = "", foot: str = ""
) -> Layout:  # fmt: skip
    """A program breaks a long line: one lead, another for the rows that follow, a mark at the end."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        first = lead(rng)
        cuts = [line.text[: (size := room - len(first) - len(tail))]]
        cuts += chunks(line.text[size:], room - len(rest) - len(tail))
        last = len(cuts) - 1
        rows = [
            (rest if number else first, cut, tail if number < last else "")
            for number, cut in enumerate(cuts)
        ]
        return _laid(line, rows, head, foot)

    return draw


def _inside(
    before: str, after: str, head: str = "", foot: str = "", *, quote: bool = True
) -> Layout:
    """The line in the middle of one long row that the terminal breaks; escaped as JSON does it."""

    def text(part: str) -> str:
        return json.dumps(part)[1:-1] if quote else part

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        whole = Line(before + text(line.before), text(line.secret), text(line.after) + after)
        return _laid(whole, [("", cut, "") for cut in chunks(whole.text, room)], head, foot)

    return draw


def _pair(template: str) -> Layout:
    """The name and the value in fields of their own; a row that is too long is broken hard."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        name, secret = _named(line)
        rows = template.format(name=name, secret=secret).split("\n")
        return plain([cut for row in rows for cut in chunks(row, room) or [""]], line)

    return draw


def _numbers(byte: str, gap: str, head: str, close: str, per: int) -> Layout:
    """The bytes as numbers, so many in a row."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        each = [byte.format(one) for one in line.text.encode()]
        per_row = max(min(per, (room - 4) // (len(byte.format(255)) + len(gap))), 2)
        rows = [
            "  " + gap.join(each[at : at + per_row]) + gap for at in range(0, len(each), per_row)
        ]
        first = len(line.before.encode())
        form = "".join(each[first : first + len(line.secret.encode())])
        return Drawing([head, *rows, close], ((form, len(form) / len(line.secret)),))

    return draw


def _dumped(row: Callable[[int, bytes], str], per: int, byte: str = "{:02x}") -> Layout:
    """A dump with an address, bytes and what they show."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        data = prose(rng, rng.randrange(5, 40)).encode() + (line.text + "\n").encode()
        size = per
        while size > 2 and len(row(0, b"x" * size)) > room:
            size //= 2
        rows = [row(at, data[at : at + size]) for at in range(0, len(data), size)]
        form = "".join(map(byte.format, line.secret.encode()))
        return Drawing(rows, ((form, len(byte.format(0))), (line.secret, 1)))

    return draw


def _hexdump_words(line: Line, _room: int, _rng: random.Random) -> Drawing:
    """`hexdump` without options: two bytes a word, the second one first."""
    data = (line.text + "\n").encode()
    data += bytes(len(data) % 2)
    words = [f"{data[at + 1]:02x}{data[at]:02x}" for at in range(0, len(data), 2)]
    rows = [f"{at * 2:07x} " + " ".join(words[at : at + 8]) for at in range(0, len(words), 8)]
    first, last = -(-len(line.before) // 2), (len(line.before) + len(line.secret)) // 2
    return Drawing(rows, (("".join(words[first:last]), 2),))


def _encoded(template: str, codec: Callable[[bytes], bytes], *, fold: str | None = None) -> Layout:
    """The whole line in base64 or base16 as one value; folded rows begin with `fold`."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        wide = 3 if codec is base64.b64encode else 1
        each = len(codec(bytes(wide)))
        first = -(-len(line.before.encode()) // wide) * each
        last = (len(line.before.encode()) + len(line.secret.encode())) // wide * each
        value = codec(line.text.encode()).decode()
        head, _, foot = template.partition("@")
        whole = Line(head + value[:first], value[first:last], value[last:] + foot)
        row = min(room, 76) if fold is not None else room
        text = whole.text
        cuts = [text[:row], *chunks(text[row:], row - len(fold or ""))]
        return Drawing([(fold or "") * (n > 0) + cut for n, cut in enumerate(cuts)],
                       ((whole.secret, each / wide),))  # fmt: skip

    return draw


def _ends(left: str, right: str, lead: str = "", foot: str = "") -> Layout:
    """A window of the row: cut on the left, on the right, or on both sides, with a mark for each."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        size = max(room - len(lead + left + right), 16)
        start, end = len(line.before), len(line.before) + len(line.secret)
        if left:
            first = start + rng.randrange(2, max(len(line.secret) // 2, 3))
        else:
            first = max(start - min(rng.randrange(12, 40), size // 2), 0)
        last = first + size
        if right:
            last = min(last, max(end - rng.randrange(2, max(len(line.secret) // 3, 3)), first + 9))
        text = line.text + ("  " + prose(rng, 60) if not right else "")
        return plain([lead + left + text[first:last] + right, *foot.splitlines()], line)

    return draw


def _shortened(mark: str, template: str) -> Layout:
    """A test's report hides the middle of a text, and counts what it hid."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        size = len(line.secret)
        keep = max(size // 2 - rng.randrange(2, 5), 4)
        hidden = mark.format(size - 2 * keep)
        text = line.before + line.secret[:keep] + hidden + line.secret[-keep:] + line.after
        return plain(chunks(template.format(text), room), line)

    return draw


def _panel(line: Line, room: int, rng: random.Random) -> Drawing:
    """lazygit: files on the left, the change on the right, wrapped in its panel."""
    left = max(room // 4, 10)
    size = room - left - 4
    rows = [
        ("│" + f" M {rng.choice(('app.env', 'main.go', 'Dockerfile'))}"[:left].ljust(left) + "││", cut,
         " " * (size - len(cut)) + "│")
        for cut in chunks("+" + line.text, size)
    ]  # fmt: skip
    shifted = Line("+" + line.before, line.secret, line.after)
    return _laid(
        shifted,
        rows,
        "╭─Files" + "─" * (left - 6) + "╮╭─Unstaged changes" + "─" * (size - 17) + "╮",
    )


def _aws(line: Line, room: int, rng: random.Random) -> Drawing:
    """`--output table`: as wide as its widest value, broken by the terminal."""
    name, secret = _named(line)
    wide = len(secret) + rng.randrange(2, 9)
    bar = "+" + "-" * 22 + "+" + "-" * (wide + 2) + "+"
    cells = (("ARN", "arn:aws:ssm:eu-west-1:123456789012:x"), ("Name", name), ("Value", secret))
    table = [bar, *(f"|  {key:20}|  {value:{wide}}|" for key, value in cells), bar]
    return plain([cut for row in table for cut in chunks(row, room)], line)


def _porcelain(line: Line, _room: int, rng: random.Random) -> Drawing:
    """`git diff --word-diff=porcelain --word-diff-regex=.`: a new secret in pieces of an old one."""
    rows: list[Row] = [(" ", line.before, "")] if line.before else []
    for number, cut in enumerate(chunks(line.secret, rng.randrange(4, 9))):
        old = f"-{rng.getrandbits(12):03x}\n" if number % 2 else ""
        rows.append((old + "+" if old else " ", cut, ""))
    return _laid(line, rows, "@@ -3,1 +3,1 @@", "~")


def _typed(line: Line, room: int, rng: random.Random) -> Drawing:
    """An asciicast of a paste that arrives in bursts."""
    at = 1.0
    rows: list[Row] = []
    for cut in chunks(line.text, min(rng.randrange(3, 12), room - 20)):
        at += rng.random() / 5
        rows.append((f'[{at:.6f}, "o", "', cut, '"]'))
    return _laid(line, rows, '{"version": 2, "width": 80, "height": 24}')


def _strings(line: Line, room: int, _rng: random.Random) -> Drawing:
    """`dig TXT`: a record in several quoted strings, on one row that the terminal breaks."""
    size = 24
    quoted = '" "'.join(chunks(line.text, size))
    row = f'_cfg.example.test. 300 IN TXT "{quoted}"'
    across = '" "'.join(chunks(line.secret, size))
    return Drawing(chunks(row, room), ((line.secret, 1), (across, 1)))


def _registry(line: Line, _room: int, _rng: random.Random) -> Drawing:
    """A `.reg` file: UTF-16 as hexadecimal numbers."""
    each = [f"{byte:02x}" for byte in line.text.encode("utf-16-le")]
    rows = ["  " + ",".join(each[at : at + 18]) + ",\\" for at in range(0, len(each), 18)]
    form = "".join(f"{byte:02x}" for byte in line.secret.encode("utf-16-le"))
    return Drawing(['"Environment"=hex(2):\\', *rows, "  00,00"], ((form, 4),))


def _proctitle(data: bytes) -> bytes:
    return data.replace(b" ", b"\0").hex().upper().encode()


def _hex(data: bytes) -> bytes:
    return data.hex().encode()


def _number(rng: random.Random) -> str:
    return f"{rng.randrange(1, 4000):7} "


OF_TERMINALS: dict[str, Layout] = {
    # Broken by the program or under it
    "less -N": _broken(_number, " " * 8, foot=":"),
    "vim showbreak": _broken(lambda rng: f"{rng.randrange(999):3} ", "    ↪ ", foot="-- INSERT --"),
    "emacs -nw": _broken(lambda _: "", "", "\\", foot="-UUU:----F1  app.env   Top L3  (Conf[Unix])"),
    "git log --graph -p": _broken(lambda _: "| | +", "", head="| * commit 1f2e3d4\n| |"),
    "git stash show -p": _broken(lambda _: "++", head="@@@ -1,1 -1,1 +1,2 @@@"),
    "docker compose logs": _broken(lambda _: "api-1     | ", foot="api-1     | ready"),
    "environ in less": _inside("HOME=/root^@LANG=C^@", "^@PWD=/srv^@SHLVL=0^@", quote=False),
    "curl --trace-ascii": lambda line, room, _: _laid(
        line, [(f"{n * 48:04x}: ", cut, "") for n, cut in enumerate(chunks(line.text, min(48, room - 8)))],
        "=> Send header, 412 bytes (0x19c)"),
    "curl -v": _broken(lambda _: "> ", head="> GET /v1/models HTTP/1.1\n> Host: 127.0.0.1:8080"),
    "LDIF": lambda line, room, _: _laid(
        line, [(" " * (n > 0), cut, "") for n, cut in enumerate(chunks(line.text, min(room - 1, 75)))],
        "dn: cn=app,dc=example,dc=test"),
    "psql expanded wrapped": lambda line, room, _: _laid(
        line, [(" value | " if not n else "       |.", cut, ".") for n, cut in enumerate(chunks(line.text, min(room - 12, 40)))],
        "-[ RECORD 1 ]-------------\n id    | 17"),
    "sudo in syslog": lambda line, room, _: _laid(
        line, [(f"10:00:00 sudo: ops : ({'COMMAND=' if not n else 'command continued) '}", cut, "")
               for n, cut in enumerate(chunks(line.text, max(room - 42, 8)))]),
    "pytest diff": _broken(lambda _: "E         + ", "", head="E       AssertionError: assert 'a' == 'b'\nE         - placeholder\nE         ?  ^^^^", foot="E         ?  ^^^^^^^^"),
    "lazygit": _panel,
    "word-diff porcelain": _porcelain,
    "an asciicast": _typed,
    "dig TXT": _strings,
    # In another language's text
    "kubectl last-applied": _inside('                {"apiVersion":"v1","data":{"app.env":"', '"},"kind":"ConfigMap"}', "Annotations:  kubectl.kubernetes.io/last-applied-configuration:"),
    "docker inspect": _inside('                "', '",', '            "Env": [', "            ],"),
    "ansible": _inside('changed: [web-01] => {"changed": true, "cmd": "', '", "delta": "0:00:00.012", "rc": 0}'),
    "terraform plan": _inside('      ~ user_data = "old" -> "', '" # forces replacement', '  # aws_instance.api must be replaced'),
    "jq --stream": _inside('[["env",0],"', '"]'),
    # The name and the value apart
    "Rust {:#?}": _pair('Config {{\n    env: [\n        (\n            "{name}",\n            "{secret}",\n        ),\n    ],\n}}'),
    "PHP var_dump": _pair('array(1) {{\n  ["{name}"]=>\n  string(40) "{secret}"\n}}'),
    "plist": _pair("\t<key>{name}</key>\n\t<string>{secret}</string>".replace("\t", "    ")),
    "redis MONITOR": _pair('1763719200.118 [0 127.0.0.1:5000] "HSET" "cfg:app" "{name}" "{secret}"'),
    "INSERT": _pair("INSERT INTO settings VALUES (12, '{name}', '{secret}', NULL, true);"),
    "COPY": _pair("COPY settings (id, key, value) FROM stdin;\n12   {name}    {secret}   t\n\\."),
    "csvlook": _pair("| id | key | value |\n| -- | --- | ----- |\n| 12 | {name} | {secret} |"),
    "aws table": _aws,
    "column -t": _pair("NAME          KIND    VALUE\nLOG_LEVEL     plain   debug\n{name}   vault   {secret}"),
    "kubectl describe": _pair("    Environment:\n      LOG_LEVEL:  debug\n      {name}:     {secret}\n    Mounts:  <none>"),
    # Cut
    "docker history": _ends("", "…", "<missing>  3 weeks ago  ENV "),
    "htop": _ends("", "", "4711 app  20 0 1.2G S 0.7 │  ├─ "),
    "less -S scrolled": _ends("<", ">"),
    "fzf": _ends("··", "··", "▌ "),
    "rg -M": _ends("", " [... omitted end of long line]", "12:"),
    "rustc": _ends("...", "...", " 12 | ", "    |     ^^^^^^^^^^ expected one of `,` or `}`"),
    "PowerShell position": _ends(" ... ", " ...", "+", "+     ~~~~~~~~~~~~~~~~"),
    "unittest": _shortened("[{} chars]", "AssertionError: '{0}' != 'placeholder'"),
    "reprlib": _shortened("...", "  token_source = <Source '{0}' at 0x7f21c0>"),
    # Encoded or dumped
    "Go bytes": _numbers("{}", " ", "body: [", "]", 24),
    "Buffer in JSON": _numbers("{}", ", ", '{ "type": "Buffer", "data": [', "] }", 16),
    "Elixir": _numbers("{}", ", ", "iex(3)> <<", ">>", 18),
    "<Buffer>": _numbers("{:02x}", " ", "<Buffer", ">", 24),
    "hexdump words": _hexdump_words,
    "lldb": _dumped(lambda at, data: f"0x16fdff{at:03x}: {data.hex(' ')}  {shown(data)}", 16),
    "mc": _dumped(lambda at, data: f"{at:08X} {data.hex(' ').upper()} │ {shown(data)}", 16, "{:02X}"),
    "curl --trace": _dumped(lambda at, data: f"{at:04x}: {data.hex(' ')} {shown(data)}", 16),
    "asn1parse": _encoded("   15:d=1  hl=2 l=  64 prim: OCTET STRING      [HEX DUMP]:@", lambda data: data.hex().upper().encode()),
    "bytea": _encoded(" 17 | \\x@ | 2026-11-21", _hex),
    "auditd": _encoded("type=PROCTITLE msg=audit(1763719200.118:4711): proctitle=@", _proctitle),
    "LDIF base64": _encoded("description:: @", base64.b64encode, fold=" "),
    "helm diff": _encoded("+   app.env: @", base64.b64encode),
    "data URL": _encoded('<a href="data:text/plain;base64,@">', base64.b64encode),
    "registry export": _registry,
}  # fmt: skip
NAMELESS = {"less -S scrolled", "fzf", "rustc", "PowerShell position"}
"""Layouts that show the secret without its name: what only a name tells is not drawn in them."""
