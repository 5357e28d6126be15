import { decodeHeader } from '../keyspaces/header.ts'
import { prefixOf } from '../keyspaces/keyspace-keys.ts'
import { committedValues } from '../keyspaces/keyspace-rows.ts'
import { walkHeaders } from '../keyspaces/walk-headers.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { readSubscriptionRow, subscriptionKey, subscriptionOf } from './subscription-row.ts'

/**
 * The position after which subscriptions need all bytes that were freed.
 * @throws StorageError `RowCorrupt`: then nothing says what they need
 */
export async function keptBySubscriptions(reader: RowReader, hashing: Hashing): Promise<Seq> {
  let kept = Number.POSITIVE_INFINITY
  for await (const { name: keyspace, frame } of walkHeaders(reader)) {
    const name = subscriptionOf(keyspace)
    if (name === undefined || frame === undefined) continue
    const { cursor, epoch, state } = decodeHeader(hashing, keyspace, frame)
    if (state === 'dropped' || cursor >= kept) continue
    const value = await committedValues(reader, hashing, prefixOf(keyspace, epoch))(subscriptionKey)
    if (value !== undefined && readSubscriptionRow(name, value).keepsBytes === true) kept = cursor
  }
  return kept
}
