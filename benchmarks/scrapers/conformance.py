"""The public conformance table: how the labelled screens of each agent's version are read.

    python -m benchmarks.scrapers.conformance              print it
    python -m benchmarks.scrapers.conformance --write      write it into golden/status/README.md
    python -m benchmarks.scrapers.conformance --tool 'my-tool --agent {agent}'    print another tool's

A row is an agent and a version: its screens, how many of them are held out, right, wrong (any other
state but unknown) and unknown, and its dialogs that were read as blocked. A version of which
nothing is known is "?".
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator

from benchmarks.scrapers.status_set import SET, Verdict, by_packs, by_tool, is_right, load, run

README = SET / "README.md"
_HEAD = (
    "| agent | version | screens | held out | right | wrong | unknown | dialogs seen |\n"
    "|---|---|---|---|---|---|---|---|"
)
_BEGIN, _END = "<!-- conformance: written by benchmarks/scrapers/conformance.py -->", "<!-- end -->"


def rows(verdicts: list[Verdict]) -> Iterator[str]:
    """The table's lines, by agent, then version."""
    groups: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
    for screen, got in verdicts:
        number = re.search(r"\d+(?:\.\d+)+", screen.version)
        version = number.group() if number is not None else screen.version or "?"
        groups[screen.agent, version].append((screen, got))
    ordered = sorted(groups, key=lambda key: (key[0], _numbers(key[1])))
    for agent, version in ordered:
        yield f"| {agent} | {version} | {_cells(groups[agent, version])} |"
    yield f"| all | | {_cells(verdicts)} |"


def _cells(verdicts: list[Verdict]) -> str:
    right = sum(is_right(screen, got) for screen, got in verdicts)
    unknown = sum(got == "unknown" and not is_right(screen, got) for screen, got in verdicts)
    asked = [got for screen, got in verdicts if screen.state == "blocked"]
    held_out = sum(not screen.tuned for screen, _ in verdicts)
    dialogs = f"{asked.count('blocked')} of {len(asked)}" if asked else ""
    wrong = len(verdicts) - right - unknown
    return f"{len(verdicts)} | {held_out} | {right} | {wrong} | {unknown} | {dialogs}"


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def table(tool: str = "") -> str:
    """The table of our own rules, or of a tool that gets each screen on stdin."""
    return "\n".join([_HEAD, *rows(run(load(), by_tool(tool) if tool else by_packs(None)))])


def with_table(text: str, written: str) -> str:
    """A text with the table between its two marks."""
    before, _, rest = text.partition(_BEGIN)
    return f"{before}{_BEGIN}\n\n{written}\n\n{_END}{rest.partition(_END)[2]}"


def main() -> None:
    """Print the table, or write it."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--tool", default="", help="a command that prints a state")
    options.add_argument("--write", action="store_true")
    given = options.parse_args()
    written = table(given.tool)
    if given.write:
        README.write_text(with_table(README.read_text("utf-8"), written), encoding="utf-8")
    else:
        print(written)


if __name__ == "__main__":
    main()
