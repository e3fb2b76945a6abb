"""Conversations to choose from and to search in, and one of them in pages of turns.

A list is `SHOWN` summaries, a page `TURNS` turns, drawn as the HTML
export draws them: what is not shown is not read. Numbers of pages come from summaries.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import quote, urlencode

from markupsafe import Markup

from dejavu.archive import Hit
from dejavu.archive.access import NoArchiveError, open_archive, resolve
from dejavu.archive.redactor import archive_redactor
from dejavu.export.html import articles, join, line, tag
from dejavu.export.html.format import local
from dejavu.ingest.catch_up import catch_up
from dejavu.interfaces.export_formats import WRITERS, Form, file_name
from dejavu.interfaces.filters import check_names
from dejavu.interfaces.search_answer import NOTHING, SearchAnswer, search
from dejavu.model import Conversation, DejavuError, InvalidValueError
from dejavu.model.plural import counted
from dejavu.redact.conversation import redact_conversation
from dejavu.sessions import session_store as sessions

from .endpoint import ARCHIVE
from .forms import chips, filter_form, filters, problem
from .frame import frame

SHOWN = 50
_FEW = 10  # where no agent is running
TURNS = 200
_WINDOW = 8
_TURNS_HERE = Markup("\0")  # what no text holds: the sanitiser takes it out
_LEAD = 60  # characters of an excerpt before the first word that was found
_LANGUAGE = 'Words, "a phrase", begin*, -without, role:user, tool:bash, path:src/net, since:2d, re:/time.?out/'
_EXPORTS = (Form.HTML, Form.MD, Form.JSON)


def listing(query: Mapping[str, str], base: str) -> str:
    """The newest conversations that fit, or with `q` the turns that it finds.

    `q` is the query of `dejavu search`.
    """
    words = query.get("q", "").strip()
    skip = query.get("offset", "0")
    offset = int(skip) if skip.isdecimal() and len(skip) < 9 else 0
    found = _Found()
    fault = None
    with ARCHIVE:
        try:
            with open_archive() as archive:
                chosen = filters(archive, query)
                if words:
                    catch_up(archive, patience=0.3)
                    found.answer = search(archive, words, chosen)
                else:
                    limit = offset + SHOWN + 1
                    scan = archive.select(chosen, limit=limit)
                    found.summaries = list(islice(scan, offset, None))
                if not found.answer.hits and not found.summaries:
                    check_names(archive, agent=chosen.agent, instance=chosen.instance)
        except NoArchiveError:
            pass  # nothing was captured yet, and the page says that nothing is there
        except DejavuError as error:
            fault = problem(str(error))
    shown = fault or (_hits(found, base) if words else _rows(found, query, offset, base))
    address = f"{base}/conversations"
    results = tag("div", chips(query, address), shown, id="results")
    box = tag(
        "label",
        "Search",
        tag(
            "input", type="search", name="q", id="search", value=words, aria_describedby="language"
        ),
        class_="wide",
    )
    language = tag("small", _LANGUAGE, id="language")
    form = filter_form(query, address, box, language, button="Search")
    main = tag("main", tag("h1", "Conversations"), form, results, id="main")
    return frame("Conversations", main, base=base, here="conversations", script="conversations.js")


@dataclass(slots=True)
class _Found:
    """What a query found, or conversations in a list."""

    answer: SearchAnswer = NOTHING
    summaries: list[Conversation] = field(default_factory=list[Conversation])


def _hits(found: _Found, base: str) -> Markup:
    answer = found.answer
    shown = answer.shown
    count = counted(len(shown), "turn") if shown else "Nothing found"
    if answer.cut:
        count = f"The best {len(shown)} turns"
    remarks = [*answer.hits.notes]
    if answer.hits.behind:
        behind = counted(answer.hits.behind, "conversation")
        remarks.append(f"{behind} not searched yet: the index is being written; try again")
    items = join(
        _hit(hit, one.summary, base, one.more if hit is one.hits[-1] else 0)
        for one in answer.conversations
        for hit in one.hits
    )
    return join((
        tag("p", count, class_="link", role="status"),
        *(tag("p", line(remark, 200), class_="link") for remark in remarks),
        tag("ol", items, class_="hits") if shown else None,
    ))  # fmt: skip


def _rows(found: _Found, query: Mapping[str, str], offset: int, base: str) -> Markup:
    shown = found.summaries[:SHOWN]
    count = counted(len(shown), "conversation") if shown else "None here"
    more = None
    if offset and shown:
        count = f"Conversations {offset + 1} to {offset + len(shown)}"
    elif len(found.summaries) > SHOWN:
        count = f"The newest {SHOWN} conversations"
    if len(found.summaries) > SHOWN:
        further = urlencode({**query, "offset": str(offset + SHOWN)})
        more = tag("p", tag("a", "Older", href=f"{base}/conversations?{further}"), class_="pages")
    return join((
        tag("p", count, class_="link", role="status"),
        tag("ol", join(_row(one, base) for one in shown), class_="hits") if shown else None,
        more,
    ))  # fmt: skip


def newest(base: str) -> Markup | None:
    """The newest few conversations and a link to all; None where none was captured."""
    with ARCHIVE:
        try:
            with open_archive() as archive:
                shown = list(islice(archive.scan(side=False), _FEW))
        except DejavuError:
            return None  # the list of conversations names what is wrong
    if not shown:
        return None
    return tag(
        "section",
        tag("h2", "Newest conversations"),
        tag("ol", join(_row(one, base) for one in shown), class_="hits"),
        tag("p", tag("a", "All conversations", href=f"{base}/conversations"), class_="pages"),
    )


def address_of(base: str, conversation: str, seq: int | None = None) -> str:
    """The address of a conversation's page, or of one turn in it (`seq` from 0)."""
    address = f"{base}/conversations/{quote(conversation, safe='')}"
    return address if seq is None else f"{address}?page={seq // TURNS + 1}#t{seq}"


def when(at: float | None) -> str:
    """A local date and time that does not break; empty where there is none."""
    return "" if at is None else local(at, None).strftime("%Y-%m-%d\u00a0%H:%M")


def _turns(summary: Conversation) -> str:
    return counted(summary.turn_count, "turn").replace(" ", "\u00a0")


def facts(summary: Conversation, at: float | None) -> Markup:
    """The agent, the folder, the machine unless it is this one, and a moment."""
    place = summary.instance if summary.instance != "local" else ""
    known = (summary.agent, summary.workspace, place, when(at))
    return tag("small", line(" · ".join(fact for fact in known if fact), 300))


def _row(summary: Conversation, base: str) -> Markup:
    star = tag("span", "★ ", role="img", aria_label="starred") if summary.starred else None
    title = tag("b", star, line(summary.title, 200) or "(no title)")
    last = summary.ended_at or summary.started_at or summary.captured_at
    turns = tag("small", " · ", _turns(summary), *(f" #{name}" for name in summary.tags))
    link = tag("a", title, href=address_of(base, summary.id))
    return tag("li", link, facts(summary, last), turns, class_="hit")


def _hit(hit: Hit, summary: Conversation, base: str, more: int) -> Markup:
    link = tag(
        "a",
        tag("b", line(summary.title, 200) or "(no title)"),
        tag("p", join(_marked(hit))),
        href=address_of(base, hit.conversation, hit.seq),
    )
    rest = tag("small", f" · {more} more in this conversation") if more else None
    return tag("li", link, facts(summary, hit.at), rest, class_="hit")


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


def reading(wanted: str, page: str, base: str) -> Iterator[str]:
    """`TURNS` turns of a conversation in pieces, the first words first; a page from 1, or `last`.

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
    address = address_of(base, summary.id)
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
    about = tag(
        "p",
        facts(summary, summary.started_at),
        tag("small", " · ", _turns(summary)),
    )
    then = tag("a", "turn by turn", href=f"{address}/at")
    ways = tag("p", _live(summary.id, base), _exports(address), " ", then, class_="ways")
    marked = _marks(summary)
    shown = tag("p", "Nothing was said here.") if not turns else _TURNS_HERE
    main = tag("main", find, shown, id="main")
    header = tag("header", tag("h1", title), about, marked, ways, turned)
    whole = frame(str(summary.title or summary.id)[:200], header, main, turned, base=base,
                  here="conversations/", script="conversations.js")  # fmt: skip
    return _with_turns(whole, articles(turns, summary.workspace))


def _with_turns(page: str, turns: Iterator[Markup]) -> Iterator[str]:
    """Drawing a turn takes half a millisecond: those of the first window go out by themselves."""
    before, _, after = page.partition(_TURNS_HERE)
    yield before + "".join(islice(turns, _WINDOW))
    while piece := "".join(islice(turns, 5 * _WINDOW)):
        yield piece
    yield after


def _marks(summary: Conversation) -> Markup:
    """Buttons that star, tag, rename and resume the conversation; without scripts they do nothing."""
    star = tag("button", "★ Starred" if summary.starred else "☆ Star", type="button", id="star",
               aria_pressed="true" if summary.starred else "false")  # fmt: skip
    tags = [
        tag(
            "button",
            f"#{name} ×",
            type="button",
            data_tag=name,
            aria_label=f"Remove the tag {name}",
        )
        for name in summary.tags
    ]
    add = tag("button", "Tag", type="button", id="tag")
    rename = tag("button", "Rename", type="button", id="rename")
    resume = tag("button", "Resume", type="button", id="resume")
    said = tag("output", id="said", role="status")
    return tag("p", star, *tags, add, rename, resume, said, class_="marks", id="marks",
               data_conversation=summary.id, hidden=True)  # fmt: skip


def _live(conversation: str, base: str) -> Markup | None:
    """Links to the sessions that run in a conversation; O(sessions kept)."""
    views = [v for v in sessions.find_all() if v.live and v.status.conversation == conversation]
    links = (
        tag(
            "span",
            tag("span", view.state, class_=f"state {view.state}"),
            " in the session ",
            tag("a", line(view.label, 80), href=f"{base}/#s-{view.session.id}"),
        )
        for view in views
    )
    return join(links, " ") if views else None


def _exports(address: str) -> Markup:
    links = join(
        (
            tag("a", str(form), href=f"{address}/export?format={form}", download=True)
            for form in _EXPORTS
        ),
        " ",
    )
    return tag("span", "Save as ", links, tag("small", " secrets replaced"))


def exported(wanted: str, name: str) -> tuple[str, bytes]:
    """A conversation as a file: its name, and its bytes with secrets replaced.

    Raises:
        NotFoundError: there is no such conversation.
        InvalidValueError: there is no such format.
    """
    if name not in WRITERS:
        formats = ", ".join(WRITERS)
        raise InvalidValueError(f"{name!r} is no format; there is {formats}")
    form = Form(name)
    with ARCHIVE, open_archive() as archive:
        whole = archive.get(resolve(archive, wanted))
    whole = redact_conversation(whole, archive_redactor().redact)
    return file_name(whole, form), b"".join(WRITERS[form](whole))
