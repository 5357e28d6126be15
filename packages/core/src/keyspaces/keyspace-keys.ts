/**
 * The keys of keyspaces: a byte, the name, an epoch, then the caller's key. Epoch 0 holds the header row, so it comes
 * first. A keyspace that is cleared gets the next epoch, and rows of earlier epochs are leftovers.
 */
import { concatBytes, upperBound } from '../bytes/bytes.ts'
import { KeyReader, KeyWriter } from '../bytes/key-codec.ts'
import type { RowRange } from '../ports/index.ts'
import { rangeOf } from '../views/tables.ts'

/** Behind the views and the inline bytes. */
const keyspaceByte = 0xa0
const headerEpoch = 0
const programForm = /^[A-Za-z0-9._-]{1,64}$/
/** The store's own keyspaces have a slash in their names, so no program opens or drops them by accident. */
const storedForm = /^(?:subscription\/|log\/|projection\/\d{1,16}\/)?[A-Za-z0-9._-]{1,64}$/

/** Whether a program can give this name to a keyspace, a subscription or a projection. */
export const isProgramName = (name: string): boolean => programForm.test(name)

/** Whether a stored keyspace can have this name. */
const isKeyspaceName = (name: string): boolean => storedForm.test(name)

/** The range of all keyspaces. */
export const keyspaceRange: RowRange = rangeOf(new KeyWriter(keyspaceByte))

export const headerKey = (name: string): Uint8Array => prefixOf(name, headerEpoch)

/** What the keys of one epoch begin with. */
export const prefixOf = (name: string, epoch: number): Uint8Array =>
  new KeyWriter(keyspaceByte).text(name).seq(epoch).finish()

export const rowKey = (prefix: Uint8Array, key: Uint8Array): Uint8Array => concatBytes([prefix, key])

/** The keys of one epoch. */
export const epochRange = (name: string, epoch: number): RowRange => {
  const prefix = prefixOf(name, epoch)
  return { gte: prefix, lt: upperBound(prefix) }
}

/** The rows of all epochs before this one, without the header. */
export const earlierRange = (name: string, epoch: number): RowRange => ({
  gte: prefixOf(name, headerEpoch + 1),
  lt: prefixOf(name, epoch),
})

/** The header and the rows of all epochs. */
export const wholeRange = (name: string): RowRange => rangeOf(new KeyWriter(keyspaceByte).text(name))

/** The parts of a key. */
export interface KeyspacePlace {
  readonly name: string
  /** 0 for the header. */
  readonly epoch: number
  readonly key: Uint8Array
}

/** For keys in `keyspaceRange`. `undefined` for a key that no keyspace can have. */
export function placeOf(bytes: Uint8Array): KeyspacePlace | undefined {
  try {
    const reader = new KeyReader(bytes)
    const name = reader.text()
    // Names are ASCII without a zero byte, so each character is one byte.
    if (!isKeyspaceName(name) || bytes.length < prefixLength(name)) return undefined
    const [epoch, key] = [reader.seq(), bytes.subarray(prefixLength(name))]
    const isHeader = epoch === headerEpoch && key.length === 0
    return isHeader || (epoch > headerEpoch && Number.isSafeInteger(epoch)) ? { name, epoch, key } : undefined
  } catch {
    return undefined
  }
}

/** The table byte, the closed name and the epoch. */
const prefixLength = (name: string): number => 1 + name.length + 2 + 8
