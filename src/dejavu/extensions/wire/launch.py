"""`dejavu wire -- AGENT`: the proxy next to the wrapper, and the wrapper as ever.

The proxy is a separate process, so the one that owns the terminal still only forwards; it ends
when the pipe it reads ends with the wrapper.
"""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dejavu.config.own_program import own_program
from dejavu.config.settings import load_config, own_instance
from dejavu.model import CaptureError
from dejavu.providers.base_urls import base_url_override, bypass_proxies
from dejavu.providers.registry import agent_of

from .routes import local_base, upstream

PROXY = own_program("dejavu.extensions.wire")
_LAST_WORD = 30.0  # seconds the proxy may take to archive what is left


def wire(
    argv: Sequence[str],
    run: Callable[[Sequence[str]], int],
    *,
    server: str | None = None,
    workspace: str | None = None,
) -> int:
    """Run the agent with its traffic through the proxy and return its exit code.

    `run` is `dejavu-run`: it runs a command line and returns the agent's exit code.

    Raises:
        ConfigError: this agent cannot be sent another way.
        CaptureError: the proxy did not start; the agent was not started either.
    """
    override = base_url_override(argv, os.environ, server)
    for url in override.upstreams:
        upstream(url)
    secret = secrets.token_urlsafe(24)
    facts = {
        "upstreams": override.upstreams,
        "secret": secret,
        "agent": agent_of(argv),
        "instance": own_instance(load_config()),
        "workspace": str(Path(workspace or ".").expanduser().absolute()),
        "run": secrets.token_hex(8),
    }
    proxy, port = _start(facts)
    bases = [local_base(port, secret, number) for number in range(len(override.upstreams))]
    command, variables = override.apply(argv, bases)
    os.environ.update(variables | bypass_proxies())
    options = ["--workspace", workspace] if workspace else []
    try:
        code = run([*options, "--", *command])
    finally:
        told = _finish(proxy)
    _report(told)
    return code


def _start(facts: dict[str, Any]) -> tuple["subprocess.Popen[bytes]", int]:
    proxy = subprocess.Popen(
        PROXY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # what the terminal sends its foreground group is not for it
    )
    if proxy.stdin is None or proxy.stdout is None:
        raise CaptureError("the proxy has no pipes")
    try:
        proxy.stdin.write(json.dumps(facts).encode() + b"\n")
        proxy.stdin.flush()
        port = int(json.loads(proxy.stdout.readline())["port"])
    except (OSError, ValueError, KeyError) as error:
        proxy.kill()
        proxy.wait()
        raise CaptureError(
            "the proxy did not start, so neither did the agent; see "
            f"`{' '.join(('python', *PROXY[1:]))}`"
        ) from error
    # Inside another wrapper the agent takes this process's place: the pipe must outlive that.
    os.set_inheritable(proxy.stdin.fileno(), "DEJAVU_SESSION" in os.environ)
    return proxy, port


def _finish(proxy: "subprocess.Popen[bytes]") -> dict[str, Any]:
    """End the proxy and hear what it kept."""
    try:
        out, _ = proxy.communicate(timeout=_LAST_WORD)
        return dict(json.loads(out))
    except subprocess.TimeoutExpired:
        return {"notes": ["the proxy is still archiving; it ends on its own"]}
    except (OSError, ValueError):
        return {"notes": ["the proxy ended without a report"]}


def _report(told: dict[str, Any]) -> None:
    notes = [str(note) for note in told.get("notes", [])]
    if told.get("lines") == 0:
        notes.append("no exchange with a model passed: does a setting of the agent's name a URL?")
    for note in notes:
        try:
            print(f"dejavu wire: {note}", file=sys.stderr, flush=True)
        except OSError:
            return
