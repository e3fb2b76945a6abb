import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest


def test_the_page_is_served_until_it_is_interrupted(home: Path) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra http")
    command = [sys.executable, "-m", "dejavu.interfaces.cli", "web", "--no-open"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[2]  # serving on URL (...)
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert b"<html" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(f"{url}v1/sessions", timeout=30)
        refused.value.close()
    finally:
        server.terminate()
        server.communicate(timeout=30)
