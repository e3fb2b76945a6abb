"""Agent Trace records (RFC 0.1.0, January 2026): written from a blame, and others' read as evidence.

A record names files, in each the conversations, and of each the ranges of lines it wrote; lines
count from 1. Others' records are looked for in `.agent-trace/` at the top of a repository, as JSON or
JSON lines; they are data that someone wrote there: bounded, checked by shape, and evidence only.

Tested in: tests/extensions/code/test_blame.py
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import UUID

from dejavu.archive import Archive
from dejavu.model import NotFoundError
from dejavu.model.conversation import turn_name

from .blame import Blame, BlamedLine, blame_file
from .file_history import matching
from .git import Repository
from .hunk_prints import line_prints
from .index import EditIndex
from .text_lines import text_lines
from .why import why_of

VERSION = "0.1.0"
_FOLDER = ".agent-trace"
_LARGEST = 4 << 20  # bytes of a file of records
_MOST = 2_000  # records
_PATHS = 300  # files of a conversation
_MAPPED = 20  # revisions whose lines are mapped to today's
_VENDORS = (
    ("claude", "anthropic"), ("gpt", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"),
    ("codex", "openai"), ("gemini", "google"), ("kimi", "moonshotai"), ("qwen", "alibaba"),
    ("deepseek", "deepseek"), ("grok", "xai"), ("mistral", "mistral"), ("devstral", "mistral"),
    ("glm", "zhipuai"), ("minimax", "minimax"), ("llama", "llama"),
)  # fmt: skip


class Evidence(NamedTuple):
    """What another program's record says of a line."""

    tool: str
    model: str
    url: str
    contributor: str


def model_id(name: str) -> str:
    """A model's name as models.dev has it: `anthropic/claude-...`."""
    if not name or "/" in name:
        return name[:250]
    vendor = next((vendor for prefix, vendor in _VENDORS if name.lower().startswith(prefix)), "")
    return f"{vendor}/{name}"[:250] if vendor else name[:250]


def conversation_trace(archive: Archive, index: EditIndex, conversation: str) -> dict[str, Any]:
    """One record: the lines that are certainly a conversation's, in the files as they are now.

    Raises:
        NotFoundError: it edited no file that is still here.
    """
    record: dict[str, Any] | None = None
    paths = dict.fromkeys(edit.path for edit in index.edits_of(conversation))
    for path in list(paths)[:_PATHS]:
        try:
            blame = blame_file(index, Path(path))
        except NotFoundError:  # gone, or no text any more
            continue
        one = trace_record(archive, blame, conversation)
        if record is None:
            record = {**one, "files": []}
        record["files"] += [entry for entry in one["files"] if entry["conversations"]]
    if record is None:
        what = "none of the files it edited is here" if paths else "it edited no file"
        raise NotFoundError(f"there is no agent-trace of {conversation}: {what}")
    return record


def trace_record(archive: Archive, blame: Blame, only: str | None = None) -> dict[str, Any]:
    """One record: the lines of a file that are certainly agents', by conversation.

    only: leave out all other conversations.
    """
    groups: dict[tuple[str, int], list[BlamedLine]] = {}
    for line in blame.lines:
        edit = line.attribution.edit
        if edit is None or only not in (None, edit.conversation):
            continue
        if line.attribution.certain:
            groups.setdefault((edit.conversation, edit.seq), []).append(line)
    conversations: list[dict[str, Any]] = []
    for (conversation, seq), lines in groups.items():
        why = why_of(archive, conversation, seq)
        contributor: dict[str, Any] = {"type": "ai"}
        if why.model:
            contributor["model_id"] = model_id(why.model)
        conversations.append(
            {
                "url": f"dejavu://conversation/{turn_name(conversation, seq)}",
                "contributor": contributor,
                "ranges": [_range(stretch) for stretch in _stretches(lines)],
            }
        )
    path = blame.name or blame.path
    seed = json.dumps([path, blame.revision, conversations], sort_keys=True)
    latest = max(
        (
            line.attribution.edit.at or 0.0
            for line in blame.lines
            if line.attribution.edit is not None
        ),
        default=0.0,
    )
    record: dict[str, Any] = {
        "version": VERSION,
        "id": str(UUID(bytes=sha256(seed.encode()).digest()[:16], version=4)),
        "timestamp": datetime.fromtimestamp(latest, UTC).isoformat().replace("+00:00", "Z"),
        "tool": {"name": "dejavu"},
        "files": [{"path": path, "conversations": conversations}],
    }
    if blame.revision:
        record["vcs"] = {"type": "git", "revision": blame.revision}
    return record


def _stretches(lines: Iterable[BlamedLine]) -> Iterator[list[BlamedLine]]:
    stretch: list[BlamedLine] = []
    for line in lines:
        if stretch and line.number != stretch[-1].number + 1:
            yield stretch
            stretch = []
        stretch.append(line)
    if stretch:
        yield stretch


def _range(lines: list[BlamedLine]) -> dict[str, Any]:
    content = "\n".join(line.text for line in lines).encode("utf-8", "replace")
    return {
        "start_line": lines[0].number,
        "end_line": lines[-1].number,
        "content_hash": "sha256:" + sha256(content).hexdigest(),
    }


def evidence(blame: Blame) -> dict[int, Evidence]:
    """What records in the repository say of the lines of a file, by the line's number today."""
    if not blame.top:
        return {}
    repository = Repository(blame.top)
    prints = line_prints(line.text for line in blame.lines)
    told: dict[int, Evidence] = {}
    numbers: dict[str, dict[int, int]] = {}
    for record in _records(Path(blame.top) / _FOLDER):
        revision = _object(record.get("vcs")).get("revision")
        tool = _text(_object(record.get("tool")).get("name"))
        for entry in _objects(record.get("files")):
            if entry.get("path") not in (blame.name, *blame.previous):
                continue
            name = str(entry["path"])
            key = f"{revision}:{name}"
            if key not in numbers and len(numbers) < _MAPPED:
                numbers[key] = _mapped(repository, revision, name, prints)
            mapping = numbers.get(key, {})
            for conversation in _objects(entry.get("conversations")):
                for number, contributor in _ranges(conversation):
                    if number in mapping:
                        told[mapping[number]] = Evidence(
                            tool, _text(contributor.get("model_id")), _text(conversation.get("url")),
                            _text(contributor.get("type")) or "unknown",
                        )  # fmt: skip
    return told


def _ranges(conversation: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    for entry in _objects(conversation.get("ranges"))[:10_000]:
        start, end = entry.get("start_line"), entry.get("end_line")
        contributor = _object(entry.get("contributor")) or _object(conversation.get("contributor"))
        if isinstance(start, int) and isinstance(end, int) and 1 <= start <= end <= start + 100_000:
            for number in range(start, end + 1):
                yield number, contributor


def _mapped(
    repository: Repository, revision: object, name: str, prints: list[bytes]
) -> dict[int, int]:
    """The numbers of today's lines by those at a record's revision."""
    commit = repository.resolve(revision) if isinstance(revision, str) else None
    data = None if commit is None else repository.content(commit, name)
    if data is None:
        return {}
    try:
        before = line_prints(text_lines(data, name))
    except NotFoundError:  # binary at that time: it says nothing of lines
        return {}
    return {
        start + step + 1: target + step + 1
        for start, target, size in matching(before, prints)
        for step in range(size)
    }


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    try:
        if folder.is_symlink() or not folder.is_dir():
            return
        files = sorted(p for p in folder.iterdir() if p.suffix in (".json", ".jsonl"))[:200]
    except OSError:
        return
    count = 0
    for file in files:
        try:
            if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
                continue
            text = file.read_text("utf-8", "replace")
        except OSError:
            continue
        for row in text.split("\n") if file.suffix == ".jsonl" else [text]:
            try:
                parsed: Any = json.loads(row)
            except (ValueError, RecursionError):
                continue
            records = _objects(cast("object", parsed)) or [_object(cast("object", parsed))]
            for record in records:
                count += 1
                if count > _MOST:
                    return
                yield record


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return []
    return [one for item in cast("list[object]", value) if (one := _object(item))]


def _text(value: object) -> str:
    return value[:300] if isinstance(value, str) else ""
