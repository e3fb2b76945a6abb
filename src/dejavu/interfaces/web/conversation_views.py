"""Conversations to choose from and to search in, and one of them in pages of turns.

A list is `SHOWN` summaries, a search at most `HITS` turns, a page `TURNS` turns, drawn as the HTML
export draws them: what is not shown is not read. Numbers of pages come from summaries.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from urllib.parse import quote, urlencode

from markupsafe import Markup

from dejavu.archive import Hit
from dejavu.archive.access import NoArchiveError, full_workspace, open_archive, resolve
from dejavu.export.html import articles, join, line, tag
from dejavu.export.html.format import counted, local
from dejavu.model import Conversation

from ..filters import parse_time
from .endpoint import ARCHIVE
from .frame import frame

SHOWN = 50
HITS = 50
TURNS = 200
_LEAD = 60  # characters of an excerpt before the first word that was found
_FIELDS = (("workspace", "Workspace"), ("instance", "Instance"), ("agent", "Agent"),
           ("since", "Since"), ("until", "Until"))  # fmt: skip


def listing(query: Mapping[str, str], base: str) -> str:
    """The newest conversations that fit, or with `q` the turns that hold its words."""
    words = query.get("q", "").strip()
    skip = query.get("offset", "0")
    offset = int(skip) if skip.isdecimal() and len(skip) < 9 else 0
    since, until = (
        parse_time(query[name]) if query.get(name) else None for name in ("since", "until")
    )
    hits: list[Hit] = []
    summaries: list[Conversation] = []
    titles: dict[str, Conversation] = {}
    with ARCHIVE:
        try:
            with open_archive() as archive:
                workspace = full_workspace(archive, query.get("workspace") or None)
                instance, agent = query.get("instance") or None, query.get("agent") or None
                if words:
                    hits = archive.search(
                        words, limit=HITS, workspace=workspace, instance=instance, agent=agent,
                        since=since, until=until, side=False,
                    )  # fmt: skip
                    titles = {
                        name: archive.summary(name) for name in {h.conversation for h in hits}
                    }
                else:
                    scan = archive.scan(
                        workspace=workspace, instance=instance, agent=agent, since=since,
                        until=until, limit=offset + SHOWN + 1, side=False,
                    )  # fmt: skip
                    summaries = list(islice(scan, offset, None))
        except NoArchiveError:
            pass  # nothing was captured yet, and the page says that nothing is there
    if words:
        body = tag(
            "ol", join(_hit(hit, titles[hit.conversation], base) for hit in hits), class_="hits"
        )
        count = counted(len(hits), "turn") if hits else "Nothing fits"
    else:
        body = tag("ol", join(_row(one, base) for one in summaries[:SHOWN]), class_="hits")
        count = counted(len(summaries[:SHOWN]), "conversation") if summaries else "None here"
    more = None
    if len(summaries) > SHOWN:
        further = urlencode({**query, "offset": str(offset + SHOWN)})
        more = tag("p", tag("a", "Older", href=f"{base}/conversations?{further}"), class_="pages")
    results = tag("div", tag("p", count, class_="link", role="status"), body, more, id="results")
    main = tag("main", tag("h1", "Conversations"), _filters(query, base), results, id="main")
    return frame("Conversations", main, base=base, here="conversations", script="conversations.js")


def _filters(query: Mapping[str, str], base: str) -> Markup:
    search = tag(
        "label",
        "Search",
        tag("input", type="search", name="q", id="search", value=query.get("q", "")),
        class_="wide",
    )
    fields = (
        tag("label", title, tag("input", name=name, value=query.get(name) or None, size="12"))
        for name, title in _FIELDS
    )
    return tag("form", search, *fields, tag("button", "Show", type="submit"), class_="filters",
               role="search", action=f"{base}/conversations")  # fmt: skip


def _address(base: str, conversation: str, seq: int | None = None) -> str:
    address = f"{base}/conversations/{quote(conversation, safe='')}"
    return address if seq is None else f"{address}?page={seq // TURNS + 1}#t{seq}"


def _when(at: float | None) -> str:
    return "" if at is None else local(at, None).strftime("%Y-%m-%d %H:%M")


def _facts(summary: Conversation, at: float | None) -> Markup:
    place = summary.instance if summary.instance != "local" else ""
    facts = (summary.agent, summary.workspace, place, _when(at))
    return tag("small", line(" · ".join(fact for fact in facts if fact), 300))


def _row(summary: Conversation, base: str) -> Markup:
    title = tag("b", line(summary.title, 200) or "(no title)")
    last = summary.ended_at or summary.started_at or summary.captured_at
    turns = tag("small", " · ", counted(summary.turn_count, "turn"))
    link = tag("a", title, href=_address(base, summary.id))
    return tag("li", link, _facts(summary, last), turns, class_="hit")


def _hit(hit: Hit, summary: Conversation, base: str) -> Markup:
    link = tag(
        "a",
        tag("b", line(summary.title, 200) or "(no title)"),
        tag("p", join(_marked(hit))),
        href=_address(base, hit.conversation, hit.seq),
    )
    return tag("li", link, _facts(summary, hit.at), class_="hit")


def _marked(hit: Hit) -> Iterator[Markup | str]:
    at = max(0, hit.marks[0][0] - _LEAD) if hit.marks else 0
    if at:
        yield "…"
    for start, stop in hit.marks:
        if start >= at:
            yield hit.excerpt[at:start]
            yield tag("mark", hit.excerpt[start:stop])
            at = stop
    yield hit.excerpt[at:]


def reading(wanted: str, page: str, base: str) -> str:
    """`TURNS` turns of a conversation: a page's number from 1, or `last`.

    Raises:
        NotFoundError: there is no such conversation.
    """
    with ARCHIVE, open_archive() as archive:
        summary = archive.summary(resolve(archive, wanted))
        pages = max(1, -(-summary.turn_count // TURNS))
        number = int(page) if page.isdecimal() and len(page) < 9 else 1
        number = pages if page == "last" else min(max(1, number), pages)
        start = (number - 1) * TURNS
        turns = list(archive.turns(summary.id, start, start + TURNS))
    address = _address(base, summary.id)
    links = join(
        tag("a", str(n), href=f"{address}?page={n}", aria_current="page" if n == number else None)
        for n in sorted({1, pages, *range(max(1, number - 3), min(pages, number + 3) + 1)})
    )
    find = tag(
        "form",
        tag("label", tag("span", "Find in this page", class_="sr"),
            tag("input", type="search", id="search", placeholder="Find in this page")),
        tag("output", id="found"),
        tag("a", "Top", href="#main"),
        class_="find",
        id="find",
        hidden=True,
    )  # fmt: skip
    title = line(summary.title, 200) or line(summary.id)
    turned = tag("nav", links, class_="pages", aria_label="Pages") if pages > 1 else None
    facts = tag(
        "p",
        _facts(summary, summary.started_at),
        tag("small", f" · {counted(summary.turn_count, 'turn')}"),
    )
    main = tag(
        "main",
        find,
        join(articles(turns, summary.workspace)) if turns else tag("p", "Nothing was said here."),
        id="main",
    )
    header = tag("header", tag("h1", title), facts, turned)
    return frame(str(summary.title or summary.id)[:200], header, main, turned, base=base,
                 here="conversations/", script="conversations.js")  # fmt: skip
