import msgspec

from dejavu.interfaces.doctor import Finding, Grade


def test_a_finding_is_plain_json() -> None:
    finding = Finding(subject="x", grade=Grade.NOTE, told="y")
    assert msgspec.to_builtins(finding) == {
        "subject": "x", "grade": "note", "told": "y", "cure": "", "facts": {},
    }  # fmt: skip
