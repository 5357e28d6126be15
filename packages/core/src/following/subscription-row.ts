/** The row of a subscription: which events it gets, and who holds it. Its cursor is that of its keyspace. */
import { StorageError } from '../base/errors.ts'
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts'
import type { RowChange } from '../ports/index.ts'
import { type EventFilter, plainFilter } from './event-filter.ts'

export interface SubscriptionRow {
  readonly filter: EventFilter
  /** True if no bytes are erased that were freed after the cursor. */
  readonly keepsBytes?: boolean
  /** Raised each time a holder takes the subscription. */
  readonly epoch: number
  /** The id of the holder; `null` while there is none. */
  readonly holder: string | null
  /** How long the holder may be silent, in milliseconds. */
  readonly leaseMs: number
  /** When the lease ends, by the clock of the journal. Absent if the journal has none. */
  readonly expires?: number
}

const keyspacePrefix = 'subscription/'

export const subscriptionKeyspace = (name: string): string => `${keyspacePrefix}${name}`

/** The name of the subscription that a keyspace belongs to; `undefined` for other keyspaces. */
export const subscriptionOf = (keyspace: string): string | undefined =>
  keyspace.startsWith(keyspacePrefix) ? keyspace.slice(keyspacePrefix.length) : undefined

/** The version of the form below. */
export const subscriptionVersion = 1

export const subscriptionKey: Uint8Array = new Uint8Array()

export const subscriptionChange = (row: SubscriptionRow): RowChange => ({
  key: subscriptionKey,
  value: encodeUtf8(JSON.stringify({ ...row, filter: plainFilter(row.filter) })),
})

/** @throws StorageError `RowCorrupt` */
export function readSubscriptionRow(name: string, value: Uint8Array): SubscriptionRow {
  try {
    const row: unknown = JSON.parse(decodeUtf8(value))
    if (isSubscriptionRow(row)) return row
  } catch {
    // Its checksum was right, so another program wrote it.
  }
  throw new StorageError('RowCorrupt', `The row of the subscription ${name} is damaged.`, {
    details: { kind: 'keyspace', subscription: name },
  })
}

function isSubscriptionRow(value: unknown): value is SubscriptionRow {
  if (typeof value !== 'object' || value === null) return false
  const {
    filter,
    keepsBytes = false,
    epoch,
    holder,
    leaseMs,
  } = value as Partial<Record<keyof SubscriptionRow, unknown>>
  return (
    typeof filter === 'object' &&
    filter !== null &&
    typeof keepsBytes === 'boolean' &&
    Number.isSafeInteger(epoch) &&
    Number.isSafeInteger(leaseMs) &&
    (typeof holder === 'string' || holder === null)
  )
}

export const isSameFilter = (one: EventFilter, other: EventFilter): boolean =>
  JSON.stringify(plainFilter(one)) === JSON.stringify(plainFilter(other))
