/** A map: an object store without any storage. */
import { type ObjectTarget, pageEntries } from './object-target.ts'

export function memoryTarget(): ObjectTarget {
  const objects = new Map<string, Uint8Array>()
  return {
    async put(key, body) {
      objects.set(key, body)
    },
    get: (key) => Promise.resolve(objects.get(key)),
    head: (key) => Promise.resolve(objects.get(key)?.length),
    async list(after) {
      let count = 0
      for (const key of objects.keys()) if (key > after) count++
      return Math.min(count, pageEntries)
    },
    async delete(key) {
      objects.delete(key)
    },
    close: () => Promise.resolve(),
  }
}
