"""`dejavu export`: write one conversation to stdout, several or all into a folder.

Secrets are redacted, and stderr says how many of which kind, unless `--raw-secrets` is given.
`--format raw` is the agent's own bytes, unchanged, for programs that read them: nothing is redacted
there, and stderr says what is in them. Files are 0600; a file that we did not write is left alone
unless `--overwrite` is given. In a folder what changed is written again: pages say what they show
(`is_current`), for other files the folder's `.dejavu-export.json` does; both include the redaction
rules, so that a page of weaker rules is rebuilt. Costs O(conversations) + O(what changed).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from dejavu.archive import Archive
from dejavu.archive.access import open_archive, resolve
from dejavu.archive.derived import last_changes
from dejavu.archive.redactor import counting_redactor, rules_digest
from dejavu.config.files import naming, replace_file
from dejavu.config.paths import private_folder
from dejavu.export.html import HEAD_BYTES, as_html, as_index, fingerprint, is_current
from dejavu.export.otel import send
from dejavu.model import (
    ArchiveError,
    Conversation,
    CorruptArchiveError,
    InvalidValueError,
    NotFoundError,
)
from dejavu.model.plural import counted
from dejavu.model.turns_until import turns_until
from dejavu.redact import RedactedLines
from dejavu.redact.conversation import (
    OPENING,
    CountingRedactor,
    counted_kinds,
    marks,
    redact_conversation,
)

from ..command_line.output import json_text, print_note
from ..command_line.parameters import Argument, Option
from ..export_formats import Form, file_name, write
from ..filters import parse_time


class _Redaction:
    """What is done about secrets in one run of the command, and how much of it there was."""

    def __init__(self, form: Form, *, raw_secrets: bool) -> None:
        self._replaced: set[tuple[str, str]] = set()
        self._masked: set[tuple[str, str]] = set()
        """What was masked in the archive's raw before."""
        self._redactor: CountingRedactor = counting_redactor()
        self._titles: CountingRedactor = (
            counting_redactor()
        )  # what it replaces is counted in the page
        self._keeps = raw_secrets or form is Form.RAW
        self._form = form
        self.rules = "raw" if self._keeps else rules_digest()
        """Part of a file's fingerprint: files written with other rules are out of date."""

    def conversation(self, conversation: Conversation) -> Conversation:
        """Return a conversation as it may leave."""
        if self._keeps:
            return conversation
        clean = redact_conversation(conversation, self._redactor.redact)
        self._replaced |= _marks(clean) - _marks(conversation)
        return clean

    def summary(self, archive: Archive, summary: Conversation) -> Conversation:
        """Return a conversation without its turns, titled as its own page or file is.

        A title may be a line of a turn whose secret shows only there, so the first turns are read too.
        """
        if self._keeps:
            return summary
        try:
            opening = tuple(archive.turns(summary.id, 0, OPENING))
        except ArchiveError:  # damaged: it is named where it is exported
            opening = ()
        clean = redact_conversation(
            msgspec.structs.replace(summary, turns=opening), self._titles.redact
        )
        return msgspec.structs.replace(clean, turns=summary.turns)

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield what is written, unchanged; raw bytes are looked through on their way."""
        if self._form is not Form.RAW:
            yield from pieces
            return
        lines = RedactedLines(self._looked_through)
        for piece in pieces:
            lines.feed(piece.decode("utf-8", "replace"))
            yield piece
        lines.close()

    def _looked_through(self, text: str) -> str:
        self._masked |= set(marks(text))
        return self._redactor.redact(text)

    def report(self) -> None:
        """Say on stderr what was replaced, or what was not."""
        counts = Counter(kind for kind, _ in self._replaced)
        if self._form is Form.RAW:
            counts = self._redactor.counts
        total, kinds = counts.total(), counted_kinds(counts)
        secrets = counted(total, "secret")
        if self._form is Form.RAW:
            in_them = f"; {secrets} in them: {kinds}" if total else ""
            bytes_are = "raw is the agent's own bytes, nothing in them is redacted"
            if self._masked:
                masked = counted(len(self._masked), "secret")
                bytes_are = f"raw is the agent's own bytes, with {masked} masked in the archive"
            print_note(f"{bytes_are}{in_them}")
        elif self._keeps:
            print_note("secrets were not redacted (--raw-secrets)")
        elif total:
            print_note(f"{secrets} replaced: {kinds} (--raw-secrets keeps them)")


def _marks(conversation: Conversation) -> set[tuple[str, str]]:
    """The secrets that are marked in a conversation, each once."""
    return set(marks(msgspec.json.encode(conversation).decode("utf-8", "replace")))


def _write_file(path: Path, pieces: Iterable[bytes], overwrite: bool) -> bool:
    """Write a new file, 0600; return False where one exists and `overwrite` is not set."""
    if path.exists() and not overwrite:
        return False
    with naming(path):
        replace_file(path, pieces)
    return True


def _export_pages(archive: Archive, folder: Path, redaction: _Redaction) -> int:
    """Write a page for each conversation and an index; pages that are up to date are kept.

    Return how many conversations are damaged; each is named on stderr and left out.
    """
    whole_summaries, damaged = _summaries(archive)
    summaries = [redaction.summary(archive, summary) for summary in whole_summaries]
    revisions = last_changes(archive.log)
    written = 0
    unreadable: list[Conversation] = []
    for summary in summaries:
        path = folder / file_name(summary, Form.HTML)
        revision = f"{revisions.get(summary.id, 0)}-{redaction.rules}"
        if path.exists():
            with path.open("rb") as file:
                if is_current(file.read(HEAD_BYTES), summary, revision):
                    continue
        try:
            whole = redaction.conversation(archive.get(summary.id))
        except ArchiveError as error:
            unreadable.append(summary)
            _print_damaged(summary.id, error)
            continue
        page = as_html(whole, home="index.html", revision=revision)
        written += _write_file(path, (piece.encode() for piece in page), overwrite=True)
    summaries = [summary for summary in summaries if summary not in unreadable]
    index = as_index(summaries, lambda summary: file_name(summary, Form.HTML))
    _write_file(folder / "index.html", (piece.encode() for piece in index), overwrite=True)
    print_note(
        f"{written} pages written, {len(summaries) - written} up to date: {folder / 'index.html'}"
    )
    return damaged + len(unreadable)


def _export_files(
    archive: Archive,
    ids: list[str],
    form: Form,
    folder: Path,
    redaction: _Redaction,
    *,
    overwrite: bool,
) -> int:
    """Write a file for each of `ids`, or for every conversation where they are empty.

    What has no such format is named and left out. Return how many conversations are damaged; each is named
    on stderr and left out as well.
    """
    written = unchanged = others = 0
    summaries, damaged = (list(map(archive.summary, ids)), 0) if ids else _summaries(archive)
    revisions = last_changes(archive.log)
    fingerprints = _load_fingerprints(folder)
    try:
        for summary in summaries:
            path = folder / file_name(summary, form)
            revision = f"{revisions.get(summary.id, 0)}-{redaction.rules}"
            current_fingerprint = _fingerprint(archive, summary, form, revision)
            ours = path.exists() and path.name in fingerprints
            if ours and fingerprints[path.name] == current_fingerprint and not overwrite:
                unchanged += 1
                continue
            try:
                pieces = write(form, archive, redaction.conversation(archive.get(summary.id)))
                fresh = _write_file(path, redaction.pieces(pieces), overwrite or ours)
            except NotFoundError as error:
                print_note(f"left out: {error}")
                continue
            except ArchiveError as error:
                damaged += 1
                _print_damaged(summary.id, error)
                continue
            written, others = written + fresh, others + (not fresh)
            if fresh:
                fingerprints[path.name] = current_fingerprint
    finally:
        _write_file(folder / _FINGERPRINTS, [json_text(fingerprints).encode()], overwrite=True)
    outcome = f"{written} written, {unchanged} up to date: {folder}"
    print_note(outcome + (f"; {others} existing files not replaced" if others else ""))
    return damaged


def _summaries(archive: Archive) -> tuple[list[Conversation], int]:
    """Every conversation without its turns, and how many are damaged, which are named on stderr."""
    try:
        return list(archive.scan()), 0
    except CorruptArchiveError:
        summaries, damaged = list[Conversation](), 0
    # A scan ends at the first that is damaged: read each one separately.
    for identity in last_changes(archive.log):
        try:
            summaries.append(archive.summary(identity))
        except NotFoundError:
            continue  # pruned
        except ArchiveError as error:
            damaged += 1
            _print_damaged(identity, error)
    return summaries, damaged


def _print_damaged(identity: str, error: ArchiveError) -> None:
    print_note(f"not exported: {identity}: {error}")


def _fingerprint(archive: Archive, summary: Conversation, form: Form, revision: str) -> str:
    """What a file of a conversation holds; agents append lines that change no turn."""
    length = (
        sum(map(archive.sources.raw_length, archive.sources.of(summary.id)))
        if form is Form.RAW
        else 0
    )
    return f"{fingerprint(summary, revision)}-{length}"


def _load_fingerprints(folder: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode((folder / _FINGERPRINTS).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError):
        return {}


_FINGERPRINTS = ".dejavu-export.json"
_ENDINGS = ("md", "json", "jsonl", "html")


def command(
    conversation_ids: Annotated[
        list[str] | None,
        Argument(
            metavar="ID",
            help="Ids or unique prefixes, or `last`, `last~1` ... Several go into the folder -o.",
            complete="conversations",
        ),
    ] = None,
    form: Annotated[
        Form | None,
        Option(
            "--format",
            "-f",
            help="The format; `dejavu import` reads json, jsonl and atif (default: as -o ends, or md).",
        ),
    ] = None,
    every: Annotated[bool, Option("--all", help="Every conversation, into the folder -o.")] = False,
    output: Annotated[
        Path | None, Option("--output", "-o", help="The file, or the folder for several.")
    ] = None,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace existing files.")] = False,
    endpoint: Annotated[
        str | None, Option("--endpoint", help="Send otel to this OTLP/HTTP URL instead.")
    ] = None,
    at: Annotated[
        str | None,
        Option("--at", metavar="WHEN", help="Leave out what came later: 2d, 2026-11-21."),
    ] = None,
    raw_secrets: Annotated[bool, Option("--raw-secrets", help="Do not redact secrets.")] = False,
) -> int:
    """Write conversations to files or stdout."""
    if every == bool(conversation_ids):
        raise InvalidValueError("name conversations, or give --all")
    several = every or len(set(conversation_ids or ())) > 1
    form = form or _form_of(output, several=several)
    if endpoint is not None and form is not Form.OTEL:
        raise InvalidValueError("--endpoint goes with --format otel")
    if at is not None and (several or endpoint is not None or form in (Form.RAW, Form.AGENT_TRACE)):
        raise InvalidValueError("--at goes with one conversation and a format made of its turns")
    code = 0
    redaction = _Redaction(form, raw_secrets=raw_secrets)
    with open_archive() as archive:
        ids = list(dict.fromkeys(resolve(archive, name) for name in conversation_ids or ()))
        if endpoint is not None:
            _send(archive, endpoint, ids, redaction)
        elif not several:
            whole = archive.get(ids[0])
            if at is not None:
                whole = _as_at(whole, at)
            pieces = redaction.pieces(write(form, archive, redaction.conversation(whole)))
            _write_one(output, pieces, overwrite)
        elif output is None:
            raise InvalidValueError("several conversations need a folder: -o DIR")
        else:
            if output.exists() and not output.is_dir():
                raise InvalidValueError(f"{output} is a file, not a folder")
            private_folder(output)
            damaged = (
                _export_pages(archive, output, redaction)
                if form is Form.HTML and every
                else _export_files(archive, ids, form, output, redaction, overwrite=overwrite)
            )
            code = 4 if damaged else 0
    redaction.report()
    return code


def _write_one(output: Path | None, pieces: Iterable[bytes], overwrite: bool) -> None:
    """Write one conversation to its file, or to stdout.

    Raises:
        InvalidValueError: there can be no such file, or it is there.
    """
    if output is None:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
    elif output.is_dir():
        raise InvalidValueError(f"{output} is a folder: name a file in it, or give --all")
    elif not output.parent.is_dir():
        raise InvalidValueError(f"{output.parent}: no such folder")
    elif not _write_file(output, pieces, overwrite):
        raise InvalidValueError(f"{output} exists; --overwrite replaces it")


def _form_of(output: Path | None, *, several: bool) -> Form:
    """The format that a file's ending names; Markdown for a folder, for no ending and for .txt.

    Raises:
        InvalidValueError: the ending names none, or a file's name is given for several.
    """
    ending = "" if output is None else output.suffix.removeprefix(".").lower()
    if output is None or output.is_dir():
        return Form.MD
    if several and ending in _ENDINGS:
        raise InvalidValueError(
            f"several conversations go into a folder: -o DIR -f {ending} ({output} names a file)"
        )
    if several or ending in ("", "txt"):
        return Form.MD
    if ending not in _ENDINGS:
        known = ", ".join(f".{one}" for one in _ENDINGS)
        raise InvalidValueError(
            f"{output}: no format ends in .{ending}; use {known}, or name it by -f"
        )
    return Form(ending)


def _as_at(whole: Conversation, when: str) -> Conversation:
    """The conversation as it was at a moment: its turns until then.

    Raises:
        NotFoundError: it had not begun.
    """
    at = parse_time(when)
    turns = tuple(turns_until(whole.turns, whole.started_at, at))
    if not turns:
        raise NotFoundError(f"{whole.id} had not begun then")
    return msgspec.structs.replace(whole, turns=turns, ended_at=turns[-1].at or at)


def _send(archive: Archive, endpoint: str, ids: list[str], redaction: _Redaction) -> None:
    """Send the spans of conversations, or of all where `ids` is empty, to an OTLP endpoint."""
    ids = ids or [summary.id for summary in archive.scan()]
    sent = sum(send(redaction.conversation(archive.get(identity)), endpoint) for identity in ids)
    print_note(f"{sent} spans of {len(ids)} conversations sent to {endpoint}")
