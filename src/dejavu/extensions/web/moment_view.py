"""One conversation at one moment, chosen with a slider over its turns.

Shows the turns until then, which of them the model still had, and each file that was changed. What
the files held is asked of the extension that knows it; without one only the turns are shown. Costs a
read of the turns and what that extension needs.
"""

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from dejavu.archive import Archive
from dejavu.archive.access import open_archive, resolve
from dejavu.config.extensions import parts
from dejavu.export.html import articles, join, line, tag
from dejavu.export.html.format import local
from dejavu.model import Conversation, Turn
from dejavu.model.compaction import still_there
from dejavu.model.turns_until import turns_until

from .conversation_views import address_of
from .endpoint import ARCHIVE
from .frame import frame

_LAST = 20  # turns that are shown, the newest ones
_DIGITS = 12  # of a hash


def moment(wanted: str, turn: str, base: str) -> str:
    """The page of a conversation at its turn number `turn`, from 1; of the last where it is none.

    Raises:
        NotFoundError: there is no such conversation.
    """
    with ARCHIVE, open_archive() as archive:
        summary = archive.summary(resolve(archive, wanted))
        turns = list(archive.turns(summary.id))
        count = max(1, len(turns))
        number = int(turn) if turn.isdecimal() and len(turn) < 9 else count
        number = min(max(1, number), count)
        at = _time_of(turns, number, summary)
        shown = list(turns_until(turns, summary.started_at, at))[:number]
        document = _document(archive, summary, at)
    main = tag(
        "main",
        _slider(number, count, at),
        _state(shown, document),
        _files(document),
        tag("h2", "The last turns"),
        join(articles(shown[-_LAST:], summary.workspace)),
        id="main",
    )
    title = line(summary.title, 200) or line(summary.id)
    back = tag("a", "the whole conversation", href=address_of(base, summary.id))
    header = tag("header", tag("h1", title), tag("p", back, class_="ways"))
    return frame(f"{summary.title or summary.id} at turn {number}"[:200], header, main, base=base,
                 here="conversations/", script="moment.js")  # fmt: skip


def _time_of(turns: list[Turn], number: int, summary: Conversation) -> float:
    times = [turn.at for turn in turns[:number] if turn.at is not None]
    return times[-1] if times else summary.started_at or 0.0


def _document(archive: Archive, summary: Conversation, at: float) -> dict[str, Any]:
    for part in parts("moments"):
        document: dict[str, Any] = part.moment_document(archive, summary, at)
        return document
    return {"files": []}


def _slider(number: int, count: int, at: float) -> Markup:
    when = local(at, None).strftime("%Y-%m-%d %H:%M:%S") if at else "time not known"
    return tag(
        "form",
        tag("label", f"Turn {number} of {count}, {when}", for_="turn"),
        tag("input", type="range", name="turn", id="turn", min="1", max=str(count),
            value=str(number)),
        tag("button", "Show", type="submit"),
        class_="moment",
        method="get",
    )  # fmt: skip


def _state(shown: list[Turn], document: dict[str, Any]) -> Markup:
    kept = list(still_there(tuple(shown)))
    had = "all" if all(kept) else str(kept.count(True))
    unsure = kept.count(None)
    sentences = [f"{len(shown)} turns so far; {had} still in the model's context."]
    if unsure:
        sentences.append(f"Of {unsure} that is not known.")
    if document.get("state"):
        sentences.append(f"State {document['state']}: {document['state_reason']}.")
    return tag("p", line(" ".join(sentences), 400), role="status")


def _files(document: dict[str, Any]) -> Markup | None:
    if not document["files"]:
        return None
    return join((
        tag("h2", "Files changed by then"),
        tag("div", tag("table", tag("tbody", join(_rows(document["files"])))), class_="scroll"),
    ))  # fmt: skip


def _rows(files: list[dict[str, Any]]) -> Iterator[Markup]:
    for file in files:
        digest = (file["sha256"] or "unknown")[:_DIGITS]
        sure = "certain" if file["certain"] is True else file["reason"] or "not certain"
        yield tag(
            "tr",
            tag("td", tag("code", digest)),
            tag("td", line(file["path"], 300)),
            tag("td", line(sure, 200)),
        )
