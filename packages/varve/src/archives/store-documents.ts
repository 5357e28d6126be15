/** The members of an archive of a store that are not those of an archive of a bucket: docs/archives.md has the format. */
import { type BlobId, schema } from '@varve/core'
import { endPath, parsed, valid } from './documents.ts'

const { integer, object, optional, text } = schema

/** Numbers of an archive of a store. */
export interface StoreArchiveCounts {
  readonly events: number
  /** Those that are members. Short ones are with the events. */
  readonly blobs: number
  /** Bytes of these. */
  readonly bytes: number
  /** What the archive does not have, because it was erased before, no version ever had it, or it is lost. */
  readonly absent: number
}

/** The last member. */
export interface StoreArchiveEnd extends StoreArchiveCounts {
  /** Members before this one. */
  readonly members: number
  /** SHA-256 of all bytes of the archive before the header of this member, hex. */
  readonly sha256: string
  /** Of how many absent bytes the store had recorded the erasure behind the last event of the archive, or had started it. @default 0 */
  readonly excused?: number
}

const total = integer({ min: 0 })

const end = object<StoreArchiveEnd>({
  events: total,
  blobs: total,
  bytes: total,
  absent: total,
  members: total,
  sha256: text({ min: 64, max: 64 }),
  excused: optional(total),
})

export const readStoreEnd = (bytes: Uint8Array): StoreArchiveEnd => valid(end, parsed(bytes, endPath), endPath)

export const blobPath = (id: BlobId): string => `blobs/${id}`

/** A piece of the log is made in memory, of 8 MiB and some more. */
export const pieceMax = 64 * 1024 * 1024
