BEGIN TRANSACTION;
CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
INSERT INTO "conversations" VALUES('/work/pond','{"conversation_id": "q1", "history": [{"user": {"content": {"Prompt": {"prompt": "Count the frogs."}}, "timestamp": "2026-03-01T10:00:00Z", "env_context": {"env_state": {"current_working_directory": "/work/pond"}}}, "assistant": {"ToolUse": {"message_id": "a1", "content": "Counting.", "tool_uses": [{"id": "c1", "name": "shell", "args": {"command": "ls"}}]}}}, [{"content": {"ToolUseResults": {"tool_use_results": [{"tool_use_id": "c1", "status": "Success", "content": [{"Text": "7"}]}]}}}, {"Response": {"message_id": "a2", "content": "Seven."}}]], "model_info": {"model_id": "pond"}}');
CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT, created_at INTEGER, updated_at INTEGER);
INSERT INTO "conversations_v2" VALUES('/work/pond','q2','{"conversation_id": "q2", "history": [{"user": {"content": {"Prompt": {"prompt": "And toads?"}}}, "assistant": {}}]}',1772359200,1772359200);
COMMIT;
