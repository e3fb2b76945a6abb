"""Session files as agents write them."""

import json
from pathlib import Path


def claude_session(home: Path, *prompts: str, name: str = "s1", cwd: str = "/work/x") -> Path:
    """A Claude Code transcript of prompts and answers below `home`."""
    folder = home / ".claude" / "projects" / "-work-x"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    rows: list[dict[str, object]] = []
    for number, prompt in enumerate(prompts):
        at = f"2026-11-21T10:00:{number:02d}.000Z"
        common = {"sessionId": name, "cwd": cwd, "timestamp": at, "version": "2.1.330"}
        rows.append(
            {
                **common,
                "type": "user",
                "uuid": f"u{number}",
                "message": {"role": "user", "content": prompt},
            }
        )
        answer = {
            "id": f"m{number}",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": f"re: {prompt}"}],
        }
        rows.append({**common, "type": "assistant", "uuid": f"a{number}", "message": answer})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
