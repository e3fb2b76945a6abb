"""Write the tables of docs/agents.md from what the agents' folders say.

    make docs

A test holds the page to it. The table of macOS is what discovery asks for in an empty home that has
macOS's folders.
"""

import os
import tempfile
from pathlib import Path

from dejavu.integrations.capabilities import MEANINGS, capabilities
from dejavu.integrations.registration import edits, registrable_agents
from dejavu.providers import RESTORERS, Home, agents
from dejavu.providers.overview import overview
from dejavu.providers.registry import EDITORS, places

PAGE = Path(__file__).parents[1] / "docs" / "agents.md"
_BEGIN, _END = "<!-- agents: made by `make docs` -->\n", "<!-- end of agents -->\n"
_MACOS, _MACOS_END = "<!-- macos: made by `make docs` -->\n", "<!-- end of macos -->\n"
_UNDELETE, _UNDELETE_END = "<!-- undelete: made by `make docs` -->\n", "<!-- end of undelete -->\n"
_WIRED, _WIRED_END = "<!-- wired: made by `make docs` -->\n", "<!-- end of wired -->\n"
_THEIRS = {
    "agents registered with": "41",
    "undelete": "19, prompts and answers only",
    "assist": "31 before an edit, 30 after a failure",
}
"""Of deja-vu's release notes of October 2026; a part it gives no number for is left out."""
_LIBRARY = "Library/Application Support"
_HEAD = "| agent | folder | moved by | what is in it | read by | evidence |\n|---|---|---|---|---|---|\n"


def table() -> str:
    """The rows of all agents whose files are read or kept."""
    rows: list[str] = []
    for agent in agents().values():
        facts = overview(agent)
        if not (agent.files or agent.store):
            continue
        folders = ", ".join(f"`{folder}`" for folder in facts.folders[:3])
        folders = folders or "`.` of projects"
        moved = ", ".join(f"`{name}`" for name in facts.moved_by)
        history = agent.history + (f"; not read: {agent.unread}" if agent.unread else "")
        evidence = agent.tested or ("seen" if agent.observed else "described")
        rows.append(
            f"| {agent.name} | {folders} | {moved} | {history} | {', '.join(facts.vectors)} | {evidence} |\n"
        )
    return _HEAD + "".join(rows)


def wired_table() -> str:
    """The rows of agents that `init` registers with: what each can, and in which files."""
    home = Home(Path("/home/nobody"), {})
    rows: list[str] = []
    for name in registrable_agents():
        can, agent = capabilities(name), agents()[name]
        marks = ["x" if word in can else "" for word in MEANINGS]
        marks += ["x" if agent.resume else "", "x" if name in RESTORERS else ""]
        files = dict.fromkeys(
            f"`~/{edit.path.relative_to(home.path)}`" for edit in edits(name, home)
        )
        rows.append(f"| {name} | {' | '.join(marks)} | {', '.join(files)} |\n")
    head = f"| agent | {' | '.join(MEANINGS)} | resume | undelete | files |\n"
    return head + "|---" * (len(MEANINGS) + 4) + "|\n" + "".join(rows) + "\n" + counts_table()


def counts_table() -> str:
    """How many agents each part is there for, next to what deja-vu says of itself."""
    wired = registrable_agents()
    ours = {word: sum(word in capabilities(name) for name in wired) for word in MEANINGS}
    known = [agent for agent in agents().values() if agent.files or agent.store]
    ours |= {
        "agents registered with": len(wired),
        "agents whose files are read or kept": len(known),
    }
    ours |= {"resume": sum(bool(agent.resume) for agent in known), "undelete": len(RESTORERS)}
    rows = [f"| {what} | {count} | {_THEIRS.get(what, '')} |\n" for what, count in ours.items()]
    return "| part | Déjà Vu | deja-vu 0.22 |\n|---|---|---|\n" + "".join(rows)


def macos_places() -> dict[str, list[str]]:
    """The folders below `~/Library` of each agent that has any, without those of kindred editors."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, *_LIBRARY.split("/")).mkdir(parents=True)
        home = Home(Path(scratch), {})
        for agent in agents().values():
            paths = (os.path.relpath(place, scratch) for place in places(agent, home))
            below = [path for path in dict.fromkeys(paths) if path.startswith("Library/")]
            own = [path for path in below if _in_code(path) == path or _in_code(path) not in below]
            if own:
                found[agent.name] = own
    return found


def _in_code(path: str) -> str:
    """The same place in VS Code itself, for one in an editor of its family."""
    editor, _, rest = path.removeprefix(f"{_LIBRARY}/").partition("/")
    return f"{_LIBRARY}/{EDITORS[0] if editor in EDITORS else editor}/{rest}"


def macos_table() -> str:
    """The rows of agents with places of their own on macOS."""
    rows = [
        f"| {name} | {', '.join(f'`~/{path}`' for path in paths)} |\n"
        for name, paths in macos_places().items()
    ]
    return "| agent | on macOS, too |\n|---|---|\n" + "".join(rows)


def undelete_table() -> str:
    """The rows of agents whose conversations can be put back."""
    rows = [
        f"| {name} | {restorer.needs} | {_yes(restorer.moves)} | {_yes(restorer.copies)} |\n"
        for name, restorer in RESTORERS.items()
    ]
    return "| agent | put back | for another folder | as a copy |\n|---|---|---|---|\n" + "".join(
        rows
    )


def _yes(so: bool) -> str:
    return "yes" if so else "no"


def page(text: str) -> str:
    """The page `text` with today's tables in it."""
    before, _, rest = text.partition(_BEGIN)
    text = f"{before}{_BEGIN}{table()}{_END}{rest.partition(_END)[2]}"
    before, _, rest = text.partition(_UNDELETE)
    text = f"{before}{_UNDELETE}{undelete_table()}{_UNDELETE_END}{rest.partition(_UNDELETE_END)[2]}"
    before, _, rest = text.partition(_WIRED)
    text = f"{before}{_WIRED}{wired_table()}{_WIRED_END}{rest.partition(_WIRED_END)[2]}"
    before, _, rest = text.partition(_MACOS)
    return f"{before}{_MACOS}{macos_table()}{_MACOS_END}{rest.partition(_MACOS_END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
