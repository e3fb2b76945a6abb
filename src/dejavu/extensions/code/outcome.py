"""What a tool's result says: whether the call succeeded, and its text. Does no I/O. Costs O(tail).

Tested in: tests/extensions/code/test_failures.py
"""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from dejavu.model import ToolCallResponse

_ENDS = 4_000  # characters at either end in which a status is looked for
_CODE = re.compile(
    r"(?:exit(?:ed)?[ _-]?(?:with )?(?:status|code)|exitCode|returned non-zero exit status|"
    r"<exit_code>|Process exited with code)\"?[:=\s]*(-?\d+)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"^\s*(?:<tool_use_error>|error:|Error:|ERROR|Failed to|failed to|No replacement was performed|"
    r"String to replace not found|apply_patch verification failed|File has not been read yet|"
    r"Could not find|The user doesn't want to proceed|User rejected|Permission denied)"
)
_BROKEN = re.compile(
    r"^(?:Traceback \(most recent|error(?:\[\w+\])?: |fatal: |FAILED |FAIL\b|npm ERR!|npm error|panic: |"
    r"E   |[A-Za-z_.]*(?:Error|Exception)(?:: |$)|.*: command not found$|make: \*\*\* |"
    r".*: No such file or directory$|={3,}.* [1-9]\d* failed|Segmentation fault)",
    re.MULTILINE,
)
_KEYS = ("exit_code", "exitCode", "exitcode", "returncode", "status_code")


def response_text(response: object) -> str:
    """A result as text: its own, the text of its blocks, or its JSON."""
    if isinstance(response, str):
        return response
    if response is None:
        return ""
    if isinstance(response, list):
        return "\n".join(response_text(item) for item in cast("list[object]", response))
    if isinstance(response, Mapping):
        fields = cast("Mapping[str, Any]", response)
        for name in ("text", "output", "stdout", "content", "aggregated_output", "error", "result"):
            value = fields.get(name)
            if isinstance(value, (str, list, Mapping)) and value:
                extra = fields.get("stderr")
                text = response_text(cast("object", value))
                return f"{text}\n{extra}" if isinstance(extra, str) and extra else text
    return json.dumps(response, ensure_ascii=False, default=str)


def succeeded(part: ToolCallResponse, *, shell: bool) -> bool | None:
    """Whether a call succeeded; None where a shell's result holds nothing.

    What does not say that it failed has succeeded; a shell's output is looked at for what compilers,
    tests and shells print when they fail, because not every agent keeps the exit code.
    """
    code, text = _stated_code(part.response), response_text(part.response)
    ends = text if len(text) <= 2 * _ENDS else text[:_ENDS] + "\n" + text[-_ENDS:]
    if code is None:
        matches = _CODE.findall(ends) if shell else []
        if matches:
            code = int(matches[0] if text[:200].find(matches[0]) >= 0 else matches[-1])
        elif _FAILED.match(text):
            return False
    if part.is_error:
        return False
    if code is not None:
        return code == 0
    if not shell:
        return True
    return not _BROKEN.search(ends) if ends.strip() else None


def _stated_code(response: object) -> int | None:
    if not isinstance(response, Mapping):
        return None
    fields = cast("Mapping[str, Any]", response)
    for name in _KEYS:
        value = fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    inner = fields.get("metadata")
    return _stated_code(cast("object", inner)) if isinstance(inner, Mapping) else None
