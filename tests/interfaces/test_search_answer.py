"""The command, the browser, `--plain`, the page and MCP answer a query in the same way."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.factories.archive import START, Result, conversation
from tests.interfaces.tui.driving import browsing, run, settle
from tests.interfaces.tui.test_line_mode import walk

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.config.paths import archive_location
from dejavu.extensions.web.conversation_views import listing
from dejavu.interfaces.mcp.tools import Tools
from dejavu.interfaces.search_answer import MOST, SearchAnswer, search
from dejavu.model import Conversation, Role, Text, ToolCall, Turn

QUERIES = (
    "retry", "budget", "retry budget", "retyr", "bugdet", "retr", "bud", "ret", "RetryBudget.tick",
    '"runs dry in"', "budg*", "budget -dry", "agent:codex budget", "budget role:user",
    "in:shop budget", "path:src/net", "budget after:2000-01-01", "xylophone", "re:/bud.et [0-9]+/",
    "tool:bash retry",
)  # fmt: skip


class Told(NamedTuple):
    """What one of them answered: turns in order, `more` by the turn it follows, and notes."""

    turns: list[str]
    more: dict[str, int]
    notes: list[str]


@pytest.fixture
def shelf(home: Path) -> list[Conversation]:
    """A long conversation that holds the words everywhere, and eight short ones."""
    said = (f"The retry budget {n} runs dry in RetryBudget.tick" for n in range(40))
    roles = (Role.USER, Role.ASSISTANT)
    long = conversation("long", "claude", "/work/shop", START, *(
        Turn(role=roles[n % 2], parts=(Text(text),), at=START + n) for n, text in enumerate(said)
    ))  # fmt: skip
    call = ToolCall("c", "Bash", {"command": "grep retry src/net/retry.py"})
    short = [
        conversation(
            f"short-{n}", "codex" if n % 2 else "amp", f"/work/p{n % 3}", START + 100 * n,
            Turn(role=Role.USER, parts=(Text(f"What is budget {n} for? {'retry ' * n}"),), at=START),
            Turn(role=Role.ASSISTANT, parts=(Text("For tries."), call), at=START),
        )
        for n in range(8)
    ]  # fmt: skip
    Path(archive_location()).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Archive.open(archive_location()) as archive:
        for one in (long, *short):
            archive.put(one)
        archive.update_index()
    return [long, *short]


def _command(dejavu: Callable[..., Result], query: str) -> Told:
    done = dejavu("search", "--limit", "60", "--", query)
    turns: list[str] = []
    more: dict[str, int] = {}
    for line in done.out.splitlines():
        if place := re.match(r"  (\w+#\d+)", line):
            turns.append(place[1])
        elif rest := re.match(r"  (\d+) more", line):
            more[turns[-1]] = int(rest[1])
    last = "nothing found for"
    return Told(turns, more, [line for line in done.err.splitlines() if last not in line])


def _plain(query: str) -> Told:
    told = walk(f"/{query}", *["n"] * 8)
    start = next(n for n, line in enumerate(told) if " found for " in line)
    notes = [line.removesuffix(".") for line in told[start + 1 :] if "searched for" in line]
    rows = [line for line in told[start:] if re.match(r"\d+\. ", line)]
    turns = [re.search(r", turn (\d+)", row) for row in rows]
    more = [re.search(r"(\d+) more in", row) for row in rows]
    names = [turn[1] for turn in turns if turn]
    return Told(names, {n: int(m[1]) for n, m in zip(names, more, strict=True) if m}, notes)


def _page(query: str) -> Told:
    html = listing({"q": query}, "")
    items = html.split('class="hit"')[1:]
    places = [re.search(r'/conversations/(\w+)\?page=\d+#t(\d+)"', item) for item in items]
    turns = [f"{place[1]}#{int(place[2]) + 1}" for place in places if place]
    more = [re.search(r"(\d+) more in", item) for item in items]
    notes = re.findall(r'<p class="link">(.*?)</p>', html)
    return Told(
        turns, {n: int(m[1]) for n, m in zip(turns, more, strict=True) if m},
        [note.replace("&#39;", "'") for note in notes],
    )  # fmt: skip


def _mcp(query: str) -> Told:
    answer = Tools("/").search_conversations(query, limit=50, everywhere=True)
    turns = [hit["event"] for one in answer["conversations"] for hit in one["hits"]]
    more = {one["hits"][-1]["event"]: one["more"] for one in answer["conversations"] if one["more"]}
    return Told(turns, more, answer["notes"])


def _browser(home: Path) -> dict[str, Told]:
    told: dict[str, Told] = {}

    async def task() -> None:
        async with browsing(home) as pilot:
            app: Any = pilot.app
            for query in QUERIES:
                answers: list[SearchAnswer] = []
                show: Callable[[SearchAnswer], None] = app._hits.show

                def watched(
                    answer: SearchAnswer,
                    show: Callable[[SearchAnswer], None] = show,
                    answers: list[SearchAnswer] = answers,
                ) -> None:
                    answers.append(answer)
                    show(answer)

                app._hits.show = watched
                app._search.value = query
                await settle(pilot, lambda answers=answers: bool(answers))
                app._hits.show = show
                hits = app._hits
                rows = [hits.hit(n) for n in range(hits.length())]
                names = [f"{hit.conversation}#{hit.seq + 1}" for hit in rows]
                facts = [str(hits.row(n, 200)[-1]) for n in range(hits.length())]
                more = [re.search(r"(\d+) more in", fact) for fact in facts]
                told[query] = Told(
                    names, {n: int(m[1]) for n, m in zip(names, more, strict=True) if m},
                    str(hits.border_subtitle).split(" · ")[1:],
                )  # fmt: skip

    run(task())
    return told


def test_all_five_answer_alike(
    shelf: list[Conversation], home: Path, dejavu: Callable[..., Result]
) -> None:
    browser = _browser(home)
    found = 0
    for query in QUERIES:
        told = _command(dejavu, query)
        found += bool(told.turns)
        assert browser[query] == told, query
        assert _page(query) == told, query
        assert _mcp(query) == told, query
        plain = _plain(query)  # it names turns by number, next to their conversation's title
        short = [name.partition("#")[2] for name in told.turns]
        assert plain.turns == short, query
        assert plain.notes == [note for note in told.notes if "searched for" in note], query
        assert list(plain.more.values()) == list(told.more.values())
    assert found >= 17


def test_a_long_conversation_leaves_room_for_the_others(shelf: list[Conversation]) -> None:
    with open_archive() as archive:
        answer = search(archive, "retry budget", shown=20)
    assert len(answer.conversations) > 7
    assert all(len(one.hits) <= MOST for one in answer.conversations)
    long = next(one for one in answer.conversations if one.summary.id == shelf[0].id)
    assert long.more == 40 - MOST


def test_no_more_turns_are_shown_than_were_asked_for(shelf: list[Conversation]) -> None:
    with open_archive() as archive:
        for most in (1, 2, 4, 5):
            answer = search(archive, "retry budget", shown=most)
            assert len(answer.shown) == most
            assert answer.cut
            assert sum(len(one.hits) + one.more for one in answer.conversations[:1]) == 40


def test_equal_excerpts_are_shown_once(tmp_path: Path) -> None:
    said = ("zeppelin here", "zeppelin here", "a zeppelin there", "zeppelin here")
    turns = tuple(Turn(role=Role.USER, parts=(Text(text),)) for text in said)
    with Archive.open(tmp_path / "archive") as archive:
        archive.put(Conversation(id="a", agent="x").with_turns(turns))
        [one] = search(archive, "zeppelin").conversations
    assert {hit.excerpt for hit in one.hits} == {"zeppelin here", "a zeppelin there"}
    assert (len(one.hits), one.more) == (2, 2)


def test_programs_get_every_turn_by_rank(shelf: list[Conversation]) -> None:
    with open_archive() as archive:
        flat = search(archive, "retry budget", shown=20, flat=True)
        rest = search(archive, "retry budget", shown=100, skip=20, flat=True)
        whole = archive.search("retry budget", limit=100)
    assert [hit for _, hit in (*flat.shown, *rest.shown)] == list(whole)
    assert (flat.cut, rest.cut) == (True, False)
