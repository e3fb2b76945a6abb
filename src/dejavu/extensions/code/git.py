"""What git knows of a repository: who changed which line when, and what a commit holds.

The working tree is never compared by git, because that runs clean filters: only stored objects are
read. Must not start git itself; `config.git` does, with everything that starts programs switched off.

Tested in: tests/extensions/code/test_odd_repositories.py
"""

import os
from pathlib import Path
from typing import NamedTuple

from dejavu.config.git import PATIENCE, run_git

_NO_TEXT = (" mode 120000", " mode 160000", " 120000", " 160000")
"""How the rows of a link's or a submodule's mode end."""


class GitLine(NamedTuple):
    """A line's commit: its hash, committer's time, author and subject; and the line as stored."""

    commit: str
    at: float
    author: str
    subject: str
    oldest: bool = False
    """Whether a shallow clone begins there: the line may be of an older one."""
    text: str = ""


class FileCommit(NamedTuple):
    """A commit that changed a file: the file's name then, the lines it added and removed.

    root: whether it has no parent. copied: the file that git takes it for a copy of, in the commit
    in which it came to be.
    """

    commit: str
    at: float
    name: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    root: bool = False
    copied: str = ""


class Repository:
    """One working tree; every method returns what is empty where git has no answer in time."""

    def __init__(self, top: str, *, shallow: bool = False, head: str | None = None) -> None:
        """The repository whose working tree begins at `top`.

        shallow: whether its older commits may not be here; head: the commit of `HEAD`, if known.
        """
        self.top = top
        self.shallow = shallow
        self._head = head

    @classmethod
    def of(cls, path: Path, *, bare: bool = False) -> "Repository | None":
        """The repository that a file or folder is in; None without git or without one.

        bare: whether one without a working tree will do; its folder is its `top` then.
        """
        folder = path if path.is_dir() else path.parent
        head = "HEAD^{commit}"
        questions = [("--show-toplevel", head), ("--show-toplevel", "")]
        questions += [("--absolute-git-dir", head), ("--absolute-git-dir", "")] if bare else []
        for place, revision in questions:  # the first is the rule: not bare, and with a commit
            words = ["--git-common-dir", *filter(None, [revision])]
            output = run_git(str(folder), "rev-parse", place, *words)
            if output is not None:
                rows = os.fsdecode(output).removesuffix("\n").rsplit("\n", len(words))
                shallow = (folder / rows[1] / "shallow").exists()
                return cls(rows[0], shallow=shallow, head=rows[2] if revision else None)
        return None

    def git(self, *words: str, patience: float = PATIENCE) -> bytes | None:
        """What git prints; None where it fails."""
        return run_git(self.top, *words, patience=patience)

    def resolve(self, revision: str) -> str | None:
        """The full hash of a commit by any name of it; None where there is none."""
        if revision == "HEAD" and self._head:
            return self._head
        if revision.startswith("-") or "\n" in revision:
            return None
        output = self.git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return None if output is None else output.decode("ascii", "replace").strip() or None

    def content(self, revision: str, name: str) -> bytes | None:
        """The stored content of a file at a commit, unconverted."""
        return self.git("cat-file", "blob", f"{revision}:{name}")

    def blame(self, revision: str, name: str) -> list[GitLine]:
        """The commit of each line of a file at a revision, white space aside, through renames."""
        output = self.git("blame", "--porcelain", "-w", "--no-textconv", revision, "--", name)
        if output is None:
            return []
        return _blamed(output.decode("utf-8", "replace"), shallow=self.shallow)

    def history(self, revision: str, name: str, most: int = 2_000) -> list[FileCommit]:
        """The commits that changed a file, oldest first, through renames; merges left out.

        It begins with the commit in which the file came to be, also where git takes it for a copy
        of another that remains: an equal text proves nothing.
        """
        mark = f"{os.urandom(12).hex()} "  # no line of a file begins so
        output = self.git(
            "log", "--follow", "-M", "-w", "-p", "-U0", "--no-ext-diff", "--no-textconv",
            f"--max-count={most}", f"--format={mark}%H %ct %p", revision, "--", name,
        )  # fmt: skip
        if output is None:
            return []
        commits = _followed(output.decode("utf-8", "replace"), mark, name)
        return [self._whole(one) if one.copied else one for one in commits]

    def _whole(self, commit: FileCommit) -> FileCommit:
        """A commit that copied a file, with all its lines: git says only what differs."""
        data = self.content(commit.commit, commit.name) or b""
        added = tuple(data.decode("utf-8", "replace").splitlines())
        return commit._replace(added=added, removed=())

    def deleted(self, revision: str) -> list[str]:
        """The files that a commit took away against its first parent, renamed ones among them."""
        output = self.git(
            "diff-tree", "-r", "--no-renames", "-m", "--first-parent", "--no-commit-id", "-z",
            "--name-only", "--diff-filter=D", revision,
        )  # fmt: skip
        return [] if output is None else [os.fsdecode(name) for name in output.split(b"\0") if name]

    def names(self, revision: str) -> list[str]:
        """The files that a commit holds."""
        output = self.git("ls-tree", "-r", "-z", "--name-only", "--full-tree", revision)
        return [] if output is None else [os.fsdecode(name) for name in output.split(b"\0") if name]

    def changed(self, revision: str) -> dict[str, list[int]]:
        """The files a commit changed against its first parent, with the numbers of added lines."""
        output = self.git(
            "diff-tree", "-r", "-M", "-w", "-p", "-U0", "--root", "-m", "--first-parent",
            "--no-commit-id", "--no-ext-diff", "--no-textconv", revision,
        )  # fmt: skip
        return {} if output is None else _numbers(output.decode("utf-8", "replace"))

    def staged(self) -> dict[str, list[int]]:
        """The same for what is staged."""
        against = self.resolve("HEAD")
        if against is None:  # no commit yet: the empty tree, whose hash depends on the repository
            against = (self.git("hash-object", "-t", "tree", "--stdin") or b"").decode().strip()
        output = self.git(
            "diff-index", "--cached", "-M", "-w", "-p", "-U0", "--no-ext-diff", "--no-textconv",
            against,
        )  # fmt: skip
        return {} if output is None else _numbers(output.decode("utf-8", "replace"))


def _blamed(text: str, *, shallow: bool) -> list[GitLine]:
    facts: dict[str, dict[str, str]] = {}
    lines: list[GitLine] = []
    commit = ""
    for row in text.split("\n"):
        if row.startswith("\t"):
            fact = facts[commit]
            at = float(fact.get("committer-time", "0"))
            oldest = shallow and "boundary" in fact
            author, subject = fact.get("author", ""), fact.get("summary", "")
            lines.append(GitLine(commit, at, author, subject, oldest, row[1:]))
            continue
        word, _, rest = row.partition(" ")
        if len(word) in (40, 64) and rest[:1].isdigit():
            commit = word
            facts.setdefault(commit, {})
        elif commit and word:
            facts[commit][word] = rest
    return lines


def _followed(text: str, mark: str, name: str) -> list[FileCommit]:
    commits: list[FileCommit] = []
    for piece in text.split(mark)[1:]:
        head, _, diff = piece.partition("\n")
        commit, at, *parents = head.split()
        added: list[str] = []
        removed: list[str] = []
        in_hunk, copied = False, ""
        for row in diff.split("\n"):
            if row.startswith("@@ "):
                in_hunk = True
            elif not in_hunk and row.startswith("copy from "):
                copied = _unquoted(row[len("copy from ") :])
            elif not in_hunk and row.startswith("copy to "):
                name = _unquoted(row[len("copy to ") :])
            elif row.startswith("diff --git "):
                in_hunk = False
            elif in_hunk and row.startswith("+"):
                added.append(row[1:])
            elif in_hunk and row.startswith("-"):
                removed.append(row[1:])
            elif row.startswith("rename from "):
                commits.append(
                    FileCommit(commit, float(at), _unquoted(row[len("rename from ") :]), (), ())
                )
            elif row.startswith(("+++ b/", "rename to ")):
                name = _unquoted(row.removeprefix("+++ b/").removeprefix("rename to "))
        commits.append(
            FileCommit(commit, float(at), name, tuple(added), tuple(removed), not parents, copied)
        )
        if copied:  # what follows is the other file's
            break
    commits.reverse()
    return sorted(commits, key=lambda one: one.at)


def _unquoted(name: str) -> str:
    name = name.removesuffix("\t")
    if name.startswith('"') and name.endswith('"'):  # control characters and quotes in a name
        return name[1:-1].encode("latin-1", "replace").decode("unicode_escape", "replace")
    return name


def _numbers(text: str) -> dict[str, list[int]]:
    files: dict[str, list[int]] = {}
    name = ""
    in_hunk = no_text = False
    number = 0
    for row in text.split("\n"):
        if row.startswith("diff --git "):
            in_hunk = no_text = False
        elif not in_hunk and row.endswith(_NO_TEXT):
            no_text = True
        elif no_text:
            continue
        elif row.startswith("@@ "):
            in_hunk = True
            number = int(row.split("+", 1)[1].split(" ", 1)[0].split(",")[0])
        elif not in_hunk and row.startswith("+++ "):
            name = _unquoted(row[4:]).removeprefix("b/")
        elif in_hunk and row.startswith("+"):
            files.setdefault(name, []).append(number)
            number += 1
    return files
