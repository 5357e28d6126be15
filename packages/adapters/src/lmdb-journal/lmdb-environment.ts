/** What the journal needs of the package lmdb, by shape, and what its failures are called. */
import { getSystemErrorName } from 'node:util'
import { optionalPackage } from '../journal-kit/optional-package.ts'

/** A read of one state, which stays until it is done. */
export interface LmdbTransaction {
  done(): void
}

export interface LmdbRange {
  readonly start: Uint8Array
  readonly end: Uint8Array
  readonly limit?: number
  readonly reverse?: boolean
  readonly exclusiveStart?: boolean
  readonly inclusiveEnd?: boolean
  readonly transaction?: LmdbTransaction
}

export interface LmdbEntry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

export interface LmdbEnvironment {
  get(key: Uint8Array, options?: { readonly transaction: LmdbTransaction }): Uint8Array | undefined
  getRange(range: LmdbRange): Iterable<LmdbEntry>
  useReadTransaction(): LmdbTransaction
  /** All that is written in `work`, in one transaction; resolves when it is durable. */
  batch(work: () => void): Promise<unknown>
  /** Within a batch: settles with its transaction. */
  put(key: Uint8Array, value: Uint8Array): Promise<unknown>
  remove(key: Uint8Array): Promise<unknown>
  close(): Promise<void>
}

/** Opens the file at a path, or makes it. */
export type OpenLmdb = (path: string) => LmdbEnvironment

/** @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) when it is not installed. */
export async function loadLmdb(): Promise<OpenLmdb> {
  const { open } = await optionalPackage(
    'lmdb',
    async () => (await import('lmdb')) as unknown as { open(options: object): LmdbEnvironment },
  )
  return (path) => open({ path, ...settings })
}

const settings = {
  noSubdir: true,
  keyEncoding: 'binary',
  encoding: 'binary',
  cache: false,
  /** Of a new file: keys may be half a page, and 4 KiB would be too little for the longest rows have. */
  pageSize: 8192,
  /** Otherwise a commit would be called done before it is on disk. */
  overlappingSync: false,
  /** It would create a promise that is never awaited: a failed write would end the process. */
  eventTurnBatching: false,
  maxReaders: 1024,
}

/** The error names of lmdb.h that concern the medium. */
const names = new Map([
  [-30797, 'MDB_PAGE_NOTFOUND'],
  [-30796, 'MDB_CORRUPTED'],
  [-30795, 'MDB_PANIC'],
  [-30794, 'MDB_VERSION_MISMATCH'],
  [-30793, 'MDB_INVALID'],
  [-30792, 'MDB_MAP_FULL'],
  [-30790, 'MDB_READERS_FULL'],
])

/** Its errors have numbers. */
export function lmdbError(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && typeof error.code === 'number') {
    const { code } = error
    return Object.assign(error, { code: names.get(code) ?? (code > 0 ? getSystemErrorName(-code) : `MDB_${code}`) })
  }
  return error
}

export function named<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw lmdbError(error)
  }
}
