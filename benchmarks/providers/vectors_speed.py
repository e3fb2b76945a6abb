"""CPU time of the weaker vectors' parsers beside the least that any reader must do.

For each vector a long conversation is made up and fed in 64 KiB chunks, updates taken after each;
beside it, in turns, `json.loads` reads the same lines. Prints JSON: MB, CPU seconds (medians) and
their ratio. A ratio that grows with `--turns` would be a parser that is not linear.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

from dejavu.providers import HOOKS, STREAMS, TELEMETRY, Kind, Source
from dejavu.providers.formats.hooks import encode_entry as hook_line
from dejavu.providers.formats.otlp import line as otlp_line
from dejavu.providers.formats.wire import Exchange
from dejavu.providers.formats.wire import parser as wire_parser

CHUNK = 1 << 16
SAID = "The quick brown fox jumps over the lazy dog. " * 12


def claude_stream(turns):
    """Partial messages: every answer in deltas of 14 characters, then whole."""
    told = [{"type": "system", "subtype": "init", "session_id": "s1", "cwd": "/w"}]
    for number in range(turns):
        base = {"session_id": "s1", "parent_tool_use_id": None}
        key, text = f"m{number}", f"{number} {SAID}"
        events = [{"type": "message_start", "message": {"id": key}},
                  {"type": "content_block_start", "index": 0,
                   "content_block": {"type": "text", "text": ""}}]  # fmt: skip
        events += [
            {"type": "content_block_delta", "index": 0,
             "delta": {"type": "text_delta", "text": text[place : place + 14]}}
            for place in range(0, len(text), 14)
        ]  # fmt: skip
        told += [{"type": "stream_event", "event": event, **base} for event in events]
        content = [{"type": "text", "text": text}]
        told.append({"type": "assistant", "message": {"id": key, "content": content}, **base})
        asked = [{"type": "text", "text": f"prompt {number}"}]
        told.append({"type": "user", "message": {"role": "user", "content": asked}, **base})
    return "".join(json.dumps(one) + "\n" for one in told).encode()


def codex_stream(turns):
    """Whole items."""
    told = [{"type": "thread.started", "thread_id": "t1"}]
    for number in range(turns):
        run = {"id": f"c{number}", "type": "command_execution", "command": "ls"}
        told += [
            {"type": "item.completed", "item": {"id": f"a{number}", "type": "agent_message",
                                                "text": f"{number} {SAID}"}},
            {"type": "item.started", "item": run},
            {"type": "item.completed", "item": {**run, "aggregated_output": SAID,
                                                "status": "completed"}},
        ]  # fmt: skip
    return "".join(json.dumps(one) + "\n" for one in told).encode()


def claude_hooks(turns):
    """Prompts, displayed answers, calls and results."""
    lines = []
    for number in range(turns):
        base = {"session_id": "s1", "cwd": "/w"}
        events = [
            {"hook_event_name": "UserPromptSubmit", "prompt": f"prompt {number}"},
            *({"hook_event_name": "MessageDisplay", "message_id": f"m{number}", "index": place,
               "delta": SAID[:99]} for place in range(6)),
            {"hook_event_name": "PreToolUse", "tool_use_id": f"c{number}", "tool_name": "Bash",
             "tool_input": {"command": "ls"}},
            {"hook_event_name": "PostToolUse", "tool_use_id": f"c{number}", "tool_response": SAID},
            {"hook_event_name": "Stop", "last_assistant_message": f"{number} done"},
        ]  # fmt: skip
        lines += [hook_line({**base, **event}, float(number)) for event in events]
    return b"".join(lines)


def claude_otlp(turns):
    """One batch a turn."""
    lines = []
    for number in range(turns):
        answer = {"response": f"{number} {SAID}", "query_source": "sdk"}
        told = [("user_prompt", {"prompt": f"prompt {number}"}), ("assistant_response", answer)]
        records = [
            {"timeUnixNano": str(number + 1), "attributes": [
                {"key": key, "value": {"stringValue": value}}
                for key, value in {"event.name": name, "session.id": "s1", **facts}.items()]}
            for name, facts in told
        ]  # fmt: skip
        body = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
        lines.append(otlp_line("/v1/logs", json.dumps(body).encode(), "application/json", 1.0))
    return b"".join(lines)


def anthropic_wire(turns):
    """Every request tells the whole conversation again, so bytes grow with the square of turns."""
    lines, talk = [], []
    for number in range(turns):
        talk.append({"role": "user", "content": f"prompt {number}"})
        body = {"model": "m", "system": SAID, "tools": [{"name": "Bash"}], "messages": talk}
        content = [{"type": "text", "text": f"{number} {SAID}"}]
        exchange = Exchange("/v1/messages", [("x-claude-code-session-id", "s1")], float(number))
        exchange.status = 200
        exchange.request(json.dumps(body).encode())
        exchange.response(json.dumps({"id": f"m{number}", "content": content}).encode())
        lines.append(exchange.line())
        talk.append({"role": "assistant", "content": content})
    return b"".join(lines)


def source(agent):
    """A source of that agent."""
    return Source(agent, Path("trace"), "local", Kind.APPEND)


CASES = {
    "stream claude": (claude_stream, lambda: STREAMS["claude"].parser(source("claude")), 1),
    "stream codex": (codex_stream, lambda: STREAMS["codex"].parser(source("codex")), 1),
    "hook claude": (claude_hooks, lambda: HOOKS["claude"].parser(source("claude")), 1),
    "otlp claude": (claude_otlp, lambda: TELEMETRY["claude"].parser(source("claude")), 1),
    "wire messages": (anthropic_wire, lambda: wire_parser(source("claude")), 0.15),
}


def parse(data, parser):
    """Feed all, take all; gives the number of turns."""
    turns = 0
    for offset in range(0, len(data), CHUNK):
        parser.feed(data[offset : offset + CHUNK], offset)
        turns = max([turns, *(update.start + len(update.turns) for update in parser.take())])
    parser.close()
    return max([turns, *(update.start + len(update.turns) for update in parser.take())])


def spent(work):
    """CPU seconds of one run."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main():
    """Measure every case."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--turns", type=int, default=2000)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    results = {}
    for name, (make, parser, share) in CASES.items():
        data = make(max(1, int(chosen.turns * share)))
        ours, peers = [], []
        for _ in range(chosen.rounds):
            ours.append(spent(lambda d=data, p=parser: parse(d, p())))
            peers.append(spent(lambda d=data: [json.loads(line) for line in d.splitlines()]))
        mine, peer = statistics.median(ours), statistics.median(peers)
        results[name] = {
            "megabytes": round(len(data) / 1e6, 2),
            "turns": parse(data, parser()),
            "cpu_s": round(mine, 3),
            "json_loads_s": round(peer, 3),
            "ratio": round(mine / peer, 2),
        }
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
