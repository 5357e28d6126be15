/** Takes bytes from a copy, and lets nothing pass that is not what the log says. */
import { crcsOf } from '../bytes/crc-chunks.ts'
import { openFrame } from '../bytes/frame.ts'
import { toHex } from '../bytes/hex.ts'
import { corrupt, readBlob } from '../content/blob-reader.ts'
import type { DamagedBytes } from '../content/damaged-bytes.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import { readDataKey } from '../encryption/data-key-row.ts'
import type { BlobRef } from '../events/index.ts'
import type { ByteSource, Copy, Hashing, RowChange } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'
import type { Patience } from './patient.ts'

/** What the log says of bytes, besides their size and their checksums. */
export interface LoggedDigest {
  /** The event that brought them, if it is known. */
  readonly seq?: number | undefined
  /** The MD5 of the bytes as they are stored, in hex, if the event has it. */
  readonly md5?: string | undefined
}

export interface CheckedCopy {
  readonly copy: Copy
  readonly hashing: Hashing
  readonly patience: Patience
}

/**
 * The whole blob: each MiB is checked before it is given out, and the whole before the source ends. Encrypted bytes are checked as they are stored,
 * which needs no key.
 * @throws StorageError `BlobCorrupt`, `BlobMissing`; what the copy throws
 */
export async function* copiedBlob(
  { copy, hashing, patience }: CheckedCopy,
  blob: BlobRef,
  { md5 }: LoggedDigest,
): ByteSource {
  const digest = md5 === undefined ? undefined : hashing.create('MD5')
  const reading = readBlob({ blobs: copy, hashing, buffers: new RunBuffers(), reuseBuffers: true }, blob, {
    start: 0,
    end: blob.size,
  })
  for await (const bytes of patience.read(reading)) {
    digest?.update(bytes)
    yield bytes
  }
  if (digest !== undefined && toHex(digest.finish()) !== md5) throw corrupt(blob, 'checksum')
}

/** The row of a blob; `undefined` if the copy does not have it, or has another one. @throws what the copy throws */
export async function copiedRow(
  { copy, hashing, patience }: CheckedCopy,
  { what, blob, sealed }: DamagedBytes,
  { seq, md5 }: LoggedDigest,
): Promise<RowChange | undefined> {
  const kind = what === 'key' ? 'keys' : 'inline'
  const value = await patience.await(copy.sideRow(kind, { id: blob.id, seq }))
  if (value === undefined) return undefined
  const key = sideRowKey(kind, blob.id)
  if (what === 'key') {
    if (sealed === undefined) return undefined
    await readDataKey(hashing, { get: () => value }, { blob, sealed })
    return { key, value }
  }
  const bytes = openFrame(hashing, key, value)
  if (bytes?.length !== blob.size || crcsOf(hashing, bytes) !== blob.crcs) return undefined
  return md5 === undefined || md5Of(hashing, bytes) === md5 ? { key, value } : undefined
}

function md5Of(hashing: Hashing, bytes: Uint8Array): string {
  const digest = hashing.create('MD5')
  digest.update(bytes)
  return toHex(digest.finish())
}
