// The back end of an app whose users can undo, redo, and put a folder back as it was.
import { randomUUID } from 'node:crypto'

export function backend(store, bucket) {
  const [done, undone] = [[], []]

  /** What a user does at once: one commit, and one step of the undo. */
  const act = async (user, change) => {
    const requestId = randomUUID()
    await store.as({ by: { id: user, name: user }, requestId }).transaction(change)
    done.push(requestId)
    undone.length = 0
  }

  const takeBack = async (from, to) => {
    const requestId = from.pop()
    if (requestId === undefined) return []
    const { id, entries } = await store.undo({ requestId })
    if (id !== undefined) to.push(id)
    return entries.map(({ key }) => key)
  }

  return {
    save: (user, files) =>
      act(user, async ({ objects }) => {
        for (const [key, text] of Object.entries(files)) await objects.put(bucket, key, text)
      }),
    remove: (user, ...keys) =>
      act(user, async ({ objects }) => {
        for (const key of keys) await objects.delete(bucket, key)
      }),
    undo: () => takeBack(done, undone),
    redo: () => takeBack(undone, done),
    /** `when`: a Date, such as that of yesterday, or a position in the log. */
    folderAsItWas: (prefix, when) => store.restore({ bucket, prefix, to: when, inParts: true }),
  }
}
