"""A program as embedding: its answer, and a plain sentence when it has none."""

import sys
from pathlib import Path

import pytest

from dejavu.model import ConfigError
from dejavu.recall.history.embedder import command_embedder


def test_a_program_gives_vectors(tmp_path: Path) -> None:
    program = tmp_path / "embed.py"
    program.write_text(
        "import json, sys\n"
        "texts = json.load(sys.stdin)['texts']\n"
        "print(json.dumps({'vectors': [[len(t), 1] for t in texts]}))\n"
    )
    assert command_embedder(f"{sys.executable} {program}")("four") == [4.0, 1.0]


@pytest.mark.parametrize(
    "code", ["print(1)", "raise SystemExit(3)", "print('{}')", "input(); input()"]
)
def test_anything_else_is_told(tmp_path: Path, code: str) -> None:
    program = tmp_path / "embed.py"
    program.write_text(code)
    with pytest.raises(ConfigError, match="embedding command"):
        command_embedder(f"{sys.executable} {program}", limit=20.0)("x")


def test_no_program() -> None:
    with pytest.raises(ConfigError, match="did not give a vector"):
        command_embedder("/nonexistent/embed")("x")
