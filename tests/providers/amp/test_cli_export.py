"""Amp's own program asked: a stand-in for it, with a store of threads behind it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dejavu.model import Relation, UnreadableSessionError
from dejavu.providers import PROVIDERS, Home, Source
from dejavu.providers.amp.cli_export import AmpExport

ONE, TWO = (f"T-0000000{n}-0000-4000-8000-000000000000" for n in (1, 2))
STAND_IN = """#!{python}
import json, pathlib, sys, time
store = pathlib.Path({store!r})
words = sys.argv[1:]
with (store / "log").open("a") as log:
    log.write(" ".join(words) + "\\n")
mode = (store / "mode").read_text()
if mode == "slow":
    time.sleep(60)
if mode == "out":
    sys.exit("Error: you are logged out; run amp login")
known = dict(old=set(), plain=set(["--json"])).get(mode)
strange = [w for w in words if w.startswith("--") and known is not None and w not in known]
if strange:
    sys.exit(f"error: unknown option '{{strange[0]}}'\\nUsage: amp threads list")
threads = dict((p.stem, json.loads(p.read_text())) for p in sorted(store.glob("T-*.json")))
if words[:2] == ["threads", "list"] and "--json" in words:
    print(json.dumps([dict(id=k, updated=t.get("updatedAt")) for k, t in threads.items()]))
elif words[:2] == ["threads", "list"]:
    print("Title  Last Updated  Thread ID")
    print("\\n".join(f"A title  3h ago  {{k}}" for k in threads))
elif words[:2] == ["threads", "export"]:
    sys.stdout.write((store / f"{{words[2]}}.json").read_text())
"""


class Amp:
    """The stand-in and its store."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.program = root / "amp"
        self.program.write_text(STAND_IN.format(python=sys.executable, store=str(root)))
        self.program.chmod(0o700)
        self.mode("")

    def mode(self, mode: str) -> None:
        (self.root / "mode").write_text(mode)

    def put(self, native: str, updated: str, *prompts: str, **fields: Any) -> bytes:
        messages = [
            {"role": "user", "messageId": n, "content": [{"type": "text", "text": words}]}
            for n, words in enumerate(prompts)
        ]
        thread = {"id": native, "title": "T", "updatedAt": updated, "messages": messages, **fields}
        path = self.root / f"{native}.json"
        path.write_text(json.dumps(thread))
        return path.read_bytes()

    def asked(self, **given: Any) -> AmpExport:
        return AmpExport(str(self.program), **given)

    @property
    def log(self) -> list[str]:
        return (self.root / "log").read_text().splitlines()


@pytest.fixture
def amp(tmp_path: Path) -> Amp:
    return Amp(tmp_path / "amp")


def sources(provider: AmpExport, home: Path) -> dict[str | None, Source]:
    return {one.native_id: one for one in provider.discover(Home(home, {}))}


def test_threads_are_listed_and_given_byte_for_byte(amp: Amp, tmp_path: Path) -> None:
    raw = amp.put(ONE, "2026-11-01T10:00:00Z", "go")
    amp.put(TWO, "2026-11-02T10:00:00Z", "come")
    provider = amp.asked()
    found = sources(provider, tmp_path)
    assert list(found) == [ONE, TWO]
    (delta,) = provider.follow(found[ONE])
    assert delta.data == raw
    assert amp.log == [
        "threads list --json --include-archived --limit 10000",
        f"threads export {ONE}",
    ]
    assert list(provider.follow(found[ONE], delta.cursor)) == []


def test_only_what_changed_is_exported_again(amp: Amp, tmp_path: Path) -> None:
    amp.put(ONE, "2026-11-01T10:00:00Z", "go")
    provider = amp.asked()
    (delta,) = provider.follow(sources(provider, tmp_path)[ONE])
    amp.put(ONE, "2026-11-01T11:00:00Z", "go", "on")
    later = amp.asked()
    source = sources(later, tmp_path)[ONE]
    (again,) = later.follow(source, delta.cursor)
    assert again.reset
    parser = later.parser(source)
    parser.feed(again.data, 0)
    (update,) = parser.take()
    assert [turn.text for turn in update.turns] == ["go", "on"]


@pytest.mark.parametrize(("mode", "listings"), [("plain", 3), ("old", 4)])
def test_older_programs_are_asked_as_they_can_be(
    amp: Amp, tmp_path: Path, mode: str, listings: int
) -> None:
    amp.put(ONE, "2026-11-01T10:00:00Z", "go")
    amp.mode(mode)
    provider = amp.asked()
    found = sources(provider, tmp_path)
    assert list(found) == [ONE]
    assert len(amp.log) == listings
    assert list(provider.follow(found[ONE]))


def test_what_it_says_is_told_when_it_gives_nothing(amp: Amp, tmp_path: Path) -> None:
    amp.mode("out")
    with pytest.raises(UnreadableSessionError, match="you are logged out"):
        sources(amp.asked(), tmp_path)
    with pytest.raises(UnreadableSessionError, match="no program no-such-amp"):
        sources(AmpExport("no-such-amp"), tmp_path)
    amp.mode("")
    amp.put(ONE, "2026-11-01T10:00:00Z", "go")
    provider = amp.asked()
    source = sources(provider, tmp_path)[ONE]
    (amp.root / f"{ONE}.json").write_text('{"error": "gone"}')
    with pytest.raises(UnreadableSessionError, match="not an Amp thread"):
        list(provider.follow(source))


def test_it_waits_no_longer_than_its_budget(amp: Amp, tmp_path: Path) -> None:
    amp.mode("slow")
    with pytest.raises(UnreadableSessionError, match="no answer within"):
        sources(amp.asked(budget=0.2), tmp_path)
    with pytest.raises(UnreadableSessionError, match="the time for asking is over"):
        sources(amp.asked(budget=0.0), tmp_path)


def test_an_older_file_does_not_take_the_place_of_what_was_given(amp: Amp, tmp_path: Path) -> None:
    amp.put(ONE, "2036-11-01T10:00:00Z", "go", "on")
    provider = amp.asked()
    given = sources(provider, tmp_path)[ONE]
    (delta,) = provider.follow(given)
    folder = tmp_path / ".local" / "share" / "amp" / "threads"
    folder.mkdir(parents=True)
    (folder / f"{ONE}.json").write_text(json.dumps({"id": ONE, "messages": []}))
    files = PROVIDERS["amp"]
    (file,) = files.discover(Home(tmp_path, {}))
    assert file.key == given.key
    assert list(files.follow(file, delta.cursor)) == []
    assert list(files.follow(file))


def test_forks_and_handovers_name_their_origin(amp: Amp, tmp_path: Path) -> None:
    related = [{"threadID": TWO, "type": "handoff", "role": "child"}]
    amp.put(ONE, "2026-11-01T10:00:00Z", "go", relationships=related)
    amp.put(TWO, "2026-11-01T10:00:00Z", "go", originThreadID="T-x")
    provider = amp.asked()
    found = {}
    for native, source in sources(provider, tmp_path).items():
        parser = provider.parser(source)
        for delta in provider.follow(source):
            parser.feed(delta.data, delta.offset)
        (found[native],) = (update.conversation for update in parser.take())
    assert (found[ONE].relation, found[ONE].parent) == (Relation.RESUME, found[TWO].id)
    assert found[TWO].relation is Relation.FORK
