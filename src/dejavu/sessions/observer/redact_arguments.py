"""The words of a command line with the secrets in them replaced. Pure; O(characters)."""

from collections.abc import Callable, Sequence

Redact = Callable[[str], str]


def redact_arguments(words: Sequence[str], redact: Redact) -> list[str]:
    """Return as many words; the value of an option is also read as an assignment to its name.

    So `--api-key VALUE` and `--api-key=VALUE` are redacted as `API_KEY=VALUE` would be.
    """
    result: list[str] = []
    option = ""
    for word in words:
        name, equals, value = word.partition("=")
        redacted = redact(word)
        if redacted == word and option:
            redacted = _redact_value(option, word, redact)
        elif redacted == word and equals and word.startswith("-"):
            redacted = f"{name}={_redact_value(name, value, redact)}"
        result.append(redacted)
        option = word if word.startswith("-") and not equals else ""
    return result


def _redact_value(option: str, value: str, redact: Redact) -> str:
    name = option.lstrip("-")
    for assignment in (f"{option}=", f"{name.upper().replace('-', '_')}="):
        redacted = redact(assignment + value)
        if redacted.startswith(assignment) and redacted != assignment + value:
            return redacted[len(assignment) :]
    return value
