/** The errors of projections. */
import { isStorageError, StorageError } from '../base/errors.ts'

/** What stopped a projection, in its own words. Errors of the store stay what they are. */
export function projectionFailed(name: string, error: unknown): StorageError {
  if (isStorageError(error, 'KeyspaceFailed')) {
    const seq = Number(error.details['seq'])
    return new StorageError('ProjectionFailed', `The projection ${name} failed at event ${seq}.`, {
      details: { projection: name, seq },
      cause: error.cause,
    })
  }
  if (isStorageError(error)) return error
  return new StorageError('ProjectionFailed', `The projection ${name} failed.`, {
    details: { projection: name },
    cause: error,
  })
}

export const projectionClosed = (name: string): StorageError =>
  new StorageError('InvalidRequest', `The projection ${name} was closed.`)

export const otherDefinition = (name: string): StorageError =>
  new StorageError('InvalidRequest', `The projection ${name} is open with another definition: close it first.`)

export const newerProjection = (name: string, stored: number, requested: number): StorageError =>
  new StorageError(
    'UnsupportedFormat',
    `The projection ${name} has version ${stored}; this program has ${requested}.`,
    {
      details: { kind: 'keyspace', projection: name, version: stored },
    },
  )
