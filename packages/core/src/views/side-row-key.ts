import type { BlobId, SideRowKind } from '../ports/index.ts'
import { dataKeyTable, inlineTable } from './tables.ts'

/** The key of a row beside the log. */
export const sideRowKey = (kind: SideRowKind, id: BlobId): Uint8Array =>
  (kind === 'inline' ? inlineTable : dataKeyTable).key(id)

/** The keys of all rows that a blob may have beside the log. */
export const sideRowKeys = (id: BlobId): readonly Uint8Array[] => [sideRowKey('inline', id), sideRowKey('keys', id)]
