"""`dejavu-run` as a process: what the agent and its caller see, and what is kept."""

import json
import os
import shlex
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dejavu.interfaces.cli.replay import read_through
from dejavu.scrapers.packs import built_in_texts

STREAM_FILES = Path(__file__).parents[1] / "factories/data/streams"
RUN = [sys.executable, "-m", "dejavu.interfaces.run"]


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*RUN, *arguments], capture_output=True, timeout=120, **options)


def dejavu(*arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", *arguments, "--json"],
        capture_output=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def agent(folder: Path, name: str, script: str) -> str:
    """A program called like an agent."""
    path = folder / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 0", 0), ("exit 7", 7), ("exit 143", 143), ("kill -9 $$", -9), ("kill -TERM $$", -15)],
)
def test_the_end_is_the_agents(home: Path, script: str, code: int) -> None:
    assert run("sh", "-c", script).returncode == code


def test_a_pipe_stays_a_pipe_and_bytes_stay_bytes(home: Path) -> None:
    done = run(
        "--", "sh", "-c", "[ -t 1 ] && echo tty; cat; printf 'err' >&2", input=b"\x00\xff\r\n"
    )
    assert done.stdout == b"\x00\xff\r\n"
    assert done.stderr.startswith(b"err")


def test_options_behind_the_agent_are_the_agents(home: Path) -> None:
    assert run("sh", "-c", 'echo "$@"', "x", "--screen", "--json").stdout == b"--screen --json\n"


def test_a_missing_agent_is_127_with_a_hint(home: Path) -> None:
    done = run("codex-that-is-not-here")
    assert (done.returncode, done.stdout) == (127, b"")
    assert b"not found" in done.stderr
    hinted = run("claude", env={**os.environ, "PATH": "/nonexistent"})
    assert hinted.returncode == 127
    assert b"npm install -g @anthropic-ai/claude-code" in hinted.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["--wrong", "sh"], ["--size", "x", "sh"], ["--size", "0x5", "sh"],
        ["--name", "../../evil", "sh"], ["--name", "", "sh"], ["--name", "a\x1b[2J", "sh"],
        ["--name", "-x", "sh"], ["--agent", "../../x", "sh"], ["--name", "n" * 65, "sh"],
    ],
)  # fmt: skip
def test_usage_errors_are_2(home: Path, arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_name_that_is_taken_gets_a_number(home: Path) -> None:
    inner = [*RUN, "--name", "blue", "sh", "-c", "exit 0"]
    command = " ".join(shlex.quote(word) for word in inner)
    done = run("--name", "blue", "sh", "-c", f"unset DEJAVU_SESSION; {command}")
    assert b"this one is called blue-2" in done.stderr
    assert {row["name"] for row in dejavu("status")["sessions"]} == {"blue", "blue-2"}
    # Nobody runs any more: the name is free again.
    assert b"is called" not in run("--name", "blue", "sh", "-c", "exit 0").stderr


def test_help_and_version(home: Path) -> None:
    assert b"--screen" in run("--help").stdout
    assert run("--version").stdout.startswith(b"dejavu-run ")


def test_the_agent_knows_its_session_and_is_not_wrapped_twice(home: Path) -> None:
    inner = " ".join(RUN)
    done = run("sh", "-c", f"echo $DEJAVU_SESSION; {inner} sh -c 'echo inner; exit 5'")
    session, inner_line = done.stdout.decode().split()
    assert (inner_line, done.returncode) == ("inner", 5)
    assert b"already inside session" in done.stderr
    assert [row["session"] for row in dejavu("status")["sessions"]] == [session]


def test_starting_an_agent_loads_nothing_heavy() -> None:
    code = """
import sys, dejavu.interfaces.run, dejavu.sessions.wrapped_session
import dejavu.capsule.session, dejavu.capsule.pty
heavy = "typer rich textual lmdb msgspec tantivy pyte msgpack regex"
print([name for name in heavy.split() if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


def test_the_demo_is_captured_from_its_screen(home: Path) -> None:
    done = run(
        "--screen", "--headless", "--size", "100x30", "--name", "show", "demo", "--speed", "6"
    )
    assert done.returncode == 0
    assert b"this scripted session was kept in" in done.stderr
    (head,) = dejavu("list")["conversations"]
    assert (head["agent"], head["vectors"]) == ("demo", ["screen"])
    prompts = [
        t["parts"][0]["content"] for t in dejavu("show", head["id"])["turns"] if t["role"] == "user"
    ]
    assert prompts == [
        "Why does the retry test fail only on Mondays?",
        "Do the second one, and show me that it passes.",
        "Grüße! Please say it once in 日本語 for the changelog.",
    ]
    status = dejavu("status", "show")
    assert (status["state"], status["exit_status"], status["kept"]) == ("exited", 0, "screen")
    assert status["conversation"] == head["id"]


def test_without_capture_the_agent_just_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEJAVU_CAPTURE", "off")
    done = run("--headless", "--", "sh", "-c", "echo hello; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"hello\n", b"")
    assert not (home / ".local").exists()


def test_a_short_run_without_a_prompt_ends_as_quietly_as_bare(home: Path) -> None:
    done = run("--headless", "--", "sh", "-c", "echo hello")
    assert done.returncode == 0
    assert done.stderr == b""
    assert (
        not (home / ".local/share/dejavu/archive/data.mdb").exists()
        or dejavu("list")["conversations"] == []
    )


def test_a_stream_on_stdout_is_captured_while_it_passes(home: Path, tmp_path: Path) -> None:
    rows = [
        {"type": "system", "subtype": "init", "session_id": "s-9", "cwd": "/w"},
        {
            "type": "assistant",
            "session_id": "s-9",
            "message": {
                "id": "m",
                "role": "assistant",
                "content": [{"type": "text", "text": "42"}],
            },
        },
        {"type": "result", "subtype": "success", "session_id": "s-9", "result": "42"},
    ]
    stream = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "out").write_text(stream)
    claude = agent(tmp_path, "claude", f"cat {tmp_path}/out")
    done = run(claude, "-p", "the answer?", "--output-format", "stream-json", "--verbose")
    assert done.stdout.decode() == stream
    (head,) = dejavu("list")["conversations"]
    assert (head["native_id"], head["vectors"]) == ("s-9", ["stream"])
    texts = [turn["parts"][0]["content"] for turn in dejavu("show", head["id"])["turns"]]
    assert texts == ["the answer?", "42"]


@pytest.mark.parametrize("name", ["claude-tool", "codex-tool", "gemini-think"])
def test_a_headless_stream_keeps_its_bytes_and_spans(home: Path, tmp_path: Path, name: str) -> None:
    stream = (STREAM_FILES / f"{name}.jsonl").read_bytes()
    (tmp_path / "out").write_bytes(stream)
    program = agent(tmp_path, name.partition("-")[0], f"cat {tmp_path}/out")
    assert run(program).stdout == stream
    (head,) = dejavu("list")["conversations"]
    assert head["vectors"] == ["stream"]
    export = [sys.executable, "-m", "dejavu.interfaces.cli", "export", "-f", "raw", head["id"]]
    raw = subprocess.run(export, capture_output=True, timeout=60, check=True).stdout
    assert raw == stream
    turns = dejavu("show", head["id"], "--provenance")["turns"]
    spans = [span for turn in turns for span in turn["spans"]]
    assert spans
    for offset, length in spans:  # of one record, or of several in a row
        assert all(json.loads(line) for line in raw[offset : offset + length].splitlines())


def test_a_recording_can_be_replayed(home: Path, tmp_path: Path) -> None:
    cast = tmp_path / "x.cast"
    done = run(
        "--headless",
        "--size",
        "50x8",
        "--record",
        str(cast),
        "--",
        "sh",
        "-c",
        "printf 'a\\033[1mb\\377'",
    )
    assert done.returncode == 0
    assert cast.stat().st_mode & 0o777 == 0o600
    reader = read_through(cast, "auto", None)
    assert (reader.terminal.columns, reader.terminal.lines) == (50, 8)
    assert reader.terminal.snapshot().rows[0].startswith("ab")


def test_a_recording_never_overwrites(home: Path, tmp_path: Path) -> None:
    cast = tmp_path / "x.cast"
    cast.write_text("mine")
    done = run("--headless", "--record", str(cast), "--", "sh", "-c", "exit 3")
    assert done.returncode == 3
    assert cast.read_text() == "mine"
    assert b"not recorded" in done.stderr


def test_a_state_folder_that_cannot_be_made_does_not_stop_the_agent(
    home: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    env = {**os.environ, "DEJAVU_STATE_HOME": str(blocked / "state")}
    done = run("sh", "-c", "echo fine; exit 4", env=env)
    assert (done.returncode, done.stdout) == (4, b"fine\n")
    assert b"nothing is captured" in done.stderr


def test_arguments_folders_and_environment_are_bytes(home: Path) -> None:
    folder = os.fsencode(home) + b"/\xff"
    os.mkdir(folder)  # noqa: PTH102 - pathlib takes no bytes
    record = home / "session.cast"
    script = b'printf "%s\\n" "$1" "$ODD"; pwd'
    done = subprocess.run(
        [*RUN, "--headless", "--record", str(record), "sh", "-c", script, "caf\udce9", b"caf\xe9"],
        capture_output=True,
        timeout=120,
        cwd=folder,
        env={**os.environb, b"ODD": b"x\xfe"},
    )
    assert done.stdout.split() == [b"caf\xe9", b"x\xfe", folder]
    status = dejavu("status", "--all")["sessions"][0]
    assert (status["workspace"], status["state"]) == (os.fsdecode(folder), "exited")
    (file,) = home.rglob("session.json")
    assert json.loads(file.read_bytes())["argv"][-1] == "caf\udce9"
    assert (
        read_through(record, "auto", None)
        .terminal.snapshot()
        .rows[0]
        .startswith("caf\N{REPLACEMENT CHARACTER}")
    )


@pytest.mark.fault("1.1")
def test_a_program_of_odd_bytes_is_recorded(home: Path) -> None:
    program = os.fsencode(home) + b"/caf\xe9"
    Path(os.fsdecode(program)).symlink_to("/bin/echo")
    record = home / "session.cast"
    done = subprocess.run(
        [*RUN, "--headless", "--record", str(record), program, "hi"],
        capture_output=True,
        timeout=120,
    )
    assert done.stdout == b"hi\r\n"
    header = json.loads(record.read_bytes().splitlines()[0])
    assert header["title"] == "caf\udce9"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("options", ["", "--headless"])
@pytest.mark.fault("1.1")
def test_closed_descriptors_do_not_keep_the_agent(home: Path, closed: str, options: str) -> None:
    command = f"{' '.join(RUN)} {options} sh -c 'echo here > {home}/ran; exit 4' {closed}"
    assert subprocess.run(["sh", "-c", command], timeout=120, check=False).returncode == 4
    assert (home / "ran").read_text() == "here\n"


def test_a_folder_that_is_gone_is_no_reason(home: Path) -> None:
    command = f"mkdir gone; cd gone; rmdir ../gone; {' '.join(RUN)} echo here"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=120, cwd=home)
    assert (done.returncode, done.stdout) == (0, b"here\n")


BROKEN = {
    "an import": "sys.modules['dejavu.capsule'] = None",
    "a name": "import dejavu.providers.registry as m; m.agent_of = fail",
    "the session": "import dejavu.sessions.wrapped_session as m; m.WrappedSession = fail",
    "the ends": "import dejavu.capsule.session as m; m.open_io = fail",
}


def _broken(fault: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    program = f"""
import sys
def fail(*_, **__): raise RuntimeError("a fault of ours")
{fault}
from dejavu.interfaces.run import main
main()
"""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, timeout=120
    )


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN.keys())
def test_our_own_fault_runs_the_agent_unwrapped(home: Path, fault: str) -> None:
    done = _broken(fault, "--headless", "sh", "-c", "echo once; trap - PIPE; kill -PIPE $$")
    assert (done.returncode, done.stdout) == (-13, b"once\n")
    assert done.stderr.startswith(b"dejavu-run: nothing is captured, ")
    assert done.stderr.count(b"\n") == 1


def test_our_own_fault_and_a_missing_agent_are_127(home: Path) -> None:
    done = _broken(BROKEN["an import"], "agent-that-is-not-here")
    assert (done.returncode, done.stdout) == (127, b"")
    assert b"cannot start 'agent-that-is-not-here'" in done.stderr


def test_a_fault_after_the_start_does_not_start_the_agent_again(home: Path) -> None:
    fault = "import dejavu.capsule.session as m; m.Session._begin = fail"
    done = _broken(fault, "sh", "-c", f"echo once >> {home}/ran; sleep 0.2; exit 7")
    assert done.returncode == 7
    assert b"a fault of ours" in done.stderr
    for _ in range(100):
        if (home / "ran").exists():
            break
        time.sleep(0.05)
    assert (home / "ran").read_text() == "once\n"


@pytest.mark.parametrize(
    ("script", "code"), [("echo x", 1), ("seq 100000; true", 1), ("echo x; exit 3", 3)]
)
def test_output_that_a_full_disk_did_not_take_is_a_failure(
    home: Path, script: str, code: int
) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "dejavu.interfaces.run", "sh", "-c", script]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == code
    assert b"not all of the output could be written: No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [("cluade", 2, "did you mean 'claude'?"), ("nobody-knows-it", 2, "lists those known"),
     ("Claude", 0, ""), ("mine", 0, "")],
)  # fmt: skip
def test_an_agent_that_nobody_knows_is_refused(home: Path, name: str, code: int, said: str) -> None:
    packs = home / ".config/dejavu/packs"
    packs.mkdir(parents=True)
    (packs / "mine.toml").write_text(built_in_texts()["demo.toml"].replace('"demo"', '"mine"'))
    done = run("--agent", name, "true")
    assert done.returncode == code
    assert said.encode() in done.stderr
