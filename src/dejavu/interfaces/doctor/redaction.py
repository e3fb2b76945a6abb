"""The redactor, tried on a made-up secret."""

from collections.abc import Iterator

from dejavu.redact import Redactor

from .finding import Finding, Severity


def redaction() -> Iterator[Finding]:
    """Yield whether a token that looks like a real one is redacted."""
    made_up = "gh" + "p_" + "R4nd0mL00k1ngT0kenThatIsN0tReal12345"[:36]
    clean = Redactor(b"doctor").redact(f"token {made_up} end")
    if made_up in clean:
        yield Finding(
            subject="redaction", severity=Severity.ERROR, message="a test token was not redacted"
        )
    else:
        yield Finding(subject="redaction", severity=Severity.OK, message="a test token is redacted")
