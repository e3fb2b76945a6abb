"""How agents draw an exchange on their screens: rows, marks and styles, for the leak tests.

Written from the golden cases and the line rules of `scrapers/agents/`; every rule pack that knows a
prompt has one, and `capture.py` counts an exchange that its pack does not read as a fault.
"""

from collections.abc import Callable
from typing import NamedTuple

Wrap = Callable[[str, int], list[str]]
Marks = tuple[str, str]
"""What stands before a block's first row, and before its further ones."""


def hard(text: str, width: int) -> list[str]:
    """Rows cut at the width, wherever that is."""
    rows: list[str] = []
    for line in text.split("\n"):
        rows += [line[i : i + width] for i in range(0, max(len(line), 1), width)]
    return rows


def words(text: str, width: int) -> list[str]:
    """Rows broken at blanks; a word longer than a row is cut."""
    rows: list[str] = []
    for line in text.split("\n"):
        row = ""
        for word in line.split(" "):
            while len(word) > width:
                if row:
                    rows.append(row)
                    row = ""
                rows.append(word[:width])
                word = word[width:]
            if row and len(row) + 1 + len(word) > width:
                rows.append(row)
                row = word
            else:
                row = f"{row} {word}" if row else word
        rows.append(row)
    return rows


def fill(text: str, width: int) -> list[str]:
    """As `words`; a long word begins on the row where there is room and goes on below."""
    rows: list[str] = []
    for line in text.split("\n"):
        row = ""
        for word in line.split(" "):
            row = f"{row} {word}" if row else word
            while len(row) > width:
                blank = row.rfind(" ", 0, width + 1)
                cut = blank if blank > 0 and len(row) - blank <= width else width
                rows.append(row[:cut])
                row = row[cut:].lstrip(" ")
        rows.append(row)
    return rows


def breaks(text: str, width: int) -> list[str]:
    """Rows broken behind the last character at which programs break words, as CSS and UAX 14 do."""
    rows: list[str] = []
    for line in text.split("\n"):
        while len(line) > width:
            cut = max(line.rfind(char, 0, width) for char in " -/+.,;:&=_") + 1 or width
            rows.append(line[:cut].rstrip(" "))
            line = line[cut:].lstrip(" ")
        rows.append(line)
    return rows


def apart(text: str, width: int) -> list[str]:
    """As `hard`, with a blank row between."""
    rows: list[str] = []
    for row in hard(text, width):
        rows += ([""] if rows else []) + [row]
    return rows


def _numbered(text: str, width: int, sign: str) -> list[str]:
    rows: list[str] = []
    for number, line in enumerate(text.split("\n"), 11):
        for at, part in enumerate(hard(line, max(width - 7, 4))):
            rows.append((f"{number:4} {sign} " if not at else f"     {sign} ") + part)
    return rows


def diff(text: str, width: int) -> list[str]:
    """Rows of a diff: a number and a sign, repeated where a line goes on."""
    return _numbered(text, width, "+")


def numbered(text: str, width: int) -> list[str]:
    """Rows of a file with line numbers behind a bar."""
    return _numbered(text, width, "│")


def table(text: str, width: int) -> list[str]:
    """The middle cell of a Markdown table, broken inside it."""
    rows: list[str] = []
    for line in text.split("\n"):
        inner = max(width - 14, 6)
        for at, part in enumerate(hard(line, inner)):
            rows.append(f"| {'' if at else 'row':4} | {part:{inner}} | {'' if at else 'x'}")
    return rows


def boxed(text: str, width: int) -> list[str]:
    """A drawn box with the text inside."""
    inner = max(width - 4, 4)
    rows = [f"│ {row:{inner}} │" for row in hard(text, inner)]
    return ["┌" + "─" * (inner + 2) + "┐", *rows, "└" + "─" * (inner + 2) + "┘"]


WRAPS: dict[str, Wrap] = {
    "hard": hard, "words": words, "fill": fill, "breaks": breaks, "apart": apart, "diff": diff,
    "numbered": numbered, "table": table, "boxed": boxed,
}  # fmt: skip


class Chrome(NamedTuple):
    """How one agent draws: marks before first and further rows, and what stands below."""

    agent: str
    prompt: Marks
    call: str
    output: Marks
    answer: Marks
    below: Callable[[int], list[str]]
    margin: int = 1
    """Columns left free at the right."""
    lead: tuple[str, ...] = ()
    """Rows before the prompt."""
    before_answer: tuple[str, ...] = ()
    right: str = ""
    """What stands at the right edge of output."""
    keeps_output: bool = True
    """Whether the pack takes a call's output into the turns."""


def _rules(*rows: str, pointer: str = "❯ ") -> Callable[[int], list[str]]:
    return lambda width: ["", "─" * width, pointer, "─" * width, *rows]


def _box(*rows: str, pointer: str = ">", indent: str = "") -> Callable[[int], list[str]]:
    def draw(width: int) -> list[str]:
        inner = width - 4 - len(indent)
        return [
            "", f"{indent}╭{'─' * (inner + 2)}╮", f"{indent}│ {pointer:{inner}} │",
            f"{indent}╰{'─' * (inner + 2)}╯", *rows,
        ]  # fmt: skip

    return draw


def _plain(*rows: str) -> Callable[[int], list[str]]:
    return lambda _width: list(rows)


def _composer(width: int) -> list[str]:
    return ["", "  ┃", "  ┃", "  ┃  Build · Ada", "  ╹" + "▀" * (width - 4), "   ctrl+p commands"]


_B, _D, _G, _0 = "\x1b[1m", "\x1b[2m", "\x1b[48;5;237m", "\x1b[0m"

CHROMES = (
    Chrome("demo", ("❯ ", "  "), "● Bash(cat .env)", ("  ⎿  ", "     "), ("● ", "  "),
           _rules("  ? for shortcuts"), 2),
    Chrome("claude", ("❯ ", "  "), f"● {_B}Bash{_0}(cat .env)", ("  ⎿  ", "     "), ("● ", "  "),
           _rules("  ? for shortcuts")),
    Chrome("codex", ("› ", "  "), f"• {_B}Ran{_0} cat .env", ("  └ ", "    "), ("• ", "  "),
           _plain("", "› ", "", "  gpt-5 · 100% context left"), 0),
    Chrome("aider", ("> ", "> "), "Running cat .env", ("", ""), ("", ""),
           lambda width: ["", "─" * width, "src/ring.py", ">"], 0),
    Chrome("amazonq", ("> ", "  "), "🛠️  Using tool: execute_bash", ("   ", "   "), ("", ""),
           _plain("", "> "), 0),
    Chrome("amp", ("  ┃ ", "  ┃ "), f"  {_B}$ cat .env{_0}", (f"  {_D}", f"  {_D}"), (f"{_0}  ", "  "),
           _box()),
    Chrome("antigravity", ("> ", "  "), "", ("  ", "  "), ("  ", "  "), _rules(pointer=">"), 2),
    Chrome("auggie", (" › ", "   "), " ● cat .env - run terminal", ("   ⎿ ", "     "), (" » ", "   "),
           _box(pointer="›")),
    Chrome("cline", (f" {_G}❯ ", f"   {_G}"), f"{_0} * {_B}run_commands{_0}(cat .env)", ("   ⎿ ", "     "),
           (" * ", "   "), _rules(" rig-model ○ Plan ● Act (Tab)", " project"), 4),
    Chrome("copilot", (" ❯ ", "   "), f" $ {_B}Shell{_0} cat 3 lines…\r\n   cat .env", ("   └ ", "   "),
           (" ● ", "   "), _rules(" Interactive · Manual Approval"), 2, keeps_output=False),
    Chrome("cursor", (" │ ", " │ "), "  ⬢ Bash cat .env", ("  ", "  "), ("  ", "  "),
           lambda width: ["", " ┌" + "─" * (width - 4) + "┐", f" │ {'→ Add a follow-up':{width - 6}} │",
                          " └" + "─" * (width - 4) + "┘", "  Composer 2.5 · 12%"], 4),
    Chrome("devin", ("❭ ", "  "), "⏺ Running cat .env", ("  ", "  "), ("⏺ ", "  "), _rules(pointer="❭ "), 2),
    Chrome("droid", (" > ", "   "), " • EXECUTE cat .env", ("   ", "   "), (" ⛬ ", "   "),
           _box("  ? for help")),
    Chrome("gemini", (f"{_G} > ", f"{_G}   "), f"│ ✓  {_B}Shell{_0} cat .env  │", ("│ ", "│ "), ("✦ ", "  "),
           _rules(" workspace (/directory)", pointer=" > "), 2, right=" │"),
    Chrome("generic", ("❯ ", "  "), "", ("", ""), ("● ", "  "), _plain("", "❯ "), keeps_output=False),
    Chrome("goose", ("( O)> ", ""), "─── shell | developer ──────────", ("", ""), ("", ""),
           _plain("", "( O)> "), 0),
    Chrome("grok", ("❯ ", "  "), "◆ Bash cat .env", ("  ", "  "), ("", ""), _box(pointer="❯"), 2),
    Chrome("hermes", ("● ", "  "), "", ("     ", "     "), ("     ", "     "), _plain("", "coder ❯ "), 2),
    Chrome("kimi", (f" ✨ {_B}", f"   {_B}"), f"{_0} ● {_B}Ran a command{_0} · $ cat .env",
           (f"   {_D}", f"   {_D}"), (f"{_0} ● ", "   "), _box(" rig-model", indent=" ")),
    Chrome("kiro", ("[developer] > ", "  "), "", ("", ""), ("> ", ""),
           _plain("", " ▸ Credits: 0.24 • Time: 3s", "", "[developer] > "), 0),
    Chrome("mcode", ("› ", "  "), "", ("  ", "  "), ("● ", "  "), _box("Message · Enter send", pointer="›")),
    Chrome("nanocoder", ("┃ ", "┃ "), "⚒ execute_bash\r\n\r\nCommand:       cat .env", ("  ", "  "),
           ("┃ ", "┃ "),
           lambda _width: ["", "~4 tokens", "", "┃", "┃ > / commands, ! bash", "┃", "", "▶ normal mode on"],
           4, ("You:", ""), ("rig-model:", ""), keeps_output=False),
    Chrome("opencode", ("  ┃  ", "  ┃  "), "     $ cat .env", ("     ", "     "), ("     ", "     "),
           _composer, 3),
    Chrome("pi", (f"{_G} ", f"{_G} "), f"{_0}\r\n{_G}{_B} $ cat .env{_0}\r\n",
           (f"{_G} ", f"{_G} "), (f"{_0} ", " "),
           lambda width: ["", "─" * width, "", "─" * width, "/home/ada/work", "↑7.0k ↓387 (auto)"], 2),
    Chrome("qwen", ("  > ", "    "), f"  ✓ {_B}Shell{_0} cat .env", ("    ", "    "), ("  ◆ ", "    "),
           _rules("  ➜ project · rig-model", pointer="> "), 3),
)  # fmt: skip


def rows_of(
    chrome: Chrome, wrap: Wrap, width: int, *, prompt: str, output: str, answer: str
) -> list[str]:
    """Return the rows of one exchange, styles included, without what stands below it."""

    def block(text: str, marks: Marks, wrap: Wrap, right: str = "") -> list[str]:
        room = max(width - max(map(_cells, marks)) - max(chrome.margin, len(right)), 4)
        return [
            marks[min(number, 1)] + (row.ljust(room) + right if right else row) + _0
            for number, row in enumerate(wrap(text, room))
        ]

    # People type no borders.
    wrap_prompt = hard if wrap in (diff, numbered, table, boxed) else wrap
    rows = [*chrome.lead, *block(prompt, chrome.prompt, wrap_prompt), ""]
    rows += chrome.call.split("\r\n") if chrome.call else []
    rows += [*block(output, chrome.output, wrap, chrome.right), "", *chrome.before_answer]
    return rows + block(answer, chrome.answer, wrap)


def screen(
    chrome: Chrome, wrap: Wrap, width: int, *, prompt: str, output: str, answer: str
) -> bytes:
    """Return the bytes of one exchange, drawn on a cleared screen."""
    rows = rows_of(chrome, wrap, width, prompt=prompt, output=output, answer=answer)
    return ("\x1b[H\x1b[2J" + "\r\n".join([*rows, *chrome.below(width)])).encode()


def _cells(marks: str) -> int:
    for style in (_B, _D, _G, _0):
        marks = marks.replace(style, "")
    return len(marks)
