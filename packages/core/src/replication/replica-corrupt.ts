import { isStorageError, StorageError } from '../base/errors.ts'

/** What is wrong with a file, or with the files together. */
export type ReplicaDamage =
  /** Bytes are not those that were written. */
  | 'checksum'
  /** The file ends too early, or is no file of a replica. */
  | 'form'
  /** The file has another place, term or store than its name says. */
  | 'place'
  /** The events do not continue the events before them. */
  | 'chain'
  /** No file has an event that later files follow. */
  | 'gap'
  /** The last events that were counted as written are in no file. */
  | 'end'
  /** A file was removed, or is not listed. */
  | 'missing'

/** `of`: the name of the file, if it is one, or other details. */
export function replicaCorrupt(
  kind: ReplicaDamage,
  message: string,
  of: string | Readonly<Record<string, number>> = {},
): StorageError {
  const details = typeof of === 'string' ? { file: of } : of
  return new StorageError('ReplicaCorrupt', message, { details: { kind, ...details } })
}

/** Whether another look at the files may not meet the error: a writer joins and deletes files. */
export const isPassing = (error: unknown): error is StorageError =>
  isStorageError(error, 'ReplicaCorrupt') && ['missing', 'gap'].includes(String(error.details['kind']))

/** Whether a file is gone, as when its writer has joined it with others since it was listed. */
export const isGoneFile = (error: unknown): boolean =>
  isStorageError(error, 'ReplicaCorrupt') && error.details['kind'] === 'missing'
