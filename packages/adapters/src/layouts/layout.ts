/** What a store is made of: a journal for log and rows, and a blob store. Chosen at creation, recorded in FORMAT. */
import { StorageError } from '@varve/core'

/**
 * `level`: log, rows and small bytes in LevelDB. `segments`: log and small bytes in append-only files; LevelDB holds
 * the rows, which follow the log. `lmdb`, `sqlite`: log, rows and small bytes in one file of that database.
 */
export const journalKinds = ['level', 'segments', 'lmdb', 'sqlite'] as const
/**
 * `files`: one file for each blob. `segments`: blobs of up to 8 MiB share large files. `tiered`: blobs of up to 256 KiB
 * share large files, and each larger one has a file of its own.
 */
export const blobKinds = ['files', 'segments', 'tiered'] as const

export type JournalKind = (typeof journalKinds)[number]
export type BlobKind = (typeof blobKinds)[number]

/** The name of a layout, as users write it and FORMAT records it. */
export type LayoutName = `${JournalKind}+${BlobKind}`

export interface Layout {
  readonly name: LayoutName
  readonly journal: JournalKind
  readonly blobs: BlobKind
}

export const defaultLayoutName: LayoutName = 'level+files'

/** Every combination of journal and blob store. */
export const layouts: readonly Layout[] = journalKinds.flatMap((journal) =>
  blobKinds.map((blobs) => ({ name: `${journal}+${blobs}` as const, journal, blobs })),
)

export const isLayoutName = (value: unknown): value is LayoutName => layouts.some(({ name }) => name === value)

/** @throws StorageError `InvalidArgument` for a name that is no layout */
export function layoutOf(name: string): Layout {
  const layout = layouts.find((each) => each.name === name)
  if (layout === undefined)
    throw wrongLayout(name, `There is no such layout, but ${layouts.map((each) => each.name).join(', ')}.`)
  return layout
}

/** @throws StorageError `InvalidArgument` when the requested layout is not that of the store */
export function assertLayout(has: LayoutName, wanted: string | undefined): void {
  if (wanted !== undefined && wanted !== has)
    throw wrongLayout(wanted, `The store has the layout ${has}, not ${wanted}.`)
}

const wrongLayout = (name: string, message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: 'layout', ArgumentValue: name } })
