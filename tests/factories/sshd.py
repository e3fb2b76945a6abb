"""A real SSH server on loopback for one test, with keys of its own."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

PROGRAM = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
MISSING = "needs an SSH server (Debian: openssh-server) and ssh"


class Server(NamedTuple):
    """A running server; `command` is for `DEJAVU_SSH`."""

    port: int
    command: str
    process: subprocess.Popen[bytes]


@contextmanager
def sshd(folder: Path, path: str | None = None) -> Iterator[Server]:
    """A server that lets this user in; `path` is the PATH of what it runs."""
    assert PROGRAM
    for name in ("host", "client"):
        arguments = ["-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(["ssh-keygen", *arguments], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = [
        "ListenAddress 127.0.0.1", f"Port {port}", f"HostKey {folder}/host", "StrictModes no",
        f"AuthorizedKeysFile {folder}/client.pub", f"PidFile {folder}/pid", "UsePAM no",
        "PasswordAuthentication no", *([f"SetEnv PATH={path}"] if path else []),
    ]  # fmt: skip
    (folder / "sshd_config").write_text("\n".join(settings) + "\n")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # what Debian's unit makes
    process = subprocess.Popen(
        [PROGRAM, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=subprocess.DEVNULL
    )
    command = (
        f"ssh -F /dev/null -i {folder}/client -o UserKnownHostsFile={folder}/known "
        "-o StrictHostKeyChecking=accept-new -o LogLevel=ERROR"
    )
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield Server(port, command, process)
    finally:
        process.terminate()
        process.wait(10)
