from dejavu.interfaces.doctor import Finding, Severity, worst_first


def test_the_names_of_before_stay_in_the_json() -> None:
    finding = Finding(subject="x", severity=Severity.WARNING, message="y", fix="z")
    assert finding.to_dict() == {
        "subject": "x", "severity": "warning", "message": "y", "fix": "z", "facts": {},
        "grade": "note", "told": "y", "cure": "z",
    }  # fmt: skip


def test_worst_first_and_else_in_order() -> None:
    severities = [Severity.OK, Severity.WARNING, Severity.ERROR, Severity.WARNING]
    findings = [
        Finding(subject=str(number), severity=severity, message="")
        for number, severity in enumerate(severities)
    ]
    assert [finding.subject for finding in worst_first(findings)] == ["2", "1", "3", "0"]
