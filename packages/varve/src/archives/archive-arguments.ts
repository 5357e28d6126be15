/** The arguments of the calls for archives, checked before anything is opened. */
import { type LayoutName, type S3SourceOptions, s3SourceOptions } from '@varve/adapters'
import {
  type Actor,
  type Cancelable,
  callArguments,
  type Keyring,
  type Moment,
  type Progress,
  schema,
  type Seq,
  type Store,
} from '@varve/core'
import { pathText } from '../files/paths.ts'
import { keyringSchema } from '../keyring/keyring-schema.ts'
import type { ExportedStore, ImportingStore } from './archived-store.ts'
import type { ArchiveCounts } from './documents.ts'
import type { ImportProgress, OnConflict } from './import-entry.ts'
import type { LeftOutFile } from './folder-entries.ts'
import type { StoreArchiveCounts } from './store-documents.ts'

const {
  abortSignal,
  boolean,
  listener,
  checked,
  date,
  either,
  implementing,
  integer,
  literal,
  object,
  optional,
  text,
  word,
} = schema

export type { S3SourceOptions }

/** A file, or a stream that the caller ends. */
export type ArchiveTarget = string | NodeJS.WritableStream
/** A file, or the bytes of one, such as those of a Node stream. */
export type ArchiveSource = string | AsyncIterable<Uint8Array>

/** Options of `exportArchive`. */
export interface ExportArchiveOptions extends Cancelable {
  readonly bucket: string
  /** The state to export. @default the newest */
  readonly at?: Moment
  /** Every version and delete marker, and the events of the bucket. @default false: the newest objects */
  readonly withHistory?: boolean
  /** The first and the last of these events, by position. @default all, up to the exported state */
  readonly from?: Seq
  readonly to?: Seq
  /** Replaces a file that is there. @default false */
  readonly overwrite?: boolean
  onProgress?(counts: ArchiveCounts): void
}

/** Options of `exportStore`. */
export interface ExportStoreOptions extends Cancelable {
  /** Has the keys of an encrypted replica that has blobs of the store still, after an instant restore. For the path of a directory. */
  readonly keyring?: Keyring
  /** The last state that the archive has: a position, a time or a snapshot. @default the newest */
  readonly at?: Moment
  /** Replaces a file that is there. @default false */
  readonly overwrite?: boolean
  onProgress?(counts: StoreArchiveCounts): void
}

/** Options of `importStore`. */
export interface ImportStoreOptions extends Cancelable {
  /** The store as it was: a position, a time or a snapshot. @default the end of the archive */
  readonly at?: Moment
  /** The layout of the new store. @default `level+files` */
  readonly layout?: LayoutName
  /** Verifies the archive before anything is written. @default true */
  readonly verify?: boolean
  /** Called with the progress of each stage, which counts up to its own total. */
  onProgress?(progress: Progress & { readonly stage: 'events' | 'views' }): void
}

/** Options of `verifyArchive`. */
export interface VerifyArchiveOptions extends Cancelable {
  onProgress?(counts: Pick<ArchiveCounts, 'objects' | 'bytes'>): void
}

/** Options of `importArchive`. */
export interface ImportArchiveOptions extends Cancelable {
  /** The bucket to import into, which is created if there is none. @default the name in the archive */
  readonly bucket?: string
  /** Imports the objects of an archive with history, which must be a file, as they were: a position of its log, or a time. */
  readonly at?: Seq | Date
  /**
   * What to do with an object that is there with other bytes or metadata: `refuse` ends the import with `ImportConflict`,
   * `skip` leaves it, `replace` stores the imported one, as a new version if versioning is enabled. @default refuse
   */
  readonly onConflict?: OnConflict
  /** Also imports the bucket's policy, and the ACLs, which name identities of the store that was exported. @default false */
  readonly withAccess?: boolean
  /** Verifies a file before the first object is stored. A stream is verified while it is read. @default true */
  readonly verify?: boolean
  /** Who owns a bucket that the import creates. @default the caller */
  readonly owner?: Actor
  onProgress?(progress: ImportProgress): void
}

/** Options of `importFolder`. */
export interface ImportFolderOptions extends Cancelable {
  /** The bucket to import into, which is created if there is none. */
  readonly bucket: string
  /** The beginning of every key, such as `photos/`. @default none */
  readonly prefix?: string
  /** As for `importArchive`. @default refuse */
  readonly onConflict?: OnConflict
  /** Who owns a bucket that the import creates. @default the caller */
  readonly owner?: Actor
  onProgress?(progress: ImportProgress): void
  /** Called for each file that is not imported. */
  onLeftOut?(file: LeftOutFile): void
}

/** Options of `importS3`. */
export interface ImportS3Options extends Cancelable {
  /** The bucket to import into, which is created if there is none. @default the name of the source */
  readonly bucket?: string
  /** Only objects whose keys begin with it. @default all */
  readonly prefix?: string
  /** Every version and delete marker, if the source has versioning. @default true */
  readonly history?: boolean
  /** As for `importArchive`. @default refuse */
  readonly onConflict?: OnConflict
  /** Who owns a bucket that the import creates. @default the caller */
  readonly owner?: Actor
  onProgress?(progress: ImportProgress): void
}

const progress = optional(listener<(counts: never) => void>()) as never
/** A signal that the streams of the work can listen to: an imitation of one is refused now. */
const followed: schema.Schema<AbortSignal> = {
  read(value) {
    const given = abortSignal.read(value)
    try {
      return AbortSignal.any([given])
    } catch {
      throw schema.Mismatch.wrongType('an AbortSignal', value)
    }
  },
  accepts: () => false,
}

const signal = { signal: optional(followed) }

const exportOptions = object<ExportArchiveOptions>({
  bucket: callArguments.name,
  at: optional(callArguments.moment),
  withHistory: optional(boolean),
  from: optional(integer({ min: 1 })),
  to: optional(integer({ min: 0 })),
  overwrite: optional(boolean),
  onProgress: progress,
  ...signal,
})

const exportStoreOptions = object<ExportStoreOptions>({
  keyring: optional(keyringSchema),
  at: optional(callArguments.moment),
  overwrite: optional(boolean),
  onProgress: progress,
  ...signal,
})

const importStoreOptions = object<ImportStoreOptions>({
  at: optional(callArguments.moment),
  // The directory checks whether the layout exists.
  layout: optional(word<LayoutName>()),
  verify: optional(boolean),
  onProgress: progress,
  ...signal,
})

const verifyOptions = object<VerifyArchiveOptions>({ onProgress: progress, ...signal })

const importOptions = object<ImportArchiveOptions>({
  bucket: optional(callArguments.name),
  at: optional(either<Seq | Date>('a position or a Date', integer({ min: 0 }), date)),
  onConflict: optional(literal('refuse', 'skip', 'replace')),
  withAccess: optional(boolean),
  verify: optional(boolean),
  owner: optional(callArguments.actor),
  onProgress: progress,
  ...signal,
})

const folderOptions = object<ImportFolderOptions>({
  bucket: callArguments.name,
  prefix: optional(text()),
  onConflict: optional(literal('refuse', 'skip', 'replace')),
  owner: optional(callArguments.actor),
  onProgress: progress,
  onLeftOut: progress,
  ...signal,
})

const s3Options = object<ImportS3Options>({
  bucket: optional(callArguments.name),
  prefix: optional(text()),
  history: optional(boolean),
  onConflict: optional(literal('refuse', 'skip', 'replace')),
  owner: optional(callArguments.actor),
  onProgress: progress,
  ...signal,
})

const target = either<ArchiveTarget>(
  'a path or a stream to write to',
  pathText,
  implementing<NodeJS.WritableStream>('a stream to write to', ['write', 'on', 'once', 'removeListener']),
)

const source = either<ArchiveSource>('a path or a stream of bytes', pathText, {
  read(value) {
    if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value) return value as never
    throw schema.Mismatch.wrongType('a path or a stream of bytes', value)
  },
  accepts: () => false,
} satisfies schema.Schema<AsyncIterable<Uint8Array>>)

const store = <S extends object>(expected: string, ...parts: readonly (keyof S & string)[]): schema.Schema<S> =>
  implementing<S>(expected, [], (value) => parts.every((part) => isThere(value[part])))

const isThere = (part: unknown): boolean => typeof part === 'function' || (typeof part === 'object' && part !== null)

const exportedStore = store<ExportedStore>('a store', 'at', 'log')
const importingStore = store<ImportingStore>('a store that can be written', 'buckets', 'objects', 'uploads', 'versions')

export const checkedExport = (from: unknown, to: unknown, options: unknown) =>
  [
    checked('store', exportedStore, from),
    checked('to', target, to),
    checked('options', exportOptions, options),
  ] as const

const storeOrDirectory = either<Store | string>('a store of this process, or a directory', pathText, {
  read(value) {
    const { owner, close } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Store>
    if (typeof owner === 'object' && typeof close === 'function') return value as Store
    throw schema.Mismatch.wrongType('a store of this process', value)
  },
  accepts: () => false,
} satisfies schema.Schema<Store>)

export const checkedStoreExport = (from: unknown, to: unknown, options: unknown) =>
  [
    checked('from', storeOrDirectory, from),
    checked('to', target, to),
    checked('options', exportStoreOptions, options),
  ] as const

export const checkedStoreImport = (from: unknown, dir: unknown, options: unknown) =>
  [
    checked('from', pathText, from),
    checked('dir', pathText, dir),
    checked('options', importStoreOptions, options),
  ] as const

export const checkedVerify = (from: unknown, options: unknown) =>
  [checked('from', source, from), checked('options', verifyOptions, options)] as const

export const checkedImport = (into: unknown, from: unknown, options: unknown) =>
  [
    checked('store', importingStore, into),
    checked('from', source, from),
    checked('options', importOptions, options),
  ] as const

export const checkedFolder = (into: unknown, dir: unknown, options: unknown) =>
  [
    checked('store', importingStore, into),
    checked('dir', pathText, dir),
    checked('options', folderOptions, options),
  ] as const

/** The options of the source are checked where it is opened, too. */
export const checkedS3 = (into: unknown, from: unknown, options: unknown) =>
  [
    checked('store', importingStore, into),
    checked('from', s3SourceOptions, from),
    checked('options', s3Options, options),
  ] as const
