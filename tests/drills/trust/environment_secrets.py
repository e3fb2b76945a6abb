"""Attack: values of variables that are named as secrets, whatever they look like, in texts of any kind."""

import base64
import html
import json
import random
import string
from collections.abc import Callable
from urllib.parse import quote

from dejavu.redact import Redactor, secret_values

from ..budget import Budget
from . import Tally

ANGLE, FINDINGS = "values of the environment", ("M-environment", "33.G1")
_LETTERS = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"


def _of(alphabet: str, low: int, high: int) -> Callable[[random.Random], str]:
    return lambda chance: "".join(chance.choices(alphabet, k=chance.randint(low, high)))


VALUES: dict[str, Callable[[random.Random], str]] = {
    "leading slash": lambda chance: "/" + _of(_LETTERS + "+/", 30, 44)(chance),
    "letters": _of(string.ascii_lowercase, 8, 24),
    "capitals": _of(string.ascii_uppercase, 8, 24),
    "digits": _of(string.digits, 6, 16),
    "six": lambda chance: "a7" + _of(_LETTERS, 4, 5)(chance),
    "signs": lambda chance: "x9" + _of(_LETTERS + "!@#$%^&*()\"'\\<>", 8, 20)(chance),
    "webhook": lambda chance: f"https://hooks.acme.dev/in/{_of(_LETTERS, 24, 40)(chance)}",
    "DSN": lambda chance: f"https://{_of(_HEX, 32, 32)(chance)}@o12.ingest.acme.dev/4505",
    "DSN with a password": lambda chance: f"amqp://app:{_of(_LETTERS, 8, 16)(chance)}@mq:5672/v",
    "fields": lambda chance: f"Server=db;Uid=app;Pwd={_of(_LETTERS, 10, 16)(chance)};",
    "sentence": lambda chance: " ".join(_of(string.ascii_lowercase, 4, 8)(chance) for _ in range(4)),
}  # fmt: skip
_NAMES = (
    "ACME_TOKEN",
    "DB_PASSWORD",
    "MY_SECRET",
    "SERVICE_API_KEY",
    "PGPASSWORD",
    "APP_SECRET_PRODUCTION",
)
_URLS = ("ALERT_WEBHOOK_URL", "SENTRY_DSN", "QUEUE_DSN", "SLACK_WEBHOOK")
_TEXTS: dict[str, Callable[[str], str]] = {
    "as it is": lambda value: f"it printed {value} and ended",
    "JSON": lambda value: json.dumps({"a": value}),
    "URL": lambda value: f"GET /x?q={quote(value, safe='')} 200",
    "base64": lambda value: f"data: {base64.b64encode(value.encode()).decode()}",
    "quoted": lambda value: f"('{value}',)",
    "base64 behind a user": lambda value: (
        f"Basic {base64.b64encode(f'ann:{value}'.encode()).decode()}"
    ),
    "base64 behind another user": lambda value: base64.b64encode(f"jo:{value}".encode()).decode(),
    "hex": lambda value: f"0x{value.encode().hex()}",
    "JSON for a page": lambda value: (
        json.dumps(value).replace("&", "\\u0026").replace("<", "\\u003c")
    ),
    "HTML": lambda value: f"<p>{html.escape(value)}</p>",
    "capitals": lambda value: f"it was {value.upper()}.",
    "over two lines": lambda value: (
        f"it was {value[: len(value) // 2]}\n  {value[len(value) // 2 :]}."
    ),
    "line": lambda value: f"{value}\n",
}


def attack(budget: Budget, tally: Tally) -> None:
    """Print what a variable holds."""
    chance = budget.random
    while budget.more():
        kind, look = chance.choice(sorted(VALUES)), chance.choice(sorted(_TEXTS))
        value = VALUES[kind](chance)
        name = chance.choice(
            _URLS if "://" in value else (*_NAMES, "DB_DSN") if kind == "fields" else _NAMES
        )
        text = _TEXTS[look](value)
        clean = Redactor(b"drill", secret_values({name: value})).redact(text)
        tally.record(
            "[redacted:" in clean, f"{kind} of {name} as {look}, seed {budget.seed}: {value}"
        )
