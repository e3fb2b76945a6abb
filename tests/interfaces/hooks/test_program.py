"""No hook waits longer than it may, whoever holds the archive's lock."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dejavu.interfaces.doctor.installation import hook_limit
from dejavu.interfaces.hooks import program
from dejavu.model import Conversation

SOURCE = Path(program.__file__).parents[3]
PROMPT = "why does the retry_budget tick run dry?"
NONCE = re.compile(r"[0-9a-f]{32}")
HOLD = """
import sys, lmdb
env = lmdb.open(sys.argv[1], max_dbs=64, map_size=1 << 30)
with env.begin(write=True):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def foreign_writer(archived: list[Conversation], home: Path) -> Iterator[None]:
    """Another process in LMDB's own write transaction: its lock is waited for in C."""
    root = home / ".local/share/dejavu/archive"
    command = [sys.executable, "-c", HOLD, str(root)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        yield
        child.kill()


PAYLOADS: dict[str, dict[str, Any]] = {
    "inject": {"session_id": "s", "cwd": "/work/retry", "hook_event_name": "UserPromptSubmit",
               "prompt": "why does the retry_budget tick run dry?"},
    "assist": {"session_id": "s", "cwd": "/work/retry", "hook_event_name": "PreToolUse",
               "tool_name": "Bash", "tool_input": {"command": "pytest tests/retry"}},
    "guard": {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash",
              "tool_input": {"command": "ls"}, "tool_response": {"stdout": "fine"}},
    "capture": {"session_id": "s", "hook_event_name": "Stop"},
}  # fmt: skip


@pytest.mark.usefixtures("foreign_writer")
@pytest.mark.parametrize("verb", PAYLOADS)
def test_a_foreign_writer_is_not_waited_for(verb: str, home: Path) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", "hook", verb, "--agent", "claude"],
        input=json.dumps(PAYLOADS[verb]), capture_output=True, text=True, timeout=60,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "DEJAVU_HOOK_LIMIT": "2"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - began < 5  # the interpreter's start is not in it


def test_the_wait_is_ended_in_c_too(tmp_path: Path) -> None:
    """A lock of the kernel's that releases no signal to Python."""
    code = "import _thread; from dejavu.interfaces.hooks.program import end_after\n"
    code += "lock = _thread.allocate_lock(); lock.acquire(); end_after(.2, lambda: print('last', flush=True))\n"
    code += "import ctypes; ctypes.CDLL(None).sleep(30)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout) == (0, "last\n")


@pytest.mark.parametrize("text", ["abc", "", "-1", "0", "nan", "inf", "1,5"])
def test_a_limit_that_is_none_is_the_default_and_doctor_says_so(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEJAVU_HOOK_LIMIT", text)
    assert program.seconds(1.5) == 1.5
    assert [finding.severity.name for finding in hook_limit()] == ["ERROR"] * bool(text)
    monkeypatch.setenv("DEJAVU_HOOK_LIMIT", "2.5")
    assert program.seconds(1.5) == 2.5
    assert not list(hook_limit())


def test_only_the_launchers_process_ends_at_once() -> None:
    code = "from dejavu.interfaces.hooks import program; program.leave(); print('still here')"
    path = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); "
    ends = subprocess.run(
        [sys.executable, "-IS", "-c", path + code], capture_output=True, check=True
    )
    stays = subprocess.run(
        [sys.executable, "-I", "-c", path + code], capture_output=True, check=True
    )
    assert (ends.stdout, stays.stdout) == (b"", b"still here\n")


def ask(home: Path, prompt: str, session: str, first: str = "") -> str:
    """What the launcher's hook prints before a prompt; stderr must stay empty."""
    path = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); {first}"
    code = path + "from dejavu.interfaces.hooks.inject import main; main()"
    payload = {**PAYLOADS["inject"], "prompt": prompt, "session_id": session}
    done = subprocess.run(
        [sys.executable, "-IS", "-c", code],
        input=json.dumps(payload), capture_output=True, text=True, timeout=60, check=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "DEJAVU_HOOK_LIMIT": "30",
             "ZEBRA_TOKEN": "zebra-9f8e7d6c5b4a39281706"},
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


FIPS = {
    "OpenSSL's hashes are barred": ("_hashlib",),
    "Python has none of its own": ("_md5", "_sha1", "_sha2", "_sha256", "_sha512", "_sha3"),
}


@pytest.mark.parametrize("barred", FIPS.values(), ids=FIPS)
def test_a_python_made_for_fips_answers_too(
    archived: list[Conversation], home: Path, barred: tuple[str, ...]
) -> None:
    bar = f"sys.modules.update(dict.fromkeys({barred})); "
    assert "memory-context" in ask(home, PROMPT, "one", bar)
    code = f"import sys; {bar}from dejavu.interfaces.cli.__main__ import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code, "memory", "find", "why does the retry_budget run dry?", "--json"],
        capture_output=True, text=True, timeout=60, check=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert "Traceback" not in found.stderr
    assert json.loads(found.stdout)["hits"]


SPOILT = {
    "msgspec wants more": "from dejavu.interfaces.hooks import program; program._StandIn = type(sys); ",
    "msgspec is loaded": "sys.path.append({packages!r}); import msgspec; ",
    "platform is loaded": "import platform; ",
}


@pytest.mark.parametrize("first", SPOILT.values(), ids=SPOILT)
def test_what_is_left_out_changes_no_answer(
    archived: list[Conversation], home: Path, first: str
) -> None:
    packages = str(Path(msgspec.__file__).parents[1])
    spoilt = ask(home, PROMPT, "one", first.format(packages=packages))
    assert "RetryBudget.tick" in spoilt


LATER = """
import os, platform, uuid, msgspec
from pathlib import Path
from dejavu.interfaces.hooks import program
class Told(msgspec.Struct):
    text: str
os.write(1, repr((
    "platform" in str(platform.__file__), Path("/a b").as_uri(), bool(uuid.uuid4()),
    msgspec.json.schema(Told)["$ref"], msgspec.inspect.type_info(int).__class__.__name__,
)).encode())
"""


def test_what_is_left_out_is_there_when_it_is_asked_for(home: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
    code += "from dejavu.interfaces.hooks import program; program.load_site()\n"
    code += "left_out = {'platform', 'urllib.parse', 'textwrap', 'msgspec.inspect'} - set(sys.modules)\n"
    code += "assert len(left_out) == 4, left_out\n"
    done = subprocess.run(
        [sys.executable, "-IS", "-c", code + LATER], capture_output=True, text=True, timeout=60,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == "(True, 'file:///a%20b', True, '#/$defs/Told', 'IntType')"
