import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { walkSubscriptions } from './walk-subscriptions.ts'

/**
 * The position after which subscriptions need all bytes that were freed.
 * @throws StorageError `RowCorrupt`: then nothing says what they need
 */
export async function keptBySubscriptions(reader: RowReader, hashing: Hashing): Promise<Seq> {
  let kept = Number.POSITIVE_INFINITY
  for await (const { cursor, row } of walkSubscriptions(reader, hashing)) {
    if (row.keepsBytes === true) kept = Math.min(kept, cursor)
  }
  return kept
}
