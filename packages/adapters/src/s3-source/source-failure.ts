import { isStorageError, StorageError } from '@varve/core'

/** `SourceFailed` with the code of S3 as `details.kind`; other coded errors, and the reason of a signal, as they are. */
export function sourceFailure(error: unknown): unknown {
  if (!isStorageError(error, 'BlobFailed', 'NoSpace', 'TooManyOpenFiles')) return error
  return new StorageError('SourceFailed', `The server that is imported from: ${error.message}`, {
    details: error.details,
    cause: error.cause,
  })
}
