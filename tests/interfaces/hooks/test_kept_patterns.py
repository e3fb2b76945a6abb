"""Patterns that one hook compiled, taken by the next: the same answers, and no secret in the file."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.interfaces.hooks.kept_patterns import KeptPatterns, _compiler
from dejavu.model import Conversation
from dejavu.model.late_pattern import late_pattern

SOURCE = Path(__file__).resolve().parents[3] / "src"
SECRET = "zebra-9f8e7d6c5b4a39281706"
PROMPT = "why does the retry_budget tick run dry?"


def ask(home: Path, session: str) -> str:
    """What the launcher's hook prints; stderr must stay empty."""
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); "
    code += "from dejavu.interfaces.hooks.inject import main; main()"
    payload = {"session_id": session, "cwd": "/work/retry", "prompt": PROMPT}
    payload["hook_event_name"] = "UserPromptSubmit"
    done = subprocess.run(
        [sys.executable, "-IS", "-c", code],
        input=json.dumps(payload), capture_output=True, text=True, timeout=60, check=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "DEJAVU_HOOK_LIMIT": "30",
             "ZEBRA_TOKEN": SECRET},
    )  # fmt: skip
    assert done.stderr == ""
    return re.sub("[0-9a-f]{32}", "nonce", done.stdout)


def kept(home: Path) -> list[Path]:
    return list((home / ".local/state/dejavu/hooks").glob("patterns-*"))


def test_the_answer_is_the_same_and_the_file_holds_no_secret(
    archived: list[Conversation], home: Path
) -> None:
    first = ask(home, "one")
    assert "RetryBudget.tick" in first
    [file] = kept(home)
    assert file.stat().st_mode & 0o777 == 0o600
    data = file.read_bytes()
    assert len(data) > 10_000
    for letters in (SECRET, SECRET[:8]):
        assert letters.encode() not in data
        assert b"".join(ord(one).to_bytes(4, sys.byteorder) for one in letters) not in data
    assert ask(home, "two") == first
    assert file.read_bytes() == data


@pytest.mark.parametrize("damage", ["cut", "other", "code", "linked", "everyone's"])
def test_a_damaged_file_costs_no_answer(
    archived: list[Conversation], home: Path, damage: str, tmp_path: Path
) -> None:
    first = ask(home, "one")
    [file] = kept(home)
    data = file.read_bytes()
    if damage == "linked":
        file.rename(tmp_path / "file")
        file.symlink_to(tmp_path / "file")
    elif damage == "everyone's":
        file.chmod(0o666)
    else:
        import marshal

        programs = {
            key: (flags, code[::-1], *rest)
            for key, (flags, code, *rest) in marshal.loads(data).items()
        }
        file.write_bytes(
            {
                "cut": data[: len(data) // 2],
                "other": marshal.dumps(dict.fromkeys(programs, "nothing")),
                "code": marshal.dumps(programs),
            }[damage]
        )
    assert ask(home, "two") == first
    assert ask(home, "three") == first


@pytest.fixture
def patterns(tmp_path: Path) -> Iterator[KeptPatterns]:
    """Patterns in a file of their own, in use."""
    before = _compiler.compile, _compiler._sre
    re.purge()
    made = KeptPatterns(str(tmp_path))
    made.use()
    yield made
    _compiler.compile, _compiler._sre = before
    re.purge()


WRITTEN = [
    (rf"(?P<word>[{first}-z\u0400-\u04ff]+)(?:{number}|\s*)(?P=word)?\b", flags)
    for number, first in enumerate("abcdef")
    for flags in (0, re.IGNORECASE, re.VERBOSE | re.DOTALL)
]
TEXTS = ["", "abc abc", "zz3zz", "Слово слово", "a\nb", "ABC1abc"]


def test_a_kept_pattern_matches_what_the_compiled_one_does(
    patterns: KeptPatterns, tmp_path: Path
) -> None:
    plain = [re.compile(*one) for one in WRITTEN]  # a function's: not kept
    patterns.keep()
    assert not list(tmp_path.iterdir())
    late = [late_pattern(*one) for one in WRITTEN]
    for one in late:
        one.search("")
    re.purge()
    for one in [late_pattern(*one) for one in WRITTEN]:
        one.search("")
    patterns.keep()
    assert len(list(tmp_path.iterdir())) == 1
    _compiler.compile, _compiler._sre = patterns._compile, patterns._engine
    re.purge()
    again = KeptPatterns(str(tmp_path))
    again.use()
    for (source, flags), expected in zip(WRITTEN, plain, strict=True):
        assert (source, int(flags)) in again._known
        found = re.compile(source, flags)
        assert (found.flags, found.groups, found.groupindex) == (
            expected.flags, expected.groups, expected.groupindex,
        )  # fmt: skip
        for text in TEXTS:
            assert [m.span(0) for m in found.finditer(text)] == [
                m.span(0) for m in expected.finditer(text)
            ]
    assert not again._added


def test_a_pattern_that_a_function_makes_is_not_kept(
    patterns: KeptPatterns, tmp_path: Path
) -> None:
    for number in range(40):
        re.compile(f"{SECRET}{number}")
        late_pattern(f"late{SECRET}{number}".lower).search("")
    patterns.keep()
    assert not list(tmp_path.iterdir())
