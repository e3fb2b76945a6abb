"""The redactor, tried on a made-up secret."""

from collections.abc import Iterator

from dejavu.redact import Redactor

from .finding import Finding, Grade


def redaction() -> Iterator[Finding]:
    """Whether a token that looks like a real one is replaced."""
    made_up = "gh" + "p_" + "R4nd0mL00k1ngT0kenThatIsN0tReal12345"[:36]
    clean = Redactor(b"doctor").redact(f"token {made_up} end")
    if made_up in clean:
        yield Finding(
            subject="redaction", grade=Grade.BAD, told="a test token came through unchanged"
        )
    else:
        yield Finding(subject="redaction", grade=Grade.GOOD, told="a test token is replaced")
