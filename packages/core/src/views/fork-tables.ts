/** The tables of forks. Keys of rows about keys begin with the incarnation of the fork, so later forks of its name see none. */
import { upperBound } from '../bytes/bytes.ts'
import { KeyReader, KeyWriter } from '../bytes/key-codec.ts'
import type { Seq } from '../ports/index.ts'
import type { BorrowedRow, BucketRow, OwnKeyRow, Past } from './rows.ts'
import { byte } from './table-bytes.ts'
import { rowKey } from './row-key.ts'
import { rangeOf } from './tables.ts'

/** Dropped forks whose own versions are still to be removed, by name. The row is that of the bucket as it was. */
export const droppedTable = {
  key: (bucket: string) => rowKey<Past<BucketRow>>(new KeyWriter(byte.dropped).text(bucket)),
  range: rangeOf(new KeyWriter(byte.dropped)),
  name: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

function byKey(table: number) {
  const inFork = (fork: Seq) => new KeyWriter(table).seq(fork)
  return {
    range: (fork: Seq, prefix: string) => rangeOf(inFork(fork).openText(prefix)),
    /** The smallest key of a row of this object key. */
    at: (fork: Seq, objectKey: string) => inFork(fork).text(objectKey).finish(),
    /** The smallest key after all rows of this object key. */
    after: (fork: Seq, objectKey: string) => upperBound(inFork(fork).text(objectKey).finish()),
    objectKey: (bytes: Uint8Array) => {
      const reader = new KeyReader(bytes)
      reader.seq()
      return reader.text()
    },
  } as const
}

/** The keys that a fork has changed. */
export const ownKeyTable = {
  ...byKey(byte.ownKey),
  key: (fork: Seq, objectKey: string) => rowKey<OwnKeyRow>(new KeyWriter(byte.ownKey).seq(fork).text(objectKey)),
} as const

const borrowedAt = (fork: Seq, objectKey: string, version: Seq) =>
  new KeyWriter(byte.borrowed).seq(fork).text(objectKey).seqDescending(version)

/** The versions of its base that a fork describes by its own rows, newest first within a key. */
export const borrowedTable = {
  ...byKey(byte.borrowed),
  key: (fork: Seq, objectKey: string, version: Seq) => rowKey<BorrowedRow>(borrowedAt(fork, objectKey, version)),
  /** The smallest key of the rows of version `seq` or an older one. */
  from: (fork: Seq, objectKey: string, seq: Seq) => borrowedAt(fork, objectKey, seq).finish(),
  version: (bytes: Uint8Array): Seq => {
    const reader = new KeyReader(bytes)
    reader.seq()
    return reader.skipText().seqDescending()
  },
} as const
