/** The part of the package lmdb that the journal needs, by shape, and the translation of its errors. */
import { getSystemErrorName } from 'node:util'
import { privateFile } from '../files/durable-files.ts'
import { optionalPackage } from '../journal-kit/optional-package.ts'

/** A read transaction: a view of one state until `done` is called. */
export interface LmdbTransaction {
  done(): void
}

export interface LmdbRange {
  readonly start: Uint8Array
  readonly end?: Uint8Array
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

export interface LmdbPutOptions {
  /** The key comes after all others, so it is not searched, and the pages are filled. */
  readonly append: boolean
}

export interface LmdbEnvironment {
  get(key: Uint8Array, options?: { readonly transaction: LmdbTransaction }): Uint8Array | undefined
  getRange(range: LmdbRange): Iterable<LmdbEntry>
  useReadTransaction(): LmdbTransaction
  /** Makes the writes of `work` in one transaction; resolves when they are durable. */
  batch(work: () => void): Promise<unknown>
  /** Within a batch; settles together with its transaction. */
  put(key: Uint8Array, value: Uint8Array, options?: LmdbPutOptions): Promise<unknown>
  remove(key: Uint8Array): Promise<unknown>
  close(): Promise<void>
}

export interface OpenLmdbOptions {
  /** The file is not synced by commits. Only for a file that is synced before it gets its name. @default false */
  readonly noSync?: boolean
}

/** Opens the file at a path, or creates it. */
export type OpenLmdb = (path: string, options?: OpenLmdbOptions) => LmdbEnvironment

/** @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) when lmdb is not installed. */
export async function loadLmdb(): Promise<OpenLmdb> {
  const { open } = await optionalPackage(
    'lmdb',
    async () => (await import('lmdb')) as unknown as { open(options: object): LmdbEnvironment & WithReadBuffer },
  )
  return (path, options) => {
    const env = open({ path, ...settings, ...options })
    if (!isReadBufferLarge) env._allocateGetBuffer?.(longestValue / 2)
    isReadBufferLarge = true
    return env
  }
}

/** The buffer of the package that all environments copy values into; it gets twice the size. */
interface WithReadBuffer {
  _allocateGetBuffer?(size: number): unknown
}

/**
 * The longest objects in rows have 16 MiB. The package does not copy a value that does not fit into its buffer: it lends the memory of
 * the file, and that fails if a file of another size was mapped to the same memory before.
 */
const longestValue = 18 * 1024 * 1024
let isReadBufferLarge = false

const settings = {
  noSubdir: true,
  keyEncoding: 'binary',
  encoding: 'binary',
  cache: false,
  /** For a new file. A key may take half a page, and half of 4 KiB is too little for the longest keys of rows. */
  pageSize: 8192,
  /** Otherwise a commit would resolve before it is on the disk. */
  overlappingSync: false,
  /** It would create a promise that is never awaited, and then a failed write would end the process. */
  eventTurnBatching: false,
  maxReaders: 1024,
  permissionsMode: privateFile,
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

const damage = new Set(['MDB_CORRUPTED', 'MDB_INVALID', 'MDB_PAGE_NOTFOUND', 'MDB_PANIC', 'MDB_VERSION_MISMATCH'])

/** The name of an error of damage, as `lmdbError` gives it. */
export const isDamage = (name: string): boolean => damage.has(name)

/** LMDB's errors have numbers instead of names. */
export function lmdbError(error: unknown): unknown {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number') {
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
