"""The index of many conversations: by project, the newest first, one line each.

Needs their summaries only, no turns. O(n log n) for n conversations, all in memory: they are
grouped.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo

from markupsafe import Markup

from dejavu.model import Conversation, to_iso
from dejavu.model.plural import counted
from dejavu.redact.sanitise import sanitise

from .document import document
from .format import local
from .markup import join, line, tag


def as_index(
    summaries: Iterable[Conversation],
    href: Callable[[Conversation], str],
    *,
    zone: tzinfo | None = None,
) -> Iterator[str]:
    """The index page of `summaries`; `href` returns the address of a conversation's page."""
    projects: dict[str, list[Conversation]] = {}
    for summary in sorted(summaries, key=_last, reverse=True):
        projects.setdefault(summary.place, []).append(summary)
    agents = sorted({summary.agent for group in projects.values() for summary in group})
    yield from document(
        "Conversations", _body(projects, agents, href, zone), rules=_rules(len(agents))
    )


def _rules(agents: int) -> Markup:
    """What the choice of an agent hides: style alone, for a page runs no script."""
    chosen = (f".page:has(#only{number}:checked)" for number in range(agents))
    return Markup(  # noqa: S704 - numbers only
        "".join(
            f"{page} .rows li:not(.a{number}),{page} .place:not(:has(.a{number})){{display:none}}\n"
            for number, page in enumerate(chosen)
        )
    )


def _last(summary: Conversation) -> float:
    return summary.ended_at or summary.started_at or summary.captured_at or 0.0


def _body(
    projects: dict[str, list[Conversation]],
    agents: Sequence[str],
    href: Callable[[Conversation], str],
    zone: tzinfo | None,
) -> Iterator[Markup]:
    listed = [summary for group in projects.values() for summary in group]
    turns = sum(summary.turn_count for summary in listed)
    facts = [
        counted(len(listed), "conversation"),
        counted(turns, "turn"),
        agents[0] if len(agents) == 1 else "",
    ]
    yield tag(
        "header",
        tag("h1", "Conversations"),
        tag("p", line(" · ".join(fact for fact in facts if fact)), class_="facts"),
    )
    if len(agents) > 1:
        yield _choice(agents)
    if len(projects) > 1:
        links = (
            tag(
                "li",
                tag("span", str(len(group))),
                tag("a", line(_name(project), 120), href=f"#w{number}"),
            )
            for number, (project, group) in enumerate(projects.items())
        )
        summary = tag("summary", counted(len(projects), "project"))
        listing = tag("details", summary, tag("ul", join(links)), open=len(projects) <= 12)
        yield tag("nav", listing, aria_label="Projects")
    yield Markup('<main id="main">\n')
    for number, (project, group) in enumerate(projects.items()):
        yield _project_section(number, project, group, agents, href, zone)
    if not projects:
        yield tag("p", "Nothing was captured yet.")
    yield Markup("</main>\n")
    yield tag("footer", tag("p", "Kept by Déjà Vu."))


def _choice(agents: Sequence[str]) -> Markup:
    """One agent or all of them, as radio buttons."""
    names = ["All agents", *agents]
    buttons = tag(
        "fieldset",
        tag("legend", "Show", class_="sr"),
        join(
            tag(
                "label",
                tag("input", type="radio", name="agent", id=f"only{at - 1}" if at else None,
                    autocomplete="off", checked=not at),
                tag("span", line(name, 20)),
            )
            for at, name in enumerate(names)
        ),
        class_="choice",
    )  # fmt: skip
    return tag("div", buttons, role="search")


def _name(project: str) -> str:
    return project or "No project"


def _project_section(
    number: int,
    project: str,
    group: Sequence[Conversation],
    agents: Sequence[str],
    href: Callable[[Conversation], str],
    zone: tzinfo | None,
) -> Markup:
    short = project.rstrip("/").rpartition("/")[2] or _name(project)
    return tag(
        "section",
        tag(
            "h2",
            line(short, 80),
            tag("small", line(project, 200)) if project and short != project else None,
        ),
        tag(
            "ul",
            join(_row(summary, href(summary), agents, zone) for summary in group),
            class_="rows",
        ),
        "\n",
        id=f"w{number}",
        class_="place",
        aria_label=sanitise(short, newlines=False, limit=80),
    )


def _row(summary: Conversation, address: str, agents: Sequence[str], zone: tzinfo | None) -> Markup:
    moment = local(_last(summary), zone) if _last(summary) else None
    when = (
        tag("span")
        if moment is None
        else tag("time", moment.strftime("%Y-%m-%d %H:%M"), datetime=to_iso(moment.timestamp()))
    )
    star = Markup("★ ") if summary.starred else Markup()
    title = star + (line(summary.title, 160) or Markup("(no title)"))
    return tag(
        "li",
        when,
        tag("span", line(summary.agent, 20), class_="agent"),
        tag("a", title, href=address, class_="child" if summary.parent else None),
        tag("span", counted(summary.turn_count, "turn"), class_="num"),
        class_=f"a{agents.index(summary.agent)}",
    )
