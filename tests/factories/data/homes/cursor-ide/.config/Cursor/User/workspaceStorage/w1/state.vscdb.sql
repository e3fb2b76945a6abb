BEGIN TRANSACTION;
CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB);
INSERT INTO "ItemTable" VALUES('workbench.panel.aichat.view.aichat.chatdata','{"tabs": [{"tabId": "t1", "chatTitle": "Toads", "bubbles": [{"type": "user", "text": "And toads?"}, {"type": "ai", "rawText": "None."}]}]}');
CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB);
COMMIT;
