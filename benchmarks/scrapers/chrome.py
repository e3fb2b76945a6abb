"""The chrome of each agent around an answer, drawn as its screens show it.

Takes the rows of an answer and a state (idle, working, blocked); gives the rows of a screen and
the title of its window. `adversarial.py` puts answers into it that quote chrome.
"""

from collections.abc import Callable

COLUMNS, LINES = 100, 32
RULE = "─" * COLUMNS

Draw = Callable[[list[str], str], tuple[list[str], str]]


def _boxed(text: str) -> str:
    return "│ " + text.ljust(COLUMNS - 4) + " │"


def _top() -> str:
    return "╭" + "─" * (COLUMNS - 2) + "╮"


def _bottom() -> str:
    return "╰" + "─" * (COLUMNS - 2) + "╯"


def claude(answer: list[str], state: str) -> tuple[list[str], str]:
    """Claude Code 2.1."""
    said = ["❯ What did the old version print?", "", *_led("● ", "  ", answer), ""]
    if state == "blocked":
        return [
            *said,
            "● Bash(make test)",
            "  ⎿  Waiting…",
            "",
            RULE,
            " Bash command",
            " make test",
            " Do you want to proceed?",
            " ❯ 1. Yes",
            "   2. No",
            "",
            " Esc to cancel · Tab to amend",
        ], "✳ Claude Code"
    live = ["✢ Whisking… (3s · ↓ 22 tokens)", ""] if state == "working" else ["✻ Baked for 3s", ""]
    keys = "esc to interrupt" if state == "working" else "? for shortcuts"
    title = "◐ Claude Code" if state == "working" else "✳ Claude Code"
    return [*said, *live, RULE, "❯ ", RULE, f"  ⏸ manual mode on · {keys}"], title


def demo(answer: list[str], state: str) -> tuple[list[str], str]:
    """Our own demo agent."""
    said = ["❯ What did the old version print?", "", *_led("● ", "  ", answer), ""]
    if state == "blocked":
        asked = ["Do you want to run this command?", "", "❯ 1. Yes", "  2. No"]
        return [*said, _top(), *map(_boxed, asked), _bottom()], ""
    live = ["✻ Thinking… (3s · esc to interrupt)", ""] if state == "working" else []
    return [*said, *live, RULE, "❯ ", RULE, "  ? for shortcuts"], ""


def codex(answer: list[str], state: str) -> tuple[list[str], str]:
    """Codex 0.169."""
    said = ["› What did the old version print?", "", "", *_led("• ", "  ", answer), ""]
    if state == "blocked":
        return [
            *said,
            "",
            "  Would you like to run the following command?",
            "",
            "  $ make test",
            "",
            "› 1. Yes, proceed (y)",
            "  2. No, and tell Codex what to do differently (esc)",
            "",
            "  Press enter to confirm or esc to cancel",
        ], "[ ! ] Action Required | project"
    live = ["• Working (3s • esc to interrupt)", "", ""] if state == "working" else ["", ""]
    title = "⠋ project" if state == "working" else "project"
    foot = ["  gpt-5 default · ~/project", "  ← for agents · ? for shortcuts"]
    return [*said, *live, "› Ask Codex to do anything", "", *foot], title


def amp(answer: list[str], state: str) -> tuple[list[str], str]:
    """Amp of January 2026."""
    said = ["  ┃ What did the old version print?", "", *_led("  ", "  ", answer), ""]
    if state == "blocked":
        return [
            *said,
            _top(),
            _boxed("Error"),
            _boxed("‣ Retry"),
            _boxed("  Dismiss"),
            _bottom(),
        ], ""
    box = ["╭─9% of 168k" + "─" * (COLUMNS - 19) + "smart─╮", _boxed(""), _boxed(""), _bottom()]
    live = [" ≈ Streaming response...  Esc to cancel"] if state == "working" else [""]
    return [*said, *box, *live], ""


def kimi(answer: list[str], state: str) -> tuple[list[str], str]:
    """Kimi Code 2.1."""
    said = [" ✨ What did the old version print?", "", *_led(" ● ", "   ", answer), ""]
    foot = [" rig-model thinking  …/project", " " * 70 + "context: 11% (21k/195k)"]
    if state == "blocked":
        rule = " " + "─" * (COLUMNS - 2)
        menu = [
            "   ▶ Run this command?",
            "",
            "   $ make test",
            "",
            "   ▶ 1. Approve once",
            "     2. Reject",
        ]
        return [*said, rule, *menu, "", "   ↑/↓ select · 1/2 choose · ↵ confirm", rule, *foot], ""
    live = ["  ⠏ Working… · Tip: /help lists the commands"] if state == "working" else []
    box = [" " + _top()[:-2] + "╮", " │ >" + " " * (COLUMNS - 6) + "│", " " + _bottom()[:-2] + "╯"]
    return [*said, *live, *box, *foot], ""


def opencode(answer: list[str], state: str) -> tuple[list[str], str]:
    """OpenCode 1.18."""
    said = [
        "  ┃",
        "  ┃  What did the old version print?",
        "  ┃",
        "",
        *_led("     ", "     ", answer),
        "",
    ]
    if state == "blocked":
        asked = [
            "  ┃",
            "  ┃  △ Permission required",
            "  ┃    # Shell command",
            "  ┃",
            "  ┃  $ make test",
            "  ┃",
        ]
        keys = "  ┃   Allow once   Allow always   Reject    ⇆ select  enter confirm"
        return [*said, "     ▣  Build · Model", "", *asked, keys, "  ┃"], "OC | x"
    done = "     ▣  Build · Model" + ("" if state == "working" else " · 4.1s")
    box = ["  ┃", "  ┃", "  ┃", "  ┃  Build · Model", "  ╹" + "▀" * (COLUMNS - 4)]
    foot = "   ■■⬝⬝⬝⬝⬝⬝  esc interrupt" if state == "working" else "   ~/project"
    return [*said, done, "", *box, foot.ljust(70) + "8.6K (4%)  ctrl+p commands"], "OC | x"


def gemini(answer: list[str], state: str) -> tuple[list[str], str]:
    """Gemini CLI 0.61."""
    said = [" > What did the old version print?", "", *_led("✦ ", "  ", answer), ""]
    if state == "blocked":
        menu = [
            "? Shell  make test",
            "Allow execution of [Shell]?",
            "",
            "● 1. Allow once",
            "  2. No, suggest changes (esc)",
        ]
        return [*said, _top(), *map(_boxed, menu), _bottom()], "✋  Action Required (project)"
    live = [" ⠼ Thinking... (esc to cancel, 3s)"] if state == "working" else [""]
    foot = [
        RULE,
        " Shift+Tab to accept edits",
        "",
        " >   Type your message or @path/to/file",
        "",
        " ~/project      no sandbox       model",
    ]
    title = "✦  Working… (project)" if state == "working" else "◇  Ready (project)"
    return [*said, *live, *foot], title


def qwen(answer: list[str], state: str) -> tuple[list[str], str]:
    """Qwen Code 0.24."""
    said = ["  > What did the old version print?", "", *_led("  ◆ ", "    ", answer), ""]
    if state == "blocked":
        menu = [
            "   Allow execution of: 'make'?",
            "",
            "   › 1. Yes, allow once",
            "     2. No, suggest changes (esc)",
            "",
        ]
        return [
            *said,
            "  ? Shell make test ←",
            "",
            *menu,
            "  ⠏ Waiting for user confirmation...",
        ], "✳ Qwen - project"
    live = (
        ["  ⠧ Feeding the hamster (8s · ↓ 5 tokens · esc to cancel)"] if state == "working" else []
    )
    foot = [
        RULE,
        ">   Type your message or @path/to/file",
        RULE,
        "  ➜ project · model",
        "  Auto mode (shift + tab to cycle)",
    ]
    return [*said, *live, *foot], "◐ Qwen - project" if state == "working" else "Qwen - project"


def copilot(answer: list[str], state: str) -> tuple[list[str], str]:
    """GitHub Copilot CLI 1.0."""
    said = [" ❯ What did the old version print?", "", *_led(" ● ", "   ", answer), ""]
    if state == "blocked":
        menu = [
            "make test",
            "",
            "Do you want to run this command?",
            "",
            "❯ 1. Yes",
            "  2. No, and tell Copilot what to do differently (Esc to stop)",
            "",
            "↑/↓ to navigate · enter to select · esc to cancel",
        ]
        return [*said, _top(), *map(_boxed, menu), _bottom()], "GitHub Copilot"
    foot = (
        " ◉ Working · 154 B esc esc interrupt"
        if state == "working"
        else " ← open sidebar · Interactive · ? help"
    )
    return [*said, " /home/me/project", RULE, "❯", RULE, foot], "GitHub Copilot"


def pi(answer: list[str], state: str) -> tuple[list[str], str]:
    """Pi 0.73 (asks nothing itself: two states)."""
    said = [" What did the old version print?", "", "", *_led(" ", " ", answer), ""]
    live = [" ⠼ Working...", ""] if state == "working" else []
    return [
        *said,
        *live,
        RULE,
        "",
        RULE,
        "~/project",
        "0.9%/200k (auto)        model • medium",
    ], "π - project"


def cline(answer: list[str], state: str) -> tuple[list[str], str]:
    """Cline CLI 1.0."""
    mark = " ⠴ " if state == "working" else " * "
    said = [" ❯ What did the old version print?", "", *_led(mark, "   ", answer), ""]
    foot = [
        " model (6,253) $0.00       ○ Plan ● Act (Tab)",
        " project",
        " Auto-approve all disabled (Shift+Tab)",
    ]
    if state == "blocked":
        menu = [
            " Cline needs permission",
            "",
            " Approve tool call?",
            "",
            "   $ make test",
            "",
            "  [y] Approve   [n] Deny",
            "",
        ]
        return [*said, *menu, *foot], "> x"
    return [*said, RULE, "❯ Ask anything...", RULE, *foot], "> x"


AGENTS: dict[str, Draw] = {
    "claude": claude,
    "demo": demo,
    "codex": codex,
    "amp": amp,
    "kimi": kimi,
    "opencode": opencode,
    "gemini": gemini,
    "qwen": qwen,
    "copilot": copilot,
    "pi": pi,
    "cline": cline,
}


def _led(first: str, rest: str, lines: list[str]) -> list[str]:
    """Lines of an answer behind the agent's glyph and its indent."""
    return [(first if n == 0 else rest) + line if line else "" for n, line in enumerate(lines)]
