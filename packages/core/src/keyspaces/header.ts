/** The header row of a keyspace. Every commit to the keyspace expects it as it was, and changes it. */
import { StorageError } from '../base/errors.ts'
import { openFrame, sealFrame } from '../bytes/frame.ts'
import { toHex } from '../bytes/hex.ts'
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { headerKey } from './keyspace-keys.ts'

/** `building` until the cursor has reached the end of the log once. */
export type KeyspaceState = 'building' | 'ready'

export interface KeyspaceHeader {
  /** The version of the code that makes the rows. */
  readonly version: number
  /** The rows of this epoch are those of the keyspace. It never becomes smaller, so a drop leaves the header. */
  readonly epoch: number
  /** The keyspace follows the log up to this position. */
  readonly cursor: Seq
  readonly state: KeyspaceState | 'dropped'
  /** The number of commits so far: no two headers of a keyspace are the same. */
  readonly revision: number
}

/** A header, and the row as it is stored. */
export interface StoredHeader {
  readonly header: KeyspaceHeader
  readonly frame: Uint8Array
}

export function storedHeader(hashing: Hashing, name: string, header: KeyspaceHeader): StoredHeader {
  return { header, frame: sealFrame(hashing, headerKey(name), encodeUtf8(JSON.stringify(header))) }
}

/** @throws StorageError `RowCorrupt` */
export async function readHeader(rows: RowReader, hashing: Hashing, name: string): Promise<StoredHeader | undefined> {
  const frame = await rows.get(headerKey(name))
  return frame === undefined ? undefined : { frame, header: decodeHeader(hashing, name, frame) }
}

/** @throws StorageError `RowCorrupt` */
export function decodeHeader(hashing: Hashing, name: string, frame: Uint8Array): KeyspaceHeader {
  const key = headerKey(name)
  const payload = openFrame(hashing, key, frame)
  const header = payload && parsed(payload)
  if (header !== undefined) return header
  throw new StorageError('RowCorrupt', `The header of the keyspace ${name} is damaged.`, {
    details: { key: toHex(key), kind: 'keyspace' },
  })
}

function parsed(payload: Uint8Array): KeyspaceHeader | undefined {
  try {
    const header: unknown = JSON.parse(decodeUtf8(payload))
    return isHeader(header) ? header : undefined
  } catch {
    return undefined
  }
}

const states: ReadonlySet<unknown> = new Set<KeyspaceHeader['state']>(['building', 'ready', 'dropped'])

function isHeader(value: unknown): value is KeyspaceHeader {
  if (typeof value !== 'object' || value === null) return false
  const { version, epoch, cursor, state, revision } = value as Readonly<Record<string, unknown>>
  return (
    isAtLeast(version, 0) && isAtLeast(epoch, 1) && isAtLeast(cursor, 0) && isAtLeast(revision, 1) && states.has(state)
  )
}

const isAtLeast = (value: unknown, min: number): boolean => Number.isSafeInteger(value) && (value as number) >= min
