"""blame on a scripted history: 200 edits of agents among human edits, renames, reformatting, reverts, squashes.

    python -m benchmarks.code.blame_history [SEED ...] [--edits N] [--show]

The history is played in a git repository of its own and an archive of its own; who wrote each line
is known, because the script wrote it. A line is whoever's who last changed its characters other than
white space; a revert brings back the line with its writer. Printed for each seed: lines, how many are
right, how many certain, and how many wrong although certain. Rules were tuned on seeds below 400.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.extensions.code.blame import blame_file
from dejavu.extensions.code.index import EditIndex
from dejavu.model import Conversation, Role, Text, ToolCall, ToolCallResponse, Turn, conversation_id

HUMAN = ("", -1)
Owned = tuple[str, tuple[str, int]]  # a line, and the conversation and turn that wrote it
_COMMON = (
    "", "", "", "}", "});", "    pass", "    return None", "    else:", "        continue", "#",
    "    return result", "    try:", "import os", "    raise ValueError(name)", "    finally:",
)  # fmt: skip
_VERBS = (
    "load",
    "store",
    "parse",
    "merge",
    "split",
    "check",
    "write",
    "fetch",
    "build",
    "count",
    "drain",
    "trace",
)  # fmt: skip
_NOUNS = (
    "user",
    "order",
    "cache",
    "token",
    "route",
    "frame",
    "chunk",
    "queue",
    "model",
    "field",
    "event",
    "node",
)  # fmt: skip
_SHAPES = ("claude", "multi", "write", "codex", "gemini", "opencode", "heredoc", "fragment", "diff")


class History:
    """A repository, its archive, and what is known of every line."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self.work = folder / "pond"
        self.work.mkdir()
        self.now = 1_750_000_000.0
        self.files: dict[str, list[Owned]] = {}
        self.committed: list[dict[str, list[Owned]]] = []
        self.conversations: dict[str, tuple[str, list[Turn]]] = {}
        self.current = ""
        self.edits = 0
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")

    def git(self, *words: str) -> None:
        """Run git at the script's time."""
        stamp = f"{int(self.now)} +0000"
        environ = {**os.environ, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        subprocess.run(["git", *words], cwd=self.work, env=environ, check=True, capture_output=True)

    def line(self, duplicates: float = 0.3) -> str:
        """A line that somebody may write."""
        if self.random.random() < duplicates:
            return self.random.choice(_COMMON)
        indent = "    " * self.random.randrange(3)
        verb, noun, other = (self.random.choice(w) for w in (_VERBS, _NOUNS, _NOUNS))
        form = self.random.choice(
            ("{i}{n} = {v}_{o}({n}, {k})", "{i}if {n}.{v}({o}) > {k}:", "def {v}_{n}_{k}({o}):",
             "{i}log.info('{v} %s', {n}[{k}])", "{i}{n}.append({v}({o}={k}))", "{i}# {v} the {n} of {o} {k}")
        )  # fmt: skip
        return form.format(i=indent, v=verb, n=noun, o=other, k=self.random.randrange(400))

    def write(self, name: str) -> None:
        """Write a file as it stands."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(text + "\n" for text, _ in self.files[name]))

    def pick(self) -> str:
        """One of the files."""
        return self.random.choice(sorted(self.files))

    def turn(self, role: Role, *parts: Any) -> int:
        """Add a turn to the conversation; return its number."""
        agent, turns = self.conversations[self.current]
        turns.append(Turn(seq=len(turns), role=role, parts=parts, at=self.now))
        self.conversations[self.current] = agent, turns
        return len(turns) - 1

    def session(self) -> None:
        """Begin a conversation."""
        agent = self.random.choice(("claude", "codex", "gemini", "opencode"))
        native = f"session-{len(self.conversations)}"
        self.current = conversation_id(agent, "local", native)
        self.conversations[self.current] = agent, []
        self.turn(Role.USER, Text(f"please change the {self.random.choice(_NOUNS)}"))

    def agent(self) -> None:
        """One edit by an agent, in the shape of one of their tools."""
        if not self.current or self.random.random() < 0.2:
            self.session()
        name, shape = self.pick(), self.random.choice(_SHAPES)
        if shape == "write" and self.random.random() < 0.3:
            name = f"src/part{len(self.files)}.py"
            self.files[name] = []
        old = self.files[name]
        start = self.random.randrange(len(old) + 1)
        stop = min(len(old), start + self.random.choice((0, 1, 1, 2, 4)))
        count = self.random.choice((1, 2, 3, 5, 8))
        if not old:
            count = 30
        seq = self.turn(Role.ASSISTANT, Text("I change it."))
        owner = (self.current, seq + 1)
        fresh: list[Owned] = [(self.line(), owner) for _ in range(count)]
        absolute = str(self.work / name)
        fresh = _kept(old[start:stop], fresh)
        low, high = max(0, start - 2), min(len(old), stop + 2)
        before = [text for text, _ in old[low:high]]
        after = [text for text, _ in [*old[low:start], *fresh, *old[stop:high]]]
        new = [*old[:start], *fresh, *old[stop:]]
        text = "".join(line + "\n" for line in after)
        call: tuple[str, Any]
        if shape == "write":
            call = "Write", {"file_path": absolute, "content": "".join(t + "\n" for t, _ in new)}
        elif shape == "codex":
            body = [" " + t for t, _ in old[low:start]] + ["-" + t for t, _ in old[start:stop]]
            body += ["+" + t for t, _ in fresh] + [" " + t for t, _ in old[stop:high]]
            patch = "\n".join(
                ["*** Begin Patch", f"*** Update File: {name}", "@@", *body, "*** End Patch"]
            )
            call = "apply_patch", patch
        elif shape == "diff":
            body = ["-" + t for t, _ in old[start:stop]] + ["+" + t for t, _ in fresh]
            head = f"@@ -{start + 1},{stop - start} +{start + 1},{count} @@"
            diff = "\n".join([f"--- a/{name}", f"+++ b/{name}", head, *body, ""])
            call = "bash", {"command": f"git apply <<'EOF'\n{diff}EOF"}
        elif shape == "heredoc":
            fresh = [(line, owner) for line, _ in fresh]
            new = [*old, *fresh]
            lines = "\n".join(line for line, _ in fresh)
            call = "bash", {"command": f"cat >> {name} <<'EOF'\n{lines}\nEOF"}
        elif shape == "fragment" and any(len(t.strip()) > 12 for t, _ in old):
            at = self.random.choice([n for n, (t, _) in enumerate(old) if len(t.strip()) > 12])
            words = old[at][0].split(" ")
            place = self.random.choice([n for n, word in enumerate(words) if word])
            changed = f"{self.random.choice(_VERBS)}_{self.random.randrange(1000)}"
            line = " ".join([*words[:place], changed, *words[place + 1 :]])
            new = [*old[:at], (line, owner), *old[at + 1 :]]
            call = "Edit", {"file_path": absolute, "old_string": " ".join(words[place:]),
                            "new_string": " ".join([changed, *words[place + 1 :]])}  # fmt: skip
        elif shape == "multi":
            call = "MultiEdit", {"file_path": absolute, "edits": [
                {"old_string": "\n".join(before), "new_string": "\n".join(after)}]}  # fmt: skip
        elif shape == "gemini":
            call = "replace", {"file_path": absolute, "old_string": "\n".join(before) + "\n",
                               "new_string": text}  # fmt: skip
        else:
            names = ("filePath", "oldString", "newString")
            keys = names if shape == "opencode" else ("file_path", "old_string", "new_string")
            call = (
                "edit",
                dict(zip(keys, (absolute, "\n".join(before), "\n".join(after)), strict=True)),
            )
        refused = self.random.random() < 0.06
        self.turn(Role.ASSISTANT, ToolCall(f"c{self.edits}", *call))
        result = "Error: String to replace not found" if refused else "Done"
        self.turn(Role.TOOL, ToolCallResponse(f"c{self.edits}", result, is_error=refused))
        self.edits += 1
        if not refused:
            self.files[name] = new
        elif not old:
            del self.files[name]
            return
        self.write(name)

    def human(self) -> None:
        """Lines inserted, changed or deleted by hand."""
        name = self.pick()
        lines = self.files[name]
        at = self.random.randrange(len(lines) + 1)
        kind = self.random.random()
        if kind < 0.4:
            lines[at:at] = [(self.line(), HUMAN) for _ in range(self.random.choice((1, 2, 4)))]
        elif kind < 0.75 and at < len(lines):
            lines[at : at + 1] = _kept(lines[at : at + 1], [(self.line(0.1), HUMAN)])
        else:
            del lines[at : at + self.random.choice((1, 2, 5))]
        self.write(name)

    def reformat(self) -> None:
        """White space alone."""
        name = self.pick()
        width = self.random.choice((2, 4, 8))
        self.files[name] = [
            (text.replace("    ", " " * width) if text.strip() else "", owner)
            for text, owner in self.files[name]
        ]
        self.write(name)

    def rename(self) -> None:
        """Move a file, by a person or by an agent's command."""
        name = self.pick()
        target = f"src/moved{self.random.randrange(10_000)}.py"
        self.commit()
        (self.work / "src").mkdir(exist_ok=True)
        if self.current and self.random.random() < 0.5:
            self.turn(Role.ASSISTANT, ToolCall("m", "bash", {"command": f"git mv {name} {target}"}))
            self.turn(Role.TOOL, ToolCallResponse("m", ""))
        self.git("mv", name, target)
        self.files[target] = self.files.pop(name)
        self.commit(force=True)

    def commit(self, *, force: bool = False) -> None:
        """Commit everything, if anything changed."""
        self.now += 5
        self.git("add", "-A")
        state = {name: list(lines) for name, lines in self.files.items()}
        if not force and self.committed and self.committed[-1] == state:
            return
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        self.committed.append(state)

    def revert(self) -> None:
        """Revert the last commit."""
        self.commit()
        if len(self.committed) < 3:
            return
        self.now += 60
        self.git("revert", "--no-edit", "HEAD")
        self.files = {name: list(lines) for name, lines in self.committed[-2].items()}
        self.committed.append({name: list(lines) for name, lines in self.files.items()})

    def squash(self) -> None:
        """Make the last commits one."""
        self.commit()
        count = min(len(self.committed) - 2, self.random.choice((2, 3, 5)))
        if count < 2:
            return
        self.now += 60
        self.git("reset", "-q", "--soft", f"HEAD~{count}")
        self.git("commit", "-q", "--allow-empty", "-m", "squashed")
        del self.committed[-count:]
        self.committed.append({name: list(lines) for name, lines in self.files.items()})

    def play(self, edits: int) -> None:
        """Take steps until there are so many edits."""
        for name in ("src/main.py", "src/pond.py", "README.md"):
            self.files[name] = [(self.line(), HUMAN) for _ in range(60)]
            self.write(name)
        self.commit()
        steps = {self.human: 30, self.commit: 22, self.reformat: 3, self.rename: 2, self.revert: 3,
                 self.squash: 3, self.agent: 60}  # fmt: skip
        while self.edits < edits:
            self.now += self.random.randrange(10, 900)
            self.random.choices(list(steps), list(steps.values()))[0]()

    def archive(self, folder: Path) -> None:
        """Keep the conversations."""
        with Archive.open(folder) as archive:
            for number, (identity, (agent, turns)) in enumerate(self.conversations.items()):
                conversation = Conversation(
                    id=identity,
                    agent=agent,
                    native_id=f"session-{number}",
                    workspace=str(self.work),
                )
                archive.put(conversation.with_turns(tuple(turns)))


def _kept(old: list[Owned], fresh: list[Owned]) -> list[Owned]:
    """The fresh lines; one that stood there before is still whose it was."""
    result = list(fresh)
    texts = [text for text, _ in old], [text for text, _ in fresh]
    for block in SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks():
        result[block.b : block.b + block.size] = old[block.a : block.a + block.size]
    return result


def measure(seed: int, edits: int, *, show: bool) -> dict[str, int]:
    """One history, blamed; what came out."""
    folder = Path(tempfile.mkdtemp(prefix="blame"))
    counts = dict.fromkeys(
        ("lines", "right", "certain", "wrong_certain", "speaking", "speaking_right"), 0
    )
    try:
        history = History(seed, folder)
        history.play(edits)
        history.archive(folder / "archive")
        with Archive.open(folder / "archive") as archive, EditIndex(archive) as index:
            index.catch_up()
            for name, owned in sorted(history.files.items()):
                if not owned:
                    continue
                blame = blame_file(index, history.work / name)
                assert len(blame.lines) == len(owned)
                for line, (text, owner) in zip(blame.lines, owned, strict=True):
                    edit = line.attribution.edit
                    ours = HUMAN if edit is None else (edit.conversation, edit.seq)
                    right = ours == owner
                    speaking = len("".join(text.split())) >= 10
                    counts["lines"] += 1
                    counts["right"] += right
                    counts["speaking"] += speaking
                    counts["speaking_right"] += right and speaking
                    counts["certain"] += line.attribution.certain
                    counts["wrong_certain"] += line.attribution.certain and not right
                    if show and not right:
                        print(
                            name,
                            line.number,
                            repr(text),
                            ours,
                            owner,
                            line.attribution.certain,
                            line.attribution.reason,
                        )
    finally:
        shutil.rmtree(folder)
    return counts


def main() -> None:
    """Print a row for each seed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("seeds", nargs="*", type=int, default=[401, 402, 403, 404, 405])
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    total: dict[str, int] = {}
    for seed in options.seeds:
        began = time.process_time()
        counts = measure(seed, options.edits, show=options.show)
        total = {name: total.get(name, 0) + count for name, count in counts.items()}
        print(f"seed {seed}: {_row(counts)}  ({time.process_time() - began:.1f} s)", flush=True)
    print(f"all: {_row(total)}")
    sys.exit(total["wrong_certain"] > 0 or total["right"] < 0.95 * total["lines"])


def _row(counts: dict[str, int]) -> str:
    lines = counts["lines"]
    return (
        f"{lines} lines, {100 * counts['right'] / lines:.1f} % right "
        f"({100 * counts['speaking_right'] / max(1, counts['speaking']):.1f} % of those of words), "
        f"{100 * counts['certain'] / lines:.1f} % certain, {counts['wrong_certain']} wrong with certainty"
    )


if __name__ == "__main__":
    main()
