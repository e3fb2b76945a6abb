"""The index of many conversations: by workspace, the newest first, one line each.

Takes heads (turns are not needed) and where each one's page is; gives the page piece by piece.
Costs O(heads log heads), and all heads in memory: they must be grouped.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo

from dejavu.record import Conversation, to_iso
from dejavu.record.sanitise import sanitise

from .document import document
from .figures import counted, local
from .markup import Html, join, line, tag


def as_index(
    heads: Iterable[Conversation],
    href: Callable[[Conversation], str],
    *,
    zone: tzinfo | None = None,
) -> Iterator[str]:
    """The index page of `heads`; `href` gives the address of a conversation's page."""
    places: dict[str, list[Conversation]] = {}
    for head in sorted(heads, key=_last, reverse=True):
        places.setdefault(head.workspace, []).append(head)
    yield from document("Conversations", _body(places, href, zone))


def _last(head: Conversation) -> float:
    return head.ended_at or head.started_at or head.captured_at or 0.0


def _body(
    places: dict[str, list[Conversation]],
    href: Callable[[Conversation], str],
    zone: tzinfo | None,
) -> Iterator[Html]:
    held = [head for group in places.values() for head in group]
    agents = sorted({head.agent for head in held})
    turns = sum(head.turn_count for head in held)
    facts = [counted(len(held), "conversation"), counted(turns, "turn"), ", ".join(agents)]
    yield tag(
        "header",
        tag("h1", "Conversations"),
        tag("p", line(" · ".join(fact for fact in facts if fact)), class_="facts"),
    )
    if len(places) > 1:
        links = (
            tag(
                "li",
                tag("span", str(len(group))),
                tag("a", line(_name(place), 120), href=f"#w{number}"),
            )
            for number, (place, group) in enumerate(places.items())
        )
        summary = tag("summary", counted(len(places), "workspace"))
        listing = tag("details", summary, tag("ul", join(links)), open=len(places) <= 12)
        yield tag("nav", listing, aria_label="Workspaces")
    yield Html('<main id="main">\n')
    for number, (place, group) in enumerate(places.items()):
        yield _place(number, place, group, href, zone)
    if not places:
        yield tag("p", "Nothing was captured yet.")
    yield Html("</main>\n")
    yield tag("footer", tag("p", "Kept by Déjà Vu."))


def _name(workspace: str) -> str:
    return workspace or "No workspace"


def _place(
    number: int,
    workspace: str,
    group: Sequence[Conversation],
    href: Callable[[Conversation], str],
    zone: tzinfo | None,
) -> Html:
    short = workspace.rstrip("/").rpartition("/")[2] or _name(workspace)
    return tag(
        "section",
        tag(
            "h2",
            line(short, 80),
            tag("small", line(workspace, 200)) if workspace and short != workspace else None,
        ),
        tag("ul", join(_row(head, href(head), zone) for head in group), class_="rows"),
        "\n",
        id=f"w{number}",
        class_="place",
        aria_label=sanitise(short, newlines=False, limit=80),
    )


def _row(head: Conversation, address: str, zone: tzinfo | None) -> Html:
    moment = local(_last(head), zone) if _last(head) else None
    when = (
        tag("span")
        if moment is None
        else tag("time", moment.strftime("%Y-%m-%d %H:%M"), datetime=to_iso(moment.timestamp()))
    )
    title = line(head.title, 160) or Html("(no title)")
    return tag(
        "li",
        when,
        tag("span", line(head.agent, 20), class_="agent"),
        tag("a", title, href=address, class_="child" if head.parent else None),
        tag("span", counted(head.turn_count, "turn"), class_="num"),
    )
