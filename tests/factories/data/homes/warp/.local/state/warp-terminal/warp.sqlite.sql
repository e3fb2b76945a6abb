BEGIN TRANSACTION;
CREATE TABLE ai_queries (id INTEGER PRIMARY KEY, exchange_id TEXT, conversation_id TEXT, start_ts TEXT,
    input TEXT, working_directory TEXT, output_status TEXT, model_id TEXT);
INSERT INTO "ai_queries" VALUES(1,'x1','w1','2026-03-01 10:00:01','[{"Query": {"text": "Count the frogs.", "context": []}}]','/work/pond','Completed','pond');
INSERT INTO "ai_queries" VALUES(2,'x2','w1','2026-03-01 10:00:02','[{"ActionResult": {"output": "7"}}]','/work/pond','Completed','pond');
COMMIT;
