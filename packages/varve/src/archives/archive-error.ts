/** The errors of archives that are not what the format says. */
import { isStorageError, StorageError } from '@varve/core'

/** What is wrong with an archive. */
export type ArchiveFault =
  /** It ends before its last member: the copy was cut. */
  | 'torn'
  /** A header of the tar format cannot be read, or has a form that archives do not use. */
  | 'header'
  /** A member is not the one that belongs here: it is missing, repeated, or has been moved. */
  | 'order'
  /** A member of JSON is not what the format says. */
  | 'document'
  /** The bytes of a member are not those that were written. */
  | 'digest'
  /** The numbers of the last member are not those of the archive. */
  | 'counts'
  /** Bytes follow the end. */
  | 'trailing'

/** `details.kind` names the fault, `details.member` the path of the member. */
export function archiveCorrupt(kind: ArchiveFault, problem: string, member?: string, cause?: unknown): StorageError {
  const where = member === undefined ? '' : ` at ${JSON.stringify(shortened(member))}`
  return new StorageError('ArchiveCorrupt', `The archive is damaged${where}: ${problem}.`, {
    details: { kind, ...(member !== undefined && { member: shortened(member) }) },
    ...(cause !== undefined && { cause }),
  })
}

const shownMax = 200

const shortened = (member: string): string => (member.length <= shownMax ? member : `${member.slice(0, shownMax)}…`)

/** What is not a coded error comes from a parser, and tells that the document is damaged. */
export function asCorrupt(error: unknown, member: string): StorageError {
  if (isStorageError(error, 'ArchiveCorrupt', 'UnsupportedFormat')) return error
  return archiveCorrupt(
    'document',
    error instanceof Error ? error.message.replace(/\.$/, '') : 'it is no JSON',
    member,
    error,
  )
}
