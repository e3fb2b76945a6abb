"""The index of many conversations: by workspace, the newest first, one line each.

Needs their summaries only, no turns. O(n log n) for n conversations, all in memory: they are
grouped.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo

from markupsafe import Markup

from dejavu.model import Conversation, to_iso
from dejavu.redact.sanitise import sanitise

from .document import document
from .format import counted, local
from .markup import join, line, tag


def as_index(
    heads: Iterable[Conversation],
    href: Callable[[Conversation], str],
    *,
    zone: tzinfo | None = None,
) -> Iterator[str]:
    """The index page of `heads`; `href` returns the address of a conversation's page."""
    places: dict[str, list[Conversation]] = {}
    for head in sorted(heads, key=_last, reverse=True):
        places.setdefault(head.workspace, []).append(head)
    agents = sorted({head.agent for group in places.values() for head in group})
    yield from document(
        "Conversations", _body(places, agents, href, zone), rules=_rules(len(agents))
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


def _last(head: Conversation) -> float:
    return head.ended_at or head.started_at or head.captured_at or 0.0


def _body(
    places: dict[str, list[Conversation]],
    agents: Sequence[str],
    href: Callable[[Conversation], str],
    zone: tzinfo | None,
) -> Iterator[Markup]:
    listed = [head for group in places.values() for head in group]
    turns = sum(head.turn_count for head in listed)
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
    if len(places) > 1:
        links = (
            tag(
                "li",
                tag("span", str(len(group))),
                tag("a", line(_name(workspace), 120), href=f"#w{number}"),
            )
            for number, (workspace, group) in enumerate(places.items())
        )
        summary = tag("summary", counted(len(places), "workspace"))
        listing = tag("details", summary, tag("ul", join(links)), open=len(places) <= 12)
        yield tag("nav", listing, aria_label="Workspaces")
    yield Markup('<main id="main">\n')
    for number, (workspace, group) in enumerate(places.items()):
        yield _place(number, workspace, group, agents, href, zone)
    if not places:
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


def _name(workspace: str) -> str:
    return workspace or "No workspace"


def _place(
    number: int,
    workspace: str,
    group: Sequence[Conversation],
    agents: Sequence[str],
    href: Callable[[Conversation], str],
    zone: tzinfo | None,
) -> Markup:
    short = workspace.rstrip("/").rpartition("/")[2] or _name(workspace)
    return tag(
        "section",
        tag(
            "h2",
            line(short, 80),
            tag("small", line(workspace, 200)) if workspace and short != workspace else None,
        ),
        tag("ul", join(_row(head, href(head), agents, zone) for head in group), class_="rows"),
        "\n",
        id=f"w{number}",
        class_="place",
        aria_label=sanitise(short, newlines=False, limit=80),
    )


def _row(head: Conversation, address: str, agents: Sequence[str], zone: tzinfo | None) -> Markup:
    moment = local(_last(head), zone) if _last(head) else None
    when = (
        tag("span")
        if moment is None
        else tag("time", moment.strftime("%Y-%m-%d %H:%M"), datetime=to_iso(moment.timestamp()))
    )
    title = line(head.title, 160) or Markup("(no title)")
    return tag(
        "li",
        when,
        tag("span", line(head.agent, 20), class_="agent"),
        tag("a", title, href=address, class_="child" if head.parent else None),
        tag("span", counted(head.turn_count, "turn"), class_="num"),
        class_=f"a{agents.index(head.agent)}",
    )
