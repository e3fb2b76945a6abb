# ruff: noqa: PTH123, SIM115
"""An agent that speaks the Agent Client Protocol by hand: it repeats what it is asked, with a call.

Its own side of the traffic goes to $OWN.in and $OWN.out where that is set. A prompt of `big N` is
answered with N bytes in one line, `noise` with lines that are no JSON, `die` with its end.
"""

import json
import os
import sys

OWN = os.environ.get("OWN")
told = open(f"{OWN}.out", "wb", buffering=0) if OWN else None
asked = open(f"{OWN}.in", "wb", buffering=0) if OWN else None
said: dict[str, list[str]] = {}
waiting: dict[int, tuple[int, str, str]] = {}


def write(data: bytes) -> None:
    if told:
        told.write(data)
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(**message: object) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")


def update(session: str, kind: str, /, **fields: object) -> None:
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
    send(method="session/update", params=params)


def text(session: str, words: str, kind: str = "agent_message_chunk") -> None:
    update(session, kind, content={"type": "text", "text": words})


def prompt(number: int, session: str, words: str) -> None:
    said.setdefault(session, []).append(words)
    if words == "die":
        os._exit(7)
    if words == "noise":
        write(b"debug: not json\n\xff\xfe\x00 not text\n\n   \n[1, 2]\n")
    if words.startswith("big "):
        text(session, "x" * int(words[4:]))
    for piece in ("You said: ", words[:200]):
        text(session, piece)
    call = f"call-{len(said[session])}-{session}"
    update(session, "tool_call", toolCallId=call, title="ls", kind="execute", status="pending")
    waiting[number + 1000] = number, session, call
    options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
    params = {"sessionId": session, "toolCall": {"toolCallId": call}, "options": options}
    send(id=number + 1000, method="session/request_permission", params=params)


def main() -> None:
    for line in sys.stdin.buffer:
        if asked:
            asked.write(line)
        try:
            message = json.loads(line)
        except ValueError:
            continue
        params, number = message.get("params", {}), message.get("id")
        session = params.get("sessionId", "")
        match message.get("method"):
            case "initialize":
                info = {"name": "scripted", "version": "1.2"}
                send(id=number, result={"protocolVersion": 1, "agentInfo": info})
            case "session/new":
                send(id=number, result={"sessionId": f"s-{params['cwd']}"})
            case "session/load":
                for words in said.get(session) or ["earlier", "hello"]:
                    text(session, words, "user_message_chunk")
                    text(session, f"You said: {words}")
                send(id=number, result={})
            case "session/prompt":
                prompt(number, session, params["prompt"][0]["text"])
            case None if number in waiting:
                first, session, call = waiting.pop(number)
                shown = [{"type": "content", "content": {"type": "text", "text": "a\nb"}}]
                update(session, "tool_call_update", toolCallId=call, status="completed",
                       content=shown)  # fmt: skip
                text(session, "Done.")
                send(id=first, result={"stopReason": "end_turn"})
            case _:
                pass


main()
