"""A project in which Claude Code worked, as its session file tells it, and what its files truly held.

The records have the whole texts that Claude Code keeps in them, with `\r\n` read as `\n`. A person and
shell commands change files unseen; as the real agent, this one reads a file again before it changes
what was changed behind its back.
"""

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.factories.edits import START, git
from tests.factories.file_truth import FileTruth

from dejavu.providers.restorer import dashed

NATIVE = "0b7e3c61-0000-4000-8000-0000000000aa"


class ClaudeProject:
    """A session that is written step by step, with the truth of its files."""

    def __init__(self, folder: Path, home: Path, generator: random.Random) -> None:
        folder.mkdir(parents=True)
        git(folder, "init", "-q")
        self.folder, self.at = folder, START
        self.truth = FileTruth()
        self._random, self._number = generator, 0
        self._fresh: dict[Path, bytes] = {}
        self._lines: list[str] = []
        self.log = home / ".claude/projects" / dashed(str(folder)) / f"{NATIVE}.jsonl"

    def save(self) -> None:
        """Write the session file."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.write_text("".join(self._lines))

    def content(self, path: Path) -> bytes:
        return path.read_bytes() if path.exists() else b""

    def says(self, role: str, content: Any, **more: Any) -> None:
        """One record."""
        self._number += 1
        record = {
            "type": role, "uuid": f"u{self._number}", "sessionId": NATIVE, "cwd": str(self.folder),
            "parentUuid": f"u{self._number - 1}" if self._number > 1 else None, "version": "2.1.330",
            "timestamp": datetime.fromtimestamp(self.at, UTC).isoformat().replace("+00:00", "Z"),
            "message": {"role": role, "id": f"m{self._number}", "content": content}, **more,
        }  # fmt: skip
        self._lines.append(json.dumps(record) + "\n")

    def _call(self, name: str, arguments: dict[str, Any]) -> tuple[str, float]:
        self.at += self._random.uniform(1, 20)
        identity = f"toolu_{self._number}"
        call = {"type": "tool_use", "id": identity, "name": name, "input": arguments}
        self.says("assistant", [call])
        begun = self.at
        self.at += self._random.uniform(0.5, 15)
        return identity, begun

    def _result(self, identity: str, text: str, detail: Any) -> None:
        result = {"type": "tool_result", "tool_use_id": identity, "content": text}
        self.says("user", [result], toolUseResult=detail)

    def puts(self, path: Path, data: bytes, at: float, *, unseen: bool = False) -> None:
        path.write_bytes(data)
        self.truth.put(path, at, data, unseen=unseen)

    def _changed(
        self, path: Path, data: bytes, begun: float, *, seen: bool = True, exact: bool = False
    ) -> None:
        at = self._random.uniform(begun, self.at)
        self.puts(path, data, at)
        self._fresh[path] = data
        self.truth.is_busy(path, begun, self.at)
        if seen:
            self.truth.sees(path, at, exact=exact)

    def read(self, path: Path) -> None:
        identity, _ = self._call("Read", {"file_path": str(path)})
        text = _text(self.content(path))
        lines = text.split("\n")
        numbered = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(lines, 1))
        file = {"filePath": str(path), "content": text, "numLines": len(lines), "startLine": 1,
                "totalLines": len(lines)}  # fmt: skip
        self._result(identity, numbered, {"type": "text", "file": file})
        self._fresh[path] = self.content(path)
        self.truth.sees(path, self.at)

    def _look(self, path: Path) -> None:
        if path.exists() and self._fresh.get(path) != self.content(path):
            self.read(path)

    def write(self, path: Path, text: str) -> None:
        self._look(path)
        before = _text(self.content(path)) if path.exists() else None
        ends = b"\r\n" if b"\r\n" in self.content(path) else b"\n"
        identity, begun = self._call("Write", {"file_path": str(path), "content": text})
        data = text.encode().replace(b"\n", ends)
        self._changed(path, data, begun, exact=before is None)
        kind = "create" if before is None else "update"
        detail = {"type": kind, "filePath": str(path), "content": text, "originalFile": before}
        self._result(identity, "written", detail)

    def edit(self, path: Path, new: str) -> None:
        self._look(path)
        before = _text(self.content(path))
        old = self._random.choice([line for line in before.split("\n") if line] or [""])
        if not old or before.count(old) != 1:
            return
        after = before.replace(old, new)
        ends = b"\r\n" if b"\r\n" in self.content(path) else b"\n"
        arguments = {"file_path": str(path), "old_string": old, "new_string": new}
        identity, begun = self._call("Edit", arguments)
        original = before if self._random.random() < 0.9 else None  # left out where it is long
        data = after.encode().replace(b"\n", ends)
        self._changed(path, data, begun, seen=original is not None)
        detail = {"filePath": str(path), "oldString": old, "newString": new,
                  "originalFile": original, "userModified": False, "replaceAll": False}  # fmt: skip
        self._result(identity, "edited", detail)

    def behind_its_back(self, path: Path, *, shell: bool) -> None:
        """A change that no record states, by a person or by a command of the agent."""
        data = self.content(path) + f"unseen {self._number}".encode() + b"\n"
        if shell:
            identity, begun = self._call("Bash", {"command": "python3 build.py"})
            at = self._random.uniform(begun, self.at)
            self.puts(path, data, at, unseen=True)
            self._result(identity, "ok", {"stdout": "ok", "stderr": "", "interrupted": False})
        else:
            self.at += self._random.uniform(2, 20)
            self.puts(path, data, self.at, unseen=True)

    def commit(self) -> None:
        self.at = float(int(self.at) + self._random.randrange(3, 20))
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", "x", at=self.at)
        for path in self.truth.paths:
            self.truth.sees(path, self.at, exact=True)
        self.at += 2

    def talk(self) -> None:
        self.at += self._random.uniform(2, 30)
        self.says("user", f"go on {self._number}")
        self.at += self._random.uniform(2, 30)
        self.says("assistant", [{"type": "text", "text": "Yes."}])


def _text(data: bytes) -> str:
    return data.decode().replace("\r\n", "\n")


def claude_project(folder: Path, home: Path, generator: random.Random) -> ClaudeProject:
    """Some hours of work on three files, one of which has `\r\n`."""
    project = ClaudeProject(folder, home, generator)
    paths = [folder / name for name in ("a.py", "b.txt", "windows.txt")]
    project.says("user", "begin")
    if generator.random() < 0.5:
        project.puts(paths[2], b"one\r\ntwo\r\n", project.at - 50, unseen=True)
    for number in range(generator.randrange(8, 24)):
        path = generator.choice(paths)
        act = generator.choice(
            ["write", "edit", "edit", "edit", "read", "commit", "talk", "person", "shell"]
        )
        if act == "write" or not path.exists():
            ending = generator.choice(["", "\n"])
            project.write(path, f"one {number}\ntwo {number}\nthree {number}{ending}")
        elif act == "edit":
            project.edit(path, f"new {number}")
        elif act == "read":
            project.read(path)
        elif act == "commit":
            project.commit()
        elif act == "talk":
            project.talk()
        else:
            project.behind_its_back(path, shell=act == "shell")
    project.talk()
    project.save()
    return project
