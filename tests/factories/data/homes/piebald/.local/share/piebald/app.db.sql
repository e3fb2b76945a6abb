BEGIN TRANSACTION;
CREATE TABLE chats (id INTEGER PRIMARY KEY, title TEXT, created_at TEXT);
INSERT INTO "chats" VALUES(1,'Frogs','2026-03-01T10:00:00Z');
CREATE TABLE messages (id INTEGER PRIMARY KEY, chat_id INTEGER, role TEXT, content TEXT, model TEXT, input_tokens INTEGER,
    output_tokens INTEGER, created_at TEXT, updated_at TEXT);
INSERT INTO "messages" VALUES(1,1,'user','[{"type": "text", "text": "Count the frogs."}]','pond',100,9,'2026-03-01T10:00:01Z','2026-03-01T10:00:01Z');
INSERT INTO "messages" VALUES(2,1,'assistant','[{"type": "thinking", "thinking": "Count first."}, {"type": "text", "text": "Counting."}, {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}}]','pond',100,9,'2026-03-01T10:00:02Z','2026-03-01T10:00:02Z');
INSERT INTO "messages" VALUES(3,1,'user','[{"type": "tool_result", "tool_use_id": "c1", "content": "7"}]','pond',100,9,'2026-03-01T10:00:03Z','2026-03-01T10:00:03Z');
INSERT INTO "messages" VALUES(4,1,'assistant','[{"type": "text", "text": "Seven."}]','pond',100,9,'2026-03-01T10:00:04Z','2026-03-01T10:00:04Z');
COMMIT;
