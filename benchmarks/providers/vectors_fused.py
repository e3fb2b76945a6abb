"""A recording's traces through the real way into an archive, in several orders.

Takes a folder of the rig; gives the turns that the archive then holds: of the agent's own files
alone (`native`), and of every vector together (`fused`), as `sync`, `ingest`, the daemon, `wire`
and `otlp` would have kept them. Throw-away archives; nothing of the recording is changed.
"""

import base64
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.extensions.otlp.receiver import session_of
from dejavu.ingest.channel import Channel
from dejavu.ingest.ingestor import Ingestor
from dejavu.ingest.merge.arbitrate import merge_channel, merge_vectors
from dejavu.ingest.stream import ingest
from dejavu.ingest.sync import sync_homes
from dejavu.model import RawDelta, Turn, Vector
from dejavu.providers import STREAMS, Home, Kind, Source
from dejavu.providers.formats.otlp import agent_of, body_of
from dejavu.providers.formats.otlp import line as otlp_line
from dejavu.providers.formats.wire import Exchange
from dejavu.services.daemon.daemon import session_key
from dejavu.services.daemon.hook_ingest import HookIngestor, parse_events
from dejavu.services.daemon.spool import SpoolEntry

ORDERS = (
    ("native", "stream", "hook", "otlp", "wire"),
    ("wire", "otlp", "hook", "stream", "native"),
    ("hook", "wire", "native", "otlp", "stream"),
)


def push(archive: Archive, channel: Channel, data: bytes) -> set[str]:
    """Commit lines at the end of a source."""
    return Ingestor(archive).commit(
        channel, RawDelta(archive.sources.raw_length(channel.key), data)
    )


class Recording:
    """One folder of the rig."""

    def __init__(self, folder: Path, agent: str, truth: dict[str, Any]) -> None:
        self.folder, self.agent, self.truth = folder, agent, truth
        self._passed: tuple[Channel, set[str]] | None = None
        home = truth.get("env", {}).get("HOME")
        self.workspace = str(Path(home).parent / "project") if home else ""

    def into(self, archive: Archive, vector: str) -> None:
        """Let one vector tell what it saw."""
        getattr(self, f"_{vector}")(archive)

    def _native(self, archive: Archive) -> None:
        home = self.folder / "native"
        home = home / "HOME" if (home / "HOME").is_dir() else home
        sync_homes(archive, [Home(home, {}, "local")], agent=self.agent)

    def _stream(self, archive: Archive) -> None:
        for number, turn in enumerate(self.truth["turns"], 1):
            path = self.folder / f"stream-{number}.jsonl"
            if self.agent in STREAMS and path.is_file() and path.stat().st_size:
                ingest(
                    archive, self.agent, [path.read_bytes()], instance="local",
                    workspace=self.workspace, argv=turn.get("argv", ()), name=path.name,
                )  # fmt: skip

    def _hook(self, archive: Archive) -> None:
        paths = [*self.folder.glob("native/**/hooks.jsonl")]
        intake = HookIngestor(archive)
        for row in paths[0].read_bytes().splitlines() if paths else ():
            told = json.loads(row)
            payload = json.dumps(told["payload"]).encode()
            for event in parse_events(SpoolEntry(self.agent, told["t"], None, "local", payload)):
                if key := session_key(event):
                    agent, session, instance = key
                    intake.ingest(agent, session, instance, [event])

    def _otlp(self, archive: Archive) -> None:
        touched: dict[Channel, set[str]] = {}
        for kept in self._exports():
            export = body_of(json.loads(kept))
            agent = None if export is None else agent_of(export)
            if export is not None and agent == self.agent:
                name = f"otlp:{session_of(export)}"
                source = Source(agent, Path(name), "local", Kind.APPEND, name=name)
                feed = Channel(Vector.OTLP, source)
                touched.setdefault(feed, set()).update(
                    Ingestor(archive).commit(
                        feed, RawDelta(archive.sources.raw_length(feed.key), kept)
                    )
                )
        for feed, conversations in touched.items():
            merge_channel(archive, feed, conversations)

    def _exports(self) -> Iterator[bytes]:
        path = self.folder / "model" / "otlp.jsonl"
        for row in path.read_bytes().splitlines() if path.is_file() else ():
            told = json.loads(row)
            if told.get("path") not in ("/v1/logs", "/v1/traces"):
                continue
            at = float(told.get("t", self.truth["started"]))
            if "_raw" in told.get("body", ()):
                continue  # the rig's own note of what it could not read; the bytes stand beside it
            if "b64" in told:
                body, kind = base64.b64decode(told["b64"]), "application/x-protobuf"
            else:
                body, kind = json.dumps(told["body"]).encode(), "application/json"
            yield otlp_line(told["path"], body, kind, at)

    def settle(self, archive: Archive) -> None:
        """The proxy's last look, after the wrapper has ended."""
        if self._passed is not None:
            merge_channel(archive, *self._passed)

    def _wire(self, archive: Archive) -> None:
        path = self.folder / "model" / "wire.jsonl"
        source = Source(
            self.agent, Path("wire:run"), "local", Kind.APPEND, workspace=self.workspace,
            name="wire:run",
        )  # fmt: skip
        feed, touched = Channel(Vector.WIRE, source), set[str]()
        for row in path.read_bytes().splitlines() if path.is_file() else ():
            passed = json.loads(row)
            exchange = Exchange(passed["path"], passed["headers"].items(), passed["t0"])
            exchange.request(passed["request"].encode())
            exchange.status = passed["status"]
            exchange.response(passed["response"].encode())
            if line := exchange.line():
                touched |= Ingestor(archive).commit(
                    feed, RawDelta(archive.sources.raw_length(feed.key), line)
                )
        self._passed = feed, touched


def held(archive: Archive) -> list[Turn]:
    """The turns of all conversations that are nobody's sub-agent, in their order."""
    heads = [head for head in archive.scan() if head.parent is None]
    heads.sort(key=lambda head: head.started_at or 0.0)
    return [turn for head in heads for turn in archive.get(head.id).turns]


def through(recording: Recording, order: tuple[str, ...]) -> list[Turn]:
    """What the archive holds after these vectors told what they saw, in that order."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        Archive.open(Path(scratch) / "archive") as archive,
    ):
        for vector in order:
            recording.into(archive, vector)
        recording.settle(archive)
        for head in list(archive.scan()):
            merge_vectors(archive, head.id)
        return held(archive)


def native(folder: Path, agent: str, truth: dict[str, Any]) -> list[Turn]:
    """The agent's own files alone."""
    return through(Recording(folder, agent, truth), ("native",))


def fused(
    folder: Path, agent: str, truth: dict[str, Any], worst: Callable[[list[Turn]], tuple[int, ...]]
) -> list[Turn]:
    """Every vector, in the order that `worst` finds the most at fault with."""
    recording = Recording(folder, agent, truth)
    return max((through(recording, order) for order in ORDERS), key=worst)
