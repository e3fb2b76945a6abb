"""What `dejavu wire` adds to the first byte of an answer, beside a direct connection.

    nice python -m benchmarks.providers.wire [--rounds 300]

Prints JSON. A server on loopback reads a request and streams an answer, its first event at once;
requests through the proxy (a process of its own, as `dejavu wire` starts it) and direct ones take
turns on connections that are kept. `first_byte_ms` is from the last byte of the request's head
and body until the first byte of the answer's body; `added` compares each pair, and `control` two
direct ones in the same way: what the machine adds by itself. `cpu_ms` is what the proxy's process
used a request, its record included. `connect_ms` is the first byte with a new connection for every
request, `megabytes_per_s` a body of 100 MB both ways.
Aim: added p95 at most 5 ms.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dejavu.extensions.wire.routes import local_base

SECRET = "benchmark-benchmark"
EVENT = b'event: ping\ndata: {"type": "ping"}\n\n'
PROMPT = "word " * 40_000  # 200 kB, as a session of some length sends each time
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": PROMPT}]}).encode()
PIECE = bytes(1 << 16)
BIG = 100 << 20


class Model(BaseHTTPRequestHandler):
    """Streams events, or sends back what it gets."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def do_POST(self) -> None:
        """Answer."""
        left = int(self.headers["Content-Length"])
        self.send_response(200)
        if self.path == "/echo":
            self.send_header("Content-Length", str(left))
            self.end_headers()
            while left:
                piece = self.rfile.read(min(left, len(PIECE)))
                left -= len(piece)
                self.wfile.write(piece)
            return
        self.rfile.read(left)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(5):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(EVENT), EVENT))
        self.wfile.write(b"0\r\n\r\n")


def first_byte(connection: http.client.HTTPConnection, path: str) -> float:
    """Seconds from the request's last byte to the answer's first."""
    connection.request("POST", path, BODY, {"Content-Type": "application/json"})
    start = time.perf_counter()
    answer = connection.getresponse()
    answer.read(1)
    took = time.perf_counter() - start
    answer.read()
    return took


def fresh(port: int, path: str) -> float:
    """The same on a connection of its own, its opening included."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    start = time.perf_counter()
    connection.connect()
    took = time.perf_counter() - start
    took += first_byte(connection, path)
    connection.close()
    return took


def echo(port: int, path: str) -> float:
    """Seconds for a big body there and back."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    start = time.perf_counter()
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", str(BIG))
    connection.endheaders()

    def send() -> None:
        for _ in range(BIG // len(PIECE)):
            connection.send(PIECE)

    sender = threading.Thread(target=send)
    sender.start()
    answer = connection.getresponse()
    while answer.read(1 << 18):
        pass
    sender.join()
    connection.close()
    return time.perf_counter() - start


def cpu(pid: int) -> float:
    """Seconds of CPU a process has used (proc_pid_stat(5))."""
    cells = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(cells[11]) + int(cells[12])) / os.sysconf("SC_CLK_TCK")


def figures(direct: list[float], through: list[float], again: list[float]) -> dict[str, Any]:
    """Milliseconds: medians and the 95th of a hundred."""

    def ms(seconds: list[float]) -> dict[str, float]:
        cuts = statistics.quantiles(seconds, n=20)
        return {
            "p50": round(statistics.median(seconds) * 1e3, 3),
            "p95": round(cuts[-1] * 1e3, 3),
        }

    added = [there - here for here, there in zip(direct, through, strict=True)]
    noise = [there - here for here, there in zip(direct, again, strict=True)]
    return {"direct": ms(direct), "proxied": ms(through), "added": ms(added), "control": ms(noise)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=300)
    rounds = parser.parse_args().rounds
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    # A process of its own, as a model's server is: a direct request waits for the scheduler too.
    model = multiprocessing.get_context("fork").Process(target=server.serve_forever, daemon=True)
    model.start()
    with tempfile.TemporaryDirectory() as home:
        proxy = subprocess.Popen(
            [sys.executable, "-m", "dejavu.extensions.wire"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"HOME": home, "PATH": os.environ["PATH"]},
        )
        assert proxy.stdin is not None
        assert proxy.stdout is not None
        facts = {
            "upstreams": [f"http://127.0.0.1:{server.server_port}"], "secret": SECRET,
            "agent": "claude", "instance": "local", "workspace": "/w", "run": "r",
        }  # fmt: skip
        proxy.stdin.write(json.dumps(facts).encode() + b"\n")
        proxy.stdin.flush()
        port = json.loads(proxy.stdout.readline())["port"]
        base = local_base(port, SECRET, 0).removeprefix(f"http://127.0.0.1:{port}")
        ours = http.client.HTTPConnection("127.0.0.1", port)
        theirs = http.client.HTTPConnection("127.0.0.1", server.server_port)
        kept: tuple[list[float], ...] = ([], [], [])
        new: tuple[list[float], ...] = ([], [], [])
        used = cpu(proxy.pid)
        for _ in range(rounds):
            kept[0].append(first_byte(theirs, "/v1/messages"))
            kept[1].append(first_byte(ours, f"{base}/v1/messages"))
            kept[2].append(first_byte(theirs, "/v1/messages"))
        used = cpu(proxy.pid) - used
        for _ in range(rounds):
            new[0].append(fresh(server.server_port, "/v1/messages"))
            new[1].append(fresh(port, f"{base}/v1/messages"))
            new[2].append(fresh(server.server_port, "/v1/messages"))
        speeds = [
            (BIG / 1e6 / echo(server.server_port, "/echo"), BIG / 1e6 / echo(port, f"{base}/echo"))
            for _ in range(3)
        ]
        proxy.communicate(timeout=120)
    direct, through = (statistics.median(one) for one in zip(*speeds, strict=True))
    result = {
        "rounds": rounds,
        "body_bytes": len(BODY),
        "first_byte_ms": figures(*kept),
        "connect_ms": figures(*new),
        "cpu_ms": round(used / rounds * 1e3, 2),
        "megabytes_per_s": {"direct": round(direct), "proxied": round(through)},
        "load": os.getloadavg()[0],
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
