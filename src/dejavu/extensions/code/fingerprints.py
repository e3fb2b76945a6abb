"""Fingerprints of commands and of failures, so that the index holds no text of them.

A command is its words without a leading `cd`, assignments and what only cuts its output. A line of a failure
is its words without colours, times, numbers, addresses and paths (their last part's name stays). Does
no I/O. Costs O(text).

Tested in: tests/extensions/code/test_failures.py
"""

import re
from itertools import pairwise

from .hunk_prints import digest

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
_SALIENT = re.compile(
    r"error|exception|fail|fatal|panic|cannot|can't|could not|couldn't|not found|no such|denied|"
    r"undefined|unresolved|unexpected|invalid|missing|refused|timed out|timeout|unknown|"
    r"unable|mismatch|traceback|aborted|conflict|expected|not defined|does not|doesn't|warning: |"
    r"segmentation|killed|overflow|unreachable|assert",
    re.IGNORECASE,
)
_ENDINGS = (
    "py|js|jsx|ts|tsx|rs|go|java|kt|c|cc|cpp|h|hpp|rb|php|swift|sh|toml|json|ya?ml|lock|md|sql|css|"
    "html|txt|cfg|ini|mjs|cjs|vue|cs|scala|ex|exs|zig"
)
_PATH = r"(?:[A-Za-z]:)?(?:[\\/]|(?:~|\.{1,2}|[\w@+.-]+)[\\/])(?:[\w@+.~-]+[\\/])*[\w@+.~-]*"
_PATHS = re.compile(_PATH)
_SUBSTITUTIONS = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "#"),
        (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", "#"),
        (r"\b[a-z]+://[^\s\"'<>)]+", "#"),
        (_PATH, "/"),
        (rf"\b[\w+-]+\.(?:{_ENDINGS})\b", "/"),
        (r"0x[0-9a-fA-F]+", "#"),
        (r"\b(?=[a-f]*\d)[0-9a-f]{7,64}\b", "#"),
        (r"\d+(?:[.,:]\d+)*", "#"),
    )
)  # fmt: skip
_WORDS = re.compile(r"[^\W_]+|[#/]")
_LABEL = re.compile(r"^\s*(?:Output|Stdout|Stderr): (?=\S)")
_NOTHING = ": (none)"
"""What some shells of agents write around what a command printed."""
_FRAME = re.compile(
    r"^(?:\s*E\s{2,}|\s*(?:FAILED|ERROR)\s+\S+\s+-\s+|\s*(?:[A-Za-z]:)?[^\s:]+:\d+(?::\d+)?:\s*)+"
)
"""What pytest and compilers put before a message: `E   `, `FAILED x - `, `file:line:`."""
_PASTED = 3  # lines of a failure that a person pastes, at the most
_LONGEST = 400  # characters of a line of a failure
_LARGEST = 20_000  # characters of a command whose program is looked for
_WORDS_READ = 40  # words of it
_STEPS = 8  # assignments before a command, cuts behind it
_LINES = 40  # of one failure
_PRINTS = 400  # of one failure
_NAMES = 40  # names in its paths
_NAMED = 3  # parts of a relative path (an image, a package) that are all names
_TAIL = 4  # last lines of a failure that count where none speaks of it
_CUTS = re.compile(
    r"\s*(?:2>&1|2>/dev/null)?\s*\|\s*(?:tail|head|grep|cat|less|tee|sed|awk)\b[^|;&]*$"
)
_PREFIX = re.compile(
    r"^\s*(?:cd\s+(?:'[^']*'|\"[^\"]*\"|\S+)\s*(?:&&|;)\s*|(?:export\s+)?[A-Za-z_]\w*="
    r"(?:'[^']*'|\"[^\"]*\"|[^\s;&|]*)\s*(?:&&|;)?\s+|timeout\s+(?:-\S+\s+)*\d+\w?\s+|"
    r"(?:sudo|time|nice|env|command)\s+(?=\w)|set\s+-\w+\s*(?:&&|;)\s*)"
)
_SUBCOMMANDS = frozenset({
    "git", "npm", "pnpm", "yarn", "bun", "npx", "uvx", "uv", "cargo", "go", "docker", "kubectl",
    "pip", "pip3", "make", "poetry", "terraform", "helm", "gh", "brew", "apt", "apt-get",
    "systemctl", "dotnet", "mvn", "gradle", "gradlew", "rails", "bundle", "bazel", "mix",
    "deno", "just", "nix", "aws", "gcloud", "az", "podman", "conda", "composer", "swift",
    "flutter", "dart",
})  # fmt: skip
_LAUNCHERS = {"npx", "uvx", "bunx", "nice"}


def core_command(command: str) -> str:
    """A command without what does not make it another: a `cd`, assignments, cuts of its output."""
    text = command.strip()
    for _ in range(_STEPS):
        match = _PREFIX.match(text)
        if match is None or match.end() >= len(text):
            break
        text = text[match.end() :]
    for _ in range(_STEPS):
        cut = _CUTS.search(text, max(0, len(text) - _LONGEST))
        if cut is None or not cut.start():
            break
        text = text[: cut.start()]
    return " ".join(text.removesuffix("2>&1").split())


def program_of(command: str) -> str:
    """The program that a command runs, with its subcommand where it has such: `npm test`."""
    words = core_command(command[:_LARGEST]).split(maxsplit=_WORDS_READ)[:_WORDS_READ]
    while len(words) > 1 and words[0] in _LAUNCHERS:
        words = words[1:]
    if not words:
        return ""
    name = words[0].rsplit("/", 1)[-1].strip("'\"")
    rest = [word for word in words[1:] if not word.startswith("-")]
    if name.startswith("python") and words[1:2] == ["-m"] and len(words) > 2:
        return words[2][:60]
    if name == "uv" and words[1:2] == ["run"]:
        inner = rest[1].rsplit("/", 1)[-1] if len(rest) > 1 else ""
        return inner[:60] or "uv run"
    if name in ("npm", "pnpm", "yarn", "bun") and rest[:1] == ["run"]:
        rest = rest[1:]
    if name in _SUBCOMMANDS and rest and re.fullmatch(r"[\w:.-]+", rest[0]):
        return f"{name} {rest[0]}"[:60]
    return name[:60]


def command_print(command: str) -> bytes:
    """The fingerprint of a command: equal for the same one called again."""
    return digest(core_command(command))


def normal_line(line: str) -> str:
    """A line of a failure without what changes from run to run."""
    text = _ANSI.sub("", line)[:_LONGEST]
    for pattern, by in _SUBSTITUTIONS:
        text = pattern.sub(by, text)
    return " ".join(_WORDS.findall(text.lower()))


def _telling(text: str) -> list[str]:
    """The lines of a failure that speak of one; where none does, the last ones."""
    rows = [
        _LABEL.sub("", row)
        for row in text[-60_000:].split("\n")
        if row.strip() and not row.rstrip().endswith(_NOTHING)
    ]
    salient = [row for row in rows if _SALIENT.search(row)]
    return list(dict.fromkeys(salient[:_LINES])) or rows[-_TAIL:]


def failure_lines(text: str) -> list[str]:
    """What a failure says, normalised."""
    normal = (normal_line(row) for row in _telling(text))
    return list(dict.fromkeys(row for row in normal if len(row.replace("#", "")) >= 8))


def line_of_failure(row: str) -> bytes:
    """The fingerprint of a whole normalised line."""
    return digest("=" + row)


def failure_prints(text: str) -> list[bytes]:
    """The fingerprints of what a failure says, each once: whole lines, and pairs of their words."""
    prints: dict[bytes, None] = {}
    for row in failure_lines(text):
        prints[line_of_failure(row)] = None
        prints |= dict.fromkeys(_pairs(row))
    return list(prints)[:_PRINTS]


def _pairs(row: str) -> list[bytes]:
    words = [word for word in row.split() if word not in ("#", "/")]
    return [digest("~" + " ".join(pair)) for pair in pairwise(words)]


def pair_prints(row: str) -> set[bytes]:
    """The fingerprints of the pairs of words in a normalised line."""
    return set(_pairs(row))


def pasted_message(text: str) -> str:
    """The messages of a few pasted lines, without what a test runner or compiler puts before them.

    Empty where `text` has more lines than a person pastes: a whole output is compared as it is.
    """
    rows = [row for row in text.split("\n") if row.strip()]
    return "\n".join(_FRAME.sub("", row) for row in rows) if len(rows) <= _PASTED else ""


def name_prints(text: str) -> list[bytes]:
    """The fingerprints of the names in a failure's paths, whose folders differ from run to run."""
    prints: dict[bytes, None] = {}
    for row in _telling(text):
        for path in _PATHS.findall(row[:_LONGEST]):
            parts = [part for part in re.split(r"[\\/]", path) if part]
            for part in parts if path[0].isalnum() and len(parts) <= _NAMED else parts[-1:]:
                name = re.sub(r"\d+|\.\w+$", "", part.lower())
                if len(name) > 2:
                    prints[digest("^" + name)] = None
    return list(prints)[:_NAMES]
