"""The guard: what replaces a tool's result before the model sees it.

An agent hands a tool's result to a hook; the answer puts the redacted result in its place, in the
form that this agent takes (`Agent.guard_form`, tried with the versions that docs/agents.md names).
Where nothing is secret there is no answer: an agent takes the last answer of several hooks, and an
empty rewrite would undo another's. What cannot be checked is withheld, or let pass if the user said
so. No I/O. Costs O(result): 70 ms a megabyte, and up to `_MOST_FORMS` three times that, because secrets in
other forms are looked for.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from dejavu.model import is_json_array, is_json_object
from dejavu.providers.registry import find_agent
from dejavu.redact.conversation import counted_kinds, marks, redact_value, texts_in
from dejavu.redact.split_secrets import DATA

RESULTS = ("tool_response", "tool_result", "toolResult")
"""Where a payload has the result, by agent."""
_INPUTS = ("tool_input", "toolArgs", "tool_args", "toolInput", "args", "arguments")
"""Where a payload has what the call was given, by agent."""
_KEY_FILE = re.compile(
    r"(?:^|[\s/'\"=:])(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?"
    r"|(?!\S{0,40}(?:cert|chain|pub|ca\.))[\w.-]{1,80}\.(?:pem|key|p8|pk8))(?=$|[\s'\";|&)])"
)
_MASTER_KEY = re.compile(r"config/(?:master|credentials/\w{1,30})\.key\b")
_KEY_HEADER = "-----BEGIN PRIVATE KEY-----\n"
_KEY_BODY = re.compile(r"(?:^|[\s+>|│→:])[A-Za-z0-9+/]{40,}={0,2}(?:\s|$)")
_MOST_FORMS = 1 << 20  # bytes of a payload; a longer one would not be judged in time
_WITHHELD = "[withheld: Déjà Vu could not check this result for secrets]"
_WORD = re.compile(r"[A-Za-z_]{0,16}")
"""Texts that stay in a result that is withheld, such as the name of its kind."""


class Guarded(NamedTuple):
    """The answer to one payload."""

    output: bytes
    """What the hook prints; empty: the result passes as it is."""
    payload: bytes
    """The payload with its result redacted, to be kept; empty where it is what it was."""


def guarded(agent: str, data: bytes, redact: Callable[[str], str]) -> Guarded:
    """Return what becomes of the result in an agent's payload.

    Raises:
        ValueError: the payload is no JSON object, or the agent has no such form.
    """
    payload: Any = json.loads(data)
    field = next((name for name in RESULTS if name in payload), None) if payload else None
    if field is None:
        return Guarded(b"", b"")
    result = payload[field]
    lead = _lead(payload)

    def clean_text(text: str) -> str:
        if DATA.fullmatch(text):
            return text
        return _redact_behind(lead, redact(text), redact) if lead else redact(text)

    clean = redact_value(result, clean_text, forms=len(data) <= _MOST_FORMS)
    if clean == result:
        return Guarded(b"", b"")
    redacted = json.dumps({**payload, field: clean}).encode()
    return Guarded(_output(agent, payload, clean, _notice(data, redacted)), redacted)


def _lead(payload: dict[str, Any]) -> str:
    """Return what a part of the file that a call names has in front of it, if it is a key's."""
    named = " ".join(text for field in _INPUTS for text in texts_in(payload.get(field)))
    if _MASTER_KEY.search(named):
        return "RAILS_MASTER_KEY="
    return _KEY_HEADER if _KEY_FILE.search(named) else ""


def _redact_behind(lead: str, text: str, redact: Callable[[str], str]) -> str:
    """Return a text redacted as what follows `lead`, which a call may have left out."""
    if lead == _KEY_HEADER and ("-----BEGIN" in text or not _KEY_BODY.search(text)):
        return text
    return redact(lead + text).removeprefix(lead)


def withheld(agent: str, data: bytes) -> bytes:
    """Return what the hook prints where a result could not be checked: all of it is withheld."""
    try:
        payload: Any = json.loads(data)
        field = next(name for name in RESULTS if name in payload)
    except (ValueError, TypeError, StopIteration, RecursionError):
        # Whatever the result is, its shape is not known, so no other can stand in its place.
        return _dump({"continue": False, "stopReason": _WITHHELD, "decision": "block",
                      "reason": _WITHHELD})  # fmt: skip
    return _output(agent, payload, _blanked(payload[field]), _WITHHELD)


def _notice(before: bytes, after: bytes) -> str:
    """Return the notice for the model: how many different secrets were replaced, and of which kinds."""
    found = set(marks(after.decode())) - set(marks(before.decode("utf-8", "replace")))
    kinds = counted_kinds(Counter(kind for kind, _ in found))
    secrets = "1 secret" if len(found) == 1 else f"{len(found)} secrets"
    return (
        f"Déjà Vu replaced {secrets} ({kinds}) in this result by [redacted:...] before you saw it; "
        "the call itself succeeded and nothing on disk was changed. Continue without the values, and "
        "never write the placeholders into a file."
    )


def _blanked(value: Any) -> Any:
    """Return a result with its shape and without its texts."""
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) else _WITHHELD
    if is_json_array(value):
        return [_blanked(item) for item in value]
    if is_json_object(value):
        return {key: _blanked(item) for key, item in value.items()}
    return value


def _output(agent: str, payload: dict[str, Any], clean: Any, notice: str) -> bytes:
    """Return the answer in the agent's form."""
    known = find_agent(agent)
    form = known.guard_form if known is not None else ""
    if form == "updated_output":
        event = payload.get("hook_event_name", "PostToolUse")
        specific = {
            "hookEventName": event, "updatedToolOutput": clean, "additionalContext": notice,
        }  # fmt: skip
        return _dump({"hookSpecificOutput": specific})
    if form == "block":
        return _dump({"decision": "block", "reason": _as_text(clean, notice)})
    if form == "stop":
        return _dump({"continue": False, "stopReason": _as_text(clean, notice)})
    if form == "modified_result":
        return _dump({"modifiedResult": _modified_result(clean, notice)})
    if form == "output":
        return _dump(_with_notice(clean, notice))
    raise ValueError(f"the results of {agent}'s tools cannot be replaced")


def _as_text(clean: Any, notice: str) -> str:
    """Return a result as the one text that replaces it, behind the notice."""
    if is_json_object(clean):
        clean = clean.get("llmContent", clean)
    texts = [clean] if isinstance(clean, str) else []
    if is_json_array(clean):
        texts = [part["text"] for part in clean if is_json_object(part) and "text" in part]
    return f"[{notice}]\n" + ("\n".join(texts) or json.dumps(clean, ensure_ascii=False))


def _modified_result(clean: Any, notice: str) -> dict[str, Any]:
    fields: dict[str, Any] = clean if is_json_object(clean) else {}
    text = fields.get("text_result_for_llm", fields.get("textResultForLlm", clean))
    kind = fields.get("result_type", fields.get("resultType", "success"))
    return {"textResultForLlm": f"{text}\n[{notice}]", "resultType": kind}


def _with_notice(clean: Any, notice: str) -> Any:
    if not is_json_object(clean):
        return clean
    output: dict[str, Any] = dict(clean)
    if isinstance(output.get("output"), str):
        output["output"] += f"\n[{notice}]"
    return output


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()
