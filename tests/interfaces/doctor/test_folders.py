import re
from pathlib import Path

import pytest

from dejavu.config.paths import data_home, private_folder
from dejavu.interfaces.doctor.finding import Severity
from dejavu.interfaces.doctor.installation import folders


def test_a_folder_others_can_read_is_bad(home: Path) -> None:
    private_folder(data_home()).chmod(0o755)
    found = {finding.subject: finding for finding in folders()}
    assert found["data"].severity is Severity.ERROR
    assert "chmod 700" in found["data"].fix
    assert found["state"].severity is Severity.OK


def test_what_stands_in_the_way_of_a_folder_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("")
    (home / "loop").symlink_to("loop")
    (home / "gone").symlink_to("nowhere")
    for place, why in (
        ("file/data", "cannot be created: .*file isn't a folder"),
        ("file", "cannot be used: .*file isn't a folder"),
        ("gone", "cannot be used: .*gone leads nowhere"),
        ("loop", "cannot be used"),
    ):
        monkeypatch.setenv("DEJAVU_DATA_HOME", str(home / place))
        data = next(finding for finding in folders() if finding.subject == "data")
        assert data.severity is Severity.ERROR
        assert re.search(why, data.message)
        assert "DEJAVU_*_HOME" in data.fix
