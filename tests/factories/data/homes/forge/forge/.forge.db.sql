BEGIN TRANSACTION;
CREATE TABLE conversations (conversation_id TEXT PRIMARY KEY, title TEXT, workspace_id INTEGER, context TEXT, created_at TEXT, updated_at TEXT);
INSERT INTO "conversations" VALUES('f1','Frogs',1,'{"conversation_id": "f1", "messages": [{"text": {"role": "System", "content": "Be brief."}}, {"text": {"role": "User", "content": "Count the frogs."}}, {"message": {"text": {"role": "Assistant", "content": "Counting.", "tool_calls": [{"name": "shell", "call_id": "c1", "arguments": {"command": "ls"}}]}}, "usage": {"prompt_tokens": 100, "completion_tokens": 9}}, {"tool": {"name": "shell", "call_id": "c1", "output": {"is_error": false, "values": [{"text": "7"}]}}}, {"text": {"role": "Assistant", "content": "Seven."}}]}','2026-03-01T10:00:00Z','2026-03-01T10:00:04Z');
INSERT INTO "conversations" VALUES('f2','Empty',1,NULL,'2026-03-01T10:00:00Z','2026-03-01T10:00:04Z');
COMMIT;
