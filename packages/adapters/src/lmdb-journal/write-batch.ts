/** One transaction of LMDB: it makes all changes or none, and resolves when it is on the disk. */
import { type LmdbEnvironment, lmdbError } from './lmdb-environment.ts'

export interface LmdbBatch {
  put(key: Uint8Array, value: Uint8Array): void
  /** As `put`, for a key that comes after all others. */
  append(key: Uint8Array, value: Uint8Array): void
  remove(key: Uint8Array): void
}

export async function writeBatch(env: LmdbEnvironment, fill: (batch: LmdbBatch) => void): Promise<void> {
  let last: Promise<unknown> | undefined
  // A change settles as its batch does, and the batch is awaited. Most changes share one promise.
  const alike = (change: Promise<unknown>): void => {
    if (change !== last) change.catch(() => undefined)
    last = change
  }
  try {
    await env.batch(() =>
      fill({
        put: (key, value) => alike(env.put(key, value)),
        append: (key, value) => alike(env.put(key, value, { append: true })),
        remove: (key) => alike(env.remove(key)),
      }),
    )
  } catch (error) {
    throw lmdbError(await causeOf(error))
  }
}

/** How long after the failure its cause may arrive. */
const causeWithinMs = 1000

/** A failed transaction reports only that it failed; another promise gives the cause at about the same time. */
async function causeOf(error: unknown): Promise<unknown> {
  const why = typeof error === 'object' && error !== null && 'commitError' in error ? error.commitError : undefined
  if (!(why instanceof Promise)) return error
  const reason = why.then(
    () => error,
    (cause: unknown) => cause,
  )
  let waiting: NodeJS.Timeout | undefined
  const enough = new Promise((resolve) => {
    waiting = setTimeout(() => resolve(error), causeWithinMs)
  })
  return Promise.race([reason, enough]).finally(() => clearTimeout(waiting))
}
