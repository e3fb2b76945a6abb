import shlex
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Conversation
from dejavu.providers import agents
from dejavu.providers.resume import resume_command, resume_line, shell_word


def _head(agent: str, native: str, workspace: str = "/work/x") -> Conversation:
    return Conversation(id="c1", agent=agent, native_id=native, workspace=workspace)


@pytest.mark.parametrize("agent", [name for name, one in agents().items() if one.resume])
def test_the_session_is_the_last_word(agent: str) -> None:
    assert resume_command(_head(agent, "01a1-ffe5")) == [*agents()[agent].resume, "01a1-ffe5"]


def test_as_the_agents_say_it_themselves() -> None:
    assert resume_line(_head("claude", "40ba31ca")) == "cd /work/x && claude --resume 40ba31ca"
    assert resume_line(_head("codex", "01a1", "")) == "codex resume 01a1"
    assert resume_command(_head("amp", "T-01")) == ["amp", "threads", "continue", "T-01"]


def test_a_sub_agent_goes_on_in_its_main_session() -> None:
    assert resume_command(_head("claude", "main/agent-7")) == ["claude", "--resume", "main"]


@pytest.mark.parametrize("native", ["", "-rf", "--model=x", "a b", "x;rm", "$(x)", "\x1b[2J", "é"])
def test_an_id_that_is_no_plain_word_is_not_used(native: str) -> None:
    assert resume_command(_head("claude", native)) is None
    assert resume_line(_head("claude", native)) is None


def test_an_agent_without_such_a_command() -> None:
    assert resume_command(_head("aider", "1")) is None


@given(st.text(max_size=40), st.text(max_size=20))
def test_a_shell_sees_the_words_we_meant(workspace: str, native: str) -> None:
    line = resume_line(_head("claude", native, workspace))
    if line is not None:
        words = shlex.split(line)
        assert words[-3:-1] == ["claude", "--resume"]
        assert words[:-3] in ([], ["cd", workspace, "&&"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_reads_a_word_as_it_was(shell: str) -> None:
    """Fish reads a backslash between quotes; `shlex.quote` would let it out of them there."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    words = [
        "plain", "it's", "\\'\"; echo ran; #", "\\", "'", "''", "a\\'b", "$(echo ran) `echo ran` !! ~ *",
        "=ls", "-x", "", "(echo ran)", "%self", "{a,b}", "a b", "é", "#x", "\\\\'\\\\",
    ]  # fmt: skip
    line = " ".join(["printf '<%s>'", *map(shell_word, words)])
    said = subprocess.run([program, "-c", line], capture_output=True, text=True, check=True).stdout
    assert said == "".join(f"<{word}>" for word in words)
