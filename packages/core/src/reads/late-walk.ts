import type { KeyWalk } from './read-snapshot.ts'

/** The walk over a bucket that does not exist. A dropped fork has rows until it is cleared. */
export const emptyWalk = <T>(): KeyWalk<T> => ({
  next: () => undefined,
  skipPrefix: () => undefined,
  close: async () => undefined,
})

/** A walk that is not there yet. */
export function lateWalk<T>(opening: Promise<KeyWalk<T>>): KeyWalk<T> {
  // An error is thrown by the first read.
  opening.catch(() => undefined)
  let walk: KeyWalk<T> | undefined
  const skipped: string[] = []
  return {
    next() {
      if (walk !== undefined) return walk.next()
      return opening.then((opened) => {
        walk = opened
        for (const prefix of skipped) walk.skipPrefix(prefix)
        return walk.next()
      })
    },
    skipPrefix(prefix) {
      if (walk === undefined) skipped.push(prefix)
      else walk.skipPrefix(prefix)
    },
    async close() {
      await (await opening.catch(() => undefined))?.close()
    },
  }
}
