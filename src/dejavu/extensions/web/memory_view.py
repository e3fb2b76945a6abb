"""A question to memory, and what it found: what `dejavu memory find` shows, in one project or all.

The list is ranked and leaves out only what is far; each hit says whether it is sure. What was shown is
logged, so that it can be judged. Costs what that command costs; nothing is asked without a question.
"""

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from markupsafe import Markup

from dejavu.archive import Archive
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.export.html import join, line, tag
from dejavu.ingest.catch_up import catch_up
from dejavu.interfaces.recall_answer import Recalled, RecalledExchange, RecalledMemory, recall
from dejavu.model import Conversation, DejavuError, NotFoundError
from dejavu.model.conversation import seq_of

from .conversation_views import address_of, facts, when
from .endpoint import ARCHIVE
from .forms import chips, problem
from .frame import frame
from .memory_endpoints import asked_in

FEW, MANY = 10, 50
"""Exchanges that are shown at first, and at most."""
_HINT = "A question in your own words, such as: why do retries fail in CI?"


def memory(query: Mapping[str, str], base: str) -> str:
    """The page: the question, and with `q` the memories and past exchanges that answer it."""
    question = query.get("q", "").strip()
    most = MANY if query.get("limit") == str(MANY) else FEW
    shown: Markup | None = None
    if question:
        try:
            with ARCHIVE, open_archive() as archive:
                catch_up(archive, patience=0.3)
                shown = _answer(archive, question, query, most, base)
        except NoArchiveError:
            shown = tag("p", "Nothing was captured yet.", class_="link", role="status")
        except DejavuError as error:
            shown = problem(str(error))
    address = f"{base}/memory"
    results = tag("div", chips(query, address), shown, id="results")
    form = _form(query, question, address)
    main = tag("main", tag("h1", "Memory"), form, results, id="main")
    return frame("Memory", main, base=base, here="memory", script="memory.js")


def _form(query: Mapping[str, str], question: str, address: str) -> Markup:
    box = tag("input", type="search", name="q", id="search", value=question or None,
              aria_describedby="language", autofocus=not question)  # fmt: skip
    where = tag("input", name="project", value=query.get("project") or None, size="12",
                placeholder="all")  # fmt: skip
    return tag(
        "form",
        tag("label", "Question", box, class_="wide asked"),
        tag("label", "Project", where),
        tag("button", "Ask", type="submit"),
        tag("small", _HINT, id="language"),
        class_="filters",
        role="search",
        action=address,
    )


def _answer(
    archive: Archive, question: str, query: Mapping[str, str], most: int, base: str
) -> Markup:
    found = recall(archive, question, most, asked_in(archive, query))
    summaries = _summaries(archive, found)
    dates = {hit.event: hit.at for hit in found.answer.hits}
    items = [
        *(_memory(one) for one in found.memories),
        *(_exchange(one, summaries.get(one.hit.conversation), dates, base) for one in found.shown),
    ]
    status, *remarks = [
        f"{sentence[:1].upper()}{sentence[1:]}"
        for sentence in filter(None, (found.counts, *found.remarks))
    ]
    if not found.logged:
        remarks.append("The archive cannot be written now: these cannot be judged.")
    return join((
        tag("p", line(status, 400), class_="link", role="status"),
        *(tag("p", line(remark, 400), class_="link") for remark in remarks),
        tag("ol", join(items), class_="hits") if items else None,
        _more(found, query, most, base),
    ))  # fmt: skip


def _more(found: Recalled, query: Mapping[str, str], most: int, base: str) -> Markup | None:
    if most == MANY or len(found.shown) < most:
        return None
    further = urlencode({**{name: value for name, value in query.items() if value}, "limit": MANY})
    return tag("p", tag("a", "More", href=f"{base}/memory?{further}"), class_="pages")


def _summaries(archive: Archive, found: Recalled) -> dict[str, Conversation]:
    """The conversations of what is shown, those that are still there."""
    summaries: dict[str, Conversation] = {}
    for name in {one.hit.conversation for one in found.shown}:
        try:
            summaries[name] = archive.summary(name)
        except NotFoundError:
            continue
    return summaries


def _memory(one: RecalledMemory) -> Markup:
    memory = one.memory
    about = tag(
        "small", _word(one), f" memory · confidence {memory.confidence} · {memory.score:.2f}"
    )
    return tag("li", tag("p", tag("b", line(memory.text, 600))), about,
               _verdict(memory.id, memory.text), class_="hit")  # fmt: skip


def _word(one: RecalledMemory | RecalledExchange) -> Markup:
    return tag("span", one.word, class_=f"recalled {one.word}")


def _exchange(
    one: RecalledExchange,
    summary: Conversation | None,
    dates: Mapping[str, float | None],
    base: str,
) -> Markup:
    hit = one.hit
    asked, *answers = [line(text, 300) for text in one.texts] or [line("(no words)")]
    link = tag(
        "a",
        tag("b", asked),
        *(tag("p", answer) for answer in answers),
        href=address_of(base, hit.conversation, hit.seq),
    )
    about = line(hit.agent, 60) if summary is None else facts(summary, hit.at)
    more = f" · {one.more} more in this conversation" if one.more else ""
    changes = (("replaces", hit.replaces), ("replaced by", (one.replaced_by,)))
    return tag(
        "li",
        link,
        tag("small", _word(one), f" {hit.score:.2f} · "),
        about,
        tag("small", more),
        *(_change(text, names, dates, base) for text, names in changes if any(names)),
        _verdict(hit.event, one.texts[0] if one.texts else hit.event),
        class_="hit",
    )


def _change(
    text: str, names: Iterable[str], dates: Mapping[str, float | None], base: str
) -> Markup:
    """A line on older or newer answers, each a link named by its date."""
    links = join(
        (tag("a", when(dates.get(name)) or line(name, 80), href=_place(name, base))
         for name in names),
        ", ",
    )  # fmt: skip
    return tag("p", f"{text} the answer of ", links, class_="change")


def _place(event: str, base: str) -> str:
    conversation, _, number = event.rpartition("#")
    return address_of(base, conversation, seq_of(int(number)))


def _verdict(identity: str, text: str) -> Markup:
    """Buttons that judge it; without scripts they do nothing, and are not shown."""
    right, wrong = (
        tag("button", word, type="button", data_right=value, aria_label=f"{word}: {line(text, 80)}")
        for word, value in (("Right", "true"), ("Wrong", "false"))
    )
    return tag("p", right, wrong, tag("output", role="status"), class_="marks", hidden=True,
               data_id=identity)  # fmt: skip
