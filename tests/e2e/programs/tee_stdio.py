"""Run a command with its stdin and stdout copied to PREFIX.in and PREFIX.out: `PREFIX COMMAND ...`."""

import os
import subprocess
import sys
import threading
from pathlib import Path


def copy(source: int, to: int, path: str) -> None:
    with Path(path).open("wb") as file:
        while data := os.read(source, 65536):
            file.write(data)
            file.flush()
            while data:
                data = data[os.write(to, data) :]
    os.close(to)


prefix, *command = sys.argv[1:]
process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert process.stdin is not None
assert process.stdout is not None
ends = (0, process.stdin.fileno(), f"{prefix}.in"), (process.stdout.fileno(), 1, f"{prefix}.out")
threads = [threading.Thread(target=copy, args=end, daemon=True) for end in ends]
for thread in threads:
    thread.start()
threads[1].join()
os._exit(process.wait())
