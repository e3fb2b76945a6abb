BEGIN TRANSACTION;
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
INSERT INTO "message" VALUES('m1','ses_1',1772359200000,1772359200000,'{"role": "user"}');
INSERT INTO "message" VALUES('m2','ses_1',1772359201000,1772359204000,'{"role": "assistant", "modelID": "pond", "time": {"created": 1772359201000}, "tokens": {"input": 100, "output": 9}}');
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
INSERT INTO "part" VALUES('p1','m1','ses_1',1772359200,1772359200,'{"type": "text", "text": "Count the frogs."}');
INSERT INTO "part" VALUES('p2','m2','ses_1',1772359200,1772359200,'{"type": "reasoning", "text": "Count first."}');
INSERT INTO "part" VALUES('p3','m2','ses_1',1772359200,1772359200,'{"type": "text", "text": "Counting."}');
INSERT INTO "part" VALUES('p4','m2','ses_1',1772359200,1772359200,'{"type": "tool", "callID": "c1", "tool": "bash", "state": {"status": "completed", "input": {"command": "ls"}, "output": "7"}}');
INSERT INTO "part" VALUES('p5','m2','ses_1',1772359200,1772359200,'{"type": "text", "text": "Seven."}');
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
    time_created INTEGER, time_updated INTEGER);
INSERT INTO "session" VALUES('ses_1',NULL,'/work/pond','Frogs','1.0',1772359200000,1772359204000);
COMMIT;
