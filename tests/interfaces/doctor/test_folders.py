from pathlib import Path

from dejavu.config.paths import data_home, private_folder
from dejavu.interfaces.doctor.finding import Severity
from dejavu.interfaces.doctor.folders import folders


def test_a_folder_others_can_read_is_bad(home: Path) -> None:
    private_folder(data_home()).chmod(0o755)
    found = {finding.subject: finding for finding in folders()}
    assert found["data"].severity is Severity.ERROR
    assert "chmod 700" in found["data"].fix
    assert found["state"].severity is Severity.OK
