"""Layouts of encoders: dumps, encodings, cuts and columns of programs.

Data for `elsewhere.py`. They judged the rules once, and rules are tuned on them since.
`OF_ENCODERS` maps a name to a layout; `NAMELESS` names those that may lose the secret's name.
"""

# ruff: noqa: E501 - a layout is one entry of a table, and reads best as one line

import base64
import binascii
import random
from collections.abc import Callable, Sequence
from email.charset import BASE64, Charset
from email.header import Header
from urllib.parse import quote

from benchmarks.redact.layouts import Drawing, Layout, Line

Show = Callable[[int, bytes], str]
Forms = tuple[tuple[str, float], ...]


# Helpers: pieces of rows, and what of the secret can be read in them


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), max(size, 1))] or [""]


def fit(rows: Sequence[str], room: int) -> list[str]:
    """The rows as a terminal of that width breaks them."""
    return [part for row in rows for part in cut(row, room)]


def _seen(data: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)


def hexes(data: bytes, sep: str = " ", per: int = 1) -> str:
    return sep.join(data[at : at + per].hex() for at in range(0, len(data), per))


def _part(line: Line, whole: str, each: float) -> Forms:
    """The part of an encoded line that holds the secret."""
    start = len(line.before) * each
    return ((whole[-int(-start // 1) : int(start + len(line.secret) * each)], each),)


def _twice(line: Line) -> Forms:
    return ((line.secret.encode().hex(), 2), (line.secret, 1))


def _dump(show: Show, head: Sequence[str] = (), tail: Sequence[str] = (), per: int = 16, lead: bytes = b"",
          cut: bool = True) -> Layout:  # fmt: skip
    """Rows of hex with the characters next to it."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        data = lead + line.text.encode() + b"\n"
        rows = [show(at, data[at : at + per]) for at in range(0, len(data), per)]
        rows = [*head, *rows, *tail]
        return Drawing(fit(rows, room) if cut else [row[:room] for row in rows], _twice(line))

    return draw


def _listed(
    show: Callable[[int], str], sep: str, head: str, tail: str, *, whole: bool = True
) -> Layout:
    """Every byte as a number (or a letter) of its own, behind one another."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        shown = sep.join(map(show, (line.text if whole else line.secret).encode()))
        form = "".join(map(show, line.secret.encode()))
        return Drawing(
            fit((head + shown + tail).split("\n"), room), ((form, len(form) / len(line.secret)),)
        )

    return draw


def _columns(
    show: Callable[[int], str], per: int, head: str, tail: str, lead: Callable[[int], str]
) -> Layout:
    """The same in rows of so many, each behind a lead of its own."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        shown = list(map(show, line.text.encode()))
        rows = [lead(at) + "".join(shown[at : at + per]) for at in range(0, len(shown), per)]
        form = "".join(map(show, line.secret.encode()))
        return Drawing(
            fit("\n".join([*filter(None, [head]), *rows, *filter(None, [tail])]).split("\n"), room),
            ((form, len(form) / len(line.secret)),),
        )

    return draw


def _words(
    size: int,
    show: Callable[[int, list[bytes]], list[str]],
    per: int,
    digit: Callable[[bytes], str],
) -> Layout:
    """Words of the machine, their bytes turned round."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        data = line.text.encode()
        data += b"\0" * (-len(data) % size)
        words = [data[at : at + size] for at in range(0, len(data), size)]
        rows = [
            row for at in range(0, len(words), per) for row in show(at * size, words[at : at + per])
        ]
        first, last = -(-len(line.before) // size), (len(line.before) + len(line.secret)) // size
        form = "".join(map(digit, words[first:last]))
        return Drawing(fit(rows, room), ((form, len(form) / max((last - first) * size, 1)),))

    return draw


def _encoded(
    encode: Callable[[bytes], bytes],
    each: float,
    show: Callable[[str, int], Sequence[str]],
    *,
    whole: bool = True,
) -> Layout:
    """The line (or its secret alone) in another alphabet."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        text = encode((line.text if whole else line.secret).encode()).decode()
        forms = _part(line, text, each) if whole else ((text, each),)
        return Drawing(fit(show(text, room), room), forms)

    return draw


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# Layouts that need more than a table's line


def _intel_hex(line: Line, room: int, _rng: random.Random) -> Drawing:
    data = line.text.encode() + b"\0"
    rows = [":020000040800F2"]
    for at in range(0, len(data), 16):
        record = bytes([len(data[at : at + 16]), at >> 8, at & 255, 0]) + data[at : at + 16]
        rows.append(f":{record.hex()}{-sum(record) & 255:02x}".upper())
    return Drawing(fit([*rows, ":00000001FF"], room), ((line.secret.encode().hex().upper(), 2),))


def _uuencoded(line: Line, room: int, _rng: random.Random) -> Drawing:
    data = line.text.encode()
    rows = [
        binascii.b2a_uu(data[at : at + 45]).decode().rstrip("\n") for at in range(0, len(data), 45)
    ]
    rows = ["begin 644 note.txt", *rows, "`", "end"]
    return Drawing(fit(rows, room), _part(line, "".join(row[1:] for row in rows[1:-2]), 4 / 3))


def _encoded_words(line: Line, room: int, _rng: random.Random) -> Drawing:
    """A subject in words of base64, each of its own."""
    words_of_base64 = Charset("utf-8")
    words_of_base64.header_encoding = BASE64
    folded = Header(
        f"\u26a0 {line.text}", words_of_base64, maxlinelen=75, header_name="Subject"
    ).encode()
    start = len(f"\u26a0 {line.before}".encode())
    end, at = start + len(line.secret), 0
    forms: list[tuple[str, float]] = []
    for word in folded.split():
        text = word[len("=?utf-8?b?") : -len("?=")]
        size = len(base64.b64decode(text))
        first, last = max(start - at, 0), min(end - at, size)
        if last - first >= 9:
            forms.append((text[-(-first * 4 // 3) : last * 4 // 3], 4 / 3))
        at += size
    rows = [
        "Received: from mx2.example.test",
        *f"Subject: {folded}".split("\n"),
        "MIME-Version: 1.0",
    ]
    return Drawing(fit(rows, room), tuple(forms))


def _stack_string(line: Line, room: int, _rng: random.Random) -> Drawing:
    data = line.text.encode() + b"\0" * 8
    rows, at = ["0000000000001139 <main>:", "    1139:\t55                   \tpush   %rbp"], 0x1141
    for number in range(0, len(data) - 7, 8):
        word, register = data[number : number + 8], ("rax", "rdx")[number // 8 % 2]
        code = bytes([0x48, 0xB8 if register == "rax" else 0xBA]) + word
        rows.append(
            f"    {at:x}:\t{code[:7].hex(' ')} \tmovabs ${int.from_bytes(word, 'little'):#x},%{register}"
        )
        rows += [f"    {at + 7:x}:\t{code[7:].hex(' ')} "]
        at += 10
        rows.append(
            f"    {at:x}:\t48 89 {('45', '55')[number // 8 % 2]} {208 + number % 48:02x}          \tmov    %{register},-{48 - number % 48:#x}(%rbp)"
        )
        at += 4
    first, last = -(-len(line.before) // 8) * 8, (len(line.before) + len(line.secret)) // 8 * 8
    inside = data[first:last]
    turned = tuple((inside[at : at + 8][::-1].hex(), 2.0) for at in range(0, len(inside), 8))
    return Drawing(fit([row.expandtabs(8) for row in rows], room), turned)


def _proctitle(line: Line, room: int, _rng: random.Random) -> Drawing:
    data = b"sh\0-c\0" + line.text.encode()
    row = f"type=PROCTITLE msg=audit(1763719200.123:4711): proctitle={data.hex().upper()}"
    return Drawing(fit([row], room), ((line.secret.encode().hex().upper(), 2),))


def _calldata(line: Line, room: int, _rng: random.Random) -> Drawing:
    data = line.text.encode()
    body = (
        (32).to_bytes(32, "big") + len(data).to_bytes(32, "big") + data + b"\0" * (-len(data) % 32)
    )
    rows = [f" [{at:03x}]: {body[at : at + 32].hex()}" for at in range(0, len(body), 32)]
    return Drawing(
        fit([" Method: 4ed3885e", " ------------", *rows], room), ((line.secret.encode().hex(), 2),)
    )


_PLIST = _encoded(base64.b64encode, 4 / 3, lambda text, _room: ["\t<key>Payload</key>", "\t<data>", *["\t" + row for row in cut(text, 52)], "\t</data>"])  # fmt: skip
OF_ENCODERS: dict[str, Layout] = {
    "curl --trace": _dump(lambda at, row: f"{at:04x}: {hexes(row):48}{_seen(row)}", ["=> Send data, 96 bytes (0x60)"], ["== Info: upload completely sent off"]),
    "curl --trace-ascii": _dump(lambda at, row: f"{at:04x}: {_seen(row)}", ["<= Recv data, 117 bytes (0x75)"], per=64),
    "tcpdump -X": _dump(lambda at, row: f"\t0x{at:04x}:  {hexes(row, ' ', 2):39}  {_seen(row)}".expandtabs(8), ["10:00:01.123456 IP 10.0.0.5.51234 > 10.0.0.9.80: Flags [P.], seq 1:97, ack 1, win 502"], lead=b"E\0\0\x94\x1c\x46\x40\0\x40\x06"),
    "ngrep -x": _dump(lambda _at, row: f"  {hexes(row[:8]):23}    {hexes(row[8:]):23}    {_seen(row)}", ["T 10.0.0.5:51234 -> 10.0.0.9:80 [AP] #4"]),
    "openssl bio dump": _dump(lambda at, row: f"{at:04x} - {hexes(row[:8])}-{hexes(row[8:]):23}   {_seen(row)}", ["write to 0x55d1 [0x55e2] (96 bytes => 96 (0x60))"]),
    "strace -e write=": _dump(lambda at, row: f" | {at:05x}  {hexes(row[:8]):23}  {hexes(row[8:]):23}  {_seen(row):16} |", ['write(1, ""..., 96) = 96']),
    "WinDbg db": _dump(lambda at, row: f"000001d6`8a3f{at + 0x10:04x}  {hexes(row[:8])}-{hexes(row[8:]):23}  {_seen(row)}", ["0:000> db @rcx"]),
    "lldb memory read": _dump(lambda at, row: f"0x{0x16FDFF2A0 + at:x}: {hexes(row):47}  {_seen(row)}", ["(lldb) memory read -c 96 line"]),
    "radare2 px": _dump(lambda at, row: f"0x{0x2010 + at:08x}  {hexes(row, ' ', 2):39}  {_seen(row)}", ["- offset -   0 1  2 3  4 5  6 7  8 9  A B  C D  E F  0123456789ABCDEF"]),
    "netty buffer": _dump(lambda at, row: f"|{at:08x}| {hexes(row):48}|{_seen(row):16}|", ["         +-------------------------------------------------+", "         |  0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f |", "+--------+-------------------------------------------------+----------------+"]),
    "go-spew": _dump(lambda at, row: f" {at:08x}  {hexes(row[:8]):23}  {hexes(row[8:]):23}  |{_seen(row):16}|", ["([]uint8) (len=96 cap=96) {"], ["}"]),
    "objdump -s": _dump(lambda at, row: f" {0x2010 + at:04x} {hexes(row, ' ', 4):35}  {_seen(row)}", ["Contents of section .rodata:"], lead=b"\x01\0\x02\0"),
    "minicom hex": _dump(lambda _at, row: hexes(row).upper(), ["Welcome to minicom 2.8", "Press CTRL-A Z for help on special keys"], per=26),
    "hexyl": _dump(lambda at, row: f"│{at:08x}│ {hexes(row[:8]):23} ┊ {hexes(row[8:]):23} │{_seen(row[:8]):8}┊{_seen(row[8:]):8}│", ["┌────────┬─────────────────────────┬─────────────────────────┬────────┬────────┐"], ["└────────┴─────────────────────────┴─────────────────────────┴────────┴────────┘"]),
    "xxd -b": _columns(lambda byte: f"{byte:08b} ", 8, "", "", lambda at: f"{at:08x}: "),
    "od octal words": _words(2, lambda at, words: [f"{at:07o} " + " ".join(f"{int.from_bytes(w, 'little'):06o}" for w in words)], 8, lambda word: f"{int.from_bytes(word, 'little'):06o}"),
    "lldb words": _words(4, lambda at, words: [f"0x{0x16FDFF2A0 + at:x}: " + " ".join(f"{int.from_bytes(w, 'little'):#010x}" for w in words)], 4, lambda word: f"{int.from_bytes(word, 'little'):#010x}"),
    "WinDbg dq": _words(8, lambda at, words: [f"000001d6`8a3f{at:04x}  " + " ".join(f"{w[::-1].hex()[:8]}`{w[::-1].hex()[8:]}" for w in words)], 2, lambda word: word[::-1].hex()),
    "stack string": _stack_string,
    "Intel HEX": _intel_hex,
    "audit proctitle": _proctitle,
    "call data": _calldata,
    "gdb print/c": _listed(lambda byte: f"{byte} '{chr(byte)}'", ", ", "$1 = {", "}"),
    "gdb x/cb": _columns(lambda byte: f"{byte} '{chr(byte)}'".ljust(8), 8, "(gdb) x/64cb line", "", lambda at: f"0x7fffffffe6{at % 256:02x}: "),
    "node buffer": _columns(lambda byte: f"{byte:>4},", 12, "{\n  type: 'Buffer',\n  data: [".replace("\n", " "), "  ] }", lambda _at: "   "),
    "jq explode": _listed(str, ",\n  ", "[\n  ", "\n]"),
    "delve bytes": _listed(str, ",", "[]uint8 len: 96, cap: 96, [", "]"),
    "journal message": _listed(str, ",", '{"PRIORITY":"6","_PID":"812","MESSAGE":[27,91,51,50,109,', ',27,91,48,109],"_COMM":"node"}'),
    "record headers": _listed(str, ", ", "ProducerRecord(topic=orders, partition=null, headers=RecordHeaders(headers = [RecordHeader(key = trace, value = [", "])], isReadOnly = true), key=null)"),
    "Erlang binary": _listed(str, ",", "=ERROR REPORT==== 21-Nov-2026::10:00:00.123456 ===\n** Last message in was {tcp,#Port<0.12>,<<", ">>}"),
    "Go bytes": _listed(lambda byte: f"0x{byte:x}", ", ", "main_test.go:14: got []byte{", "}"),
    "C array of a stream": _columns(lambda byte: f"0x{byte:02x}, ", 8, "char peer0_0[] = { /* Packet 4 */", "};", lambda _at: ""),
    "R raw": _columns(lambda byte: f" {byte:02x}", 24, "> charToRaw(x)", "", lambda at: f" [{at + 1}]"),
    "R letters": _columns(lambda byte: f' "{chr(byte)}"', 18, '> strsplit(x, "")[[1]]', "", lambda at: f"[{at + 1:>3}]"),
    "Octave": _columns(lambda byte: f"{byte:>6}", 13, "ans =", "", lambda at: f" Columns {at + 1} through {at + 13}:\n\n"),
    "OCaml letters": _listed(lambda byte: f"'{chr(byte)}'", "; ", "- : char list = [", "]"),
    "Scheme bytes": _listed(str, " ", "$1 = #vu8(", ")"),
    "registry export": _encoded(lambda data: ",".join(f"{byte:02x},00" for byte in data).encode(), 6, lambda text, _room: ["[HKEY_CURRENT_USER\\Software\\Example\\App]", f'"Args"=hex(2):{(text + ",")[:66]}\\', *(f"  {row}\\" for row in cut((text + ",")[66:], 75)), "  00,00"]),
    "percent of all": _listed(lambda byte: f"%{byte:02x}", "", "GET /cb?r=", " HTTP/1.1"),
    "percent twice": _encoded(lambda data: quote("".join(f"%{byte:02X}" for byte in data)).encode(), 5, lambda text, _room: [f"location: /login?next={text}"]),
    "HTML entities": _listed(lambda byte: f"&#{byte};", "", '<a href="', '">write</a>'),
    "CSS escapes": _listed(lambda byte: f"\\{byte:x} ", "", 'a::after { content: "', '"; }'),
    "Java properties": _listed(lambda byte: f"\\u{byte:04X}", "", "#Sat Nov 21 10:00:00 UTC 2026\nnote=", ""),
    "SQL of chars": _listed(lambda byte: f"CHR({byte})", "||", "SELECT ", " FROM dual;"),
    "table of hex": _encoded(lambda data: data.hex().upper().encode(), 2, lambda text, _room: ["| id | payload | created |", f"|  7 | 0x{text} | 2026-11-21 |"]),
    "bytea": _encoded(lambda data: data.hex().encode(), 2, lambda text, _room: ["-[ RECORD 1 ]----", "id   | 7", f"body | \\x{text}"]),
    "CBOR chunks": _encoded(lambda data: data.hex().encode(), 2, lambda text, _room: ["{1: (_ " + ", ".join(f"h'{part}'" for part in cut(text, 32)) + ")}"]),
    "asn1parse dump": _encoded(lambda data: data.hex().upper().encode(), 2, lambda text, _room: ["    0:d=0  hl=2 l=  62 cons: SEQUENCE", f"    2:d=1  hl=2 l=  60 prim: OCTET STRING      [HEX DUMP]:{text}"]),
    "base32": _encoded(base64.b32encode, 8 / 5, lambda text, _room: ["$ base32 note.txt", *cut(text, 76)]),
    "ascii85": _encoded(base64.a85encode, 5 / 4, lambda text, room: ["<~" + row if not at else row for at, row in enumerate(cut(text, room - 4))] + ["~>"]),
    "base64 twice": _encoded(lambda data: base64.b64encode(base64.b64encode(data)), 16 / 9, lambda text, _room: ["apiVersion: v1", "data:", f"  note: {text}", "kind: Secret"]),
    "etcd value": _encoded(base64.b64encode, 4 / 3, lambda text, _room: [f'{{"header":{{"revision":12}},"kvs":[{{"key":"{_b64("/app/note")}","create_revision":3,"value":"{text}"}}],"count":1}}']),
    "LDIF folded": _encoded(base64.b64encode, 4 / 3, lambda text, _room: ["dn: uid=jd,ou=people,dc=example,dc=test", *[" " + row if at else row for at, row in enumerate(cut("description:: " + text, 77))]]),
    "plist data": _PLIST,
    "encoded command": _encoded(lambda data: base64.b64encode(data.decode().encode("utf-16-le")), 8 / 3, lambda text, _room: [f"  CommandLine: powershell.exe -NoProfile -enc {text}"]),
    "uuencode": _uuencoded,
    "encoded words": _encoded_words,
}  # fmt: skip
