"""What a search found, with the words asked for in sight."""

from tests.interfaces.tui.driving import run, screen, settle
from textual.app import ComposeResult

from dejavu.archive import Hit, SearchResult
from dejavu.interfaces.search_answer import NOTHING, FoundConversation, SearchAnswer
from dejavu.interfaces.tui.hits import Hits
from dejavu.interfaces.tui.theme import ThemedApp
from dejavu.model import Conversation, Role

LONG = "x " * 200 + "the retry budget runs dry \x1b[2J here"


def _answer(summary: Conversation, hit: Hit, *notes: str) -> SearchAnswer:
    found = FoundConversation(summary, (hit,), 0)
    return SearchAnswer((found,), SearchResult([hit], notes=notes), cut=False)


class Page(ThemedApp[None]):
    def compose(self) -> ComposeResult:
        yield Hits(id="hits")


def test_the_word_is_seen_however_late_it_stands() -> None:
    at = LONG.index("budget")
    hit = Hit("c1", 3, Role.ASSISTANT, 1.0, LONG, 1.0, "claude", ((at, at + 6),))
    summary = Conversation(id="c1", agent="claude", title="Retries", workspace="/w")

    async def task() -> None:
        app = Page()
        async with app.run_test(size=(80, 24)) as pilot:
            hits = app.query_one(Hits)
            hits.show(_answer(summary, hit))
            await settle(pilot, lambda: "budget" in screen(app))
            assert "\x1b" not in screen(app)
            hits.show(NOTHING)
            await settle(pilot, lambda: "nothing found" in screen(app))
            hits.show(_answer(summary, hit, "no turn has 'bugdet'\x1b: searched for 'budget'"))
            await settle(pilot, lambda: "1 · no turn has 'bugdet'" in screen(app))
            assert "\x1b" not in screen(app)

    run(task())
