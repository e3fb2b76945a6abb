"""Write the table of docs/agents.md from what the agents' folders say.

    make docs

A test holds the page to it.
"""

from pathlib import Path

from dejavu.providers import agents
from dejavu.providers.overview import overview

PAGE = Path(__file__).parents[1] / "docs" / "agents.md"
_BEGIN, _END = "<!-- agents: made by `make docs` -->\n", "<!-- end of agents -->\n"
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


def page(text: str) -> str:
    """The page `text` with today's table in it."""
    before, _, rest = text.partition(_BEGIN)
    return f"{before}{_BEGIN}{table()}{_END}{rest.partition(_END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
