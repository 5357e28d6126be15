import { decodeHeader } from '../keyspaces/header.ts'
import { prefixOf } from '../keyspaces/keyspace-keys.ts'
import { committedValues } from '../keyspaces/keyspace-rows.ts'
import { walkHeaders } from '../keyspaces/walk-headers.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { readSubscriptionRow, subscriptionKey, subscriptionOf, type SubscriptionRow } from './subscription-row.ts'

/** A subscription as it is stored. */
export interface StoredSubscription {
  readonly name: string
  readonly cursor: Seq
  readonly row: SubscriptionRow
}

/** In the order of their names. One whose opening was interrupted is none. @throws StorageError `RowCorrupt` */
export async function* walkSubscriptions(reader: RowReader, hashing: Hashing): AsyncGenerator<StoredSubscription> {
  for await (const { name: keyspace, frame } of walkHeaders(reader)) {
    const name = subscriptionOf(keyspace)
    if (!name || frame === undefined) continue
    const { cursor, epoch, state } = decodeHeader(hashing, keyspace, frame)
    if (state === 'dropped') continue
    const value = await committedValues(reader, hashing, prefixOf(keyspace, epoch))(subscriptionKey)
    if (value !== undefined) yield { name, cursor, row: readSubscriptionRow(name, value) }
  }
}
