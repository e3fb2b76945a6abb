"""Asking a program: its words, or nothing; never an exception, never longer than allowed."""

import sys
import time
from pathlib import Path

from dejavu.recall.command import PROMPT_MARKER, json_in, run_command
from dejavu.recall.history.classifier import _ASK as CLASSIFY
from dejavu.recall.history.rerank import _ASK as RERANK
from dejavu.recall.rationale import MARK as RATIONALE


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_it_reads_the_prompt_and_is_no_session_of_ours() -> None:
    code = "import os, sys; print(sys.stdin.read().upper(), os.environ['DEJAVU_INJECT'])"
    assert run_command(python(code), "héllo", patience=30) == "HÉLLO off\n"
    assert all(mark.startswith(PROMPT_MARKER) for mark in (RATIONALE, CLASSIFY, RERANK))


def test_what_fails_has_said_nothing() -> None:
    assert run_command(["/nowhere/at/all"], "x", patience=5) == ""
    assert run_command([], "x", patience=5) == ""
    assert run_command(python("raise SystemExit(3)"), "x", patience=30) == ""
    began = time.monotonic()
    assert run_command(python("import time; time.sleep(60)"), "x", patience=0.2) == ""
    assert time.monotonic() - began < 30


def test_json_among_words() -> None:
    assert json_in('Sure! ```json\n{"a": {"b": 1}}\n``` done {') == {"a": {"b": 1}}
    assert json_in('{broken {"a": 1}') == {"a": 1}
    assert json_in("none") is None
    assert json_in("{" * 2_000) is None


def test_a_prompt_goes_out_redacted(home: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = run_command(["cat"], f"why {token}?", patience=30)
    assert said.startswith("why [redacted:github:")
    assert token not in said
