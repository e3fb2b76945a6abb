"""Questions to git, with a time limit, and without the programs that a repository's settings name.

A repository may be hostile: its `.git/config` and `.gitattributes` can name programs for diffs,
text conversion, filters, file-system monitors, signatures and transports. Everything that starts
programs is switched off here. `safe.directory` stays git's to judge. Costs one process a question, at
most `PATIENCE` seconds and `_LARGEST` bytes.

Tested in: tests/integrations/test_git_hook.py
"""

import os
import subprocess
import threading

PATIENCE = 10.0
_LARGEST = 64 << 20
_SETTINGS = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "log.showSignature=false",
    "blame.ignoreRevsFile=", "core.attributesFile=/dev/null", "protocol.allow=never",
    "diff.external=", "core.sshCommand=false", "core.quotePath=false", "color.ui=false",
    "blame.showEmail=false", "log.mailmap=false", "gc.auto=0", "maintenance.auto=false",
    "diff.noprefix=false", "diff.mnemonicPrefix=false", "diff.context=3", "diff.algorithm=myers",
)  # fmt: skip
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CEILING_DIRECTORIES")


def run_git(folder: str, *words: str, patience: float = PATIENCE) -> bytes | None:
    """What `git WORDS` prints in a folder; None where it fails, takes too long or says too much."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    command = ["git", "--no-pager", "--no-optional-locks", "--literal-pathspecs", *settings, *words]
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT
    }
    environ |= {
        "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1", "GIT_ASKPASS": "false", "LC_ALL": "C",
    }  # fmt: skip
    try:
        process = subprocess.Popen(
            command, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, ValueError):  # no git, no such folder, a NUL in a name
        return None
    timer = threading.Timer(patience, process.kill)
    timer.start()
    try:
        with process:
            output = process.stdout.read(_LARGEST + 1) if process.stdout is not None else b""
            if len(output) > _LARGEST:
                process.kill()
    finally:
        timer.cancel()
    return None if process.returncode or len(output) > _LARGEST else output
