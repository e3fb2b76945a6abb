import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tools.manual import PAGES

from dejavu.interfaces.command_line.commands import COMMANDS

MAN = Path(__file__).resolve().parents[2] / "docs" / "man"


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_are_up_to_date(name: str) -> None:
    assert (MAN / name).read_text("utf-8") == PAGES[name](), "run `make docs`"


def test_every_command_and_option_is_in_it() -> None:
    page = PAGES["dejavu.1"]().replace("\\-", "-")
    for command in COMMANDS:
        assert f'.SS "dejavu {command}"' in page
    assert "--workspace" in page
    assert "--headless" in PAGES["dejavu-run.1"]().replace("\\-", "-")


@pytest.mark.parametrize("name", PAGES)
def test_no_line_is_taken_for_an_unknown_request(name: str) -> None:
    requests = set(re.findall(r"(?m)^[.'](\S*)", PAGES[name]()))
    assert requests <= {"TH", "SH", "SS", "TP", "PP", "br"}


@pytest.mark.parametrize("name", PAGES)
def test_man_reads_it_without_a_warning(tmp_path: Path, name: str) -> None:
    if shutil.which("groff") is None:
        pytest.skip("needs groff")
    (tmp_path / name).write_text(PAGES[name](), "utf-8")
    command = ["groff", "-man", "-ww", "-Kutf8", "-Tutf8", str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert "User Commands" in done.stdout
