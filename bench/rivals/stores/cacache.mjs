/** npm's cache: content by its digest and an index of keys, in files. It never syncs. */
import cacache from 'cacache'

export async function open(directory) {
  const entry = (key) => cacache.get.info(directory, key)
  return {
    put: (key, body) => cacache.put(directory, key, body).then(() => undefined),
    get: async (key) => ((await entry(key)) === null ? undefined : (await cacache.get(directory, key)).data),
    head: async (key) => (await entry(key))?.size,
    async list(after) {
      const keys = Object.keys(await cacache.ls(directory))
      return Math.min(keys.filter((key) => key > after).length, 1000)
    },
    delete: (key) => cacache.rm.entry(directory, key).then(() => undefined),
    close: () => Promise.resolve(),
  }
}
