BEGIN TRANSACTION;
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,
    tool_calls TEXT, timestamp REAL, token_count INTEGER, reasoning TEXT, active INTEGER, compacted INTEGER);
INSERT INTO "messages" VALUES(1,'h1','user','Count the frogs.',NULL,NULL,1772359200.0,4,NULL,1,0);
INSERT INTO "messages" VALUES(2,'h1','assistant',NULL,NULL,'[{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"ls\"}"}}]',1772359201.0,9,'Count first.',1,0);
INSERT INTO "messages" VALUES(3,'h1','tool','7','c1',NULL,1772359202.0,NULL,NULL,1,0);
INSERT INTO "messages" VALUES(4,'h1','assistant','',NULL,NULL,1772359203.0,2,NULL,1,0);
INSERT INTO "messages" VALUES(5,'h1','user','Forget it.',NULL,NULL,1772359204.0,2,NULL,0,0);
INSERT INTO "messages" VALUES(6,'h2','user','And toads?',NULL,NULL,1772359209.0,2,NULL,0,1);
INSERT INTO "messages" VALUES(7,'h2','user','And toads?',NULL,NULL,1772359209.0,2,NULL,1,0);
INSERT INTO "messages" VALUES(8,'h2','moderator','Be kind.',NULL,NULL,1772359210.0,2,NULL,1,0);
CREATE TABLE sessions (id TEXT PRIMARY KEY, model TEXT, parent_session_id TEXT, started_at REAL, cwd TEXT, title TEXT);
INSERT INTO "sessions" VALUES('h1','pond',NULL,1772359200.0,'/work/pond','Frogs');
INSERT INTO "sessions" VALUES('h2','pond','h1',1772359209.0,'/work/pond',NULL);
COMMIT;
