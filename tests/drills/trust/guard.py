"""Attack: results of tools through the real hook, as an agent runs it, with secrets in every place.

Payload families: a token or key in one string, over strings, in lines of a patch, in a part of a file
that the call names, in base64, in objects' keys, in JSON inside a string, of the environment.
"""

import base64
import json
import os
import random
import subprocess
import sys
import tempfile
from typing import Any

from ..budget import Budget
from . import Tally
from .secret_pairs import shows

ANGLE, FINDINGS = "the guard", ("M-guard",)
_LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def _token(chance: random.Random) -> str:
    return "ghp_" + "".join(chance.choices(_LETTERS, k=34)) + "7a"


def _key(chance: random.Random) -> tuple[str, list[str]]:
    body = base64.b64encode(chance.randbytes(480)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return body, [
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        *lines,
        "-----END RSA " + "PRIVATE KEY-----",
    ]


def _families(chance: random.Random) -> dict[str, tuple[str, Any, dict[str, Any]]]:
    """Return, by name, a secret, a result with it, and what the call was given."""
    token, (body, key) = _token(chance), _key(chance)
    at = chance.randint(6, 30)
    hidden = "zq" + "".join(chance.choices(_LETTERS, k=6))
    encoded = base64.b64encode(token.encode()).decode()
    aws = "".join(chance.choices(_LETTERS, k=38)) + "7/"
    lines = [f"{n:6}\t{line}" for n, line in enumerate(key, 1)]
    start = chance.randint(2, 4)
    return {
        "plain": (token, {"stdout": f"it is {token}\n"}, {}),
        "over strings": (token, {"parts": [token[:at], token[at:]]}, {}),
        "over blocks": (token, [{"type": "text", "text": half} for half in (token[:at], token[at:])], {}),
        "as a key": (token, {"env": {token: 1}}, {}),
        "JSON in a string": (token, {"stdout": json.dumps({"a": f"x\n{token}"})}, {}),
        "base64": (encoded, {"stdout": encoded}, {}),
        "key": (body, {"stdout": "\n".join(key)}, {}),
        "key in a patch": (body, {"structuredPatch": [{"lines": [f"+{line}" for line in key]}]}, {}),
        "key over blocks": (body, [{"text": "\n".join(key[:4])}, {"text": "\n".join(key[4:])}], {}),
        "key with numbers": (body, {"file": {"content": "\n".join(lines)}}, {"file_path": "/w/notes.txt"}),
        "part of a key": (
            body[64 * (start - 1) :], {"file": {"content": "\n".join(lines[start:])}},
            {"file_path": "/h/.ssh/id_rsa", "offset": start + 1},
        ),
        "tail of a key": (
            body[64:], {"stdout": "\n".join(key[2:])}, {"command": "tail -n +3 certs/server.key"},
        ),
        "pair": (aws, {"stdout": f"AKIA{''.join(chance.choices(_LETTERS.upper(), k=16))} {aws}\n"}, {}),
        "pair over blocks": (
            aws, [{"text": f"AKIA{''.join(chance.choices(_LETTERS.upper(), k=16))}"}, {"text": aws}], {},
        ),
        "environment": (hidden, {"stdout": f"value {hidden}\n"}, {"_env": hidden}),
        "environment in base64": (
            base64.b64encode(hidden.encode()).decode()[:8],
            {"stdout": base64.b64encode(hidden.encode()).decode()}, {"_env": hidden},
        ),
        "pgpass": (hidden, {"stdout": f"db:5432:app:bob:{hidden}9\n"}, {}),
        "terraform": (
            hidden, {"stdout": json.dumps({"db": {"sensitive": True, "type": "string", "value": hidden}})}, {},
        ),
        "CSV": (f"{hidden}9", {"stdout": f"user,password\nbob,{hidden}9\n"}, {}),
        "cookie jar": (f"{hidden}9", {"stdout": f".x.dev\tTRUE\t/\tTRUE\t0\tsid\t{hidden}9\n"}, {}),
    }  # fmt: skip


def attack(budget: Budget, tally: Tally) -> None:
    """Run the hook as Claude Code does; a process for each payload."""
    chance = budget.random
    with tempfile.TemporaryDirectory() as home:
        while budget.more():
            families = _families(chance)
            name = chance.choice(sorted(families))
            secret, result, given = families[name]
            value = given.pop("_env", "")
            payload = {
                "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Read",
                "tool_input": given, "tool_response": result,
            }  # fmt: skip
            done = subprocess.run(
                [sys.executable, "-m", "dejavu.interfaces.hooks.guard", "--agent", "claude", "--no-capture"],
                input=json.dumps(payload).encode(), capture_output=True, timeout=60, check=False,
                env={
                    "HOME": home, "PATH": os.environ["PATH"], "DEJAVU_HOOK_LIMIT": "30",
                    **({"ACME_TOKEN": value} if value else {}),
                },
            )  # fmt: skip
            told = done.stdout.decode()
            held = done.returncode == 0 and "[redacted:" in told and not shows(secret, told)
            tally.record(held, f"{name}, seed {budget.seed}")
