import pytest
from tests.factories.edits import Script

from dejavu.archive import Archive
from dejavu.extensions.code.failures import changed_lines, command_text, failure_text, find_fixes
from dejavu.extensions.code.fingerprints import core_command, normal_line, program_of
from dejavu.extensions.code.index import EditIndex
from dejavu.extensions.code.outcome import succeeded
from dejavu.extensions.code.usage import usages
from dejavu.model import ToolCallResponse

ERROR = (
    "Exit code 1\nsrc/{p}/walnut.c:{n}:3: error: 'copper_walnut' undeclared (first use)\n"
    "make: *** [{n}] Error 1"
)


def _script(archive: Archive) -> Script:
    script = Script("one", "/w")
    script.user("build it")
    script.run("cd /w && make -j4 2>&1 | tail -5", ERROR.format(p="a/b", n=12), error=True)
    script.run("ls src")
    script.edit("/w/src/walnut.c", "int main", "#include <copper.h>\nint main")
    script.run("make -j4", "linked")
    archive.put(script.conversation())
    return script


def test_the_same_failure_with_other_paths_and_numbers(archive: Archive) -> None:
    script = _script(archive)
    with EditIndex(archive) as index:
        index.catch_up()
        asked = "\x1b[31m" + ERROR.format(p="elsewhere", n=977) + "\x1b[0m"
        [fix] = find_fixes(index, asked, 3)
        assert (fix.failed.conversation, fix.failed.seq) == (script.id, 1)
        assert fix.passed is not None
        assert fix.passed.seq == 7
        assert changed_lines(archive, fix.edits) == [("/w/src/walnut.c", "#include <copper.h>")]
        assert command_text(archive, fix.failed).startswith("cd /w && make")
        assert "undeclared" in failure_text(archive, fix.failed)
        assert find_fixes(index, "ld: symbol(s) not found for architecture arm64", 3) == []
        assert find_fixes(index, "", 3) == []


PYTEST = """    def mean(values):
>       return sum(values) / len(values)
E       ZeroDivisionError: division by zero

src/mean.py:5: ZeroDivisionError
=========================== short test summary info ============================
FAILED tests/test_mean.py::test_mean - ZeroDivisionError: division by zero
1 failed in 0.02s"""


@pytest.mark.parametrize(
    ("pasted", "found"),
    [
        ("ZeroDivisionError: division by zero", True),
        ("E   ZeroDivisionError: division by zero", True),
        ("division by zero", True),
        ("FAILED test_other.py::test_a_thing - ZeroDivisionError: division by zero", True),
        ("lib/other.py:12: ZeroDivisionError: division by zero", True),
        ("ZeroDivisionError: float modulo", False),
        ("FAILED tests/test_mean.py::test_mean - KeyError: 'price'", False),
    ],
)
def test_a_pasted_message_finds_the_failure(archive: Archive, pasted: str, found: bool) -> None:
    script = Script("one", "/w")
    script.user("test it")
    script.run("pytest -q", PYTEST, error=True)
    script.edit("/w/src/mean.py", "sum(values)", "sum(values) if values else 0")
    script.run("pytest -q", "1 passed")
    archive.put(script.conversation())
    with EditIndex(archive) as index:
        index.catch_up()
        fixes = find_fixes(index, pasted, 3)
    assert [fix.passed is not None for fix in fixes] == [True] * found


def test_how_a_command_was_called(archive: Archive) -> None:
    _script(archive)
    with EditIndex(archive) as index:
        index.catch_up()
        [one] = usages(archive, index, "make", 5)
        assert (one.text, one.worked, one.failed) == ("make -j4", 1, 1)
        assert usages(archive, index, "Edit", 5)[0].worked == 1
        assert usages(archive, index, "mak", 5) == []


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("cd x && FOO=1 npm run test -- -v | tail -3", "npm test"),
        ("/usr/bin/python3 -m pytest -q", "pytest"),
        ("timeout 30 uv run ruff check .", "ruff"),
        ("git -C x status", "git x"),
        ("sudo docker compose up", "docker compose"),
        ("", ""),
        ("'", ""),
    ],
)
def test_programs(command: str, program: str) -> None:
    assert program_of(command) == program


def test_what_changes_from_run_to_run_is_left_out() -> None:
    one = "\x1b[1m/home/a/x.py:12: Error 0x7f3a at 2026-11-23T10:00:01Z in 3.5s, id 3f2a9bc1"
    other = "C:\\Users\\b\\y.py:977: Error 0x11 at 2025-01-02T00:00:00Z in 12s, id 99aabbcc0"
    assert normal_line(one) == normal_line(other)
    assert core_command("cd a; X=1 make 2>&1 | head -3") == "make"


@pytest.mark.parametrize(
    ("response", "error", "ok"),
    [
        ("fine", False, True),
        ("", False, None),
        ("Exit code 2\nx", True, False),
        ("Chunk\nProcess exited with code 0\nerror: no", False, True),
        ({"output": "x", "metadata": {"exit_code": 1}}, False, False),
        ("Traceback (most recent call last):\n", False, False),
        ("0 errors, 0 failed", False, True),
    ],
)
def test_outcomes(response: object, error: bool, ok: bool | None) -> None:
    assert succeeded(ToolCallResponse("c", response, is_error=error), shell=True) is ok


@pytest.mark.parametrize(
    "command", ["make " + "| tail " * 50_000, "npx " * 100_000, "A=1 " * 100_000]
)
def test_a_command_of_any_length_is_read_at_once(command: str) -> None:
    assert len(program_of(command)) <= 60
    core_command(command)
