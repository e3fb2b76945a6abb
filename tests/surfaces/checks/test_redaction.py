from dejavu.surfaces.checks.finding import Grade
from dejavu.surfaces.checks.redaction import redaction


def test_the_redactor_works_here() -> None:
    (finding,) = redaction()
    assert finding.grade is Grade.GOOD
