"""Try an upgrade of a person's archive: written by the program of an older commit, read by both.

Takes the commit's tree out of git into a temporary folder. That program imports a home of made-up
sessions and remembers a few sentences. Then the older program and this one answer the same queries
(`list`, `show`, `search`, `recall` as JSON), the older first. At last a session grows, and this
program follows it. Prints one JSON document: how many queries, which fields are new, what changed;
ends with 1 where a value changed that is not in `INTENDED`.

`python -m tests.drills.upgrade` runs it, and that of a team's archive.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OLD = "b463225c"
"""The program 1.0.0; of a team's archive, schema 5."""

_TOPICS = (
    ("/work/pond", "Why does the retry budget run dry under load?", "RetryBudget.tick is never called."),
    ("/work/pond", "Rename parse_line to read_line", "Renamed it in nine files."),
    ("/work/kiln", "The walrus test fails on Windows: WinError 32", "Close the handle before the rename."),
    ("/work/kiln", "Which port does the proxy use?", "It listens on 8443; see config/proxy.toml."),
    ("/srv/blog", "Übersetze die Seite ins Französische", "Fertig: docs/fr/index.md."),
    ("/srv/blog", "日本語の検索が遅い", "The tokenizer splits into single characters; use bigrams."),
)  # fmt: skip
_COPIES = 8  # conversations about each topic
_NOTES = ("The proxy listens on 8443.", "Never rename public functions without an alias.")
QUERIES: tuple[tuple[str, ...], ...] = (
    ("list", "--limit", "100"),
    ("list", "--workspace", "/work/pond"),
    ("list", "--agent", "codex"),
    *(
        ("search", words)
        for words in ("budget", "walrus WinError", '"port does"', "read_line", "Französische", "検索", "zebra")
    ),
    ("search", "proxy", "--workspace", "/work/kiln", "--limit", "3"),
    *(
        ("recall", words, "--limit", "40")
        for words in ("which port has the proxy", "rename a function", "zebra stripes")
    ),
)  # fmt: skip
"""Asked of both; `show` is asked for every conversation besides."""

INTENDED = {
    "recall.answer.hits": "what is near and unsure is shown as well, marked `sure: false`",
    "recall.answer.hits order": "the ranking was fitted again; nearly equal hits change places",
    "recall.answer.uncertain order": "the ranking was fitted again; nearly equal hits change places",
    "recall.answer.hits[].replaces": "an answer that differs in a number alone replaces none",
    "recall.answer.uncertain": "what is near and unsure is shown as well, marked `sure: false`",
    "recall.answer.hits[].score": "the ranking was fitted again; its scores have another scale",
    "recall.answer.uncertain[].score": "the ranking was fitted again; its scores have another scale",
}
"""By command and field: why this program gives another value on purpose."""


def unpacked(commit: str, folder: Path) -> Path:
    """Take a commit's program out of git into a new folder there; return that folder."""
    tree = folder / commit
    tree.mkdir()
    packed = subprocess.run(
        ["git", "archive", commit, "src", "archive", "capsule", "screen", "scrapers"],
        cwd=ROOT, capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    subprocess.run(["tar", "-x", "-C", str(tree)], input=packed.stdout, check=True, timeout=60)
    return tree


def write_home(home: Path, copies: int = _COPIES) -> None:
    """Write sessions of Claude Code and Codex as these programs keep them."""
    for number in range(len(_TOPICS) * copies):
        workspace, prompt, answer = _TOPICS[number % len(_TOPICS)]
        write = _claude if number % 3 else _codex
        write(home, number, workspace, f"{prompt} ({number})", answer)


def _at(number: int, second: int) -> str:
    return f"2026-10-{1 + number % 28:02}T{number % 24:02}:00:{second:02}.000Z"


def _name(number: int) -> str:
    return f"11111111-1111-4111-8111-{number:012}"


def claude_file(home: Path, number: int) -> Path:
    """Return where a session of Claude Code is."""
    workspace = _TOPICS[number % len(_TOPICS)][0].replace("/", "-")
    return home / ".claude" / "projects" / workspace / f"{_name(number)}.jsonl"


def _claude(home: Path, number: int, workspace: str, prompt: str, answer: str) -> None:
    common = {"sessionId": _name(number), "cwd": workspace, "version": "2.1.0"}
    usage = {"input_tokens": 100 + number, "output_tokens": 20}
    lines: list[dict[str, Any]] = []
    for turn in range(1 + number % 3):
        asked, said = f"u{number}-{turn}", f"a{number}-{turn}"
        message = {
            "id": f"m{number}-{turn}", "role": "assistant", "model": "opus", "usage": usage,
            "content": [{"type": "text", "text": f"{answer} {turn}"}],
        }  # fmt: skip
        lines += [
            {**common, "type": "user", "uuid": asked, "timestamp": _at(number, 2 * turn),
             "message": {"role": "user", "content": f"{prompt} {turn}"}},
            {**common, "type": "assistant", "uuid": said, "parentUuid": asked,
             "timestamp": _at(number, 2 * turn + 1), "message": message},
        ]  # fmt: skip
    _lines(claude_file(home, number), lines)


def _codex(home: Path, number: int, workspace: str, prompt: str, answer: str) -> None:
    def message(role: str, kind: str, text: str, second: int) -> dict[str, Any]:
        content = [{"type": kind, "text": text}]
        payload = {"type": "message", "role": role, "content": content}
        return {"timestamp": _at(number, second), "type": "response_item", "payload": payload}

    meta = {"id": _name(number), "timestamp": _at(number, 0), "cwd": workspace,
            "originator": "codex_cli_rs", "cli_version": "0.98.0"}  # fmt: skip
    lines = [
        {"timestamp": _at(number, 0), "type": "session_meta", "payload": meta},
        message("user", "input_text", prompt, 1),
        message("assistant", "output_text", answer, 2),
    ]
    folder = home / ".codex" / "sessions" / "2026" / "10" / f"{1 + number % 28:02}"
    _lines(folder / f"rollout-2026-10-01T00-00-00-{_name(number)}.jsonl", lines)


def _lines(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def run(tree: Path, home: Path, *arguments: str) -> tuple[int, str]:
    """Run `dejavu` of the package in `tree`; return its exit code and what it printed.

    Raises:
        RuntimeError: it failed; 3 (nothing found) is no failure.
    """
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": str(tree / "src"),
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", *arguments],
        env=env, cwd=home, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 3):
        raise RuntimeError(f"dejavu {' '.join(arguments)} of {tree.name}:\n{done.stderr[-2000:]}")
    return done.returncode, done.stdout


def answers(tree: Path, home: Path, ids: list[str]) -> dict[str, Any]:
    """Return what every query gives, by its words."""
    asked = [*QUERIES, *(("show", name) for name in ids)]
    found: dict[str, Any] = {}
    for query in asked:
        code, out = run(tree, home, *query, "--json")
        found[" ".join(query)] = {"exit": code, "answer": _rows(json.loads(out)) if out else None}
    return found


def _rows(document: Any) -> Any:
    """A list of the first release, which was bare, and one of today in the same form."""
    if isinstance(document, dict) and set(document) <= {
        "conversations",
        "sessions",
        "hits",
        "next",
    }:
        return next(value for value in document.values() if isinstance(value, list))
    return document


def differences(old: Any, new: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the place and the kind of each difference; a field that is new says `new`."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from ((f"{path}.{name}", "new") for name in new.keys() - old.keys())
        yield from ((f"{path}.{name}", "missing") for name in old.keys() - new.keys())
        for name in old.keys() & new.keys():
            yield from differences(old[name], new[name], f"{path}.{name}")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield path, f"{len(old)} rows, now {len(new)}"
        places, now = list(map(_place, old)), list(map(_place, new))
        if None not in places and {*places} <= {*now}:
            if places != [place for place in now if place in places]:
                yield f"{path} order", f"{places} is now {now}"
            new = [new[now.index(place)] for place in places]
        for one, other in zip(old, new, strict=False):
            yield from differences(one, other, f"{path}[]")
    elif old != new:
        yield path, f"{old!r:.120} is now {new!r:.120}"


def _place(row: Any) -> tuple[str, int] | None:
    """Where a hit is; None for what is none."""
    if isinstance(row, dict) and {"conversation", "seq"} <= row.keys():
        return row["conversation"], row["seq"]
    return None


def fill(tree: Path, home: Path, copies: int = _COPIES) -> list[str]:
    """Have a program import a new home and remember a few sentences; return the conversations' ids."""
    home.mkdir()
    write_home(home, copies)
    run(tree, home, "sync")
    for note in _NOTES:
        run(tree, home, "remember", note)
    listed = _rows(json.loads(run(tree, home, "list", "--limit", "100", "--json")[1]))
    return sorted(one["id"] for one in listed)


def grow(home: Path) -> None:
    """Append a prompt with the word `xylophone` to one session."""
    grown = claude_file(home, 1)
    line = json.loads(grown.read_text("utf-8").splitlines()[0])
    line |= {"uuid": "later", "timestamp": "2026-11-01T00:00:00.000Z"}
    line["message"] = {"role": "user", "content": "And the xylophone?"}
    with grown.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def compared(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return which fields are new, and what changed, with the reason where that was intended."""
    fields: set[str] = set()
    changed: dict[str, list[str]] = {}
    for query, old in before.items():
        for place, what in differences(old, after[query], query.split()[0]):
            if what == "new":
                fields.add(place)
            else:
                changed.setdefault(place, []).append(f"{query}: {what}")
    return {
        "new fields": sorted(fields),
        "intended": {place: INTENDED[place] for place in changed if place in INTENDED},
        "changed": {
            place: {"times": len(found), "first": found[0]}
            for place, found in sorted(changed.items()) if place not in INTENDED
        },
    }  # fmt: skip


def followed(home: Path) -> dict[str, int]:
    """Let a session grow and this program follow it: hits of its new word, and faults of the archive."""
    grow(home)
    run(ROOT, home, "sync")
    hits = json.loads(run(ROOT, home, "search", "xylophone", "--json")[1])["hits"]
    return {"followed": len(hits), "faults": run(ROOT, home, "verify", "--json")[0]}


def tried(commit: str, scratch: Path) -> dict[str, Any]:
    """Return the figures of one upgrade.

    Raises:
        RuntimeError: a program failed.
    """
    tree, home = unpacked(commit, scratch), scratch / "home"
    ids = fill(tree, home)
    before, after = answers(tree, home, ids), answers(ROOT, home, ids)
    figures = {"from": commit, "conversations": len(ids), "queries": len(before)}
    return {**figures, **compared(before, after), **followed(home)}


def is_failed(figures: dict[str, Any]) -> bool:
    """Whether an answer changed unintended, the archive is damaged or was not followed."""
    return bool(figures["changed"] or figures["faults"] or figures["followed"] != 1)
