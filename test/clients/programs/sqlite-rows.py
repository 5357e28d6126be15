"""For Litestream: `sqlite-rows.py add DB COUNT` adds rows of 4 KiB in transactions of a hundred; `digest DB` is of all rows."""

import hashlib
import os
import sqlite3
import sys

action, path = sys.argv[1:3]
db = sqlite3.connect(path)
if action == "add":
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE IF NOT EXISTS rows (i INTEGER PRIMARY KEY, body BLOB)")
    for _ in range(int(sys.argv[3]) // 100):
        with db:
            db.executemany("INSERT INTO rows (body) VALUES (?)", ((os.urandom(4096),) for _ in range(100)))
else:
    digest = hashlib.sha256()
    for i, body in db.execute("SELECT i, body FROM rows ORDER BY i"):
        digest.update(b"%d" % i + body)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    print(digest.hexdigest())
