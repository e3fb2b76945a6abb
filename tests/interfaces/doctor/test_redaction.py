from dejavu.interfaces.doctor.finding import Grade
from dejavu.interfaces.doctor.redaction import redaction


def test_the_redactor_works_here() -> None:
    (finding,) = redaction()
    assert finding.grade is Grade.GOOD
