"""No hook waits longer than it may, whoever holds the archive's lock."""

import json
import marshal
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dejavu.interfaces.doctor.installation import hook_limit
from dejavu.interfaces.hooks import program, start_cache
from dejavu.model import Conversation

SOURCE = Path(program.__file__).parents[3]
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


def stored(home: Path) -> dict[tuple[str | bytes, int], object]:
    """The compiled patterns that a hook kept; empty where there are none."""
    path = home / ".local/state/dejavu/hooks" / start_cache.PATTERNS
    found: dict[tuple[str | bytes, int], object] = (
        marshal.loads(path.read_bytes())[1] if path.exists() else {}
    )
    return found


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


def test_patterns_are_compiled_once_and_hold_nothing_of_a_prompt(
    archived: list[Conversation], home: Path
) -> None:
    prompt = "why does the retry_budget tick run dry, quaggawise?"
    first = ask(home, prompt, "one")
    patterns = stored(home)
    assert len(patterns) > 50
    assert NONCE.sub("", ask(home, prompt, "two")) == NONCE.sub("", first) != ""
    assert stored(home).keys() >= patterns.keys()
    text = "".join(str(source) for source, _ in stored(home))
    assert "quagga" not in text
    assert "zebra" not in text


FIPS = {
    "OpenSSL's hashes are barred": ("_hashlib",),
    "Python has none of its own": ("_md5", "_sha1", "_sha2", "_sha256", "_sha512", "_sha3"),
}


@pytest.mark.parametrize("barred", FIPS.values(), ids=FIPS)
def test_a_python_made_for_fips_answers_too(
    archived: list[Conversation], home: Path, barred: tuple[str, ...]
) -> None:
    bar = f"sys.modules.update(dict.fromkeys({barred})); "
    assert "memory-context" in ask(home, "why does the retry_budget tick run dry?", "one", bar)
    code = f"import sys; {bar}from dejavu.interfaces.cli.__main__ import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code, "memory", "find", "why does the retry_budget run dry?", "--json"],
        capture_output=True, text=True, timeout=60, check=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert "Traceback" not in found.stderr
    assert json.loads(found.stdout)["hits"]


OTHERS = marshal.dumps((("another", 1), {}))
LONG = (1 << 40).to_bytes(8, "big")


@pytest.mark.parametrize(
    "data", [b"", b"no such thing", OTHERS, len(OTHERS).to_bytes(8, "big") + OTHERS, LONG]
)
@pytest.mark.parametrize("name", [start_cache.PATTERNS, start_cache.MODULES])
def test_a_kept_file_that_is_damaged_or_another_pythons(
    archived: list[Conversation], home: Path, name: str, data: bytes
) -> None:
    path = home / ".local/state/dejavu/hooks" / name
    path.parent.mkdir(parents=True, mode=0o700)
    path.write_bytes(data)
    assert "memory-context" in ask(home, "why does the retry_budget tick run dry?", "one")
    assert len(stored(home)) > 50
    assert len(path.read_bytes()) > 1_000


COUNT = """
import atexit, os
def told(status, leave=os._exit):
    kept = [name for name, module in sys.modules.items()
            if type(getattr(module, "__loader__", None)).__name__ == "_KeptLoader"]
    open(os.environ["HOME"] + "/kept", "w").write("\\n".join(kept))
    leave(status)
os._exit = told
"""


def test_modules_are_kept_and_hold_nothing_of_a_prompt(
    archived: list[Conversation], home: Path
) -> None:
    prompt = "why does the retry_budget tick run dry, quaggawise?"
    path = home / ".local/state/dejavu/hooks" / start_cache.MODULES
    first = ask(home, prompt, "one", f"exec({COUNT!r}); ")
    assert (home / "kept").read_text() == ""
    written = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert NONCE.sub("", ask(home, prompt, "two", f"exec({COUNT!r}); ")) == NONCE.sub("", first)
    kept = (home / "kept").read_text().split()
    assert {"dejavu.archive.store", "dejavu.recall.injection", "typing"} <= set(kept)
    assert path.read_bytes() == written  # nothing was new
    assert b"quagga" not in written
    assert b"zebra" not in written


def test_a_module_whose_source_changed_is_loaded_as_ever(tmp_path: Path) -> None:
    folder, names = tmp_path / "modules", [f"kept_{number}" for number in range(9)]
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").write_text("VALUE = 1\n")
    code = f"""
import sys
sys.path[:0] = [{str(SOURCE)!r}, {str(folder)!r}]
sys.dont_write_bytecode = True
from dejavu.interfaces.hooks import start_cache
keep = start_cache.keep_modules({str(tmp_path / "kept")!r})
print([__import__(name).VALUE for name in {names!r}])
print(sum(type(sys.modules[name].__loader__).__name__ == "_KeptLoader" for name in {names!r}))
keep()
"""

    def run() -> list[str]:
        command = [sys.executable, "-IS", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.splitlines()

    assert run() == [str([1] * 9), "0"]
    assert run() == [str([1] * 9), "9"]
    (folder / "kept_4.py").write_text("VALUE = 2  # another size\n")
    (folder / "kept_5.py").unlink()
    (folder / "kept_5").mkdir()
    (folder / "kept_5" / "__init__.py").write_text("VALUE = 3\n")
    assert run() == [str([1, 1, 1, 1, 2, 3, 1, 1, 1]), "7"]


def test_a_pattern_made_while_nothing_is_loaded_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler: Any = sys.modules["re._compiler"]
    monkeypatch.setattr(compiler, "compile", compiler.compile)
    folder = tmp_path / "loaded"
    folder.mkdir()
    told = "\n".join(f"re.compile('loaded{number}')" for number in range(9))
    (folder / "fresh_patterns.py").write_text(f"import re\nre.purge()\n{told}\n")
    monkeypatch.syspath_prepend(str(folder))
    keep = start_cache.keep_patterns(str(tmp_path / "patterns"))
    compiler.compile("of a prompt", 0)
    import_module("fresh_patterns")
    keep()
    kept = {source for source, _ in marshal.loads((tmp_path / "patterns").read_bytes())[1]}
    assert kept == {f"loaded{number}" for number in range(9)}


def test_a_kept_pattern_is_the_one_that_was_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler: Any = sys.modules["re._compiler"]
    made = compiler.compile
    monkeypatch.setattr(compiler, "compile", made)
    sources = sorted(start_cache.patterns_of_code())[:200]
    keep = start_cache.keep_patterns(str(tmp_path / "patterns"))
    for source in sources:
        compiler.compile(source, 0)
    keep()
    compiler.compile = made
    start_cache.keep_patterns(str(tmp_path / "patterns"))
    assert [compiler.compile(source, 0) == made(source, 0) for source in sources] == [True] * len(
        sources
    )
