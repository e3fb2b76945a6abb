from pathlib import Path

from dejavu.surfaces.checks.finding import Grade
from dejavu.surfaces.checks.folders import folders
from dejavu.surfaces.paths import data_home, private_folder


def test_a_folder_others_can_read_is_bad(home: Path) -> None:
    private_folder(data_home()).chmod(0o755)
    found = {finding.subject: finding for finding in folders()}
    assert found["data"].grade is Grade.BAD
    assert "chmod 700" in found["data"].cure
    assert found["state"].grade is Grade.GOOD
