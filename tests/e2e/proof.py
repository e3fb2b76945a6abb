"""Ten real agents inside `dejavu-run --prove`: typed at, pasted into, resized, clicked and flooded.

    RIG_NPM=... RIG_MORE=... python -m tests.e2e.proof [RIG_FOLDER] [AGENT ...] [--write]

Prints a row an agent; `--write` puts the table into docs/evidence.md. Each agent runs in tmux, in a
throw-away home, against the rig's model on 127.0.0.1, which answers the paste with 2,000 lines. What an
agent's screen shows is not judged here: only that both sides of the wrapper saw the same bytes.
"""

import os
import re
import shlex
import shutil
import signal
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

REPO = Path(__file__).parents[2]
PAGE = REPO / "docs" / "evidence.md"
BEGIN, END = "<!-- proof: made by tests/e2e/proof.py -->\n", "<!-- end of proof -->\n"
AGENTS = (
    "claude", "codex", "gemini", "opencode", "qwen", "kimi", "pi", "amp-old", "continue", "auggie",
)  # fmt: skip
KEYS = (
    "hello wörld 漢字", "<Left>", "<Left>", "<BSpace>", "<C-a>", "x", "<C-e>", "<Up>", "<Down>",
    "<C-u>",
)  # fmt: skip
SIZES = ("100x30", "80x24", "160x50", "120x40")
MOUSE = [
    f"\x1b[<{button};{column};{row}{end}"
    for column, row in ((3, 3), (40, 12), (110, 30))
    for button, end in ((35, "M"), (0, "M"), (32, "M"), (0, "m"), (64, "M"), (65, "M"))
]
_PASTE = "".join(f"line {number} of a paste with tabs\tand ünïcödé\n" for number in range(200))
PROMPT = _PASTE + "Now say the long answer."
FLOOD = "".join(
    f"{number}: the quick brown fox jumps over the lazy dog\n" for number in range(2000)
)
_LINE = re.compile(
    r"(?m)^(?:dejavu-run: )?(output|input): .*? ([\d,]+) bytes, .* got (the same|something else)"
    r"(?:, plus ([\d,]+))?"
)
_DELAY = re.compile(
    r"(?m)^(?:dejavu-run: )?(output|input) delay: median ([\d.]+) ms, p95 ([\d.]+) ms"
)


class Row(NamedTuple):
    """What one agent's report says."""

    agent: str
    version: str
    sizes: dict[str, str]
    same: bool
    added: str
    delays: dict[str, tuple[str, str]]
    code: str

    def __str__(self) -> str:
        output, typed = (self.delays.get(way, ("", "")) for way in ("output", "input"))
        return (
            f"| {self.agent} | {self.version} | {self.sizes['output']} | {self.sizes['input']} | "
            f"{'same' if self.same else '**differs**'} | {self.added} | {' / '.join(output)} | "
            f"{' / '.join(typed)} | {self.code} |\n"
        )


HEAD = (
    "| agent | version | bytes shown | bytes typed | both ways | program status added | "
    "delay shown, ms (median / p95) | typed | exit code |\n" + "|---" * 9 + "|\n"
)


def read(agent: str, version: str, report: str) -> Row:
    """The row of a report that `--prove` printed.

    Raises:
        ValueError: it is no whole report.
    """
    found = {match[1]: match for match in _LINE.finditer(report)}
    code = re.search(r"(?m)^(?:dejavu-run: )?exit code: (-?\d+), (passed on)?", report)
    if set(found) != {"output", "input"} or code is None:
        raise ValueError(f"{agent}: {report!r}")
    same = all(match[3] == "the same" for match in found.values()) and code[2] is not None
    delays = {match[1]: (match[2], match[3]) for match in _DELAY.finditer(report)}
    number = re.search(r"\d+\.\d+(\.\d+)?", version)
    sizes = {way: match[2] for way, match in found.items()}
    added = found["output"][4] or "0"
    return Row(agent, number[0] if number else "", sizes, same, added, delays, code[1])


def exercise(run: Any) -> None:
    """Everything a person's terminal may send; `run` is the rig's."""
    ready = run.onboard(30)
    run.keys(list(KEYS))
    paste = run.term.sock + ".paste"
    Path(paste).write_text(PROMPT)
    run.term.tmux("load-buffer", paste)
    run.term.tmux("paste-buffer", "-p", "-d")
    time.sleep(2)
    run.keys([run.a.submit])
    end = time.monotonic() + (45 if ready else 5)
    for size in SIZES:
        columns, lines = size.split("x")
        run.term.tmux("resize-window", "-x", columns, "-y", lines)
        time.sleep(1.5)
    while time.monotonic() < end and "1999: the quick" not in run.term.screen():
        time.sleep(0.5)
    run.settle(2, 10)
    for event in MOUSE:
        run.term.tmux("send-keys", "-l", event)
    run.settle(1, 5)


def leave(run: Any) -> None:
    """The agent's own keys, and nothing after it has gone: that would be typed at no agent."""
    for _ in range(3):
        for key in run.a.quit:
            if run.term.alive():
                run.keys([key])
        end = time.monotonic() + 8
        while time.monotonic() < end and run.term.alive():
            time.sleep(0.25)
    if run.term.alive():
        recorder = run.term.tmux("display-message", "-p", "#{pane_pid}").strip()
        for pid in Path(f"/proc/{recorder}/task/{recorder}/children").read_text().split():
            os.kill(int(pid), signal.SIGTERM)  # `--prove` hands it on to the agent
        time.sleep(8)


def prove(rig: Any, agents: Any, name: str, base: Path) -> Row:
    """Run one agent between the taps and read the report."""
    run = rig.Run(agents[name], "hello", "120x40", "tmux", base / name, False)
    run.server.script.turns = [{"user": PROMPT, "reply": [[{"text": FLOOD, "cps": 60_000}]]}]
    report = base / f"{name}.report"
    wrapper = shlex.quote(str(Path(sys.executable).parent / "dejavu-run"))
    script = f'exec {wrapper} --prove -- "$@" 2>{shlex.quote(str(report))}'
    argv = ["/bin/sh", "-c", script, "sh", *agents[name].argv(run.port, run.work)]
    run.resize_to, run.wrap = None, []
    run.term = rig.Tmux(argv, 120, 40, base / f"{name}.cast", run.env, run.work)
    try:
        exercise(run)
        leave(run)
    finally:
        run.term.close()
        run.finish()
    for _ in range(40):
        if report.exists() and "exit code" in report.read_text():
            break
        time.sleep(0.5)
    return read(name, run.truth.get("version", ""), report.read_text())


def main() -> None:
    """Print the table."""
    words = [word for word in sys.argv[1:] if word != "--write"]
    write = "--write" in sys.argv
    folder = Path(words[0] if words else REPO.parent / "shared" / "rig")
    names = words[1:] or AGENTS
    sys.argv[1:] = [str(folder)]
    more = import_module("tests.e2e.rig_agents")  # finds the rig's folder in the line
    rig = import_module("rig")
    base = Path("/var/tmp") / "dejavu-proof"  # Codex refuses a home below /tmp
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(mode=0o700)
    rows = []
    for name in names:
        try:
            rows.append(prove(rig, more.rig_agents.AGENTS, name, base))
        except (OSError, ValueError) as error:
            print(name, "not proven:", error, file=sys.stderr)  # noqa: T201 - a command
            continue
        print(rows[-1], end="", flush=True)  # noqa: T201 - a command
        if not rows[-1].same:
            print((base / f"{name}.report").read_text(), file=sys.stderr)  # noqa: T201 - a command
    shutil.rmtree(base, ignore_errors=True)
    if write:
        PAGE.write_text(page(PAGE.read_text("utf-8"), rows), "utf-8")


def page(text: str, rows: list[Row]) -> str:
    """The page with these rows in the place of the agents' former ones."""
    before, _, rest = text.partition(BEGIN)
    former, _, after = rest.partition(END)
    lines = {line.split("|")[1].strip(): line for line in former.splitlines(keepends=True)[2:]}
    lines |= {row.agent: str(row) for row in rows}
    ordered = sorted(lines, key=lambda name: AGENTS.index(name) if name in AGENTS else len(AGENTS))
    return f"{before}{BEGIN}{HEAD}{''.join(lines[name] for name in ordered)}{END}{after}"


if __name__ == "__main__":
    main()
