"""One run of a real agent on the rig, and what our commands say of it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Run:
    """One run of an agent on the rig."""

    folder: Path
    data: Path
    state: Path

    @property
    def truth(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.folder / "truth.json").read_text("utf-8"))
        return value

    @property
    def played(self) -> int:
        return sum(bool(turn.get("played")) for turn in self.truth["turns"])

    def final(self) -> str:
        return (self.folder / "screens" / "final.txt").read_text("utf-8")

    def dejavu(self, *arguments: str) -> Any:
        """A `dejavu` command's JSON on this run's archive."""
        env = {
            **os.environ,
            "DEJAVU_DATA_HOME": str(self.data),
            "DEJAVU_STATE_HOME": str(self.state),
        }
        done = subprocess.run(
            [str(BIN / "dejavu"), *arguments, "--json"],
            env=env,
            capture_output=True,
            check=True,
            timeout=120,
        )
        return json.loads(done.stdout)

    def shown(self) -> dict[str, Any]:
        """The one conversation that was captured."""
        (head,) = self.dejavu("list")["conversations"]
        value: dict[str, Any] = self.dejavu("show", head["id"])
        return value
