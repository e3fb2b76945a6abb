"""Coding sessions with questions whose answers are known: the set that recall is measured on.

Takes a seed; gives sessions as Claude Code and Codex write them (files, read by our own providers),
a third of them as bare records, and questions with the texts that answer them. Both were
written before any ranking was looked at, with other words for the same things, because people
ask with other words. One half of the questions is for choosing weights, the other for the score.
"""

import json
import random
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DAY = 86_400
START = 1_780_000_000

TOLD = tomllib.loads((Path(__file__).parent / "corpus.toml").read_text("utf-8"))
DECISIONS = tuple((one["thing"], one["later"], one["choices"]) for one in TOLD["decision"])
BUGS = TOLD["bugs"]["pairs"]
UNRELATED = tomllib.loads((Path(__file__).parent / "unrelated.toml").read_text("utf-8"))

PROJECTS = ("/srv/ledger", "/srv/harbour", "/srv/orchard", "/srv/beacon")


# (thing, sentence with {v}, values in order of time)
FACTS: tuple[tuple[str, str, tuple[str, str]], ...] = (
    ("upload limit", "The upload limit is {v}.", ("10 MB", "50 MB")),
    ("request timeout", "The request timeout is {v}.", ("30 seconds", "8 seconds")),
    ("worker pool", "The worker pool has {v}.", ("4 processes", "12 processes")),
    ("audit trail", "The audit trail is kept for {v}.", ("30 days", "400 days")),
    ("default branch", "The default branch is {v}.", ("develop", "trunk")),
    ("package manager", "The package manager is {v}.", ("npm", "pnpm")),
    ("build runner", "Builds run on {v}.", ("Jenkins", "Buildkite")),
    ("staging port", "The staging server listens on port {v}.", ("8080", "9443")),
    ("cookie lifetime", "The cookie expires after {v}.", ("2 hours", "14 days")),
    ("formatter", "Code is formatted with {v}.", ("black", "ruff")),
    ("metrics endpoint", "The metrics endpoint is {v}.", ("/metrics", "/internal/metrics")),
    ("release day", "Releases go out on {v}.", ("Friday", "Tuesday")),
    ("node version", "The runtime is pinned to node {v}.", ("18", "22")),
)  # fmt: skip

ASKS = (
    "How should we do {thing} in this service?",
    "I want to settle {thing} today, what do you suggest?",
    "Please look at {thing}, it has been open for weeks.",
    "We need something for {thing} before the release.",
    "What are the options for {thing}?",
)
DECIDED = (
    "I'd go with {choice}: {why}.",
    "Decision: {choice}. The reason is that {why}.",
    "We settled on {choice} for {thing}, because {why}.",
    "After comparing them I chose {choice}; {why}.",
    "{choice} it is, since {why}. I wrote that down in the design notes.",
)
WHY = (
    "why did we choose {choice}?",
    "remind me of the reason behind {choice} for {later}",
    "what was the argument for {choice} when we discussed {later}?",
    "why {choice} and not something else for {thing}?",
    "which consideration decided {later} in favour of {choice}?",
)
WHAT = (
    "what did we decide about {later}?",
    "which approach did we take for {later}, the {thing} I mean?",
    "how is {thing} done here and since when?",
)
NOUNS = (
    "ledger", "invoice", "token", "header", "snapshot", "cursor", "batch", "tenant", "voucher",
    "beacon", "route", "ticket", "crate", "shard", "lease", "quota", "widget", "manifest",
    "probe", "socket",
)  # fmt: skip
VERBS = (
    "flush", "parse", "merge", "rotate", "resolve", "drain", "encode", "fetch", "prune", "settle",
    "expand", "verify", "split", "attach", "replay",
)  # fmt: skip
FOLDERS = ("core", "net", "jobs", "api", "store", "web")
FILLER = (
    ("Run the tests please.", "All 214 tests pass."),
    ("Format the code.", "Formatted 12 files, nothing else changed."),
    ("Commit that.", "Committed with a short message."),
    ("Can you explain the folder layout?", "Sources are grouped by feature, tests mirror them."),
    ("What does the failing check say?", "A line is longer than a hundred characters in one file."),
    ("Update the readme.", "The readme names the new command and its options."),
    ("Bump the version.", "The version is one minor step higher and the changelog has an entry."),
    ("Is the build green again?", "Yes, the build is green on both machines."),
    ("Rename that variable, it is confusing.", "Renamed it in four places."),
    ("Add a type annotation there.", "Added, and the type checker agrees."),
)
PRONOUNS = (
    "ok, let's do that", "yes, go ahead with it", "do it the same way as before",
    "sounds good, please do",
    "and what about that one?", "same again please", "right, continue with this",
)  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A prompt, the lines said before it, and the texts that answer it (none: abstain)."""

    kind: str
    prompt: str
    workspace: str
    gold: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    held: bool = False


@dataclass
class Session:
    """What is said in one session, in order: (role, text, tool call or None)."""

    name: str
    agent: str
    workspace: str
    at: float
    said: list[tuple[str, str, dict[str, Any] | None]] = field(default_factory=list)


class Corpus:
    """Sessions and questions of one seed."""

    def __init__(self, seed: int = 7, sessions: int = 96) -> None:
        """Tell everything once, ask about it afterwards."""
        self.random = random.Random(seed)
        self.sessions = [
            Session(
                f"{number:04d}-{seed}", ("claude", "codex", "bare")[number % 3],
                PROJECTS[number % 4], START + number * 1.5 * DAY,
            )
            for number in range(sessions)
        ]  # fmt: skip
        self.questions: list[Question] = []
        for workspace in PROJECTS:
            self._decisions(workspace)
            self._bugs(workspace)
            self._facts(workspace)
        for kind, prompts in UNRELATED.items():
            for prompt in prompts:
                where = self.random.choice(PROJECTS)
                self.questions.append(Question(f"abstention, {kind}", prompt, where))
        for session in self.sessions:
            for _ in range(self.random.randint(1, 3)):
                self._fill(session)
        self.random.shuffle(self.questions)
        self.questions = [
            Question(**{**q.__dict__, "held": bool(number % 2)})
            for number, q in enumerate(self.questions)
        ]

    def _some(self, workspace: str, low: float = 0.0, high: float = 1.0) -> Session:
        mine = [one for one in self.sessions if one.workspace == workspace]
        return self.random.choice(mine[int(low * len(mine)) : max(1, int(high * len(mine)))])

    def _decisions(self, workspace: str) -> None:
        rng, place = self.random, PROJECTS.index(workspace)
        for number, (thing, later, choices) in enumerate(DECISIONS):
            choice, why = choices[(number + place) % 4]
            session = self._some(workspace)
            self._tool(session, thing.split()[0])
            answer = rng.choice(DECIDED).format(choice=choice, why=why, thing=thing)
            self._exchange(session, rng.choice(ASKS).format(thing=thing), answer)
            named = {"choice": choice, "thing": thing, "later": later}
            self._ask("why", rng.choice(WHY).format(**named), workspace, answer)
            if number % 2 == place % 2:
                self._ask("decision", rng.choice(WHAT).format(**named), workspace, answer)
            if number % 3 == place % 3:
                line = f"I can set up {thing} like we did earlier, shall I?"
                self._ask(
                    "pronoun", rng.choice(PRONOUNS), workspace, answer,
                    before=("All checks pass.", line),
                )  # fmt: skip
            if number % 4 == place % 4:
                problem, cause = BUGS[(number * 3 + place) % len(BUGS)]
                other = self._some(workspace)
                found = f"With {choice} it {problem}: {cause}."
                self._exchange(other, f"Something is off with {thing} again.", found)
                prompt = f"what have we learned about {thing} and {choice} so far?"
                self._ask("cross-session", prompt, workspace, answer, found)

    def _bugs(self, workspace: str) -> None:
        rng = self.random
        names = [f"{verb}_{noun}" for verb in VERBS for noun in NOUNS]
        for number, name in enumerate(rng.sample(names, 28)):
            problem, cause = BUGS[number % len(BUGS)]
            session = self._some(workspace)
            shown = name if number % 2 else "".join(part.title() for part in name.split("_"))
            path = f"src/{rng.choice(FOLDERS)}/{name}.py"
            self._exchange(session, f"`{shown}` {problem}, please find out why.", None)
            self._tool(session, name, path)
            answer = rng.choice(
                (
                    "Found it: {cause}.",
                    "The cause: {cause}. I fixed `{name}`.",
                    "It is simple: {cause}.",
                )
            ).format(cause=cause, name=shown)
            session.said.append(("assistant", answer, None))
            # The same identifier is met elsewhere, in passing.
            for _ in range(2):
                self._tool(self._some(workspace), name, path)
            asked = rng.choice(
                (f"what was wrong with {shown}?", f"what did we find out in {path}?",
                 f"did we ever debug `{shown}`? what was the cause")
            )  # fmt: skip
            self._ask("identifier", asked, workspace, answer)

    def _facts(self, workspace: str) -> None:
        rng = self.random
        for thing, sentence, (old, new) in FACTS:
            before, after = self._some(workspace, 0.0, 0.4), self._some(workspace, 0.6, 1.0)
            first = rng.choice(("Noted. ", "Ok. ", "")) + sentence.format(v=old)
            second = rng.choice(("Changed. ", "Updated: ", "")) + sentence.format(v=new)
            self._exchange(before, f"Set the {thing} for us.", first)
            self._exchange(after, f"The {thing} has to change.", second)
            asked = rng.choice(
                (
                    "what is our {t}?",
                    "which {t} do we have now?",
                    "remind me what we set for the {t}",
                )
            ).format(t=thing)
            self._ask("superseded", asked, workspace, second, stale=(first,))

    def _ask(
        self, kind: str, prompt: str, workspace: str, *gold: str,
        stale: tuple[str, ...] = (), before: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.questions.append(Question(kind, prompt, workspace, gold, stale, before))

    def _exchange(self, session: Session, prompt: str, answer: str | None) -> None:
        session.said.append(("user", prompt, None))
        if answer is not None:
            session.said.append(("assistant", answer, None))

    def _tool(self, session: Session, word: str, path: str | None = None) -> None:
        where = path or f"src/{self.random.choice(FOLDERS)}/{word}.py"
        lines = "\n".join(
            f"{number}: def {self.random.choice(VERBS)}_{self.random.choice(NOUNS)}(self): ..."
            for number in range(self.random.randint(3, 25))
        )
        session.said.append(("assistant", "", {"file_path": where}))
        session.said.append(("tool", f"{where}\n# {word}\n{lines}", None))

    def _fill(self, session: Session) -> None:
        prompt, answer = self.random.choice(FILLER)
        self._exchange(session, prompt, answer)

    def write(self, home: Path) -> None:
        """The sessions as their agents would have left them below `home`."""
        for session in self.sessions:
            WRITERS[session.agent](session, home)


def _stamp(at: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _claude(session: Session, home: Path) -> None:
    rows: list[dict[str, Any]] = []
    parent: str | None = None
    for number, (role, text, call) in enumerate(session.said):
        content: Any = text
        if call is not None:
            content = [{"type": "tool_use", "id": f"t{number}", "name": "Read", "input": call}]
        elif role == "tool":
            content = [{"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": text}]
        elif role == "assistant":
            content = [{"type": "text", "text": text}]
        kind = "assistant" if role == "assistant" else "user"
        name = f"{session.name}-{number}"
        rows.append(
            {
                "type": kind, "uuid": name, "parentUuid": parent, "sessionId": session.name,
                "cwd": session.workspace, "version": "2.1.0", "isSidechain": False,
                "timestamp": _stamp(session.at + 20 * number),
                "message": {"role": kind, "content": content, "id": f"m{number}"},
            }
        )  # fmt: skip
        parent = name
    folder = home / ".claude" / "projects" / session.workspace.replace("/", "-")
    _lines(folder / f"{session.name}.jsonl", rows)


def _codex(session: Session, home: Path) -> None:
    meta = {
        "id": session.name, "cwd": session.workspace, "cli_version": "0.50.0",
        "timestamp": _stamp(session.at), "originator": "codex_cli_rs", "instructions": None,
    }  # fmt: skip
    rows = [{"timestamp": _stamp(session.at), "type": "session_meta", "payload": meta}]
    for number, (role, text, call) in enumerate(session.said):
        payload: dict[str, Any]
        if call is not None:
            payload = {
                "type": "function_call", "name": "read_file", "arguments": json.dumps(call),
                "call_id": f"c{number}",
            }  # fmt: skip
        elif role == "tool":
            payload = {
                "type": "function_call_output", "call_id": f"c{number - 1}", "output": text
            }  # fmt: skip
        else:
            kind = "input_text" if role == "user" else "output_text"
            payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        at = _stamp(session.at + 20 * number)
        rows.append({"timestamp": at, "type": "response_item", "payload": payload})
    folder = home / ".codex" / "sessions" / "2026" / "07" / "01"
    _lines(folder / f"rollout-2026-07-01T00-00-00-{session.name}.jsonl", rows)


def _plain(session: Session, home: Path) -> None:
    """Not read by a provider: put into the archive as records by the benchmark."""


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


WRITERS = {"claude": _claude, "codex": _codex, "bare": _plain}
