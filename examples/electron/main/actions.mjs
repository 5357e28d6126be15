/** What the user did, step by step: each action is one request in the log, so undo takes back exactly its events. */
import { randomUUID } from 'node:crypto'
import { isStorageError } from 'varve'

const by = { id: 'user', name: 'The user of this app' }

/** @param {(work: (store: import('varve').AttachedStore) => Promise<any>) => Promise<any>} use */
export function createActions(use) {
  /** @type {string[][]} */
  const [done, undone] = [[], []]

  async function act(change) {
    const requestId = randomUUID()
    try {
      const result = await use((store) => change(store.as({ by, requestId })))
      done.push(requestId)
      undone.length = 0
      return result
    } catch (error) {
      // The process of the store ended: the change may have happened, and then it can be undone.
      if (isStorageError(error, 'StoreClosed')) done.push(requestId)
      throw error
    }
  }

  /** Resolves with the keys that changed; with none when there is nothing to take back. */
  async function takeBack(from, to) {
    for (let requestId = from.at(-1); requestId !== undefined; requestId = from.at(-1)) {
      const { id, entries } = await use((store) => store.as({ by }).undo({ requestId }))
      from.pop()
      if (id === undefined) continue
      to.push(id)
      return entries.flatMap((entry) => (entry.kind === 'key' ? [entry.key] : []))
    }
    return []
  }

  return {
    put: (bucket, key, body, options) => act((store) => store.objects.put(bucket, key, body, options)),
    remove: (bucket, key) => act((store) => store.objects.delete(bucket, key)),
    /** Makes an earlier version the newest one. No byte is copied. */
    restore: (bucket, key, versionId) =>
      act((store) => store.objects.copy({ bucket, key, versionId }, bucket, key, { metadataDirective: 'COPY' })),
    undo: () => takeBack(done, undone),
    redo: () => takeBack(undone, done),
  }
}
