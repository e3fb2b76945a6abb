BEGIN TRANSACTION;
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
    timestamp REAL NOT NULL);
INSERT INTO "messages" VALUES(1,'h0','user','Count the frogs.',1772359200.0);
INSERT INTO "messages" VALUES(2,'h0','assistant','Seven.',1772359201.0);
COMMIT;
