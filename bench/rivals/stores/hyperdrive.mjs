/** Hyperdrive over a corestore: a signed, append-only log of files for sharing between peers. It does not sync either. */
import Corestore from 'corestore'
import Hyperdrive from 'hyperdrive'

export async function open(directory) {
  const store = new Corestore(directory)
  const drive = new Hyperdrive(store)
  await drive.ready()
  const path = (key) => `/${key}`
  return {
    put: (key, body) => drive.put(path(key), body),
    get: async (key) => (await drive.get(path(key))) ?? undefined,
    head: async (key) => (await drive.entry(path(key)))?.value.blob.byteLength,
    async list(after) {
      let count = 0
      for await (const { key } of drive.list('/')) if (key > path(after) && ++count === 1000) break
      return count
    },
    delete: (key) => drive.del(path(key)),
    async close() {
      await drive.close()
      await store.close()
    },
  }
}
