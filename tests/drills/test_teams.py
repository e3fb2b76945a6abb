"""A team as its members meet it: two homes, one database, nobody's password on any screen."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.factories.waiting import until
from tests.postgres import PASSWORD, Missing, Server

SESSION = "0f0f0f0f-1111-4222-8333-444444444444"


class Member:
    """Someone with a home of their own and the team's URL."""

    def __init__(self, home: Path, url: str) -> None:
        home.mkdir()
        self.home = home
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self._backend = {
            **kept, "HOME": str(home), "LOGNAME": home.name, "DEJAVU_ARCHIVE": url,
        }  # fmt: skip
        self.said: list[str] = []
        self.prompts = 0

    def talk(self, *prompts: str) -> None:
        """Hold a session with Claude Code, as its own file has it."""
        folder = self.home / ".claude" / "projects" / "-work"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{SESSION}.jsonl").open("a") as file:
            for n, prompt in enumerate(prompts, self.prompts):
                line = {
                    "type": "user", "uuid": f"{n}", "sessionId": SESSION, "cwd": "/work",
                    "timestamp": f"2026-01-02T03:04:{n:02}Z", "version": "2.1.0",
                    "message": {"role": "user", "content": prompt},
                }  # fmt: skip
                file.write(json.dumps(line) + "\n")
        self.prompts += len(prompts)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Begin a command."""
        return subprocess.Popen(
            [sys.executable, "-m", "dejavu.interfaces.cli", *arguments],
            env=self._backend, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def end(self, command: "subprocess.Popen[str]", code: int = 0) -> str:
        """Wait for a command; gives what it said."""
        said, _ = command.communicate(timeout=120)
        self.said.append(said)
        assert command.returncode == code, said
        return said

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run a command; gives what it said."""
        return self.end(self.start(*arguments), code)


@pytest.fixture
def team(server: Server, tmp_path: Path) -> tuple[Member, Member]:
    url = server.url(schema=server.new_schema(), password=PASSWORD)
    return Member(tmp_path / "ann", url), Member(tmp_path / "bob", url)


def test_two_share_one_archive(team: tuple[Member, Member], tmp_path: Path) -> None:
    """The same session on two machines is two; one prunes, the other's stay; a copy brings back."""
    ann, bob = team
    ann.talk("how does the walrus sleep?")
    bob.talk("how does the walrus sleep?", "and the penguin?")
    assert "no archive at postgresql://keeper@127.0.0.1" in ann.run("list")
    assert "none yet" in ann.run("doctor", "--all")
    for member, command in [(one, one.start("sync")) for one in team]:
        member.end(command)
    listed = json.loads(ann.run("list", "--json"))["conversations"]
    assert {one["native_id"] for one in listed} == {SESSION}
    instances = {one["instance"].split("@")[0]: one for one in listed}
    assert {name: one["turn_count"] for name, one in instances.items()} == {"ann": 1, "bob": 2}
    for member in team:
        hits = json.loads(member.run("search", "walrus", "--json"))["hits"]
        assert {hit["conversation"] for hit in hits} == {one["id"] for one in listed}
        assert "penguin" in member.run("show", instances["bob"]["id"])
    bob.run("remember", "walruses sleep in the water")
    assert "walruses sleep" in ann.run("recall", "where do walruses sleep")
    assert "MiB free on this machine" in ann.run("doctor", "--all")
    ann.run("backup", str(tmp_path / "copy"))
    bob.run("prune", "--instance", instances["bob"]["instance"], "--yes")
    assert "nothing found" in ann.run("search", "penguin", code=3)
    assert [one["id"] for one in json.loads(ann.run("list", "--json"))["conversations"]] == [
        instances["ann"]["id"]
    ]
    assert "0 conversations" in bob.run("sync")
    assert "dejavu_records_replaced_" in ann.run("restore", str(tmp_path / "copy"))
    bob.talk("and the seal?")
    assert "1 conversation" in bob.run("sync")
    assert "seal" in ann.run("show", instances["bob"]["id"])
    secret = PASSWORD.split()[0]
    assert not [said for member in team for said in member.said if secret in said]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in written if PASSWORD.encode() in path.read_bytes()]


def test_a_database_that_is_away_is_told_and_nothing_breaks(tmp_path: Path) -> None:
    ann = Member(tmp_path / "ann", "postgresql://ann:s3cret@127.0.0.1:1/x")
    ann.talk("anybody there?")
    for command in ("sync", "search x"):
        said = ann.run(*command.split(), code=4)
        assert "postgresql://ann@127.0.0.1:1/x cannot be reached" in said
    assert "cannot be reached" in ann.run("doctor", code=1)
    assert "s3cret" not in "".join(ann.said)
    [fix] = [one for one in ann.run("doctor", code=1).split("\n") if "try again when" in one]
    assert "restore" not in fix


def test_a_watch_outlives_an_outage(tmp_path: Path) -> None:
    """The server is killed for longer than a command waits; what was said meanwhile is archived."""
    try:
        server = Server()
    except Missing as why:
        pytest.skip(str(why))
    try:
        ann = Member(tmp_path / "ann", server.url())
        ann.talk("before the outage")
        watch = ann.start("sync", "--watch")
        try:
            until(lambda: "turn_count" in ann.run("list", "--json"))
            server.kill()
            ann.talk("during the outage")
            deadline = time.monotonic() + 16  # past the ten seconds that a command tries again
            while time.monotonic() < deadline:
                assert watch.poll() is None
                time.sleep(0.5)
            server.start()
            until(
                lambda: json.loads(ann.run("list", "--json"))["conversations"][0]["turn_count"] == 2
            )
        finally:
            watch.terminate()
            said, _ = watch.communicate(timeout=60)
        assert "tries again in" in said
    finally:
        server.stop()
