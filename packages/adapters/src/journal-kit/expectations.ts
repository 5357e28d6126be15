/** Compares the state that a commit expects with the state that it would change. */
import { type Commit, type RowChange, type Seq, StorageError } from '@varve/core'

/** @throws TypeError for events without an expected head, or outside the log. */
export function assertWellFormed({ events, expectedHead, outsideLog = false }: Commit): void {
  if (events.length === 0) return
  if (expectedHead === undefined) throw new TypeError('A commit with events must name the head that it expects.')
  if (outsideLog) throw new TypeError('Events cannot be committed outside the log.')
}

/** @throws StorageError `JournalConflict` unless the log ends where the commit expects it, if it names a head. */
export function assertHead({ expectedHead: expected }: Commit, head: Seq): void {
  if (expected === undefined || expected === head) return
  const message = `The log stands at ${head}, not at ${expected}.`
  throw new StorageError('JournalConflict', message, { details: { expected, head } })
}

/** @throws StorageError `JournalConflict` unless each value found is the expected one. */
export function assertRows(expected: readonly RowChange[], found: readonly (Uint8Array | null | undefined)[]): void {
  for (const [i, { key, value }] of expected.entries()) {
    if (isSame(value, found[i] ?? null)) continue
    const hex = Buffer.from(key).toString('hex')
    throw new StorageError('JournalConflict', 'A row is not as expected.', { details: { key: hex } })
  }
}

const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : Buffer.compare(a, b) === 0
