"""Write examples/client.ts, the TypeScript client, from the OpenAPI document of `dejavu serve`.

    python tools/typescript_client.py            write it
    python tools/typescript_client.py --check    exit 1 where it is not what would be written

No dependency: the document is small and made by us.
"""

import sys
from pathlib import Path
from typing import Any

from dejavu.extensions.web.endpoints import ENDPOINTS
from dejavu.extensions.web.openapi import document

TARGET = Path(__file__).resolve().parents[1] / "examples" / "client.ts"
_PLAIN = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}

_HEAD = """\
// The HTTP API of `dejavu serve`, typed. Made by tools/typescript_client.py; do not edit.
//
//   const client = new Client("http://127.0.0.1:8765", token);
//   await client.startSession({ command: ["claude"], name: "api" });
//   for await (const session of client.events()) console.log(session.name, session.state);

"""

_CLIENT = """\
export class DejavuError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

export class Client {
  constructor(private readonly url: string, private readonly token = "") {}

  private async ask(
    method: string,
    path: string,
    query: Record<string, unknown> = {},
    body?: unknown,
  ): Promise<any> {
    const words = Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]);
    const place = new URL(path, this.url);
    place.search = new URLSearchParams(words).toString();
    const headers: Record<string, string> = {};
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(place, { method, headers, body: text });
    const value = await response.json();
    if (!response.ok) throw new DejavuError(value.error, response.status);
    return value;
  }

  /** Every live session, then each as it changes; goes on where it was when the line breaks. */
  async *events(session = ""): AsyncGenerator<Session> {
    let last = "";
    for (;;) {
      try {
        const place = new URL("/v1/events", this.url);
        if (session) place.searchParams.set("session", session);
        const headers: Record<string, string> = { "Last-Event-ID": last };
        if (this.token) headers.Authorization = `Bearer ${this.token}`;
        const response = await fetch(place, { headers });
        if (!response.ok || !response.body) {
          throw new DejavuError("no events", response.status);
        }
        const decoder = new TextDecoder();
        const reader = response.body.getReader();
        let text = "";
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
          text += decoder.decode(piece.value, { stream: true });
          const events = text.split("\\n\\n");
          text = events.pop() ?? "";
          for (const event of events) {
            const fields = new Map<string, string>();
            for (const line of event.split("\\n")) {
              const at = line.indexOf(": ");
              if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2));
            }
            last = fields.get("id") ?? last;
            if (fields.get("event") === "session") yield JSON.parse(fields.get("data") ?? "");
          }
        }
      } catch (error) {
        if (error instanceof DejavuError) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
"""


def type_of(schema: dict[str, Any]) -> str:
    """Return a JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " | ".join(_of_kind(kind, schema) for kind in kinds)


def _of_kind(kind: str, schema: dict[str, Any]) -> str:
    if kind == "array":
        inner = type_of(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kind != "object":
        return _PLAIN[kind]
    if "properties" not in schema:
        more = schema.get("additionalProperties")
        return f"Record<string, {type_of(more) if isinstance(more, dict) else 'unknown'}>"
    required = schema.get("required", ())
    fields = [
        f"{name}{'' if name in required else '?'}: {type_of(inner)}"
        for name, inner in schema["properties"].items()
    ]
    return "{ " + "; ".join(fields) + " }"


def _interfaces(schemas: dict[str, Any]) -> str:
    lines: list[str] = []
    for name, schema in schemas.items():
        if name == "Error":
            continue
        if schema.get("type") != "object":
            lines.append(f"export type {name} = {type_of(schema)};\n")
            continue
        lines.append(f"export interface {name} {{")
        required = schema.get("required", ())
        for field, inner in schema["properties"].items():
            lines.append(f"  {field}{'' if field in required else '?'}: {type_of(inner)};")
        lines.append("}\n")
    return "\n".join(lines)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _method(method: str, path: str, operation: dict[str, Any]) -> str:
    parameters = operation.get("parameters", [])
    in_path = [p["name"] for p in parameters if p["in"] == "path"]
    in_query = [p for p in parameters if p["in"] == "query"]
    arguments = [f"{name}: string" for name in in_path]
    query, body = "{}", "undefined"
    if in_query:
        fields = "; ".join(
            f"{p['name']}{'' if p['required'] else '?'}: {type_of(p['schema'])}" for p in in_query
        )
        needed = any(p["required"] for p in in_query)
        arguments.append(f"query: {{ {fields} }}" + ("" if needed else " = {}"))
        query = "query"
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        arguments.append(f"body: {type_of(schema)}" + ("" if schema["required"] else " = {}"))
        body = "body"
    elif method == "post":
        body = "{}"
    answer = type_of(operation["responses"]["200"]["content"]["application/json"]["schema"])
    place = path
    for name in in_path:
        place = place.replace(f"{{{name}}}", f"${{encodeURIComponent({name})}}")
    quoted = f"`{place}`" if in_path else f'"{place}"'
    return (
        f"\n  /** {operation['summary']} */\n"
        f"  {_camel(operation['operationId'])}({', '.join(arguments)}): Promise<{answer}> {{\n"
        f'    return this.ask("{method.upper()}", {quoted}, {query}, {body});\n  }}\n'
    )


def client() -> str:
    """Return the whole file."""
    whole = document(ENDPOINTS, version="1", token=True)
    methods = "".join(
        _method(method, path, operation)
        for path, operations in whole["paths"].items()
        for method, operation in operations.items()
        if path != "/v1/events"
    )
    return _HEAD + _interfaces(whole["components"]["schemas"]) + "\n" + _CLIENT + methods + "}\n"


def main() -> int:
    """Write the file, or compare it."""
    text = client()
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.exists() and TARGET.read_text() == text else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
