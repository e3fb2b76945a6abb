"""Auggie: a JSON document a session, its history in exchanges.

Reads `sessions/*.json` below `~/.augment`. An exchange has what was sent (`request_message`, or
nodes with the results of tools) and what came back (`response_text`, nodes with calls). Node types
are numbers: 0 text, 1 a tool's result in a request, 5 a call in a response. (Form: observed by
others, 2026.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Part, Reasoning, Role, Text, ToolCall, ToolCallResponse

from ..entry_parsers import DocumentEntries, Entries
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, first_str, time_of
from ..formats.json_lines import UNREADABLE, as_dict, as_dicts, as_list, as_str


class AuggieParser(DocumentEntries):
    """One session, one conversation."""

    messages = ("chatHistory", "chat_history")

    def session(self, document: dict[str, Any]) -> Session:
        """Title, folder, model and beginning."""
        agent = as_dict(document.get("agentState"))
        folders = as_list(document.get("workspaceRoots")) or [document.get("workspaceRoot")]
        model = first_str(document, "modelId", "model") or first_str(agent, "modelId")
        title, began = first_str(document, "customTitle", "title"), time_of(document.get("created"))
        return Session(title, as_str(folders[0]), began, model=model)

    def entries(self, record: dict[str, Any]) -> Entries:
        """One exchange: what was asked, and what was answered."""
        exchange = as_dict(record.get("exchange")) or record
        if not exchange.keys() & {
            "request_message",
            "response_text",
            "request_nodes",
            "response_nodes",
        }:
            self.drift[UNREADABLE] += 1
            return None
        at = time_of(record.get("finishedAt") or exchange.get("timestamp"))
        native = first_str(exchange, "request_id") or None
        asked: list[Part] = []
        results: list[Part] = []
        for node in as_dicts(exchange.get("request_nodes")):
            if result := as_dict(node.get("tool_result_node")):
                content = blocks.response(result.get("content"))[0]
                name = first_str(result, "tool_use_id") or None
                results.append(ToolCallResponse(name, content, bool(result.get("is_error"))))
            elif words := first_str(as_dict(node.get("text_node")), "content"):
                asked.append(Text(words))
        if words := first_str(exchange, "request_message"):
            asked = [Text(words)]
        answer: list[Part] = []
        said = ""
        for node in as_dicts(exchange.get("response_nodes")):
            if thought := first_str(as_dict(node.get("thinking")), "summary", "content"):
                answer.append(Reasoning(thought))
            elif call := as_dict(node.get("tool_use")):
                given = call.get("input_json", call.get("input"))
                name = first_str(call, "tool_use_id", "id") or None
                answer.append(
                    ToolCall(name, first_str(call, "tool_name", "name"), blocks.arguments(given))
                )
            elif words := first_str(node, "content"):
                said += words
        if words := first_str(exchange, "response_text") or said:
            answer.insert(0, Text(words))
        told = [Entry(Role.USER, tuple(asked), tuple(results), at, native)]
        return [*told, Entry(Role.ASSISTANT, tuple(answer), (), at)]
