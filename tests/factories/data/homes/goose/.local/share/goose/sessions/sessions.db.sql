BEGIN TRANSACTION;
CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
    created_timestamp INTEGER);
INSERT INTO "messages" VALUES(1,'m1','g1','user','[{"type": "text", "text": "Count the frogs."}]',1772359201);
INSERT INTO "messages" VALUES(2,'m2','g1','assistant','[{"type": "thinking", "thinking": "Count first.", "signature": "s"}, {"type": "text", "text": "Counting."}, {"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}}]',1772359202);
INSERT INTO "messages" VALUES(3,'m3','g1','user','[{"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": {"content": [{"type": "text", "text": "7"}], "isError": false}}}]',1772359203);
INSERT INTO "messages" VALUES(4,'m4','g1','assistant','[{"type": "text", "text": "Seven."}]',1772359204);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, working_dir TEXT, created_at TEXT,
    updated_at TEXT, model_config_json TEXT);
INSERT INTO "sessions" VALUES('g1','frogs','Frogs','/work/pond','2026-03-01T10:00:00Z','2026-03-01T10:00:04Z','{"model_name": "pond"}');
COMMIT;
