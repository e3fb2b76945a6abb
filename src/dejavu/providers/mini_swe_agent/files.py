"""mini-SWE-agent: a trajectory a run, rewritten whole.

Reads `*.traj.json` below `~/.config/mini-swe-agent`, where its `mini` leaves the last run, unless it is
told where. (Seen of 2.4.6, form `mini-swe-agent-1.1`.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Role, Text, ToolCall

from ..entry_parsers import DocumentEntries, Entries
from ..formats.entries import Entry, Session, entry, first_str, time_of, usage_of
from ..formats.json_lines import as_dict, as_dicts, as_str


class TrajectoryParser(DocumentEntries):
    """One run, one conversation."""

    def session(self, document: dict[str, Any]) -> Session:
        """Version and model."""
        info = as_dict(document.get("info"))
        model = as_str(as_dict(as_dict(info.get("config")).get("model")).get("model_name"))
        folder = as_str(as_dict(as_dict(info.get("config")).get("environment")).get("cwd"))
        return Session(
            workspace=folder, agent_version=as_str(info.get("mini_version")), model=model
        )

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message; actions next to it are its calls. A refused answer is in its complaint."""
        if record.get("role") == "exit":
            words = as_str(record.get("content"))
            return [Entry(Role.SYSTEM, (Text(words),))] if words else []
        said = entry(record, self.source.agent, self._strange)
        if said is None:
            return None
        extra = as_dict(record.get("extra"))
        response = as_dict(extra.get("response"))
        said = said._replace(at=said.at or time_of(extra.get("timestamp")))
        if said.role is Role.ASSISTANT:
            calls = any(isinstance(part, ToolCall) for part in said.parts)
            actions = tuple(
                ToolCall(
                    first_str(action, "tool_call_id") or None,
                    "bash",
                    {"command": action.get("command")},
                )
                for action in as_dicts(extra.get("actions"))
                if not calls
            )
            usage = usage_of(response.get("usage")) or said.usage
            model = first_str(response, "model") or said.model
            said = said._replace(parts=(*said.parts, *actions), usage=usage, model=model)
        if said.role is Role.USER and response:
            complaint = said._replace(role=Role.SYSTEM)  # the program's, about the answer before
            return [*self._refused(response, said.at), complaint]
        return [said]

    def _refused(self, response: dict[str, Any], at: float | None) -> list[Entry]:
        """An answer that the program did not take, as the model gave it."""
        for choice in as_dicts(response.get("choices")):
            message = as_dict(choice.get("message"))
            answer = entry(message, self.source.agent, self._strange)
            if answer is not None and answer.parts:
                usage, model = usage_of(response.get("usage")), first_str(response, "model")
                return [answer._replace(at=at, usage=usage, model=model or None)]
        return []
