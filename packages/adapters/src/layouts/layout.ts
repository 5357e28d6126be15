/** What a store is made of: a home for its log and rows, and one for its bytes. Chosen when it is made, and kept in FORMAT. */
import { StorageError } from '@varve/core'

/**
 * `level`: log, rows and small bytes in LevelDB. `segments`: the log and small bytes in append-only files, whose rows
 * follow in LevelDB. `lmdb`, `sqlite`: log, rows and small bytes in one file of theirs.
 */
export const journalKinds = ['level', 'segments', 'lmdb', 'sqlite'] as const
/**
 * `files`: a file for each blob. `segments`: blobs of up to 8 MiB share large files. `tiered`: those of up to 256 KiB do,
 * and what is larger has a file of its own.
 */
export const blobKinds = ['files', 'segments', 'tiered'] as const

export type JournalKind = (typeof journalKinds)[number]
export type BlobKind = (typeof blobKinds)[number]

/** As people write it, and as FORMAT keeps it. */
export type LayoutName = `${JournalKind}+${BlobKind}`

export interface Layout {
  readonly name: LayoutName
  readonly journal: JournalKind
  readonly blobs: BlobKind
}

export const defaultLayoutName: LayoutName = 'level+files'

/** Every combination there is. */
export const layouts: readonly Layout[] = journalKinds.flatMap((journal) =>
  blobKinds.map((blobs) => ({ name: `${journal}+${blobs}` as const, journal, blobs })),
)

export const isLayoutName = (value: unknown): value is LayoutName => layouts.some(({ name }) => name === value)

/** @throws StorageError `InvalidArgument` for what is no layout */
export function layoutOf(name: string): Layout {
  const layout = layouts.find((each) => each.name === name)
  if (layout === undefined)
    throw wrongLayout(name, `There is no such layout, but ${layouts.map((each) => each.name).join(', ')}.`)
  return layout
}

/** @throws StorageError `InvalidArgument` when a store is requested in another layout than it has */
export function assertLayout(has: LayoutName, wanted: string | undefined): void {
  if (wanted !== undefined && wanted !== has)
    throw wrongLayout(wanted, `The store has the layout ${has}, not ${wanted}.`)
}

const wrongLayout = (name: string, message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: 'layout', ArgumentValue: name } })
