"""The archive by lines: numbered lists and short commands, for screen readers and bare terminals.

No cursor moves, no colour, no border: every line says in words what the panes say by position.
Conversations are read in pages. O(lines printed).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from dejavu.config import clock
from dejavu.export.text import as_text
from dejavu.model import Conversation, Role, Vector
from dejavu.model.conversation import turn_name, turn_number
from dejavu.model.plural import counted
from dejavu.providers.resume import resume_line
from dejavu.sessions.session_store import SessionView, find_all

from .archive_reader import ArchiveReader
from .formatting import ago, day_or_time, last_moment, moment_text, safe, short_path, title_of

_PAGE = 10
_TURNS = 4
_LIST_HELP = (
    "a number: read that conversation. n: the next ones. / and words: search. "
    "m and a question: ask memory. c or x and a number: that answer is right, or wrong. "
    "l: sessions that run now. a: all conversations again. q: quit."
)
_READ_HELP = (
    "Enter: the next turns. a number: that turn. b: back to the list. "
    "/ and words: search all. m and a question: ask memory. "
    "r: the command that resumes it in its agent. q: quit."
)
_WHO = {Role.USER: "You", Role.TOOL: "Tool", Role.SYSTEM: "System"}

Ask = Callable[[str], str]
Tell = Callable[[str], None]


class Row(NamedTuple):
    """A numbered line: a conversation, and for a search its turn and what more it has.

    facts: what memory says of it. texts: what was asked and answered.
    """

    summary: Conversation
    seq: int | None = None
    more: int = 0
    facts: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


class Leave(Exception):  # noqa: N818 - no error: the reader asked for it
    """The reader is done."""


class LineMode:
    """One reader's walk through the archive."""

    def __init__(self, reader: ArchiveReader, ask: Ask, tell: Tell) -> None:
        self._reader, self._ask, self._tell = reader, ask, tell
        self._rest: Iterator[Row] = iter(())
        self._listed: list[Row] = []

    def run(self) -> int:
        """Until the reader leaves, or there is no more input."""
        self._tell("Déjà Vu, by lines. h tells the commands.")
        self._all()
        try:
            while True:
                self._command(self._prompted("list> "))
        except Leave:
            return 0

    def _prompted(self, prompt: str) -> str:
        try:
            line = self._ask(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            raise Leave from None
        if line == "q":
            raise Leave
        return line

    def _command(self, line: str) -> None:
        if line.isdecimal() and 1 <= int(line) <= len(self._listed):
            row = self._listed[int(line) - 1]
            self._read(row.summary, row.seq or 0)
        elif line in ("", "n"):
            self._more()
        elif line.startswith("/"):
            self._search(line[1:].strip())
        elif line.startswith("m "):
            self._recall(line[2:].strip())
        elif line[:2] in ("c ", "x ") and line[2:].isdecimal():
            self._judge(int(line[2:]), right=line[0] == "c")
        elif line == "l":
            self._live()
        elif line == "a":
            self._all()
        else:
            self._tell(_LIST_HELP)

    def _all(self) -> None:
        self._listed, self._rest = [], (Row(summary) for summary in self._reader.summaries({}))
        self._more()

    def _search(self, query: str) -> None:
        answer = self._reader.search(query, {})
        hits = answer.hits
        self._tell(f"{counted(len(answer.shown), 'turn')} found for {safe(query, 100)!r}.")
        for note in hits.notes:
            self._tell(f"{safe(note, 200)}.")
        if hits.behind:
            self._tell(f"{counted(hits.behind, 'conversation')} not searched yet: try again later.")
        self._listed = []
        self._rest = iter(
            [
                Row(one.summary, hit.seq, one.more if hit is one.hits[-1] else 0)
                for one in answer.conversations
                for hit in one.hits
            ]
        )
        self._more()

    def _recall(self, question: str) -> None:
        found = self._reader.recall(question, {}) if question else None
        if found is None:
            return
        for sentence in found.remarks:
            self._tell(f"{safe(sentence)}")
        for known in found.memories:
            facts = f"{known.word}, confidence {known.memory.confidence}"
            self._tell(f"Memory, {facts}: {safe(known.memory.text)}")
        rows: list[Row] = []
        for one in found.shown:
            if (summary := self._reader.summary(one.hit.conversation)) is not None:
                title = title_of(summary)
                texts = tuple(text for text in map(safe, one.texts) if text != title)
                rows.append(Row(summary, one.hit.seq, one.more, (one.word, *one.changes), texts))
        self._listed, self._rest = [], iter(rows)
        if rows:
            self._more()

    def _judge(self, number: int, *, right: bool) -> None:
        row = self._listed[number - 1] if 1 <= number <= len(self._listed) else None
        if row is None or not row.facts:
            self._tell("No answer of memory has that number: m and a question asks.")
            return
        from dejavu.recall.verdicts import judge

        name = turn_name(row.summary.id, row.seq or 0)
        told = self._reader.change(lambda archive: judge(archive, name, right=right).told)
        if told is not None:
            self._tell(f"{number} {told}.")

    def _more(self) -> None:
        page = list(islice(self._rest, _PAGE))
        for number, (summary, seq, more, said, texts) in enumerate(page, len(self._listed) + 1):
            size = counted(summary.turn_count, "turn")
            facts = [*said, safe(summary.agent, 20), short_path(summary.place), size]
            facts.append(day_or_time(last_moment(summary), clock.now()))
            if more:
                facts.append(f"{more} more in this conversation")
            where = f", turn {turn_number(seq)}" if seq is not None else ""
            self._tell(f"{number}. {title_of(summary)}{where} ({', '.join(facts)})")
            for text in texts:
                self._tell(text)
        self._listed += page
        if not page:
            self._tell("No more." if self._listed else "None. `dejavu sync` reads histories in.")

    def _live(self) -> None:
        running = [session for session in find_all() if session.live]
        self._tell(f"{counted(len(running), 'session')} running.")
        for session in running:
            self._tell(_session(session))

    # -- one conversation

    def _read(self, summary: Conversation, seq: int) -> None:
        self._tell(f"{title_of(summary)}. {counted(summary.turn_count, 'turn')}.")
        seq = self._turns(summary, seq)
        while (line := self._prompted(f"turn {seq} of {summary.turn_count}> ")) != "b":
            if line.isdecimal() and 1 <= int(line) <= summary.turn_count:
                seq = self._turns(summary, int(line) - 1)
            elif line in ("", "n"):
                seq = self._turns(summary, seq)
            elif line.startswith(("/", "m ")):
                self._command(line)
                return
            elif line == "r":
                self._tell(resume_line(summary) or "No such command is known.")
            else:
                self._tell(_READ_HELP)

    def _turns(self, summary: Conversation, seq: int) -> int:
        """Print a few turns from `seq` on; return the one after them."""
        turns = self._reader.turns(summary.id, seq, seq + _TURNS)
        for turn in turns:
            who = _WHO.get(turn.role, safe(summary.agent, 20))
            when = moment_text(turn.at, "%H:%M")
            source = "" if turn.vector is Vector.NATIVE else f"from the {turn.vector.label}"
            facts = ", ".join(fact for fact in (when, source) if fact)
            self._tell(f"Turn {turn_number(turn.seq)}. {who}, {facts}.")
            alone = summary.with_turns((turn,))
            # The first lines are the conversation's own title and facts, told already.
            for line in list(as_text(alone, paint=_bare))[3:]:
                self._tell(line[2:] if line[:2] in ("❯ ", "● ", "⎿ ", "· ") else line)
        if not turns:
            self._tell("The end. b goes back to the list.")
        return seq + len(turns)


def _bare(text: str, _code: str) -> str:
    return text


def _session(view: SessionView) -> str:
    who = safe(view.session.name or view.session.agent, 24)
    since = ago(clock.now() - (view.status.since or view.session.started_at))
    return f"{who} in {short_path(view.session.workspace)}: {safe(view.state, 10)} for {since}."


def _say(lines: Sequence[str] | str) -> None:
    print(lines, flush=True)


def browse() -> int:
    """Read by lines from the terminal until the reader leaves; return the exit code."""
    reader = ArchiveReader(lambda error: _say(f"Not read: {safe(str(error))}"))
    reader.open()
    try:
        return LineMode(reader, input, _say).run()
    finally:
        reader.close()
