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
  /** A file was removed, or is not listed. */
  | 'missing'

/** `file`: the name of the file, if it is one. */
export const replicaCorrupt = (kind: ReplicaDamage, message: string, file?: string): StorageError =>
  new StorageError('ReplicaCorrupt', message, { details: { kind, ...(file !== undefined && { file }) } })

/** Whether another look at the files may not meet the error: a writer joins and deletes files. */
export const isPassing = (error: unknown): error is StorageError =>
  isStorageError(error, 'ReplicaCorrupt') && ['missing', 'gap'].includes(String(error.details['kind']))

/** Whether a file is gone, as when its writer has joined it with others since it was listed. */
export const isGoneFile = (error: unknown): boolean =>
  isStorageError(error, 'ReplicaCorrupt') && error.details['kind'] === 'missing'
