/** SQLite as somebody would begin with it: one table, each put a transaction of its own, synced. */
import Database from 'libsql'

export async function open(directory) {
  const db = new Database(`${directory}/objects.db`)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec('CREATE TABLE objects (key TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID')
  const put = db.prepare('INSERT INTO objects VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body')
  const get = db.prepare('SELECT body FROM objects WHERE key = ?')
  const head = db.prepare('SELECT length(body) AS size FROM objects WHERE key = ?')
  const list = db.prepare(
    'SELECT count(*) AS count FROM (SELECT key FROM objects WHERE key > ? ORDER BY key LIMIT 1000)',
  )
  const remove = db.prepare('DELETE FROM objects WHERE key = ?')
  return {
    put: async (key, body) => void put.run(key, body),
    get: async (key) => get.get(key)?.body,
    head: async (key) => head.get(key)?.size,
    list: async (after) => list.get(after).count,
    delete: async (key) => void remove.run(key),
    close: async () => void db.close(),
  }
}
