/** LMDB as somebody would begin with it: bytes by key, each put waited for until it is on the disk. */
import { open as openLmdb } from 'lmdb'

export async function open(directory) {
  const db = openLmdb({ path: `${directory}/objects.mdb`, encoding: 'binary' })
  const onDisk = async (written) => {
    await written
    await db.flushed
  }
  return {
    put: (key, body) => onDisk(db.put(key, body)),
    get: async (key) => db.getBinary(key),
    head: async (key) => db.getBinary(key)?.length,
    async list(after) {
      let count = 0
      for (const key of db.getKeys({ start: after, limit: 1001 })) if (key !== after) count++
      return Math.min(count, 1000)
    },
    delete: (key) => onDisk(db.remove(key)),
    close: () => db.close(),
  }
}
