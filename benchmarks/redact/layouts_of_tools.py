"""How tools of every day draw a secret: pagers, debuggers, logs, tables, file managers, dumps.

Data for `elsewhere.py`. They judged the rules once, and rules are tuned on them since;
`layouts_heldout*.py` has those that judge now.
"""

import random
from collections.abc import Callable

from benchmarks.redact.layouts import (
    Drawing,
    Layout,
    Line,
    begin_alone,
    chunks,
    plain,
    prose,
    shown,
)

__all__ = ["OF_TOOLS"]


def _led(lead: Callable[[random.Random, int], str], after: str = "") -> Layout:
    """Lines that a file or a stream had broken, each behind what a program puts before it."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        state = rng.getrandbits(32)
        leads = [lead(random.Random(state), n) for n in range(60)]
        width = max(room - max(map(len, leads)) - len(after), 12)
        rows = chunks(f"{prose(rng, rng.randrange(width))} {line.text} and after", width)
        return plain([leads[n] + row + after for n, row in enumerate(rows[:60])], line)

    return draw


def _blame(rng: random.Random, number: int) -> str:
    return f"{rng.getrandbits(32):08x} (Ada 2026-11-21 10:00 {number + 7:3}) "


def _journal(rng: random.Random, _number: int) -> str:
    return f"Nov 21 10:00:{rng.randrange(60):02} ring worker[{rng.randrange(400, 9999)}]: "


def _actions(rng: random.Random, number: int) -> str:
    return f"2026-11-21T10:00:{number:02}.{rng.randrange(10**7):07}Z "


def _delta(line: Line, room: int, rng: random.Random) -> Drawing:
    """delta, side by side: two panes with numbers, and a sign after what goes on below."""
    width = max((room - 16) // 2, 12)
    side = rng.randrange(2)
    old, new = (prose(rng, width - 3) for _ in range(2))
    texts = [chunks(old, width), chunks(new, width)]
    texts[side] = [*chunks(f"{prose(rng, 8)}{line.text}", width - 1)]
    texts[side] = [part + "↵" for part in texts[side][:-1]] + texts[side][-1:]
    count = max(map(len, texts))
    rows = []
    for n in range(count):
        panes = []
        for parts in texts:
            number = "⋮ 12 │" if n == 0 else "⋮    │"
            panes.append(f"{number}{parts[n] if n < len(parts) else '':{width}}")
        rows.append("│".join(panes))
    return plain(rows, line)


def _bat(line: Line, room: int, rng: random.Random) -> Drawing:
    width = max(room - 9, 12)
    parts = chunks(f"{prose(rng, rng.randrange(width))} {line.text}", width)
    rule = "─" * 7
    rows = [f"{rule}┬{'─' * width}", f"   1   │ {prose(rng, width // 2)}"]
    rows += [f"{'   2' if n == 0 else '':7}│ {part}" for n, part in enumerate(parts)]
    return plain([*rows, f"   3   │ {prose(rng, width // 2)}", f"{rule}┴{'─' * width}"], line)


def _gdb(line: Line, room: int, rng: random.Random) -> Drawing:
    """x/s of a long string: a row of an address for so many characters each."""
    size = rng.randint(14, max(15, min(40, room - 24)))
    base = 0x7FFE_0000_0000 + rng.randrange(1 << 20)
    parts = chunks(line.text, size)
    rows = [
        f'0x{base + n * size:x}:\t"{part}"'.replace("\t", "  ")
        + ("..." if n < len(parts) - 1 else "")
        for n, part in enumerate(parts)
    ]
    return plain(["(gdb) x/4s buffer", *rows], line)


def _strace(line: Line, room: int, rng: random.Random) -> Drawing:
    """A system call with the first 32 characters of what it wrote."""
    at = rng.randint(0, max(0, min(len(line.before), 18)))
    data = line.text[at : at + 32]
    more = "..." if len(line.text) - at > 32 else ""
    row = f'write({rng.randrange(3, 20)}, "{data}"{more}, {rng.randrange(64, 4096)}) = 4096'
    return plain(['openat(AT_FDCWD, "/etc/app.conf", O_RDONLY) = 3', *chunks(row, room)], line)


def _sqlite_box(line: Line, room: int, rng: random.Random) -> Drawing:
    width = rng.randint(14, max(15, min(44, room - 12)))
    parts = chunks(line.text, width)
    rows = [
        f"┌────┬{'─' * (width + 2)}┐",
        f"│ id │ {'value':^{width}} │",
        f"├────┼{'─' * (width + 2)}┤",
    ]
    rows += [f"│ {'7' if n == 0 else '':2} │ {part:{width}} │" for n, part in enumerate(parts)]
    return plain([*rows, f"└────┴{'─' * (width + 2)}┘"], line)


def _mysql_vertical(line: Line, room: int, rng: random.Random) -> Drawing:
    text = f"  value: {line.text}"
    head = "*************************** 1. row ***************************"[:room]
    return plain([head, f"     id: {rng.randrange(99)}", *chunks(text, room), "1 row in set"], line)


def _middle(mark: str) -> Layout:
    """A name that has no room loses its middle, as in a file manager."""

    def draw(line: Line, room: int, rng: random.Random) -> Drawing:
        width = rng.randint(18, max(19, min(38, len(line.secret) - 1)))
        left = (width - len(mark)) // 2
        name = line.secret[:left] + mark + line.secret[-(width - len(mark) - left) :]
        rows = [f"│ {prose(rng, 12):{width}}│  4096│", f"│ {name:{width}}│   812│"]
        return plain([row[:room] for row in [*rows, f"│ {'notes.txt':{width}}│    40│"]], line)

    return draw


def _rich_local(line: Line, room: int, rng: random.Random) -> Drawing:
    """A local variable in a traceback of rich: cut, with how much more there is."""
    width = room - 4
    size = rng.randint(10, max(10, len(line.secret) * 2 // 3))
    rest = len(line.secret) - size
    rows = [f"key = '{line.secret[:size]}'+{rest}", "retries = 3"]
    box = [f"│ {row[:width]:{width}} │" for row in rows]
    return plain([f"╭─ locals {'─' * (room - 11)}╮", *box, f"╰{'─' * (room - 2)}╯"], line)


def _systemctl(line: Line, room: int, rng: random.Random) -> Drawing:
    """A unit's processes: a command line that has no room ends with an ellipsis."""
    lead = f"             └─{rng.randrange(400, 99999)} /usr/bin/worker "
    shown_ = rng.randint(10, max(10, min(len(line.secret) - 1, room - len(lead) - 3)))
    before = line.before[-max(0, room - len(lead) - shown_ - 1) :]
    row = f"{lead}{before}{line.secret[:shown_]}"[: room - 1] + "…"
    rows = [
        "● worker.service - Retry worker",
        "     Active: active (running)",
        "     CGroup: /system.slice",
    ]
    return plain([*(part[:room] for part in rows), row], line)


def _tmux(line: Line, room: int, rng: random.Random) -> Drawing:
    """A status line with the first characters of a pane's title."""
    title = line.secret[: rng.randint(12, 21)]
    left = f"[0] 0:bash- 1:vim*  {prose(rng, 6)}"
    right = f'"{title}" 10:00 21-Nov-26'
    return plain(
        [prose(rng, room // 2), f"{left[: room - len(right) - 1]:{room - len(right)}}{right}"], line
    )


def _cat_ends(line: Line, room: int, rng: random.Random) -> Drawing:
    """`cat -A` of a file with broken lines: `^I` for tabs and `$` at every end."""
    width = rng.randint(16, max(17, min(64, room - 4)))
    rows = chunks(f"{prose(rng, rng.randrange(width))} {line.text}", width)
    return plain([f"^I{row}$" for row in rows], line)


def _pr(line: Line, room: int, rng: random.Random) -> Drawing:
    """Two columns of numbered lines, the right cut where it has no room."""
    width = max(room // 2 - 7, 12)
    broken = chunks(f"{prose(rng, rng.randrange(width))} {line.text}", width)
    other = [prose(rng, rng.randint(4, width)) for _ in broken]
    both = [broken, other] if rng.random() < 0.5 else [other, broken]
    count = len(broken)
    rows = [
        f"{n + 1:4}  {left:{width}} {n + 1 + count:4}  {right}"
        for n, (left, right) in enumerate(zip(*both, strict=True))
    ]
    return plain([row.rstrip() for row in rows], line)


def _powershell_list(line: Line, room: int, rng: random.Random) -> Drawing:
    lead = "Value      : "
    parts = chunks(line.text, max(room - len(lead), 12))
    rows = [lead + parts[0], *(" " * len(lead) + part for part in parts[1:])]
    return plain([f"Name       : {prose(rng, 8)}", *rows, "Enabled    : True"], line)


def _powershell_table(line: Line, room: int, rng: random.Random) -> Drawing:
    width = rng.randint(14, max(15, min(len(line.secret) - 1, room - 22)))
    cell = line.secret[: width - 3] + "..."
    return plain(
        ["Name       Value", "----       -----", f"api        {cell}", "retries    3"], line
    )


def _diff_side(line: Line, room: int, rng: random.Random) -> Drawing:
    """`diff -y`: both sides cut at their width, without a mark."""
    width = max((room - 3) // 2, 14)
    left = f"{line.before[-8:]}{line.secret}"[:width]
    right = prose(rng, width - 2).rstrip()
    sides = (left, right) if rng.random() < 0.5 else (right, left)
    same = prose(rng, width - 4).rstrip()
    return plain([f"{same:{width}}   {same}", f"{sides[0]:{width}} | {sides[1]}"], line)


def _k9s(line: Line, room: int, rng: random.Random) -> Drawing:
    width = max(room - 4, 12)
    parts = chunks(f"{prose(rng, rng.randrange(width))} {line.text}", width)
    rows = [f"┌{' logs(default/ring) ':─^{width + 2}}┐"]
    rows += [f"│ {part:{width}} │" for part in [prose(rng, width), *parts, prose(rng, width)]]
    return plain([*rows, f"└{'─' * (width + 2)}┘"], line)


def _dump(row: Callable[[int, bytes, int], str], *sizes: int) -> Layout:
    """Bytes, as many a row as there is room for."""

    def draw(line: Line, room: int, _rng: random.Random) -> Drawing:
        data = (line.text + "\n").encode()
        size = next((size for size in sizes if len(row(0, b"x" * size, size)) <= room), sizes[-1])
        rows = [row(at, data[at : at + size], size) for at in range(0, len(data), size)]
        hidden = line.secret.encode().hex()
        return Drawing(rows, ((hidden, 2), (line.secret, 1)))

    return draw


def _hexyl(at: int, data: bytes, size: int) -> str:
    cells = [f"{byte:02x}" for byte in data] + ["  "] * (size - len(data))
    text = f"{shown(data):{size}}"
    panels = " ┊ ".join(" ".join(cells[start : start + 8]) for start in range(0, size, 8))
    return f"│{at:08x}│ {panels} │{'┊'.join(chunks(text, 8))}│"


def _tcpdump(at: int, data: bytes, size: int) -> str:
    return (
        f"        0x{at:04x}:  {' '.join(chunks(data.hex(), 4)):{size // 2 * 5 - 1}}  {shown(data)}"
    )


def _session(at: int, data: bytes, size: int) -> str:
    half = size // 2
    pairs = chunks(data.hex(), 2)
    text = "-".join(filter(None, (" ".join(pairs[:half]), " ".join(pairs[half:]))))
    return f"    {at:04x} - {text:{size * 3 - 1}}   {shown(data)}"


def _bits(at: int, data: bytes, size: int) -> str:
    return f"{at:08x}: {' '.join(f'{byte:08b}' for byte in data):{size * 9 - 1}}  {shown(data)}"


OF_TOOLS: dict[str, Layout] = {
    "delta": _delta,
    "bat": _bat,
    "git blame": _led(_blame),
    "journalctl": _led(_journal),
    "compose logs": _led(lambda rng, _n: f"worker-{rng.randrange(1, 9)}  | "),
    "GitHub Actions": _led(_actions),
    "nl": _led(lambda _rng, n: f"{n + 1:6}  "),
    "cat -A": _cat_ends,
    "gdb x/s": _gdb,
    "strace": _strace,
    "sqlite box": _sqlite_box,
    "mysql vertical": _mysql_vertical,
    "file manager ~": _middle("~"),
    "rich locals": _rich_local,
    "systemctl status": _systemctl,
    "tmux status": _tmux,
    "pr -2 -n": _pr,
    "PowerShell list": _powershell_list,
    "PowerShell table": _powershell_table,
    "diff -y": _diff_side,
    "k9s": _k9s,
    "ripgrep": begin_alone(" [... omitted end of long line]"),
    "hexyl": _dump(_hexyl, 16, 8),
    "tcpdump -X": _dump(_tcpdump, 16, 8),
    "openssl session": _dump(_session, 16, 8),
    "xxd -b": _dump(_bits, 6, 4),
}
