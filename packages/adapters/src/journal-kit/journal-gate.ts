/**
 * Keeps the state of a journal (open, closed or failed) and translates the errors of its database.
 *
 * Invariant: after one failed write (or one read that the medium could not answer) no commit is ever tried again.
 * LevelDB would acknowledge further synced writes, and recovery would then drop them behind the torn record.
 */
import { isStorageError, StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'

export interface JournalGate {
  readonly closed: boolean
  readonly failed: boolean
  /** @throws StorageError `JournalClosed` */
  assertOpen(): void
  /** @throws StorageError `JournalClosed`, or `JournalFailed` after a failure. */
  assertWritable(): void
  /** Runs a read and translates its failure. A failure of the medium also stops all later commits. */
  read<T>(work: () => T | Promise<T>): Promise<T>
  /** As `read`, for work that mostly has its result at once: then no promise is made. */
  get<T>(work: () => T | Promise<T>): T | Promise<T>
  /** Records the failure that ends all commits, and returns the error to throw. */
  fail(cause: unknown): StorageError
  close(): void
}

/** Errors of wrong calls, not of the medium. */
const misuse = new Set(['LEVEL_ITERATOR_BUSY', 'LEVEL_ITERATOR_NOT_OPEN', 'LEVEL_SNAPSHOT_NOT_OPEN'])

export function journalGate(): JournalGate {
  let closed = false
  let failure: { readonly cause: unknown } | undefined
  const gate: JournalGate = {
    get closed() {
      return closed
    },
    get failed() {
      return failure !== undefined
    },
    assertOpen() {
      if (closed) throw new StorageError('JournalClosed', 'The journal is closed.')
    },
    assertWritable() {
      gate.assertOpen()
      if (failure === undefined) return
      const message = 'The journal failed earlier and takes no commits until it is opened again.'
      throw new StorageError('JournalFailed', message, { cause: failure.cause })
    },
    async read(work) {
      gate.assertOpen()
      try {
        return await work()
      } catch (error) {
        gate.assertOpen()
        if (error instanceof TypeError || isStorageError(error)) throw error
        if (misuse.has(errnoOf(error))) throw new TypeError(messageOf(error), { cause: error })
        throw gate.fail(error)
      }
    },
    get<T>(work: () => T | Promise<T>): T | Promise<T> {
      try {
        if (closed) return gate.read(work)
        const value = work()
        return value instanceof Promise ? gate.read(() => value) : value
      } catch (error) {
        return gate.read(() => Promise.reject(error))
      }
    },
    fail(cause) {
      failure ??= { cause }
      return new StorageError('JournalFailed', `The journal failed: ${messageOf(cause)}`, {
        details: { kind: errnoOf(cause) },
        cause,
      })
    },
    close() {
      closed = true
    },
  }
  return gate
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
